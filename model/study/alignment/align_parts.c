#include "model/study/alignment/align_parts.h"

#include <stdlib.h>

static bool open_scope(const struct study_context *context, const struct align_result *result,
                       struct key_scope *scope, struct status *status)
{
    if (!parts_scope(context->parts, "alignment", &context->state, KEY_LANGUAGES, scope, status))
        return false;
    key_scope_text(scope, method_table[result->method].name);
    for (int i = 0; i < result->head_count; i++) {
        key_scope_number(scope, result->heads[i].layer);
        key_scope_number(scope, result->heads[i].head);
        key_scope_number(scope, result->heads[i].shifted);
    }
    for (int side = 0; side < 2; side++)
        key_scope_number(scope, result->unspaced[side]);
    return true;
}

static struct journal_key key_of(const struct align_result *result, const struct key_scope *scope,
                                 int line)
{
    const char *const texts[] = {result->lines[SIDE_SOURCE].text[line],
                                 result->lines[SIDE_TARGET].text[line]};
    return key_scope_key(scope, texts, 2);
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
                      const struct key_scope *scope, int line, struct status *status)
{
    const struct journal_key key = key_of(result, scope, line);
    const char *value = parts_find(context->parts, &key);
    struct align_sentence_result links;
    bool lacking = false;
    if (value && read_links(value, result->head_count, &links, &lacking, status)) {
        result->each[line] = links;
        return true;
    }
    if (lacking)
        return false;
    if (value)
        parts_refuse(context->parts);
    parts_lack(context->parts, line);
    return true;
}

bool align_parts_take(const struct study_context *context, struct align_result *result,
                      struct key_scope *scope, struct status *status)
{
    const struct lines *source = &result->lines[SIDE_SOURCE], *target = &result->lines[SIDE_TARGET];
    const struct parts_range range = parts_range(context->parts, source->count);
    if (!context->parts)
        return true;
    if (!parts_begin(context->parts, source->count, "sentences", status) ||
        !open_scope(context, result, scope, status))
        return false;
    for (int i = range.first; i < range.end; i++)
        if (!line_blank(source->text[i]) && !line_blank(target->text[i]) &&
            !take_line(context, result, scope, i, status))
            return false;
    return parts_check(context->parts, result->files.text[0], status);
}

bool align_parts_keep(const struct study_context *context, const struct align_result *result,
                      const struct key_scope *scope, int line, struct status *status)
{
    const struct align_sentence_result *links = &result->each[line];
    char *value = NULL;
    size_t size;
    FILE *out = context->parts && links->links ? open_memstream(&value, &size) : NULL;
    if (!out)
        return !context->parts || !links->links || status_no_memory(status);
    const struct journal_key key = key_of(result, scope, line);
    fprintf(out, "%d", links->words);
    for (int i = 0; i < links->words * result->head_count; i++)
        fprintf(out, " %d", links->links[i]);
    bool ok = fclose(out) == 0 ? parts_keep(context->parts, &key, value, status)
                               : status_no_memory(status);
    free(value);
    return ok;
}
