/* One system call a kind, begun again where a signal ended it. An open adds O_NONBLOCK, so that a
 * FIFO holds nobody up, and takes it away again. What of a whole file is no regular file is handed
 * to the host, unread. */
#define _GNU_SOURCE
#include "calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int64_t checked(int64_t result) {
  return result < 0 ? -errno : result;
}

static int64_t open_file(const struct nikaia_io_op* op) {
  struct open_how how;
  memset(&how, 0, sizeof how);
  how.flags = op->flags;
  if ((op->flags & (O_CREAT | __O_TMPFILE)) != 0) how.mode = op->mode & 07777;
  how.resolve = op->resolve;
  const int may_wait = (op->flags & (O_PATH | O_DIRECTORY | O_NONBLOCK)) == 0;
  if (may_wait) how.flags |= O_NONBLOCK;
  const int64_t fd = checked(syscall(SYS_openat2, op->fd, op->path, &how, sizeof how));
  if (fd >= 0 && may_wait) fcntl((int)fd, F_SETFL, fcntl((int)fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

static int64_t end_whole(struct nikaia_io_op* op, int fd, int64_t result) {
  close(fd);
  op->out_fd = -1;
  return result;
}

static int64_t read_whole(struct nikaia_io_op* op, uint32_t* flags) {
  op->out_fd = -1;
  op->out_size = 0;
  const int64_t opened = open_file(op);
  if (opened < 0) return opened;
  const int fd = (int)opened;
  struct stat about;
  if (fstat(fd, &about) != 0) return end_whole(op, fd, -errno);
  if (S_ISDIR(about.st_mode)) return end_whole(op, fd, -EISDIR);
  uint64_t filled = 0;
  if (S_ISREG(about.st_mode)) {
    op->out_size = (uint64_t)about.st_size;
    while (filled < op->length) {
      const ssize_t count = pread(fd, (char*)op->buffer + filled, op->length - filled, (off_t)filled);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return end_whole(op, fd, count < 0 ? -errno : (int64_t)filled);
      filled += (uint64_t)count;
    }
  }
  *flags = S_ISREG(about.st_mode) ? NIKAIA_IO_MORE : NIKAIA_IO_MORE | NIKAIA_IO_STREAM;
  op->out_fd = fd;
  return (int64_t)filled;
}

static int64_t once(struct nikaia_io_op* op, uint32_t* flags) {
  const size_t length = op->length;
  switch (op->kind) {
    case NIKAIA_IO_NOP: return 0;
    case NIKAIA_IO_OPEN: return open_file(op);
    case NIKAIA_IO_CLOSE: return checked(close(op->fd));
    case NIKAIA_IO_READ:
      return checked(op->offset < 0 ? read(op->fd, op->buffer, length) : pread(op->fd, op->buffer, length, op->offset));
    case NIKAIA_IO_WRITE:
      return checked(op->offset < 0 ? write(op->fd, op->buffer, length)
                                    : pwrite(op->fd, op->buffer, length, op->offset));
    case NIKAIA_IO_SYNC: return checked((op->flags & NIKAIA_IO_SYNC_DATA) != 0 ? fdatasync(op->fd) : fsync(op->fd));
    case NIKAIA_IO_STAT: return checked(statx(op->fd, op->path, (int)op->flags, op->mode, (struct statx*)op->buffer));
    case NIKAIA_IO_READ_WHOLE: return read_whole(op, flags);
    case NIKAIA_IO_RENAME: return checked(renameat2(op->fd, op->path, op->fd2, op->path2, op->flags));
    case NIKAIA_IO_UNLINK: return checked(unlinkat(op->fd, op->path, (int)op->flags));
    case NIKAIA_IO_MKDIR: return checked(mkdirat(op->fd, op->path, op->mode));
    case NIKAIA_IO_SYMLINK: return checked(symlinkat(op->path2, op->fd, op->path));
    case NIKAIA_IO_LINK: return checked(linkat(op->fd, op->path, op->fd2, op->path2, (int)op->flags));
    case NIKAIA_IO_READLINK: return checked(readlinkat(op->fd, op->path, (char*)op->buffer, length));
    case NIKAIA_IO_READDIR: return checked(getdents64(op->fd, op->buffer, length));
    case NIKAIA_IO_TRUNCATE: return checked(ftruncate(op->fd, op->offset));
    case NIKAIA_IO_COPY: return checked(copy_file_range(op->fd, NULL, op->fd2, NULL, length, 0));
    default: return -ENOSYS;
  }
}

int64_t perform(struct nikaia_io_op* op, uint32_t* flags) {
  *flags = 0;
  int64_t result = once(op, flags);
  /* A close is never repeated: the descriptor is gone, and its number may be another file's. */
  while (result == -EINTR && op->kind != NIKAIA_IO_CLOSE) result = once(op, flags);
  return result == -EINTR ? 0 : result;
}

void discard(const struct nikaia_io_op* op, int64_t result, uint32_t flags) {
  if (op->kind == NIKAIA_IO_OPEN && result >= 0) close((int)result);
  if ((flags & NIKAIA_IO_MORE) != 0) close(op->out_fd);
}
