/* Passing a descriptor with a message (SCM_RIGHTS, unix(7)): to and from the gateway's addon, and to systemd.
 */
#ifndef STELLWERK_KEEPER_RIGHTS_H
#define STELLWERK_KEEPER_RIGHTS_H

#include <string.h>
#include <sys/socket.h>

/* Control data for one descriptor; all zero before sending. */
union rights {
  char bytes[CMSG_SPACE(sizeof(int))];
  struct cmsghdr align;
};

static inline void attach_fd(struct msghdr *message, union rights *control, int fd) {
  message->msg_control = control->bytes;
  message->msg_controllen = sizeof control->bytes;
  struct cmsghdr *head = CMSG_FIRSTHDR(message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof fd);
  memcpy(CMSG_DATA(head), &fd, sizeof fd);
}

/* The descriptor that came with a received message, which the caller then owns; −1 if there is none. */
static inline int attached_fd(struct msghdr *message) {
  int fd = -1;
  for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head; head = CMSG_NXTHDR(message, head))
    if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) memcpy(&fd, CMSG_DATA(head), sizeof fd);
  return fd;
}

#endif
