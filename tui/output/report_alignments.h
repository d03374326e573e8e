/* Word alignments as other toolkits write them: the alignments of a report that are part of that (IN_ALIGNMENTS).
 *
 *   Pharaoh  a line for each sentence: "0-0 1-2", words of the source and of the target from 0.
 *   Marian   a line for each sentence: the weights of each token of the target on those of the source, separated by
 *            commas, a blank between tokens; with end-of-sentence on both sides (--alignment soft).
 *   Nematus  for each sentence "N ||| target ||| score ||| source ||| columns rows", N from 0, then a line for each
 *            token of the target with its weights, separated by blanks, then a blank line. The texts are without
 *            end-of-sentence, the matrix is with it; the score is the negative log-probability. A token with ||| has
 *            &#124; for each bar, and blanks of tokens are &#N; likewise.
 *
 * A blank line of the texts has an empty line in the first two, and is left out of the third.
 */
#ifndef ATTNSCOPE_REPORT_ALIGNMENTS_H
#define ATTNSCOPE_REPORT_ALIGNMENTS_H

#include <stdio.h>

#include "tui/report/report.h"
#include "tui/terminal/pace.h"

enum alignment_layout { ALIGNMENT_PHARAOH, ALIGNMENT_MARIAN, ALIGNMENT_NEMATUS };

/* Whether the report has alignments, and of how many sentences. */
bool report_has_alignments(const struct report *report);
size_t report_alignment_count(const struct report *report);

/* False: `pace` stopped it, or the weights could not be made; `status` says so. Write errors stay with the stream. */
bool alignments_report(FILE *stream, enum alignment_layout layout, const struct report *report,
                       struct pace *pace, struct status *status);

#endif
