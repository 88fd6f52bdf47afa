/*
 * Linux GPIO lines through the character device (uAPI v2, linux/gpio.h, Linux 5.10 or later), as a Node-API
 * addon. It contains no policy: it passes requests to the kernel and returns the kernel's replies. Its only
 * user is ../backends/cdev.ts.
 */
#include <linux/gpio.h>

#include "args.h"
#include "chip.h"
#include "keeper-socket.h"
#include "request.h"

static napi_value flags(napi_env env) {
  napi_value all;
  TRY(env, napi_create_object(env, &all));
  put_number(env, all, "used", GPIO_V2_LINE_FLAG_USED);
  put_number(env, all, "activeLow", GPIO_V2_LINE_FLAG_ACTIVE_LOW);
  put_number(env, all, "input", GPIO_V2_LINE_FLAG_INPUT);
  put_number(env, all, "output", GPIO_V2_LINE_FLAG_OUTPUT);
  put_number(env, all, "rising", GPIO_V2_LINE_FLAG_EDGE_RISING);
  put_number(env, all, "falling", GPIO_V2_LINE_FLAG_EDGE_FALLING);
  put_number(env, all, "openDrain", GPIO_V2_LINE_FLAG_OPEN_DRAIN);
  put_number(env, all, "openSource", GPIO_V2_LINE_FLAG_OPEN_SOURCE);
  put_number(env, all, "pullUp", GPIO_V2_LINE_FLAG_BIAS_PULL_UP);
  put_number(env, all, "pullDown", GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN);
  put_number(env, all, "biasDisabled", GPIO_V2_LINE_FLAG_BIAS_DISABLED);
  return all;
}

NAPI_MODULE_INIT() {
  napi_value all = flags(env);
  if (!all) return NULL;
  put(env, exports, "flags", all);
  put_function(env, exports, "chip", chip_info);
  put_function(env, exports, "lines", line_infos);
  return define_request(env, exports) ? define_keeper_socket(env, exports) : NULL;
}
