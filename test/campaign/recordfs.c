/*
 * A directory whose changes are recorded (FUSE): every operation is passed to another directory, and appended to
 * a log in the order in which it took effect. A test rebuilds from the log what a power cut at any moment could
 * have left on the disk (crash-state.ts).
 *
 * An entry of the log is a line, for a write followed by its data:
 *   create INODE PATH     mkdir PATH       unlink PATH          rmdir PATH
 *   rename FROM\tTO       truncate INODE SIZE                   write INODE OFFSET LENGTH
 *   sync INODE            (of a file or a directory)
 * Hard links, symbolic links and devices are not supported: the gateway makes none in its data directory.
 *
 *   gcc recordfs.c $(pkg-config --cflags --libs fuse3) && ./a.out -f -s DIRECTORY LOG MOUNTPOINT
 */
#define _GNU_SOURCE
#define FUSE_USE_VERSION 31
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char *directory;
static int log_fd;

/* The path in the recorded directory; valid until the next call but one (-s: a single thread). */
static const char *real(const char *path) {
  static char buffers[2][4096];
  static int next;
  char *buffer = buffers[next ^= 1];
  snprintf(buffer, sizeof *buffers, "%s%s", directory, path);
  return buffer;
}

/* A log with a missing entry would prove nothing. */
static void must_write(const void *bytes, size_t size) {
  if (write(log_fd, bytes, size) != (ssize_t)size) {
    perror("recordfs: the log");
    abort();
  }
}

__attribute__((format(printf, 1, 2))) static void record(const char *format, ...) {
  char line[8400];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  must_write(line, (size_t)length);
}

static int result(int returned) { return returned < 0 ? -errno : 0; }

static unsigned long long inode_of(int fd) {
  struct stat attributes;
  return fstat(fd, &attributes) < 0 ? 0 : attributes.st_ino;
}

/* ---- reading ---- */

static void *on_init(struct fuse_conn_info *connection, struct fuse_config *config) {
  (void)connection;
  /* Clients see the real inodes, and no attribute that a rename has made old. */
  config->use_ino = 1;
  config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
  /* A file that is deleted while it is open stays readable through its handle, without a hidden name. */
  config->hard_remove = 1;
  config->nullpath_ok = 1;
  return NULL;
}

static int on_getattr(const char *path, struct stat *attributes, struct fuse_file_info *file) {
  return result(file ? fstat((int)file->fh, attributes) : lstat(real(path), attributes));
}

static int on_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *file,
                      enum fuse_readdir_flags flags) {
  (void)offset, (void)flags, (void)path;
  int copy = openat((int)file->fh, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = copy < 0 ? NULL : fdopendir(copy);
  if (!entries) return -errno;
  for (struct dirent *entry; (entry = readdir(entries));) fill(buffer, entry->d_name, NULL, 0, 0);
  closedir(entries);
  return 0;
}

static int on_open(const char *path, struct fuse_file_info *file) {
  int fd = open(real(path), (file->flags & ~(O_APPEND | O_TRUNC)) | O_CLOEXEC);
  if (fd < 0) return -errno;
  file->fh = (uint64_t)fd;
  return 0;
}

static int on_opendir(const char *path, struct fuse_file_info *file) {
  int fd = open(real(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return -errno;
  file->fh = (uint64_t)fd;
  return 0;
}

static int on_release(const char *path, struct fuse_file_info *file) {
  (void)path;
  close((int)file->fh);
  return 0;
}

static int on_read(const char *path, char *buffer, size_t size, off_t offset, struct fuse_file_info *file) {
  (void)path;
  ssize_t got = pread((int)file->fh, buffer, size, offset);
  return got < 0 ? -errno : (int)got;
}

static int on_statfs(const char *path, struct statvfs *attributes) { return result(statvfs(real(path), attributes)); }

static int on_access(const char *path, int mask) { return result(access(real(path), mask)); }

static int on_flock(const char *path, struct fuse_file_info *file, int operation) {
  (void)path;
  return result(flock((int)file->fh, operation | LOCK_NB));
}

/* ---- changes, each recorded after it has succeeded ---- */

static int on_create(const char *path, mode_t mode, struct fuse_file_info *file) {
  int fd = open(real(path), (file->flags & ~O_APPEND) | O_CREAT | O_CLOEXEC, mode);
  if (fd < 0) return -errno;
  file->fh = (uint64_t)fd;
  record("create %llu %s\n", inode_of(fd), path);
  return 0;
}

static int on_write(const char *path, const char *bytes, size_t size, off_t offset, struct fuse_file_info *file) {
  (void)path;
  ssize_t written = pwrite((int)file->fh, bytes, size, offset);
  if (written < 0) return -errno;
  record("write %llu %lld %zd\n", inode_of((int)file->fh), (long long)offset, written);
  must_write(bytes, (size_t)written);
  return (int)written;
}

static int on_truncate(const char *path, off_t size, struct fuse_file_info *file) {
  int fd = file ? (int)file->fh : open(real(path), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -errno;
  int failed = result(ftruncate(fd, size));
  if (!failed) record("truncate %llu %lld\n", inode_of(fd), (long long)size);
  if (!file) close(fd);
  return failed;
}

static int on_fsync(const char *path, int data_only, struct fuse_file_info *file) {
  (void)path, (void)data_only;
  record("sync %llu\n", inode_of((int)file->fh));
  return 0;
}

static int on_rename(const char *from, const char *to, unsigned flags) {
  if (flags) return -EINVAL;
  int failed = result(rename(real(from), real(to)));
  if (!failed) record("rename %s\t%s\n", from, to);
  return failed;
}

static int on_unlink(const char *path) {
  int failed = result(unlink(real(path)));
  if (!failed) record("unlink %s\n", path);
  return failed;
}

static int on_mkdir(const char *path, mode_t mode) {
  int failed = result(mkdir(real(path), mode));
  if (!failed) record("mkdir %s\n", path);
  return failed;
}

static int on_rmdir(const char *path) {
  int failed = result(rmdir(real(path)));
  if (!failed) record("rmdir %s\n", path);
  return failed;
}

/* Modes, owners and times are not part of what is compared. */
static int on_chmod(const char *path, mode_t mode, struct fuse_file_info *file) {
  return result(file ? fchmod((int)file->fh, mode) : chmod(real(path), mode));
}

static int on_utimens(const char *path, const struct timespec times[2], struct fuse_file_info *file) {
  return result(file ? futimens((int)file->fh, times) : utimensat(AT_FDCWD, real(path), times, AT_SYMLINK_NOFOLLOW));
}

static const struct fuse_operations operations = {
    .init = on_init,
    .getattr = on_getattr,
    .readdir = on_readdir,
    .open = on_open,
    .opendir = on_opendir,
    .release = on_release,
    .releasedir = on_release,
    .read = on_read,
    .statfs = on_statfs,
    .access = on_access,
    .flock = on_flock,
    .create = on_create,
    .write = on_write,
    .truncate = on_truncate,
    .fsync = on_fsync,
    .fsyncdir = on_fsync,
    .rename = on_rename,
    .unlink = on_unlink,
    .mkdir = on_mkdir,
    .rmdir = on_rmdir,
    .chmod = on_chmod,
    .utimens = on_utimens,
};

int main(int count, char **arguments) {
  if (count < 4) {
    fprintf(stderr, "usage: recordfs -f -s DIRECTORY LOG MOUNTPOINT\n");
    return 2;
  }
  directory = arguments[count - 3];
  log_fd = open(arguments[count - 2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (log_fd < 0) {
    perror(arguments[count - 2]);
    return 1;
  }
  arguments[count - 3] = arguments[count - 1];
  return fuse_main(count - 2, arguments, &operations, NULL);
}
