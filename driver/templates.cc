#include "driver/templates.h"

#include <array>

namespace nikaia::driver {

namespace {

constexpr std::array<Template, 3> project = {{
    {"nikaia.toml", R"([package]
name = "@NAME@"
version = "0.1.0"
)"},
    {"src/main.nika", R"(fn main() {
    println("Hello from @NAME@.")
}
)"},
    {".gitignore", R"(target/
.nikaia/
)"},
}};

constexpr std::array<Template, 4> pass = {{
    {"CMakeLists.txt",
     R"(# Builds nikaia-pass-@NAME@.so against an installed Nikaia and nothing else:
#
#     cmake -B build -DCMAKE_PREFIX_PATH=PREFIX && cmake --build build && ctest --test-dir build
cmake_minimum_required(VERSION 3.25)
project(nikaia-pass-@NAME@ LANGUAGES CXX)

find_package(Nikaia REQUIRED)
nikaia_add_pass(@NAME@ pass.cc)

include(CTest)
if(BUILD_TESTING)
  # The pass loads, and an accepted program stays accepted with it.
  add_test(NAME loads COMMAND nikaia::nikaia passes --pass-plugin $<TARGET_FILE:nikaia-pass-@NAME@>)
  add_test(NAME accepts COMMAND nikaia::nikaia check ${CMAKE_CURRENT_SOURCE_DIR}/test.nika
    --pass-plugin $<TARGET_FILE:nikaia-pass-@NAME@>)
  add_test(NAME counts COMMAND nikaia::nikaia check ${CMAKE_CURRENT_SOURCE_DIR}/test.nika
    --pass-plugin $<TARGET_FILE:nikaia-pass-@NAME@> --pass-option @NAME@:most=1)
  set_tests_properties(counts PROPERTIES PASS_REGULAR_EXPRESSION "PASS0001")
endif()
)"},
    {"pass.cc",
     R"(// The pass `@NAME@`: warns about a file with more functions than its option `most` says.
//
// A place to start from. It works on the tree, needs nothing that another pass decides, and reports
// with a code of its own: two to four capital letters other than NK, and four digits.
#include <nikaia/pass.h>

#include <string>

#include "lang/compilation.h"

namespace {

using namespace nikaia;

void run(PassContext& context) {
  const std::size_t most = std::stoul(std::string(context.option("most")));
  const lang::Compilation& compilation = context.compilation();
  for (std::size_t i = 0; i < compilation.trees.size(); ++i) {
    const lang::FileId file(i);
    context.looking_at("", context.sources().path(file));
    std::size_t functions = 0;
    const lang::ast::Tree& tree = compilation.trees[file];
    for (const lang::ast::ItemId id : tree.roots) {
      if (std::holds_alternative<lang::ast::FnItem>(tree.items[id].node)) ++functions;
    }
    if (functions <= most) continue;
    context.sink()
        .report_plugin("PASS0001", lang::Severity::warning, lang::Span::whole_file(file),
                       "This file has " + std::to_string(functions) + " functions.")
        .help("Move some of them into another file of the package, which needs no `use`.");
  }
}

constexpr const char* codes[] = {"PASS0001", nullptr};
constexpr PassOption options[] = {
    {"most", "20", "how many functions a file may have"},
    {nullptr, nullptr, nullptr},
};

const Pass passes[] = {{
    .name = "@NAME@",
    .purpose = "warns about files with many functions",
    .version = "0.1.0",
    .kind = PassKind::analysis,
    .stage = PassStage::tree,
    .is_optional = true,
    .requires_facts = nullptr,
    .provides_facts = nullptr,
    .changes_facts = nullptr,
    .codes = codes,
    .options = options,
    .produces_cpp = false,
    .run = run,
}};

}  // namespace

NIKAIA_PASS_PLUGIN(passes)
)"},
    {"test.nika", R"(fn greeting() -> String {
    return "Hello."
}

fn main() {
    println(greeting())
}
)"},
    {".gitignore", "build/\n"},
}};

constexpr const char* backend_source =
    R"(/* The I/O backend `@NAME@`: every operation is one system call, made when it is submitted.
 *
 * A place to start from. It is right and slow: `submit` does the work at once, so nothing is ever in
 * flight except what waits for a peer, which `wait` hands to poll(2). What waits for a disk holds up
 * the program, and is the first thing to move elsewhere. <nikaia/backend.h> says what each call must
 * do; `nikaia backends check FILE.so` holds a backend to it.
 */
#define _GNU_SOURCE
#include <nikaia/backend.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* An operation that was accepted: done, and waiting to be reaped, or waiting for its descriptor. */
struct entry {
  struct nikaia_io_op* op;
  int64_t result;
  uint32_t flags;
  int is_done;
};

struct nikaia_io_instance {
  const struct nikaia_io_host* host;
  int wake_fd;
  struct entry* entries;
  size_t count;
  size_t capacity;
};

static int64_t result_of(int64_t value) { return value < 0 ? -errno : value; }

static int open_file(const struct nikaia_io_op* op) {
  struct open_how how;
  memset(&how, 0, sizeof how);
  how.flags = op->flags;
  how.mode = op->mode;
  how.resolve = op->resolve;
  int nonblocking = (how.flags & O_PATH) == 0;
  if (nonblocking) how.flags |= O_NONBLOCK; /* a FIFO opens at once */
  int fd = (int)syscall(SYS_openat2, op->fd, op->path, &how, sizeof how);
  if (fd >= 0 && nonblocking && (op->flags & O_NONBLOCK) == 0) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  }
  return fd;
}

static int64_t read_whole(struct nikaia_io_op* op, uint32_t* flags) {
  struct stat status;
  int fd = open_file(op);
  if (fd < 0) return -errno;
  op->out_fd = -1;
  op->out_size = 0;
  if (fstat(fd, &status) != 0 || S_ISDIR(status.st_mode)) {
    int error = S_ISDIR(status.st_mode) ? EISDIR : errno;
    close(fd);
    return -error;
  }
  if (!S_ISREG(status.st_mode)) { /* reading a FIFO or a terminal could wait: the host does that */
    *flags = NIKAIA_IO_MORE | NIKAIA_IO_STREAM;
    op->out_fd = fd;
    return 0;
  }
  int64_t filled = 0;
  int at_end = 0;
  while ((uint64_t)filled < op->length) {
    ssize_t got = pread(fd, (char*)op->buffer + filled, op->length - (uint64_t)filled, filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      int error = errno;
      close(fd);
      return -error;
    }
    at_end = got == 0;
    if (at_end) break;
    filled += got;
  }
  if (at_end) {
    close(fd);
  } else {
    *flags = NIKAIA_IO_MORE;
    op->out_fd = fd;
    op->out_size = (uint64_t)status.st_size;
  }
  return filled;
}

static int64_t perform(struct nikaia_io_op* op, uint32_t* flags) {
  switch (op->kind) {
    case NIKAIA_IO_NOP: return 0;
    case NIKAIA_IO_OPEN: return result_of(open_file(op));
    case NIKAIA_IO_CLOSE: return result_of(close(op->fd));
    case NIKAIA_IO_READ:
      return result_of(op->offset < 0 ? read(op->fd, op->buffer, op->length)
                                      : pread(op->fd, op->buffer, op->length, op->offset));
    case NIKAIA_IO_WRITE:
      return result_of(op->offset < 0 ? write(op->fd, op->buffer, op->length)
                                      : pwrite(op->fd, op->buffer, op->length, op->offset));
    case NIKAIA_IO_SYNC:
      return result_of((op->flags & NIKAIA_IO_SYNC_DATA) != 0 ? fdatasync(op->fd) : fsync(op->fd));
    case NIKAIA_IO_STAT:
      return result_of(statx(op->fd, op->path, (int)op->flags, op->mode, (struct statx*)op->buffer));
    case NIKAIA_IO_READ_WHOLE: return read_whole(op, flags);
    case NIKAIA_IO_RENAME:
      return result_of(renameat2(op->fd, op->path, op->fd2, op->path2, op->flags));
    case NIKAIA_IO_UNLINK: return result_of(unlinkat(op->fd, op->path, (int)op->flags));
    case NIKAIA_IO_MKDIR: return result_of(mkdirat(op->fd, op->path, op->mode));
    case NIKAIA_IO_SYMLINK: return result_of(symlinkat(op->path2, op->fd, op->path));
    case NIKAIA_IO_LINK:
      return result_of(linkat(op->fd, op->path, op->fd2, op->path2, (int)op->flags));
    case NIKAIA_IO_READLINK:
      return result_of(readlinkat(op->fd, op->path, (char*)op->buffer, op->length));
    case NIKAIA_IO_READDIR:
      return result_of(getdents64(op->fd, op->buffer, op->length));
    case NIKAIA_IO_TRUNCATE: return result_of(ftruncate(op->fd, op->offset));
    case NIKAIA_IO_COPY:
      return result_of(copy_file_range(op->fd, NULL, op->fd2, NULL, op->length, 0));
    default: return -ENOSYS;
  }
}

static short awaited_events(const struct nikaia_io_op* op) {
  switch (op->kind) {
    case NIKAIA_IO_READABLE:
    case NIKAIA_IO_READ: return POLLIN;
    case NIKAIA_IO_WRITABLE:
    case NIKAIA_IO_WRITE: return POLLOUT;
    default: return 0;
  }
}

/* `events` are those poll(2) found. A file is always ready; a pipe may have nothing yet, and reading
 * it would hold up everything else. */
static void look_at(struct entry* entry, short events) {
  const struct nikaia_io_op* op = entry->op;
  if (events == 0) return;
  entry->is_done = 1;
  if ((events & POLLNVAL) != 0) {
    entry->result = -EBADF;
  } else if (op->kind == NIKAIA_IO_READABLE || op->kind == NIKAIA_IO_WRITABLE) {
    entry->result = events;
  } else {
    entry->result = perform(entry->op, &entry->flags);
  }
}

static void begin(struct entry* entry) {
  struct pollfd polled = {.fd = entry->op->fd, .events = awaited_events(entry->op)};
  if (polled.events == 0) {
    entry->result = perform(entry->op, &entry->flags);
    entry->is_done = 1;
  } else if (polled.fd < 0) {
    look_at(entry, POLLNVAL); /* poll(2) passes over it */
  } else if (poll(&polled, 1, 0) > 0) {
    look_at(entry, polled.revents);
  }
}

static int probe_backend(const struct nikaia_io_config* config, char* reason, size_t reason_size) {
  (void)config;
  (void)reason;
  (void)reason_size;
  return 0;
}

static int open_backend(const struct nikaia_io_config* config, const struct nikaia_io_host* host,
                        struct nikaia_io_instance** instance) {
  (void)config;
  struct nikaia_io_instance* made = calloc(1, sizeof *made);
  *instance = NULL;
  if (made == NULL) return -ENOMEM;
  made->host = host;
  made->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (made->wake_fd < 0) {
    int error = errno;
    free(made);
    return -error;
  }
  *instance = made;
  return 0;
}

static int submit(struct nikaia_io_instance* instance, struct nikaia_io_op* const* ops,
                  uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (instance->count == instance->capacity) {
      size_t capacity = instance->capacity == 0 ? 64 : instance->capacity * 2;
      struct entry* grown = realloc(instance->entries, capacity * sizeof *grown);
      if (grown == NULL) return i == 0 && instance->count == 0 ? -ENOMEM : (int)i;
      instance->entries = grown;
      instance->capacity = capacity;
    }
    struct entry* entry = &instance->entries[instance->count++];
    memset(entry, 0, sizeof *entry);
    entry->op = ops[i];
    begin(entry);
  }
  return (int)count;
}

static uint32_t reap(struct nikaia_io_instance* instance, struct nikaia_io_completion* completions,
                     uint32_t capacity) {
  uint32_t given = 0;
  size_t kept = 0;
  for (size_t i = 0; i < instance->count; ++i) {
    struct entry* entry = &instance->entries[i];
    if (!entry->is_done || given == capacity) {
      instance->entries[kept++] = *entry;
      continue;
    }
    completions[given].user_data = entry->op->user_data;
    completions[given].result = entry->result;
    completions[given].flags = entry->flags;
    completions[given].unused = 0;
    ++given;
  }
  instance->count = kept;
  return given;
}

static int any_done(const struct nikaia_io_instance* instance) {
  for (size_t i = 0; i < instance->count; ++i) {
    if (instance->entries[i].is_done) return 1;
  }
  return 0;
}

static int wait_for(struct nikaia_io_instance* instance, int64_t deadline_ns) {
  size_t size = instance->count + 1;
  struct pollfd* polled = calloc(size, sizeof *polled);
  if (polled == NULL) return -ENOMEM;
  polled[0].fd = instance->wake_fd;
  polled[0].events = POLLIN;
  for (size_t i = 0; i < instance->count; ++i) {
    const struct entry* entry = &instance->entries[i];
    polled[i + 1].fd = entry->is_done ? -1 : entry->op->fd;
    polled[i + 1].events = awaited_events(entry->op);
  }
  int64_t left = deadline_ns - instance->host->now_ns(instance->host->context);
  if (left < 0 || any_done(instance)) left = 0;
  int64_t milliseconds = deadline_ns == INT64_MAX && left > 0 ? -1 : (left + 999999) / 1000000;
  if (milliseconds > 1000000000) milliseconds = 1000000000;
  int ready = poll(polled, size, (int)milliseconds);
  for (size_t i = 0; ready > 0 && i < instance->count; ++i) {
    if (!instance->entries[i].is_done) look_at(&instance->entries[i], polled[i + 1].revents);
  }
  if (ready > 0 && polled[0].revents != 0) {
    uint64_t value;
    ssize_t ignored = read(instance->wake_fd, &value, sizeof value);
    (void)ignored;
  }
  free(polled);
  return any_done(instance);
}

static void wake(struct nikaia_io_instance* instance) {
  uint64_t one = 1;
  ssize_t ignored = write(instance->wake_fd, &one, sizeof one);
  (void)ignored;
}

static int cancel(struct nikaia_io_instance* instance, struct nikaia_io_op* op) {
  for (size_t i = 0; i < instance->count; ++i) {
    struct entry* entry = &instance->entries[i];
    if (entry->op != op || entry->is_done) continue;
    entry->is_done = 1;
    entry->result = -ECANCELED;
    return 0;
  }
  return -EALREADY;
}

static uint32_t pending(struct nikaia_io_instance* instance) { return (uint32_t)instance->count; }

static void close_backend(struct nikaia_io_instance* instance) {
  for (size_t i = 0; i < instance->count; ++i) {
    const struct entry* entry = &instance->entries[i];
    if (!entry->is_done) continue;
    if (entry->op->kind == NIKAIA_IO_OPEN && entry->result >= 0) close((int)entry->result);
    if ((entry->flags & NIKAIA_IO_MORE) != 0) close(entry->op->out_fd);
  }
  close(instance->wake_fd);
  free(instance->entries);
  free(instance);
}

static const struct nikaia_io_backend backend = {
    .magic = NIKAIA_IO_MAGIC,
    .abi_version = NIKAIA_IO_ABI_VERSION,
    .struct_size = sizeof(struct nikaia_io_backend),
    .name = "@NAME@",
    .version = "0.1.0",
    .capabilities = NIKAIA_IO_CAP_READINESS | NIKAIA_IO_CAP_WAKEABLE,
    .probe = probe_backend,
    .open = open_backend,
    .submit = submit,
    .reap = reap,
    .wait = wait_for,
    .wake = wake,
    .cancel = cancel,
    .pending = pending,
    .close = close_backend,
};

const struct nikaia_io_backend* const nikaia_io_backend_v1 = &backend;
)";

constexpr std::array<Template, 3> backend = {{
    {"CMakeLists.txt", R"(# Builds nikaia-io-@NAME@.so against an installed Nikaia and nothing else:
#
#     cmake -B build -DCMAKE_PREFIX_PATH=PREFIX && cmake --build build && ctest --test-dir build
cmake_minimum_required(VERSION 3.25)
project(nikaia-io-@NAME@ LANGUAGES C)

find_package(Nikaia REQUIRED)
nikaia_add_backend(@NAME@ backend.c)

include(CTest)
if(BUILD_TESTING)
  # The backend is found and understood, and does what <nikaia/backend.h> asks.
  add_test(NAME found COMMAND nikaia::nikaia backends)
  set_tests_properties(found PROPERTIES
    ENVIRONMENT "NIKAIA_BACKEND_PATH=${CMAKE_CURRENT_BINARY_DIR};NIKAIA_BACKEND_TRUST=1"
    PASS_REGULAR_EXPRESSION "@NAME@ ")
  add_test(NAME conforms
    COMMAND nikaia::nikaia backends check $<TARGET_FILE:nikaia-io-@NAME@>)
  set_tests_properties(conforms PROPERTIES ENVIRONMENT "NIKAIA_BACKEND_TRUST=1" TIMEOUT 600)
endif()
)"},
    {"backend.c", backend_source},
    {".gitignore", "build/\n"},
}};

}  // namespace

std::span<const Template> templates_of(Creation creation) {
  switch (creation) {
    case Creation::project: return project;
    case Creation::pass: return pass;
    case Creation::backend: return backend;
  }
  return {};
}

}  // namespace nikaia::driver
