#include "model/study/gradient_parts.h"

#include <stdio.h>
#include <stdlib.h>

static struct journal_key key_of(const struct gradient_parts *parts, int line)
{
    const char *const texts[] = {parts->sources->text[line], parts->targets->text[line]};
    return key_scope_key(&parts->scope, texts, 2);
}

/* A number for each head. */
static bool find(void *context, int line, double *slopes, int count)
{
    const struct gradient_parts *parts = context;
    const struct journal_key key = key_of(parts, line);
    const char *value = parts_find(parts->parts, &key);
    char *end = (char *)value;
    bool good = value != NULL;
    for (int i = 0; good && i < count; i++) {
        const char *at = end;
        slopes[i] = strtod(at, &end);
        good = end > at;
    }
    good = good && !*end;
    if (value && !good)
        parts_refuse(parts->parts);
    return good;
}

static bool keep(void *context, int line, const double *slopes, int count, struct status *status)
{
    const struct gradient_parts *parts = context;
    const struct journal_key key = key_of(parts, line);
    char *value = NULL;
    size_t size;
    FILE *out = open_memstream(&value, &size);
    if (!out)
        return status_no_memory(status);
    for (int i = 0; i < count; i++)
        fprintf(out, " %a", slopes[i]);
    bool ok =
        fclose(out) == 0 ? parts_keep(parts->parts, &key, value, status) : status_no_memory(status);
    free(value);
    return ok;
}

static bool check(const struct gradient_parts *parts, const char *path, struct status *status)
{
    for (int i = 0; i < parts->sources->count; i++) {
        const struct journal_key key = key_of(parts, i);
        if (!line_blank(parts->sources->text[i]) && !parts_peek(parts->parts, &key))
            parts_lack(parts->parts, i);
    }
    return parts_check(parts->parts, path, status);
}

bool gradient_parts_open(struct gradient_parts *out, const struct study_context *context,
                         const struct head_gradients *gradients, const char *path,
                         const struct lines *sources, const struct lines *targets,
                         struct status *status)
{
    const struct parts_range range = parts_range(context->parts, sources->count);
    *out = (struct gradient_parts){.parts = context->parts,
                                   .sources = sources,
                                   .targets = targets,
                                   .memory = {range.first, range.end, NULL, NULL, out}};
    if (!context->parts)
        return true;
    out->memory.find = find;
    out->memory.keep = keep;
    if (!parts_begin(context->parts, sources->count, "sentences", status) ||
        !parts_scope(context->parts, "gradients", &context->state, KEY_LANGUAGES, &out->scope,
                     status))
        return false;
    for (int i = 0; i < gradients->count; i++) {
        key_scope_number(&out->scope, gradients->heads[i].module);
        key_scope_number(&out->scope, gradients->heads[i].layer);
        key_scope_number(&out->scope, gradients->heads[i].head);
    }
    return check(out, path, status);
}
