#include "tui/command/study/study_words.h"

#include <string.h>

#include "model/study/several_states.h"
#include "model/study/study.h"
#include "tui/text/arguments.h"

bool study_parse_group(const struct pieces *words, int i, int most, int *listed,
                       struct status *status)
{
    if (i >= words->count)
        return status_fail(status, STATUS_INVALID, "group: expected a number or all after it");
    if (strcmp(words->text[i], "all") != 0)
        return parse_int("group", words->text[i], 1, most, listed, status);
    *listed = LISTED_ALL;
    return true;
}

bool states_parse(const struct pieces *words, int first, struct pieces *states,
                  struct status *status)
{
    int count = words->count - first;
    if (count < 2 || count > SEVERAL_MOST)
        return status_fail(status, STATUS_INVALID, "in: %d states after it, expected 2 to %d",
                           count, SEVERAL_MOST);
    for (int i = first; i < words->count; i++)
        if (!pieces_add(states, words->text[i], strlen(words->text[i]), status))
            return false;
    return true;
}

bool states_take_names(const struct session *session, const struct pieces *states,
                       struct pieces *names, struct status *status)
{
    for (int i = 0; i < states->count; i++) {
        struct saved_state state;
        if (!states_find(session, states->text[i], &state, status) ||
            !pieces_add(names, state.name, strlen(state.name), status))
            return false;
    }
    return true;
}
