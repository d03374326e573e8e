#include "tui/translating.h"

#include <stdlib.h>

#include "model/net/quote.h"
#include "tui/command.h"
#include "tui/interrupt.h"

enum { BATCHES_PER_CHUNK = 4 };

struct item {
    int line; // of the file, 0-based
    struct sentence source;
};

struct chunk {
    struct translating *translating;
    struct item *items;      // (count)
    struct search_job *jobs; // (count), of the items in order
    bool *finished;          // (count)
    int count;
};

static bool job_finished(void *context, int job)
{
    struct chunk *chunk = context;
    struct progress *progress = chunk->translating->progress;
    // After Ctrl-C the device's results mean nothing, this one's included.
    if (interrupted())
        return false;
    if (job >= 0) {
        chunk->finished[job] = true;
        progress->done += chunk->items[job].source.count;
        progress->count++;
    }
    progress_draw(progress);
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

/* Encodes what is to be translated of the lines first … last-1. */
static bool chunk_fill(struct translating *translating, int first, int last, struct chunk *chunk,
                       struct status *status)
{
    const struct session *session = translating->session;
    *chunk = (struct chunk){.translating = translating};
    chunk->items = memory_new(last - first, sizeof *chunk->items, status);
    chunk->jobs = memory_new(last - first, sizeof *chunk->jobs, status);
    chunk->finished = memory_new(last - first, sizeof *chunk->finished, status);
    if (!chunk->items || !chunk->jobs || !chunk->finished)
        return false;
    for (int line = first; line < last; line++) {
        const char *text = translating->lines->text[line];
        if (translating->texts[line] || command_blank(text))
            continue;
        struct item *item = &chunk->items[chunk->count++];
        item->line = line;
        if (!source_encode(session->loaded->checkpoint, text, &item->source, status))
            return false;
    }
    for (int i = 0; i < chunk->count; i++) {
        chunk->jobs[i].source = &chunk->items[i].source;
        chunk->jobs[i].dials = session->state.dials;
    }
    return true;
}

/* Puts the texts of what was finished at their lines. */
static bool keep_texts(const struct chunk *chunk, struct status *status)
{
    struct translating *translating = chunk->translating;
    for (int i = 0; i < chunk->count; i++) {
        const struct translation *result = &chunk->jobs[i].result;
        if (!chunk->finished[i] || !result->count)
            continue;
        const struct hypothesis *best = &result->hypotheses[0];
        char *text =
            target_text(translating->session->loaded->checkpoint, best->ids, best->count, status);
        if (!text)
            return false;
        translating->texts[chunk->items[i].line] = text;
        translating->tokens += best->count;
    }
    return true;
}

static bool keep_blanks(struct translating *translating, int first, int last, struct status *status)
{
    for (int line = first; line < last; line++) {
        if (translating->texts[line] || !command_blank(translating->lines->text[line]))
            continue;
        translating->texts[line] = copy_text("", status);
        if (!translating->texts[line])
            return false;
    }
    return true;
}

bool translating_chunk(struct translating *translating, int first, int last, struct status *status)
{
    const struct session *session = translating->session;
    struct chunk chunk;
    struct status other;
    bool ok = chunk_fill(translating, first, last, &chunk, status);
    if (ok && chunk.count) {
        struct search_listener listener = {job_finished, &chunk};
        ok = search_run(session->state.model, chunk.jobs, chunk.count, &session->state.search,
                        &listener, status);
        ok = interrupt_check(status) && ok;
    }
    progress_end(translating->progress);
    // What was finished before a failure is kept, and its message too.
    ok = keep_texts(&chunk, ok ? status : &other) && ok;
    ok = keep_blanks(translating, first, last, ok ? status : &other) && ok;
    chunk_free(&chunk);
    return ok;
}

bool translating_measure(const struct translating *translating, double *tokens,
                         struct status *status)
{
    const struct checkpoint *checkpoint = translating->session->loaded->checkpoint;
    const struct lines *lines = translating->lines;
    struct sentence sentence = {0};
    struct progress progress;
    bool ok = true;
    progress_begin(&progress, "reading", "lines", lines->count);
    for (int i = 0; ok && i < lines->count; i++) {
        if (translating->texts[i] || command_blank(lines->text[i]))
            continue;
        if (!source_encode(checkpoint, lines->text[i], &sentence, status))
            ok = status_prefix(status, "%s:%d", QUOTED_PATH(translating->path), i + 1);
        *tokens += sentence.count;
        progress.done = (double)(progress.count = i + 1);
        progress_draw(&progress);
        ok = ok && interrupt_check(status);
    }
    progress_end(&progress);
    sentence_free(&sentence);
    return ok;
}

int translating_step(const struct session *session)
{
    return BATCHES_PER_CHUNK * session->state.search.batch;
}

int translating_finished(const struct translating *translating)
{
    int finished = 0;
    while (finished < translating->lines->count && translating->texts[finished])
        finished++;
    return finished;
}
