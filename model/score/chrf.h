/* chrF2 (Popović 2015): F-score of character n-grams up to 6, recall counting twice as much, as the
 * sacreBLEU package 2.x computes it: orders of which the text or the reference has no n-gram are skipped.
 *
 *     chrf_count for each sentence; add the counts up; chrf_score of the sums
 */
#ifndef ATTNSCOPE_CHRF_H
#define ATTNSCOPE_CHRF_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "model/score/metric.h"

enum { CHRF_ORDER = 6, CHRF_BETA = 2 };

/* Counts of a sentence for each order: n-grams of the text, of the reference, matched. */
enum { CHRF_TEXT, CHRF_REFERENCE, CHRF_MATCHED, CHRF_EACH, CHRF_COUNTS = CHRF_ORDER * CHRF_EACH };

/* Counts of one sentence against the reference that it scores best with; texts are valid UTF-8. */
bool chrf_count(bool lowercase, const char *text, const char *const *references,
                int reference_count, int64_t counts[CHRF_COUNTS], struct status *status);

/* 0 … 100. */
double chrf_score(const int64_t counts[CHRF_COUNTS]);

struct metric chrf_metric(void);

/* "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:VERSION"; `tests` as in bleu.h. */
void chrf_write_signature(FILE *out, bool lowercase, int references, const char *tests,
                          const char *version);

#endif
