/* Reading arguments and raising errors: the few lines of Node-API that every function here needs. */
#ifndef STELLWERK_GPIO_ARGS_H
#define STELLWERK_GPIO_ARGS_H

#include <node_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Leaves the calling function with NULL, an error pending, when a Node-API call fails. */
#define TRY(env, call)                                                                             \
  do {                                                                                             \
    if ((call) != napi_ok) return throw_napi(env, #call);                                          \
  } while (0)

/** Throws what Node-API says about its last failed call, unless something is already thrown. Gives NULL. */
napi_value throw_napi(napi_env env, const char *call);

/** Throws an Error with `code` ("EBUSY"), negative `errno` and `syscall`, as Node's own do. Gives NULL. */
napi_value throw_errno(napi_env env, int error, const char *syscall);

/** Throws a TypeError. Gives NULL. */
napi_value throw_type(napi_env env, const char *text);

/** Copies a string; false (TypeError thrown) when it is no string or does not fit. */
bool get_text(napi_env env, napi_value value, char *into, size_t size);

/** A property as an integer 0 … 2³²−1, or `missing` when undefined; false (TypeError thrown) for all else. */
bool get_uint(napi_env env, napi_value object, const char *name, uint32_t missing, uint32_t *into);

/** A BigInt of at most 64 bits; false (TypeError thrown) for all else. */
bool get_bits(napi_env env, napi_value value, uint64_t *into);

/** Sets `object[name]`, keeping quiet after a failure so that calls can follow one another. */
void put(napi_env env, napi_value object, const char *name, napi_value value);
void put_number(napi_env env, napi_value object, const char *name, double number);
void put_text(napi_env env, napi_value object, const char *name, const char *text, size_t most);

/** Adds a function to `object`. */
void put_function(napi_env env, napi_value object, const char *name, napi_callback body);

#endif
