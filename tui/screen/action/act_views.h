/* Going to other views: each action asks the worker for one, or changes how the one shown is
 * presented. */
#ifndef ATTNSCOPE_ACT_VIEWS_H
#define ATTNSCOPE_ACT_VIEWS_H

#include "tui/screen/action/act.h"

act act_open, act_overview, act_words, act_merged, act_method, act_token, act_token_step,
    act_importance, act_gates, act_hypotheses, act_hypothesis, act_sentence, act_beside, act_states,
    act_info, act_sort, act_table, act_side;

#endif
