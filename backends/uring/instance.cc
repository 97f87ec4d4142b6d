// The `uring` backend: files and readiness by io_uring. No thread of ours is involved; what is
// submitted in one turn of the executor is one io_uring_enter, made by `wait`.
//
// Every operation is one submission whose user data is the operation's address, with two
// exceptions.
//
// A whole-file read is a chain of three: open into the ring's own table of descriptors, read, and a
// read of one more byte that tells whether that was all. It runs through inside the kernel. Whether
// the answer is the end does not depend on the kind of file or on its size, which files of /proc do
// not state. A file with more to it is opened again as an ordinary descriptor and read step by
// step; what the chain read of a regular file is read again, and what it took from a stream is
// kept. The entry of the table is used by the next chain, whose
// open closes what was in it, or emptied with the next enter. Where the kernel can leave out the
// completion of an open that succeeded, it does.
//
// Kinds the ring does not have (reading directories; renaming on old kernels) go to a worker
// thread, which is started for the first of them.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <sched.h>
#include <unistd.h>
#include <vector>

#include <nikaia/version.h>

#include "backends/posix/calls.h"
#include "backends/posix/finished.h"
#include "backends/posix/workers.h"
#include "backends/uring/probe.h"
#include "backends/uring/ring.h"

using nikaia::backend::Finished;
using nikaia::backend::Mailbox;
using nikaia::backend::Op;
using nikaia::backend::OpList;
using nikaia::backend::Outcome;
using nikaia::backend::Ring;
using nikaia::backend::Slot;
using nikaia::backend::slot;
using nikaia::backend::State;
namespace workers = nikaia::backend::workers;

struct nikaia_io_instance {
  const nikaia_io_host* host = nullptr;
  Finished finished;
  Ring ring;
  Mailbox mailbox;
  OpList in_ring;
  OpList for_workers;
  std::vector<int> free_entries;
  std::vector<int> spent_entries;  // open still
  std::uint32_t io_workers = 1;
  unsigned expected = 0;  // completions that what is queued may give without waiting
  bool workers_up = false;
  bool bell_armed = false;
};

namespace {

using Instance = nikaia_io_instance;

constexpr unsigned default_entries = 256;
constexpr unsigned entries_max = 4096;
constexpr unsigned chain_length = 3;
constexpr std::uint64_t transfer_max_bytes = 0x7ffff000;

// What a submission is, in the low bits of its user data; the rest is the operation's address, 0
// where there is none.
enum Part : std::uint64_t { whole_part, chain_open, chain_read, chain_tail, own_business, bell };
constexpr std::uint64_t part_mask = 7;
static_assert(alignof(Op) > part_mask);

// Where an operation that is not done is.
enum Step : std::uint8_t {
  single,         // one submission
  chain,          // a whole file: `waiting` completions are to come
  chain_failed,   // the same, the file could not be opened
  stepwise_open,  // a whole file, the open
  stepwise_read,  // a whole file, one of its reads
  at_worker,
};

// --- Submissions ---------------------------------------------------------------------------------

using Prepare = void (*)(Ring&, io_uring_sqe&, const Op&);

unsigned clamp(std::uint64_t length) {
  return static_cast<unsigned>(std::min(length, transfer_max_bytes));
}

void prepare_open(Ring& ring, io_uring_sqe& sqe, const Op& op) {
  open_how& how = ring.open_how_of(sqe);
  how = {};
  how.flags = nikaia::backend::open_flags(op);
  how.mode = (op.flags & (O_CREAT | __O_TMPFILE)) != 0 ? op.mode & 07777u : 0;
  how.resolve = op.resolve;
  io_uring_prep_openat2(&sqe, op.fd, op.path, &how);
}

void prepare_close(Ring&, io_uring_sqe& sqe, const Op& op) {
  io_uring_prep_close(&sqe, op.fd);
}

void prepare_read(Ring&, io_uring_sqe& sqe, const Op& op) {
  io_uring_prep_read(&sqe, op.fd, op.buffer, clamp(op.length), static_cast<std::uint64_t>(op.offset));
}

void prepare_write(Ring&, io_uring_sqe& sqe, const Op& op) {
  io_uring_prep_write(&sqe, op.fd, op.buffer, clamp(op.length), static_cast<std::uint64_t>(op.offset));
}

void prepare_sync(Ring&, io_uring_sqe& sqe, const Op& op) {
  io_uring_prep_fsync(&sqe, op.fd, (op.flags & NIKAIA_IO_SYNC_DATA) != 0 ? IORING_FSYNC_DATASYNC : 0u);
}

void prepare_stat(Ring&, io_uring_sqe& sqe, const Op& op) {
  io_uring_prep_statx(&sqe, op.fd, op.path, static_cast<int>(op.flags), op.mode, static_cast<struct statx*>(op.buffer));
}

void prepare_readable(Ring&, io_uring_sqe& sqe, const Op& op) {
  io_uring_prep_poll_add(&sqe, op.fd, POLLIN);
}

void prepare_writable(Ring&, io_uring_sqe& sqe, const Op& op) {
  io_uring_prep_poll_add(&sqe, op.fd, POLLOUT);
}

void prepare_rename(Ring&, io_uring_sqe& sqe, const Op& op) {
  io_uring_prep_renameat(&sqe, op.fd, op.path, op.fd2, op.path2, op.flags);
}

void prepare_unlink(Ring&, io_uring_sqe& sqe, const Op& op) {
  io_uring_prep_unlinkat(&sqe, op.fd, op.path, static_cast<int>(op.flags));
}

void prepare_mkdir(Ring&, io_uring_sqe& sqe, const Op& op) {
  io_uring_prep_mkdirat(&sqe, op.fd, op.path, op.mode);
}

void prepare_symlink(Ring&, io_uring_sqe& sqe, const Op& op) {
  io_uring_prep_symlinkat(&sqe, op.path2, op.fd, op.path);
}

void prepare_link(Ring&, io_uring_sqe& sqe, const Op& op) {
  io_uring_prep_linkat(&sqe, op.fd, op.path, op.fd2, op.path2, static_cast<int>(op.flags));
}

constexpr int no_operation = -1;

struct Row {
  std::uint32_t kind;
  int operation;  // of the ring; `no_operation`: a worker's
  bool at_once;   // usually finished while it is submitted
  Prepare prepare;
};

constexpr Row rows[] = {
    {NIKAIA_IO_NOP, no_operation, false, nullptr},
    {NIKAIA_IO_OPEN, IORING_OP_OPENAT2, true, prepare_open},
    {NIKAIA_IO_CLOSE, IORING_OP_CLOSE, true, prepare_close},
    {NIKAIA_IO_READ, IORING_OP_READ, true, prepare_read},
    {NIKAIA_IO_WRITE, IORING_OP_WRITE, true, prepare_write},
    {NIKAIA_IO_SYNC, IORING_OP_FSYNC, false, prepare_sync},
    {NIKAIA_IO_STAT, IORING_OP_STATX, false, prepare_stat},
    {NIKAIA_IO_READ_WHOLE, no_operation, false, nullptr},
    {NIKAIA_IO_READABLE, IORING_OP_POLL_ADD, false, prepare_readable},
    {NIKAIA_IO_WRITABLE, IORING_OP_POLL_ADD, false, prepare_writable},
    {NIKAIA_IO_RENAME, IORING_OP_RENAMEAT, false, prepare_rename},
    {NIKAIA_IO_UNLINK, IORING_OP_UNLINKAT, false, prepare_unlink},
    {NIKAIA_IO_MKDIR, IORING_OP_MKDIRAT, false, prepare_mkdir},
    {NIKAIA_IO_SYMLINK, IORING_OP_SYMLINKAT, false, prepare_symlink},
    {NIKAIA_IO_LINK, IORING_OP_LINKAT, false, prepare_link},
    {NIKAIA_IO_READLINK, no_operation, false, nullptr},
    {NIKAIA_IO_READDIR, no_operation, false, nullptr},
    {NIKAIA_IO_TRUNCATE, no_operation, false, nullptr},
    {NIKAIA_IO_COPY, no_operation, false, nullptr},
};

constexpr bool in_order() {
  std::uint32_t kind = 0;
  for (const Row& row : rows) {
    if (row.kind != kind++) return false;
  }
  return kind == NIKAIA_IO_KIND_END;
}
static_assert(in_order(), "the table has one row for each kind, at the kind's place");

void see_completions(Instance& instance);

// Room for `count` submissions, which the kernel may refuse for a moment where it holds completions
// that nobody has looked at.
bool make_room(Instance& instance, unsigned count) {
  return instance.ring.reserve(count) == 0;
}

// The same for what cannot be put off (closing, cancelling): looks at completions until there is
// room.
void insist_on_room(Instance& instance, unsigned count) {
  while (!make_room(instance, count)) {
    see_completions(instance);
    sched_yield();
  }
}

std::uint64_t user_data(const Op& op, Part part) {
  return reinterpret_cast<std::uintptr_t>(&op) | part;
}

void hold(Instance& instance, Op& op, Step step) {
  Slot& own = slot(op);
  own.step = step;
  own.state = State::running;
  instance.in_ring.push_back(op);
}

// There is room.
void submit_single(Instance& instance, Op& op, const Row& row) {
  io_uring_sqe& sqe = instance.ring.next();
  row.prepare(instance.ring, sqe, op);
  sqe.user_data = user_data(op, whole_part);
  if (row.at_once) ++instance.expected;
}

// A transfer at the file's own position that ends in an error after it moved something answers how
// much, and the kernel leaves the position where it was: what follows would be moved twice.
bool moves_position(const Op& op) {
  return op.offset < 0 && (op.kind == NIKAIA_IO_READ || op.kind == NIKAIA_IO_WRITE);
}

void note_position(Op& op) {
  slot(op).progress = static_cast<std::uint64_t>(lseek(op.fd, 0, SEEK_CUR));
}

void keep_position(Op& op, int moved) {
  const auto before = static_cast<off_t>(slot(op).progress);
  if (before < 0 || moved <= 0 || static_cast<std::uint64_t>(moved) == clamp(op.length)) return;
  if (lseek(op.fd, 0, SEEK_CUR) != before) return;
  const bool appends = op.kind == NIKAIA_IO_WRITE && (fcntl(op.fd, F_GETFL) & O_APPEND) != 0;
  lseek(op.fd, appends ? 0 : before + moved, appends ? SEEK_END : SEEK_SET);
}

void give_to_worker(Instance& instance, Op& op) {
  if (!instance.workers_up) {
    const int error = workers::acquire(instance.io_workers);
    if (error != 0) return instance.finished.complete(op, {error, 0});
    instance.workers_up = true;
  }
  Slot& own = slot(op);
  own.owner = &instance.mailbox;
  own.step = at_worker;
  own.state = State::fresh;
  instance.for_workers.push_back(op);
}

// --- Whole files ---------------------------------------------------------------------------------

bool may_chain(const Instance& instance, const Op& op) {
  const bool plain = (op.flags & ~static_cast<std::uint32_t>(O_CLOEXEC | O_NOFOLLOW)) == O_RDONLY;
  const bool has_entry = !instance.free_entries.empty() || !instance.spent_entries.empty();
  return plain && op.length >= 2 && has_entry;
}

// Whether the open of a chain completes only where it fails, and then silences those behind it.
bool opens_silently(const Instance& instance) {
  return (instance.ring.features() & IORING_FEAT_CQE_SKIP) != 0;
}

// There is room for three.
void submit_chain(Instance& instance, Op& op) {
  Ring& ring = instance.ring;
  Slot& own = slot(op);
  std::vector<int>& entries = instance.spent_entries.empty() ? instance.free_entries : instance.spent_entries;
  own.fixed = entries.back();
  entries.pop_back();
  const bool silent_open = opens_silently(instance);
  own.waiting = silent_open ? chain_length - 1 : chain_length;
  hold(instance, op, chain);

  // There is no descriptor to inherit, and the ring refuses to be told.
  const std::uint32_t flags = op.flags & ~static_cast<std::uint32_t>(O_CLOEXEC);
  const auto entry = static_cast<unsigned>(own.fixed);
  io_uring_sqe& open = ring.next();
  if (op.resolve == 0) {
    io_uring_prep_openat_direct(&open, op.fd, op.path, static_cast<int>(flags), 0, entry);
  } else {
    open_how& how = ring.open_how_of(open);
    how = {};
    how.flags = flags;
    how.resolve = op.resolve;
    io_uring_prep_openat2_direct(&open, op.fd, op.path, &how, entry);
  }
  open.flags |= IOSQE_IO_LINK;
  if (silent_open) open.flags |= IOSQE_CQE_SKIP_SUCCESS;
  open.user_data = user_data(op, chain_open);

  // One byte less than there is room for: the tail's, where it turns out to belong to a stream. A
  // short read, which is what most are, does not break a hard link.
  io_uring_sqe& read = ring.next();
  io_uring_prep_read(&read, own.fixed, op.buffer, clamp(op.length - 1), ~std::uint64_t{0});
  read.flags |= IOSQE_FIXED_FILE | IOSQE_IO_HARDLINK;
  read.user_data = user_data(op, chain_read);

  io_uring_sqe& tail = ring.next();
  io_uring_prep_read(&tail, own.fixed, &op.out_size, 1, ~std::uint64_t{0});
  tail.flags |= IOSQE_FIXED_FILE;
  tail.user_data = user_data(op, chain_tail);
  instance.expected += own.waiting;
}

void release_entry(Instance& instance, Op& op) {
  Slot& own = slot(op);
  if (own.fixed < 0) return;
  instance.spent_entries.push_back(own.fixed);
  own.fixed = -1;
}

// Before the kernel is entered anyway.
void queue_closes(Instance& instance) {
  while (!instance.spent_entries.empty() && make_room(instance, 1)) {
    io_uring_sqe& sqe = instance.ring.next();
    io_uring_prep_close_direct(&sqe, static_cast<unsigned>(instance.spent_entries.back()));
    sqe.user_data = own_business;
    // Who gets the entry next is submitted behind this.
    instance.free_entries.push_back(instance.spent_entries.back());
    instance.spent_entries.pop_back();
  }
}

void read_step(Instance& instance, Op& op) {
  insist_on_room(instance, 1);
  io_uring_sqe& sqe = instance.ring.next();
  const std::uint64_t at = slot(op).progress;
  io_uring_prep_read(&sqe, op.out_fd, static_cast<char*>(op.buffer) + at, clamp(op.length - at), at);
  sqe.user_data = user_data(op, whole_part);
  ++instance.expected;
  hold(instance, op, stepwise_read);
}

void opened(Instance& instance, Op& op, std::int64_t fd) {
  Outcome outcome{fd, 0};
  if (fd >= 0 && slot(op).cancelled) {
    op.out_fd = static_cast<int>(fd);
    nikaia::backend::abandon(op);
    outcome = {-ECANCELED, 0};
  } else if (fd >= 0 && !nikaia::backend::begin_whole(op, static_cast<int>(fd), outcome)) {
    release_entry(instance, op);
    return read_step(instance, op);
  }
  release_entry(instance, op);
  instance.finished.complete(op, outcome);
}

void open_stepwise(Instance& instance, Op& op) {
  const std::int64_t fd = nikaia::backend::open_cached(op);
  if (fd != -EAGAIN) return opened(instance, op, fd);
  insist_on_room(instance, 1);
  io_uring_sqe& sqe = instance.ring.next();
  prepare_open(instance.ring, sqe, op);
  sqe.user_data = user_data(op, whole_part);
  hold(instance, op, stepwise_open);
}

void read_ended(Instance& instance, Op& op, std::int64_t count) {
  Outcome outcome;
  if (slot(op).cancelled && count != 0) count = -ECANCELED;
  if (!nikaia::backend::continue_whole(op, count, outcome)) return read_step(instance, op);
  instance.finished.complete(op, outcome);
}

// All three completions are in: `outcome.result` is the open's where that failed and the read's
// otherwise, `progress` the tail's.
void chain_ended(Instance& instance, Op& op) {
  Slot& own = slot(op);
  const std::int64_t count = own.outcome.result;
  const auto tail = static_cast<std::int64_t>(own.progress);
  if (own.step == chain_failed || count < 0 || tail <= 0) {
    release_entry(instance, op);
    op.out_size = 0;
    return instance.finished.complete(op, {count >= 0 && tail < 0 ? tail : count, 0});
  }
  if (own.cancelled) {
    release_entry(instance, op);
    return instance.finished.complete(op, {-ECANCELED, 0});
  }
  static_cast<char*>(op.buffer)[count] = *reinterpret_cast<const char*>(&op.out_size);
  own.progress = static_cast<std::uint64_t>(count) + 1;
  open_stepwise(instance, op);
}

// --- Completions ---------------------------------------------------------------------------------

void ask_to_cancel(Instance& instance, const Op& op, Part part) {
  insist_on_room(instance, 1);
  io_uring_sqe& sqe = instance.ring.next();
  io_uring_prep_cancel64(&sqe, user_data(op, part), 0);
  sqe.user_data = own_business;
}

void chain_part_ended(Instance& instance, Op& op, Part part, int result) {
  Slot& own = slot(op);
  switch (part) {
    case chain_open:
      if (result < 0) {
        own.step = chain_failed;
        own.outcome.result = result == -EINTR && own.cancelled ? -ECANCELED : result;
        if (opens_silently(instance)) own.waiting = 1;
      }
      break;
    case chain_read:
      if (own.step == chain) own.outcome.result = result;
      // The hard link lets the tail run after a failure too, and on a stream it would wait.
      if (own.step == chain && result < 0) ask_to_cancel(instance, op, chain_tail);
      break;
    default: own.progress = static_cast<std::uint64_t>(std::int64_t{result}); break;
  }
  if (--own.waiting != 0) return;
  instance.in_ring.remove(op);
  chain_ended(instance, op);
}

void single_ended(Instance& instance, Op& op, int result) {
  const Slot& own = slot(op);
  // A signal to the kernel's own thread: only one that was sent to cancel ends an operation.
  if (result == -EINTR) result = own.cancelled ? -ECANCELED : result;
  // A wait has no effect that could be lost, so that it was stopped is true whoever was first.
  if (own.cancelled && nikaia::backend::is_readiness(op.kind)) result = -ECANCELED;
  if (op.kind == NIKAIA_IO_OPEN && result >= 0) nikaia::backend::restore_blocking(op, result);
  if (moves_position(op)) keep_position(op, result);
  instance.finished.complete(op, {result, 0});
}

void ended(Instance& instance, Op& op, Part part, int result) {
  if (part != whole_part) return chain_part_ended(instance, op, part, result);
  instance.in_ring.remove(op);
  switch (slot(op).step) {
    case stepwise_open: return opened(instance, op, result);
    case stepwise_read: return read_ended(instance, op, result);
    default: return single_ended(instance, op, result);
  }
}

void see_completions(Instance& instance) {
  instance.mailbox.collect(instance.finished.list());
  instance.ring.each([&](std::uint64_t data, int result) {
    const Part part = static_cast<Part>(data & part_mask);
    if (part == bell) {
      instance.bell_armed = false;
      instance.mailbox.drain_descriptor();
    } else if (part != own_business) {
      ended(instance, *reinterpret_cast<Op*>(data & ~part_mask), part, result);
    }
  });
}

void arm_bell(Instance& instance) {
  if (instance.bell_armed || !make_room(instance, 1)) return;
  io_uring_sqe& sqe = instance.ring.next();
  io_uring_prep_poll_add(&sqe, instance.mailbox.descriptor(), POLLIN);
  sqe.user_data = bell;
  instance.bell_armed = true;
}

// --- The calls of the ABI ------------------------------------------------------------------------

int probe(const nikaia_io_config*, char* reason, std::size_t reason_size) {
  return nikaia::backend::probe_ring(reason, reason_size);
}

int open(const nikaia_io_config* config, const nikaia_io_host* host, Instance** out) {
  *out = nullptr;
  auto* instance = new (std::nothrow) Instance;
  if (instance == nullptr) return -ENOMEM;
  instance->host = host;
  instance->io_workers = std::max(config->io_workers, 1u);
  const unsigned entries = config->expected_in_flight == 0
                               ? default_entries
                               : std::clamp(config->expected_in_flight, default_entries, entries_max);
  int error = instance->mailbox.open();
  if (error == 0) error = instance->ring.open(entries);
  if (error != 0) {
    delete instance;
    return error;
  }
  const auto fixed = static_cast<int>(instance->ring.fixed_entries());
  for (int entry = fixed; entry > 0; --entry) instance->free_entries.push_back(entry - 1);
  *out = instance;
  return 0;
}

// False: there is no room now, and nothing was done.
bool accept(Instance& instance, Op& op) {
  if (!make_room(instance, chain_length)) return false;
  instance.finished.accept(op);
  Outcome outcome;
  if (!nikaia::backend::is_known(op.kind)) {
    instance.finished.complete(op, {-ENOSYS, 0});
  } else if (op.kind == NIKAIA_IO_READ_WHOLE) {
    op.out_fd = -1;
    op.out_size = 0;
    may_chain(instance, op) ? submit_chain(instance, op) : open_stepwise(instance, op);
  } else if ((op.kind == NIKAIA_IO_NOP || op.kind == NIKAIA_IO_STAT) && nikaia::backend::try_now(op, outcome)) {
    // The ring gives every stat to a thread of the kernel; a name that is cached needs none.
    instance.finished.complete(op, outcome);
  } else if (const Row& row = rows[op.kind]; row.prepare != nullptr && instance.ring.offers(row.operation)) {
    if (moves_position(op)) note_position(op);
    submit_single(instance, op, row);
    hold(instance, op, single);
  } else {
    give_to_worker(instance, op);
  }
  return true;
}

int submit(Instance* instance, Op* const* ops, std::uint32_t count) {
  std::uint32_t accepted = 0;
  for (; accepted < count; ++accepted) {
    if (accept(*instance, *ops[accepted])) continue;
    see_completions(*instance);
    if (!accept(*instance, *ops[accepted])) break;
  }
  return static_cast<int>(accepted);
}

std::uint32_t reap(Instance* instance, nikaia_io_completion* completions, std::uint32_t capacity) {
  if (instance->finished.empty()) see_completions(*instance);
  return instance->finished.hand_out(completions, capacity);
}

// Refusals that are over when completions were looked at, or that ask to look again.
bool is_of_the_moment(int error) {
  return error == -EINTR || error == -ETIME || error == -EAGAIN || error == -EBUSY;
}

// Submits what is queued and takes in what needs no waiting. A chain that turned out to have more
// to it queues its next step meanwhile, which is worth another round.
int advance(Instance& instance) {
  do {
    const unsigned expected = instance.expected;
    instance.expected = 0;
    queue_closes(instance);
    const int error = instance.ring.enter(expected);
    see_completions(instance);
    if (error != 0) return is_of_the_moment(error) ? 0 : error;
  } while (instance.expected != 0);
  return 0;
}

int wait(Instance* instance, std::int64_t deadline_ns) {
  if (!instance->for_workers.empty()) workers::hand_over(instance->for_workers);
  for (;;) {
    if (instance->expected == 0) see_completions(*instance);
    const std::int64_t timeout_ns =
        instance->finished.empty() ? nikaia::backend::time_left_ns(*instance->host, deadline_ns) : 0;
    // What may be finished at once gets the chance first; only then is there a reason to sleep.
    const bool worth_entering =
        instance->expected != 0 || (timeout_ns == 0 && instance->ring.queued() != 0) || instance->ring.holds_back();
    if (worth_entering) {
      const int error = advance(*instance);
      if (error != 0) return error;
    }
    if (instance->finished.empty() && timeout_ns != 0) {
      arm_bell(*instance);
      queue_closes(*instance);
      if (instance->mailbox.prepare_sleep()) {
        const int error = instance->ring.sleep(timeout_ns);
        instance->mailbox.end_sleep();
        if (error != 0 && !is_of_the_moment(error)) return error;
        see_completions(*instance);
      }
    }
    instance->mailbox.collect(instance->finished.list());
    const bool woken = instance->mailbox.take_wake();
    if (!instance->finished.empty()) return 1;
    if (woken || timeout_ns == 0) return 0;
  }
}

void wake(Instance* instance) {
  instance->mailbox.wake();
}

void cancel_in_ring(Instance& instance, Op& op) {
  const std::uint8_t step = slot(op).step;
  if (step == chain || step == chain_failed) {
    ask_to_cancel(instance, op, chain_open);
    ask_to_cancel(instance, op, chain_read);
    ask_to_cancel(instance, op, chain_tail);
  } else {
    ask_to_cancel(instance, op, whole_part);
  }
}

int cancel(Instance* instance, Op* op) {
  Slot& own = slot(*op);
  if (own.cancelled || own.state == State::done) return -EALREADY;
  own.cancelled = true;
  if (own.step != at_worker) {
    cancel_in_ring(*instance, *op);
    return 0;
  }
  if (own.state == State::fresh) {
    instance->for_workers.remove(*op);
  } else if (!workers::take_back(*op)) {
    return 0;  // its call ends when it ends
  }
  instance->finished.complete(*op, {-ECANCELED, 0});
  return 0;
}

std::uint32_t pending(Instance* instance) {
  return instance->finished.pending();
}

void close(Instance* instance) {
  for (Op* op = instance->in_ring.first(); op != nullptr; op = slot(*op).next) {
    if (slot(*op).cancelled) continue;
    slot(*op).cancelled = true;
    cancel_in_ring(*instance, *op);
  }
  // The kernel lets go of an operation's memory with its last completion, and not before.
  while (!instance->in_ring.empty()) {
    if (advance(*instance) != 0) break;
    if (!instance->in_ring.empty() && instance->ring.sleep(-1) < 0) sched_yield();
    see_completions(*instance);
  }
  if (instance->workers_up) {
    workers::withdraw(instance->mailbox);
    workers::release();
  }
  instance->mailbox.collect(instance->finished.list());
  instance->finished.discard();
  delete instance;
}

constexpr nikaia_io_backend descriptor = {
    NIKAIA_IO_MAGIC,
    NIKAIA_IO_ABI_VERSION,
    sizeof(nikaia_io_backend),
    "uring",
    NIKAIA_VERSION " (io_uring)",
    NIKAIA_IO_CAP_COMPLETES_FILES | NIKAIA_IO_CAP_READINESS | NIKAIA_IO_CAP_BATCHING | NIKAIA_IO_CAP_LINKED |
        NIKAIA_IO_CAP_CANCELLATION | NIKAIA_IO_CAP_WAKEABLE,
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
