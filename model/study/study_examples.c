#include "model/study/study_examples.h"

#include <stdlib.h>

#include "model/study/study_counts.h"
#include "model/study/sweep.h"

enum { BOTH = 2 };

static bool are_there(const struct study_examples *examples, const char *const *const *texts)
{
    for (int s = 0; s < BOTH; s++)
        for (int i = 0; i < examples->sentences; i++)
            if (!texts[s][i])
                return false;
    return true;
}

static bool list(const struct study_context *context, const struct study_examples *examples,
                 const char *const *const *texts, struct study_result *shown, struct status *status)
{
    const struct corpus_options options = study_corpus_options(examples->settings);
    const char *const **references = parallel_others(examples->files, status);
    const struct study_texts both = {.texts = {texts[0], texts[1]},
                                     .references = references,
                                     .sources = (const char *const *)examples->files->lines[0].text,
                                     .systems = BOTH,
                                     .reference_count = examples->files->count - 1,
                                     .sentences = examples->sentences};
    struct study_counts counts = {.sources = 0};
    *shown =
        (struct study_result){.request = {.systems = BOTH, .listed = LISTED_NONE, .untested = true},
                              .settings = *examples->settings,
                              .lines = examples->files->lines[0].count};
    bool ok = references && study_counts_open(&counts, &options, &both, false, status) &&
              study_count(&counts, context->watch, status) &&
              study_make(shown, &counts, examples->sentences, NULL, status);
    study_counts_close(&counts);
    free(references);
    return ok;
}

/* Other translations that are kept stay. */
bool study_examples_open(const struct study_context *context, const struct study_examples *examples,
                         struct head_settings *head_settings, struct study_result *shown,
                         struct status *status)
{
    struct head_settings *both[BOTH] = {context->state.head_settings, head_settings};
    int others = context->cache->wanted - BOTH;
    struct sweep sweep = {.path = examples->path,
                          .sources = &examples->files->lines[0],
                          .head_settings = both,
                          .count = BOTH,
                          .kept = others > 0 ? others : 0};
    const char *const **texts =
        sweep_open(context, &sweep, status) ? sweep_texts(&sweep, status) : NULL;
    bool ok = texts &&
              (are_there(examples, texts) || sweep_translate(context, &sweep, NULL, status)) &&
              list(context, examples, texts, shown, status);
    free(texts);
    sweep_free(&sweep);
    return ok;
}
