/* The outputs that are kept, and what becomes of each when its gateway ends. */
#ifndef STELLWERK_KEEPER_OUTPUTS_H
#define STELLWERK_KEEPER_OUTPUTS_H

#include "table.h"

/* How a gateway may end. */
enum ending { DEATH, STOP, UPDATE };

#define NOBODY (-1)

struct places {
  const char *devices; /* where gpiochipN are */
  const char *table;   /* the gateway's */
  char state[200];     /* ours, on a tmpfs: there since this machine's boot, or not at all */
};

/* CLOCK_MONOTONIC, milliseconds. */
uint64_t now_ms(void);

/* Takes the lines of the table by their Boot, or, started again, those that it had. */
void start_outputs(const struct places *places);

/* Answers to a gateway, for the socket. `fd` of take: the line's, still ours; of give: becomes ours, whatever the answer. */
const char *take_output(int owner, const char *entry, int *fd);
const char *give_output(int owner, const char *entry, int fd);
const char *release_output(int owner, const char *key);

/* A gateway ended: each output of it gets what its policy says, at once. `why` is for the log. */
void owner_ended(int owner, enum ending ending, const char *why);

/* Milliseconds until run_outputs is to be called again; −1: only when something happens. */
int outputs_due_in(void);

/* Does what is due, and writes the state down where it has changed. */
void run_outputs(void);

#endif
