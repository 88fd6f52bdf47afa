#include "watched.h"

#include <stdlib.h>
#include <unistd.h>

static void release(Watched *watched) {
  if (--watched->owners == 0) free(watched);
}

/* libuv has released it. Only the hook may be used here: the environment may be gone already. */
static void on_poll_closed(uv_handle_t *handle) {
  Watched *watched = handle->data;
  if (watched->hook) napi_remove_async_cleanup_hook(watched->hook);
  release(watched);
}

static void delete_reference(Watched *watched, napi_ref *reference) {
  if (*reference) napi_delete_reference(watched->env, *reference);
  *reference = NULL;
}

static void stop_watching(Watched *watched) {
  if (!watched->watched) return;
  watched->watched = false;
  uv_poll_stop(&watched->poll);
  uv_close((uv_handle_t *)&watched->poll, on_poll_closed);
  delete_reference(watched, &watched->on_data);
  delete_reference(watched, &watched->on_end);
  delete_reference(watched, &watched->kept);
  delete_reference(watched, &watched->self);
  if (watched->context) napi_async_destroy(watched->env, watched->context);
  watched->context = NULL;
}

void close_watched(Watched *watched) {
  stop_watching(watched);
  if (watched->fd >= 0) close(watched->fd);
  watched->fd = -1;
}

/* The environment ends (a worker stops, the process exits): an open libuv handle would abort the process. */
static void on_environment_end(napi_async_cleanup_hook_handle hook, void *data) {
  (void)hook;
  close_watched(data);
}

void on_collected(napi_env env, void *data, void *hint) {
  (void)env, (void)hint;
  close_watched(data);
  release(data);
}

void call_back(Watched *watched, napi_ref function_reference, size_t count, napi_value *arguments) {
  napi_env env = watched->env;
  napi_value function, receiver, error;
  if (napi_get_reference_value(env, function_reference, &function) != napi_ok ||
      napi_get_global(env, &receiver) != napi_ok)
    return;
  if (napi_make_callback(env, watched->context, receiver, function, count, arguments, NULL) !=
          napi_pending_exception ||
      napi_get_and_clear_last_exception(env, &error) != napi_ok)
    return;
  napi_fatal_exception(env, error);
}

/* Polling stops first: a hung-up descriptor stays ready indefinitely. */
void notify_end(Watched *watched, int error) {
  napi_value code;
  watched->ended = true;
  uv_poll_stop(&watched->poll);
  if (napi_create_string_utf8(watched->env, uv_err_name(-error), NAPI_AUTO_LENGTH, &code) == napi_ok)
    call_back(watched, watched->on_end, 1, &code);
}

static void on_poll(uv_poll_t *poll, int status, int ready) {
  (void)ready;
  Watched *watched = poll->data;
  napi_handle_scope scope;
  if (napi_open_handle_scope(watched->env, &scope) != napi_ok) return;
  watched->on_ready(watched, status < 0);
  napi_close_handle_scope(watched->env, scope);
}

/* References to everything that must stay alive while libuv may call back. */
static napi_status keep(Watched *watched, napi_value self, const napi_value *functions, napi_value kept,
                        const char *name) {
  napi_env env = watched->env;
  napi_value resource;
  napi_status status = napi_create_reference(env, kept, 1, &watched->kept);
  if (status == napi_ok) status = napi_create_reference(env, functions[0], 1, &watched->on_data);
  if (status == napi_ok) status = napi_create_reference(env, functions[1], 1, &watched->on_end);
  if (status == napi_ok) status = napi_create_reference(env, self, 1, &watched->self);
  if (status == napi_ok) status = napi_create_string_utf8(env, name, NAPI_AUTO_LENGTH, &resource);
  if (status == napi_ok) status = napi_async_init(env, self, resource, &watched->context);
  return status;
}

bool start_watching(Watched *watched, napi_value self, const napi_value *functions, napi_value kept,
                    const char *name) {
  napi_env env = watched->env;
  uv_loop_t *loop;
  if (napi_get_uv_event_loop(env, &loop) != napi_ok) return throw_napi(env, "watch"), false;
  int error = uv_poll_init(loop, &watched->poll, watched->fd);
  if (error) return throw_errno(env, -error, "watch"), false;
  watched->poll.data = watched;
  watched->owners++;
  watched->watched = true;
  napi_status status = keep(watched, self, functions, kept, name);
  if (status == napi_ok) status = napi_add_async_cleanup_hook(env, on_environment_end, watched, &watched->hook);
  if (status == napi_ok) error = uv_poll_start(&watched->poll, UV_READABLE, on_poll);
  if (status == napi_ok && error == 0) return true;
  stop_watching(watched);
  if (error) throw_errno(env, -error, "watch");
  else throw_napi(env, "watch");
  return false;
}

int pause_watching(Watched *watched, bool paused) {
  if (!watched->watched || watched->ended) return 0;
  return -(paused ? uv_poll_stop(&watched->poll) : uv_poll_start(&watched->poll, UV_READABLE, on_poll));
}

bool are_functions(napi_env env, const napi_value *values) {
  for (int n = 0; n < 2; n++) {
    napi_valuetype type;
    if (napi_typeof(env, values[n], &type) == napi_ok && type == napi_function) continue;
    throw_type(env, "expected two functions");
    return false;
  }
  return true;
}
