#include "model/study/shards/journal.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/system.h"
#include "model/text/file_kind.h"
#include "model/text/lines.h"
#include "model/text/quote.h"
#include "model/text/utf8.h"

enum { KEY_DIGITS = 2 * JOURNAL_KEY_BYTES, CHECK_BYTES = 8, CHECK_DIGITS = 2 * CHECK_BYTES };

struct journal_entry {
    struct journal_key key;
    char value[];
};

static const struct journal_key heading_key = {{0}};

/* Entries -------------------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    const struct journal_entry *first = a, *second = b;
    return memcmp(&first->key, &second->key, sizeof first->key);
}

void journal_free(struct journal *journal)
{
    while (journal->root) {
        struct journal_entry *entry = *(struct journal_entry **)journal->root;
        tdelete(entry, &journal->root, compare_keys);
        free(entry);
    }
    *journal = (struct journal){0};
}

const char *journal_find(const struct journal *journal, const struct journal_key *key)
{
    const struct journal_entry wanted = {.key = *key};
    struct journal_entry *const *found = tfind(&wanted, &journal->root, compare_keys);
    return found ? (*found)->value : NULL;
}

bool journal_add(struct journal *journal, const struct journal_key *key, const char *value,
                 struct status *status)
{
    size_t bytes = strlen(value) + 1;
    struct journal_entry *entry = memory_new(1, sizeof *entry + bytes, status);
    if (!entry)
        return false;
    entry->key = *key;
    memcpy(entry->value, value, bytes);
    struct journal_entry **at = tsearch(entry, &journal->root, compare_keys);
    if (!at) {
        free(entry);
        return status_no_memory(status);
    }
    if (*at == entry) {
        journal->count++;
    } else {
        free(*at);
        *at = entry;
    }
    return true;
}

/* Lines ---------------------------------------------------------------------------------------- */

static void write_hex(char *out, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(const char *text, uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int high = digit_of(text[2 * i]), low = high < 0 ? -1 : digit_of(text[2 * i + 1]);
        if (low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static void check_of(const char *text, size_t bytes, uint8_t check[CHECK_BYTES])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, bytes, (const uint8_t *)text);
    sha256_digest(&context, sizeof digest, digest);
    memcpy(check, digest, CHECK_BYTES);
}

char *journal_line(const struct journal_key *key, const char *value, size_t *bytes,
                   struct status *status)
{
    size_t used = KEY_DIGITS + 1;
    uint8_t check[CHECK_BYTES];
    if (strlen(value) > JOURNAL_VALUE_MOST / 2 - 100) {
        status_fail(status, STATUS_INVALID, "a result of %zu MiB is too long for a line of a part",
                    strlen(value) >> 20);
        return NULL;
    }
    char *line = memory_new(2 * strlen(value) + KEY_DIGITS + CHECK_DIGITS + 4, 1, status);
    if (!line)
        return NULL;
    write_hex(line, key ? key->bytes : heading_key.bytes, JOURNAL_KEY_BYTES);
    line[KEY_DIGITS] = ' ';
    for (; *value; value++) {
        if (*value == '\n' || *value == '\\')
            line[used++] = '\\';
        line[used++] = *value;
        if (*value == '\n')
            line[used - 1] = 'n';
    }
    check_of(line, used, check);
    line[used++] = ' ';
    write_hex(line + used, check, CHECK_BYTES);
    used += CHECK_DIGITS;
    line[used++] = '\n';
    *bytes = used;
    return line;
}

/* Unescapes in place. Returns false if a backslash precedes another character. */
static bool unescape(char *value)
{
    char *out = value;
    for (const char *in = value; *in; in++) {
        bool escaped = *in == '\\';
        in += escaped;
        if (escaped && *in != 'n' && *in != '\\')
            return false;
        *out++ = escaped && *in == 'n' ? '\n' : *in;
    }
    *out = '\0';
    return true;
}

/* Parses a line in place. Returns false if it is damaged. */
static bool parse_line(char *line, struct journal_key *key, char **value)
{
    uint8_t check[CHECK_BYTES], expected[CHECK_BYTES];
    struct status unused;
    size_t bytes = strlen(line);
    if (bytes < KEY_DIGITS + 2 + CHECK_DIGITS)
        return false;
    size_t end = bytes - CHECK_DIGITS - 1;
    check_of(line, end, expected);
    if (line[KEY_DIGITS] != ' ' || line[end] != ' ' ||
        !read_hex(line, key->bytes, JOURNAL_KEY_BYTES) ||
        !read_hex(line + end + 1, check, CHECK_BYTES) || memcmp(check, expected, CHECK_BYTES) != 0)
        return false;
    line[end] = '\0';
    *value = line + KEY_DIGITS + 1;
    return unescape(*value) && check_utf8(*value, &unused);
}

/* Files ---------------------------------------------------------------------------------------- */

void journal_file_free(struct journal_file *file)
{
    free(file->heading);
    *file = (struct journal_file){0};
}

static void count_damaged(struct journal_file *file, int number)
{
    if (!file->damaged++)
        file->damaged_line = number;
}

static bool take_line(struct line *line, bool read, struct journal *journal,
                      struct journal_file *file, struct status *status)
{
    struct journal_key key;
    char *value;
    bool good = read && parse_line(line->text, &key, &value);
    bool heading = good && memcmp(&key, &heading_key, sizeof key) == 0;
    if (line->number == 1 && !heading)
        return status_fail(status, STATUS_INVALID, "not a part of a study: expected its heading");
    if (line->number == 1)
        return (file->heading = strdup(value)) || status_no_memory(status);
    if (!good || heading)
        count_damaged(file, line->number);
    else
        file->results++;
    return !good || heading || journal_add(journal, &key, value, status);
}

/* Text after the last line break was cut off while being written. */
static int64_t end_of_lines(FILE *stream)
{
    enum { CHUNK = 4096 };
    char buffer[CHUNK];
    fseeko(stream, 0, SEEK_END);
    for (off_t end = ftello(stream); end > 0;) {
        off_t first = end > CHUNK ? end - CHUNK : 0;
        size_t bytes = (size_t)(end - first);
        fseeko(stream, first, SEEK_SET);
        if (fread(buffer, 1, bytes, stream) != bytes)
            return -1;
        const char *last = memory_find_last(buffer, '\n', bytes);
        if (last)
            return first + (last - buffer) + 1;
        end = first;
    }
    return 0;
}

/* A first line that was cut off while being written begins as every heading does. */
static bool check_cut_off(FILE *stream, struct status *status)
{
    static const char begins[] = "00000000000000000000000000000000 attnscope ";
    char text[sizeof begins];
    if (fseeko(stream, 0, SEEK_SET) != 0)
        return status_fail(status, STATUS_IO, "%s", strerror(errno));
    size_t bytes = fread(text, 1, sizeof begins - 1, stream);
    return memcmp(text, begins, bytes) == 0 ||
           status_fail(status, STATUS_INVALID, "not a part of a study: expected its heading");
}

static bool read_lines(FILE *stream, const struct watch *watch, struct journal *journal,
                       struct journal_file *file, struct status *status)
{
    struct line line = {0};
    struct work_progress reading = {.what = "reading parts", .total = INFINITY, .unit = "lines"};
    bool ok = true;
    file->bytes = end_of_lines(stream);
    if (file->bytes < 0 || fseeko(stream, 0, SEEK_SET) != 0)
        return status_fail(status, STATUS_IO, "%s", strerror(errno));
    if (file->bytes == 0)
        return check_cut_off(stream, status);
    while (ok && ftello(stream) < file->bytes) {
        enum line_result result = line_read(stream, &line, status);
        reading.count = line.number;
        ok = result != LINE_FAILED && result != LINE_END &&
             take_line(&line, result == LINE_READ, journal, file, status) &&
             watch_report(watch, &reading, status);
        if (result == LINE_END)
            status_fail(status, STATUS_IO, "it became shorter while it was read");
    }
    watch_fail(watch, reading.what, reading.total); // the end
    free(line.text);
    return ok;
}

static FILE *open_file(const char *path, struct status *status)
{
    struct stat about;
    FILE *stream = NULL;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        status_fail(status, STATUS_INVALID, "not a regular file: expected a part of a study");
    else if (!(stream = fopen(path, "r")))
        status_fail(status, STATUS_IO, "%s, expected a part of a study, or a folder of parts",
                    strerror(errno));
    else if (!file_kind_check_open(fileno(stream), FILE_OF_TEXT, status)) {
        fclose(stream);
        return NULL;
    }
    return stream;
}

bool journal_read(const char *path, const struct watch *watch, struct journal *journal,
                  struct journal_file *file, struct status *status)
{
    *file = (struct journal_file){0};
    FILE *stream = open_file(path, status);
    bool ok = stream && read_lines(stream, watch, journal, file, status);
    if (stream)
        fclose(stream);
    if (ok)
        return true;
    journal_file_free(file);
    return status_prefix(status, "%s", QUOTED_PATH(path));
}
