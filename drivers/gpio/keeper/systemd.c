#define _GNU_SOURCE
#include "systemd.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "rights.h"

#define FIRST_FD 3

void notify_systemd(const char *text, int fd) {
  const char *path = getenv("NOTIFY_SOCKET");
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  if (!path || strlen(path) >= sizeof to.sun_path) return;
  strcpy(to.sun_path, path);
  if (*path == '@') to.sun_path[0] = '\0';
  union rights control = {0};
  struct iovec part = {.iov_base = (char *)text, .iov_len = strlen(text)};
  struct msghdr message = {
      .msg_name = &to,
      .msg_namelen = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path)),
      .msg_iov = &part,
      .msg_iovlen = 1,
  };
  if (fd >= 0) attach_fd(&message, &control, fd);
  /* At boot all lines are stored together, which may fill the socket: wait, but not for long. */
  const struct timeval timeout = {.tv_usec = 200000};
  int out = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (out >= 0) setsockopt(out, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  if (out < 0 || sendmsg(out, &message, MSG_NOSIGNAL) < 0)
    fprintf(stderr, "<4>notifying systemd failed: %s\n", strerror(errno));
  if (out >= 0) close(out);
}

void restore_from_systemd(void (*each)(int fd, const char *name)) {
  const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS"), *named = getenv("LISTEN_FDNAMES");
  if (!pid || !count || !named || atol(pid) != getpid()) return;
  char *names = strdup(named), *rest = names;
  for (int n = 0; names && n < atoi(count); n++) {
    const char *name = rest ? strsep(&rest, ":") : "";
    fcntl(FIRST_FD + n, F_SETFD, FD_CLOEXEC);
    each(FIRST_FD + n, name);
  }
  free(names);
}
