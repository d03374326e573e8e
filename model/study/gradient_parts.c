#include "model/study/gradient_parts.h"

#include <stdio.h>
#include <stdlib.h>

static struct journal_key key_of(const struct gradient_parts *shards, int line)
{
    const char *const texts[] = {shards->sources->text[line], shards->targets->text[line]};
    return identity_key(&shards->scope, texts, 2);
}

/* A number for each head. */
static bool find(void *context, int line, double *slopes, int count)
{
    const struct gradient_parts *shards = context;
    const struct journal_key key = key_of(shards, line);
    const char *value = shards_find(shards->shards, &key);
    char *end = (char *)value;
    bool good = value != NULL;
    for (int i = 0; good && i < count; i++) {
        const char *at = end;
        slopes[i] = strtod(at, &end);
        good = end > at;
    }
    good = good && !*end;
    if (value && !good)
        shards_refuse(shards->shards);
    return good;
}

static bool keep(void *context, int line, const double *slopes, int count, struct status *status)
{
    const struct gradient_parts *shards = context;
    const struct journal_key key = key_of(shards, line);
    char *value = NULL;
    size_t size;
    FILE *out = open_memstream(&value, &size);
    if (!out)
        return status_no_memory(status);
    for (int i = 0; i < count; i++)
        fprintf(out, " %a", slopes[i]);
    bool ok = fclose(out) == 0 ? shards_keep(shards->shards, &key, value, status)
                               : status_no_memory(status);
    free(value);
    return ok;
}

static bool check(const struct gradient_parts *shards, const char *path, struct status *status)
{
    for (int i = 0; i < shards->sources->count; i++) {
        const struct journal_key key = key_of(shards, i);
        if (!line_blank(shards->sources->text[i]) && !shards_peek(shards->shards, &key))
            shards_lack(shards->shards, i);
    }
    return shards_check(shards->shards, path, status);
}

bool gradient_parts_open(struct gradient_parts *out, const struct study_context *context,
                         const struct head_gradients *gradients, const char *path,
                         const struct lines *sources, const struct lines *targets,
                         struct status *status)
{
    const struct shard_range range = shards_range(context->shards, sources->count);
    *out = (struct gradient_parts){.shards = context->shards,
                                   .sources = sources,
                                   .targets = targets,
                                   .memory = {range.first, range.end, NULL, NULL, out}};
    if (!context->shards)
        return true;
    out->memory.find = find;
    out->memory.keep = keep;
    if (!shards_begin(context->shards, sources->count, "sentences", status) ||
        !shards_scope(context->shards, "gradients", &context->state, IDENTITY_LANGUAGES,
                      &out->scope, status))
        return false;
    for (int i = 0; i < gradients->count; i++) {
        identity_number(&out->scope, gradients->heads[i].module);
        identity_number(&out->scope, gradients->heads[i].layer);
        identity_number(&out->scope, gradients->heads[i].head);
    }
    return check(out, path, status);
}
