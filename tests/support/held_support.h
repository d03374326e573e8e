/* What the reports of studies were made of, for tests that compare what is shown with it. */
#ifndef ATTNSCOPE_TESTS_HELD_SUPPORT_H
#define ATTNSCOPE_TESTS_HELD_SUPPORT_H

#include "model/study/ablate.h"
#include "model/study/prune.h"
#include "model/study/several_states.h"
#include "report/report.h"

/* Of `:bleu` and `:compare`, `:ablate`, `:prune`, `… in A B`; the result's. Another command's fails
 * the running test. */
struct study_result *held_study(const struct report *result);
struct ablate_result *held_ablate(const struct report *result);
struct prune_result *held_prune(const struct report *result);
struct several_states *held_several(const struct report *result);

#endif
