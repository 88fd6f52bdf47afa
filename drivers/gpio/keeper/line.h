/* Output lines by the GPIO character device (uAPI v2, linux/gpio.h). */
#ifndef STELLWERK_KEEPER_LINE_H
#define STELLWERK_KEEPER_LINE_H

#include "table.h"

/* Takes a line and drives it in one step: by its policy, HOLD driving on the level that is there. A descriptor, or −1
 * with errno: ENOENT while its chip is not there, EBUSY while somebody else has it. */
int request_line(const char *directory, const struct output *output, enum policy first);

/* Drives it; false with errno set (ENODEV: its chip is gone). */
bool drive_line(int fd, bool active);

/* False when the chip behind it is gone. */
bool line_lives(int fd);

/* Another polarity or drive, at the level that is there; false with errno set. */
bool reconfigure_line(int fd, uint64_t from, uint64_t to);

#endif
