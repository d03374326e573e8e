/* The report of `:stats`. */
#ifndef ATTNSCOPE_REPORT_STATS_H
#define ATTNSCOPE_REPORT_STATS_H

#include "model/study/sentences/head_stats_run.h"
#include "model/study/sentences/pos.h"
#include "report/report.h"

enum stats_shown {
    SHOW_HEADS,     // statistics of each head
    SHOW_DISTANCES, // distances between heads
    SHOW_EXAMPLES,  // sentences with the greatest and least values of a measure of one head
    SHOW_POS        // means of a measure by part of speech
};

struct stats_request {
    const char *source, *target;      // target NULL: the model's own translations
    const bool *wanted[MODULE_COUNT]; // (layers * heads): the requested heads
    const char *selected;             // the words of the selector
    enum stats_shown shown;
    enum head_measure measure; // of SHOW_EXAMPLES and SHOW_POS
};

/* Copies what it needs of the result, which has at least the wanted heads.
 *
 * In JSON `file`, `target` (null: own translations), `sentences`, `rows` (over all modules),
 * `partial`; `heads` [{`module`, `layer`, `head`, `name`, `rows`, the measures of head_stats.h, of
 * a CoNLL-U file's encoder `relations` [{`relation`, `direction` (head, dependent), `accuracy`,
 * `baseline`}]; `offset` is the most frequent one and `offset_share` its share; null: the module
 * has no such measure; `alpha` and `zeros` if some head of the model has entmax}] and `distances`
 * {`heads` [names], `values` [[…]] (null between modules)}, with heads in cluster order. For
 * examples `measure`, `module`, `layer`, `head`, `examples` [{`shows` (most, least), `sentence`,
 * `mean`, `source`, `target`}]. */
bool report_stats(struct report *report, const struct session *session,
                  const struct stats_request *request, const struct head_stats_result *result,
                  struct status *status);

/* The name of a head of the result; a syntactic head has its relation's name: "amod to head". */
const char *report_head_kind(struct report *report, const struct head_stats_result *result,
                             enum module module, int index);

/* The texts of sentences of files, if these can be read again. */
struct example_texts {
    const char *source, *target;
};
bool report_examples_read(struct report *report, const char *source, const char *target,
                          const struct head_example *examples, int count,
                          struct example_texts *texts, struct status *status);
/* Enter on the last row opens the sentence and shows the head there. files: words of a command
 * line, after a blank; forced: their translations are forced. */
void report_example_enter(struct table *table, const char *files, bool forced,
                          const struct head_example *example, const char *selector);

/* Tables and figures of heads by part of speech. */

/* Titles for the counted and the averaged quantity. */
struct pos_titles {
    const char *count, *mean; // of columns: "tokens", "importance"
    const char *scale;        // of figures: "mean importance"
};

/* The table `groups`, without rows: module, layer, head, name, count, mean. */
struct table *report_pos_table(struct report *report, const struct pos_titles *titles);
/* Adds the rows of head `k` of the sums, which is head `head` of an encoder layer, all from 0.
 * `enter`: the command that Enter runs. */
void report_pos_head(struct table *table, const struct pos_sums *sums, int k, int layer, int head,
                     const char *enter);
/* A figure of parts of speech by heads; the caller fills in the axis of heads. NULL: out of
 * memory. */
struct matrix *report_pos_matrix(struct report *report, const struct pos_sums *sums,
                                 const struct pos_titles *titles);

/* `:stats FILE by pos`: runs over request->source, a CoNLL-U file, and reports. After Ctrl-C
 * (STATUS_CANCELLED) the report covers the sentences finished before, if any. The caller ends the
 * report.
 *
 * In JSON `file`, `by` (pos), `measure`, `sentences`, `partial`, `groups` [{`module`, `layer`,
 * `head`, `name`, `count` (rows with weight), `mean`}]. */
bool stats_by_pos(struct session *session, const struct stats_request *request,
                  struct report *report, struct status *status);

#endif
