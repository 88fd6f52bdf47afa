/*
 * A stand-in for the kernel's GPIO character device, for machines without a GPIO chip. Preloaded into Node
 * (LD_PRELOAD), it implements the uAPI v2 calls of linux/gpio.h for one chip of 16 lines, whose device node
 * is any file named gpiochip0 in a directory that ends in /gpio-stand-in. It follows gpiolib: rejected
 * offsets and flags, busy lines, requests as is, an output without values driving 0, active low, bias,
 * numbered events in a ring that drops the oldest, debouncing, a chip that is removed. It is also an addon
 * (drive, level, unplug, reset) through which tests drive and read the lines from outside.
 *
 * The descriptor of a requested line is one end of a socket pair, so the event loop uses the real epoll. A
 * byte in it means that events can be read. Its other end closed, with a byte unread, makes it an error: the
 * chip is gone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <node_api.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LINES 16
#define LABEL "stand-in"
#define NODE_PATH "/gpio-stand-in/gpiochip0"
#define BUFFER_MOST 1024
#define EDGES (GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING)
#define BIASES (GPIO_V2_LINE_FLAG_BIAS_PULL_UP | GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN | GPIO_V2_LINE_FLAG_BIAS_DISABLED)

/* One line and its request; requests of several lines are not supported. */
struct line {
  bool outside, latch, output, level, debounced;
  bool held, gone, settling;
  int fd, peer;
  unsigned long long flags;
  unsigned debounce_us, buffer, kept, first, seqno;
  struct timespec settles;
  char consumer[GPIO_MAX_NAME_SIZE];
  struct gpio_v2_line_event events[BUFFER_MOST];
};

static struct line lines[LINES];
static bool unplugged;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t settle = PTHREAD_COND_INITIALIZER;
static pthread_once_t debouncing = PTHREAD_ONCE_INIT;

/* The definition of a function in the C library. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static struct line *line_of(int fd) {
  for (int n = 0; fd >= 0 && n < LINES; n++)
    if (lines[n].held && lines[n].fd == fd) return &lines[n];
  return NULL;
}

/* ---- levels and events ---- */

static void number(struct line *line, bool level) {
  line->debounced = level;
  bool active = level != !!(line->flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW);
  if (!(line->flags & (active ? GPIO_V2_LINE_FLAG_EDGE_RISING : GPIO_V2_LINE_FLAG_EDGE_FALLING))) return;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (line->kept == line->buffer) line->first = (line->first + 1) % line->buffer, line->kept--;
  line->seqno++;
  line->events[(line->first + line->kept) % line->buffer] = (struct gpio_v2_line_event){
      .timestamp_ns = (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec,
      .id = active ? GPIO_V2_LINE_EVENT_RISING_EDGE : GPIO_V2_LINE_EVENT_FALLING_EDGE,
      .offset = (unsigned)(line - lines),
      .seqno = line->seqno,
      .line_seqno = line->seqno,
  };
  if (line->kept++ == 0) (void)!REAL(write)(line->peer, "", 1);
}

static bool level_now(const struct line *line) {
  bool open_drain = line->flags & GPIO_V2_LINE_FLAG_OPEN_DRAIN, open_source = line->flags & GPIO_V2_LINE_FLAG_OPEN_SOURCE;
  if (line->output && !(open_drain && line->latch) && !(open_source && !line->latch)) return line->latch;
  if (line->outside) return true;
  return line->flags & GPIO_V2_LINE_FLAG_BIAS_PULL_UP;
}

static void update(struct line *line, bool quiet) {
  bool level = level_now(line), changed = level != line->level;
  line->level = level;
  if (quiet) line->debounced = level;
  if (quiet || !changed || !line->held || line->output || unplugged) return;
  if (line->debounce_us == 0) return number(line, level);
  clock_gettime(CLOCK_MONOTONIC, &line->settles);
  long long ns = line->settles.tv_nsec + line->debounce_us * 1000ll;
  line->settles.tv_sec += ns / 1000000000;
  line->settles.tv_nsec = ns % 1000000000;
  line->settling = true;
  pthread_cond_signal(&settle);
}

static bool is_over(const struct timespec *time) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec > time->tv_sec || (now.tv_sec == time->tv_sec && now.tv_nsec >= time->tv_nsec);
}

/* The kernel's debouncing: checks every millisecond while a line is settling. */
__attribute__((noreturn)) static void *debounce(void *unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  for (;;) {
    bool any = false;
    for (int n = 0; n < LINES; n++) {
      struct line *line = &lines[n];
      if (line->settling && is_over(&line->settles)) {
        line->settling = false;
        if (line->held && line->level != line->debounced) number(line, line->level);
      }
      any = any || line->settling;
    }
    if (!any) {
      pthread_cond_wait(&settle, &lock);
    } else {
      pthread_mutex_unlock(&lock);
      usleep(1000);
      pthread_mutex_lock(&lock);
    }
  }
}

static void start_debouncing(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, debounce, NULL);
  pthread_detach(thread);
}

/* ---- system calls ---- */

static int configure(struct line *line, const struct gpio_v2_line_config *config) {
  bool input = config->flags & GPIO_V2_LINE_FLAG_INPUT, output = config->flags & GPIO_V2_LINE_FLAG_OUTPUT;
  unsigned long long edges = config->flags & EDGES, values = 0;
  unsigned debounce_us = 0;
  for (unsigned n = 0; n < config->num_attrs; n++) {
    if (config->attrs[n].attr.id == GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES) values = config->attrs[n].attr.values;
    if (config->attrs[n].attr.id == GPIO_V2_LINE_ATTR_ID_DEBOUNCE) debounce_us = config->attrs[n].attr.debounce_period_us;
  }
  if ((input && output) || (edges && !input) || (debounce_us && !input)) return -EINVAL;
  if ((config->flags & BIASES) && !input && !output) return -EINVAL;
  if ((config->flags & (GPIO_V2_LINE_FLAG_OPEN_DRAIN | GPIO_V2_LINE_FLAG_OPEN_SOURCE)) && !output) return -EINVAL;
  line->flags = config->flags;
  line->debounce_us = debounce_us;
  if (output) line->latch = (values & 1) != !!(config->flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW);
  if (input || output) line->output = output;
  update(line, true);
  return 0;
}

static int request(struct gpio_v2_line_request *ask) {
  int pair[2];
  if (ask->num_lines != 1 || ask->offsets[0] >= LINES) return -EINVAL;
  struct line *line = &lines[ask->offsets[0]];
  if (line->held) return -EBUSY;
  int error = configure(line, &ask->config);
  if (error) return error;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair)) return -errno;
  line->buffer = ask->event_buffer_size ? ask->event_buffer_size : 16;
  if (line->buffer > BUFFER_MOST) line->buffer = BUFFER_MOST;
  line->kept = line->first = line->seqno = 0;
  line->held = true;
  line->gone = line->settling = false;
  ask->fd = line->fd = pair[0];
  line->peer = pair[1];
  memcpy(line->consumer, ask->consumer, sizeof line->consumer);
  return 0;
}

static int chip_call(unsigned long what, void *argument) {
  if (unplugged) return -ENODEV;
  switch (what) {
    case GPIO_GET_CHIPINFO_IOCTL:
      *(struct gpiochip_info *)argument = (struct gpiochip_info){.name = "gpiochip0", .label = LABEL, .lines = LINES};
      return 0;
    case GPIO_V2_GET_LINEINFO_IOCTL: {
      struct gpio_v2_line_info *info = argument;
      if (info->offset >= LINES) return -EINVAL;
      const struct line *line = &lines[info->offset];
      *info = (struct gpio_v2_line_info){.offset = info->offset, .flags = (line->held ? GPIO_V2_LINE_FLAG_USED : 0) | (line->flags & GPIO_V2_LINE_FLAG_OUTPUT)};
      if (info->offset == 7) strcpy(info->name, "EIGHT");
      if (line->held) memcpy(info->consumer, line->consumer, sizeof info->consumer);
      return 0;
    }
    case GPIO_V2_GET_LINE_IOCTL: return request(argument);
    default: return -EINVAL;
  }
}

static int line_call(struct line *line, unsigned long what, void *argument) {
  struct gpio_v2_line_values *values = argument;
  bool active_low = line->flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW;
  if (line->gone) return -ENODEV;
  switch (what) {
    case GPIO_V2_LINE_GET_VALUES_IOCTL:
      if (!(values->mask & 1)) return -EINVAL;
      values->bits = (line->debounce_us ? line->debounced : line->level) != active_low;
      return 0;
    case GPIO_V2_LINE_SET_VALUES_IOCTL:
      if (!(values->mask & 1)) return -EINVAL;
      if (!(line->flags & GPIO_V2_LINE_FLAG_OUTPUT)) return -EPERM;
      line->latch = (values->bits & 1) != active_low;
      update(line, false);
      return 0;
    case GPIO_V2_LINE_SET_CONFIG_IOCTL: return configure(line, argument);
    default: return -EINVAL;
  }
}

static void pull_out(void) {
  unplugged = true;
  for (int n = 0; n < LINES; n++) {
    struct line *line = &lines[n];
    if (!line->held || line->gone) continue;
    line->gone = true;
    (void)!REAL(write)(line->fd, "", 1); /* unread at the peer, so that closing is an error there: EPOLLERR|EPOLLHUP */
    REAL(close)(line->peer);
  }
}

static ssize_t read_events(struct line *line, void *into, size_t size) {
  size_t count = 0, room = size / sizeof *line->events;
  char ready[16];
  if (line->gone) return -ENODEV;
  if (room == 0) return -EINVAL;
  for (struct gpio_v2_line_event *event = into; line->kept > 0 && count < room; count++, line->kept--) {
    event[count] = line->events[line->first];
    line->first = (line->first + 1) % line->buffer;
  }
  if (line->kept == 0) (void)!REAL(recv)(line->fd, ready, sizeof ready, MSG_DONTWAIT);
  return count > 0 ? (ssize_t)(count * sizeof *line->events) : -EAGAIN;
}

static bool is_chip(int fd) {
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  size_t tail = strlen(NODE_PATH);
  return length > (ssize_t)tail && !strncmp(path + length - tail, NODE_PATH, tail);
}

static int answered(int result) {
  if (result >= 0) return result;
  errno = -result;
  return -1;
}

/* ---- replaced functions of the C library ---- */

int ioctl(int fd, unsigned long what, ...) {
  va_list rest;
  va_start(rest, what);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (_IOC_TYPE(what) != 0xB4) return REAL(ioctl)(fd, what, argument);
  pthread_mutex_lock(&lock);
  struct line *line = line_of(fd);
  int result = line ? line_call(line, what, argument) : is_chip(fd) ? chip_call(what, argument) : -ENOTTY;
  pthread_mutex_unlock(&lock);
  return answered(result);
}

ssize_t read(int fd, void *into, size_t size) {
  pthread_mutex_lock(&lock);
  struct line *line = line_of(fd);
  ssize_t result = line ? read_events(line, into, size) : 0;
  pthread_mutex_unlock(&lock);
  return line ? answered((int)result) : REAL(read)(fd, into, size);
}

int close(int fd) {
  pthread_mutex_lock(&lock);
  struct line *line = line_of(fd);
  if (line) {
    if (!line->gone) REAL(close)(line->peer);
    line->held = line->settling = false;
  }
  pthread_mutex_unlock(&lock);
  return REAL(close)(fd);
}

/* ---- functions for tests ---- */

static struct line *line_argument(napi_env env, napi_callback_info info, bool *level) {
  size_t count = 2;
  napi_value arguments[2];
  uint32_t offset = LINES;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  napi_get_value_uint32(env, arguments[0], &offset);
  if (level) napi_get_value_bool(env, arguments[1], level);
  if (offset < LINES) return &lines[offset];
  napi_throw_range_error(env, NULL, "no such line");
  return NULL;
}

static napi_value drive(napi_env env, napi_callback_info info) {
  bool level = false;
  struct line *line = line_argument(env, info, &level);
  if (!line) return NULL;
  pthread_once(&debouncing, start_debouncing);
  pthread_mutex_lock(&lock);
  line->outside = level;
  update(line, false);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static napi_value level(napi_env env, napi_callback_info info) {
  napi_value result = NULL;
  struct line *line = line_argument(env, info, NULL);
  if (line) napi_get_boolean(env, line->level, &result);
  return result;
}

static napi_value unplug(napi_env env, napi_callback_info info) {
  (void)env, (void)info;
  pthread_mutex_lock(&lock);
  pull_out();
  pthread_mutex_unlock(&lock);
  return NULL;
}

static napi_value reset(napi_env env, napi_callback_info info) {
  (void)env, (void)info;
  pthread_mutex_lock(&lock);
  unplugged = false;
  for (int n = 0; n < LINES; n++)
    if (!lines[n].held) lines[n].outside = lines[n].output = lines[n].latch = lines[n].level = false;
  pthread_mutex_unlock(&lock);
  return NULL;
}

NAPI_MODULE_INIT() {
  const napi_property_descriptor functions[] = {
      {.utf8name = "drive", .method = drive, .attributes = napi_enumerable},
      {.utf8name = "level", .method = level, .attributes = napi_enumerable},
      {.utf8name = "unplug", .method = unplug, .attributes = napi_enumerable},
      {.utf8name = "reset", .method = reset, .attributes = napi_enumerable},
  };
  napi_define_properties(env, exports, sizeof functions / sizeof *functions, functions);
  return exports;
}
