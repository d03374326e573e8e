#include "tui/command/exported_view.h"

#include "tui/text/arguments.h"

bool exported_view(struct session *session, const struct request *request, int first,
                   struct report *view, struct status *status)
{
    const struct strings *words = &request->words;
    if (words->count <= first && !session->shown)
        return status_fail(status, STATUS_INVALID,
                           "no view yet: show one first, or name it, as in %s attn cross",
                           first > 0 ? ":export FILE" : ":show");
    if (words->count <= first)
        return command_view(session, session->shown, view, status);
    // Understood as well: with its colon, and all of it as one quoted word.
    const char *line =
        words->count == first + 1 ? words->text[first] : arguments_after(request->text, first);
    return command_view(session, *line == ':' ? line + 1 : line, view, status);
}
