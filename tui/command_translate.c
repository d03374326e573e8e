/* `:translate FILE`: a file's lines in order, translated in chunks. */
#include <stdlib.h>
#include <string.h>

#include "model/net/quote.h"
#include "tui/command.h"
#include "tui/interrupt.h"
#include "tui/lines.h"
#include "tui/progress.h"
#include "tui/sink.h"

/* A chunk is so many batches: the search takes the longest sentences first, and what is left of a chunk
 * after Ctrl-C is lost. */
enum { BATCHES_PER_CHUNK = 4 };

struct item {
    int line; // of the file, 0-based
    struct sentence source;
};

struct chunk {
    struct item *items;      // (count)
    struct search_job *jobs; // (count), of the items in order
    bool *finished;          // (count)
    int count;
};

struct run {
    struct session *session;
    const struct lines *lines;
    struct file_result *file;
    struct chunk *chunk;
    struct progress progress;
};

static bool job_finished(void *context, int job)
{
    struct run *run = context;
    // After Ctrl-C the device's results mean nothing, this one's included.
    if (interrupted())
        return false;
    if (job >= 0) {
        run->chunk->finished[job] = true;
        run->progress.done += run->chunk->items[job].source.count;
        run->progress.count++;
    }
    progress_draw(&run->progress);
    return true;
}

static void chunk_free(struct chunk *chunk)
{
    for (int i = 0; i < chunk->count; i++) {
        sentence_free(&chunk->items[i].source);
        translation_free(&chunk->jobs[i].result);
    }
    free(chunk->items);
    free(chunk->jobs);
    free(chunk->finished);
}

/* Encodes the lines first … last-1 that are not blank. */
static bool chunk_fill(const struct run *run, int first, int last, struct chunk *chunk,
                       struct status *status)
{
    *chunk = (struct chunk){0};
    chunk->items = memory_new(last - first, sizeof *chunk->items, status);
    chunk->jobs = memory_new(last - first, sizeof *chunk->jobs, status);
    chunk->finished = memory_new(last - first, sizeof *chunk->finished, status);
    if (!chunk->items || !chunk->jobs || !chunk->finished)
        return false;
    for (int line = first; line < last; line++) {
        if (command_blank(run->lines->text[line]))
            continue;
        struct item *item = &chunk->items[chunk->count++];
        item->line = line;
        if (!source_encode(run->session->loaded->checkpoint, run->lines->text[line], &item->source,
                           status))
            return false;
    }
    for (int i = 0; i < chunk->count; i++) {
        chunk->jobs[i].source = &chunk->items[i].source;
        chunk->jobs[i].dials = run->session->state.dials;
    }
    return true;
}

/* Puts the texts of what was finished at their lines. */
static bool keep_texts(struct run *run, const struct chunk *chunk, struct status *status)
{
    for (int i = 0; i < chunk->count; i++) {
        const struct translation *result = &chunk->jobs[i].result;
        if (!chunk->finished[i] || !result->count)
            continue;
        const struct hypothesis *best = &result->hypotheses[0];
        char *text = target_text(run->session->loaded->checkpoint, best->ids, best->count, status);
        if (!text)
            return false;
        run->file->translations[chunk->items[i].line] = text;
        run->file->tokens += best->count;
    }
    return true;
}

/* Hands on every line up to the first one without a translation. */
static bool emit_lines(struct run *run, int last, struct status *status)
{
    struct sink *sink = run->session->sink;
    struct file_result *file = run->file;
    for (; file->finished < last; file->finished++) {
        char **text = &file->translations[file->finished];
        if (!*text && command_blank(run->lines->text[file->finished]))
            *text = copy_text("", status);
        if (!*text)
            break;
        sink->kind->line(sink, *text);
    }
    return sink_written(sink, status);
}

static bool translate_chunk(struct run *run, int first, int last, struct status *status)
{
    struct chunk chunk;
    struct status other;
    run->chunk = &chunk;
    bool ok = chunk_fill(run, first, last, &chunk, status);
    if (ok && chunk.count) {
        struct search_listener listener = {job_finished, run};
        ok = search_run(run->session->state.model, chunk.jobs, chunk.count,
                        &run->session->state.search, &listener, status);
        ok = interrupt_check(status) && ok;
    }
    progress_end(&run->progress);
    // What was finished before a failure is kept, and its message too.
    ok = keep_texts(run, &chunk, ok ? status : &other) && ok;
    ok = emit_lines(run, last, ok ? status : &other) && ok;
    chunk_free(&chunk);
    return ok;
}

/* Checks every line before the first one is translated, and counts the source's tokens. */
static bool measure(const struct session *session, const char *path, const struct lines *lines,
                    double *tokens, struct status *status)
{
    struct sentence sentence = {0};
    struct progress progress;
    bool ok = true;
    *tokens = 0;
    progress_begin(&progress, "reading", "lines", lines->count);
    for (int i = 0; ok && i < lines->count; i++) {
        if (command_blank(lines->text[i]))
            continue;
        if (!source_encode(session->loaded->checkpoint, lines->text[i], &sentence, status))
            ok = status_prefix(status, "%s:%d", QUOTED_PATH(path), i + 1);
        *tokens += sentence.count;
        progress.done = (double)(progress.count = i + 1);
        progress_draw(&progress);
        ok = ok && interrupt_check(status);
    }
    progress_end(&progress);
    sentence_free(&sentence);
    return ok;
}

static bool translate_lines(struct run *run, struct status *status)
{
    double tokens, began = seconds_now();
    if (!measure(run->session, run->file->path, run->lines, &tokens, status))
        return false;
    progress_begin(&run->progress, "translating", "sentences", tokens);
    int step = BATCHES_PER_CHUNK * run->session->state.search.batch;
    bool ok = true;
    for (int first = 0; ok && first < run->lines->count; first += step) {
        int left = run->lines->count - first;
        ok = translate_chunk(run, first, first + (left < step ? left : step), status);
    }
    run->file->seconds = seconds_now() - began;
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
    result->kind = RESULT_FILE;
    result->file.path = copy_text(path, status);
    result->file.translations = memory_new(lines.count, sizeof(char *), status);
    bool ok = result->file.path && result->file.translations;
    result->file.sentences = ok ? lines.count : 0;
    struct run run = {.session = session, .lines = &lines, .file = &result->file};
    ok = ok && translate_lines(&run, status);
    if (!ok && status->code == STATUS_CANCELLED)
        status_fail(status, STATUS_CANCELLED, "interrupted: the first %d of %d lines are finished",
                    result->file.finished, lines.count);
    lines_free(&lines);
    // Nothing was finished: there is nothing to keep.
    if (!ok && result->file.tokens == 0)
        result_free(result);
    return ok;
}
