#include "tui/command/study/study_words.h"

#include <string.h>

#include "model/study/study.h"

const char *const all_choices[] = {"all", NULL};

int study_listed(const struct argument_values *given, int group)
{
    if (!argument_given(given, group))
        return LISTED_NONE;
    return argument_integer(given, group, LISTED_ALL);
}

bool states_take_names(const struct session *session, const struct strings *states,
                       struct strings *names, struct status *status)
{
    for (int i = 0; i < states->count; i++) {
        struct saved_state state;
        if (!states_find(session, states->text[i], &state, status) ||
            !strings_add(names, state.name, strlen(state.name), status))
            return false;
    }
    return true;
}
