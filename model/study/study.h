/* Scores the translations of one system against references, or compares those of two systems.
 *
 *     study_run does everything from files to the result. Or: count the texts (study_counts.h);
 *     study_make; study_free
 */
#ifndef ATTNSCOPE_STUDY_H
#define ATTNSCOPE_STUDY_H

#include "model/score/corpus.h"
#include "model/score/length_groups.h"
#include "model/score/significance.h"
#include "model/study/study_context.h"
#include "model/study/study_settings.h"
#include "model/text/text.h"

enum { STUDY_SYSTEMS = 2 };
enum { STUDY_BLEU, STUDY_CHRF, STUDY_METRICS };
extern const char *const study_metric_names[]; // BLEU, chrF2

/* Which sentences are listed; a value from 1 is the number of a group. */
enum { LISTED_NONE = -1, LISTED_ALL = 0 };

struct study_request {
    int systems;                 // 1, or 2 to compare
    bool scored;                 // the first file has translations instead of sources
    struct strings files;        // SRC or (scored) HYP, then REF…
    char *names[STUDY_SYSTEMS];  // names of the states if there are two; owned
    bool of_source;              // groups are by length of the source, not of the first reference
    bool by;                     // the limits of groups are given, not computed from quantiles
    struct length_groups groups; // by
    int listed;                  // a group, LISTED_NONE or LISTED_ALL
    bool untested;               // do not test the difference of two systems
};

/* The scores of one group, or of all sentences. */
struct study_row {
    char name[GROUP_NAME_SIZE];
    int sentences;                            // 0: no scores
    struct corpus_score score[STUDY_SYSTEMS]; // of each system
};

struct study_sentence {
    int number, group; // from 1
    int length;        // tokens of the text by which sentences are grouped
    struct corpus_score score[STUDY_SYSTEMS];
    char *text[STUDY_SYSTEMS], *reference; // owned; the first reference
    char *source;                          // owned; NULL: unknown
};

/* Tests whether two systems differ by more than chance in one metric. */
struct study_test {
    bool done; // the test was not stopped
    struct bootstrap_result bootstrap;
    double p;      // of the approximate randomisation
    int differing; // sentences that score differently
};

struct study_result {
    struct study_request request; // owned
    struct study_settings settings;
    struct corpus_options options;
    int references;
    bool source_letters;         // groups are by the number of characters of the source
    int sentences, lines;        // sentences: how many of the first lines are scored
    int differing;               // sentences that the two systems translate differently
    struct study_row all, *rows; // rows (row_count)
    int row_count;
    struct study_sentence
        *list; // (list_count): worst first; of two systems, those that differ most
    int list_count;
    struct study_test tests[STUDY_METRICS]; // of two systems
    const char
        *better_tokenizer; // sacreBLEU's tokenizer for the references' language; NULL: the current
                           // one suits it
};
void study_free(struct study_result *study); // leaves it empty

/* Fills in the result from study->request, settings and lines, and from the first `sentences` (>=
 * 1) texts, counted with the same settings. Two systems are tested if these are all sentences.
 * Fails with STATUS_CANCELLED if the watch stops it; finished results are valid if study->sentences
 * is not 0. */
struct study_counts;
bool study_make(struct study_result *study, const struct study_counts *counts, int sentences,
                const struct watch *watch, struct status *status);

/* Reads the files of the request, translates the first one in each of `states` (request.systems)
 * unless it is already a translation, and scores. The caller has filled in request and settings.
 * After a stop (STATUS_CANCELLED), out->sentences is the number of scored sentences. It is 0 after
 * any other failure, if nothing was finished, and if only one part of the study is computed
 * (shards/shards.h). */
bool study_run(const struct study_context *context, const struct state *states,
               struct study_result *out, struct status *status);

/* True if sentences or tests are missing. */
bool study_partial(const struct study_result *study);
/* For a partial study, returns which tests are missing: "not tested", or the untested metric. */
const char *study_untested(const struct study_result *study);

/* The score of a system in a metric. */
double study_score(const struct corpus_score *score, int metric);

extern const char study_version[]; // for signatures

/* Converts settings to the options of scores. */
struct bleu_options study_bleu_options(const struct study_settings *settings);
struct corpus_options study_corpus_options(const struct study_settings *settings);

/* Writes the signature needed to reproduce the scores of a metric; with `tests`, also that of the
 * tests. */
void study_write_signature(FILE *out, const struct study_result *study, int metric, bool tests);

#endif
