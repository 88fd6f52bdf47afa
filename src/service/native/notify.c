/*
 * notify(path, text): one datagram to systemd's notification socket (sd_notify(3)) or to journald, which Node
 * itself can't send. A path that begins with '@' is an abstract address. Never blocks; throws an Error with
 * `code` when it can't be sent.
 *
 * trimAllocator(): returns unused memory of the C library to the system (malloc_trim(3)).
 * After many large requests that is most of what the process has, as small pieces that are in use keep it
 * from shrinking by itself.
 */
#define _GNU_SOURCE /* strerrorname_np */
#include <errno.h>
#include <malloc.h>
#include <node_api.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* More than any line of the log; systemd reads at most a page of a state, which is always shorter. */
#define TEXT_MAX 65536

static napi_value fail(napi_env env, const char *code, const char *text) {
  napi_throw_error(env, code, text);
  return NULL;
}

static napi_value fail_errno(napi_env env, int error) {
  return fail(env, strerrorname_np(error), strerror(error));
}

/* A closed or full socket is the caller's to know, not to wait for or to die of. */
static int send_datagram(const struct sockaddr_un *to, socklen_t to_size, const char *text, size_t size) {
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return errno;
  ssize_t sent = sendto(fd, text, size, MSG_NOSIGNAL, (const struct sockaddr *)to, to_size);
  int error = sent < 0 ? errno : 0;
  close(fd);
  return error;
}

static napi_value notify(napi_env env, napi_callback_info info) {
  size_t count = 2, path_size = 0, text_size = 0;
  napi_value arguments[2];
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  char text[TEXT_MAX];
  if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL) != napi_ok ||
      napi_get_value_string_utf8(env, arguments[0], to.sun_path, sizeof to.sun_path, &path_size) != napi_ok ||
      napi_get_value_string_utf8(env, arguments[1], text, sizeof text, &text_size) != napi_ok)
    return fail(env, "EINVAL", "notify takes a path and a text");
  if (path_size == 0 || path_size >= sizeof to.sun_path - 1 || (to.sun_path[0] != '/' && to.sun_path[0] != '@'))
    return fail(env, "EINVAL", "the socket's path must begin with / or @ and be shorter than 107 bytes");
  if (text_size >= sizeof text - 1) return fail(env, "EMSGSIZE", "the text is too long");
  if (to.sun_path[0] == '@') to.sun_path[0] = '\0';
  socklen_t to_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path_size);
  int error = send_datagram(&to, to_size, text, text_size);
  return error ? fail_errno(env, error) : NULL;
}

static napi_value trim_allocator(napi_env env, napi_callback_info info) {
  (void)env, (void)info;
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  return NULL;
}

static int offer(napi_env env, napi_value exports, const char *name, napi_callback call) {
  napi_value function;
  return napi_create_function(env, name, NAPI_AUTO_LENGTH, call, NULL, &function) == napi_ok &&
         napi_set_named_property(env, exports, name, function) == napi_ok;
}

NAPI_MODULE_INIT() {
  return offer(env, exports, "notify", notify) && offer(env, exports, "trimAllocator", trim_allocator) ? exports : NULL;
}
