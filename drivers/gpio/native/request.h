/* Requested lines: their values, and their edges as the event loop delivers them. */
#ifndef STELLWERK_GPIO_REQUEST_H
#define STELLWERK_GPIO_REQUEST_H

#include "args.h"

/** Adds the class `Request` to the module's exports. */
napi_value define_request(napi_env env, napi_value exports);

/** The descriptor of an open request, still its own; −1 with an error thrown when the value is none. */
int request_fd(napi_env env, napi_value object);

#endif
