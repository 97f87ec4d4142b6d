/* The ABI between the Nikaia runtime and an I/O backend.
 *
 * A backend is a shared object `nikaia-io-NAME.so` that exports one symbol, `nikaia_io_backend_v1`,
 * of type `const struct nikaia_io_backend *`. The runtime finds it, checks magic, ABI version and
 * structure size, asks `probe`, and opens one instance for each thread that runs tasks. From then
 * on it hands over operations
 * (`submit`), collects what became of them (`reap`), and sleeps in `wait` when it has nothing else
 * to do.
 *
 * The surface is plain C: no exception crosses it, nothing on one side is freed by the other, and
 * no thread-local state is assumed. A backend may be written in any language that can export a C
 * structure. It sees the host table and no other symbol of the program.
 *
 * Words
 *   host      the runtime of the running program, or a test that plays its part
 *   instance  what `open` returns; it belongs to the thread that opened it (the owner)
 *   errno     every error is the negative of a number from <errno.h>, in every call and every
 * result clock     nanoseconds of CLOCK_MONOTONIC, as `nikaia_io_host.now_ns` gives them
 *
 * Threads
 *   Every call on an instance is made by its owner, with one exception: `wake` may be called by any
 * thread at any time between `open` and `close`. Calls on different instances may run at the same
 * time. A backend may have threads of its own; they run nothing of the program, because no
 * operation carries a function.
 *
 * How it grows
 *   Later versions append: fields to the structures that have a `struct_size`, kinds, flags,
 * capability bits. Nothing is removed or changes its meaning. `struct_size` says which fields are
 * there: who reads a structure reads no further than the size its writer stated. An operation has
 * no size of its own; the version in the configuration that `open` was given states its layout.
 * `nikaia_io_completion` never grows. Everything below was added in version 1 unless its comment
 * says another.
 */
#ifndef NIKAIA_BACKEND_H
#define NIKAIA_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version this header describes. A host understands every version up to its own, from 1 on. A
 * backend states the version it was compiled against; a host that is older refuses it, naming both.
 */
#define NIKAIA_IO_ABI_VERSION 1u

/* The bytes N I K A I A I O, read as a little-endian number. */
#define NIKAIA_IO_MAGIC UINT64_C(0x4f494149414b494e)

/* The name of the exported symbol, for who looks it up. */
#define NIKAIA_IO_SYMBOL "nikaia_io_backend_v1"

/* What an instance is made of is the backend's own business. */
struct nikaia_io_instance;

/* --- Operations
 * ------------------------------------------------------------------------------------------------
 *
 * The enumeration is closed: a backend carries out these kinds and no others, and completes an
 * operation whose kind it does not know with -ENOSYS. Kinds come in three groups.
 *
 *   files      open, close, read_at, write_at, sync, stat, read_whole. They complete: the result
 * says what happened. They are for regular files and directories. A pipe, socket or terminal would
 * hold up whoever reads from it, so the host waits for its readiness and does the transfer itself.
 *   readiness  readable, writable. A registration that occupies no thread, whatever the backend is
 * made of. paths      rename, unlink and the like, one blocking system call each, carried out away
 * from the owner.
 *
 * The comment behind each kind names the fields it reads, and its result when it is not negative.
 * Text is the platform's bytes, ended by a zero. A field a kind does not name is ignored.
 */
enum nikaia_io_kind {
  /* Does nothing. Result: 0. */
  NIKAIA_IO_NOP = 0,

  /* openat2(2) with directory `fd` (or AT_FDCWD), `path`, `flags`, `mode`, `resolve`. Result: the
   * descriptor, which belongs to the host. O_CLOEXEC is the host's to ask for. An open never waits
   * for another process: a FIFO opens for reading at once, and for writing fails with -ENXIO while
   * nobody reads from it. */
  NIKAIA_IO_OPEN = 1,

  /* close(2) of `fd`. Result: 0. The descriptor is gone whatever the result says. No other
   * operation on `fd` may be in flight: cancel it and reap its completion first. */
  NIKAIA_IO_CLOSE = 2,

  /* pread(2): `length` bytes at most from `fd` into `buffer`, from byte `offset` on, or from the
   * file's own position where `offset` is -1. Result: how many; fewer than asked is no error and
   * not the end of the file, 0 is the end (or `length` was 0). The buffer need not be initialised;
   * bytes behind the result are unspecified. */
  NIKAIA_IO_READ = 3,

  /* pwrite(2): `length` bytes at most from `buffer`, at `offset`, or at the file's own position (or
   * its end, with O_APPEND) where `offset` is -1. Result: how many; fewer than asked is no error.
   */
  NIKAIA_IO_WRITE = 4,

  /* fsync(2) of `fd`, or fdatasync(2) with NIKAIA_IO_SYNC_DATA in `flags`. Result: 0. */
  NIKAIA_IO_SYNC = 5,

  /* statx(2) with `fd`, `path`, `flags` (AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW, ...) and the mask in
   * `mode`. `buffer` is a `struct statx`, `length` its size, at least 256. Result: 0. */
  NIKAIA_IO_STAT = 6,

  /* A whole file: open, size, read, close, as one operation. Opens as NIKAIA_IO_OPEN does and reads
   * from the start into `buffer` (`length` bytes; 0 asks only for the size). Result: how many bytes
   * are in the buffer.
   *
   * Without NIKAIA_IO_MORE in the completion's flags the end of the file was seen, the descriptor
   * is closed and `out_fd` is -1. With it the file is not read to its end: `out_fd` is the open
   * descriptor, which belongs to the host from here on, and `out_size` the size the system gave for
   * the file (0 where it gave none, as for files of /proc). The host then goes on with reads at
   * `result` into a larger buffer and a close. This is how a file of unknown size needs no
   * allocation across the boundary: a host that offers a few KiB gets most files in one operation,
   * and the exact size of the others at the price of the open it had to pay anyway.
   *
   * A buffer that the file fills exactly is reported with NIKAIA_IO_MORE or without it, as the
   * backend finds out. A negative result leaves nothing open. A directory is -EISDIR. What is
   * neither a file nor a directory (a FIFO, a terminal, a device) comes to its end inside the
   * operation, or is handed out with NIKAIA_IO_STREAM beside NIKAIA_IO_MORE: what was taken from it
   * is in the buffer, and the host goes on by waiting for readiness and reading at no position.
   */
  NIKAIA_IO_READ_WHOLE = 7,

  /* Waits until a read from `fd` would not block: data, end of stream, or an error to be collected.
   * Result: the poll(2) bits that are set, at least one of POLLIN, POLLHUP, POLLERR. One-shot. Any
   * number of waits on one descriptor may be outstanding, and each completes. A descriptor that can
   * always be read (a regular file) completes at once with POLLIN; one that is not open, with
   * -EBADF. */
  NIKAIA_IO_READABLE = 8,

  /* The same for a write, with POLLOUT. */
  NIKAIA_IO_WRITABLE = 9,

  /* renameat2(2): `fd` and `path` become `fd2` and `path2`, with `flags` (RENAME_NOREPLACE, ...).
     Result: 0. */
  NIKAIA_IO_RENAME = 10,

  /* unlinkat(2) with `fd`, `path`, `flags` (AT_REMOVEDIR for a directory). Result: 0. */
  NIKAIA_IO_UNLINK = 11,

  /* mkdirat(2) with `fd`, `path`, `mode`. Result: 0. */
  NIKAIA_IO_MKDIR = 12,

  /* symlinkat(2): a link `path` in directory `fd` that says `path2`. Result: 0. */
  NIKAIA_IO_SYMLINK = 13,

  /* linkat(2): `fd` and `path` get a second name, `fd2` and `path2`, with `flags`. Result: 0. */
  NIKAIA_IO_LINK = 14,

  /* readlinkat(2) with `fd`, `path`, into `buffer`. Result: how many bytes; no zero is written
   * behind them, and a result equal to `length` may have been cut off. */
  NIKAIA_IO_READLINK = 15,

  /* getdents64(2): the next entries of the open directory `fd`, as `struct linux_dirent64` records,
   * into `buffer`. Result: bytes of whole records; 0 when there are no more. -EINVAL: the buffer is
   * too small for one. */
  NIKAIA_IO_READDIR = 16,

  /* ftruncate(2) of `fd` to `offset` bytes. Result: 0. */
  NIKAIA_IO_TRUNCATE = 17,

  /* copy_file_range(2): `length` bytes at most from `fd` to `fd2`, each at its own position.
   * Result: how many; 0 is the end. -EXDEV, -EOPNOTSUPP, -EINVAL: these two files have to be copied
   * by reads and writes. */
  NIKAIA_IO_COPY = 18,

  /* Behind the last kind of this version. Not a kind. */
  NIKAIA_IO_KIND_END = 19
};

/* `flags` of NIKAIA_IO_SYNC: only what is needed to read the data back. */
#define NIKAIA_IO_SYNC_DATA 1u

/* One operation. The host owns the structure, its paths and its buffer. From the `submit` that
 * accepts it until `reap` has handed out its completion (or `close` has returned) the host keeps
 * all of it in place, unchanged, and the buffer alive, cancelled or not. The backend writes to the
 * buffer, to the `out_` fields and to `backend` only in that time, and holds no pointer to any of
 * it afterwards. */
struct nikaia_io_op {
  uint32_t kind;      /* enum nikaia_io_kind */
  int32_t fd;         /* the descriptor, or the directory that `path` starts from */
  uint64_t user_data; /* given back in the completion; the backend does not look at it */
  void* buffer;       /* read into, or written from */
  uint64_t length;    /* bytes at `buffer` */
  int64_t offset;     /* byte position in the file, -1: the file's own */
  const char* path;
  const char* path2;
  int32_t fd2;
  uint32_t flags;   /* flags of the system call the kind names; unknown ones fail as they do there */
  uint32_t mode;    /* permissions, or the mask of NIKAIA_IO_STAT */
  uint32_t unused;  /* 0 */
  uint64_t resolve; /* RESOLVE_ bits of openat2(2) */

  /* Written by the backend, valid with the completion of the kinds that say so. */
  int32_t out_fd;
  uint32_t out_unused;
  uint64_t out_size;

  /* The backend's, while the operation is in flight, so that it needs no table of its own. The host
   * neither sets nor reads it. */
  uint64_t backend[8];
};

/* What became of one operation. Every accepted operation has exactly one, in any order. The
 * structure never grows. */
struct nikaia_io_completion {
  uint64_t user_data; /* the operation's */
  int64_t result;     /* a count, a descriptor or 0 as the kind says, or a negative errno */
  uint32_t flags;     /* NIKAIA_IO_MORE, NIKAIA_IO_STREAM */
  uint32_t unused;    /* 0 */
};

/* See NIKAIA_IO_READ_WHOLE. */
#define NIKAIA_IO_MORE 1u
#define NIKAIA_IO_STREAM 2u

/* --- What the host gives
 * ------------------------------------------------------------------------------------- */

enum nikaia_io_log_level {
  NIKAIA_IO_LOG_ERROR = 0,
  NIKAIA_IO_LOG_WARN = 1,
  NIKAIA_IO_LOG_INFO = 2,
  NIKAIA_IO_LOG_DEBUG = 3
};

/* The host table lives until the last `close` has returned. Neither function runs user code,
 * allocates from or frees into the backend, or calls back into it. Both may be called by any thread
 * of the backend, also at the same time. */
struct nikaia_io_host {
  uint32_t struct_size;
  uint32_t unused;
  void* context; /* handed to both functions */

  /* One line for the operator, without a line end. It is copied before the call returns. Not for
   * what an operation's result says already. */
  void (*log)(void* context, enum nikaia_io_log_level level, const char* line);

  /* Nanoseconds of CLOCK_MONOTONIC, the clock of every deadline. */
  int64_t (*now_ns)(void* context);
};

/* The configuration of one instance, read during the call only. */
struct nikaia_io_config {
  uint32_t struct_size;
  uint32_t host_abi_version; /* the version whose operations and flags the host may use */

  /* Threads for files in the whole process, 1 to 256: all instances together use no more. A backend
   * whose mechanism needs no thread keeps to it for the kinds its mechanism has no answer to. */
  uint32_t io_workers;

  /* About how many operations the host expects in flight at once in this instance; 0: the backend's
   * own idea. More than that must still work. */
  uint32_t expected_in_flight;
};

/* --- The backend
 * --------------------------------------------------------------------------------------------- */

/* Capability bits. They inform: what is said of an operation or a call above and below holds with
 * and without them. */
#define NIKAIA_IO_CAP_COMPLETES_FILES (UINT64_C(1) << 0)    /* reads and writes of files occupy no thread */
#define NIKAIA_IO_CAP_READINESS (UINT64_C(1) << 1)          /* serves readable and writable */
#define NIKAIA_IO_CAP_BATCHING (UINT64_C(1) << 2)           /* operations submitted together cost one system call */
#define NIKAIA_IO_CAP_LINKED (UINT64_C(1) << 3)             /* read_whole is a chain without a stop at the owner */
#define NIKAIA_IO_CAP_REGISTERED_BUFFERS (UINT64_C(1) << 4) /* kept free: no call of version 1 registers any */
#define NIKAIA_IO_CAP_CANCELLATION                                                            \
  (UINT64_C(1) << 5)                              /* can stop a file operation that has begun \
                                                   */
#define NIKAIA_IO_CAP_WAKEABLE (UINT64_C(1) << 6) /* `wake` ends a `wait` */

struct nikaia_io_backend {
  uint64_t magic;       /* NIKAIA_IO_MAGIC */
  uint32_t abi_version; /* NIKAIA_IO_ABI_VERSION */
  uint32_t struct_size; /* sizeof(struct nikaia_io_backend) */

  const char* name;    /* NAME of the file name: lower-case letters, digits and dashes */
  const char* version; /* of the backend, for people: "0.1.0 (liburing 2.3)" */
  uint64_t capabilities;

  /* Can this backend serve on this machine, now? Cheap, without side effects that outlive the call,
   * and callable any number of times, by any thread, with and without instances open. `config` is
   * what `open` would be given. Returns 0: yes. Negative errno: no, and `reason` (`reason_size`
   * bytes, at least 256) holds one line of text ended by a zero that says why, for the operator who
   * has to change something. */
  int (*probe)(const struct nikaia_io_config* config, char* reason, size_t reason_size);

  /* Makes an instance; the calling thread is its owner. Everything an operation needs (rings,
   * threads) is up when it returns: no operation pays for a start. Only a thread for kinds that the
   * backend's mechanism has no answer to may wait for the first of them. `host` is kept and must
   * outlive the instance; `config` is not. Returns 0 and sets `*instance`. Negative errno: nothing
   * was made, `*instance` is null; the log says why where the number does not. */
  int (*open)(const struct nikaia_io_config* config, const struct nikaia_io_host* host,
              struct nikaia_io_instance** instance);

  /* Takes over operations, in order. Returns how many of the `count` it accepted: the first so
   * many; the others are untouched, and the host submits them again after it has reaped. 0 of more
   * than 0 means: full, reap first, and never happens while nothing is in flight. Negative errno:
   * the instance is broken (see `wait`), nothing was accepted.
   *
   * What is wrong with an operation (its kind, its descriptor, its path) is said in its completion,
   * not here. Never blocks. An operation that is done without waiting (a read of cached data) may
   * complete inside the call, and then can be reaped at once. A backend that can batch begins what
   * it accepted at the next `wait`, so that everything submitted in between costs one system call;
   * therefore a host calls `wait`, with a deadline that has passed if it must not sleep, before it
   * turns to long work. */
  int (*submit)(struct nikaia_io_instance* instance, struct nikaia_io_op* const* ops, uint32_t count);

  /* Writes at most `capacity` completions and returns how many. Never blocks, and makes no system
   * call when there are none it knows of: what the kernel has finished becomes known in `wait`, at
   * the latest. After it has been handed out an operation belongs to the host again. Cannot fail.
   */
  uint32_t (*reap)(struct nikaia_io_instance* instance, struct nikaia_io_completion* completions, uint32_t capacity);

  /* Begins what was submitted, then blocks until there is a completion to reap, or `wake` was
   * called, or the clock has reached `deadline_ns`. Returns at once where one of these holds
   * already; INT64_MAX never comes, and 0 or any time that has passed asks not to block. It may
   * wake up to 1 ms after the deadline, never before it, and may return early for no reason. A wake
   * is used up by the `wait` that it ends.
   *
   * Returns 1: there is something to reap. 0: there is not. Negative errno: the mechanism is lost;
   * operations in flight may never complete, and the host can only `close`. A signal does not end
   * the wait (-EINTR is never returned). */
  int (*wait)(struct nikaia_io_instance* instance, int64_t deadline_ns);

  /* Makes the current `wait`, or else the next one, return. Any thread, also the owner; safe in a
   * signal handler. Wakes that come before a `wait` count as one. Cheap when the owner is not
   * asleep. Everything the caller wrote before `wake` is visible to the owner after that `wait`.
   * Cannot fail. */
  void (*wake)(struct nikaia_io_instance* instance);

  /* Asks for an early end of `op`, which was accepted and not reaped yet. Never blocks. The
   * operation still has exactly one completion: -ECANCELED where it was stopped, or its ordinary
   * result where it was too late, and then what it did is done (a descriptor it opened is in the
   * result and belongs to the host). A wait for readiness is always stopped, unless its completion
   * is there already. An operation inside a system call that cannot be interrupted ends when that
   * call does; its buffer is in use until then. Returns 0, or -EALREADY where the completion is
   * there, or was asked for before. */
  int (*cancel)(struct nikaia_io_instance* instance, struct nikaia_io_op* op);

  /* How many operations were accepted and are not reaped yet. */
  uint32_t (*pending)(struct nikaia_io_instance* instance);

  /* Ends the instance. Operations in flight are cancelled as by `cancel`, and the call blocks until
   * neither the kernel nor a thread of the backend holds any of their memory; their completions are
   * not handed out, and a descriptor that one of them opened is closed. No other call on the
   * instance may be running or follow, `wake` included. */
  void (*close)(struct nikaia_io_instance* instance);
};

/* What a backend's file exports. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
extern const struct nikaia_io_backend* const nikaia_io_backend_v1;

#ifdef __cplusplus
}
#endif

#endif
