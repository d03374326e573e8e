#include "model/study/translating.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "model/text/quote.h"

enum { BATCHES_PER_CHUNK = 4, BATCHES_PER_SHARED_CHUNK = 8 };

/* A translation to make. */
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
    bool failed; // taking a translation has failed, as `status` says
    struct status status;
};

/* Parts ---------------------------------------------------------------------------------------- */

static struct journal_key key_of_line(const struct translating *state, int line)
{
    const char *text = state->lines->text[line];
    return identity_key(&state->scope, &text, 1);
}

/* Its number of tokens, and its text. */
static const struct record_shape translation = {
    .fields = &(struct record_field){RECORD_ONE, 1, 1, INT_MAX, .whole = true},
    .count = 1,
    .text = true};

static bool keep_in_shard(const struct item *item, int tokens, struct status *status)
{
    const struct translating *state = item->state;
    double number = tokens;
    const struct record record = {.numbers = &number, .count = 1, .text = state->texts[item->line]};
    if (!state->shards)
        return true;
    const struct journal_key key = key_of_line(state, item->line);
    return shards_keep_record(state->shards, &key, &record, status);
}

/* Returns it as a line of a file, so that scores of the file are those of the texts. */
static char *text_of(const struct checkpoint *checkpoint, const struct hypothesis *hypothesis,
                     struct status *status)
{
    char *text = target_text(checkpoint, hypothesis->ids, hypothesis->count, status);
    char *line = text ? line_of_text(text, status) : NULL;
    free(text);
    return line;
}

/* Puts the text of a job's result at its line. */
static bool keep_text(struct chunk *chunk, int job, struct status *status)
{
    const struct item *item = &chunk->items[job];
    struct translation *result = &chunk->jobs[job].result;
    const struct hypothesis *best = &result->hypotheses[0];
    char *text = text_of(model_checkpoint(item->state->state->model), best, status);
    if (!text)
        return false;
    item->state->texts[item->line] = text;
    item->state->tokens += best->count;
    bool ok = keep_in_shard(item, best->count, status);
    translation_free(result);
    return ok;
}

static bool take_job(struct chunk *chunk, int job)
{
    struct work_progress *progress = chunk->states[0].progress;
    const struct follower *follower = chunk->states[0].follower;
    progress->done += chunk->items[job].source->count;
    progress->count++;
    return keep_text(chunk, job, &chunk->status) &&
           (!follower || follower->follow(follower->context, &chunk->status));
}

/* After a stop, the device's results are meaningless: the watch is asked before a result is
 * taken. */
static bool job_finished(void *context, int job)
{
    struct chunk *chunk = context;
    const struct translating *first = &chunk->states[0];
    chunk->failed = !watch_ask(first->watch, &chunk->status) ||
                    (job >= 0 && !take_job(chunk, job)) ||
                    !watch_report(first->watch, first->progress, &chunk->status);
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

/* Returns how many of the states lack a translation of a line. */
static int count_missing(const struct translating *states, int count, int line)
{
    int missing = 0;
    for (int i = 0; i < count && !line_blank(states[0].lines->text[line]); i++)
        missing += !states[i].texts[line];
    return missing;
}

/* Returns the lines to translate: all, or those of the part. */
static struct shard_range translating_range(const struct translating *states)
{
    return shards_range(states[0].shards, states[0].lines->count);
}

/* The first batch of lines forms a turn; each further turn has as many lines as all before. */
static int turn_of(const struct chunk *chunk, int line)
{
    const int batch = chunk->states[0].state->search.batch;
    int turn = 0;
    line -= translating_range(&chunk->states[0]).first;
    for (int64_t batches = (int64_t)line * chunk->state_count / batch; batches; batches /= 2)
        turn++;
    return turn;
}

static bool add_line(struct chunk *chunk, int line, struct status *status)
{
    const struct checkpoint *checkpoint = model_checkpoint(chunk->states[0].state->model);
    if (!count_missing(chunk->states, chunk->state_count, line))
        return true;
    struct sentence *source = &chunk->sources[chunk->source_count++];
    if (!source_encode(checkpoint, &chunk->states[0].state->search.languages,
                       chunk->states[0].lines->text[line], source, status))
        return false;
    for (int i = 0; i < chunk->state_count; i++) {
        struct translating *state = &chunk->states[i];
        if (state->texts[line])
            continue;
        chunk->items[chunk->count] = (struct item){state, line, source};
        chunk->jobs[chunk->count++] =
            (struct search_job){.source = source,
                                .head_settings = state->state->head_settings,
                                .turn = turn_of(chunk, line)};
    }
    return true;
}

/* Encodes those of the lines first … last-1 that are to be translated. */
static bool chunk_fill(struct chunk *chunk, int first, int last, struct status *status)
{
    if (!chunk_allocate(chunk, last - first, status))
        return false;
    for (int line = first; line < last; line++)
        if (!watch_ask(chunk->states[0].watch, status) || !add_line(chunk, line, status))
            return false;
    return true;
}

static bool keep_blanks(const struct translating *state, int first, int last, struct status *status)
{
    for (int line = first; line < last; line++) {
        if (state->texts[line] || !line_blank(state->lines->text[line]))
            continue;
        state->texts[line] = strdup("");
        if (!state->texts[line])
            return status_no_memory(status);
    }
    return true;
}

/* Translates what the chunk holds. */
static bool chunk_search(struct chunk *chunk, struct status *status)
{
    const struct translating *first = &chunk->states[0];
    struct search_listener listener = {job_finished, chunk};
    bool ok = search_run(first->state->model, chunk->jobs, chunk->count, &first->state->search,
                         &listener, status);
    if (chunk->failed)
        *status = chunk->status;
    return watch_ask(first->watch, status) && ok;
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
    chunk_free(&chunk);
    return ok;
}

struct work_progress translating_progress(void)
{
    return (struct work_progress){.what = "translating", .unit = "sentences"};
}

/* Counts the source tokens of a line to be translated. */
static bool measure_line(const struct translating *states, int count, int line,
                         struct status *status)
{
    struct sentence sentence = {0};
    struct work_progress *progress = states[0].progress;
    const int missing = count_missing(states, count, line);
    if (line_blank(states[0].lines->text[line]))
        return true;
    if (!source_encode(model_checkpoint(states[0].state->model), &states[0].state->search.languages,
                       states[0].lines->text[line], &sentence, status))
        return status_prefix(status, "%s:%d", QUOTED_PATH(states[0].path),
                             lines_number(states[0].lines, line));
    const double had = (double)sentence.count * (count - missing);
    progress->total += (double)sentence.count * count;
    progress->done += had;
    progress->had += had;
    sentence_free(&sentence);
    return true;
}

static bool measure_lines(const struct translating *states, int count, struct status *status)
{
    const struct shard_range range = translating_range(states);
    const int lines = range.end - range.first;
    struct work_progress reading = {.what = "reading", .total = lines, .unit = "lines"};
    for (int i = 0; i < lines; i++) {
        reading.done = (double)(reading.count = i);
        if (!measure_line(states, count, range.first + i, status) ||
            !watch_report(states[0].watch, &reading, status))
            return watch_fail(states[0].watch, reading.what, lines);
    }
    watch_fail(states[0].watch, reading.what, lines); // the end of the lines
    return true;
}

/* Takes a line's translation from the shards. */
static bool take_from_shard(struct translating *state, int line, struct record *record,
                            struct status *status)
{
    const struct journal_key key = key_of_line(state, line);
    bool found;
    if (!shards_find_record(state->shards, &key, &translation, record, &found, status))
        return false;
    if (!found) {
        shards_lack(state->shards, line);
        return true;
    }
    state->texts[line] = strdup(record->text);
    state->tokens += (int64_t)record->numbers[0];
    return state->texts[line] || status_no_memory(status);
}

/* Takes all of one state's translations that the shards have. */
static bool take_state(struct translating *state, struct shard_range range, struct status *status)
{
    const struct lines *lines = state->lines;
    struct record record = {.count = 0};
    bool ok = shards_scope(state->shards, "translation", state->state, IDENTITY_SEARCH,
                           &state->scope, status);
    for (int line = range.first; ok && line < range.end; line++)
        ok = state->texts[line] || line_blank(lines->text[line]) ||
             take_from_shard(state, line, &record, status);
    record_free(&record);
    return ok;
}

static bool take_from_shards(struct translating *states, int count, struct status *status)
{
    struct shards *shards = states[0].shards;
    const struct lines *lines = states[0].lines;
    const struct shard_range range = translating_range(states);
    if (!shards)
        return true;
    if (!shards_begin(shards, lines->count, "sentences", status))
        return false;
    for (int i = 0; i < count; i++) {
        states[i].shards = shards;
        if (!take_state(&states[i], range, status))
            return false;
    }
    return shards_check(shards, states[0].path, status);
}

/* Takes what the parts have. Checks every line and adds its source tokens to the progress, once for
 * each state (count); if the state has translated it already, also to what is done. */
static bool translating_measure(struct translating *states, int count, struct status *status)
{
    return take_from_shards(states, count, status) && measure_lines(states, count, status);
}

int translating_step(const struct state *state, int count)
{
    int batches = count > 1 ? BATCHES_PER_SHARED_CHUNK : BATCHES_PER_CHUNK;
    return (batches * state->search.batch + count - 1) / count;
}

bool translating_all(struct translating *states, int count, bool together,
                     const struct follower *chunks, struct status *status)
{
    const int groups = together ? 1 : count, size = together ? count : 1;
    struct work_progress progress = translating_progress();
    struct status other;
    bool ok = true;
    for (int g = 0; ok && g < groups; g++) {
        states[g].progress = &progress;
        ok = (g > 0 && states[g].texts == states[0].texts) ||
             translating_measure(&states[g], size, status);
    }
    const struct shard_range range = translating_range(states);
    const int step = translating_step(states[0].state, size);
    for (int first = range.first; ok && first < range.end; first += step) {
        const int last = int_min(first + step, range.end);
        for (int g = 0; ok && g < groups; g++)
            ok = translating_chunk(&states[g], size, first, last, status);
        if (chunks)
            ok = chunks->follow(chunks->context, ok ? status : &other) && ok;
    }
    watch_fail(states[0].watch, progress.what, progress.total); // reports the end, also on success
    return ok;
}
