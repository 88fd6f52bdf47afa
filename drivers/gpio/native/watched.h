/*
 * A descriptor that belongs to a JavaScript object and that the event loop can watch: the common part of
 * requested lines and of the connection to the line keeper.
 *
 * It has two owners: the JavaScript object, and libuv from start_watching() until its close callback. The
 * last one to release it frees the memory. While it is watched, a strong reference keeps the object from
 * being collected.
 */
#ifndef STELLWERK_GPIO_WATCHED_H
#define STELLWERK_GPIO_WATCHED_H

#include <uv.h>

#include "args.h"

/** The first member of a struct that is allocated by calloc and wrapped with `on_collected`. */
typedef struct Watched {
  napi_env env;
  int fd; /* −1 once closed */
  int owners;
  bool watched, ended; /* ended: no more data will come */
  uv_poll_t poll;
  /** Called in a handle scope when the descriptor is readable, or (hung_up) never will be again. */
  void (*on_ready)(struct Watched *watched, bool hung_up);
  napi_ref self, kept, on_data, on_end;
  napi_async_context context;
  napi_async_cleanup_hook_handle hook;
} Watched;

/** The finalizer for napi_wrap. */
void on_collected(napi_env env, void *data, void *hint);

/**
 * Starts watching; `functions` are on_data and on_end, `kept` is a value to keep alive meanwhile. False with
 * an error thrown.
 */
bool start_watching(Watched *watched, napi_value self, const napi_value *functions, napi_value kept, const char *name);

/**
 * Stops watching immediately and closes the descriptor: JavaScript is not called any more. May be called
 * twice.
 */
void close_watched(Watched *watched);

/** Calls a JavaScript function; an exception becomes an 'uncaughtException', as in any callback. */
void call_back(Watched *watched, napi_ref function, size_t count, napi_value *arguments);

/** Stops polling and calls on_end with the error's name: no more data will come. */
void notify_end(Watched *watched, int error);

/** Stops or resumes polling; returns an errno. Does nothing if not watching, or after the end. */
int pause_watching(Watched *watched, bool paused);

/** True if both values are functions; otherwise an error is thrown. */
bool are_functions(napi_env env, const napi_value *values);

#endif
