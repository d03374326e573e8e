/* Arguments that the commands of studies share: "group N|all", "in A B...". */
#ifndef ATTNSCOPE_STUDY_WORDS_H
#define ATTNSCOPE_STUDY_WORDS_H

#include "model/study/several_states.h"
#include "tui/argument/argument.h"
#include "tui/session/session.h"

extern const char *const all_choices[]; // all; NULL at the end

/* `group N|all`, N at most `most`; `in A B...`, to which `group` is the alternative. */
#define GROUP_ARGUMENT(last)                                                                       \
    {                                                                                              \
        "N", "group", ARGUMENT_INTEGER, .from = 1, .to = (last), .choices = all_choices,           \
                                        .expected = "a number or all"                              \
    }
#define STATES_ARGUMENT(group)                                                                     \
    {                                                                                              \
        "A B...", "in", ARGUMENT_STATE, .least = 2, .most = SEVERAL_MOST, .without = ARG(group),   \
                                        .expected = "2 to 6 states"                                \
    }

/* The group that is listed: its number, LISTED_ALL, LISTED_NONE. */
int study_listed(const struct argument_values *given, int group);

/* Finds the states, and adds their whole names to `names`. */
bool states_take_names(const struct session *session, const struct strings *states,
                       struct strings *names, struct status *status);

#endif
