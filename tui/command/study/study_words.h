/* Words that the commands of studies share: "… group N|all", "… in STATE…". */
#ifndef ATTNSCOPE_STUDY_WORDS_H
#define ATTNSCOPE_STUDY_WORDS_H

#include "model/text/text.h"
#include "tui/session/session.h"

/* N|all, after `group`: word `i`, which may be missing. N is from 1 to `most`. */
bool study_parse_group(const struct pieces *words, int i, int most, int *listed,
                       struct status *status);

/* The states after `in`, words first … of a command: all that are left, two at least. */
bool states_parse(const struct pieces *words, int first, struct pieces *states,
                  struct status *status);

/* Finds the states, and adds their whole names to `names`. */
bool states_take_names(const struct session *session, const struct pieces *states,
                       struct pieces *names, struct status *status);

#endif
