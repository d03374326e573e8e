#include "tui/behind.h"

#include <stdlib.h>

#include "tui/sweep.h"
#include "tui/translating.h"

bool behind_list(const struct behind *behind, const char *const *without, const char *const *with,
                 struct study_result *shown, struct status *status)
{
    const char *const **references = parallel_others(behind->files, status);
    const struct study_texts texts = {.texts = {without, with},
                                      .references = references,
                                      .reference_count = behind->files->count - 1,
                                      .sentences = behind->sentences};
    *shown =
        (struct study_result){.request = {.systems = 2, .listed = LISTED_NONE, .untested = true},
                              .settings = *behind->settings,
                              .lines = behind->files->lines[0].count};
    bool ok = references && study_make(shown, &texts, NULL, status);
    free(references);
    return ok;
}

/* Whether there are enough translations under the dials; they are asked for last. */
static bool is_kept(struct session *session, const struct behind *behind, struct dials *dials,
                    char ***texts, struct status *status)
{
    struct saved_state state = states_current(session);
    state.dials = dials;
    const struct lines *lines = &behind->files->lines[0];
    struct translated *made = translations_get(&session->translations, &state, lines, status);
    if (!made)
        return false;
    const struct translating own = {.lines = lines, .texts = made->texts};
    *texts = made->texts;
    return translating_finished(&own) >= behind->sentences;
}

/* Others that are kept stay. */
static bool translate_again(struct session *session, const struct behind *behind,
                            struct dials *dials[2], struct study_result *shown,
                            struct status *status)
{
    int others = session->translations.wanted - 2;
    struct sweep sweep = {.path = behind->path,
                          .sources = &behind->files->lines[0],
                          .dials = dials,
                          .count = 2,
                          .kept = others > 0 ? others : 0};
    bool ok = sweep_translate(session, &sweep, status) &&
              behind_list(behind, sweep_texts(&sweep, 0), sweep_texts(&sweep, 1), shown, status);
    sweep_free(&sweep);
    return ok;
}

bool behind_open(struct session *session, const struct behind *behind, struct dials *dials,
                 struct study_result *shown, struct status *status)
{
    struct dials *both[2] = {session->state.dials, dials};
    char **texts[2];
    struct status lack;
    if (is_kept(session, behind, both[0], &texts[0], &lack) &&
        is_kept(session, behind, both[1], &texts[1], &lack))
        return behind_list(behind, (const char *const *)texts[0], (const char *const *)texts[1],
                           shown, status);
    return translate_again(session, behind, both, shown, status);
}
