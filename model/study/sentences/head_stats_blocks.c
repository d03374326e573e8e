#include "model/study/sentences/head_stats_blocks.h"

#include <stdlib.h>

#include "model/study/heads/head_stats_text.h"
#include "model/text/quote.h"

enum { BLOCK_LEAST = 4, BLOCK_MOST = 4096 };

bool stats_blocks_open(struct stats_blocks *blocks, const struct study_context *context,
                       const struct head_stats_request *request,
                       const struct head_stats_result *result, const char *content, int sentences,
                       struct status *status)
{
    const struct config *config = model_checkpoint(context->state.model)->config;
    *blocks = (struct stats_blocks){
        .shards = context->shards, .sentences = sentences, .block = BLOCK_LEAST};
    if (!*content)
        return status_fail(status, STATUS_INVALID,
                           "%s: not a regular file: only these can be studied in parts",
                           QUOTED_PATH(request->source));
    if (!shards_begin(context->shards, sentences, "sentences", status) ||
        !shards_scope(context->shards, "head statistics", &context->state,
                      request->target ? IDENTITY_LANGUAGES : IDENTITY_SEARCH, &blocks->scope,
                      status))
        return false;
    identity_text(&blocks->scope, content);
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < module_layers(config, m) * module_heads(config, m); i++)
            identity_number(&blocks->scope, result->wanted[m] && result->wanted[m][i]);
    return true;
}

static struct journal_key key_of(const struct stats_blocks *blocks, int first)
{
    struct identity scope = blocks->scope;
    identity_number(&scope, first);
    return identity_key(&scope, NULL, 0);
}

/* Returns a block's statistics as text. *count: its sentences, at most those left; 0: it is not a
 * block. */
static const char *split(const struct stats_blocks *blocks, const char *value, int first,
                         int *count, struct status *status)
{
    const struct record_shape shape = {
        .fields =
            &(struct record_field){RECORD_ONE, 1, 1, blocks->sentences - first, .whole = true},
        .count = 1,
        .text = true};
    struct record record = {.count = 0};
    *count = record_read(value, &shape, &record, status) ? (int)record.numbers[0] : 0;
    const char *text = record.text;
    record_free(&record);
    return text;
}

int stats_blocks_known(struct stats_blocks *blocks, int first)
{
    const struct journal_key key = key_of(blocks, first);
    const char *value = shards_peek(blocks->shards, &key);
    int count = 0;
    struct status unused;
    if (value)
        split(blocks, value, first, &count, &unused);
    return count;
}

/* *count becomes 0 if the value is not a block. */
static bool read_and_merge(const struct stats_blocks *blocks, const char *value, int first,
                           struct head_stats_result *result, struct head_stats *block, int *count,
                           struct status *status)
{
    const char *text = split(blocks, value, first, count, status);
    if (!*count ||
        !head_stats_read(text, first + 1, *count, result->relations.count, block, status)) {
        *count = 0;
        return status->code == STATUS_INVALID;
    }
    return shards_divided(blocks->shards) || head_stats_merge(&result->stats, block, status);
}

bool stats_blocks_take(struct stats_blocks *blocks, int first, struct head_stats_result *result,
                       int *count, struct status *status)
{
    const struct journal_key key = key_of(blocks, first);
    const char *value = shards_find(blocks->shards, &key);
    struct head_stats block;
    *count = 0;
    if (!value)
        return true;
    if (!head_stats_like(&result->stats, &block, status))
        return false;
    bool ok = read_and_merge(blocks, value, first, result, &block, count, status);
    head_stats_free(&block);
    if (!*count)
        shards_refuse(blocks->shards);
    return ok;
}

int stats_blocks_next(struct stats_blocks *blocks, int first, int end)
{
    int last = first + 1;
    while (last < end && last < first + blocks->block && !stats_blocks_known(blocks, last))
        last++;
    if (blocks->block < BLOCK_MOST)
        blocks->block *= 2;
    return last;
}

bool stats_blocks_keep(struct stats_blocks *blocks, int first, int end,
                       const struct head_stats *stats, struct status *status)
{
    const struct journal_key key = key_of(blocks, first);
    double count = end - first;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return status_no_memory(status);
    head_stats_write(stats, out);
    bool ok = fclose(out) == 0 || status_no_memory(status);
    const struct record record = {.numbers = &count, .count = 1, .text = text};
    ok = ok && shards_keep_record(blocks->shards, &key, &record, status);
    free(text);
    return ok;
}

bool stats_blocks_check(struct stats_blocks *blocks, const char *path, int first,
                        struct status *status)
{
    for (int i = first, count; i < blocks->sentences; i += count) {
        count = stats_blocks_known(blocks, i);
        if (count)
            continue;
        const struct journal_key key = key_of(blocks, i);
        int end = i + 1;
        while (end < blocks->sentences && !stats_blocks_known(blocks, end))
            end++;
        if (!shards_peek(blocks->shards, &key)) // else no block: stats_blocks_take will refuse it
            shards_lack_range(blocks->shards, i, end);
        count = end - i;
    }
    return shards_check(blocks->shards, path, status);
}
