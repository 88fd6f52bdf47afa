/* The way to the line keeper: whole messages over a local socket, with requested lines beside them. */
#ifndef STELLWERK_GPIO_LINK_H
#define STELLWERK_GPIO_LINK_H

#include "args.h"

/** Adds the class `Link` to the module's exports, after `Request`. */
napi_value define_link(napi_env env, napi_value exports);

#endif
