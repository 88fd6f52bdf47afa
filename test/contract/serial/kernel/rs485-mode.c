/* Replaces a serial driver with an RS-485 mode: preloaded, it answers TIOCGRS485 and TIOCSRS485. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/serial.h>
#include <stdarg.h>
#include <sys/ioctl.h>

/* As from the device tree: a driver that has no RTS that is off while sending, and clears that flag. */
static struct serial_rs485 mode = {.delay_rts_before_send = 7};

int ioctl(int fd, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  struct serial_rs485 *given = argument;
  if (request == TIOCGRS485) {
    *given = mode;
    return 0;
  }
  if (request == TIOCSRS485) {
    given->flags &= ~(unsigned)SER_RS485_RTS_AFTER_SEND;
    if (given->delay_rts_before_send != 7) return -1;
    mode = *given;
    return 0;
  }
  int (*next)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
  return next(fd, request, argument);
}
