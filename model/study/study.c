#include "model/study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "model/study/study_counts.h"

const char study_version[] = "attnscope-" ATTNSCOPE_VERSION;
const struct study_settings study_defaults = {
    .groups = 4, .listed = 10, .resamples = 1000, .trials = 10000, .seed = 12345};
const char *const study_metric_names[] = {"BLEU", "chrF2", NULL};

static void study_request_free(struct study_request *request)
{
    strings_free(&request->files);
    for (int i = 0; i < STUDY_SYSTEMS; i++)
        free(request->names[i]);
    *request = (struct study_request){0};
}

void study_free(struct study_result *study)
{
    for (int i = 0; i < study->list_count; i++) {
        free(study->list[i].text[0]);
        free(study->list[i].text[1]);
        free(study->list[i].reference);
        free(study->list[i].source);
    }
    free(study->list);
    free(study->rows);
    study_request_free(&study->request);
    *study = (struct study_result){0};
}

double study_score(const struct corpus_score *score, int metric)
{
    return metric == STUDY_BLEU ? score->bleu.score : score->chrf;
}

bool study_partial(const struct study_result *study)
{
    bool untested = study->request.systems > 1 &&
                    !(study->tests[STUDY_BLEU].done && study->tests[STUDY_CHRF].done);
    return study->sentences < study->lines || untested;
}

const char *study_untested(const struct study_result *study)
{
    return study->tests[STUDY_BLEU].done ? "chrF2 is not tested" : "not tested";
}

void study_write_signature(FILE *out, const struct study_result *study, int metric, bool tests)
{
    const struct study_settings *settings = &study->settings;
    char text[80] = "";
    if (tests)
        snprintf(text, sizeof text, "bs:%d|ar:%d|seed:%d|", settings->resamples, settings->trials,
                 settings->seed);
    if (metric == STUDY_BLEU)
        bleu_write_signature(out, &study->options.bleu, study->references, text, study_version);
    else
        chrf_write_signature(out, study->options.chrf_lowercase, study->references, text,
                             study_version);
}

/* Groups --------------------------------------------------------------------------------------- */

/* The study being made from the texts. */
struct making {
    struct study_result *study;
    const struct study_texts *texts;
    struct corpus corpora[STUDY_SYSTEMS]; // of study->sentences; borrowed
    const int *lengths;                   // (study->sentences): the lengths that define groups
    int *groups;                          // (study->sentences), from 0
};

static struct study_row make_row(const struct making *making, const int *groups, int group)
{
    const struct study_result *study = making->study;
    struct study_row row = {.sentences = 0};
    for (int i = 0; i < study->sentences; i++)
        row.sentences += !groups || groups[i] == group;
    for (int s = 0; s < study->request.systems; s++)
        row.score[s] = corpus_total(&making->corpora[s], groups, group);
    return row;
}

static bool make_rows(struct making *making, struct status *status)
{
    struct study_result *study = making->study;
    struct length_groups *groups = &study->request.groups;
    const int *lengths = making->lengths;
    if (!study->request.by &&
        !length_groups_quantiles(lengths, study->sentences, study->settings.groups, groups, status))
        return false;
    study->rows = memory_new((size_t)groups->count + 1, sizeof *study->rows, status);
    making->groups = memory_new((size_t)study->sentences, sizeof *making->groups, status);
    if (!study->rows || !making->groups)
        return false;
    for (int i = 0; i < study->sentences; i++)
        making->groups[i] = length_groups_find(groups, lengths[i]);
    study->row_count = groups->count + 1;
    for (int g = 0; g < study->row_count; g++) {
        study->rows[g] = make_row(making, making->groups, g);
        length_groups_name(groups, g, study->rows[g].name);
    }
    study->all = make_row(making, NULL, 0);
    snprintf(study->all.name, sizeof study->all.name, "all");
    return true;
}

/* Sentences ------------------------------------------------------------------------------------ */

static bool same_texts(const struct making *making, int sentence)
{
    const struct study_texts *texts = making->texts;
    return strcmp(texts->texts[0][sentence], texts->texts[1][sentence]) == 0;
}

/* With two systems, sentences that differ are listed without being requested. */
static bool is_listed(const struct making *making, int sentence)
{
    const struct study_request *request = &making->study->request;
    if (request->listed == LISTED_NONE)
        return request->systems > 1 && !same_texts(making, sentence);
    return request->listed == LISTED_ALL || making->groups[sentence] == request->listed - 1;
}

static bool copy_texts(const struct making *making, struct study_sentence *out,
                       struct status *status)
{
    int i = out->number - 1;
    const struct study_texts *texts = making->texts;
    const char *source =
        texts->sources && !making->study->request.scored ? texts->sources[i] : NULL;
    bool ok = (out->reference = strdup(texts->references[0][i])) != NULL;
    ok = (!source || (out->source = strdup(source))) && ok;
    for (int s = 0; s < making->study->request.systems; s++)
        ok = (out->text[s] = strdup(texts->texts[s][i])) != NULL && ok;
    return ok || status_no_memory(status);
}

static int compare_worst(const void *a, const void *b)
{
    const struct study_sentence *one = a, *other = b;
    double difference = one->score[0].bleu.score - other->score[0].bleu.score;
    return difference != 0 ? (difference > 0) - (difference < 0) : one->number - other->number;
}

static double change_of(const struct study_sentence *sentence)
{
    return fabs(sentence->score[1].bleu.score - sentence->score[0].bleu.score);
}

static int compare_changes(const void *a, const void *b)
{
    const struct study_sentence *one = a, *other = b;
    double difference = change_of(other) - change_of(one);
    return difference != 0 ? (difference > 0) - (difference < 0) : one->number - other->number;
}

static bool make_list(struct making *making, struct status *status)
{
    struct study_result *study = making->study;
    int count = 0, systems = study->request.systems;
    study->list = memory_new((size_t)study->sentences, sizeof *study->list, status);
    if (!study->list)
        return false;
    for (int i = 0; i < study->sentences; i++) {
        if (!is_listed(making, i))
            continue;
        struct study_sentence *sentence = &study->list[count++];
        *sentence = (struct study_sentence){
            .number = i + 1, .group = making->groups[i] + 1, .length = making->lengths[i]};
        for (int s = 0; s < systems; s++)
            sentence->score[s] = corpus_sentence(&making->corpora[s], i);
    }
    qsort(study->list, (size_t)count, sizeof *study->list,
          systems > 1 ? compare_changes : compare_worst);
    if (study->request.listed == LISTED_NONE && count > study->settings.listed)
        count = study->settings.listed;
    for (; study->list_count < count; study->list_count++)
        if (!copy_texts(making, &study->list[study->list_count], status))
            return false;
    return true;
}

/* Tests ---------------------------------------------------------------------------------------- */

static bool run_test(const struct paired *paired, const struct study_settings *settings,
                     const struct watch *watch, struct study_test *test, struct status *status)
{
    unsigned long seed = (unsigned long)settings->seed;
    test->differing = paired_differing(paired);
    test->done =
        bootstrap_test(paired, settings->resamples, seed, watch, &test->bootstrap, status) &&
        randomisation_test(paired, settings->trials, seed, watch, &test->p, status);
    return test->done;
}

static bool run_tests(struct making *making, const struct watch *watch, struct status *status)
{
    struct study_result *study = making->study;
    const struct corpus *a = &making->corpora[0], *b = &making->corpora[1];
    const struct metric bleu = bleu_metric(&study->options.bleu), chrf = chrf_metric();
    const struct paired by_bleu = {&bleu, a->bleu, b->bleu, study->sentences};
    const struct paired by_chrf = {&chrf, a->chrf, b->chrf, study->sentences};
    return run_test(&by_bleu, &study->settings, watch, &study->tests[STUDY_BLEU], status) &&
           run_test(&by_chrf, &study->settings, watch, &study->tests[STUDY_CHRF], status);
}

/* All ------------------------------------------------------------------------------------------ */

struct bleu_options study_bleu_options(const struct study_settings *settings)
{
    return (struct bleu_options){.tokenizer = settings->tokenizer,
                                 .lowercase = settings->lowercase,
                                 .smoothing = settings->smoothing,
                                 .smooth_value = settings->smooth_value};
}

struct corpus_options study_corpus_options(const struct study_settings *settings)
{
    return (struct corpus_options){.bleu = study_bleu_options(settings),
                                   .chrf_lowercase = settings->chrf_lowercase};
}

static bool make_parts(struct making *making, struct status *status)
{
    struct study_result *study = making->study;
    for (int i = 0; study->request.systems > 1 && i < study->sentences; i++)
        study->differing += !same_texts(making, i);
    return make_rows(making, status) && make_list(making, status);
}

bool study_make(struct study_result *study, const struct study_counts *counts, int sentences,
                const struct watch *watch, struct status *status)
{
    struct making making = {
        .study = study, .texts = &counts->texts, .lengths = study_lengths(counts)};
    study->options = study_corpus_options(&study->settings);
    study->references = counts->texts.reference_count;
    study->source_letters = counts->source_letters;
    study->sentences = sentences;
    for (int s = 0; s < study->request.systems; s++) {
        making.corpora[s] = counts->corpora[s];
        making.corpora[s].sentences = study->sentences;
    }
    bool tested =
        study->request.systems > 1 && !study->request.untested && study->sentences == study->lines;
    bool made = make_parts(&making, status);
    if (!made)
        study->sentences = 0;
    free(making.groups);
    return made && (!tested || run_tests(&making, watch, status));
}
