/*
 * new KeeperSocket(path, onMessage, onEnd)   connects to a SOCK_SEQPACKET socket immediately, or throws
 *   .send(text, request?)                    sends one message, optionally with a line's Request
 *   .receive()                               calls back for what has arrived, without waiting for the event loop
 *   .close()
 *
 * onMessage(text, request) is called for each message, with the Request of the line that it carried, or
 * undefined. onEnd(code) is called once, when the peer is gone; the socket should then be closed. Nothing
 * blocks: a message that cannot be sent immediately throws EAGAIN.
 */
#define _GNU_SOURCE
#include "keeper-socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../keeper/rights.h"
#include "request.h"
#include "watched.h"

/* The keeper's messages are shorter. */
#define MESSAGE_MAX 1024
/* Maximum number of messages per turn of the event loop. */
#define BATCH 64

typedef struct {
  Watched watched;
} KeeperSocket;

static const napi_type_tag KEEPER_SOCKET_TAG = {0x1d0c4be07f6a4e5b, 0x8a64f37cb1e2d953};

/* ---- receiving ---- */

/* The size of a message, and the descriptor that it carried; 0 if the peer is gone, −1 with errno. */
static ssize_t receive(int from, char *text, int *fd) {
  union rights control;
  struct iovec part = {.iov_base = text, .iov_len = MESSAGE_MAX};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  ssize_t size = recvmsg(from, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  *fd = size < 0 ? -1 : attached_fd(&message);
  return size;
}

/* Creates a Request, which owns the descriptor from then on. */
static napi_value request_from(KeeperSocket *keeper, int *fd) {
  napi_env env = keeper->watched.env;
  napi_value exports, class, received, request = NULL;
  if (napi_get_reference_value(env, keeper->watched.kept, &exports) == napi_ok &&
      napi_get_named_property(env, exports, "Request", &class) == napi_ok &&
      napi_create_external(env, fd, NULL, NULL, &received) == napi_ok)
    napi_new_instance(env, class, 1, &received, &request);
  return request;
}

static void notify_message(KeeperSocket *keeper, const char *text, size_t size, int fd) {
  napi_env env = keeper->watched.env;
  napi_value arguments[2], error;
  bool ok = napi_create_string_utf8(env, text, size, &arguments[0]) == napi_ok;
  if (ok && fd >= 0) ok = (arguments[1] = request_from(keeper, &fd)) != NULL;
  else if (ok) ok = napi_get_undefined(env, &arguments[1]) == napi_ok;
  if (fd >= 0) close(fd);
  if (ok) call_back(&keeper->watched, keeper->watched.on_data, 2, arguments);
  else if (napi_get_and_clear_last_exception(env, &error) == napi_ok) napi_fatal_exception(env, error);
}

static void on_ready(Watched *watched, bool hung_up) {
  char text[MESSAGE_MAX];
  for (int n = 0; n < BATCH && watched->watched; n++) {
    int fd;
    ssize_t size = receive(watched->fd, text, &fd);
    if (size < 0 && !hung_up && (errno == EAGAIN || errno == EINTR)) return;
    /* The keeper closed with messages of ours unread. Its own messages before that follow. */
    if (size < 0 && errno == ECONNRESET) continue;
    if (size <= 0) return notify_end(watched, size < 0 ? errno : EPIPE);
    notify_message((KeeperSocket *)watched, text, (size_t)size, fd);
  }
}

/* ---- creation ---- */

static int connect_to(const struct sockaddr_un *address) {
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof *address) == 0) return fd;
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

static napi_value create(napi_env env, napi_callback_info info) {
  size_t count = 3;
  napi_value arguments[3], self, exports;
  void *data;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  TRY(env, napi_get_cb_info(env, info, &count, arguments, &self, &data));
  if (!get_text(env, arguments[0], address.sun_path, sizeof address.sun_path) || !are_functions(env, arguments + 1)) return NULL;
  TRY(env, napi_get_reference_value(env, data, &exports));
  KeeperSocket *keeper = calloc(1, sizeof *keeper);
  if (!keeper) return throw_errno(env, ENOMEM, "connect");
  keeper->watched = (Watched){.env = env, .fd = -1, .owners = 1, .on_ready = on_ready};
  if (napi_wrap(env, self, keeper, on_collected, NULL, NULL) != napi_ok) {
    free(keeper);
    return throw_napi(env, "napi_wrap");
  }
  TRY(env, napi_type_tag_object(env, self, &KEEPER_SOCKET_TAG));
  keeper->watched.fd = connect_to(&address);
  if (keeper->watched.fd < 0) return throw_errno(env, errno, "connect");
  if (!start_watching(&keeper->watched, self, arguments + 1, exports, "GpioKeeperSocket")) return NULL;
  /* The socket does not keep the process alive: if it ends without a goodbye, that is what the keeper is for.
   */
  uv_unref((uv_handle_t *)&keeper->watched.poll);
  return self;
}

static KeeperSocket *keeper_of(napi_env env, napi_value object) {
  bool ours = false;
  KeeperSocket *keeper = NULL;
  if (napi_check_object_type_tag(env, object, &KEEPER_SOCKET_TAG, &ours) == napi_ok && ours &&
      napi_unwrap(env, object, (void **)&keeper) == napi_ok)
    return keeper;
  throw_type(env, "not a KeeperSocket");
  return NULL;
}

static napi_value send_message(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2], self;
  napi_valuetype type;
  char text[MESSAGE_MAX];
  union rights control = {0};
  TRY(env, napi_get_cb_info(env, info, &count, arguments, &self, NULL));
  KeeperSocket *keeper = keeper_of(env, self);
  if (!keeper || !get_text(env, arguments[0], text, sizeof text)) return NULL;
  TRY(env, napi_typeof(env, arguments[1], &type));
  struct iovec part = {.iov_base = text, .iov_len = strlen(text)};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (type != napi_undefined) {
    int fd = request_fd(env, arguments[1]);
    if (fd < 0) return NULL;
    attach_fd(&message, &control, fd);
  }
  if (sendmsg(keeper->watched.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return throw_errno(env, errno, "send");
  return NULL;
}

static napi_value receive_messages(napi_env env, napi_callback_info info) {
  size_t count = 0;
  napi_value self;
  TRY(env, napi_get_cb_info(env, info, &count, NULL, &self, NULL));
  KeeperSocket *keeper = keeper_of(env, self);
  if (keeper && !keeper->watched.ended) on_ready(&keeper->watched, false);
  return NULL;
}

static napi_value close_keeper(napi_env env, napi_callback_info info) {
  size_t count = 0;
  napi_value self;
  TRY(env, napi_get_cb_info(env, info, &count, NULL, &self, NULL));
  KeeperSocket *keeper = keeper_of(env, self);
  if (keeper) close_watched(&keeper->watched);
  return NULL;
}

napi_value define_keeper_socket(napi_env env, napi_value exports) {
  const napi_property_descriptor methods[] = {
      {.utf8name = "send", .method = send_message},
      {.utf8name = "receive", .method = receive_messages},
      {.utf8name = "close", .method = close_keeper},
  };
  napi_value class;
  napi_ref reference;
  /* The reference lives as long as the environment, like the class. */
  TRY(env, napi_create_reference(env, exports, 1, &reference));
  TRY(env, napi_define_class(env, "KeeperSocket", NAPI_AUTO_LENGTH, create, reference, sizeof methods / sizeof *methods,
                             methods, &class));
  put(env, exports, "KeeperSocket", class);
  return exports;
}
