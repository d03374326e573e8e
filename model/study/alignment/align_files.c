#include "model/study/alignment/align_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/study/result_cache.h"
#include "model/study/walk.h"
#include "model/text/quote.h"
#include "model/text/words/blank_words.h"

enum { FILE_SOURCE, FILE_TARGET, FILE_GOLD };

/* The work on the lines, and what all sentences share. */
struct work {
    const struct study_context *context;
    struct align_result *result;
    struct attribution_request request; // of all heads
    struct journal_key silver_state;    // distinguishes states of SILVER_METHOD
};

static const char *path_of(const struct align_result *result, int file)
{
    return result->files.text[file];
}

/* Reading -------------------------------------------------------------------------------------- */

static bool read_side(struct align_result *result, int side, const struct watch *watch,
                      struct status *status)
{
    struct spacing spacing = {0};
    struct lines *lines = &result->lines[side];
    if (!sentences_read(path_of(result, side), watch, lines, NULL, status))
        return false;
    for (int i = 0; i < lines->count; i++)
        spacing_add(&spacing, lines->text[i]);
    result->unspaced[side] = spacing_unspaced(&spacing);
    return lines_check_any(path_of(result, side), lines, status);
}

static bool read_files(struct align_result *result, const struct watch *watch,
                       struct status *status)
{
    const struct lines *source = &result->lines[SIDE_SOURCE], *target = &result->lines[SIDE_TARGET];
    if (!read_side(result, SIDE_SOURCE, watch, status) ||
        !read_side(result, SIDE_TARGET, watch, status) ||
        !lines_check_match(path_of(result, FILE_SOURCE), source, path_of(result, FILE_TARGET),
                           target, status))
        return false;
    result->each = memory_new((size_t)source->count, sizeof *result->each, status);
    return result->each &&
           (!align_has_gold(result) || gold_read(path_of(result, FILE_GOLD), source->count,
                                                 result->gold_from, watch, &result->gold, status));
}

/* True if a line has nothing to align. */
static bool is_blank(const struct align_result *result, int line)
{
    return line_blank(result->lines[SIDE_SOURCE].text[line]) ||
           line_blank(result->lines[SIDE_TARGET].text[line]);
}

static bool open_line(const struct state *state, const struct align_result *result, int line,
                      struct align_sentence *out, struct status *status)
{
    const char *texts[2] = {result->lines[SIDE_SOURCE].text[line],
                            result->lines[SIDE_TARGET].text[line]};
    return align_sentence_open(state, texts, result->unspaced, out, status) ||
           status_prefix(status, "%s:%d", QUOTED_PATH(path_of(result, FILE_SOURCE)),
                         lines_number(&result->lines[SIDE_SOURCE], line));
}

/* Errors in a line are reported before the work begins. */
static bool check_line(const struct study_context *context, const struct align_result *result,
                       int line, struct status *status)
{
    struct align_sentence sentence = {.starts = 0};
    if (!is_blank(result, line) && !open_line(&context->state, result, line, &sentence, status))
        return false;
    int source = sentence.words[SIDE_SOURCE].count, target = sentence.words[SIDE_TARGET].count;
    align_sentence_close(&sentence);
    result->each[line].sources = source;
    result->each[line].words = target;
    return !align_has_gold(result) ||
           gold_check(&result->gold, path_of(result, FILE_GOLD), line, source, target, status);
}

static bool check_lines(const struct study_context *context, const struct align_result *result,
                        struct status *status)
{
    const struct watch *watch = context->watch;
    int count = result->lines[SIDE_SOURCE].count;
    if (result->shown > count)
        return status_fail(status, STATUS_INVALID, "show: sentence %d, expected 1 to %d",
                           result->shown, count);
    struct work_progress reading = {.what = "reading", .total = count, .unit = "lines"};
    for (int i = 0; i < count; i++) {
        reading.done = (double)(reading.count = i);
        if (!check_line(context, result, i, status) || !watch_report(watch, &reading, status))
            return watch_fail(watch, reading.what, reading.total);
    }
    watch_fail(watch, reading.what, reading.total); // the end of the files
    return true;
}

bool align_read(const struct study_context *context, struct align_result *result,
                struct status *status)
{
    return read_files(result, context->watch, status) && check_lines(context, result, status);
}

/* Aligning ------------------------------------------------------------------------------------- */

static struct captured captured_in(const struct state *state, const struct align_sentence *sentence,
                                   const struct capture *capture)
{
    return (struct captured){.config = model_checkpoint(state->model)->config,
                             .head_settings = state->head_settings,
                             .capture = capture,
                             .model = state->model,
                             .source = &sentence->source,
                             .target = sentence->target,
                             .count = sentence->target_count};
}

/* Puts the links of all heads. `weights`, `sums` and `links` are scratch. Heads that differ only in
 * the shift follow one another. */
static bool put_links(const struct work *work, const struct align_sentence *sentence,
                      const struct capture *capture, float *weights, double *sums, int16_t *links,
                      struct record *out, struct status *status)
{
    const struct align_result *result = work->result;
    const struct captured captured = captured_in(&work->context->state, sentence, capture);
    const struct watch quiet = watch_quietly(work->context->watch);
    const struct align_head *last = NULL;
    bool ok = record_put(out, sentence->words[SIDE_TARGET].count, status);
    for (int i = 0; ok && i < result->head_count; i++) {
        const struct align_head *head = &result->heads[i];
        bool known = last && last->layer == head->layer && last->head == head->head;
        if (!known && !attribution_matrix(&captured, result->method, MODULE_CROSS, head->layer,
                                          head->head, &quiet, weights, NULL, status))
            return false;
        align_sentence_links(sentence, weights, head->shifted, sums, links);
        for (int w = 0; ok && w < sentence->words[SIDE_TARGET].count; w++)
            ok = record_put(out, links[w], status);
        last = head;
    }
    return ok;
}

static bool align_captured(const struct work *work, const struct align_sentence *sentence,
                           const struct capture *capture, struct record *out, struct status *status)
{
    size_t cells = (size_t)capture->target_rows * (size_t)capture->source_count;
    size_t sources = (size_t)sentence->words[SIDE_SOURCE].count;
    size_t targets = (size_t)sentence->words[SIDE_TARGET].count;
    float *weights = memory_new(cells, sizeof *weights, status);
    double *sums = memory_new(sources, sizeof *sums, status);
    int16_t *links = memory_new(targets, sizeof *links, status);
    bool ok = weights && sums && links &&
              put_links(work, sentence, capture, weights, sums, links, out, status);
    free(weights);
    free(sums);
    free(links);
    return ok;
}

/* Puts the silver links after those of all heads. */
static bool put_silver(const struct work *work, const struct walk_sentence *line,
                       const struct align_words *words, struct record *out, struct status *status)
{
    const struct align_result *result = work->result;
    const char *const texts[] = {line->text, line->target};
    const int count = words[SIDE_TARGET].count;
    if (result->silver.kind != SILVER_METHOD)
        return true;
    int16_t *links = memory_new((size_t)count, sizeof *links, status);
    bool ok = links && align_silver_measure(&result->silver, texts, result->unspaced, words,
                                            line->watch, links, status);
    for (int w = 0; ok && w < count; w++)
        ok = record_put(out, links[w], status);
    free(links);
    return ok;
}

/* True for a sentence that is not wanted. */
static bool is_passed_over(const struct align_result *result, int line)
{
    return result->shown && result->head_count == 1 && line + 1 != result->shown;
}

static bool put_none(const struct align_result *result, int line, struct record *out,
                     struct status *status)
{
    bool ok = record_put(out, result->each[line].words, status);
    for (int i = 0; ok && i < result->each[line].words * result->head_count; i++)
        ok = record_put(out, -1, status);
    return ok;
}

static bool measure(void *of, const struct walk_sentence *line, struct record *out,
                    struct status *status)
{
    const struct work *work = of;
    struct align_sentence sentence;
    struct capture capture;
    if (is_passed_over(work->result, line->line))
        return put_none(work->result, line->line, out, status);
    if (!open_line(&work->context->state, work->result, line->line, &sentence, status))
        return false;
    bool ok = walk_capture(line, &work->request.capture, &capture, status);
    if (ok) {
        ok = align_captured(work, &sentence, &capture, out, status);
        capture_free(&capture);
    }
    ok = ok && put_silver(work, line, sentence.words, out, status);
    align_sentence_close(&sentence);
    return ok;
}

static void identify(const void *of, struct identity *identity)
{
    const struct work *work = of;
    const struct align_result *result = work->result;
    identity_text(identity, method_table[result->method].name);
    identity_number(identity, result->silver.kind);
    if (result->silver.kind == SILVER_METHOD) {
        const struct journal_key *state = &work->silver_state;
        for (int i = 0; i < JOURNAL_KEY_BYTES; i++)
            identity_number(identity, state->bytes[i]);
        identity_text(identity, method_table[result->silver.method].name);
        identity_number(identity, result->silver.layer);
    }
    for (int i = 0; i < result->head_count; i++) {
        identity_number(identity, result->heads[i].layer);
        identity_number(identity, result->heads[i].head);
        identity_number(identity, result->heads[i].shifted);
    }
    for (int side = 0; side < 2; side++)
        identity_number(identity, result->unspaced[side]);
    if (result->shown && result->head_count == 1)
        identity_number(identity, result->shown);
}

/* Counts the alignments in a record. */
static int count_aligned(const struct align_result *result)
{
    return result->head_count + (result->silver.kind == SILVER_METHOD);
}

/* Declares the links of each head: the source word of each target word, or -1. */
static bool declare(const void *of, const struct walk_sentence *line, struct record_shape *shape,
                    struct status *status)
{
    const struct align_result *result = ((const struct work *)of)->result;
    const struct align_sentence_result *each = &result->each[line->line];
    record_shape_dimension(shape, each->words, each->words);
    return record_shape_add(
        shape,
        (struct record_field){
            .width = count_aligned(result), .least = -1, .most = each->sources - 1, .whole = true},
        status);
}

static bool add(void *of, const struct walk_sentence *line, const struct record_shape *shape,
                const struct record *record, struct status *status)
{
    struct align_result *result = ((struct work *)of)->result;
    struct align_sentence_result *each = &result->each[line->line];
    int words;
    const double *links = record_numbers(shape, record, 0, &words);
    const size_t count = (size_t)words * (size_t)count_aligned(result);
    each->links = memory_new(count, sizeof *each->links, status);
    for (size_t i = 0; each->links && i < count; i++)
        each->links[i] = (int16_t)links[i];
    if (!each->links)
        return false;
    for (int i = 0; align_is_scored(result) && i < result->head_count; i++)
        if (!align_counts(result, line->line, i, &result->heads[i], status))
            return false;
    return true;
}

static void choose_best(struct align_result *result)
{
    double least = NAN;
    for (int i = 0; i < result->head_count; i++) {
        double rate = alignment_error_rate(&result->heads[i].counts);
        if (rate < least || (isnan(least) && !isnan(rate))) {
            result->best = i;
            least = rate;
        }
    }
}

/* Lines that are not aligned have no words. */
static void forget_rest(struct align_result *result)
{
    for (int i = 0; result->each && i < result->lines[SIDE_SOURCE].count; i++)
        if (!result->each[i].links)
            result->each[i].words = 0;
}

static bool align_lines(struct work *work, struct status *status)
{
    static const struct study functions = {identify, declare, measure, add};
    struct align_result *result = work->result;
    struct study_walk walk = {.path = path_of(result, FILE_SOURCE),
                              .read = {&result->lines[SIDE_SOURCE], &result->lines[SIDE_TARGET]},
                              .both = true,
                              .kind = "aligning",
                              .done = "aligned",
                              .study = &functions,
                              .of = work};
    const bool ok = study_walk(work->context, &walk, status);
    if (ok || status->code == STATUS_CANCELLED)
        result->sentences = shards_divided(work->context->shards) ? 0 : walk.sentences;
    forget_rest(result);
    return ok;
}

/* The identity of results includes the state of SILVER. */
static bool open_silver(struct work *work, struct status *status)
{
    const struct state *state = &work->result->silver.state;
    struct shards *shards = work->context->shards;
    struct identity identity;
    if (work->result->silver.kind != SILVER_METHOD)
        return true;
    if (!shards)
        identity = cache_walk_identity("silver", state, IDENTITY_LANGUAGES);
    else if (!shards_scope(shards, "silver", state, IDENTITY_LANGUAGES, &identity, status))
        return false;
    work->silver_state = identity_key(&identity, NULL, 0);
    return true;
}

bool align_run(const struct study_context *context, struct align_result *result,
               struct status *status)
{
    struct work work = {.context = context, .result = result};
    struct status other;
    result->sentences = result->best = 0;
    bool ok = align_silver_check(result, status) && open_silver(&work, status) &&
              align_read(context, result, status) &&
              align_request(&context->state, result->method, result->heads, result->head_count,
                            &work.request, status) &&
              align_lines(&work, status);
    attribution_free(&work.request);
    choose_best(result);
    return align_find_from_1(result, ok ? status : &other) && ok;
}

void align_free(struct align_result *result)
{
    for (int i = 0; result->each && i < result->lines[SIDE_SOURCE].count; i++)
        free(result->each[i].links);
    free(result->each);
    free(result->heads);
    for (int side = 0; side < 2; side++)
        lines_free(&result->lines[side]);
    gold_free(&result->gold);
    strings_free(&result->files);
    *result = (struct align_result){.sentences = 0};
}

/* Weights of tokens ---------------------------------------------------------------------------- */

/* Returns how many source tokens come before end-of-sentence, or all if it is not the last one. */
static int tokens_before_end(const struct checkpoint *checkpoint, const struct sentence *source)
{
    int count = source->count, end = checkpoint->config->special[SPECIAL_EOS][SIDE_SOURCE];
    return count && source->ids[count - 1] == end ? count - 1 : count;
}

static bool soft_texts(const struct checkpoint *checkpoint, struct align_soft *out,
                       struct status *status)
{
    const struct align_sentence *sentence = &out->sentence;
    int before = tokens_before_end(checkpoint, &sentence->source);
    out->rows = sentence->target_count;
    out->columns = before + 1;
    out->source = memory_new((size_t)out->columns, sizeof *out->source, status);
    out->target = memory_new((size_t)out->rows, sizeof *out->target, status);
    out->weights =
        memory_new((size_t)out->rows * (size_t)out->columns, sizeof *out->weights, status);
    if (!out->source || !out->target || !out->weights)
        return false;
    for (int j = 0; j < before; j++)
        out->source[j] = sentence->source.pieces.text[j];
    for (int t = 0; t + 1 < out->rows; t++)
        out->target[t] = vocabulary_piece(checkpoint->vocabulary[SIDE_TARGET], sentence->target[t]);
    return true;
}

static bool soft_weights(const struct captured *captured, enum method method,
                         const struct align_head *head, const struct watch *watch,
                         struct align_soft *out, struct status *status)
{
    const struct capture *capture = captured->capture;
    size_t tokens = (size_t)capture->source_count, columns = (size_t)out->columns;
    size_t copied = tokens < columns ? tokens : columns;
    float *weights = memory_new((size_t)capture->target_rows * tokens, sizeof *weights, status);
    bool ok = weights && attribution_matrix(captured, method, MODULE_CROSS, head->layer, head->head,
                                            watch, weights, NULL, status);
    for (int t = 0; ok && t < out->rows; t++) {
        int row = align_sentence_row(&out->sentence, t, head->shifted);
        memcpy(out->weights + (size_t)t * columns, weights + (size_t)row * tokens,
               copied * sizeof *weights);
        out->cost -= capture->token_logprobs[t];
    }
    free(weights);
    return ok;
}

static bool soft_force(const struct state *state, enum method method, const struct align_head *head,
                       const struct watch *watch, struct align_soft *out, struct status *status)
{
    struct capture capture;
    struct attribution_request request;
    const struct watch quiet = watch_quietly(watch);
    if (!align_request(state, method, head, 1, &request, status))
        return false;
    bool ok =
        align_sentence_force(state, &out->sentence, &request.capture, watch, &capture, status);
    attribution_free(&request);
    if (!ok)
        return false;
    const struct captured captured = captured_in(state, &out->sentence, &capture);
    ok = soft_weights(&captured, method, head, &quiet, out, status);
    capture_free(&capture);
    return ok;
}

bool align_soft(const struct state *state, const struct align_result *result, int sentence,
                const struct watch *watch, struct align_soft *out, struct status *status)
{
    *out = (struct align_soft){.rows = 0};
    if (is_blank(result, sentence))
        return true;
    if (open_line(state, result, sentence, &out->sentence, status) &&
        soft_texts(model_checkpoint(state->model), out, status) &&
        soft_force(state, result->method, &result->heads[result->best], watch, out, status))
        return true;
    align_soft_free(out);
    return false;
}

void align_soft_free(struct align_soft *soft)
{
    free(soft->source);
    free(soft->target);
    free(soft->weights);
    align_sentence_close(&soft->sentence);
    *soft = (struct align_soft){.rows = 0};
}
