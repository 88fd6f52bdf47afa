/* Helpers for Node-API that every function of the addon needs: reading arguments and throwing errors. */
#ifndef STELLWERK_GPIO_ARGS_H
#define STELLWERK_GPIO_ARGS_H

#include <node_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Returns NULL from the calling function, with an error pending, if a Node-API call fails. */
#define TRY(env, call)                                                                             \
  do {                                                                                             \
    if ((call) != napi_ok) return throw_napi(env, #call);                                          \
  } while (0)

/** Throws Node-API's error for its last failed call, unless an exception is pending. Returns NULL. */
napi_value throw_napi(napi_env env, const char *call);

/** Throws an Error with `code` ("EBUSY"), negative `errno` and `syscall`, like Node's own. Returns NULL. */
napi_value throw_errno(napi_env env, int error, const char *syscall);

/** Throws a TypeError. Returns NULL. */
napi_value throw_type(napi_env env, const char *text);

/** Copies a string; false (TypeError thrown) if it is not a string or does not fit. */
bool get_text(napi_env env, napi_value value, char *into, size_t size);

/** A property as an integer 0 … 2³²−1, or `missing` if undefined; false (TypeError thrown) otherwise. */
bool get_uint(napi_env env, napi_value object, const char *name, uint32_t missing, uint32_t *into);

/** A BigInt of at most 64 bits; false (TypeError thrown) otherwise. */
bool get_bits(napi_env env, napi_value value, uint64_t *into);

/** Sets `object[name]`; failures are ignored so that calls can be chained. */
void put(napi_env env, napi_value object, const char *name, napi_value value);
void put_number(napi_env env, napi_value object, const char *name, double number);
void put_text(napi_env env, napi_value object, const char *name, const char *text, size_t max);

/** Adds a function to `object`. */
void put_function(napi_env env, napi_value object, const char *name, napi_callback body);

#endif
