/* The way to the line keeper: whole messages over a local socket, with requested lines beside them. */
#ifndef STELLWERK_GPIO_KEEPER_SOCKET_H
#define STELLWERK_GPIO_KEEPER_SOCKET_H

#include "args.h"

/** Adds the class `KeeperSocket` to the module's exports, after `Request`. */
napi_value define_keeper_socket(napi_env env, napi_value exports);

#endif
