/*
 * A stand-in for /sys/class/gpio in user space (FUSE), to test onoff without a GPIO chip: one chip of 16
 * lines, numbered from 512. It follows the kernel: export and unexport with their errors, direction (with
 * "high" and "low"), active_low, edge, value, and poll(2), which returns POLLPRI|POLLERR after an edge until
 * the value is read again, so that unread edges coalesce. The files of an exported line cannot be opened for
 * a moment, as until udev has set their group.
 *
 * Tests reach the lines from outside through .outside/: N is the level of a line (writing drives it), `unplug`
 * removes the chip, `reset` restores the initial state.
 *
 *   gcc gpiofuse.c $(pkg-config --cflags --libs fuse3) && ./a.out -f -s /sys/class/gpio     (-s: there are no locks)
 */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fuse.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BASE 512
#define LINES 16
#define LABEL "stand-in"
/* About the time that udev takes to set permissions. */
#define UDEV_MS 40

enum edge { NONE, RISING, FALLING, BOTH };
static const char *const EDGES[] = {"none", "rising", "falling", "both"};

struct line {
  bool exported, output, level, active_low, pending;
  enum edge edge;
  long exported_ms;
  struct fuse_pollhandle *poll;
};

static struct line lines[LINES];
static bool unplugged;

/* ---- paths ---- */

enum kind { ROOT, EXPORT, UNEXPORT, CHIP, CHIP_BASE, CHIP_LABEL, CHIP_COUNT, OUTSIDE, OUTSIDE_LINE, UNPLUG, RESET,
            LINE, VALUE, DIRECTION, EDGE, ACTIVE_LOW, NOTHING };

struct target {
  enum kind kind;
  struct line *line;
};

static const struct { const char *path; enum kind kind; } FIXED[] = {
    {"/", ROOT},
    {"/export", EXPORT},
    {"/unexport", UNEXPORT},
    {"/gpiochip512", CHIP},
    {"/gpiochip512/base", CHIP_BASE},
    {"/gpiochip512/label", CHIP_LABEL},
    {"/gpiochip512/ngpio", CHIP_COUNT},
    {"/.outside", OUTSIDE},
    {"/.outside/unplug", UNPLUG},
    {"/.outside/reset", RESET},
};
static const struct { const char *name; enum kind kind; } ATTRIBUTES[] = {
    {"value", VALUE}, {"direction", DIRECTION}, {"edge", EDGE}, {"active_low", ACTIVE_LOW}};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool is_directory(enum kind kind) { return kind == ROOT || kind == CHIP || kind == OUTSIDE || kind == LINE; }

static struct target target_of(const char *path) {
  int number, end = 0;
  for (size_t n = 0; n < COUNT(FIXED); n++)
    if (!strcmp(path, FIXED[n].path))
      return (struct target){unplugged && FIXED[n].kind >= CHIP && FIXED[n].kind <= CHIP_COUNT ? NOTHING : FIXED[n].kind, NULL};
  if (sscanf(path, "/.outside/%d%n", &number, &end) == 1 && !path[end] && number >= 0 && number < LINES)
    return (struct target){OUTSIDE_LINE, &lines[number]};
  if (sscanf(path, "/gpio%d%n", &number, &end) == 1 && number >= BASE && number < BASE + LINES) {
    struct line *line = &lines[number - BASE];
    if (!line->exported) return (struct target){NOTHING, NULL};
    if (!path[end]) return (struct target){LINE, line};
    for (size_t n = 0; n < COUNT(ATTRIBUTES); n++)
      if (path[end] == '/' && !strcmp(path + end + 1, ATTRIBUTES[n].name))
        return (struct target){ATTRIBUTES[n].kind, line};
  }
  return (struct target){NOTHING, NULL};
}

/* ---- lines ---- */

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wake(struct line *line) {
  line->pending = true;
  if (!line->poll) return;
  fuse_notify_poll(line->poll);
  fuse_pollhandle_destroy(line->poll);
  line->poll = NULL;
}

static void set_level(struct line *line, bool level) {
  if (level == line->level) return;
  line->level = level;
  bool active = level != line->active_low;
  if (!line->output && (line->edge & (active ? RISING : FALLING))) wake(line);
}

static int export_line(int number, bool exported) {
  if (unplugged || number < BASE || number >= BASE + LINES) return -EINVAL;
  struct line *line = &lines[number - BASE];
  if (exported == line->exported) return exported ? -EBUSY : -EINVAL;
  /* The controller keeps direction and level; the rest belongs to the request. */
  *line = (struct line){.exported = exported, .output = line->output, .level = line->level, .exported_ms = now_ms()};
  return 0;
}

static int set_direction(struct line *line, const char *word) {
  if (!strcmp(word, "in")) line->output = false;
  else if (!strcmp(word, "out") || !strcmp(word, "low")) line->output = true, line->level = false;
  else if (!strcmp(word, "high")) line->output = true, line->level = true;
  else return -EINVAL;
  return 0;
}

static int set_edge(struct line *line, const char *word) {
  for (size_t n = 0; n < COUNT(EDGES); n++) {
    if (strcmp(word, EDGES[n])) continue;
    if (line->output && n != NONE) return -EIO;
    line->edge = (enum edge)n;
    return 0;
  }
  return -EINVAL;
}

static void unplug(void) {
  unplugged = true;
  for (int n = 0; n < LINES; n++) {
    lines[n].exported = false;
    wake(&lines[n]);
  }
}

static void reset(void) {
  unplugged = false;
  for (int n = 0; n < LINES; n++) {
    if (lines[n].poll) fuse_pollhandle_destroy(lines[n].poll);
    lines[n] = (struct line){0};
  }
}

/* ---- the file system ---- */

static void *start(struct fuse_conn_info *connection, struct fuse_config *config) {
  (void)connection;
  /* No caching: lines come and go. */
  config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
  config->direct_io = 1;
  return NULL;
}

static int get_attributes(const char *path, struct stat *into, struct fuse_file_info *file) {
  (void)file;
  struct target at = target_of(path);
  if (at.kind == NOTHING) return -ENOENT;
  bool directory = is_directory(at.kind);
  *into = (struct stat){.st_nlink = 1, .st_size = directory ? 0 : 4096};
  into->st_mode = directory ? S_IFDIR | 0755 : S_IFREG | (at.kind == EXPORT || at.kind == UNEXPORT ? 0220 : 0664);
  return 0;
}

static int list(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *file,
                enum fuse_readdir_flags flags) {
  (void)offset, (void)file, (void)flags;
  char name[16];
  struct target at = target_of(path);
  if (at.kind == ROOT) {
    for (const char *const *fixed = (const char *const[]){"export", "unexport", "gpiochip512", NULL}; *fixed; fixed++)
      if (!unplugged || strcmp(*fixed, "gpiochip512")) fill(buffer, *fixed, NULL, 0, 0);
    for (int n = 0; n < LINES; n++) {
      snprintf(name, sizeof name, "gpio%d", BASE + n);
      if (lines[n].exported) fill(buffer, name, NULL, 0, 0);
    }
  }
  for (size_t n = 0; at.kind == LINE && n < COUNT(ATTRIBUTES); n++) fill(buffer, ATTRIBUTES[n].name, NULL, 0, 0);
  return 0;
}

static int may_open(const char *path) {
  struct target at = target_of(path);
  if (at.kind == NOTHING) return -ENOENT;
  return at.kind >= VALUE && now_ms() - at.line->exported_ms < UDEV_MS ? -EACCES : 0;
}

static int check_access(const char *path, int mask) {
  (void)mask;
  return may_open(path);
}

static int open_file(const char *path, struct fuse_file_info *file) {
  (void)file;
  return may_open(path);
}

static int read_file(const char *path, char *buffer, size_t size, off_t offset, struct fuse_file_info *file) {
  (void)file;
  char text[32];
  struct target at = target_of(path);
  switch (at.kind) {
    case NOTHING: return -ENODEV; /* the file is still open, but its line is gone */
    case CHIP_BASE: snprintf(text, sizeof text, "%d\n", BASE); break;
    case CHIP_LABEL: snprintf(text, sizeof text, "%s\n", LABEL); break;
    case CHIP_COUNT: snprintf(text, sizeof text, "%d\n", LINES); break;
    case OUTSIDE_LINE: snprintf(text, sizeof text, "%d\n", at.line->level); break;
    case VALUE:
      snprintf(text, sizeof text, "%d\n", at.line->level != at.line->active_low);
      at.line->pending = false;
      break;
    case DIRECTION: snprintf(text, sizeof text, "%s\n", at.line->output ? "out" : "in"); break;
    case EDGE: snprintf(text, sizeof text, "%s\n", EDGES[at.line->edge]); break;
    case ACTIVE_LOW: snprintf(text, sizeof text, "%d\n", at.line->active_low); break;
    default: return -EACCES;
  }
  size_t length = strlen(text);
  if ((size_t)offset >= length) return 0;
  if (size > length - (size_t)offset) size = length - (size_t)offset;
  memcpy(buffer, text + offset, size);
  return (int)size;
}

static int take(struct target at, const char *word) {
  switch (at.kind) {
    case NOTHING: return -ENODEV;
    case EXPORT: return export_line(atoi(word), true);
    case UNEXPORT: return export_line(atoi(word), false);
    case UNPLUG: unplug(); return 0;
    case RESET: reset(); return 0;
    case OUTSIDE_LINE:
      if (at.line->output) return -EPERM;
      set_level(at.line, atoi(word));
      return 0;
    case VALUE:
      if (!at.line->output) return -EPERM;
      set_level(at.line, (atoi(word) != 0) != at.line->active_low);
      return 0;
    case DIRECTION: return set_direction(at.line, word);
    case EDGE: return set_edge(at.line, word);
    case ACTIVE_LOW: at.line->active_low = atoi(word); return 0;
    default: return -EACCES;
  }
}

static int write_file(const char *path, const char *data, size_t size, off_t offset, struct fuse_file_info *file) {
  (void)offset, (void)file;
  char word[32] = "";
  memcpy(word, data, size < sizeof word ? size : sizeof word - 1);
  word[strcspn(word, "\n")] = 0;
  int error = take(target_of(path), word);
  return error ? error : (int)size;
}

static int truncate_file(const char *path, off_t size, struct fuse_file_info *file) {
  (void)path, (void)size, (void)file;
  return 0;
}

static int poll_file(const char *path, struct fuse_file_info *file, struct fuse_pollhandle *poll, unsigned *ready) {
  (void)file;
  struct target at = target_of(path);
  *ready = POLLIN | POLLOUT;
  if (at.kind == NOTHING) *ready |= POLLPRI | POLLERR; /* like kernfs for a file whose owner is gone */
  if (at.kind == VALUE && at.line->pending) *ready |= POLLPRI | POLLERR;
  if (at.kind == VALUE && poll) {
    if (at.line->poll) fuse_pollhandle_destroy(at.line->poll);
    at.line->poll = poll;
  } else if (poll) {
    fuse_pollhandle_destroy(poll);
  }
  return 0;
}

static const struct fuse_operations operations = {
    .init = start,
    .getattr = get_attributes,
    .readdir = list,
    .access = check_access,
    .open = open_file,
    .read = read_file,
    .write = write_file,
    .truncate = truncate_file,
    .poll = poll_file,
};

int main(int count, char **arguments) { return fuse_main(count, arguments, &operations, NULL); }
