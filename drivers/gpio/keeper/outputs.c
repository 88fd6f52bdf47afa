#define _GNU_SOURCE
#include "outputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "line.h"
#include "systemd.h"

/* How long a gateway has to come back after the keeper itself was restarted, before it counts as dead. */
#define GRACE_MS 5000
/* A chip that comes later than this after the boot is the gateway's to take, as it is opened again and again. */
#define PENDING_MS 60000
#define RETRY_MS 250

struct kept {
  struct output output;
  int fd; /* −1 while pending */
  int owner;
};

static struct kept kept[OUTPUTS_MAX];
static size_t count;
static const struct places *at;
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
  tell_systemd(text, one->fd);
}

static void unstore(const char *key) {
  char text[KEY_MAX + 40];
  snprintf(text, sizeof text, "FDSTOREREMOVE=1\nFDNAME=%s", key);
  tell_systemd(text, -1);
}

static void let_go(struct kept *one) {
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

/* False: its chip is gone, and with it the line. */
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
  return line_lives(one->fd);
}

void owner_ended(int owner, enum ending ending, const char *why) {
  unsigned driven[3] = {0};
  struct timespec seen, done;
  clock_gettime(CLOCK_MONOTONIC, &seen);
  for (size_t n = count; n-- > 0;) {
    struct kept *one = &kept[n];
    if (one->owner != owner) continue;
    const struct output *output = &one->output;
    enum policy policy = ending == STOP     ? output->on_stop
                         : ending == UPDATE ? output->on_update
                                            : output->on_death;
    one->owner = NOBODY;
    driven[policy]++;
    if (!apply(one, policy)) let_go(one);
  }
  clock_gettime(CLOCK_MONOTONIC, &done);
  long took_us = (done.tv_sec - seen.tv_sec) * 1000000 + (done.tv_nsec - seen.tv_nsec) / 1000;
  if (driven[HOLD] + driven[INACTIVE] + driven[ACTIVE] > 0)
    fprintf(stderr, "<%d>%s: %u outputs held, %u inactive, %u active, after %ld us\n", ending == DEATH ? 4 : 6, why,
            driven[HOLD], driven[INACTIVE], driven[ACTIVE], took_us);
}

/* ---- the beginning ---- */

/* True where it was taken, or need not be tried again. */
static bool try_boot(struct kept *one, enum policy first) {
  one->fd = request_line(at->devices, &one->output, first);
  if (one->fd < 0) return false;
  store(one);
  one->output.resting = first;
  if (first == HOLD) apply(one, HOLD);
  else set_phase(one, SETTLED, 0);
  return true;
}

static void boot(const struct output *all, int many) {
  unsigned pending = 0;
  for (int n = 0; n < many; n++) {
    struct kept *one = add(&all[n]);
    if (one && !try_boot(one, one->output.boot)) {
      fprintf(stderr, "<5>%s is not there yet: %s\n", one->output.name, strerror(errno));
      set_phase(one, PENDING, now_ms() + PENDING_MS);
      pending++;
    }
  }
  fprintf(stderr, "<6>%zu outputs are kept, %u of them not there yet\n", count, pending);
}

static void adopt(int fd, const char *name) {
  struct kept *one = find(name);
  if (one && one->fd < 0 && line_lives(fd)) {
    one->fd = fd;
    return;
  }
  unstore(name);
  close(fd);
}

/* What a line becomes that was let go while the keeper was away: what it was driven to. Its chip may have made anything of
 * it since, so only what was held is taken as it is. */
static enum policy lost_to(const struct output *output) {
  bool claimed = output->phase == CLAIMED || output->phase == GRACE;
  return claimed ? output->on_death : output->phase == SETTLED ? output->resting : HOLD;
}

/* Started again since the boot: what it had it has again, from systemd, or requests it anew. */
static void resume(const struct output *all, int many) {
  for (int n = 0; n < many; n++) add(&all[n]);
  kept_by_systemd(adopt);
  for (size_t n = count; n-- > 0;) {
    struct kept *one = &kept[n];
    enum phase phase = one->output.phase;
    if (phase == PENDING) continue;
    if (one->fd < 0 && !try_boot(one, lost_to(&one->output))) {
      /* Its gateway holds it, and gives it back; or its chip is gone. */
      let_go(one);
      continue;
    }
    if (phase == CLAIMED || phase == GRACE) set_phase(one, GRACE, now_ms() + GRACE_MS);
    else set_phase(one, phase, all[n].until_ms);
  }
  fprintf(stderr, "<5>started again: %zu outputs are kept\n", count);
}

void start_outputs(const struct places *places) {
  static struct output all[OUTPUTS_MAX];
  struct mistake mistake;
  at = places;
  bool again = access(places->state, F_OK) == 0;
  int many = again ? read_table(places->state, STATE, all, &mistake) : -1;
  if (again && many < 0) fprintf(stderr, "<3>%s is unusable: %s\n", places->state, mistake.text);
  if (many >= 0) {
    resume(all, many);
    return;
  }
  many = read_table(places->table, TABLE, all, &mistake);
  if (many < 0) {
    fprintf(stderr, "<4>%s is refused: %s; no output is taken until a gateway gives it\n", places->table,
            mistake.text);
    many = 0;
  }
  /* Only the boot applies Boot: where the state was lost, its gateway may be at work. */
  for (int n = 0; n < many; n++) all[n].phase = CLAIMED;
  if (again) resume(all, many);
  else boot(all, many);
  changed = true;
}

/* ---- what gateways ask ---- */

/* The other's entry becomes ours, the line's electrical side too; the line is alive. */
static bool update(struct kept *one, const struct output *wish) {
  if (one->output.flags != wish->flags && !reconfigure_line(one->fd, one->output.flags, wish->flags)) return false;
  one->output = *wish;
  return true;
}

static void claim(struct kept *one, int owner) {
  one->owner = owner;
  set_phase(one, CLAIMED, 0);
}

const char *take_output(int owner, const char *entry, int *fd) {
  struct output wish;
  struct mistake mistake;
  if (!parse_entry(entry, TABLE, &wish, &mistake)) return NULL;
  struct kept *one = find(wish.key);
  if (!one) return "none";
  if (one->owner != NOBODY && one->owner != owner) return "busy";
  /* The gateway asks before the chip's next retry: Boot is applied now, or by the gateway. */
  bool there = one->output.phase == PENDING ? try_boot(one, one->output.boot) : line_lives(one->fd);
  if (!there) {
    let_go(one);
    return "none";
  }
  if (!update(one, &wish)) return "refused";
  claim(one, owner);
  *fd = one->fd;
  return "line";
}

const char *give_output(int owner, const char *entry, int fd) {
  struct output wish;
  struct mistake mistake;
  const char *answer = "kept";
  if (fd < 0 || !parse_entry(entry, TABLE, &wish, &mistake)) {
    if (fd >= 0) close(fd);
    return NULL;
  }
  struct kept *one = find(wish.key);
  if (one && one->owner != NOBODY && one->owner != owner) answer = "busy";
  else if (!one && !(one = add(&wish))) answer = "full";
  else if (!line_lives(fd)) answer = "refused";
  if (strcmp(answer, "kept") != 0) {
    close(fd);
    if (one && one->fd < 0) let_go(one);
    return answer;
  }
  if (one->fd >= 0 && line_lives(one->fd)) {
    /* It is the same open request. What was done to it while nobody owned it, the gateway must hear. */
    if (one->output.phase == HOLDING || one->output.phase == SETTLED) answer = "applied";
    close(fd);
  } else {
    if (one->fd >= 0) close(one->fd);
    one->fd = fd;
    unstore(wish.key);
    store(one);
  }
  one->output = wish;
  claim(one, owner);
  return answer;
}

const char *release_output(int owner, const char *key) {
  struct kept *one = find(key);
  if (!one) return "released";
  if (one->owner != NOBODY && one->owner != owner) return "busy";
  let_go(one);
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
  uint64_t first = UINT64_MAX, now = now_ms();
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
    if (!try_boot(one, one->output.boot) && now >= one->output.until_ms) {
      fprintf(stderr, "<4>%s was not there for a minute: it is left to the gateway\n", name);
      let_go(one);
    }
    return;
  case GRACE:
    fprintf(stderr, "<4>%s: its gateway did not come back to the keeper\n", name);
    if (!apply(one, one->output.on_death)) let_go(one);
    return;
  case HOLDING:
    fprintf(stderr, "<4>%s was held for %u s and nobody came: inactive\n", name, one->output.hold_s);
    if (!apply(one, INACTIVE)) let_go(one);
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
  if (!changed) return;
  static struct output all[OUTPUTS_MAX];
  for (size_t n = 0; n < count; n++) all[n] = kept[n].output;
  if (!write_state(at->state, all, count)) fprintf(stderr, "<3>%s can't be written: %s\n", at->state, strerror(errno));
  changed = false;
}
