#include "tui/contrasted.h"

#include <stdlib.h>
#include <string.h>

static void free_variants(struct contrasted *run)
{
    for (int i = 0; i < run->variant_count; i++) {
        dials_free(run->variants[i].dials);
        contrast_scores_free(&run->variants[i].scores);
    }
    free(run->variants);
    run->variants = NULL;
    run->variant_count = 0;
    run->variant_capacity = 0;
}

static void contrasted_close(struct contrasted *run)
{
    if (!run)
        return;
    dials_free(run->dials);
    suite_free(&run->suite);
    contrast_scores_free(&run->scores);
    pieces_free(&run->files);
    free_variants(run);
    ablation_list_free(&run->stopped);
    free(run);
}

void contrasts_free(struct contrasts *contrasts)
{
    for (int i = 0; i < contrasts->count; i++)
        contrasted_close(contrasts->runs[i]);
    *contrasts = (struct contrasts){0};
}

/* The search has no part in a score. */
static bool is_of(const struct contrasted *run, const struct saved_state *state,
                  const struct suite *suite)
{
    return run->loaded == state->loaded && dials_equal(run->dials, state->dials) &&
           suite_equal(&run->suite, suite);
}

static struct contrasted *contrasted_open(const struct saved_state *state, struct suite *suite,
                                          struct status *status)
{
    struct contrasted *run = memory_new(1, sizeof *run, status);
    if (!run)
        return NULL;
    run->loaded = state->loaded;
    run->dials = dials_copy(state->dials, status);
    if (!run->dials) {
        contrasted_close(run);
        return NULL;
    }
    run->suite = *suite;
    *suite = (struct suite){0};
    return run;
}

/* Puts a run first; those before place `at` move up. */
static struct contrasted *put_first(struct contrasts *contrasts, struct contrasted *run, int at)
{
    memmove(contrasts->runs + 1, contrasts->runs, (size_t)at * sizeof(struct contrasted *));
    return contrasts->runs[0] = run;
}

/* Whatever the files were called when it was scored, now they are called so. The items of suites that are equal
 * are in sets that are. */
static void take_names(struct contrasted *run, struct suite *suite)
{
    struct suite_set *sets = run->suite.sets;
    int count = run->suite.set_count;
    size_t capacity = run->suite.set_capacity;
    run->suite.sets = suite->sets;
    run->suite.set_count = suite->set_count;
    run->suite.set_capacity = suite->set_capacity;
    suite->sets = sets;
    suite->set_count = count;
    suite->set_capacity = capacity;
}

static bool copy_files(const struct pieces *files, struct pieces *copy, struct status *status)
{
    for (int i = 0; i < files->count; i++)
        if (!pieces_add(copy, files->text[i], strlen(files->text[i]), status))
            return false;
    return true;
}

static struct contrasted *get(struct contrasts *contrasts, const struct saved_state *state,
                              struct suite *suite, struct status *status)
{
    for (int i = 0; i < contrasts->count; i++)
        if (is_of(contrasts->runs[i], state, suite)) {
            take_names(contrasts->runs[i], suite);
            return put_first(contrasts, contrasts->runs[i], i);
        }
    struct contrasted *run = contrasted_open(state, suite, status);
    if (!run)
        return NULL;
    if (contrasts->count == CONTRASTED_MOST)
        contrasted_close(contrasts->runs[--contrasts->count]);
    return put_first(contrasts, run, contrasts->count++);
}

struct contrasted *contrasts_get(struct contrasts *contrasts, const struct saved_state *state,
                                 const struct pieces *files, struct suite *suite,
                                 struct status *status)
{
    struct pieces copy = {0};
    struct contrasted *run =
        copy_files(files, &copy, status) ? get(contrasts, state, suite, status) : NULL;
    suite_free(suite);
    if (run) {
        pieces_free(&run->files);
        run->files = copy;
    } else {
        pieces_free(&copy);
    }
    return run;
}

/* Variants --------------------------------------------------------------------------------------- */

const struct contrast_scores *contrasts_variant(const struct contrasted *run,
                                                const struct dials *dials)
{
    for (int i = 0; i < run->variant_count; i++)
        if (dials_equal(run->variants[i].dials, dials))
            return &run->variants[i].scores;
    return NULL;
}

static double candidates_kept(const struct contrasts *contrasts)
{
    double count = 0;
    for (int i = 0; i < contrasts->count; i++)
        count += (double)contrasts->runs[i]->variant_count * contrasts->runs[i]->suite.candidates;
    return count;
}

/* The one not asked for the longest goes first. */
static bool make_room(struct contrasts *contrasts, const struct contrasted *run)
{
    double most = (double)CANDIDATES_KEPT - run->suite.candidates;
    for (int i = contrasts->count - 1; i >= 0 && candidates_kept(contrasts) > most; i--)
        if (contrasts->runs[i] != run)
            free_variants(contrasts->runs[i]);
    return candidates_kept(contrasts) <= most;
}

void contrasts_keep(struct contrasts *contrasts, struct contrasted *run, struct dials **dials,
                    struct contrast_scores *scores)
{
    struct status unused;
    if (contrasts_variant(run, *dials) || !make_room(contrasts, run) ||
        !memory_grow((void **)&run->variants, &run->variant_capacity,
                     (size_t)run->variant_count + 1, sizeof *run->variants, &unused))
        return;
    run->variants[run->variant_count++] = (struct contrast_variant){*dials, *scores};
    *dials = NULL;
    *scores = (struct contrast_scores){0};
}

struct contrasted *contrasts_before(const struct contrasts *contrasts, const struct contrasted *run)
{
    int i = 0;
    while (i < contrasts->count && contrasts->runs[i] != run)
        i++;
    for (i++; i < contrasts->count; i++)
        if (suite_equal(&contrasts->runs[i]->suite, &run->suite))
            return contrasts->runs[i];
    return NULL;
}
