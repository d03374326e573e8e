/* The results behind the reports of studies, for tests that compare them with what is shown. */
#ifndef ATTNSCOPE_TESTS_HELD_SUPPORT_H
#define ATTNSCOPE_TESTS_HELD_SUPPORT_H

#include "model/study/ablate.h"
#include "model/study/prune.h"
#include "model/study/several_states.h"
#include "report/report.h"

/* Returns the result of `:bleu` and `:compare`, `:ablate`, `:prune` or `… in A B`, owned by the
 * report. Another command's report fails the running test. */
struct study_result *held_study(const struct report *result);
struct ablate_result *held_ablate(const struct report *result);
struct prune_result *held_prune(const struct report *result);
struct several_states *held_several(const struct report *result);

#endif
