#define _GNU_SOURCE
#include "outputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "line.h"
#include "systemd.h"

/* How long a gateway may take to reconnect after a restart of the keeper before it counts as dead. */
#define GRACE_MS 5000
/* A chip that appears later than this is left to the gateway, which retries opening its instances. */
#define PENDING_MS 60000
#define RETRY_MS 250
/* When the state file is written again after a failure, for example because its file system was full. */
#define SAVE_RETRY_MS 1000

struct kept {
  struct output output;
  int fd; /* −1 while the chip is missing */
  int owner;
};

static struct kept kept[OUTPUTS_MAX];
static size_t count;
static const struct paths *paths;
static uint64_t next_retry_ms;
static bool changed;

uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static struct kept *find(const char *key) {
  for (size_t n = 0; n < count; n++)
    if (!strcmp(kept[n].output.key, key)) return &kept[n];
  return NULL;
}

static struct kept *add(const struct output *output) {
  if (count == OUTPUTS_MAX) return NULL;
  kept[count] = (struct kept){.output = *output, .fd = -1, .owner = NOBODY};
  changed = true;
  return &kept[count++];
}

static void store(const struct kept *one) {
  char text[KEY_MAX + 40];
  snprintf(text, sizeof text, "FDSTORE=1\nFDNAME=%s", one->output.key);
  notify_systemd(text, one->fd);
}

static void unstore(const char *key) {
  char text[KEY_MAX + 40];
  snprintf(text, sizeof text, "FDSTOREREMOVE=1\nFDNAME=%s", key);
  notify_systemd(text, -1);
}

static void release(struct kept *one) {
  if (one->fd >= 0) {
    unstore(one->output.key);
    close(one->fd);
  }
  *one = kept[--count];
  changed = true;
}

static void set_phase(struct kept *one, enum phase phase, uint64_t until_ms) {
  one->output.phase = phase;
  one->output.until_ms = until_ms;
  changed = true;
}

/* ---- policies ---- */

/* False if the chip is gone, and with it the line. */
static bool apply(struct kept *one, enum policy policy) {
  const struct output *output = &one->output;
  one->output.resting = policy;
  if (policy == HOLD) {
    set_phase(one, output->hold_s ? HOLDING : SETTLED, output->hold_s ? now_ms() + output->hold_s * 1000ull : 0);
    return true;
  }
  set_phase(one, SETTLED, 0);
  if (drive_line(one->fd, policy == ACTIVE)) return true;
  fprintf(stderr, "<3>%s could not be driven: %s\n", output->name, strerror(errno));
  return is_line_alive(one->fd);
}

void end_owner(int owner, enum ending ending, const char *reason) {
  unsigned driven[3] = {0};
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (size_t n = count; n-- > 0;) {
    struct kept *one = &kept[n];
    if (one->owner != owner) continue;
    const struct output *output = &one->output;
    enum policy policy = ending == STOP     ? output->on_stop
                         : ending == UPDATE ? output->on_update
                                            : output->on_death;
    one->owner = NOBODY;
    driven[policy]++;
    if (!apply(one, policy)) release(one);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  long elapsed_us = (end.tv_sec - begin.tv_sec) * 1000000 + (end.tv_nsec - begin.tv_nsec) / 1000;
  if (driven[HOLD] + driven[INACTIVE] + driven[ACTIVE] > 0)
    fprintf(stderr, "<%d>%s: %u outputs held, %u inactive, %u active, after %ld us\n", ending == DEATH ? 4 : 6, reason,
            driven[HOLD], driven[INACTIVE], driven[ACTIVE], elapsed_us);
}

/* ---- start ---- */

/* Requests a line according to a policy; false if that failed. */
static bool try_request(struct kept *one, enum policy first) {
  one->fd = request_line(paths->devices, &one->output, first);
  if (one->fd < 0) return false;
  store(one);
  one->output.resting = first;
  if (first == HOLD) apply(one, HOLD);
  else set_phase(one, SETTLED, 0);
  return true;
}

static void boot(const struct output *all, int total) {
  unsigned pending = 0;
  for (int n = 0; n < total; n++) {
    struct kept *one = add(&all[n]);
    if (one && !try_request(one, one->output.boot)) {
      fprintf(stderr, "<5>%s is not available yet: %s\n", one->output.name, strerror(errno));
      set_phase(one, PENDING, now_ms() + PENDING_MS);
      pending++;
    }
  }
  fprintf(stderr, "<6>%zu outputs are guarded, %u of them not available yet\n", count, pending);
}

static void adopt(int fd, const char *name) {
  struct kept *one = find(name);
  if (one && one->fd < 0 && is_line_alive(fd)) {
    one->fd = fd;
    return;
  }
  unstore(name);
  close(fd);
}

/* The policy for a line whose request was lost while the keeper was not running: the one that was in force.
 * Its chip may have changed the level since. */
static enum policy policy_after_loss(const struct output *output) {
  bool claimed = output->phase == CLAIMED || output->phase == GRACE;
  return claimed ? output->on_death : output->phase == SETTLED ? output->resting : HOLD;
}

/* The keeper was restarted since the boot: it gets its descriptors back from systemd, or requests the lines
 * again. */
static void resume(const struct output *all, int total) {
  for (int n = 0; n < total; n++) add(&all[n]);
  restore_from_systemd(adopt);
  for (size_t n = count; n-- > 0;) {
    struct kept *one = &kept[n];
    enum phase phase = one->output.phase;
    if (phase == PENDING) continue;
    if (one->fd < 0 && !try_request(one, policy_after_loss(&one->output))) {
      /* The gateway holds the line and will give it back, or the chip is gone. */
      release(one);
      continue;
    }
    if (phase == CLAIMED || phase == GRACE) set_phase(one, GRACE, now_ms() + GRACE_MS);
    else set_phase(one, phase, all[n].until_ms);
  }
  fprintf(stderr, "<5>restarted: %zu outputs are guarded\n", count);
}

void start_outputs(const struct paths *all_paths) {
  static struct output all[OUTPUTS_MAX];
  struct parse_error error;
  paths = all_paths;
  bool restarted = access(paths->state, F_OK) == 0;
  int total = restarted ? read_table(paths->state, STATE, all, &error) : -1;
  if (restarted && total < 0) fprintf(stderr, "<3>%s is unusable: %s\n", paths->state, error.text);
  if (total >= 0) {
    resume(all, total);
    return;
  }
  total = read_table(paths->table, TABLE, all, &error);
  if (total < 0) {
    fprintf(stderr, "<4>%s is rejected: %s; no output is guarded until a gateway gives it\n", paths->table,
            error.text);
    total = 0;
  }
  /* Boot applies only to the boot: if the state file was damaged, the gateway may be running. */
  for (int n = 0; n < total; n++) all[n].phase = CLAIMED;
  if (restarted) resume(all, total);
  else boot(all, total);
  changed = true;
}

/* ---- requests of gateways ---- */

/* Takes over an entry, and its electrical settings, for a line that is alive. */
static bool update(struct kept *one, const struct output *output) {
  if (one->output.flags != output->flags && !reconfigure_line(one->fd, one->output.flags, output->flags)) return false;
  one->output = *output;
  return true;
}

static void claim(struct kept *one, int owner) {
  one->owner = owner;
  set_phase(one, CLAIMED, 0);
}

const char *take_output(int owner, const char *entry, int *fd) {
  struct output requested;
  struct parse_error error;
  if (!parse_entry(entry, TABLE, &requested, &error)) return NULL;
  struct kept *one = find(requested.key);
  if (!one) return "none";
  if (one->owner != NOBODY && one->owner != owner) return "busy";
  /* The gateway may ask before the next retry: Boot is applied now, or by the gateway. */
  bool alive = one->output.phase == PENDING ? try_request(one, one->output.boot) : is_line_alive(one->fd);
  if (!alive) {
    release(one);
    return "none";
  }
  if (!update(one, &requested)) return "refused";
  claim(one, owner);
  *fd = one->fd;
  return "line";
}

const char *give_output(int owner, const char *entry, int fd) {
  struct output requested;
  struct parse_error error;
  const char *reply = "kept";
  if (fd < 0 || !parse_entry(entry, TABLE, &requested, &error)) {
    if (fd >= 0) close(fd);
    return NULL;
  }
  struct kept *one = find(requested.key);
  if (one && one->owner != NOBODY && one->owner != owner) reply = "busy";
  else if (!one && !(one = add(&requested))) reply = "full";
  else if (!is_line_alive(fd)) reply = "refused";
  if (strcmp(reply, "kept") != 0) {
    close(fd);
    if (one && one->fd < 0) release(one);
    return reply;
  }
  if (one->fd >= 0 && is_line_alive(one->fd)) {
    /* Both descriptors are of the same request. If a policy was applied while it had no owner, the gateway
     * must know. */
    if (one->output.phase == HOLDING || one->output.phase == SETTLED) reply = "applied";
    close(fd);
  } else {
    if (one->fd >= 0) close(one->fd);
    one->fd = fd;
    unstore(requested.key);
    store(one);
  }
  one->output = requested;
  claim(one, owner);
  return reply;
}

const char *release_output(int owner, const char *key) {
  struct kept *one = find(key);
  if (!one) return "released";
  if (one->owner != NOBODY && one->owner != owner) return "busy";
  release(one);
  return "released";
}

/* ---- time ---- */

static uint64_t due_ms(const struct kept *one) {
  const struct output *output = &one->output;
  if (output->phase == PENDING) return next_retry_ms;
  bool timed = (output->phase == GRACE || output->phase == HOLDING) && output->until_ms > 0;
  return timed ? output->until_ms : UINT64_MAX;
}

int outputs_due_in(void) {
  uint64_t now = now_ms();
  /* Each turn ends with run_outputs: what has not been saved then could not be written. */
  uint64_t first = changed ? now + SAVE_RETRY_MS : UINT64_MAX;
  for (size_t n = 0; n < count; n++)
    if (due_ms(&kept[n]) < first) first = due_ms(&kept[n]);
  if (first == UINT64_MAX) return -1;
  if (first <= now) return 0;
  return first - now > 3600000 ? 3600000 : (int)(first - now);
}

static void run(struct kept *one, uint64_t now) {
  const char *name = one->output.name;
  switch (one->output.phase) {
  case PENDING:
    if (!try_request(one, one->output.boot) && now >= one->output.until_ms) {
      fprintf(stderr, "<4>%s was not available for a minute: it is left to the gateway\n", name);
      release(one);
    }
    return;
  case GRACE:
    fprintf(stderr, "<4>%s: its gateway did not reconnect\n", name);
    if (!apply(one, one->output.on_death)) release(one);
    return;
  case HOLDING:
    fprintf(stderr, "<4>%s was held for %u s and no gateway claimed it: inactive\n", name, one->output.hold_s);
    if (!apply(one, INACTIVE)) release(one);
    return;
  case CLAIMED:
  case SETTLED:
    return;
  }
}

void run_outputs(void) {
  uint64_t now = now_ms();
  bool retried = now >= next_retry_ms;
  for (size_t n = count; n-- > 0;)
    if (due_ms(&kept[n]) <= now) run(&kept[n], now);
  if (retried) next_retry_ms = now + RETRY_MS;
  save_outputs();
}

void save_outputs(void) {
  static bool failing;
  if (!changed) return;
  static struct output all[OUTPUTS_MAX];
  for (size_t n = 0; n < count; n++) all[n] = kept[n].output;
  changed = !write_state(paths->state, all, count);
  if (changed && !failing) fprintf(stderr, "<3>%s cannot be written: %s\n", paths->state, strerror(errno));
  if (!changed && failing) fprintf(stderr, "<5>%s is written again\n", paths->state);
  failing = changed;
}
