/* The report of `:align SRC TGT [GOLD]`. */
#ifndef ATTNSCOPE_REPORT_ALIGN_H
#define ATTNSCOPE_REPORT_ALIGN_H

#include "model/study/alignment/align_files.h"
#include "tui/report/report.h"

/* Alignments of the sentences that are done, made by the best head; `ranked`: the heads in their
 * order instead, where people read. words: of the command. Borrows `align`. In JSON:
 *     file, files, sentences, partial, layer, head, shift (of the head that aligned), alignments
 *     (Pharaoh) with GOLD also aer, precision, recall, and of several heads
 *     heads, layers [{layer, head, shift, aer, precision, recall}], the best first; head: a number,
 *     or what the heads of the layer are together */
void report_align(struct report *report, const struct session *session, const struct strings *words,
                  const struct align_result *align, bool ranked);

#endif
