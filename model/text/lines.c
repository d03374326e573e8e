#include "model/text/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outlet.h"
#include "base/system.h"
#include "model/text/file_kind.h"
#include "model/text/quote.h"
#include "model/text/utf8.h"

enum { LONGEST_LINE = 16 << 20 };
#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

enum { WAIT_MS = 50 }; // for a pipe, until the watch is asked again

struct cookie {
    int file;
    const struct watch *watch;
};

/* A pipe may stay silent forever: waits for it and asks whether to go on waiting. */
static ssize_t cookie_read(void *opened, char *buffer, size_t size)
{
    const struct cookie *cookie = opened;
    struct pollfd file = {.fd = cookie->file, .events = POLLIN};
    struct status unused;
    for (;;) {
        poll(&file, 1, WAIT_MS);
        if (!watch_ask(cookie->watch, &unused)) {
            errno = ECANCELED;
            return -1;
        }
        ssize_t count = read(cookie->file, buffer, size);
        if (count >= 0 || (errno != EAGAIN && errno != EINTR))
            return count;
    }
}

static int cookie_close(void *opened)
{
    struct cookie *cookie = opened;
    int result = close(cookie->file);
    free(cookie);
    return result;
}

/* A directory can be opened, but then it cannot be read. */
static int open_text(const char *path)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0 || fstat(file, &about) != 0 || !S_ISDIR(about.st_mode))
        return file;
    close(file);
    errno = EISDIR;
    return -1;
}

FILE *lines_open(const char *path, const struct watch *watch, struct status *status)
{
    struct cookie *cookie = memory_new(1, sizeof *cookie, status);
    if (!cookie)
        return NULL;
    *cookie = (struct cookie){open_text(path), watch};
    bool text = cookie->file < 0 || file_kind_check_open(cookie->file, FILE_OF_TEXT, status);
    FILE *stream =
        text && cookie->file >= 0 ? stream_open(cookie, cookie_read, cookie_close) : NULL;
    if (stream)
        return stream;
    if (text)
        status_fail(status, STATUS_IO, "%s, expected a text file", strerror(errno));
    status_prefix(status, "%s", QUOTED_PATH(path));
    if (cookie->file >= 0)
        close(cookie->file);
    free(cookie);
    return NULL;
}

/* Reads characters up to the line break; c is the first one. */
static enum line_result collect(FILE *stream, int c, struct line *line, struct status *status)
{
    size_t nul = 0;
    for (; c != EOF && c != '\n'; c = getc_unlocked(stream)) {
        if (line->bytes == LONGEST_LINE) {
            status_fail(status, STATUS_INVALID, "a line longer than %d bytes", LONGEST_LINE);
            return LINE_FAILED;
        }
        if (!memory_grow((void **)&line->text, &line->capacity, line->bytes + 2, 1, status))
            return LINE_FAILED;
        line->text[line->bytes++] = (char)c;
        if (c == 0 && !nul)
            nul = line->bytes;
    }
    if (!nul)
        return LINE_READ;
    status_fail(status, STATUS_INVALID, "a NUL byte at byte %zu", nul);
    return LINE_BAD;
}

static void tidy(struct line *line)
{
    if (line->bytes && line->text[line->bytes - 1] == '\r')
        line->bytes--;
    line->text[line->bytes] = '\0';
    if (line->number == 1 && strncmp(line->text, BYTE_ORDER_MARK, 3) == 0) {
        line->bytes -= 3;
        memmove(line->text, line->text + 3, line->bytes + 1);
    }
}

enum line_result line_read(FILE *stream, struct line *line, struct status *status)
{
    line->bytes = 0;
    line->number++;
    if (!memory_grow((void **)&line->text, &line->capacity, 128, 1, status))
        return LINE_FAILED;
    errno = 0;
    int c = getc_unlocked(stream);
    if (c == EOF && !ferror(stream))
        return LINE_END;
    enum line_result result = collect(stream, c, line, status);
    if (ferror(stream)) {
        int error = errno;
        if (error == ECANCELED)
            status_fail(status, STATUS_CANCELLED, "interrupted");
        else
            status_fail(status, STATUS_IO, "%s", strerror(error));
        return LINE_FAILED;
    }
    if (result == LINE_READ)
        tidy(line);
    return result;
}

static bool is_control_blank(uint32_t c)
{
    return (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F) || c == 0x85 || c == 0x2028 ||
           c == 0x2029;
}

char *line_of_text(const char *text, struct status *status)
{
    size_t used = 0, length;
    char *line =
        memory_new(3 * strlen(text) + 1, 1, status); // a control's picture takes three bytes
    for (; line && *text; text += length) {
        uint32_t character = utf8_decode(text, &length);
        if (is_control_blank(character))
            line[used++] = ' ';
        else
            used += utf8_encode(outlet_character(OUTLET_LINE, character), line + used);
    }
    return line;
}

bool line_blank(const char *text)
{
    return !text[strspn(text, " \t\r\n\v\f")];
}

int lines_number(const struct lines *lines, int index)
{
    return lines->numbers ? lines->numbers[index] : index + 1;
}

bool lines_add(struct lines *lines, const char *text, int number, struct status *status)
{
    size_t count = (size_t)lines->count + 1;
    if (!memory_grow((void **)&lines->text, &lines->capacity, count, sizeof *lines->text, status) ||
        !memory_grow((void **)&lines->numbers, &lines->number_capacity, count,
                     sizeof *lines->numbers, status))
        return false;
    char *copy = strdup(text);
    if (!copy)
        return status_no_memory(status);
    lines->numbers[lines->count] = number;
    lines->text[lines->count++] = copy;
    return true;
}

static bool read_stream(const char *path, FILE *stream, const struct watch *watch, line_taker *take,
                        void *context, struct status *status)
{
    struct work_progress reading = {.what = "reading", .total = INFINITY, .unit = "lines"};
    struct line line = {0};
    enum line_result result;
    bool ok = true;
    while (ok && (result = line_read(stream, &line, status)) == LINE_READ) {
        reading.count = line.number;
        ok = watch_report(watch, &reading, status) && check_utf8(line.text, status) &&
             take(context, line.text, &line.number, status);
    }
    ok = ok && result == LINE_END && take(context, NULL, &line.number, status);
    watch_fail(watch, reading.what, reading.total); // reports the end, also on success
    free(line.text);
    if (ok)
        return true;
    if (status->code != STATUS_INVALID)
        return status_prefix(status, "%s", QUOTED_PATH(path));
    return status_prefix(status, "%s:%d", QUOTED_PATH(path), line.number);
}

bool lines_each(const char *path, const struct watch *watch, line_taker *take, void *context,
                struct status *status)
{
    FILE *stream = lines_open(path, watch, status);
    if (!stream)
        return false;
    bool ok = read_stream(path, stream, watch, take, context, status);
    fclose(stream);
    return ok;
}

static bool keep(void *context, const char *text, int *number, struct status *status)
{
    return !text || lines_add(context, text, *number, status);
}

bool lines_read(const char *path, const struct watch *watch, struct lines *lines,
                struct status *status)
{
    *lines = (struct lines){0};
    if (lines_each(path, watch, keep, lines, status))
        return true;
    lines_free(lines);
    return false;
}

void lines_free(struct lines *lines)
{
    for (int i = 0; i < lines->count; i++)
        free(lines->text[i]);
    free(lines->text);
    free(lines->numbers);
    *lines = (struct lines){0};
}

bool lines_copy(const struct lines *lines, struct lines *copy, struct status *status)
{
    *copy = (struct lines){0};
    for (int i = 0; i < lines->count; i++)
        if (!lines_add(copy, lines->text[i], lines_number(lines, i), status)) {
            lines_free(copy);
            return false;
        }
    return true;
}

bool lines_equal(const struct lines *a, const struct lines *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->text[i], b->text[i]) != 0)
            return false;
    return true;
}

bool lines_check_any(const char *path, const struct lines *lines, struct status *status)
{
    return lines->count > 0 ||
           status_fail(status, STATUS_INVALID, "%s: empty, expected a sentence on each line",
                       QUOTED_PATH(path));
}

bool lines_check_match(const char *path, const struct lines *lines, const char *other_path,
                       const struct lines *other, struct status *status)
{
    if (lines->count == other->count)
        return true;
    if (lines->count > other->count)
        return lines_check_match(other_path, other, path, lines, status);
    return status_fail(status, STATUS_INVALID,
                       "%s:%d: the last line, and %s has %d: expected as many in both",
                       QUOTED_PATH(path), lines->count ? lines_number(lines, lines->count - 1) : 0,
                       QUOTED_PATH(other_path), other->count);
}
