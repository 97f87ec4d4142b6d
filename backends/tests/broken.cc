// The `blocking` backend, broken in one way, which the conformance suite has to find. NIKAIA_BROKEN
// names the rule of <nikaia/backend.h> that is not kept; the table below has all of them.
//
// `Breach` holds what the calls look at; each call asks for the one breach that concerns it.
#include <cstdlib>
#include <fcntl.h>
#include <iterator>
#include <string_view>
#include <unistd.h>

#include <nikaia/backend.h>

#include "backends/blocking/linked.h"

namespace {

const nikaia_io_backend& right() {
  return nikaia_backend_blocking;
}

// The rule that is broken; empty: none.
bool breaks(std::string_view rule) {
  const char* named = std::getenv("NIKAIA_BROKEN");
  return named != nullptr && rule == named;
}

int probe(const nikaia_io_config* config, char* reason, std::size_t size) {
  if (breaks("probe leaves nothing behind")) [[maybe_unused]]
    const int left = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  return right().probe(config, reason, size);
}

int open(const nikaia_io_config* config, const nikaia_io_host* host, nikaia_io_instance** out) {
  if (breaks("open leaves nothing behind")) [[maybe_unused]]
    const int left = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  return right().open(config, host, out);
}

int submit(nikaia_io_instance* instance, nikaia_io_op* const* ops, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    nikaia_io_op& op = *ops[i];
    if (breaks("a buffer ends where it ends") && op.kind == NIKAIA_IO_READ_WHOLE && op.length != 0) {
      static_cast<char*>(op.buffer)[op.length] = '!';
    }
    if (breaks("an unknown kind is refused") && op.kind >= NIKAIA_IO_KIND_END) op.kind = NIKAIA_IO_NOP;
    if (breaks("an offset is kept") && op.kind == NIKAIA_IO_READ && op.offset > 0) op.offset = 0;
    if (breaks("O_APPEND is passed on")) op.flags &= ~static_cast<std::uint32_t>(O_APPEND);
    if (breaks("a look-up stays below") && op.kind == NIKAIA_IO_OPEN) op.resolve = 0;
    if (breaks("data is written") && op.kind == NIKAIA_IO_WRITE) op.length = 0;
    if (breaks("a rename keeps its flags") && op.kind == NIKAIA_IO_RENAME) op.flags = 0;
    if (breaks("writable is not readable") && op.kind == NIKAIA_IO_WRITABLE) op.kind = NIKAIA_IO_READABLE;
  }
  if (breaks("submit says how many") && count > 1) {
    right().submit(instance, ops, count);
    return static_cast<int>(count - 1);
  }
  return right().submit(instance, ops, count);
}

std::uint32_t reap(nikaia_io_instance* instance, nikaia_io_completion* completions, std::uint32_t capacity) {
  std::uint32_t count = right().reap(instance, completions, capacity);
  if (count == 0) return 0;
  nikaia_io_completion& last = completions[count - 1];
  if (breaks("every operation ends") && last.result == 0) return count - 1;
  if (breaks("an operation ends once") && count < capacity) {
    completions[count] = last;
    return count + 1;
  }
  if (breaks("errors are negative") && last.result < 0) last.result = -last.result;
  if (breaks("a result says how many") && last.result > 4) --last.result;
  if (breaks("MORE says that there is more")) last.flags &= ~NIKAIA_IO_MORE;
  if (breaks("STREAM says that it is one")) last.flags &= ~NIKAIA_IO_STREAM;
  return count;
}

int wait(nikaia_io_instance* instance, std::int64_t deadline_ns) {
  if (breaks("a deadline ends a wait") && deadline_ns > 0) deadline_ns = INT64_MAX;
  if (breaks("a wait sleeps")) deadline_ns = 0;
  const int answer = right().wait(instance, deadline_ns);
  if (breaks("1 says that there is something")) return 1;
  return answer;
}

void wake(nikaia_io_instance* instance) {
  if (breaks("a wake ends a wait")) return;
  right().wake(instance);
}

int cancel(nikaia_io_instance* instance, nikaia_io_op* op) {
  if (breaks("a wait can be stopped") && op->kind == NIKAIA_IO_READABLE) return 0;
  const int answer = right().cancel(instance, op);
  return breaks("cancelling twice is too late") ? 0 : answer;
}

std::uint32_t pending(nikaia_io_instance* instance) {
  return right().pending(instance) + (breaks("pending counts") ? 1 : 0);
}

void close(nikaia_io_instance* instance) {
  if (breaks("close gives back what was opened")) {
    nikaia_io_completion lost[64];
    while (right().reap(instance, lost, std::size(lost)) != 0) {
    }
  }
  right().close(instance);
}

constexpr nikaia_io_backend descriptor = {
    NIKAIA_IO_MAGIC,
    NIKAIA_IO_ABI_VERSION,
    sizeof(nikaia_io_backend),
    "broken",
    "0",
    0,
    probe,
    open,
    submit,
    reap,
    wait,
    wake,
    cancel,
    pending,
    close,
};

}  // namespace

extern "C" const nikaia_io_backend* const nikaia_io_backend_v1 = &descriptor;
