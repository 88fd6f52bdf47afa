/* Notifications to systemd, and descriptors that it stores across a restart: sd_notify(3) and
 * sd_listen_fds(3), without libsystemd. */
#ifndef STELLWERK_KEEPER_SYSTEMD_H
#define STELLWERK_KEEPER_SYSTEMD_H

/* Sends a state to NOTIFY_SOCKET, with a descriptor if it is not negative. Does nothing without systemd. */
void notify_systemd(const char *text, int fd);

/* Calls `each` with every descriptor that systemd has stored, and its name. `each` owns it from then on. */
void restore_from_systemd(void (*each)(int fd, const char *name));

#endif
