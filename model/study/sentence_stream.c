#include "model/study/sentence_stream.h"

#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/text/quote.h"
#include "model/text/utf8.h"

/* Before reading ------------------------------------------------------------------------------- */

static bool is_regular(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* What is measured of one file. */
struct measured {
    int lines;
    char digest[DIGEST_DIGITS + 1];
};

static bool count_lines(const char *path, FILE *file, const struct watch *watch,
                        struct sha256_ctx *hash, struct measured *out, struct status *status)
{
    static const char what[] = "reading";
    uint8_t buffer[1 << 14];
    char last = '\n';
    size_t bytes;
    while ((bytes = fread(buffer, 1, sizeof buffer, file)) > 0) {
        sha256_update(hash, bytes, buffer);
        for (size_t i = 0; i < bytes; i++)
            out->lines += buffer[i] == '\n';
        last = (char)buffer[bytes - 1];
        if (!watch_proceed(watch, what, 0, INFINITY, status))
            return watch_fail(watch, what, INFINITY);
    }
    watch_fail(watch, what, INFINITY); // the end of the file
    out->lines += last != '\n';
    return !ferror(file) || status_fail(status, STATUS_IO, "%s: cannot be read", QUOTED_PATH(path));
}

static bool measure(const char *path, const struct watch *watch, struct measured *out,
                    struct status *status)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx hash;
    FILE *file = lines_open(path, watch, status);
    if (!file)
        return false;
    sha256_init(&hash);
    bool ok = count_lines(path, file, watch, &hash, out, status);
    fclose(file);
    sha256_digest(&hash, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(out->digest + 2 * i, 3, "%02x", digest[i]);
    return ok;
}

static bool fail_match(const struct sentence_stream *stream, int sentences, int other,
                       struct status *status)
{
    bool less = sentences < other;
    const struct stream_file *shorter = &stream->files[less ? 0 : 1];
    const struct stream_file *longer = &stream->files[less ? 1 : 0];
    return status_fail(status, STATUS_INVALID,
                       "%s:%d: the last line, and %s has %d: expected as many in both",
                       QUOTED_PATH(shorter->path), less ? sentences : other,
                       QUOTED_PATH(longer->path), less ? other : sentences);
}

static bool hold(struct stream_file *file, const struct watch *watch, struct measured *out,
                 struct status *status)
{
    file->held = true;
    bool ok = sentences_read(file->path, watch, &file->lines, &file->conllu, status);
    out->lines = file->lines.count;
    return ok;
}

static bool measure_file(struct stream_file *file, const struct watch *watch, struct measured *out,
                         struct status *status)
{
    bool is_conllu;
    if (!measure(file->path, watch, out, status) ||
        !conllu_recognise(file->path, watch, &is_conllu, status) ||
        (is_conllu && !hold(file, watch, out, status)))
        return false;
    return out->lines > 0 ||
           status_fail(status, STATUS_INVALID, "%s: empty, expected a sentence on each line",
                       QUOTED_PATH(file->path));
}

static bool measure_all(struct sentence_stream *stream, const struct watch *watch,
                        struct status *status)
{
    struct measured all[STREAM_FILES] = {{.lines = 0}};
    for (int i = 0; i < stream->count; i++)
        if (!is_regular(stream->files[i].path))
            return true;
    for (int i = 0; i < stream->count; i++) {
        if (!measure_file(&stream->files[i], watch, &all[i], status))
            return false;
        strcat(strcat(stream->content, i ? " " : ""), all[i].digest);
    }
    if (stream->count == STREAM_FILES && all[0].lines != all[1].lines)
        return fail_match(stream, all[0].lines, all[1].lines, status);
    stream->sentences = all[0].lines;
    return true;
}

/* Reading -------------------------------------------------------------------------------------- */

bool sentence_stream_open(struct sentence_stream *stream, const char *path, const char *other,
                          const struct watch *watch, struct status *status)
{
    *stream = (struct sentence_stream){.files = {{.path = path}, {.path = other}},
                                       .count = other ? 2 : 1};
    if (!measure_all(stream, watch, status))
        return false;
    for (int i = 0; i < stream->count; i++) {
        struct stream_file *file = &stream->files[i];
        if (!file->held && !(file->stream = lines_open(file->path, watch, status)))
            return false;
    }
    return true;
}

void sentence_stream_close(struct sentence_stream *stream)
{
    for (int i = 0; i < STREAM_FILES; i++) {
        struct stream_file *file = &stream->files[i];
        if (file->stream)
            fclose(file->stream);
        free(file->line.text);
        lines_free(&file->lines);
        conllu_free(&file->conllu);
    }
    *stream = (struct sentence_stream){.count = 0};
}

int sentence_stream_line(const struct sentence_stream *stream, int file)
{
    const struct stream_file *of = &stream->files[file];
    return of->held ? lines_number(&of->lines, stream->number - 1) : stream->number;
}

/* Fails because one file ends and the other goes on. */
static bool fail_end(const struct sentence_stream *stream, int ended, struct status *status)
{
    return status_fail(status, STATUS_INVALID,
                       "%s:%d: the last line, and %s has more: expected as many in both",
                       QUOTED_PATH(stream->files[ended].path), stream->number - 1,
                       QUOTED_PATH(stream->files[1 - ended].path));
}

static bool next_line(struct stream_file *file, const char **text, bool *end, struct status *status)
{
    enum line_result result = line_read(file->stream, &file->line, status);
    *text = file->line.text;
    *end = result == LINE_END;
    if (*end || (result == LINE_READ && check_utf8(file->line.text, status)))
        return true;
    return status->code == STATUS_INVALID
               ? status_prefix(status, "%s:%d", QUOTED_PATH(file->path), file->line.number)
               : status_prefix(status, "%s", QUOTED_PATH(file->path));
}

bool sentence_stream_next(struct sentence_stream *stream, bool *end, struct status *status)
{
    bool ended[STREAM_FILES] = {false};
    const int index = stream->number++;
    for (int i = 0; i < stream->count; i++) {
        struct stream_file *file = &stream->files[i];
        ended[i] = file->held && index == file->lines.count;
        if (file->held && !ended[i])
            stream->texts[i] = file->lines.text[index];
        else if (!file->held && !next_line(file, &stream->texts[i], &ended[i], status))
            return false;
    }
    *end = ended[0];
    const struct conllu *conllu = &stream->files[0].conllu;
    stream->conllu = conllu->count && !*end ? &conllu->sentences[index] : NULL;
    if (stream->count == STREAM_FILES && ended[0] != ended[1])
        return fail_end(stream, ended[0] ? 0 : 1, status);
    return true;
}
