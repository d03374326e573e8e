#include "tui/translated.h"

#include <stdlib.h>
#include <string.h>

#include "tui/session.h"

static void lines_leave(struct shared_lines *sources)
{
    if (!sources || --sources->users)
        return;
    lines_free(&sources->lines);
    free(sources);
}

static void translated_close(struct translated *file)
{
    if (!file)
        return;
    for (int i = 0; file->texts && i < file->sources->lines.count; i++)
        free(file->texts[i]);
    free(file->texts);
    lines_leave(file->sources);
    dials_free(file->dials);
    free(file);
}

void translations_free(struct translations *translations)
{
    for (int i = 0; i < translations->count; i++)
        translated_close(translations->files[i]);
    free(translations->files);
    *translations = (struct translations){0};
}

static bool is_of(const struct translated *file, const struct saved_state *state,
                  const struct lines *sources)
{
    const struct saved_state own = {NULL, file->loaded, file->dials, file->search};
    return states_equal(&own, state) && lines_equal(&file->sources->lines, sources);
}

/* The same lines of an older file, or a copy. */
static struct shared_lines *lines_share(const struct translations *translations,
                                        const struct lines *lines, struct status *status)
{
    for (int i = 0; i < translations->count; i++) {
        struct shared_lines *sources = translations->files[i]->sources;
        if (!lines_equal(&sources->lines, lines))
            continue;
        sources->users++;
        return sources;
    }
    struct shared_lines *sources = memory_new(1, sizeof *sources, status);
    if (!sources)
        return NULL;
    sources->users = 1;
    if (lines_copy(lines, &sources->lines, status))
        return sources;
    free(sources);
    return NULL;
}

static struct translated *translated_open(const struct translations *translations,
                                          const struct saved_state *state,
                                          const struct lines *sources, struct status *status)
{
    struct translated *file = memory_new(1, sizeof *file, status);
    if (!file)
        return NULL;
    file->loaded = state->loaded;
    file->search = state->search;
    file->dials = dials_copy(state->dials, status);
    file->sources = lines_share(translations, sources, status);
    if (file->sources)
        file->texts = memory_new((size_t)sources->count, sizeof *file->texts, status);
    if (file->dials && file->texts)
        return file;
    translated_close(file);
    return NULL;
}

/* Puts a file first; those before place `at` move up. */
static struct translated *put_first(struct translations *translations, struct translated *file,
                                    int at)
{
    memmove(translations->files + 1, translations->files, (size_t)at * sizeof(struct translated *));
    return translations->files[0] = file;
}

static struct translated *find(struct translations *translations, const struct saved_state *state,
                               const struct lines *sources)
{
    for (int i = 0; i < translations->count; i++)
        if (is_of(translations->files[i], state, sources))
            return put_first(translations, translations->files[i], i);
    return NULL;
}

void translations_touch(struct translations *translations, const struct saved_state *state,
                        const struct lines *sources)
{
    find(translations, state, sources);
}

void translations_want(struct translations *translations, int count)
{
    translations->wanted = count;
}

struct translated *translations_get(struct translations *translations,
                                    const struct saved_state *state, const struct lines *sources,
                                    struct status *status)
{
    struct translated *file = find(translations, state, sources);
    if (file)
        return file;
    if (!memory_grow((void **)&translations->files, &translations->capacity,
                     (size_t)translations->count + 1, sizeof(struct translated *), status))
        return NULL;
    file = translated_open(translations, state, sources, status);
    if (!file)
        return NULL;
    while (translations->count >= translations->wanted + TRANSLATED_MOST)
        translated_close(translations->files[--translations->count]);
    return put_first(translations, file, translations->count++);
}
