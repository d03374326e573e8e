/* The report of `:align SRC TGT [GOLD]`. */
#ifndef ATTNSCOPE_REPORT_ALIGN_H
#define ATTNSCOPE_REPORT_ALIGN_H

#include "model/study/alignment/align_files.h"
#include "report/report.h"

/* Reports the best head's alignments of the finished sentences; `ranked`: people read the ranked
 * heads instead. words: the command's. Borrows `align`. In JSON:
 *     file, files, sentences, partial, layer, head, shift (of the head that aligned), alignments
 *     (Pharaoh) with GOLD also aer, precision, recall, and of several heads
 *     heads, layers [{layer, head, shift, aer, precision, recall}], the best first; head: a number,
 *     or the way of merging the layer's heads. Against silver: against, silver_aer, agreement
 *     instead, in heads and layers silver_aer, agreement */
void report_align(struct report *report, const struct session *session, const struct strings *words,
                  const struct align_result *align, bool ranked);

/* Warns if GOLD seems to count words from 1 (error_from_1). */
void report_gold_from_1(struct report *report, const struct align_result *align);

/* A silver alignment from a state: by contributions in the last layer but one (of two layers, in
 * the last), or by alti in the last layer. Borrows the state. report_silver:
 * "contributions in layer 2". */
bool align_silver_by(const struct saved_state *state, enum method method, struct align_silver *out,
                     struct status *status);
const char *report_silver(struct report *report, const struct session *session,
                          const struct align_silver *silver);
/* "layer 2 head 7", "layer 1 head mean shifted", "layer 2 as alti": as in the command's
 * arguments. */
const char *align_head_words(struct report *report, const struct align_result *align,
                             const struct align_head *head);
/* Of the words that a head or silver links, the share that both link to the same word. */
double align_agreement(const struct align_head *head);

/* The links of the shown sentence beside those of GOLD, which must exist. In JSON:
 *     files, show, links [{target_word, source_word, target, source, link, gold}]
 * Borrows `align`. False: the sentence is blank, or out of memory. */
bool report_align_sentence(struct report *report, const struct session *session,
                           const struct strings *words, const struct align_result *align,
                           struct status *status);

#endif
