/* Chips, and information about their lines without requesting them. */
#ifndef STELLWERK_GPIO_CHIP_H
#define STELLWERK_GPIO_CHIP_H

#include "args.h"

/** Opens a chip's device file; -1 with errno set if that fails. */
int open_chip(const char *path);

/** chip(path) → { name, label, lines } */
napi_value chip_info(napi_env env, napi_callback_info info);

/** lines(path) → [{ offset, name, consumer, flags }], by offset */
napi_value line_infos(napi_env env, napi_callback_info info);

#endif
