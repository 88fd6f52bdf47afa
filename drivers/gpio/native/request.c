/*
 * new Request(path, { offsets, consumer, flags, values, debounceUs, eventBuffer })
 *   .get(mask) → bits              .set(mask, bits)              .configure({ flags, values, debounceUs })
 *   .watch(onEvents, onEnd) → events    .pause(isPaused)          .close()
 *
 * Bit n of a mask or of values belongs to offsets[n] (BigInt). An output must be requested together with its
 * values; otherwise the kernel drives 0. watch() returns the ArrayBuffer into which events are read: an array
 * of struct gpio_v2_line_event, the same memory each time. onEvents(count) is called when events were read,
 * at most once per turn of the event loop, and not while paused: then the kernel buffers them. onEnd(code) is
 * called once if no more events will come (the chip is gone); the request should then be closed.
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
#include "watched.h"

/* Maximum number of events per turn, so that a flood on one line does not starve the others. */
#define BATCH 64
#define EVENT_SIZE sizeof(struct gpio_v2_line_event)

typedef struct {
  Watched watched;
  uint32_t lines;
  void *events; /* the memory of the ArrayBuffer, which stays alive while watched */
} Request;

/* Distinguishes objects of this class from others on which its methods are called. */
static const napi_type_tag REQUEST_TAG = {0x5eaf2f0b1d7c4a63, 0x9c1e0f5b7a2d4e88};

static uint64_t all_of(uint32_t lines) { return lines >= 64 ? UINT64_MAX : (1ull << lines) - 1; }

/* ---- the configuration of a request ---- */

static void add_attribute(struct gpio_v2_line_config *config, uint32_t lines,
                          struct gpio_v2_line_attribute attribute) {
  config->attrs[config->num_attrs].attr = attribute;
  config->attrs[config->num_attrs++].mask = all_of(lines);
}

static bool get_config(napi_env env, napi_value options, uint32_t lines, struct gpio_v2_line_config *config) {
  uint32_t flags, debounce_us;
  napi_value values;
  napi_valuetype type;
  if (!get_uint(env, options, "flags", 0, &flags)) return false;
  if (!get_uint(env, options, "debounceUs", 0, &debounce_us)) return false;
  config->flags = flags;
  if (napi_get_named_property(env, options, "values", &values) != napi_ok ||
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
    throw_type(env, "an output needs values: without them the kernel drives 0");
    return false;
  }
  if (debounce_us > 0)
    add_attribute(config, lines,
                  (struct gpio_v2_line_attribute){.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE,
                                                  .debounce_period_us = debounce_us});
  return true;
}

static bool get_offsets(napi_env env, napi_value options, struct gpio_v2_line_request *into) {
  napi_value offsets, offset;
  uint32_t count = 0;
  bool good = napi_get_named_property(env, options, "offsets", &offsets) == napi_ok &&
              napi_get_array_length(env, offsets, &count) == napi_ok && count > 0 &&
              count <= GPIO_V2_LINES_MAX;
  for (uint32_t n = 0; good && n < count; n++)
    good = napi_get_element(env, offsets, n, &offset) == napi_ok &&
           napi_get_value_uint32(env, offset, &into->offsets[n]) == napi_ok;
  if (!good) throw_type(env, "offsets must be an array of 1 to 64 line offsets");
  into->num_lines = count;
  return good;
}

/* ---- events ---- */

static void notify_events(Request *request, size_t count) {
  napi_value number;
  if (napi_create_uint32(request->watched.env, (uint32_t)count, &number) == napi_ok)
    call_back(&request->watched, request->watched.on_data, 1, &number);
}

/* Ready, or (since Linux 6.12) hung up: reading shows which. */
static void on_ready(Watched *watched, bool hung_up) {
  Request *request = (Request *)watched;
  ssize_t size = read(watched->fd, request->events, BATCH * EVENT_SIZE);
  int error = size < 0 ? errno : 0;
  if (size <= 0 && !hung_up && (error == EAGAIN || error == EINTR)) return;
  if (size > 0) notify_events(request, (size_t)size / EVENT_SIZE);
  else notify_end(watched, error == 0 || error == EAGAIN ? ENODEV : error);
}

/* ---- creation ---- */

/* Wraps a request that has no descriptor yet; NULL with an error thrown. */
static Request *wrap(napi_env env, napi_value self, uint32_t lines) {
  Request *request = calloc(1, sizeof *request);
  if (!request) {
    throw_errno(env, ENOMEM, "request lines");
    return NULL;
  }
  *request = (Request){.watched = {.env = env, .fd = -1, .owners = 1, .on_ready = on_ready}, .lines = lines};
  if (napi_wrap(env, self, request, on_collected, NULL, NULL) != napi_ok) {
    free(request);
    throw_napi(env, "napi_wrap");
    return NULL;
  }
  if (napi_type_tag_object(env, self, &REQUEST_TAG) == napi_ok) return request;
  throw_napi(env, "napi_type_tag_object");
  return NULL;
}

/* A line that another process has requested, from the descriptor that it sent (`keeper-socket.c`). */
static napi_value create_received(napi_env env, napi_value self, napi_value received) {
  void *fd;
  Request *request = wrap(env, self, 1);
  if (!request) return NULL;
  TRY(env, napi_get_value_external(env, received, &fd));
  request->watched.fd = *(int *)fd;
  *(int *)fd = -1;
  return self;
}

static napi_value create(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2], self, consumer;
  char path[4096];
  struct gpio_v2_line_request line_request = {0};
  napi_valuetype type;
  TRY(env, napi_get_cb_info(env, info, &count, arguments, &self, NULL));
  TRY(env, napi_typeof(env, arguments[0], &type));
  if (type == napi_external) return create_received(env, self, arguments[0]);
  if (!get_text(env, arguments[0], path, sizeof path)) return NULL;
  TRY(env, napi_get_named_property(env, arguments[1], "consumer", &consumer));
  if (!get_text(env, consumer, line_request.consumer, sizeof line_request.consumer)) return NULL;
  if (!get_offsets(env, arguments[1], &line_request)) return NULL;
  if (!get_config(env, arguments[1], line_request.num_lines, &line_request.config)) return NULL;
  if (!get_uint(env, arguments[1], "eventBuffer", 0, &line_request.event_buffer_size)) return NULL;

  Request *request = wrap(env, self, line_request.num_lines);
  if (!request) return NULL;
  int chip = open_chip(path);
  if (chip < 0) return throw_errno(env, errno, "open chip");
  int error = ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &line_request) < 0 ? errno : 0;
  close(chip);
  if (error) return throw_errno(env, error, "request lines");
  request->watched.fd = line_request.fd;
  return self;
}

/* ---- values ---- */

/* The request behind a value, open or closed; NULL with an error thrown if it is not one. */
static Request *request_of(napi_env env, napi_value object) {
  bool ours = false;
  Request *request = NULL;
  if (napi_check_object_type_tag(env, object, &REQUEST_TAG, &ours) == napi_ok && ours &&
      napi_unwrap(env, object, (void **)&request) == napi_ok)
    return request;
  throw_type(env, "not a Request");
  return NULL;
}

int request_fd(napi_env env, napi_value object) {
  Request *request = request_of(env, object);
  if (request && request->watched.fd < 0) throw_errno(env, EBADF, "the request is closed");
  return request ? request->watched.fd : -1;
}

/* The open request behind `this`, with the call's arguments; NULL with an error thrown if it is not one or is
 * closed. */
static Request *open_request(napi_env env, napi_callback_info info, size_t count, napi_value *arguments,
                             napi_value *self) {
  napi_value object;
  if (napi_get_cb_info(env, info, &count, arguments, &object, NULL) != napi_ok) {
    throw_napi(env, "napi_get_cb_info");
    return NULL;
  }
  if (request_fd(env, object) < 0) return NULL;
  if (self) *self = object;
  return request_of(env, object);
}

static napi_value get(napi_env env, napi_callback_info info) {
  napi_value mask, result;
  struct gpio_v2_line_values values = {0};
  uint64_t bits;
  Request *request = open_request(env, info, 1, &mask, NULL);
  if (!request || !get_bits(env, mask, &bits)) return NULL;
  values.mask = bits;
  if (ioctl(request->watched.fd, GPIO_V2_LINE_GET_VALUES_IOCTL, &values) < 0)
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
  if (ioctl(request->watched.fd, GPIO_V2_LINE_SET_VALUES_IOCTL, &values) < 0)
    return throw_errno(env, errno, "set values");
  return NULL;
}

static napi_value configure(napi_env env, napi_callback_info info) {
  napi_value options;
  struct gpio_v2_line_config config = {0};
  Request *request = open_request(env, info, 1, &options, NULL);
  if (!request || !get_config(env, options, request->lines, &config)) return NULL;
  if (ioctl(request->watched.fd, GPIO_V2_LINE_SET_CONFIG_IOCTL, &config) < 0)
    return throw_errno(env, errno, "configure lines");
  return NULL;
}

/* ---- watching and closing ---- */

static napi_value watch(napi_env env, napi_callback_info info) {
  napi_value functions[2], self, buffer;
  Request *request = open_request(env, info, 2, functions, &self);
  if (!request || !are_functions(env, functions)) return NULL;
  if (request->watched.owners > 1 || request->watched.watched) return throw_type(env, "already watched");
  TRY(env, napi_create_arraybuffer(env, BATCH * EVENT_SIZE, &request->events, &buffer));
  return start_watching(&request->watched, self, functions, buffer, "GpioRequest") ? buffer : NULL;
}

/* Leaves events in the kernel's buffer, or resumes reading them. */
static napi_value pause_events(napi_env env, napi_callback_info info) {
  napi_value argument;
  bool paused;
  Request *request = open_request(env, info, 1, &argument, NULL);
  if (!request) return NULL;
  if (napi_get_value_bool(env, argument, &paused) != napi_ok) return throw_type(env, "pause takes a boolean");
  int error = pause_watching(&request->watched, paused);
  return error ? throw_errno(env, error, "pause") : NULL;
}

static napi_value close_request(napi_env env, napi_callback_info info) {
  napi_value self;
  size_t count = 0;
  TRY(env, napi_get_cb_info(env, info, &count, NULL, &self, NULL));
  Request *request = request_of(env, self);
  if (request) close_watched(&request->watched);
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
