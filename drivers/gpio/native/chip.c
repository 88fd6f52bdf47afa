#include "chip.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/gpio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "args.h"

int open_chip(const char *path) { return open(path, O_RDWR | O_CLOEXEC); }

/* Opens the chip named by the first argument and reads its information; -1 with an error thrown if that
 * fails. */
static int open_argument(napi_env env, napi_callback_info info, struct gpiochip_info *chip) {
  size_t count = 1;
  napi_value path_value;
  char path[PATH_MAX];
  if (napi_get_cb_info(env, info, &count, &path_value, NULL, NULL) != napi_ok) {
    throw_napi(env, "chip");
    return -1;
  }
  if (!get_text(env, path_value, path, sizeof path)) return -1;
  int fd = open_chip(path);
  if (fd < 0) {
    throw_errno(env, errno, "open chip");
    return -1;
  }
  if (ioctl(fd, GPIO_GET_CHIPINFO_IOCTL, chip) < 0) {
    throw_errno(env, errno, "chip info");
    close(fd);
    return -1;
  }
  return fd;
}

napi_value chip_info(napi_env env, napi_callback_info info) {
  struct gpiochip_info chip = {0};
  int fd = open_argument(env, info, &chip);
  if (fd < 0) return NULL;
  close(fd);
  napi_value result;
  TRY(env, napi_create_object(env, &result));
  put_text(env, result, "name", chip.name, sizeof chip.name);
  put_text(env, result, "label", chip.label, sizeof chip.label);
  put_number(env, result, "lines", chip.lines);
  return result;
}

static napi_value line_info(napi_env env, int fd, uint32_t offset) {
  struct gpio_v2_line_info line = {.offset = offset};
  if (ioctl(fd, GPIO_V2_GET_LINEINFO_IOCTL, &line) < 0) return throw_errno(env, errno, "line info");
  napi_value result;
  TRY(env, napi_create_object(env, &result));
  put_number(env, result, "offset", line.offset);
  put_text(env, result, "name", line.name, sizeof line.name);
  put_text(env, result, "consumer", line.consumer, sizeof line.consumer);
  put_number(env, result, "flags", (double)line.flags);
  return result;
}

napi_value line_infos(napi_env env, napi_callback_info info) {
  struct gpiochip_info chip = {0};
  int fd = open_argument(env, info, &chip);
  if (fd < 0) return NULL;
  napi_value result;
  napi_status status = napi_create_array_with_length(env, chip.lines, &result);
  for (uint32_t offset = 0; status == napi_ok && offset < chip.lines; offset++) {
    napi_value line = line_info(env, fd, offset);
    if (!line) break; /* an error is pending */
    status = napi_set_element(env, result, offset, line);
  }
  close(fd);
  TRY(env, status);
  return result;
}
