#define _GNU_SOURCE
#include "line.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHIPS_MAX 128
#define CONSUMER "stellwerk"

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* The numbers of the chips, sorted. Links are skipped: Raspberry Pi OS adds a link to another chip. */
static int chip_numbers(DIR *directory, int *into) {
  int count = 0, number, end;
  for (struct dirent *entry; count < CHIPS_MAX && (entry = readdir(directory));) {
    struct stat status;
    end = 0;
    if (sscanf(entry->d_name, "gpiochip%6d%n", &number, &end) != 1 || entry->d_name[end]) continue;
    if (fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISLNK(status.st_mode))
      into[count++] = number;
  }
  qsort(into, (size_t)count, sizeof *into, by_number);
  return count;
}

/* Opens the nth chip with a label; −1 with errno if there is none. */
static int open_chip(const char *path, const char *label, uint32_t nth) {
  int numbers[CHIPS_MAX], fd = -1, error = ENOENT;
  DIR *directory = opendir(path);
  if (!directory) return -1;
  int count = chip_numbers(directory, numbers);
  for (int n = 0; n < count && fd < 0; n++) {
    char name[32];
    struct gpiochip_info chip = {0};
    snprintf(name, sizeof name, "gpiochip%d", numbers[n]);
    int one = openat(dirfd(directory), name, O_RDWR | O_CLOEXEC);
    if (one < 0) error = errno;
    if (one < 0) continue;
    bool matches = ioctl(one, GPIO_GET_CHIPINFO_IOCTL, &chip) == 0 &&
                 !strncmp(chip.label, label, sizeof chip.label) && nth-- == 0;
    if (matches) fd = one;
    else close(one);
  }
  closedir(directory);
  errno = error;
  return fd;
}

static struct gpio_v2_line_config output_config(uint64_t flags, bool active) {
  struct gpio_v2_line_config config = {.flags = flags | GPIO_V2_LINE_FLAG_OUTPUT, .num_attrs = 1};
  config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
  config.attrs[0].attr.values = active;
  config.attrs[0].mask = 1;
  return config;
}

static bool get(int fd, bool *active) {
  struct gpio_v2_line_values values = {.mask = 1};
  if (ioctl(fd, GPIO_V2_LINE_GET_VALUES_IOCTL, &values) < 0) return false;
  *active = values.bits & 1;
  return true;
}

static bool configure(int fd, uint64_t flags, bool active) {
  struct gpio_v2_line_config config = output_config(flags, active);
  return ioctl(fd, GPIO_V2_LINE_SET_CONFIG_IOCTL, &config) == 0;
}

bool drive_line(int fd, bool active) {
  struct gpio_v2_line_values values = {.mask = 1, .bits = active};
  return ioctl(fd, GPIO_V2_LINE_SET_VALUES_IOCTL, &values) == 0;
}

bool is_line_alive(int fd) {
  bool active;
  return get(fd, &active);
}

bool reconfigure_line(int fd, uint64_t from, uint64_t to) {
  bool active;
  if (!get(fd, &active)) return false;
  bool inverted = ((from ^ to) & GPIO_V2_LINE_FLAG_ACTIVE_LOW) != 0;
  return configure(fd, to, active != inverted);
}

int request_line(const char *directory, const struct output *output, enum policy first) {
  struct gpio_v2_line_request request = {.num_lines = 1, .consumer = CONSUMER};
  request.offsets[0] = output->offset;
  /* Requested as is first: the line stays unchanged until its level is known and can be driven without a
   * glitch. */
  if (first != HOLD) request.config = output_config(output->flags, first == ACTIVE);
  int chip = open_chip(directory, output->chip, output->nth);
  if (chip < 0) return -1;
  int error = ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0 ? errno : 0;
  close(chip);
  bool level;
  bool good = !error && (first != HOLD || (get(request.fd, &level) &&
                                           configure(request.fd, output->flags,
                                                     level != !!(output->flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW))));
  if (good) return request.fd;
  if (!error) {
    error = errno;
    close(request.fd);
  }
  errno = error;
  return -1;
}
