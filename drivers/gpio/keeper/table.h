/* The keeper's record of an output and its text format, which is used in the gateway's table, in the keeper's
 * state file and in the messages of the socket. output-table.ts writes the same format. */
#ifndef STELLWERK_KEEPER_TABLE_H
#define STELLWERK_KEEPER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A gateway has a few hundred outputs at most; systemd stores this many descriptors (FileDescriptorStoreMax).
 */
#define OUTPUTS_MAX 256
/* A chip's label has up to 31 bytes, each of which may be escaped as %XX. */
#define CHIP_MAX 96
/* A line's name is for messages; board files allow 64 characters. */
#define NAME_MAX_ 200
/* A chip's label, its index among the chips with that label, and an offset. */
#define KEY_MAX (CHIP_MAX + 24)
#define ENTRY_MAX (KEY_MAX + NAME_MAX_ + 120)
#define TABLE_MAX (OUTPUTS_MAX * (ENTRY_MAX + 40) + 100)
/* The longest hold other than indefinite: a month. */
#define HOLD_MAX_S (31u * 24 * 3600)

enum policy { HOLD, INACTIVE, ACTIVE };

/* The phase of an output. The numbers are in the state file: append only. */
enum phase {
  PENDING,  /* the chip is missing: Boot has yet to be applied */
  CLAIMED,  /* a gateway owns it */
  GRACE,    /* a gateway owned it when the keeper was restarted, and may still reconnect */
  HOLDING,  /* nobody owns it; held, until its time is up if it is limited */
  SETTLED,  /* nobody owns it; its policy is applied */
};

struct output {
  char key[KEY_MAX]; /* "LABEL/NTH/OFFSET", the label escaped */
  char chip[32];     /* the label */
  uint32_t nth, offset;
  char name[NAME_MAX_];
  uint64_t flags; /* GPIO_V2_LINE_FLAG_*: active low and drive */
  enum policy boot, on_death, on_stop, on_update;
  uint32_t hold_s; /* 0: indefinitely */
  /* only in the state file */
  enum phase phase;
  enum policy resting; /* what the keeper drove it to while nobody owned it; HOLD: nothing */
  uint64_t until_ms; /* CLOCK_MONOTONIC; 0: never */
};

/* What is wrong with a table, for people. */
struct parse_error {
  char text[160];
};

enum kind { TABLE, STATE };

/* Parses one entry, which is all of `text`. False with the error set if it is not valid. */
bool parse_entry(const char *text, enum kind kind, struct output *into, struct parse_error *error);

/* Formats an entry; `into` has ENTRY_MAX bytes. */
void format_entry(const struct output *output, enum kind kind, char *into);

/* Reads a file completely or not at all. Returns the number of outputs, or −1 with the error set. */
int read_table(const char *path, enum kind kind, struct output *into, struct parse_error *error);

/* Writes a new file and renames it, so that a reader sees the old one or the new one. False with errno set.
 */
bool write_state(const char *path, const struct output *outputs, size_t count);

#endif
