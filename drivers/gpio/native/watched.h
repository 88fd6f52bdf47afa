/*
 * A descriptor behind a JavaScript object, that the event loop can watch: what requested lines and the way to the line
 * keeper have in common.
 *
 * It has two owners: the JavaScript object, and libuv from start_watching() until its close callback. Whichever lets go
 * last frees the memory. While watched, the object is held by a strong reference, so that it can't be collected.
 */
#ifndef STELLWERK_GPIO_WATCHED_H
#define STELLWERK_GPIO_WATCHED_H

#include <uv.h>

#include "args.h"

/** The first member of what it watches, which is allocated by calloc and wrapped with `on_collected`. */
typedef struct Watched {
  napi_env env;
  int fd; /* −1 once closed */
  int owners;
  bool watched, ended; /* ended: nothing more comes */
  uv_poll_t poll;
  /** Called in a handle scope when there is something to read, or (hung_up) nothing will be any more. */
  void (*on_ready)(struct Watched *watched, bool hung_up);
  napi_ref self, kept, on_data, on_end;
  napi_async_context context;
  napi_async_cleanup_hook_handle hook;
} Watched;

/** The finalizer of the object that wraps it: napi_wrap's. */
void on_collected(napi_env env, void *data, void *hint);

/** Watches; `functions` are on_data and on_end, `kept` is a value that must live as long. False with an error thrown. */
bool start_watching(Watched *watched, napi_value self, const napi_value *functions, napi_value kept, const char *name);

/** Ends watching at once and closes the descriptor: no call into JavaScript follows. Twice is fine. */
void close_watched(Watched *watched);

/** Calls a function of JavaScript's; what it throws is as of any callback: 'uncaughtException'. */
void call_back(Watched *watched, napi_ref function, size_t count, napi_value *arguments);

/** Nothing more comes: tells on_end the error's name, and polls no more. */
void tell_end(Watched *watched, int error);

/** Polls no more, or again; gives an errno. Does nothing where nothing is watched or comes any more. */
int pause_watching(Watched *watched, bool paused);

/** True when both values are functions; else an error is thrown. */
bool are_functions(napi_env env, const napi_value *values);

#endif
