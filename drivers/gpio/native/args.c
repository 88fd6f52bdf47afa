#include "args.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

napi_value throw_napi(napi_env env, const char *call) {
  const napi_extended_error_info *info = NULL;
  bool pending = false;
  napi_get_last_error_info(env, &info);
  const char *why = info && info->error_message ? info->error_message : "failed";
  char text[200];
  snprintf(text, sizeof text, "%s: %.*s", why, (int)strcspn(call, "("), call);
  napi_is_exception_pending(env, &pending);
  if (!pending) napi_throw_error(env, NULL, text);
  return NULL;
}

napi_value throw_errno(napi_env env, int error, const char *syscall) {
  const char *name = uv_err_name(-error);
  char text[200];
  snprintf(text, sizeof text, "%s: %s, %s", name, strerror(error), syscall);
  napi_value code, message, object;
  TRY(env, napi_create_string_utf8(env, name, NAPI_AUTO_LENGTH, &code));
  TRY(env, napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &message));
  TRY(env, napi_create_error(env, code, message, &object));
  put_number(env, object, "errno", -error);
  put_text(env, object, "syscall", syscall, strlen(syscall));
  TRY(env, napi_throw(env, object));
  return NULL;
}

napi_value throw_type(napi_env env, const char *text) {
  napi_throw_type_error(env, NULL, text);
  return NULL;
}

bool get_text(napi_env env, napi_value value, char *into, size_t size) {
  size_t length = 0;
  if (napi_get_value_string_utf8(env, value, NULL, 0, &length) != napi_ok || length >= size) {
    throw_type(env, "expected a string of limited length");
    return false;
  }
  return napi_get_value_string_utf8(env, value, into, size, &length) == napi_ok;
}

bool get_uint(napi_env env, napi_value object, const char *name, uint32_t missing, uint32_t *into) {
  napi_value value;
  napi_valuetype type = napi_undefined;
  double number = missing;
  if (napi_get_named_property(env, object, name, &value) == napi_ok &&
      napi_typeof(env, value, &type) == napi_ok && type != napi_undefined &&
      napi_get_value_double(env, value, &number) != napi_ok)
    number = -1;
  if (!(number >= 0 && number <= UINT32_MAX) || number != floor(number)) {
    char text[100];
    snprintf(text, sizeof text, "%s must be an integer from 0 to 2^32-1", name);
    throw_type(env, text);
    return false;
  }
  *into = (uint32_t)number;
  return true;
}

bool get_bits(napi_env env, napi_value value, uint64_t *into) {
  bool lossless = false;
  if (napi_get_value_bigint_uint64(env, value, into, &lossless) == napi_ok && lossless) return true;
  throw_type(env, "expected a BigInt of at max 64 bits");
  return false;
}

void put(napi_env env, napi_value object, const char *name, napi_value value) {
  napi_set_named_property(env, object, name, value);
}

void put_number(napi_env env, napi_value object, const char *name, double number) {
  napi_value value;
  if (napi_create_double(env, number, &value) == napi_ok) put(env, object, name, value);
}

void put_text(napi_env env, napi_value object, const char *name, const char *text, size_t max) {
  napi_value value;
  if (napi_create_string_utf8(env, text, strnlen(text, max), &value) == napi_ok)
    put(env, object, name, value);
}

void put_function(napi_env env, napi_value object, const char *name, napi_callback body) {
  napi_value value;
  if (napi_create_function(env, name, NAPI_AUTO_LENGTH, body, NULL, &value) == napi_ok)
    put(env, object, name, value);
}
