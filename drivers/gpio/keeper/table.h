/* What the keeper knows of each output, and the text in which it stands: in the gateway's table, in the keeper's own
 * state, and in the messages of the socket. ../keeper-table.ts writes the same. */
#ifndef STELLWERK_KEEPER_TABLE_H
#define STELLWERK_KEEPER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A gateway has some hundred outputs at most; systemd keeps as many descriptors (FileDescriptorStoreMax). */
#define OUTPUTS_MAX 256
/* A chip's label has 31 bytes, each of which may be written as %XX. */
#define CHIP_MAX 96
/* A line's name is for texts; board files give 64 characters at most. */
#define NAME_MAX_ 200
/* A chip of one label, its place among those of that label, an offset. */
#define KEY_MAX (CHIP_MAX + 24)
#define ENTRY_MAX (KEY_MAX + NAME_MAX_ + 120)
#define TABLE_MAX (OUTPUTS_MAX * (ENTRY_MAX + 40) + 100)
/* The longest hold that is not for ever: a month. */
#define HOLD_MAX_S (31u * 24 * 3600)

enum policy { HOLD, INACTIVE, ACTIVE };

/* Where an output stands. Its numbers are in the state file: append only. */
enum phase {
  PENDING,  /* the chip is not there yet: its Boot is to be applied */
  CLAIMED,  /* a gateway has it */
  GRACE,    /* a gateway had it when the keeper was restarted, and has time to say that it lives */
  HOLDING,  /* nobody has it; held, until its time is up where it has one */
  SETTLED,  /* nobody has it; its policy is applied */
};

struct output {
  char key[KEY_MAX]; /* "LABEL/NTH/OFFSET", the label as it is in the table */
  char chip[32];     /* the label itself */
  uint32_t nth, offset;
  char name[NAME_MAX_];
  uint64_t flags; /* GPIO_V2_LINE_FLAG_*: active low and drive */
  enum policy boot, on_death, on_stop, on_update;
  uint32_t hold_s; /* 0: for ever */
  /* of the state file alone */
  enum phase phase;
  enum policy resting; /* what the keeper drove it to while nobody had it; HOLD: nothing */
  uint64_t until_ms; /* CLOCK_MONOTONIC; 0: never */
};

/* What is wrong with a table, for people. */
struct mistake {
  char text[160];
};

enum kind { TABLE, STATE };

/* Reads one entry, the whole of `text`. False with the mistake's text set when it is none. */
bool parse_entry(const char *text, enum kind kind, struct output *into, struct mistake *mistake);

/* Writes an entry; `into` has ENTRY_MAX bytes. */
void format_entry(const struct output *output, enum kind kind, char *into);

/* Reads a whole file: all of it or nothing. Returns how many outputs there are, −1 with the mistake set. */
int read_table(const char *path, enum kind kind, struct output *into, struct mistake *mistake);

/* Writes the file beside and renames it: a reader sees the old one or the new one. False with errno set. */
bool write_state(const char *path, const struct output *outputs, size_t count);

#endif
