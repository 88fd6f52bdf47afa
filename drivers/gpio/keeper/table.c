#define _GNU_SOURCE
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/gpio.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS_MAX 14
/* All else is written as %XX. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

static const char *const HEADERS[] = {[TABLE] = "stellwerk outputs 1", [STATE] = "stellwerk keeper state 1"};
static const size_t WORDS[] = {[TABLE] = 11, [STATE] = 14};
static const char *const POLICIES[] = {"hold", "inactive", "active"};
static const char *const POLARITIES[] = {"high", "low"};
static const char *const DRIVES[] = {"push-pull", "open-drain", "open-source"};
static const uint64_t DRIVE_FLAGS[] = {0, GPIO_V2_LINE_FLAG_OPEN_DRAIN, GPIO_V2_LINE_FLAG_OPEN_SOURCE};
#define COUNT(array) (sizeof(array) / sizeof *(array))

__attribute__((format(printf, 2, 3))) static bool wrong(struct mistake *mistake, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(mistake->text, sizeof mistake->text, format, values);
  va_end(values);
  return false;
}

/* ---- words ---- */

/* One of the list; its place, or −1. */
static int choice(const char *word, const char *const *list, size_t count) {
  for (size_t n = 0; n < count; n++)
    if (!strcmp(word, list[n])) return (int)n;
  return -1;
}

static bool number(const char *word, uint64_t most, uint64_t *into) {
  uint64_t value = 0;
  if (!*word || strlen(word) > 15) return false;
  for (; *word; word++) {
    if (*word < '0' || *word > '9') return false;
    value = value * 10 + (uint64_t)(*word - '0');
  }
  *into = value;
  return value <= most;
}

static int hex(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

static bool is_plain(char c) { return c && strchr(PLAIN, c); }

/* "gpio%20chip" → "gpio chip"; false when it is malformed or too long. Only such bytes are escaped as must be, so that a
 * text has one spelling. */
static bool unescape(const char *word, char *into, size_t size) {
  size_t length = 0;
  for (; *word; word++, length++) {
    if (length + 1 >= size) return false;
    if (is_plain(*word)) {
      into[length] = *word;
      continue;
    }
    if (*word != '%' || hex(word[1]) < 0 || hex(word[2]) < 0) return false;
    into[length] = (char)(hex(word[1]) * 16 + hex(word[2]));
    if (into[length] == '\0' || is_plain(into[length])) return false;
    word += 2;
  }
  into[length] = '\0';
  return length > 0;
}

static bool copy(const char *word, char *into, size_t size) {
  size_t length = strlen(word);
  if (length == 0 || length >= size) return false;
  memcpy(into, word, length + 1);
  return true;
}

static bool policy(const char *word, enum policy *into) {
  int found = choice(word, POLICIES, COUNT(POLICIES));
  if (found >= 0) *into = (enum policy)found;
  return found >= 0;
}

/* ---- entries ---- */

static bool parse_place(char **words, struct output *into, struct mistake *mistake) {
  uint64_t nth, offset;
  if (strlen(words[0]) >= CHIP_MAX || !unescape(words[0], into->chip, sizeof into->chip))
    return wrong(mistake, "%.40s is no chip's label", words[0]);
  if (!number(words[1], 255, &nth)) return wrong(mistake, "%.20s is no number of a chip", words[1]);
  if (!number(words[2], 65535, &offset)) return wrong(mistake, "%.20s is no offset of a line", words[2]);
  /* The name is for texts only, and stays as it is written. */
  if (!copy(words[3], into->name, sizeof into->name) || words[3][strspn(words[3], PLAIN "%")])
    return wrong(mistake, "the line's name is too long, or no name");
  into->nth = (uint32_t)nth;
  into->offset = (uint32_t)offset;
  /* The words are shorter than CHIP_MAX and as numbers 3 and 5 digits at most, leading zeros gone. */
  snprintf(into->key, sizeof into->key, "%.*s/%" PRIu32 "/%" PRIu32, CHIP_MAX, words[0], into->nth, into->offset);
  return true;
}

static bool parse_policies(char **words, struct output *into, struct mistake *mistake) {
  enum policy *const all[] = {&into->boot, &into->on_death, &into->on_stop, &into->on_update};
  uint64_t hold_s;
  for (size_t n = 0; n < COUNT(all); n++)
    if (!policy(words[n], all[n])) return wrong(mistake, "%.40s is no policy: hold, inactive or active", words[n]);
  if (!number(words[4], HOLD_MAX_S, &hold_s))
    return wrong(mistake, "%.20s is no time to hold: 0 to %u seconds", words[4], HOLD_MAX_S);
  into->hold_s = (uint32_t)hold_s;
  return true;
}

bool parse_entry(const char *text, enum kind kind, struct output *into, struct mistake *mistake) {
  char buffer[ENTRY_MAX];
  char *words[WORDS_MAX + 1], *rest = buffer;
  size_t count = 0;
  *into = (struct output){0};
  if (!copy(text, buffer, sizeof buffer)) return wrong(mistake, "the line is empty or too long");
  while (rest && count < WORDS[kind] + 1) words[count++] = strsep(&rest, " ");
  if (count != WORDS[kind]) return wrong(mistake, "it has not %zu words", WORDS[kind]);
  if (!parse_place(words, into, mistake)) return false;
  int polarity = choice(words[4], POLARITIES, COUNT(POLARITIES));
  int drive = choice(words[5], DRIVES, COUNT(DRIVES));
  if (polarity < 0) return wrong(mistake, "%.40s is neither high nor low", words[4]);
  if (drive < 0) return wrong(mistake, "%.40s is no drive", words[5]);
  into->flags = (polarity == 1 ? GPIO_V2_LINE_FLAG_ACTIVE_LOW : 0) | DRIVE_FLAGS[drive];
  if (!parse_policies(words + 6, into, mistake)) return false;
  if (kind == TABLE) return true;
  uint64_t phase;
  if (!policy(words[13], &into->resting)) return wrong(mistake, "%.40s is no policy", words[13]);
  if (!number(words[11], SETTLED, &phase)) return wrong(mistake, "%.20s is no phase", words[11]);
  if (!number(words[12], UINT64_MAX, &into->until_ms)) return wrong(mistake, "%.20s is no time", words[12]);
  into->phase = (enum phase)phase;
  return true;
}

void format_entry(const struct output *output, enum kind kind, char *into) {
  char chip[CHIP_MAX];
  snprintf(chip, sizeof chip, "%.*s", (int)strcspn(output->key, "/"), output->key);
  const char *drive = output->flags & GPIO_V2_LINE_FLAG_OPEN_DRAIN    ? DRIVES[1]
                      : output->flags & GPIO_V2_LINE_FLAG_OPEN_SOURCE ? DRIVES[2]
                                                                      : DRIVES[0];
  int length = snprintf(into, ENTRY_MAX, "%s %" PRIu32 " %" PRIu32 " %s %s %s %s %s %s %s %" PRIu32, chip, output->nth,
                        output->offset, output->name,
                        POLARITIES[(output->flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW) != 0], drive,
                        POLICIES[output->boot], POLICIES[output->on_death], POLICIES[output->on_stop],
                        POLICIES[output->on_update], output->hold_s);
  if (kind == STATE)
    snprintf(into + length, ENTRY_MAX - (size_t)length, " %d %" PRIu64 " %s", (int)output->phase, output->until_ms,
             POLICIES[output->resting]);
}

/* ---- files ---- */

/* CRC-32 as zlib's: a torn or edited file shows, no attacker is kept out by it. */
static uint32_t checksum(const char *bytes, size_t size) {
  uint32_t crc = ~0u;
  for (size_t n = 0; n < size; n++) {
    crc ^= (uint8_t)bytes[n];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0xEDB88320u & -(crc & 1));
  }
  return ~crc;
}

/* The file's bytes with a NUL after them, to be freed; NULL with the mistake set. */
static char *slurp(const char *path, size_t *size, struct mistake *mistake) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    wrong(mistake, "it can't be opened: %s", strerror(errno));
    return NULL;
  }
  char *bytes = malloc(TABLE_MAX + 1);
  ssize_t got = 1;
  *size = 0;
  while (bytes && got > 0 && *size < TABLE_MAX) {
    got = read(fd, bytes + *size, TABLE_MAX - *size);
    if (got > 0) *size += (size_t)got;
  }
  int error = got < 0 ? errno : 0;
  close(fd);
  if (bytes && got == 0 && !memchr(bytes, '\0', *size)) {
    bytes[*size] = '\0';
    return bytes;
  }
  wrong(mistake, "%s", error ? strerror(error) : got > 0 ? "it is too long" : "it is no text");
  free(bytes);
  return NULL;
}

/* Takes the last line off, which is "end COUNT CHECKSUM", and holds the rest to it. */
static bool unseal(char *bytes, size_t size, uint64_t *count, struct mistake *mistake) {
  if (size == 0 || bytes[size - 1] != '\n') return wrong(mistake, "it ends in the middle of a line");
  bytes[size - 1] = '\0';
  char *last = strrchr(bytes, '\n');
  if (!last || strncmp(last + 1, "end ", 4) != 0) return wrong(mistake, "its last line is not the end");
  char expected[32];
  char *digits = last + 5, *space = strchr(digits, ' ');
  snprintf(expected, sizeof expected, "%08" PRIx32, checksum(bytes, (size_t)(last + 1 - bytes)));
  if (!space || strcmp(space + 1, expected) != 0) return wrong(mistake, "its checksum is wrong: it is torn or was edited");
  *space = '\0';
  if (!number(digits, OUTPUTS_MAX, count)) return wrong(mistake, "it has too many outputs, %d is the most", OUTPUTS_MAX);
  last[1] = '\0';
  return true;
}

static int parse_table(char *bytes, enum kind kind, struct output *into, struct mistake *mistake) {
  char *rest = bytes;
  char *header = strsep(&rest, "\n");
  int count = 0;
  if (strcmp(header, HEADERS[kind]) != 0) {
    wrong(mistake, "it is of another version: this keeper reads \"%s\"", HEADERS[kind]);
    return -1;
  }
  while (rest && *rest) {
    char *line = strsep(&rest, "\n");
    bool good = count < OUTPUTS_MAX ? parse_entry(line, kind, &into[count], mistake)
                                    : wrong(mistake, "there are too many outputs, %d is the most", OUTPUTS_MAX);
    for (int n = 0; good && n < count; n++)
      if (!strcmp(into[n].key, into[count].key)) good = wrong(mistake, "%.60s is there twice", into[count].key);
    if (!good) {
      struct mistake inner = *mistake;
      wrong(mistake, "line %d: %s", count + 2, inner.text);
      return -1;
    }
    count++;
  }
  return count;
}

int read_table(const char *path, enum kind kind, struct output *into, struct mistake *mistake) {
  uint64_t said = 0;
  size_t size;
  *mistake = (struct mistake){0};
  char *bytes = slurp(path, &size, mistake);
  if (!bytes) return -1;
  int count = unseal(bytes, size, &said, mistake) ? parse_table(bytes, kind, into, mistake) : -1;
  free(bytes);
  if (count < 0 || (uint64_t)count == said) return count;
  wrong(mistake, "it has %d outputs and says that it has %" PRIu64, count, said);
  return -1;
}

bool write_state(const char *path, const struct output *outputs, size_t count) {
  char beside[4096], entry[ENTRY_MAX], *bytes = NULL;
  size_t size = 0;
  FILE *text = open_memstream(&bytes, &size);
  if (!text) return false;
  fprintf(text, "%s\n", HEADERS[STATE]);
  for (size_t n = 0; n < count; n++) {
    format_entry(&outputs[n], STATE, entry);
    fprintf(text, "%s\n", entry);
  }
  fflush(text);
  fprintf(text, "end %zu %08" PRIx32 "\n", count, checksum(bytes, size));
  bool good = fclose(text) == 0;
  snprintf(beside, sizeof beside, "%s.new", path);
  int fd = good ? open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640) : -1;
  good = fd >= 0 && write(fd, bytes, size) == (ssize_t)size;
  if (fd >= 0) close(fd);
  free(bytes);
  return good && rename(beside, path) == 0;
}
