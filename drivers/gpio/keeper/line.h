/* Output lines through the GPIO character device (uAPI v2, linux/gpio.h). */
#ifndef STELLWERK_KEEPER_LINE_H
#define STELLWERK_KEEPER_LINE_H

#include "table.h"

/* Requests a line and drives it in one step, according to the policy; HOLD keeps driving the present level.
 * Returns a descriptor, or −1 with errno: ENOENT while its chip is missing, EBUSY while another consumer
 * holds the line. */
int request_line(const char *directory, const struct output *output, enum policy first);

/* Drives a line; false with errno set (ENODEV: its chip is gone). */
bool drive_line(int fd, bool active);

/* False if the chip of a line is gone. */
bool is_line_alive(int fd);

/* Changes polarity or drive without changing the level; false with errno set. */
bool reconfigure_line(int fd, uint64_t from, uint64_t to);

#endif
