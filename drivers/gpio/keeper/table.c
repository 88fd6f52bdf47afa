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
/* All other bytes are escaped as %XX. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

static const char *const HEADERS[] = {[TABLE] = "stellwerk outputs 1", [STATE] = "stellwerk keeper state 1"};
static const size_t WORDS[] = {[TABLE] = 11, [STATE] = 14};
static const char *const POLICIES[] = {"hold", "inactive", "active"};
static const char *const POLARITIES[] = {"high", "low"};
static const char *const DRIVES[] = {"push-pull", "open-drain", "open-source"};
static const uint64_t DRIVE_FLAGS[] = {0, GPIO_V2_LINE_FLAG_OPEN_DRAIN, GPIO_V2_LINE_FLAG_OPEN_SOURCE};
#define COUNT(array) (sizeof(array) / sizeof *(array))

__attribute__((format(printf, 2, 3))) static bool fail(struct parse_error *error, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(error->text, sizeof error->text, format, values);
  va_end(values);
  return false;
}

/* ---- words ---- */

/* The index of a word in a list, or −1. */
static int choice(const char *word, const char *const *list, size_t count) {
  for (size_t n = 0; n < count; n++)
    if (!strcmp(word, list[n])) return (int)n;
  return -1;
}

static bool number(const char *word, uint64_t max, uint64_t *into) {
  uint64_t value = 0;
  if (!*word || strlen(word) > 15) return false;
  for (; *word; word++) {
    if (*word < '0' || *word > '9') return false;
    value = value * 10 + (uint64_t)(*word - '0');
  }
  *into = value;
  return value <= max;
}

static int hex(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

static bool is_plain(char c) { return c && strchr(PLAIN, c); }

/* "gpio%20chip" → "gpio chip"; false if malformed or too long. A byte that needs no escape must not be
 * escaped, so that every text has exactly one form. */
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

static bool parse_location(char **words, struct output *into, struct parse_error *error) {
  uint64_t nth, offset;
  if (strlen(words[0]) >= CHIP_MAX || !unescape(words[0], into->chip, sizeof into->chip))
    return fail(error, "%.40s is not the label of a chip", words[0]);
  if (!number(words[1], 255, &nth)) return fail(error, "%.20s is not the index of a chip", words[1]);
  if (!number(words[2], 65535, &offset)) return fail(error, "%.20s is not the offset of a line", words[2]);
  /* The name is only for messages and stays escaped. */
  if (!copy(words[3], into->name, sizeof into->name) || words[3][strspn(words[3], PLAIN "%")])
    return fail(error, "the line's name is missing, too long or malformed");
  into->nth = (uint32_t)nth;
  into->offset = (uint32_t)offset;
  /* The label is shorter than CHIP_MAX; the numbers have at most 3 and 5 digits. */
  snprintf(into->key, sizeof into->key, "%.*s/%" PRIu32 "/%" PRIu32, CHIP_MAX, words[0], into->nth, into->offset);
  return true;
}

static bool parse_policies(char **words, struct output *into, struct parse_error *error) {
  enum policy *const all[] = {&into->boot, &into->on_death, &into->on_stop, &into->on_update};
  uint64_t hold_s;
  for (size_t n = 0; n < COUNT(all); n++)
    if (!policy(words[n], all[n])) return fail(error, "%.40s is not a policy: hold, inactive or active", words[n]);
  if (!number(words[4], HOLD_MAX_S, &hold_s))
    return fail(error, "%.20s is not a hold time: 0 to %u seconds", words[4], HOLD_MAX_S);
  into->hold_s = (uint32_t)hold_s;
  return true;
}

bool parse_entry(const char *text, enum kind kind, struct output *into, struct parse_error *error) {
  char buffer[ENTRY_MAX];
  char *words[WORDS_MAX + 1], *rest = buffer;
  size_t count = 0;
  *into = (struct output){0};
  if (!copy(text, buffer, sizeof buffer)) return fail(error, "the line is empty or too long");
  while (rest && count < WORDS[kind] + 1) words[count++] = strsep(&rest, " ");
  if (count != WORDS[kind]) return fail(error, "it does not have %zu words", WORDS[kind]);
  if (!parse_location(words, into, error)) return false;
  int polarity = choice(words[4], POLARITIES, COUNT(POLARITIES));
  int drive = choice(words[5], DRIVES, COUNT(DRIVES));
  if (polarity < 0) return fail(error, "%.40s is neither high nor low", words[4]);
  if (drive < 0) return fail(error, "%.40s is not a drive", words[5]);
  into->flags = (polarity == 1 ? GPIO_V2_LINE_FLAG_ACTIVE_LOW : 0) | DRIVE_FLAGS[drive];
  if (!parse_policies(words + 6, into, error)) return false;
  if (kind == TABLE) return true;
  uint64_t phase;
  if (!policy(words[13], &into->resting)) return fail(error, "%.40s is not a policy", words[13]);
  if (!number(words[11], SETTLED, &phase)) return fail(error, "%.20s is not a phase", words[11]);
  if (!number(words[12], UINT64_MAX, &into->until_ms)) return fail(error, "%.20s is not a time", words[12]);
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

/* CRC-32 as in zlib: detects a torn or edited file, but does not protect against attackers. */
static uint32_t checksum(const char *bytes, size_t size) {
  uint32_t crc = ~0u;
  for (size_t n = 0; n < size; n++) {
    crc ^= (uint8_t)bytes[n];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0xEDB88320u & -(crc & 1));
  }
  return ~crc;
}

/* The content of a file with a terminating NUL, to be freed; NULL with the error set. */
static char *read_file(const char *path, size_t *size, struct parse_error *error) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    fail(error, "it cannot be opened: %s", strerror(errno));
    return NULL;
  }
  char *bytes = malloc(TABLE_MAX + 1);
  ssize_t got = 1;
  *size = 0;
  while (bytes && got > 0 && *size < TABLE_MAX) {
    got = read(fd, bytes + *size, TABLE_MAX - *size);
    if (got > 0) *size += (size_t)got;
  }
  int read_error = got < 0 ? errno : 0;
  close(fd);
  if (bytes && got == 0 && !memchr(bytes, '\0', *size)) {
    bytes[*size] = '\0';
    return bytes;
  }
  fail(error, "%s", read_error ? strerror(read_error) : got > 0 ? "it is too long" : "it is not a text");
  free(bytes);
  return NULL;
}

/* Removes the last line, "end COUNT CHECKSUM", and verifies the rest with it. */
static bool unseal(char *bytes, size_t size, uint64_t *count, struct parse_error *error) {
  if (size == 0 || bytes[size - 1] != '\n') return fail(error, "it is truncated within a line");
  bytes[size - 1] = '\0';
  char *last = strrchr(bytes, '\n');
  if (!last || strncmp(last + 1, "end ", 4) != 0) return fail(error, "its last line is missing");
  char expected[32];
  char *digits = last + 5, *space = strchr(digits, ' ');
  snprintf(expected, sizeof expected, "%08" PRIx32, checksum(bytes, (size_t)(last + 1 - bytes)));
  if (!space || strcmp(space + 1, expected) != 0) return fail(error, "its checksum is wrong: it is damaged or was edited");
  *space = '\0';
  if (!number(digits, OUTPUTS_MAX, count)) return fail(error, "it has too many outputs, the maximum is %d", OUTPUTS_MAX);
  last[1] = '\0';
  return true;
}

static int parse_table(char *bytes, enum kind kind, struct output *into, struct parse_error *error) {
  char *rest = bytes;
  char *header = strsep(&rest, "\n");
  int count = 0;
  if (strcmp(header, HEADERS[kind]) != 0) {
    fail(error, "it has another version: this keeper reads \"%s\"", HEADERS[kind]);
    return -1;
  }
  while (rest && *rest) {
    char *line = strsep(&rest, "\n");
    bool good = count < OUTPUTS_MAX ? parse_entry(line, kind, &into[count], error)
                                    : fail(error, "it has too many outputs, the maximum is %d", OUTPUTS_MAX);
    for (int n = 0; good && n < count; n++)
      if (!strcmp(into[n].key, into[count].key)) good = fail(error, "%.60s is listed twice", into[count].key);
    if (!good) {
      struct parse_error inner = *error;
      fail(error, "line %d: %s", count + 2, inner.text);
      return -1;
    }
    count++;
  }
  return count;
}

int read_table(const char *path, enum kind kind, struct output *into, struct parse_error *error) {
  uint64_t expected = 0;
  size_t size;
  *error = (struct parse_error){0};
  char *bytes = read_file(path, &size, error);
  if (!bytes) return -1;
  int count = unseal(bytes, size, &expected, error) ? parse_table(bytes, kind, into, error) : -1;
  free(bytes);
  if (count < 0 || (uint64_t)count == expected) return count;
  fail(error, "it has %d outputs, but its last line says %" PRIu64, count, expected);
  return -1;
}

bool write_state(const char *path, const struct output *outputs, size_t count) {
  char new_path[4096], entry[ENTRY_MAX], *bytes = NULL;
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
  snprintf(new_path, sizeof new_path, "%s.new", path);
  int fd = good ? open(new_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640) : -1;
  good = fd >= 0 && write(fd, bytes, size) == (ssize_t)size;
  if (fd >= 0) close(fd);
  free(bytes);
  return good && rename(new_path, path) == 0;
}
