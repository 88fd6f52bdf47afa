/*
 * stellwerk-script PARENT PATH... -- PROGRAM ARG...: confines itself and becomes PROGRAM, the Node of a
 * script's process.
 *
 * - It is killed with its parent, whose process id is PARENT (PR_SET_PDEATHSIG).
 * - It gets a lower priority for processor time, and it is the first to go if memory runs out.
 * - Landlock (Linux 5.13 or newer): it reads PATH..., PROGRAM, the system's libraries and time zones, and
 *   nothing else.
 * - seccomp: no socket, no signal to another process, no new process or program, no write to a file, no ioctl
 *   on a device.
 *
 * What the kernel does not support is left out and reported on stderr, one line each, beginning with
 * "stellwerk-script: ". Exits with 127 if PROGRAM cannot be executed, and with 0 if the parent has ended
 * meanwhile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "no system call filter for this architecture"
#endif

/* Weight 110 against 1024 of a thread of the gateway. With the lowest one (15), scripts wait for half a minute while
   other programs compute. */
#define NICENESS 10
/* System calls up to Linux 6.11 have been looked at; of a newer one nobody knows what it allows. */
#define LAST_KNOWN_CALL 462
#define X32_CALLS 0x40000000u
/* Linux 6.6; older headers lack it. */
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#define FILTER_MAX 512

extern char **environ;

static void missing(const char *what, int error) {
  dprintf(STDERR_FILENO, "stellwerk-script: %s: %s\n", what, strerror(error));
}

/* Read by the dynamic loader, by Node at its start, and for time zones. */
static const char *const readable[] = {
    "/usr",       "/lib",        "/lib64",     "/nix/store", "/gnu/store",    "/etc/ld.so.cache",        "/etc/localtime",
    "/etc/timezone", "/proc/self", "/proc/meminfo", "/sys/fs/cgroup", "/sys/devices/system/cpu", "/dev/null", "/dev/urandom"};

#define READ_FILE (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE)
#define READ_ALL (READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
/* The rights of Landlock's first version: every kernel that has Landlock knows them. */
#define HANDLED ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)

/* A path that does not exist needs no rule. */
static int allow_reading(int ruleset, const char *path) {
  struct stat facts;
  int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return 0;
  struct landlock_path_beneath_attr rule = {.parent_fd = fd, .allowed_access = READ_FILE};
  if (fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode)) rule.allowed_access = READ_ALL;
  long result = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  int error = errno;
  close(fd);
  return result == 0 ? 0 : error;
}

static int restrict_files(char **paths, const char *program) {
  struct landlock_ruleset_attr attr = {.handled_access_fs = HANDLED};
  int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr.handled_access_fs, 0);
  if (ruleset < 0) return errno;
  int error = allow_reading(ruleset, program);
  for (size_t i = 0; error == 0 && i < sizeof readable / sizeof *readable; i++) error = allow_reading(ruleset, readable[i]);
  for (; error == 0 && strcmp(*paths, "--") != 0; paths++) error = allow_reading(ruleset, *paths);
  if (error == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) error = errno;
  close(ruleset);
  return error;
}

struct program {
  struct sock_filter code[FILTER_MAX];
  unsigned short length;
};

static void add(struct program *filter, uint16_t code, uint32_t k, unsigned char if_true, unsigned char if_false) {
  if (filter->length == FILTER_MAX) abort();
  filter->code[filter->length++] = (struct sock_filter)BPF_JUMP(code, k, if_true, if_false);
}

#define LOAD (BPF_LD | BPF_W | BPF_ABS)
#define IF_EQUAL (BPF_JMP | BPF_JEQ | BPF_K)
#define IF_ABOVE (BPF_JMP | BPF_JGT | BPF_K)
#define IF_AT_LEAST (BPF_JMP | BPF_JGE | BPF_K)
#define IF_ANY_BIT (BPF_JMP | BPF_JSET | BPF_K)

static void load(struct program *filter, size_t offset) { add(filter, LOAD, (uint32_t)offset, 0, 0); }
/* The half of an argument that holds an int: both architectures are little endian. */
static void load_argument(struct program *filter, int index, int half) {
  load(filter, offsetof(struct seccomp_data, args) + 8 * (size_t)index + 4 * (size_t)half);
}
static void result(struct program *filter, uint32_t value) { add(filter, BPF_RET | BPF_K, value, 0, 0); }
static void allow(struct program *filter) { result(filter, SECCOMP_RET_ALLOW); }
static void fail(struct program *filter, int error) { result(filter, SECCOMP_RET_ERRNO | (uint32_t)error); }

/* For one call: what follows, up to the matching end_of_call, which is to end with a result. */
static unsigned short call(struct program *filter, int number) {
  add(filter, IF_EQUAL, (uint32_t)number, 0, 0);
  return (unsigned short)(filter->length - 1);
}
static void end_of_call(struct program *filter, unsigned short start) {
  size_t distance = (size_t)(filter->length - start - 1);
  if (distance > 255) abort();
  filter->code[start].jf = (unsigned char)distance;
}

/* Allows the call if the argument is one of the values. */
static void only(struct program *filter, int number, int argument, const uint32_t *values, size_t count) {
  unsigned short start = call(filter, number);
  load_argument(filter, argument, 0);
  for (size_t i = 0; i < count; i++) add(filter, IF_EQUAL, values[i], (unsigned char)(count - i), 0);
  fail(filter, EPERM);
  allow(filter);
  end_of_call(filter, start);
}

/* Rejects the call if the argument is one of the values. */
static void except(struct program *filter, int number, int argument, const uint32_t *values, size_t count) {
  unsigned short start = call(filter, number);
  load_argument(filter, argument, 0);
  for (size_t i = 0; i < count; i++) add(filter, IF_EQUAL, values[i], (unsigned char)(count - i), 0);
  allow(filter);
  fail(filter, EPERM);
  end_of_call(filter, start);
}

/* Allows the call if the argument has any, or with `error` none, of the bits. */
static void if_bits(struct program *filter, int number, int argument, uint32_t bits, int error_if_set) {
  unsigned short start = call(filter, number);
  load_argument(filter, argument, 0);
  add(filter, IF_ANY_BIT, bits, error_if_set ? 0 : 1, error_if_set ? 1 : 0);
  fail(filter, EPERM);
  allow(filter);
  end_of_call(filter, start);
}

/* Calls that no script's process needs. */
static const int rejected[] = {
    /* other machines and processes over sockets and queues */
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendto, SYS_sendmsg,
    SYS_sendmmsg, SYS_recvmsg, SYS_recvmmsg, SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_msgsnd, SYS_msgrcv,
    SYS_msgctl, SYS_semget, SYS_semop, SYS_semtimedop, SYS_semctl, SYS_mq_open, SYS_mq_unlink,
    /* signals to, and the memory, descriptors and priority of, other processes */
    SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_open, SYS_pidfd_send_signal, SYS_pidfd_getfd,
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise, SYS_process_mrelease, SYS_kcmp,
    SYS_setpriority, SYS_ioprio_set, SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam,
    SYS_sched_setattr, SYS_move_pages, SYS_migrate_pages, SYS_setpgid, SYS_setsid, SYS_userfaultfd,
    /* changes of the file system; open is judged by its flags */
    SYS_openat2, SYS_mkdirat, SYS_mknodat, SYS_unlinkat, SYS_symlinkat, SYS_linkat, SYS_renameat2, SYS_truncate,
    SYS_fchmod, SYS_fchmodat, SYS_fchmodat2, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_setxattr, SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, SYS_open_by_handle_at, SYS_name_to_handle_at,
    SYS_inotify_init1, SYS_fanotify_init, SYS_fanotify_mark, SYS_quotactl, SYS_chroot, SYS_memfd_create, SYS_memfd_secret,
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_open_tree,
    SYS_move_mount, SYS_mount_setattr, SYS_setns, SYS_unshare,
    /* programs and the kernel */
    SYS_execveat, SYS_bpf, SYS_perf_event_open, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
    SYS_add_key, SYS_request_key, SYS_keyctl, SYS_personality, SYS_init_module, SYS_finit_module, SYS_delete_module,
    SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct, SYS_syslog, SYS_sethostname, SYS_setdomainname,
    SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex, SYS_vhangup, SYS_lookup_dcookie,
#if defined(__x86_64__)
    SYS_fork, SYS_vfork, SYS_creat, SYS_mkdir, SYS_mknod, SYS_unlink, SYS_rmdir, SYS_symlink, SYS_link, SYS_rename,
    SYS_renameat, SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_inotify_init, SYS_iopl,
    SYS_ioperm, SYS_modify_ldt, SYS_uselib, SYS_kexec_file_load,
#else
    SYS_renameat, SYS_kexec_file_load,
#endif
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/*
 * The one execve that is allowed is the one below: its pointers are checked, and what they point to is gone
 * after it. Addresses are random, so no script can repeat it.
 */
static int filter_calls(const char *path, char *const argv[]) {
  /*
   * isatty, terminal size, bytes to read, non-blocking, close-on-exec: no device is configured or driven by
   * them.
   */
  static const uint32_t ioctls[] = {0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451};
  static const uint32_t owner_of_signals[] = {F_SETOWN, 15 /* F_SETOWN_EX */, 10 /* F_SETSIG */};
  static const uint32_t prctls[] = {PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_PTRACER};
  const uint32_t own[] = {(uint32_t)getpid()}, own_or_self[] = {0, (uint32_t)getpid()};
  static struct program filter;
  const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

  load(&filter, offsetof(struct seccomp_data, arch));
  add(&filter, IF_EQUAL, ARCH, 1, 0);
  result(&filter, SECCOMP_RET_KILL_PROCESS);
  load(&filter, offsetof(struct seccomp_data, nr));
  add(&filter, IF_AT_LEAST, X32_CALLS, 0, 1);
  result(&filter, SECCOMP_RET_KILL_PROCESS);
  /* As on an old kernel: the C library does without. */
  add(&filter, IF_ABOVE, LAST_KNOWN_CALL, 0, 1);
  fail(&filter, ENOSYS);
  for (size_t i = 0; i < COUNT(rejected); i++) {
    add(&filter, IF_EQUAL, (uint32_t)rejected[i], 0, 1);
    fail(&filter, EPERM);
  }
  /* Its flags are in memory; without it, threads are made by clone. */
  unsigned short start = call(&filter, SYS_clone3);
  fail(&filter, ENOSYS);
  end_of_call(&filter, start);
  if_bits(&filter, SYS_clone, 0, CLONE_THREAD, 0);
  if_bits(&filter, SYS_openat, 2, writing, 1);
#if defined(__x86_64__)
  if_bits(&filter, SYS_open, 1, writing, 1);
#endif
  only(&filter, SYS_kill, 0, own, 1);
  only(&filter, SYS_tgkill, 0, own, 1);
  only(&filter, SYS_prlimit64, 0, own_or_self, 2);
  only(&filter, SYS_ioctl, 1, ioctls, COUNT(ioctls));
  except(&filter, SYS_fcntl, 1, owner_of_signals, COUNT(owner_of_signals));
  except(&filter, SYS_prctl, 0, prctls, COUNT(prctls));
  start = call(&filter, SYS_execve);
  const uint64_t pointers[] = {(uint64_t)(uintptr_t)path, (uint64_t)(uintptr_t)argv};
  for (int i = 0; i < 4; i++) {
    load_argument(&filter, i / 2, i % 2);
    add(&filter, IF_EQUAL, (uint32_t)(pointers[i / 2] >> (i % 2 * 32)), 1, 0);
    fail(&filter, EPERM);
  }
  allow(&filter);
  end_of_call(&filter, start);
  allow(&filter);

  struct sock_fprog fprog = {.len = filter.length, .filter = filter.code};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &fprog) == 0 ? 0 : errno;
}

static int go_first_without_memory(void) {
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  int error = write(fd, "1000", 4) == 4 ? 0 : errno;
  close(fd);
  return error;
}

int main(int argc, char **argv) {
  int at = 2, error;
  while (at < argc && strcmp(argv[at], "--") != 0) at++;
  if (at + 1 >= argc) {
    dprintf(STDERR_FILENO, "usage: stellwerk-script PARENT PATH... -- PROGRAM ARG...\n");
    return 2;
  }
  /* Both on the heap, whose addresses are random and end with this program. */
  char *path = strdup(argv[at + 1]);
  char **args = calloc((size_t)(argc - at), sizeof *args);
  if (path == NULL || args == NULL) return 127;
  memcpy(args, argv + at + 1, (size_t)(argc - at - 1) * sizeof *args);

  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != atoi(argv[1])) return 0;
  if (setpriority(PRIO_PROCESS, 0, NICENESS) != 0) missing("no lower priority", errno);
  if ((error = go_first_without_memory())) missing("not the first to go if memory runs out", error);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) missing("no restrictions", errno);
  if ((error = restrict_files(argv + 2, path))) missing("no restriction of files (Landlock)", error);
  if ((error = filter_calls(path, args))) missing("no filter of system calls (seccomp)", error);
  execve(path, args, environ);
  missing(path, errno);
  return 127;
}
