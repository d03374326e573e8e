#include "model/study/contrast/contrast.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/force.h"
#include "model/study/shards/shards.h"

/* Scores computed by other parts, or by an earlier run of this one (shards.h) ------------------ */

/* The caller fills in what the scores are about. */
struct contrast_shards {
    struct shards *shards; // NULL: no shards, and nothing happens
    const struct suite *suite;
    struct model *model;
    const struct language_pair *languages;
    const struct head_settings *const *head_settings; // (settings); NULL: those of the checkpoint
    int settings;
    struct contrast_scores *scores; // (settings), with room for all candidates

    struct shard_range range; // of the items to score
    struct identity *scopes;  // (settings)
    bool *known;              // (items): true if scored; NULL: none are
};

static struct journal_key key_of(const struct contrast_shards *shards, int setting, int item,
                                 int candidate)
{
    const struct suite_item *of = &shards->suite->items[item];
    const char *const texts[] = {of->source, suite_candidate(of, candidate)};
    return identity_key(&shards->scopes[setting], texts, 2);
}

static bool open_scopes(struct contrast_shards *shards, struct status *status)
{
    shards->scopes = memory_new((size_t)shards->settings, sizeof *shards->scopes, status);
    for (int s = 0; shards->scopes && s < shards->settings; s++) {
        const struct head_settings *settings = shards->head_settings[s];
        const struct state state = {
            .model = shards->model,
            .head_settings =
                (struct head_settings *)(settings ? settings : model_head_settings(shards->model)),
            .search = {.languages = *shards->languages}};
        if (!shards_scope(shards->shards, "score", &state, IDENTITY_LANGUAGES, &shards->scopes[s],
                          status))
            return false;
    }
    return shards->scopes != NULL;
}

/* The log-probability and the number of tokens. */
static const struct record_shape score_shape = {
    .fields = (struct record_field[]){{RECORD_ONE, 1, -1e30, 1e30, .whole = false},
                                      {RECORD_ONE, 1, 1, INT_MAX, .whole = true}},
    .count = 2};

/* *known: true if the shards have the score. */
static bool take_candidate(const struct contrast_shards *shards, int setting, int item,
                           int candidate, struct record *record, bool *known, struct status *status)
{
    const struct journal_key key = key_of(shards, setting, item, candidate);
    if (!shards_find_record(shards->shards, &key, &score_shape, record, known, status))
        return false;
    if (*known)
        shards->scores[setting].candidates[shards->suite->items[item].first + candidate] =
            (struct candidate_score){record->numbers[0], (int)record->numbers[1]};
    return true;
}

/* If one score of an item is missing, all are computed. */
static bool take_item(const struct contrast_shards *shards, int item, struct record *record,
                      struct status *status)
{
    shards->known[item] = true;
    for (int s = 0; s < shards->settings; s++)
        for (int c = 0; c <= shards->suite->items[item].error_count; c++) {
            bool known;
            if (!take_candidate(shards, s, item, c, record, &known, status))
                return false;
            if (!known)
                shards_lack(shards->shards, item);
            shards->known[item] &= known;
        }
    return true;
}

static bool take_items(const struct contrast_shards *shards, int scored, struct status *status)
{
    struct record record = {.count = 0};
    bool ok = true;
    for (int i = shards->range.first; ok && i < shards->range.end; i++)
        ok = i < scored || take_item(shards, i, &record, status);
    record_free(&record);
    return ok;
}

/* Takes the parts' scores of items from scores->items on. Call contrast_shards_close, also on
 * failure. */
static bool contrast_shards_open(struct contrast_shards *shards, struct status *status)
{
    const struct suite *suite = shards->suite;
    int scored = shards->scores->items;
    shards->range = shards_range(shards->shards, suite->count);
    if (!shards->shards)
        return true;
    if (!shards_begin(shards->shards, suite->count, "items", status) ||
        !open_scopes(shards, status))
        return false;
    shards->known = memory_new((size_t)suite->count, sizeof *shards->known, status);
    if (!shards->known)
        return false;
    if (!take_items(shards, scored, status))
        return false;
    return shards_check(shards->shards, suite->sets[0].paths[0], status);
}

static bool contrast_shards_keep(const struct contrast_shards *shards, int first, int end,
                                 struct status *status)
{
    for (int i = first; shards->shards && i < end; i++)
        for (int s = 0; s < shards->settings; s++)
            for (int c = 0; c <= shards->suite->items[i].error_count; c++) {
                const struct journal_key key = key_of(shards, s, i, c);
                const struct candidate_score *of =
                    &shards->scores[s].candidates[shards->suite->items[i].first + c];
                double numbers[] = {of->logprob, of->tokens};
                const struct record record = {.numbers = numbers, .count = 2};
                if (!shards_keep_record(shards->shards, &key, &record, status))
                    return false;
            }
    return true;
}

static void contrast_shards_close(struct contrast_shards *shards)
{
    free(shards->scopes);
    free(shards->known);
    shards->scopes = NULL;
    shards->known = NULL;
}

static const char reading[] = "reading", scoring[] = "scoring";

const char *const contrast_normalize_names[] = {"sum", "length", NULL};

struct target {
    int *ids; // (count)
    int count;
};

struct contrast {
    const struct suite *suite;
    struct model *model;
    struct language_pair languages;
    struct sentence *sources; // (items); empty if the source is the previous item's
    struct target *targets;   // (suite->candidates)
    struct shards *shards;    // NULL: none
};

void contrast_scores_free(struct contrast_scores *scores)
{
    free(scores->candidates);
    *scores = (struct contrast_scores){0};
}

double contrast_value(const struct candidate_score *score, enum contrast_normalize normalize)
{
    return normalize == NORMALIZE_LENGTH ? score->logprob / score->tokens : score->logprob;
}

/* Texts ---------------------------------------------------------------------------------------- */

static bool same_source(const struct suite *suite, int item)
{
    return item > 0 && strcmp(suite->items[item].source, suite->items[item - 1].source) == 0;
}

static bool encode_source(struct contrast *contrast, int item, struct status *status)
{
    return source_encode(model_checkpoint(contrast->model), &contrast->languages,
                         contrast->suite->items[item].source, &contrast->sources[item], status);
}

static bool encode_target(struct contrast *contrast, const char *text, struct target *target,
                          struct status *status)
{
    const struct checkpoint *checkpoint = model_checkpoint(contrast->model);
    target->count = target_encode(checkpoint, text, &target->ids, status);
    if (target->count < 0)
        return false;
    return target_check(checkpoint, target->count, status);
}

static bool encode_item(struct contrast *contrast, int number, struct status *status)
{
    const struct suite *suite = contrast->suite;
    const struct suite_item *item = &suite->items[number];
    if (!same_source(suite, number) && !encode_source(contrast, number, status))
        return suite_fail_at(suite, number, -1, status);
    for (int c = 0; c <= item->error_count; c++)
        if (!encode_target(contrast, suite_candidate(item, c), &contrast->targets[item->first + c],
                           status))
            return suite_fail_at(suite, number, c, status);
    return true;
}

static bool encode_all(struct contrast *contrast, const struct watch *watch, struct status *status)
{
    int count = contrast->suite->count;
    for (int i = 0; i < count; i++)
        if (!encode_item(contrast, i, status) ||
            !watch_proceed(watch, reading, i + 1, count, status))
            return watch_fail(watch, reading, count);
    return true;
}

struct contrast *contrast_open(const struct suite *suite, struct model *model,
                               const struct language_pair *languages, const struct watch *watch,
                               struct status *status)
{
    struct contrast *contrast = memory_new(1, sizeof *contrast, status);
    if (!contrast)
        return NULL;
    *contrast = (struct contrast){
        .suite = suite,
        .model = model,
        .languages = *languages,
        .sources = memory_new((size_t)suite->count, sizeof *contrast->sources, status),
        .targets = memory_new((size_t)suite->candidates, sizeof *contrast->targets, status),
    };
    if (contrast->sources && contrast->targets && encode_all(contrast, watch, status))
        return contrast;
    contrast_close(contrast);
    return NULL;
}

void contrast_divide(struct contrast *contrast, struct shards *shards)
{
    contrast->shards = shards;
}

void contrast_close(struct contrast *contrast)
{
    if (!contrast)
        return;
    for (int i = 0; contrast->sources && i < contrast->suite->count; i++)
        sentence_free(&contrast->sources[i]);
    for (int i = 0; contrast->targets && i < contrast->suite->candidates; i++)
        free(contrast->targets[i].ids);
    free(contrast->sources);
    free(contrast->targets);
    free(contrast);
}

/* Scores --------------------------------------------------------------------------------------- */

/* All candidates of the items first … end-1 under each setting of head_settings. The order, by
 * source and then by setting, lets them share the most (force.h). */
struct portion {
    int first, end;
    const struct head_settings *const *head_settings; // (settings)
    int settings;
    struct score_job *jobs; // (count)
    int count;
    float *logprobs; // of all their tokens
};

static void portion_close(struct portion *portion)
{
    free(portion->jobs);
    free(portion->logprobs);
}

/* Returns the first candidate of an item; behind the last item, the end. */
static int first_candidate(const struct suite *suite, int item)
{
    return item < suite->count ? suite->items[item].first : suite->candidates;
}

/* Returns the end of a portion: `batch` candidates or a few more, up to an item that the parts
 * have. Candidates of one source stay together, as they share its encoding. */
static int portion_end(const struct suite *suite, const struct contrast_shards *shards, int item,
                       int batch)
{
    int candidates = 0, end = item;
    while (end < shards->range.end && !(shards->known && shards->known[end]) &&
           (candidates < batch || same_source(suite, end)) && candidates < 4 * (int64_t)batch)
        candidates += 1 + suite->items[end++].error_count;
    return end;
}

/* Returns the first later item with another source, or the portion's end. */
static int source_end(const struct suite *suite, const struct portion *portion, int item)
{
    do
        item++;
    while (item < portion->end && same_source(suite, item));
    return item;
}

static const struct sentence *source_of(const struct contrast *contrast, int item)
{
    while (same_source(contrast->suite, item))
        item--;
    return &contrast->sources[item];
}

static void fill_jobs(const struct contrast *contrast, const struct portion *portion)
{
    const struct suite *suite = contrast->suite;
    struct score_job *job = portion->jobs;
    float *logprobs = portion->logprobs;
    for (int item = portion->first, next; item < portion->end; item = next) {
        const struct sentence *source = source_of(contrast, item);
        next = source_end(suite, portion, item);
        for (int s = 0; s < portion->settings; s++)
            for (int c = first_candidate(suite, item); c < first_candidate(suite, next); c++) {
                const struct target *target = &contrast->targets[c];
                *job++ = (struct score_job){source, target->ids, target->count,
                                            portion->head_settings[s], logprobs};
                logprobs += target->count;
            }
    }
}

static bool portion_open(const struct contrast *contrast, struct portion *portion,
                         struct status *status)
{
    int first = first_candidate(contrast->suite, portion->first);
    int end = first_candidate(contrast->suite, portion->end);
    size_t tokens = 0, settings = (size_t)portion->settings;
    for (int c = first; c < end; c++)
        tokens += (size_t)contrast->targets[c].count;
    portion->count = portion->settings * (end - first);
    portion->jobs = memory_new((size_t)portion->count, sizeof *portion->jobs, status);
    portion->logprobs = memory_new(tokens, settings * sizeof *portion->logprobs, status);
    if (!portion->jobs || !portion->logprobs)
        return false;
    fill_jobs(contrast, portion);
    return true;
}

static void keep_score(const struct score_job *job, struct candidate_score *score)
{
    *score = (struct candidate_score){.tokens = job->count};
    for (int t = 0; t < job->count; t++)
        score->logprob += job->logprobs[t];
}

/* scores: (settings) */
static void keep_scores(const struct suite *suite, const struct portion *portion,
                        struct contrast_scores *scores)
{
    const struct score_job *job = portion->jobs;
    for (int item = portion->first, next; item < portion->end; item = next) {
        next = source_end(suite, portion, item);
        for (int s = 0; s < portion->settings; s++)
            for (int c = first_candidate(suite, item); c < first_candidate(suite, next); c++)
                keep_score(job++, &scores[s].candidates[c]);
    }
    for (int s = 0; s < portion->settings; s++)
        scores[s].items = portion->end;
}

static bool score_portion(struct contrast *contrast, struct portion *portion, int batch,
                          const struct watch *watch, struct contrast_scores *scores,
                          struct status *status)
{
    bool ok = portion_open(contrast, portion, status) &&
              score_run(contrast->model, portion->jobs, portion->count,
                        batch > portion->count ? batch : portion->count, status) &&
              // After the device was told to stop, results are meaningless.
              watch_proceed(watch, scoring, portion->end, contrast->suite->count, status);
    if (ok)
        keep_scores(contrast->suite, portion, scores);
    portion_close(portion);
    return ok;
}

static void pass_item(struct contrast_scores *scores, int count)
{
    for (int s = 0; s < count; s++)
        scores[s].items++;
}

static bool score_rest(struct contrast *contrast, const struct contrast_shards *shards, int batch,
                       const struct watch *watch, struct status *status)
{
    struct contrast_scores *scores = shards->scores;
    const int count = shards->settings;
    while (scores->items < shards->range.end) {
        int first = scores->items;
        if (first < shards->range.first || (shards->known && shards->known[first])) {
            pass_item(scores, count);
            continue;
        }
        struct portion portion = {
            .first = first,
            .end = portion_end(contrast->suite, shards, first, (batch + count - 1) / count),
            .head_settings = shards->head_settings,
            .settings = count};
        if (!score_portion(contrast, &portion, batch, watch, scores, status))
            return watch_fail(watch, scoring, contrast->suite->count);
        if (!contrast_shards_keep(shards, portion.first, portion.end, status))
            return watch_fail(watch, scoring, contrast->suite->count);
    }
    if (contrast->shards) // the last item computed may not be the suite's last
        watch_fail(watch, scoring, contrast->suite->count);
    return true;
}

bool contrast_score(struct contrast *contrast, const struct head_settings *const *head_settings,
                    int count, int batch, const struct watch *watch, struct contrast_scores *scores,
                    struct status *status)
{
    const struct suite *suite = contrast->suite;
    for (int s = 0; s < count; s++) {
        if (!scores[s].candidates)
            scores[s].candidates =
                memory_new((size_t)suite->candidates, sizeof *scores[s].candidates, status);
        if (!scores[s].candidates)
            return false;
    }
    struct contrast_shards shards = {.shards = contrast->shards,
                                     .suite = suite,
                                     .model = contrast->model,
                                     .languages = &contrast->languages,
                                     .head_settings = head_settings,
                                     .settings = count,
                                     .scores = scores};
    bool ok = contrast_shards_open(&shards, status) &&
              score_rest(contrast, &shards, batch, watch, status);
    contrast_shards_close(&shards);
    return ok;
}

/* Decisions ------------------------------------------------------------------------------------ */

int contrast_decided(const struct suite *suite, const struct contrast_scores *scores)
{
    int decided = suite->decision_count;
    while (decided > 0 && suite->decisions[decided - 1].item >= scores->items)
        decided--;
    return decided;
}

bool decision_correct(const struct suite *suite, const struct contrast_scores *scores,
                      const struct decision *decision, enum contrast_normalize normalize)
{
    const struct candidate_score *reference =
        &scores->candidates[suite->items[decision->item].first];
    const struct candidate_score *error = reference + 1 + decision->first;
    for (int i = 0; i < decision->count; i++)
        if (!(contrast_value(reference, normalize) > contrast_value(&error[i], normalize)))
            return false;
    return true;
}

int decision_rival(const struct suite *suite, const struct contrast_scores *scores,
                   const struct decision *decision, enum contrast_normalize normalize)
{
    const struct candidate_score *candidates =
        &scores->candidates[suite->items[decision->item].first];
    int rival = 1 + decision->first;
    for (int i = rival + 1; i <= decision->first + decision->count; i++)
        if (contrast_value(&candidates[i], normalize) >
            contrast_value(&candidates[rival], normalize))
            rival = i;
    return rival;
}

int contrast_correct(const struct suite *suite, const struct contrast_scores *scores, int decisions,
                     enum contrast_normalize normalize)
{
    int correct = 0;
    for (int i = 0; i < decisions; i++)
        correct += decision_correct(suite, scores, &suite->decisions[i], normalize);
    return correct;
}
