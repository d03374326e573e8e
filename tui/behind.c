#include "tui/behind.h"

#include <stdlib.h>

#include "tui/progress.h"
#include "tui/study_counts.h"
#include "tui/sweep.h"

enum { BOTH = 2 };

static bool are_there(const struct behind *behind, const char *const *const *texts)
{
    for (int s = 0; s < BOTH; s++)
        for (int i = 0; i < behind->sentences; i++)
            if (!texts[s][i])
                return false;
    return true;
}

static bool list(const struct behind *behind, const char *const *const *texts,
                 struct study_result *shown, struct status *status)
{
    const struct corpus_options options = study_corpus_options(behind->settings);
    const char *const **references = parallel_others(behind->files, status);
    const struct study_texts both = {.texts = {texts[0], texts[1]},
                                     .references = references,
                                     .systems = BOTH,
                                     .reference_count = behind->files->count - 1,
                                     .sentences = behind->sentences};
    struct study_counts counts = {.sources = 0};
    *shown =
        (struct study_result){.request = {.systems = BOTH, .listed = LISTED_NONE, .untested = true},
                              .settings = *behind->settings,
                              .lines = behind->files->lines[0].count};
    bool ok = references && study_counts_open(&counts, &options, &both, false, status) &&
              study_count(&counts, &progress_watcher, status) &&
              study_make(shown, &counts, behind->sentences, NULL, status);
    study_counts_close(&counts);
    free(references);
    return ok;
}

/* Others that are kept stay. */
bool behind_open(struct session *session, const struct behind *behind, struct dials *dials,
                 struct study_result *shown, struct status *status)
{
    struct dials *both[BOTH] = {session->state.dials, dials};
    int others = session->translations.wanted - BOTH;
    struct sweep sweep = {.path = behind->path,
                          .sources = &behind->files->lines[0],
                          .dials = both,
                          .count = BOTH,
                          .kept = others > 0 ? others : 0};
    const char *const **texts =
        sweep_open(session, &sweep, status) ? sweep_texts(&sweep, status) : NULL;
    bool ok = texts &&
              (are_there(behind, texts) || sweep_translate(session, &sweep, NULL, status)) &&
              list(behind, texts, shown, status);
    free(texts);
    sweep_free(&sweep);
    return ok;
}
