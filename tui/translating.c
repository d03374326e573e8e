#include "tui/translating.h"

#include <stdlib.h>

#include "model/net/quote.h"
#include "tui/command.h"
#include "tui/interrupt.h"

enum { BATCHES_PER_CHUNK = 4, BATCHES_PER_SHARED_CHUNK = 8 };

/* A translation that is wanted. */
struct item {
    struct translating *state;
    int line;                      // of the file, 0-based
    const struct sentence *source; // of the chunk
};

struct chunk {
    struct translating *states; // (state_count)
    int state_count;
    struct sentence *sources; // (source_count)
    int source_count;
    struct item *items;      // (count)
    struct search_job *jobs; // (count), of the items in order
    int count;
    bool failed; // taking a translation did, as `status` says
    struct status status;
};

/* Puts the text of a job's result at its line. */
static bool keep_text(struct chunk *chunk, int job, struct status *status)
{
    const struct item *item = &chunk->items[job];
    struct translation *result = &chunk->jobs[job].result;
    const struct hypothesis *best = &result->hypotheses[0];
    char *text =
        target_text(item->state->session->loaded->checkpoint, best->ids, best->count, status);
    if (!text)
        return false;
    item->state->texts[item->line] = text;
    item->state->tokens += best->count;
    translation_free(result);
    return true;
}

static bool job_finished(void *context, int job)
{
    struct chunk *chunk = context;
    struct progress *progress = chunk->states[0].progress;
    const struct follower *follower = chunk->states[0].follower;
    // After Ctrl-C the device's results mean nothing, this one's included.
    if (interrupted())
        return false;
    if (job >= 0) {
        progress->done += chunk->items[job].source->count;
        progress->count++;
        chunk->failed = !keep_text(chunk, job, &chunk->status) ||
                        (follower && !follower->follow(follower->context, &chunk->status));
    }
    progress_draw(progress);
    return !chunk->failed;
}

static void chunk_free(struct chunk *chunk)
{
    for (int i = 0; i < chunk->source_count; i++)
        sentence_free(&chunk->sources[i]);
    for (int i = 0; i < chunk->count; i++)
        translation_free(&chunk->jobs[i].result);
    free(chunk->sources);
    free(chunk->items);
    free(chunk->jobs);
}

static bool chunk_allocate(struct chunk *chunk, int lines, struct status *status)
{
    size_t most = (size_t)lines * (size_t)chunk->state_count;
    chunk->sources = memory_new((size_t)lines, sizeof *chunk->sources, status);
    chunk->items = memory_new(most, sizeof *chunk->items, status);
    chunk->jobs = memory_new(most, sizeof *chunk->jobs, status);
    return chunk->sources && chunk->items && chunk->jobs;
}

/* How many of the states have no translation of a line. */
static int count_missing(const struct translating *states, int count, int line)
{
    int missing = 0;
    for (int i = 0; i < count && !command_blank(states[0].lines->text[line]); i++)
        missing += !states[i].texts[line];
    return missing;
}

/* The first batch's lines have a turn, then as many as all before together. */
static int turn_of(const struct chunk *chunk, int line)
{
    const int batch = chunk->states[0].session->state.search.batch;
    int turn = 0;
    for (int64_t batches = (int64_t)line * chunk->state_count / batch; batches; batches /= 2)
        turn++;
    return turn;
}

static bool add_line(struct chunk *chunk, int line, struct status *status)
{
    const struct checkpoint *checkpoint = chunk->states[0].session->loaded->checkpoint;
    if (!count_missing(chunk->states, chunk->state_count, line))
        return true;
    struct sentence *source = &chunk->sources[chunk->source_count++];
    if (!source_encode(checkpoint, chunk->states[0].lines->text[line], source, status))
        return false;
    for (int i = 0; i < chunk->state_count; i++) {
        struct translating *state = &chunk->states[i];
        if (state->texts[line])
            continue;
        chunk->items[chunk->count] = (struct item){state, line, source};
        chunk->jobs[chunk->count++] = (struct search_job){
            .source = source, .dials = state->session->state.dials, .turn = turn_of(chunk, line)};
    }
    return true;
}

/* Encodes what is to be translated of the lines first … last-1. */
static bool chunk_fill(struct chunk *chunk, int first, int last, struct status *status)
{
    if (!chunk_allocate(chunk, last - first, status))
        return false;
    for (int line = first; line < last; line++)
        if (!interrupt_check(status) || !add_line(chunk, line, status))
            return false;
    return true;
}

static bool keep_blanks(const struct translating *state, int first, int last, struct status *status)
{
    for (int line = first; line < last; line++) {
        if (state->texts[line] || !command_blank(state->lines->text[line]))
            continue;
        state->texts[line] = copy_text("", status);
        if (!state->texts[line])
            return false;
    }
    return true;
}

/* Searches the translations of what the chunk has. */
static bool chunk_search(struct chunk *chunk, struct status *status)
{
    const struct session *session = chunk->states[0].session;
    struct search_listener listener = {job_finished, chunk};
    bool ok = search_run(session->state.model, chunk->jobs, chunk->count, &session->state.search,
                         &listener, status);
    if (chunk->failed)
        *status = chunk->status;
    return interrupt_check(status) && ok;
}

bool translating_chunk(struct translating *states, int count, int first, int last,
                       struct status *status)
{
    struct chunk chunk = {.states = states, .state_count = count};
    bool ok = true;
    for (int i = 0; ok && i < count; i++)
        ok = keep_blanks(&states[i], first, last, status);
    ok = ok && chunk_fill(&chunk, first, last, status) &&
         (!chunk.count || chunk_search(&chunk, status));
    progress_end(states[0].progress);
    chunk_free(&chunk);
    return ok;
}

bool translating_measure(const struct translating *states, int count, double *tokens,
                         struct status *status)
{
    const struct checkpoint *checkpoint = states[0].session->loaded->checkpoint;
    const struct lines *lines = states[0].lines;
    struct sentence sentence = {0};
    struct progress progress;
    bool ok = true;
    progress_begin(&progress, "reading", "lines", lines->count);
    for (int i = 0; ok && i < lines->count; i++) {
        int missing = count_missing(states, count, i);
        if (!missing)
            continue;
        if (!source_encode(checkpoint, lines->text[i], &sentence, status))
            ok = status_prefix(status, "%s:%d", QUOTED_PATH(states[0].path), i + 1);
        *tokens += (double)sentence.count * missing;
        progress.done = (double)(progress.count = i + 1);
        progress_draw(&progress);
        ok = ok && interrupt_check(status);
    }
    progress_end(&progress);
    sentence_free(&sentence);
    return ok;
}

int translating_step(const struct session *session, int count)
{
    int batches = count > 1 ? BATCHES_PER_SHARED_CHUNK : BATCHES_PER_CHUNK;
    return (batches * session->state.search.batch + count - 1) / count;
}
