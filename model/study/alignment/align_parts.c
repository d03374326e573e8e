#include "model/study/alignment/align_parts.h"

#include <stdlib.h>

static bool open_scope(const struct study_context *context, const struct align_result *result,
                       struct identity *scope, struct status *status)
{
    if (!shards_scope(context->shards, "alignment", &context->state, IDENTITY_LANGUAGES, scope,
                      status))
        return false;
    identity_text(scope, method_table[result->method].name);
    for (int i = 0; i < result->head_count; i++) {
        identity_number(scope, result->heads[i].layer);
        identity_number(scope, result->heads[i].head);
        identity_number(scope, result->heads[i].shifted);
    }
    for (int side = 0; side < 2; side++)
        identity_number(scope, result->unspaced[side]);
    return true;
}

static struct journal_key key_of(const struct align_result *result, const struct identity *scope,
                                 int line)
{
    const char *const texts[] = {result->lines[SIDE_SOURCE].text[line],
                                 result->lines[SIDE_TARGET].text[line]};
    return identity_key(scope, texts, 2);
}

static bool read_number(const char **value, long least, long *number)
{
    char *end;
    *number = strtol(*value, &end, 10);
    bool good = end > *value && *number >= least && *number <= ALIGN_WORDS_MOST;
    *value = end;
    return good;
}

/* "WORDS", then the links of each head: source word of each target word. False: it is something else, or there is no
 * memory: *lacking says so. */
static bool read_links(const char *value, int heads, struct align_sentence_result *out,
                       bool *lacking, struct status *status)
{
    long number;
    *out = (struct align_sentence_result){.links = NULL};
    *lacking = false;
    if (!read_number(&value, 0, &number))
        return false;
    out->words = (int)number;
    size_t count = (size_t)out->words * (size_t)heads;
    out->links = memory_new(count, sizeof *out->links, status);
    *lacking = !out->links;
    bool good = !*lacking;
    for (size_t i = 0; good && i < count; i++) {
        good = read_number(&value, -1, &number);
        out->links[i] = (int16_t)number;
    }
    if (good && !*value)
        return true;
    free(out->links);
    return false;
}

static bool take_line(const struct study_context *context, struct align_result *result,
                      const struct identity *scope, int line, struct status *status)
{
    const struct journal_key key = key_of(result, scope, line);
    const char *value = shards_find(context->shards, &key);
    struct align_sentence_result links;
    bool lacking = false;
    if (value && read_links(value, result->head_count, &links, &lacking, status)) {
        result->each[line] = links;
        return true;
    }
    if (lacking)
        return false;
    if (value)
        shards_refuse(context->shards);
    shards_lack(context->shards, line);
    return true;
}

bool align_parts_take(const struct study_context *context, struct align_result *result,
                      struct identity *scope, struct status *status)
{
    const struct lines *source = &result->lines[SIDE_SOURCE], *target = &result->lines[SIDE_TARGET];
    const struct shard_range range = shards_range(context->shards, source->count);
    if (!context->shards)
        return true;
    if (!shards_begin(context->shards, source->count, "sentences", status) ||
        !open_scope(context, result, scope, status))
        return false;
    for (int i = range.first; i < range.end; i++)
        if (!line_blank(source->text[i]) && !line_blank(target->text[i]) &&
            !take_line(context, result, scope, i, status))
            return false;
    return shards_check(context->shards, result->files.text[0], status);
}

bool align_parts_keep(const struct study_context *context, const struct align_result *result,
                      const struct identity *scope, int line, struct status *status)
{
    const struct align_sentence_result *links = &result->each[line];
    char *value = NULL;
    size_t size;
    FILE *out = context->shards && links->links ? open_memstream(&value, &size) : NULL;
    if (!out)
        return !context->shards || !links->links || status_no_memory(status);
    const struct journal_key key = key_of(result, scope, line);
    fprintf(out, "%d", links->words);
    for (int i = 0; i < links->words * result->head_count; i++)
        fprintf(out, " %d", links->links[i]);
    bool ok = fclose(out) == 0 ? shards_keep(context->shards, &key, value, status)
                               : status_no_memory(status);
    free(value);
    return ok;
}
