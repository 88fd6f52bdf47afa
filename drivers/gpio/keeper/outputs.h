/* The outputs that the keeper guards, and their policies when the gateway ends. */
#ifndef STELLWERK_KEEPER_OUTPUTS_H
#define STELLWERK_KEEPER_OUTPUTS_H

#include "table.h"

/* How a gateway can end. */
enum ending { DEATH, STOP, UPDATE };

#define NOBODY (-1)

struct paths {
  const char *devices; /* the directory of gpiochipN */
  const char *table;   /* written by the gateway */
  char state[200];     /* written by the keeper, on a tmpfs: does not survive a boot */
};

/* CLOCK_MONOTONIC, milliseconds. */
uint64_t now_ms(void);

/* Requests the lines of the table according to their Boot policy or, after a restart of the keeper, resumes
 * its lines. */
void start_outputs(const struct paths *paths);

/* These return the reply to the gateway. `fd` of take: the line's, owned by the keeper; of give: owned by the
 * keeper from then on, whatever the reply. */
const char *take_output(int owner, const char *entry, int *fd);
const char *give_output(int owner, const char *entry, int fd);
const char *release_output(int owner, const char *key);

/* A gateway ended: applies the policy of each of its outputs immediately. `reason` is for the log. */
void end_owner(int owner, enum ending ending, const char *reason);

/* Milliseconds until run_outputs must be called again; −1 if only an event matters. */
int outputs_due_in(void);

/* Does what is due, and saves the outputs. */
void run_outputs(void);

/* Writes the state file if the state has changed. */
void save_outputs(void);

#endif
