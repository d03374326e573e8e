/* The view that is shown last, and the one that is shown again for the next sentence. */
#include <stdlib.h>
#include <string.h>

#include "session/session.h"

bool session_take_view(struct session *session, const char *command, bool of_sentence)
{
    char *shown = command ? strdup(command) : NULL;
    char *looked_at = command && of_sentence ? strdup(command) : NULL;
    if (!shown || (of_sentence && !looked_at)) {
        free(shown);
        free(looked_at);
        return false;
    }
    free(session->shown);
    session->shown = shown;
    if (looked_at) {
        free(session->looked_at);
        session->looked_at = looked_at;
    }
    return true;
}
