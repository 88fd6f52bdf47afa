/*
 * exchangeRs485(fd, flags) → flags before: sets the RS-485 mode of a serial port (TIOCSRS485,
 * Documentation/driver-api/serial/serial-rs485.rst) and keeps its delays. The flags are those of struct
 * serial_rs485 in <linux/serial.h>. Throws an Error with `code`: ENOTTY if the driver of the port has no such
 * mode, ENOTSUP if it does not accept these flags; the mode is then as before.
 */
#define _GNU_SOURCE /* strerrorname_np */
#include <errno.h>
#include <linux/serial.h>
#include <node_api.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>

static napi_value fail(napi_env env, const char *code, const char *text) {
  napi_throw_error(env, code, text);
  return NULL;
}

static napi_value exchange_rs485(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2], result;
  int32_t fd;
  uint32_t flags;
  struct serial_rs485 before = {0};
  if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL) != napi_ok ||
      napi_get_value_int32(env, arguments[0], &fd) != napi_ok ||
      napi_get_value_uint32(env, arguments[1], &flags) != napi_ok)
    return fail(env, "EINVAL", "exchangeRs485 takes a descriptor and flags");
  if (ioctl(fd, TIOCGRS485, &before) < 0) return fail(env, strerrorname_np(errno), strerror(errno));
  struct serial_rs485 mode = before;
  mode.flags = flags;
  /* The kernel clears flags that the driver does not have, and returns what it has set. */
  if (ioctl(fd, TIOCSRS485, &mode) < 0) return fail(env, strerrorname_np(errno), strerror(errno));
  if ((mode.flags & flags) != flags) {
    ioctl(fd, TIOCSRS485, &before);
    return fail(env, "ENOTSUP", "the driver does not support this direction control");
  }
  return napi_create_uint32(env, before.flags, &result) == napi_ok ? result : NULL;
}

NAPI_MODULE_INIT() {
  napi_value function;
  if (napi_create_function(env, "exchangeRs485", NAPI_AUTO_LENGTH, exchange_rs485, NULL, &function) != napi_ok ||
      napi_set_named_property(env, exports, "exchangeRs485", function) != napi_ok)
    return NULL;
  return exports;
}
