/* The report of `:stats`. */
#ifndef ATTNSCOPE_REPORT_STATS_H
#define ATTNSCOPE_REPORT_STATS_H

#include "model/study/sentences/head_stats_run.h"
#include "model/study/sentences/pos.h"
#include "report/report.h"

enum stats_shown {
    SHOW_HEADS,     // statistics of each head
    SHOW_DISTANCES, // distances between heads
    SHOW_EXAMPLES,  // sentences that show a measure of one head most and least
    SHOW_POS        // means of a measure by part of speech
};

struct stats_request {
    const char *source, *target;      // target NULL: the model's own translations
    const bool *wanted[MODULE_COUNT]; // (layers * heads): the heads that are asked for
    const char *selected;             // the words of the selector
    enum stats_shown shown;
    enum head_measure measure; // of SHOW_EXAMPLES and SHOW_POS
};

/* Copies what it needs of the result, which has at least the heads that are wanted.
 *
 * In JSON `file`, `target` (null: own translations), `sentences`, `rows` (of the modules together),
 * `partial`; `heads` [{`module`, `layer`, `head`, `name`, `rows`, the measures of head_stats.h,
 * of a CoNLL-U file's encoder `relations` [{`relation`, `direction` (head, dependent), `accuracy`,
 * `baseline`}]; `offset` is the most frequent one and `offset_share` its share; null: the module
 * has no such measure; `alpha` and `zeros` where some head of the model has entmax}] and `distances` {`heads` [names], `values` [[…]] (null between modules)},
 * where heads stand in the order of clusters. Of examples `measure`, `module`, `layer`, `head`,
 * `examples` [{`shows` (most, least), `sentence`, `mean`, `source`, `target`}]. */
bool report_stats(struct report *report, const struct session *session,
                  const struct stats_request *request, const struct head_stats_result *result,
                  struct status *status);

/* The name of a head of the result; a syntactic one is named by the relation: "amod to head". */
const char *report_head_kind(struct report *report, const struct head_stats_result *result,
                             enum module module, int index);

/* The texts of sentences of files, as far as these can be read again. */
struct example_texts {
    const char *source, *target;
};
bool report_examples_read(struct report *report, const char *source, const char *target,
                          const struct head_example *examples, int count,
                          struct example_texts *texts, struct status *status);
/* Enter on the last row opens the sentence and shows the head there. files: words of a command
 * line, after a blank; forced: their translations are. */
void report_example_enter(struct table *table, const char *files, bool forced,
                          const struct head_example *example, const char *selector);

/* Tables and figures of heads by part of speech. */

/* Titles of what is counted and averaged. */
struct pos_titles {
    const char *count, *mean; // of columns: "tokens", "importance"
    const char *scale;        // of figures: "mean importance"
};

/* The table `groups`, without rows: module, layer, head, name, count, mean. */
struct table *report_pos_table(struct report *report, const struct pos_titles *titles);
/* Adds the rows of head `k` of the sums, which is head `head` of an encoder's layer, all from 0.
 * `enter`: what Enter runs. */
void report_pos_head(struct table *table, const struct pos_sums *sums, int k, int layer, int head,
                     const char *enter);
/* A figure of parts of speech by heads, whose axis the caller fills in; NULL: out of memory. */
struct matrix *report_pos_matrix(struct report *report, const struct pos_sums *sums,
                                 const struct pos_titles *titles);

/* `:stats FILE by pos`: runs it over request->source, which is CoNLL-U, and reports it. After
 * Ctrl-C (STATUS_CANCELLED) the report has the sentences before it, if there are any. The caller
 * ends the report.
 *
 * In JSON `file`, `by` (pos), `measure`, `sentences`, `partial`, `groups` [{`module`, `layer`,
 * `head`, `name`, `count` (rows with weight), `mean`}]. */
bool stats_by_pos(struct session *session, const struct stats_request *request,
                  struct report *report, struct status *status);

#endif
