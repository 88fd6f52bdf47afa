/* A connection to the line keeper: messages over a local socket that may carry a requested line. */
#ifndef STELLWERK_GPIO_KEEPER_SOCKET_H
#define STELLWERK_GPIO_KEEPER_SOCKET_H

#include "args.h"

/** Adds the class `KeeperSocket` to the module's exports; `Request` must have been added before. */
napi_value define_keeper_socket(napi_env env, napi_value exports);

#endif
