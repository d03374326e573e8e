#include "tui/translated.h"

#include <stdlib.h>
#include <string.h>

#include "tui/session.h"

static void translated_close(struct translated *file)
{
    if (!file)
        return;
    for (int i = 0; file->texts && i < file->sources.count; i++)
        free(file->texts[i]);
    free(file->texts);
    lines_free(&file->sources);
    dials_free(file->dials);
    free(file);
}

void translations_free(struct translations *translations)
{
    for (int i = 0; i < translations->count; i++)
        translated_close(translations->files[i]);
    *translations = (struct translations){0};
}

static bool lines_equal(const struct lines *a, const struct lines *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->text[i], b->text[i]) != 0)
            return false;
    return true;
}

static bool is_of(const struct translated *file, const struct saved_state *state,
                  const struct lines *sources)
{
    const struct saved_state own = {NULL, file->loaded, file->dials, file->search};
    return states_equal(&own, state) && lines_equal(&file->sources, sources);
}

static bool fill(struct translated *file, const struct saved_state *state,
                 const struct lines *sources, struct status *status)
{
    file->loaded = state->loaded;
    file->search = state->search;
    file->dials = dials_copy(state->dials, status);
    file->texts = memory_new(sources->count, sizeof *file->texts, status);
    return file->dials && file->texts && lines_copy(sources, &file->sources, status);
}

static struct translated *translated_open(const struct saved_state *state,
                                          const struct lines *sources, struct status *status)
{
    struct translated *file = memory_new(1, sizeof *file, status);
    if (file && fill(file, state, sources, status))
        return file;
    translated_close(file);
    return NULL;
}

/* Puts a file first; those before place `at` move up. */
static struct translated *put_first(struct translations *translations, struct translated *file,
                                    int at)
{
    memmove(translations->files + 1, translations->files, (size_t)at * sizeof file);
    return translations->files[0] = file;
}

struct translated *translations_get(struct translations *translations,
                                    const struct saved_state *state, const struct lines *sources,
                                    struct status *status)
{
    for (int i = 0; i < translations->count; i++)
        if (is_of(translations->files[i], state, sources))
            return put_first(translations, translations->files[i], i);
    struct translated *file = translated_open(state, sources, status);
    if (!file)
        return NULL;
    if (translations->count == TRANSLATED_MOST)
        translated_close(translations->files[--translations->count]);
    return put_first(translations, file, translations->count++);
}
