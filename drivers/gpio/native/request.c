/*
 * new Request(path, { offsets, consumer, flags, values, debounceUs, eventBuffer })
 *   .get(mask) → bits              .set(mask, bits)              .configure({ flags, values, debounceUs })
 *   .watch(onEvents, onEnd) → events    .pause(isPaused)          .close()
 *
 * Bit n of a mask or of values belongs to offsets[n] (BigInt). An output must be requested together with its
 * values: the kernel drives 0 otherwise. watch() gives the ArrayBuffer into which events are read, one
 * struct gpio_v2_line_event after the other, the same memory again each time; onEvents(count) is called when there are
 * some, at most once a turn of the event loop, and not while paused: the kernel keeps them. onEnd(code) is called once when the kernel gives no more of them (the
 * chip is gone); the request is to be closed then.
 *
 * A Request has two owners: the JavaScript object, and libuv from watch() until its close callback. Whichever lets go
 * last frees the memory. While watched, the object is held by a strong reference, so that it can't be collected.
 */
#include "request.h"

#include <errno.h>
#include <linux/gpio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <uv.h>

#include "args.h"
#include "chip.h"

/* Events taken in one turn: a line that floods us must let the others have theirs. */
#define BATCH 64
#define EVENT_SIZE sizeof(struct gpio_v2_line_event)

typedef struct {
  napi_env env;
  int fd; /* −1 once closed */
  uint32_t lines;
  int owners;
  bool watched, ended; /* ended: no more events come */
  uv_poll_t poll;
  void *events; /* the memory behind the ArrayBuffer, alive as long as `buffer` */
  napi_ref self, buffer, on_events, on_end;
  napi_async_context context;
  napi_async_cleanup_hook_handle hook;
} Request;

/* Tells our objects from foreign ones with a borrowed method. */
static const napi_type_tag REQUEST_TAG = {0x5eaf2f0b1d7c4a63, 0x9c1e0f5b7a2d4e88};

static uint64_t all_of(uint32_t lines) { return lines >= 64 ? UINT64_MAX : (1ull << lines) - 1; }

static void let_go(Request *request) {
  if (--request->owners == 0) free(request);
}

static void close_fd(Request *request) {
  if (request->fd >= 0) close(request->fd);
  request->fd = -1;
}

/* ---- the configuration that a request or a later change of it carries ---- */

static void add_attribute(struct gpio_v2_line_config *config, uint32_t lines,
                          struct gpio_v2_line_attribute attribute) {
  config->attrs[config->num_attrs].attr = attribute;
  config->attrs[config->num_attrs++].mask = all_of(lines);
}

static bool get_config(napi_env env, napi_value wish, uint32_t lines, struct gpio_v2_line_config *config) {
  uint32_t flags, debounce_us;
  napi_value values;
  napi_valuetype type;
  if (!get_uint(env, wish, "flags", 0, &flags)) return false;
  if (!get_uint(env, wish, "debounceUs", 0, &debounce_us)) return false;
  config->flags = flags;
  if (napi_get_named_property(env, wish, "values", &values) != napi_ok ||
      napi_typeof(env, values, &type) != napi_ok) {
    throw_napi(env, "values");
    return false;
  }
  if (type != napi_undefined) {
    uint64_t bits;
    if (!get_bits(env, values, &bits)) return false;
    add_attribute(config, lines,
                  (struct gpio_v2_line_attribute){.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES, .values = bits});
  } else if (flags & GPIO_V2_LINE_FLAG_OUTPUT) {
    throw_type(env, "an output needs its values: without them the kernel drives 0");
    return false;
  }
  if (debounce_us > 0)
    add_attribute(config, lines,
                  (struct gpio_v2_line_attribute){.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE,
                                                  .debounce_period_us = debounce_us});
  return true;
}

static bool get_offsets(napi_env env, napi_value wish, struct gpio_v2_line_request *into) {
  napi_value offsets, offset;
  uint32_t count = 0;
  bool good = napi_get_named_property(env, wish, "offsets", &offsets) == napi_ok &&
              napi_get_array_length(env, offsets, &count) == napi_ok && count > 0 &&
              count <= GPIO_V2_LINES_MAX;
  for (uint32_t n = 0; good && n < count; n++)
    good = napi_get_element(env, offsets, n, &offset) == napi_ok &&
           napi_get_value_uint32(env, offset, &into->offsets[n]) == napi_ok;
  if (!good) throw_type(env, "offsets must be an array of 1 to 64 line offsets");
  into->num_lines = count;
  return good;
}

/* ---- life and death ---- */

/* Libuv has let go. No Node-API here but the hook's: the environment may be gone already. */
static void on_poll_closed(uv_handle_t *handle) {
  Request *request = handle->data;
  if (request->hook) napi_remove_async_cleanup_hook(request->hook);
  let_go(request);
}

static void delete_reference(Request *request, napi_ref *reference) {
  if (*reference) napi_delete_reference(request->env, *reference);
  *reference = NULL;
}

/* Ends watching at once: no call into JavaScript follows. What is left is libuv's to finish. */
static void stop_watching(Request *request) {
  if (!request->watched) return;
  request->watched = false;
  uv_poll_stop(&request->poll);
  uv_close((uv_handle_t *)&request->poll, on_poll_closed);
  delete_reference(request, &request->on_events);
  delete_reference(request, &request->on_end);
  delete_reference(request, &request->buffer);
  delete_reference(request, &request->self);
  if (request->context) napi_async_destroy(request->env, request->context);
  request->context = NULL;
}

/* The environment ends (a worker stops, the process exits): an open libuv handle would abort it. */
static void on_environment_end(napi_async_cleanup_hook_handle hook, void *data) {
  (void)hook;
  Request *request = data;
  stop_watching(request);
  close_fd(request);
}

static void on_collected(napi_env env, void *data, void *hint) {
  (void)env, (void)hint;
  Request *request = data;
  stop_watching(request);
  close_fd(request);
  let_go(request);
}

static napi_value create(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2], self, consumer;
  char path[4096];
  struct gpio_v2_line_request ask = {0};
  TRY(env, napi_get_cb_info(env, info, &count, arguments, &self, NULL));
  if (!get_text(env, arguments[0], path, sizeof path)) return NULL;
  TRY(env, napi_get_named_property(env, arguments[1], "consumer", &consumer));
  if (!get_text(env, consumer, ask.consumer, sizeof ask.consumer)) return NULL;
  if (!get_offsets(env, arguments[1], &ask)) return NULL;
  if (!get_config(env, arguments[1], ask.num_lines, &ask.config)) return NULL;
  if (!get_uint(env, arguments[1], "eventBuffer", 0, &ask.event_buffer_size)) return NULL;

  Request *request = calloc(1, sizeof *request);
  if (!request) return throw_errno(env, ENOMEM, "request lines");
  *request = (Request){.env = env, .fd = -1, .lines = ask.num_lines, .owners = 1};
  if (napi_wrap(env, self, request, on_collected, NULL, NULL) != napi_ok) {
    free(request);
    return throw_napi(env, "napi_wrap");
  }
  TRY(env, napi_type_tag_object(env, self, &REQUEST_TAG));

  int chip = open_chip(path);
  if (chip < 0) return throw_errno(env, errno, "open chip");
  int error = ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &ask) < 0 ? errno : 0;
  close(chip);
  if (error) return throw_errno(env, error, "request lines");
  request->fd = ask.fd;
  return self;
}

/* ---- values ---- */

/* The request behind `this`, with the call's arguments: NULL with an error thrown when it is none or is closed. */
static Request *open_request(napi_env env, napi_callback_info info, size_t count, napi_value *arguments,
                             napi_value *self) {
  bool ours = false;
  Request *request = NULL;
  napi_value object;
  if (napi_get_cb_info(env, info, &count, arguments, &object, NULL) != napi_ok ||
      napi_check_object_type_tag(env, object, &REQUEST_TAG, &ours) != napi_ok || !ours ||
      napi_unwrap(env, object, (void **)&request) != napi_ok) {
    throw_type(env, "not a Request");
    return NULL;
  }
  if (request->fd < 0) {
    throw_errno(env, EBADF, "the request is closed");
    return NULL;
  }
  if (self) *self = object;
  return request;
}

static napi_value get(napi_env env, napi_callback_info info) {
  napi_value mask, result;
  struct gpio_v2_line_values values = {0};
  uint64_t wanted;
  Request *request = open_request(env, info, 1, &mask, NULL);
  if (!request || !get_bits(env, mask, &wanted)) return NULL;
  values.mask = wanted;
  if (ioctl(request->fd, GPIO_V2_LINE_GET_VALUES_IOCTL, &values) < 0)
    return throw_errno(env, errno, "get values");
  TRY(env, napi_create_bigint_uint64(env, values.bits, &result));
  return result;
}

static napi_value set(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  uint64_t mask, bits;
  Request *request = open_request(env, info, 2, arguments, NULL);
  if (!request || !get_bits(env, arguments[0], &mask) || !get_bits(env, arguments[1], &bits)) return NULL;
  struct gpio_v2_line_values values = {.mask = mask, .bits = bits};
  if (ioctl(request->fd, GPIO_V2_LINE_SET_VALUES_IOCTL, &values) < 0)
    return throw_errno(env, errno, "set values");
  return NULL;
}

static napi_value configure(napi_env env, napi_callback_info info) {
  napi_value wish;
  struct gpio_v2_line_config config = {0};
  Request *request = open_request(env, info, 1, &wish, NULL);
  if (!request || !get_config(env, wish, request->lines, &config)) return NULL;
  if (ioctl(request->fd, GPIO_V2_LINE_SET_CONFIG_IOCTL, &config) < 0)
    return throw_errno(env, errno, "configure lines");
  return NULL;
}

/* ---- events ---- */

static void call(Request *request, napi_ref function_reference, size_t count, napi_value *arguments) {
  napi_env env = request->env;
  napi_value function, receiver, error;
  if (napi_get_reference_value(env, function_reference, &function) != napi_ok ||
      napi_get_global(env, &receiver) != napi_ok)
    return;
  if (napi_make_callback(env, request->context, receiver, function, count, arguments, NULL) !=
          napi_pending_exception ||
      napi_get_and_clear_last_exception(env, &error) != napi_ok)
    return;
  napi_fatal_exception(env, error); /* as for any callback that throws: 'uncaughtException' */
}

/* No more events come from this request. Polling stops first: a hung-up descriptor is ready for ever. */
static void tell_end(Request *request, int error) {
  napi_value code;
  request->ended = true;
  uv_poll_stop(&request->poll);
  if (napi_create_string_utf8(request->env, uv_err_name(-error), NAPI_AUTO_LENGTH, &code) == napi_ok)
    call(request, request->on_end, 1, &code);
}

static void tell_events(Request *request, size_t count) {
  napi_value number;
  if (napi_create_uint32(request->env, (uint32_t)count, &number) == napi_ok)
    call(request, request->on_events, 1, &number);
}

/* Ready, or (status < 0, Linux 6.12 on) hung up: reading tells which, and what of. */
static void on_ready(uv_poll_t *poll, int status, int ready) {
  (void)ready;
  Request *request = poll->data;
  napi_handle_scope scope;
  ssize_t size = read(request->fd, request->events, BATCH * EVENT_SIZE);
  int error = size < 0 ? errno : 0;
  if (size <= 0 && status == 0 && (error == EAGAIN || error == EINTR)) return;
  if (napi_open_handle_scope(request->env, &scope) != napi_ok) return;
  if (size > 0)
    tell_events(request, (size_t)size / EVENT_SIZE);
  else
    tell_end(request, error == 0 || error == EAGAIN ? ENODEV : error);
  napi_close_handle_scope(request->env, scope);
}

/* All that JavaScript must keep alive for us while libuv may call. */
static napi_status keep(Request *request, napi_value self, napi_value *functions, napi_value *buffer) {
  napi_env env = request->env;
  napi_value name;
  napi_status status = napi_create_arraybuffer(env, BATCH * EVENT_SIZE, &request->events, buffer);
  if (status == napi_ok) status = napi_create_reference(env, *buffer, 1, &request->buffer);
  if (status == napi_ok) status = napi_create_reference(env, functions[0], 1, &request->on_events);
  if (status == napi_ok) status = napi_create_reference(env, functions[1], 1, &request->on_end);
  if (status == napi_ok) status = napi_create_reference(env, self, 1, &request->self);
  if (status == napi_ok) status = napi_create_string_utf8(env, "GpioRequest", NAPI_AUTO_LENGTH, &name);
  if (status == napi_ok) status = napi_async_init(env, self, name, &request->context);
  return status;
}

static napi_value watch(napi_env env, napi_callback_info info) {
  napi_value functions[2], self, buffer;
  uv_loop_t *loop;
  Request *request = open_request(env, info, 2, functions, &self);
  if (!request) return NULL;
  for (int n = 0; n < 2; n++) {
    napi_valuetype type;
    TRY(env, napi_typeof(env, functions[n], &type));
    if (type != napi_function) return throw_type(env, "watch takes two functions");
  }
  if (request->owners > 1 || request->watched) return throw_type(env, "already watched");
  TRY(env, napi_get_uv_event_loop(env, &loop));
  int error = uv_poll_init(loop, &request->poll, request->fd);
  if (error) return throw_errno(env, -error, "watch lines");

  request->poll.data = request;
  request->owners++;
  request->watched = true;
  napi_status status = keep(request, self, functions, &buffer);
  if (status == napi_ok) status = napi_add_async_cleanup_hook(env, on_environment_end, request, &request->hook);
  if (status == napi_ok) error = uv_poll_start(&request->poll, UV_READABLE, on_ready);
  if (status == napi_ok && error == 0) return buffer;
  stop_watching(request);
  return error ? throw_errno(env, -error, "watch lines") : throw_napi(env, "watch");
}

/* Leaves events to the kernel's buffer, or takes them again. */
static napi_value pause_events(napi_env env, napi_callback_info info) {
  napi_value argument;
  bool paused;
  Request *request = open_request(env, info, 1, &argument, NULL);
  if (!request) return NULL;
  if (napi_get_value_bool(env, argument, &paused) != napi_ok) return throw_type(env, "pause takes a boolean");
  if (!request->watched || request->ended) return NULL;
  int error = paused ? uv_poll_stop(&request->poll) : uv_poll_start(&request->poll, UV_READABLE, on_ready);
  return error ? throw_errno(env, -error, "pause") : NULL;
}

static napi_value close_request(napi_env env, napi_callback_info info) {
  Request *request = NULL;
  bool ours = false;
  napi_value self;
  size_t count = 0;
  TRY(env, napi_get_cb_info(env, info, &count, NULL, &self, NULL));
  TRY(env, napi_check_object_type_tag(env, self, &REQUEST_TAG, &ours));
  if (!ours) return throw_type(env, "not a Request");
  TRY(env, napi_unwrap(env, self, (void **)&request));
  stop_watching(request);
  close_fd(request);
  return NULL;
}

napi_value define_request(napi_env env, napi_value exports) {
  const napi_property_descriptor methods[] = {
      {.utf8name = "get", .method = get},
      {.utf8name = "set", .method = set},
      {.utf8name = "configure", .method = configure},
      {.utf8name = "watch", .method = watch},
      {.utf8name = "pause", .method = pause_events},
      {.utf8name = "close", .method = close_request},
  };
  napi_value class;
  TRY(env, napi_define_class(env, "Request", NAPI_AUTO_LENGTH, create, NULL,
                             sizeof methods / sizeof *methods, methods, &class));
  put(env, exports, "Request", class);
  return exports;
}
