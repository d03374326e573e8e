/* `:translate FILE`: a file's lines in order, translated in chunks. */
#include <stdlib.h>

#include "tui/command.h"
#include "tui/sink.h"
#include "tui/translating.h"

/* Hands on every line up to the first one without a translation. */
static bool emit_lines(const struct translating *run, struct file_result *file,
                       struct status *status)
{
    struct sink *sink = run->session->sink;
    for (; file->finished < file->sentences && file->translations[file->finished]; file->finished++)
        sink->kind->line(sink, file->translations[file->finished]);
    return sink_written(sink, status);
}

static bool translate_lines(struct translating *run, struct file_result *file,
                            struct status *status)
{
    struct progress progress;
    struct status other;
    double tokens = 0, began = seconds_now();
    if (!translating_measure(run, 1, &tokens, status))
        return false;
    progress_begin(&progress, "translating", "sentences", tokens);
    run->progress = &progress;
    int step = translating_step(run->session, 1);
    bool ok = true;
    for (int first = 0; ok && first < run->lines->count; first += step) {
        int left = run->lines->count - first;
        ok = translating_chunk(run, 1, first, first + (left < step ? left : step), status);
        ok = emit_lines(run, file, ok ? status : &other) && ok;
    }
    file->tokens = run->tokens;
    file->seconds = seconds_now() - began;
    return ok;
}

COMMAND(translate)
{
    struct lines lines;
    if (!no_more_words(request, 1, status))
        return false;
    if (request->words.count < 1)
        return status_fail(status, STATUS_INVALID, "expected FILE");
    const char *path = request->words.text[0];
    if (!lines_read(path, &lines, status))
        return false;
    if (!lines_check_any(path, &lines, status)) {
        lines_free(&lines);
        return false;
    }
    result->kind = RESULT_FILE;
    result->file.path = copy_text(path, status);
    result->file.translations = memory_new(lines.count, sizeof(char *), status);
    bool ok = result->file.path && result->file.translations;
    result->file.sentences = ok ? lines.count : 0;
    struct translating run = {
        .session = session, .path = path, .lines = &lines, .texts = result->file.translations};
    ok = ok && translate_lines(&run, &result->file, status);
    if (!ok && status->code == STATUS_CANCELLED)
        status_fail(status, STATUS_CANCELLED, "interrupted: the first %d of %d lines are finished",
                    result->file.finished, lines.count);
    lines_free(&lines);
    // Nothing was finished: there is nothing to keep.
    if (!ok && result->file.tokens == 0)
        result_free(result);
    return ok;
}
