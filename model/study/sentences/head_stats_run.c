#include "model/study/sentences/head_stats_run.h"

#include <stdlib.h>
#include <string.h>

#include "model/study/heads/head_stats_adder.h"
#include "model/study/heads/head_stats_text.h"
#include "model/study/sentence_stream.h"
#include "model/study/sentences/head_stats_blocks.h"
#include "model/study/walk.h"
#include "model/text/quote.h"

/* An encoded line. */
struct item {
    int number;                           // of the sentence, from 1
    int line;                             // of the file, for messages
    const char *text;                     // with its words, from CoNLL-U
    const struct conllu_sentence *conllu; // NULL: plain text
    struct sentence source;
    int *ids; // (count): its target with end-of-sentence; NULL: to be translated
    int count;
};

struct run {
    const struct study_context *context;
    const struct head_stats_request *request;
    struct head_stats_result *result;
    struct sentence_stream stream;
    struct adder *adder;
    struct item *items; // (room); `count` of them are filled
    int room, count;
    int before;                 // lines that an earlier run has added
    int until;                  // the last line to add, from 1; 0: the files' last
    bool ended;                 // all lines are read
    struct stats_blocks blocks; // only with parts
};

static const char averaging[] = "averaging attention";

/* One sentence --------------------------------------------------------------------------------- */

static bool fail_line(const struct run *run, int line, struct status *status)
{
    return status->code == STATUS_CANCELLED
               ? false
               : status_prefix(status, "%s:%d", QUOTED_PATH(run->request->source), line);
}

/* Nothing that the device computes after a stop is valid. */
static bool capture_item(const struct run *run, const struct item *item, struct capture *capture,
                         struct status *status)
{
    const struct state *state = &run->context->state;
    // All heads of the result, which may be more than requested.
    const struct capture_request request = {
        .weights = {run->result->wanted[0], run->result->wanted[1], run->result->wanted[2]}};
    struct status other;
    bool ok = force_run(state->model, &item->source, item->ids, item->count, state->head_settings,
                        &request, capture, status);
    if (watch_ask(run->context->watch, &other))
        return ok;
    *status = other;
    if (ok)
        capture_free(capture);
    return false;
}

static bool add_item(struct run *run, const struct item *item, struct status *status)
{
    const struct checkpoint *checkpoint = model_checkpoint(run->context->state.model);
    struct capture capture;
    const struct forced_sentence forced = {.number = item->number,
                                           .source = &item->source,
                                           .target = item->ids,
                                           .count = item->count,
                                           .conllu = item->conllu,
                                           .text = item->text};
    return capture_item(run, item, &capture, status) &&
           adder_take(run->adder, checkpoint, &forced, &capture, status);
}

/* Several -------------------------------------------------------------------------------------- */

static void clear_items(struct run *run)
{
    for (int i = 0; i < run->count; i++) {
        sentence_free(&run->items[i].source);
        free(run->items[i].ids);
        run->items[i] = (struct item){.number = 0};
    }
    run->count = 0;
}

static bool encode_item(struct run *run, struct item *item, struct status *status)
{
    const struct state *state = &run->context->state;
    const struct checkpoint *checkpoint = model_checkpoint(state->model);
    if (!source_encode(checkpoint, &state->search.languages, run->stream.texts[0], &item->source,
                       status))
        return fail_line(run, item->line, status);
    if (!run->request->target)
        return true;
    item->count = target_encode(checkpoint, run->stream.texts[1], &item->ids, status);
    return item->count >= 0 ||
           status_prefix(status, "%s:%d", QUOTED_PATH(run->request->target), item->line);
}

/* Takes the line that was read. */
static bool take_line(struct run *run, struct status *status)
{
    const struct sentence_stream *stream = &run->stream;
    if (line_blank(stream->texts[0]) || stream->number <= run->before)
        return true;
    struct item *item = &run->items[run->count++];
    item->number = stream->number;
    item->line = sentence_stream_line(stream, 0);
    item->conllu = stream->conllu;
    item->text = stream->conllu ? stream->texts[0] : NULL;
    return encode_item(run, item, status);
}

/* Reads as many lines as there is room for; blank lines do not count. */
static bool read_items(struct run *run, struct status *status)
{
    while (run->count < run->room && !run->ended) {
        if (!sentence_stream_next(&run->stream, &run->ended, status) ||
            (!run->ended && !take_line(run, status)))
            return false;
        run->ended |= run->stream.number == run->until;
    }
    return true;
}

/* The search often asks whether to go on. */
static bool keep_on(void *context, int job)
{
    const struct run *run = context;
    struct status unused;
    (void)job;
    return watch_ask(run->context->watch, &unused);
}

static bool translate_items(struct run *run, struct status *status)
{
    const struct state *state = &run->context->state;
    struct search_listener listener = {keep_on, run};
    struct search_job *jobs = memory_new((size_t)run->count, sizeof *jobs, status);
    if (!jobs)
        return false;
    for (int i = 0; i < run->count; i++)
        jobs[i] = (struct search_job){.source = &run->items[i].source,
                                      .head_settings = state->head_settings};
    bool ok = search_run(state->model, jobs, run->count, &state->search, &listener, status);
    ok = watch_ask(run->context->watch, status) && ok;
    for (int i = 0; i < run->count; i++) {
        struct hypothesis *best = ok ? &jobs[i].result.hypotheses[0] : NULL;
        if (best) {
            run->items[i].ids = best->ids;
            run->items[i].count = best->count;
            best->ids = NULL;
        }
        translation_free(&jobs[i].result);
    }
    free(jobs);
    return ok;
}

static bool report_progress(const struct run *run, int line, struct status *status)
{
    const int lines = run->stream.sentences;
    return watch_report(run->context->watch,
                        &(struct work_progress){.what = averaging,
                                                .done = line,
                                                .total = lines ? (double)lines : INFINITY,
                                                .count = line,
                                                .unit = "sentences"},
                        status);
}

static bool add_items(struct run *run, struct status *status)
{
    if (run->count && !run->request->target && !translate_items(run, status))
        return false;
    for (int i = 0; i < run->count; i++) {
        const struct item *item = &run->items[i];
        if (!add_item(run, item, status))
            return fail_line(run, item->line, status);
        if (!report_progress(run, item->number, status))
            return false;
    }
    return true;
}

/* The whole ------------------------------------------------------------------------------------ */

/* Translations are made in batches. The first ones are small, so that a stop loses little. */
static bool add_lines(struct run *run, struct status *status)
{
    const int batch = run->request->target ? 1 : run->context->state.search.batch;
    while (!run->ended) {
        bool ok = read_items(run, status) && add_items(run, status);
        clear_items(run);
        if (!ok)
            return false;
        run->room = run->room < batch / 2 ? 2 * run->room : batch;
    }
    return adder_finish(run->adder, status);
}

/* Adds the lines after the first `first` to the result, up to `until`, or (0) to the end of the
 * files. */
static bool add_to(struct run *run, struct head_stats_result *result, int first, int until,
                   struct status *status)
{
    run->before = first;
    run->until = until;
    run->ended = false;
    run->adder = adder_open(result, status);
    bool ok = run->adder && add_lines(run, status);
    adder_close(run->adder); // all lines taken are added
    return ok;
}

static bool check_any(const struct run *run, struct status *status)
{
    return run->result->stats.sentences > 0 ||
           status_fail(status, STATUS_INVALID, "%s: only blank lines; expected a sentence",
                       QUOTED_PATH(run->request->source));
}

static bool add_all(struct run *run, struct status *status)
{
    run->result->lines = run->stream.sentences;
    if (!add_to(run, run->result, run->result->done, 0, status))
        return false;
    run->result->done = run->stream.number - 1; // includes blank lines at the end
    run->result->lines = run->result->done;
    return check_any(run, status);
}

/* Parts ---------------------------------------------------------------------------------------- */

/* Computes a block that no part has. After a stop, what was finished of it is kept. */
static bool add_block(struct run *run, int *first, int end, struct status *status)
{
    struct head_stats_result block = {.done = *first};
    struct status unused;
    if (!head_stats_like(&run->result->stats, &block.stats, status))
        return false;
    bool ok = add_to(run, &block, *first, end, status);
    int done = ok ? end : block.done;
    if (ok)
        ok = stats_blocks_keep(&run->blocks, *first, done, &block.stats, status);
    else if (status->code == STATUS_CANCELLED && done > *first)
        stats_blocks_keep(&run->blocks, *first, done, &block.stats, &unused);
    if (ok && !shards_divided(run->context->shards))
        ok = head_stats_merge(&run->result->stats, &block.stats, status);
    head_stats_free(&block.stats);
    *first = done;
    return ok;
}

/* Takes or computes the next block; *first becomes its end. */
static bool next_block(struct run *run, int *first, int end, struct status *status)
{
    int known;
    if (!stats_blocks_take(&run->blocks, *first, run->result, &known, status))
        return false;
    if (!known)
        return add_block(run, first, stats_blocks_next(&run->blocks, *first, end), status);
    *first += known;
    return true;
}

/* A shard leaves the result empty. */
static bool add_parts(struct run *run, struct status *status)
{
    const struct shard_range range = shards_range(run->context->shards, run->stream.sentences);
    bool divided = shards_divided(run->context->shards);
    int first = divided ? range.first : run->result->done;
    if (!stats_blocks_open(&run->blocks, run->context, run->request, run->result,
                           run->stream.content, run->stream.sentences, status) ||
        (!divided && !stats_blocks_check(&run->blocks, run->request->source, first, status)))
        return false;
    bool ok = true;
    if (!divided)
        run->result->lines = run->stream.sentences;
    while (ok && first < range.end) {
        ok = next_block(run, &first, range.end, status);
        if (ok && !divided)
            run->result->done = first;
    }
    return ok && (divided || check_any(run, status));
}

/* ---------------------------------------------------------------------------------------------- */

static bool run_all(struct run *run, struct status *status)
{
    const int batch = run->context->state.search.batch;
    run->room = 1;
    run->items = memory_new((size_t)batch, sizeof *run->items, status);
    bool ok = run->items && (run->context->shards ? add_parts(run, status) : add_all(run, status));
    watch_fail(run->context->watch, averaging, 1); // reports the end, also on failure
    free(run->items);
    return ok;
}

static bool has_wanted(const struct head_stats_result *result,
                       const struct head_stats_request *request, const struct config *config)
{
    for (int m = 0; m < MODULE_COUNT; m++) {
        int all = module_layers(config, m) * module_heads(config, m);
        for (int i = 0; request->wanted[m] && i < all; i++)
            if (request->wanted[m][i] && !(result->wanted[m] && result->wanted[m][i]))
                return false;
    }
    return true;
}

static bool open_result(const struct run *run, const struct config *config, struct status *status)
{
    struct head_stats_result *result = run->result;
    for (int m = 0; m < MODULE_COUNT; m++) {
        size_t all = (size_t)module_layers(config, m) * (size_t)module_heads(config, m);
        if (!run->request->wanted[m])
            continue;
        result->wanted[m] = memory_new(all, sizeof(bool), status);
        if (!result->wanted[m])
            return false;
        memcpy(result->wanted[m], run->request->wanted[m], all * sizeof(bool));
    }
    const struct strings *names = &run->stream.files[0].conllu.relations;
    for (int i = 0; i < names->count; i++)
        if (!strings_add(&result->relations, names->text[i], strlen(names->text[i]), status))
            return false;
    return head_stats_open(config, run->request->wanted, &result->stats, status);
}

/* Finds the cached result with what is wanted, or adds an empty one. */
static bool find_result(struct run *run, const struct config *config, struct status *status)
{
    struct result_cache *cache = run->context->cache;
    const struct state *state = &run->context->state;
    const char *content = run->stream.content;
    run->result = *content ? cache_head_stats(cache, state, content) : NULL;
    if (run->result && has_wanted(run->result, run->request, config))
        return true;
    run->result = cache_add_head_stats(cache, state, content, status);
    return run->result && open_result(run, config, status);
}

bool head_stats_run(const struct study_context *context, const struct head_stats_request *request,
                    bool started, const struct head_stats_result **out, struct status *status)
{
    const struct config *config = model_checkpoint(context->state.model)->config;
    struct run run = {.context = context, .request = request};
    *out = NULL;
    bool ok = sentence_stream_open(&run.stream, request->source, request->target, context->watch,
                                   status) &&
              find_result(&run, config, status);
    bool enough = ok && run.result->lines > 0 &&
                  (run.result->done == run.result->lines || (started && run.result->done > 0));
    ok = ok && (enough || run_all(&run, status));
    sentence_stream_close(&run.stream);
    if (!ok && (status->code != STATUS_CANCELLED || !run.result || run.result->done == 0)) {
        if (run.result) // a sentence may be added only in part
            cache_forget(context->cache, CACHED_HEAD_STATS);
        return false;
    }
    if (shards_divided(context->shards))
        return ok;
    *out = run.result;
    if (ok)
        return true;
    const struct head_stats_result *result = run.result;
    return study_interrupted(result->done, result->lines, "sentences", "averaged", status);
}
