/* Requested lines: their values, and their edges through the event loop. */
#ifndef STELLWERK_GPIO_REQUEST_H
#define STELLWERK_GPIO_REQUEST_H

#include "args.h"

/** Adds the class `Request` to the module's exports. */
napi_value define_request(napi_env env, napi_value exports);

/**
 * The descriptor of an open request, which keeps owning it; −1 with an error thrown if the value is not one.
 */
int request_fd(napi_env env, napi_value object);

#endif
