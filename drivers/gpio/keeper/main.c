/*
 * stellwerk-keeper, the line keeper: guards the output lines of a gateway and applies their policies while
 * the gateway is not running. docs/hardware/safe-outputs.md describes its behaviour; this file contains the
 * socket and the main loop.
 *
 * Each message is one packet of a SOCK_SEQPACKET socket; each request has one reply, in order:
 *   hello VERSION DEADLINE_MS → hello VERSION      must come first; then one message is due within each deadline
 *   take ENTRY                → line + descriptor | none | busy | refused
 *   give ENTRY + descriptor   → kept | applied | busy | full | refused
 *   release KEY               → released | busy
 *   goodbye stop|update       → goodbye            the policies of its outputs have been applied
 *   alive                     → alive              does nothing but meet the deadline, as every message does
 * The keeper sends `taken` before it disconnects a gateway that has missed its deadline.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "outputs.h"
#include "rights.h"
#include "systemd.h"

#define PROTOCOL 1
#define CLIENTS_MAX 8
#define MESSAGE_MAX (ENTRY_MAX + 16)
/* Length of the queue of connections to accept. */
#define BACKLOG 64
/* A peer that does not say hello is not a gateway. */
#define HELLO_WITHIN_MS 2000
#define MIN_DEADLINE_MS 200
#define MAX_DEADLINE_MS 600000
/* Maximum number of messages from one gateway per turn. */
#define BATCH 64

struct client {
  int fd; /* −1: free */
  bool greeted;
  uint64_t deadline_ms, heard_ms;
};

static struct client clients[CLIENTS_MAX];
static volatile sig_atomic_t ended;

static void on_signal(int signal) {
  (void)signal;
  ended = 1;
}

/* ---- clients ---- */

static void disconnect(struct client *client, enum ending ending, const char *reason) {
  close(client->fd);
  client->fd = -1;
  end_owner((int)(client - clients), ending, reason);
}

/* False if no connection is waiting. */
static bool accept_client(int listener) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return false;
  bool trusted = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == 0 || peer.uid == getuid());
  for (int n = 0; trusted && n < CLIENTS_MAX; n++) {
    if (clients[n].fd >= 0) continue;
    clients[n] = (struct client){.fd = fd, .deadline_ms = HELLO_WITHIN_MS, .heard_ms = now_ms()};
    return true;
  }
  close(fd);
  return true;
}

/* Receives one packet into `text`, and the descriptor that came with it. 1 if there was one, 0 if none is
 * waiting, −1 if the peer is gone or has sent an invalid message. */
static int receive(int from, char *text, int *fd) {
  union rights control;
  struct iovec part = {.iov_base = text, .iov_len = MESSAGE_MAX};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  *fd = -1;
  ssize_t size = recvmsg(from, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (size < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
  *fd = attached_fd(&message);
  bool good = size > 0 && size < MESSAGE_MAX && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) &&
              !memchr(text, '\0', (size_t)size);
  if (good) text[size] = '\0';
  else if (*fd >= 0) close(*fd);
  return good ? 1 : -1;
}

/* Saves the outputs first: whatever a gateway knows of is still known after a crash of the keeper. */
static bool reply_to(struct client *client, const char *text, int fd) {
  save_outputs();
  union rights control = {0};
  struct iovec part = {.iov_base = (char *)text, .iov_len = strlen(text)};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (fd >= 0) attach_fd(&message, &control, fd);
  /* The keeper does not wait for a peer that does not read its replies. */
  return sendmsg(client->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

/* ---- messages ---- */

static bool greet(struct client *client, const char *text) {
  unsigned version = 0, deadline_ms = 0;
  char reply[24];
  if (client->greeted || sscanf(text, "hello %9u %9u", &version, &deadline_ms) != 2) return false;
  snprintf(reply, sizeof reply, "hello %d", PROTOCOL);
  if (!reply_to(client, reply, -1) || version != PROTOCOL) return false;
  if (deadline_ms < MIN_DEADLINE_MS || deadline_ms > MAX_DEADLINE_MS) return false;
  client->deadline_ms = deadline_ms;
  client->greeted = true;
  return true;
}

static const char *after(const char *text, const char *verb) {
  size_t length = strlen(verb);
  return strncmp(text, verb, length) == 0 ? text + length : NULL;
}

static bool goodbye(struct client *client, const char *how) {
  bool is_update = strcmp(how, "update") == 0;
  if (!is_update && strcmp(how, "stop") != 0) return false;
  end_owner((int)(client - clients), is_update ? UPDATE : STOP,
              is_update ? "the gateway is being updated" : "the gateway stopped");
  return reply_to(client, "goodbye", -1);
}

/* False if the peer violates the protocol. Takes ownership of `fd`. */
static bool handle(struct client *client, const char *text, int fd) {
  int owner = (int)(client - clients), line = -1;
  const char *rest, *reply = NULL;
  if ((rest = after(text, "give ")) && client->greeted) {
    reply = give_output(owner, rest, fd);
    return reply && reply_to(client, reply, -1);
  }
  if (fd >= 0) close(fd);
  if (!client->greeted) return greet(client, text);
  if (!strcmp(text, "alive")) return reply_to(client, "alive", -1);
  if ((rest = after(text, "goodbye "))) return goodbye(client, rest);
  if ((rest = after(text, "take "))) reply = take_output(owner, rest, &line);
  else if ((rest = after(text, "release "))) reply = release_output(owner, rest);
  return reply && reply_to(client, reply, line);
}

static void serve(struct client *client) {
  char text[MESSAGE_MAX + 1];
  for (int n = 0; n < BATCH; n++) {
    int fd, got = receive(client->fd, text, &fd);
    if (got == 0) return;
    if (got < 0 || !handle(client, text, fd)) return disconnect(client, DEATH, "the gateway is gone");
    client->heard_ms = now_ms();
  }
}

static int time_left_ms(const struct client *client, uint64_t now) {
  uint64_t end = client->heard_ms + client->deadline_ms;
  return end > now ? (int)(end - now) : 0;
}

static void check_deadline(struct client *client) {
  if (client->fd < 0 || time_left_ms(client, now_ms()) > 0) return;
  /* Messages may have come since the poll. */
  serve(client);
  if (client->fd < 0 || time_left_ms(client, now_ms()) > 0) return;
  (void)reply_to(client, "taken", -1);
  disconnect(client, DEATH, "the gateway missed its deadline");
}

/* ---- the main loop ---- */

/* Notifies systemd's watchdog, which restarts a keeper that hangs. Returns the milliseconds until the next
 * notification; −1 without a watchdog. */
static int feed_watchdog(uint64_t now) {
  static uint64_t fed_ms;
  const char *period_us = getenv("WATCHDOG_USEC");
  uint64_t every_ms = period_us ? strtoull(period_us, NULL, 10) / 3000 : 0;
  if (every_ms == 0) return -1;
  if (now - fed_ms >= every_ms) {
    notify_systemd("WATCHDOG=1", -1);
    fed_ms = now;
  }
  return (int)(fed_ms + every_ms - now);
}

static int sooner(int a, int b) { return a < 0 || (b >= 0 && b < a) ? b : a; }

static void turn(int listener, const sigset_t *waiting) {
  struct pollfd all[CLIENTS_MAX + 1] = {{.fd = listener, .events = POLLIN}};
  uint64_t now = now_ms();
  int wait_ms = sooner(outputs_due_in(), feed_watchdog(now));
  for (int n = 0; n < CLIENTS_MAX; n++) {
    all[n + 1] = (struct pollfd){.fd = clients[n].fd, .events = POLLIN};
    if (clients[n].fd >= 0) wait_ms = sooner(wait_ms, time_left_ms(&clients[n], now));
  }
  struct timespec wait = {.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000L};
  if (ppoll(all, CLIENTS_MAX + 1, wait_ms < 0 ? NULL : &wait, waiting) < 0) return;
  /* Messages that came while the keeper itself was not running are handled before deadlines are checked. */
  for (int n = 0; n < CLIENTS_MAX; n++)
    if (all[n + 1].revents && clients[n].fd >= 0) serve(&clients[n]);
  for (int n = 0; n < CLIENTS_MAX; n++) check_deadline(&clients[n]);
  run_outputs();
  for (int n = 0; all[0].revents && n < BACKLOG && accept_client(listener); n++);
}

static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0 || strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  unlink(path);
  bool good = bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && chmod(path, 0660) == 0 &&
              listen(fd, BACKLOG) == 0;
  if (good) return fd;
  close(fd);
  return -1;
}

static int check(const char *table) {
  static struct output all[OUTPUTS_MAX];
  struct parse_error error;
  int total = read_table(table, TABLE, all, &error);
  if (total < 0) fprintf(stderr, "%s: %s\n", table, error.text);
  else printf("%s: %d outputs\n", table, total);
  return total < 0;
}

static int run(const struct paths *paths, const char *runtime) {
  char path[200];
  snprintf(path, sizeof path, "%s/socket", runtime);
  for (int n = 0; n < CLIENTS_MAX; n++) clients[n].fd = -1;
  /* Signals are handled only in ppoll, between two messages. */
  sigset_t ends, waiting;
  struct sigaction stop = {.sa_handler = on_signal};
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigprocmask(SIG_BLOCK, &ends, &waiting);
  sigaction(SIGTERM, &stop, NULL);
  sigaction(SIGINT, &stop, NULL);
  (void)mlockall(MCL_CURRENT | MCL_FUTURE); /* as far as the unit's limits allow: paging would only cost time */
  start_outputs(paths);
  run_outputs();
  int listener = listen_at(path);
  if (listener < 0) {
    fprintf(stderr, "<3>%s: %s\n", path, strerror(errno));
    return 1;
  }
  notify_systemd("READY=1", -1);
  /* The end drives nothing: systemd and the gateway keep the descriptors until the keeper is restarted. */
  while (!ended) turn(listener, &waiting);
  return 0;
}

int main(int argc, char **argv) {
  struct paths paths = {.devices = argc == 5 ? argv[4] : "/dev"};
  if (argc == 3 && !strcmp(argv[1], "--check")) return check(argv[2]);
  if (argc < 4 || argc > 5 || strcmp(argv[1], "--keep") != 0 || strlen(argv[3]) > 80) {
    fputs("usage: stellwerk-keeper --check TABLE\n       stellwerk-keeper --keep TABLE RUNTIME_DIRECTORY [DEVICES]\n", stderr);
    return 2;
  }
  paths.table = argv[2];
  snprintf(paths.state, sizeof paths.state, "%s/state", argv[3]);
  return run(&paths, argv[3]);
}
