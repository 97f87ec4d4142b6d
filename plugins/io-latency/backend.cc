// The I/O backend `latency`: another backend, with what a script does to its operations. For tests
// of programs, and of the runtime: what is right with it is right with a slow disk, a full one and
// a broken one.
//
//     NIKAIA_LATENCY_OVER    the file of the backend below
//     NIKAIA_LATENCY_SCRIPT  what happens to which operations (script.h); empty: nothing
//     NIKAIA_LATENCY_TRACE   a file that gets one line for each operation handed out: its number,
//     kind and result
//
// Each operation of the host has a record here, whose copy of the operation is what the backend
// below sees: so an operation can be shortened, and one that is to fail need not reach it. Finished
// records wait in `done`, in the order in which they are handed out; one that is delayed is handed
// out when its time has come.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <dlfcn.h>
#include <fcntl.h>
#include <new>
#include <unistd.h>

#include <nikaia/backend.h>

#include "script.h"

namespace {

struct Record {
  nikaia_io_op below{};
  nikaia_io_op* op = nullptr;
  std::uint64_t number = 0;  // among all operations of the process
  latency::Treatment treatment;
  std::int64_t result = 0;
  std::uint32_t flags = 0;
  std::int64_t due_ns = 0;
  bool is_done = false;
  bool asked_to_end = false;
  Record* previous = nullptr;  // of all of the instance
  Record* next = nullptr;
};

}  // namespace

struct nikaia_io_instance {
  const nikaia_io_host* host = nullptr;
  nikaia_io_instance* below = nullptr;
  std::deque<Record*> done;
  Record* first = nullptr;
  std::uint32_t pending = 0;
};

namespace {

using Instance = nikaia_io_instance;

// The process's: what is below, what is to be done, and how many operations there were.
struct Setting {
  const nikaia_io_backend* below = nullptr;
  latency::Script script;
  int trace = -1;
  char reason[256] = "";
  std::atomic<std::uint64_t> of_all{0};
  std::atomic<std::uint64_t> of_kind[NIKAIA_IO_KIND_END] = {};
};

bool load(Setting& setting) {
  const char* const file = std::getenv("NIKAIA_LATENCY_OVER");
  if (file == nullptr) {
    std::snprintf(setting.reason, sizeof setting.reason,
                  "NIKAIA_LATENCY_OVER is not set: it names the file of the backend to wrap");
    return false;
  }
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, NIKAIA_IO_SYMBOL);
  if (symbol == nullptr) {
    std::snprintf(setting.reason, sizeof setting.reason, "NIKAIA_LATENCY_OVER: `%s` is no backend", file);
    return false;
  }
  const nikaia_io_backend* below = *static_cast<const nikaia_io_backend* const*>(symbol);
  if (below->magic != NIKAIA_IO_MAGIC || below->abi_version != NIKAIA_IO_ABI_VERSION) {
    std::snprintf(setting.reason, sizeof setting.reason, "NIKAIA_LATENCY_OVER: `%s` is of another version", file);
    return false;
  }
  const char* const script = std::getenv("NIKAIA_LATENCY_SCRIPT");
  if (script != nullptr && !setting.script.read(script, setting.reason, sizeof setting.reason)) return false;
  const char* const trace = std::getenv("NIKAIA_LATENCY_TRACE");
  if (trace != nullptr) setting.trace = open(trace, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  setting.below = below;
  return true;
}

// Never destroyed: a program that ends with an instance open still has it.
Setting& setting() {
  static Setting* const made = [] {
    auto* setting = new Setting;
    load(*setting);
    return setting;
  }();
  return *made;
}

const nikaia_io_backend& below() {
  return *setting().below;
}

std::int64_t now_ns(const Instance& instance) {
  return instance.host->now_ns(instance.host->context);
}

bool is_readiness(const nikaia_io_op& op) {
  return op.kind == NIKAIA_IO_READABLE || op.kind == NIKAIA_IO_WRITABLE;
}

void finish(Instance& instance, Record& record, std::int64_t result, std::uint32_t flags) {
  record.result = result;
  record.flags = flags;
  record.is_done = true;
  if (record.treatment.delay_ns != 0) record.due_ns = now_ns(instance) + record.treatment.delay_ns;
  if (record.treatment.first) {
    instance.done.push_front(&record);
  } else {
    instance.done.push_back(&record);
  }
}

Record& record_of(const nikaia_io_op& op) {
  return *reinterpret_cast<Record*>(op.backend[0]);
}

void take_in(Instance& instance, Record& record) {
  record.op->backend[0] = reinterpret_cast<std::uintptr_t>(&record);
  record.next = instance.first;
  if (record.next != nullptr) record.next->previous = &record;
  instance.first = &record;
  ++instance.pending;
}

void let_go(Instance& instance, Record* record) {
  (record->previous != nullptr ? record->previous->next : instance.first) = record->next;
  if (record->next != nullptr) record->next->previous = record->previous;
  --instance.pending;
  delete record;
}

Record* new_record(nikaia_io_op& op) {
  auto* const record = new (std::nothrow) Record;
  if (record == nullptr) return nullptr;
  Setting& all = setting();
  record->op = &op;
  record->number = ++all.of_all;
  const std::uint64_t of_kind = op.kind < NIKAIA_IO_KIND_END ? ++all.of_kind[op.kind] : 0;
  record->treatment = all.script.treatment(op.kind, of_kind, record->number);
  record->below = op;
  record->below.user_data = reinterpret_cast<std::uintptr_t>(record);
  const bool moves_bytes = op.kind == NIKAIA_IO_READ || op.kind == NIKAIA_IO_WRITE || op.kind == NIKAIA_IO_READ_WHOLE;
  if (moves_bytes) record->below.length = std::min(op.length, record->treatment.most_bytes);
  return record;
}

bool reaches_below(const Record& record) {
  return record.treatment.error == 0 || record.op->kind == NIKAIA_IO_CLOSE;
}

void trace(const Record& record) {
  if (setting().trace < 0) return;
  char line[96];
  const int size = std::snprintf(line, sizeof line, "%llu %s %lld\n", static_cast<unsigned long long>(record.number),
                                 latency::kind_name(record.op->kind), static_cast<long long>(record.result));
  [[maybe_unused]] const ssize_t written = write(setting().trace, line, static_cast<std::size_t>(size));
}

void collect(Instance& instance) {
  nikaia_io_completion completions[64];
  for (;;) {
    const std::uint32_t count = below().reap(instance.below, completions, 64);
    for (std::uint32_t i = 0; i < count; ++i) {
      Record& record = *reinterpret_cast<Record*>(completions[i].user_data);
      record.op->out_fd = record.below.out_fd;
      record.op->out_size = record.below.out_size;
      const bool fails = record.treatment.error != 0;
      finish(instance, record, fails ? -record.treatment.error : completions[i].result,
             fails ? 0 : completions[i].flags);
    }
    if (count < 64) return;
  }
}

// The time of the earliest completion that is held back; 0: there is one to hand out now,
// INT64_MAX: there is none.
std::int64_t next_due_ns(const Instance& instance) {
  std::int64_t earliest = INT64_MAX;
  for (const Record* record : instance.done) earliest = std::min(earliest, record->due_ns);
  if (earliest != 0 && earliest != INT64_MAX && earliest <= now_ns(instance)) return 0;
  return earliest;
}

// --- The calls of the ABI

int probe(const nikaia_io_config* config, char* reason, std::size_t reason_size) {
  const Setting& all = setting();
  if (all.below != nullptr) return all.below->probe(config, reason, reason_size);
  std::snprintf(reason, reason_size, "%s", all.reason);
  return -EINVAL;
}

int open_instance(const nikaia_io_config* config, const nikaia_io_host* host, Instance** out) {
  *out = nullptr;
  if (setting().below == nullptr) return -EINVAL;
  auto* const instance = new (std::nothrow) Instance;
  if (instance == nullptr) return -ENOMEM;
  instance->host = host;
  const int error = below().open(config, host, &instance->below);
  if (error != 0) {
    delete instance;
    return error;
  }
  *out = instance;
  return 0;
}

int submit(Instance* instance, nikaia_io_op* const* ops, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    Record* const record = new_record(*ops[i]);
    if (record == nullptr) return instance->pending == 0 && i == 0 ? -ENOMEM : static_cast<int>(i);
    if (reaches_below(*record)) {
      nikaia_io_op* const copy = &record->below;
      const int accepted = below().submit(instance->below, &copy, 1);
      if (accepted != 1) {
        delete record;
        return accepted < 0 && i == 0 ? accepted : static_cast<int>(i);
      }
    } else {
      ops[i]->out_fd = -1;
      finish(*instance, *record, -record->treatment.error, 0);
    }
    take_in(*instance, *record);
  }
  return static_cast<int>(count);
}

std::uint32_t reap(Instance* instance, nikaia_io_completion* completions, std::uint32_t capacity) {
  collect(*instance);
  const bool any_held =
      std::any_of(instance->done.begin(), instance->done.end(), [](const Record* r) { return r->due_ns != 0; });
  const std::int64_t now = any_held ? now_ns(*instance) : 0;
  std::uint32_t count = 0;
  std::deque<Record*> held;
  while (!instance->done.empty()) {
    Record* const record = instance->done.front();
    instance->done.pop_front();
    if (count == capacity || record->due_ns > now) {
      held.push_back(record);
      continue;
    }
    completions[count++] = {record->op->user_data, record->result, record->flags, 0};
    trace(*record);
    let_go(*instance, record);
  }
  instance->done.swap(held);
  return count;
}

int wait_for(Instance* instance, std::int64_t deadline_ns) {
  collect(*instance);
  const std::int64_t due_ns = next_due_ns(*instance);
  const int answer = below().wait(instance->below, std::min(deadline_ns, due_ns));
  if (answer < 0) return answer;
  collect(*instance);
  // Where all of them are held back this is a return for no reason, which is allowed.
  return next_due_ns(*instance) == 0 ? 1 : 0;
}

void wake(Instance* instance) {
  below().wake(instance->below);
}

int cancel(Instance* instance, nikaia_io_op* op) {
  Record& record = record_of(*op);
  if (record.asked_to_end) return -EALREADY;
  record.asked_to_end = true;
  if (!record.is_done) return below().cancel(instance->below, &record.below);
  if (record.due_ns == 0) return -EALREADY;
  // Held back: it ends now, with what it has done.
  record.due_ns = 0;
  if (is_readiness(*op)) record.result = -ECANCELED;
  return 0;
}

std::uint32_t pending(Instance* instance) {
  return instance->pending;
}

void close_instance(Instance* instance) {
  collect(*instance);
  below().close(instance->below);
  for (const Record* record : instance->done) {
    if (record->op->kind == NIKAIA_IO_OPEN && record->result >= 0) {
      close(static_cast<int>(record->result));
    }
    if ((record->flags & NIKAIA_IO_MORE) != 0) close(record->op->out_fd);
  }
  while (instance->first != nullptr) let_go(*instance, instance->first);
  delete instance;
}

constexpr nikaia_io_backend descriptor = {
    .magic = NIKAIA_IO_MAGIC,
    .abi_version = NIKAIA_IO_ABI_VERSION,
    .struct_size = sizeof(nikaia_io_backend),
    .name = "latency",
    .version = "0.1.0",
    .capabilities = NIKAIA_IO_CAP_READINESS | NIKAIA_IO_CAP_WAKEABLE,
    .probe = probe,
    .open = open_instance,
    .submit = submit,
    .reap = reap,
    .wait = wait_for,
    .wake = wake,
    .cancel = cancel,
    .pending = pending,
    .close = close_instance,
};

}  // namespace

extern "C" const nikaia_io_backend* const nikaia_io_backend_v1 = &descriptor;
