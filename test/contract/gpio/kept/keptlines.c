/*
 * A stand-in for the kernel's output lines, shared by several processes. Preloaded (LD_PRELOAD) into the line
 * keeper and into a gateway, it implements the uAPI v2 calls of linux/gpio.h for chips that are files:
 * `gpiochipN` in the directory KEPT_LINES, each containing its label. A requested line is a file
 * `gpiochipN.OFFSET` next to it, locked with flock(2). Such a lock belongs to the open file, like a request:
 * it lasts, and the line is busy, until the last descriptor in any process is closed. The file contains the
 * state of the line. Every driven value is a line of the file `history`: CLOCK_MONOTONIC in ns, process,
 * chip, offset, level. A chip whose file is removed is gone.
 *
 * Released lines keep their level, as with many controllers. Inputs and edges are not supported.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LINES 32

struct state {
  unsigned long long flags;
  bool level;
};

/* The chip's number and, for a line, its offset; −1 if the descriptor is neither. */
struct what {
  int chip, offset;
};

static struct what what_is(int fd) {
  char link[64], path[PATH_MAX + 1];
  const char *folder = getenv("KEPT_LINES");
  struct what what = {-1, -1};
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, PATH_MAX);
  size_t in = folder ? strlen(folder) : 0;
  if (size < 0 || in == 0) return what;
  path[size] = '\0';
  if (strncmp(path, folder, in) == 0 && sscanf(path + in, "/gpiochip%d.%d", &what.chip, &what.offset) < 1) what.chip = -1;
  return what;
}

static int fail(int error) {
  errno = error;
  return -1;
}

static void path_of(char *into, int chip, int offset) {
  int length = snprintf(into, PATH_MAX, "%s/gpiochip%d", getenv("KEPT_LINES"), chip);
  if (offset >= 0) snprintf(into + length, (size_t)(PATH_MAX - length), ".%d", offset);
}

static void record(struct what what, bool level) {
  char path[PATH_MAX], text[100];
  struct timespec now;
  snprintf(path, sizeof path, "%s/history", getenv("KEPT_LINES"));
  clock_gettime(CLOCK_MONOTONIC, &now);
  int size = snprintf(text, sizeof text, "%lld %d %d %d %d\n", now.tv_sec * 1000000000ll + now.tv_nsec, getpid(),
                      what.chip, what.offset, level);
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd >= 0 && write(fd, text, (size_t)size) != size) abort();
  close(fd);
}

static struct state state_of(int fd) {
  struct state state = {0};
  if (pread(fd, &state, sizeof state, 0) < 0) abort();
  return state;
}

static void keep(int fd, const struct state *state) {
  if (pwrite(fd, state, sizeof *state, 0) != sizeof *state) abort();
}

static int configure(int fd, struct what what, const struct gpio_v2_line_config *config) {
  struct state state = state_of(fd);
  bool as_is = !(config->flags & (GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_OUTPUT));
  if (config->flags & GPIO_V2_LINE_FLAG_INPUT) return fail(EINVAL);
  state.flags = config->flags;
  if (!as_is) {
    bool active = config->num_attrs > 0 && config->attrs[0].attr.id == GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES &&
                  (config->attrs[0].attr.values & 1);
    state.level = active != !!(config->flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW);
  }
  keep(fd, &state);
  if (!as_is) record(what, state.level);
  return 0;
}

static int request(int chip, struct gpio_v2_line_request *ask) {
  char path[PATH_MAX];
  struct what what = {chip, (int)ask->offsets[0]};
  if (ask->num_lines != 1 || ask->offsets[0] >= LINES) return fail(EINVAL);
  path_of(path, chip, what.offset);
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return -1;
  if (flock(fd, LOCK_EX | LOCK_NB) < 0 || configure(fd, what, &ask->config) < 0) {
    int error = errno == EWOULDBLOCK ? EBUSY : errno;
    close(fd);
    return fail(error);
  }
  ask->fd = fd;
  return 0;
}

static int chip_info(int fd, int number, struct gpiochip_info *info) {
  *info = (struct gpiochip_info){.lines = LINES};
  snprintf(info->name, sizeof info->name, "gpiochip%d", number);
  return pread(fd, info->label, sizeof info->label - 1, 0) < 0 ? -1 : 0;
}

static int line_info(int chip, struct gpio_v2_line_info *info) {
  char path[PATH_MAX];
  if (info->offset >= LINES) return fail(EINVAL);
  path_of(path, chip, (int)info->offset);
  *info = (struct gpio_v2_line_info){.offset = info->offset};
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
    info->flags = GPIO_V2_LINE_FLAG_USED | state_of(fd).flags;
    strcpy(info->consumer, "somebody");
  }
  if (fd >= 0) close(fd);
  return 0;
}

static int line_call(int fd, struct what what, unsigned long code, void *argument) {
  struct gpio_v2_line_values *values = argument;
  struct state state = state_of(fd);
  bool turned = (state.flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW) != 0;
  char chip[PATH_MAX];
  path_of(chip, what.chip, -1);
  if (access(chip, F_OK) < 0) return fail(ENODEV);
  switch (code) {
  case GPIO_V2_LINE_GET_VALUES_IOCTL:
    values->bits = state.level != turned;
    return 0;
  case GPIO_V2_LINE_SET_VALUES_IOCTL:
    if (!(state.flags & GPIO_V2_LINE_FLAG_OUTPUT)) return fail(EPERM);
    state.level = (values->bits & 1) != turned;
    keep(fd, &state);
    record(what, state.level);
    return 0;
  case GPIO_V2_LINE_SET_CONFIG_IOCTL:
    return configure(fd, what, argument);
  default:
    return fail(ENOTTY);
  }
}

__attribute__((visibility("default"))) int ioctl(int fd, unsigned long code, ...) {
  va_list values;
  va_start(values, code);
  void *argument = va_arg(values, void *);
  va_end(values);
  struct what what = _IOC_TYPE(code) == 0xB4 ? what_is(fd) : (struct what){-1, -1};
  if (what.chip < 0) return (int)syscall(SYS_ioctl, fd, code, argument);
  if (what.offset >= 0) return line_call(fd, what, code, argument);
  switch (code) {
  case GPIO_GET_CHIPINFO_IOCTL:
    return chip_info(fd, what.chip, argument);
  case GPIO_V2_GET_LINEINFO_IOCTL:
    return line_info(what.chip, argument);
  case GPIO_V2_GET_LINE_IOCTL:
    return request(what.chip, argument);
  default:
    return fail(ENOTTY);
  }
}
