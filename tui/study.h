/* Translations scored against references: what `:bleu` and `:compare` find out.
 *
 *     the texts are counted (study_counts.h); study_make fills in a result; study_free
 */
#ifndef ATTNSCOPE_STUDY_H
#define ATTNSCOPE_STUDY_H

#include "model/study/corpus.h"
#include "model/study/length_groups.h"
#include "model/study/significance.h"
#include "model/text/text.h"
#include "tui/lines.h"
#include "tui/settings.h"

enum { STUDY_SYSTEMS = 2 };
enum { STUDY_BLEU, STUDY_CHRF, STUDY_METRICS };
extern const char *const study_metric_names[]; // BLEU, chrF2

/* Whose sentences are listed, besides the number of a group (from 1). */
enum { LISTED_NONE = -1, LISTED_ALL = 0 };

/* What is asked for, as the command says it. */
struct study_request {
    int systems;                 // 1: `:bleu`, 2: `:compare`
    bool scored;                 // the first file has translations, not sources
    struct pieces files;         // SRC or (scored) what it was translated to, REF…
    char *names[STUDY_SYSTEMS];  // of the states, where there are two; owned
    bool of_source;              // groups are of lengths of the source, not of the first reference
    bool by;                     // groups were given, not made of quantiles
    struct length_groups groups; // by
    int listed;                  // a group, LISTED_NONE or LISTED_ALL
    struct pieces states;        // to be scored in, one after the other; none: the current one
    bool untested;               // two systems are not tested
};
void study_request_free(struct study_request *request);

/* Sentences of one group, or all. */
struct study_row {
    char name[GROUP_NAME_SIZE];
    int sentences;                            // 0: there are no scores
    struct corpus_score score[STUDY_SYSTEMS]; // of each system
};

struct study_sentence {
    int number, group; // from 1
    int length;        // tokens of what groups are of
    struct corpus_score score[STUDY_SYSTEMS];
    char *text[STUDY_SYSTEMS], *reference; // owned; of the references the first
};

/* Whether two systems differ by more than chance, by one of the metrics. */
struct study_test {
    bool done; // not stopped before its end
    struct bootstrap_result bootstrap;
    double p;      // of the approximate randomisation
    int differing; // sentences that score differently
};

struct study_result {
    struct study_request request; // owned
    struct study_settings settings;
    struct corpus_options options;
    int references;
    int sentences, lines;        // those scored, the first ones of the files' lines
    int differing;               // sentences that two systems translate differently
    struct study_row all, *rows; // rows (row_count)
    int row_count;
    struct study_sentence *list; // (list_count): worst first, of two systems what differs most
    int list_count;
    struct study_test tests[STUDY_METRICS]; // of two systems
};
void study_free(struct study_result *study); // leaves it empty

/* Fills in what follows from study->request, settings and lines, and the first `sentences` (>= 1) of the texts that
 * were counted, under the same settings; two systems are tested when these are all. Stopped by the watcher it
 * fails with STATUS_CANCELLED; what is finished is there, if study->sentences is not 0. */
struct study_counts;
bool study_make(struct study_result *study, const struct study_counts *counts, int sentences,
                const struct watcher *watcher, struct status *status);

/* Whether something was left out: sentences, or tests. */
bool study_partial(const struct study_result *study);
/* What became of the tests then: "not tested", or what of it. */
const char *study_untested(const struct study_result *study);

/* The metric's score of a system. */
double study_score(const struct corpus_score *score, int metric);

extern const char study_version[]; // of signatures

/* How the settings have scores computed. */
struct bleu_options study_bleu_options(const struct study_settings *settings);
struct corpus_options study_corpus_options(const struct study_settings *settings);

/* The signature with which a metric's scores can be made again; with `tests` also the
 * tests'. */
void study_write_signature(FILE *out, const struct study_result *study, int metric, bool tests);

#endif
