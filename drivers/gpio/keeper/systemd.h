/* What systemd is told, and what it keeps over a restart: sd_notify(3), sd_listen_fds(3), by hand. */
#ifndef STELLWERK_KEEPER_SYSTEMD_H
#define STELLWERK_KEEPER_SYSTEMD_H

/* One state text to NOTIFY_SOCKET, with a descriptor where it is not negative. Without systemd: nothing. */
void tell_systemd(const char *text, int fd);

/* Calls `each` with every descriptor that was kept for us, and its name. It owns them from then on. */
void kept_by_systemd(void (*each)(int fd, const char *name));

#endif
