#include "tui/command/exported_view.h"

#include <stdio.h>
#include <stdlib.h>

#include "tui/text/arguments.h"

bool exported_view(struct session *session, const struct pieces *words, int first,
                   struct report *view, struct status *status)
{
    char *line = NULL;
    size_t size;
    if (words->count <= first && !session->shown)
        return status_fail(status, STATUS_INVALID,
                           "no view yet: show one first, or name it, as in %s attn cross",
                           first > 0 ? ":export FILE" : ":show");
    if (words->count <= first)
        return command_view(session, session->shown, view, status);
    FILE *out = open_memstream(&line, &size);
    for (int i = first; out && i < words->count; i++) {
        const char *word = words->text[i];
        if (i > first) {
            fputc(' ', out);
            arguments_quote(out, word);
        } else {
            // Understood as well: with its colon, and all of it as one quoted word.
            fputs(*word == ':' ? word + 1 : word, out);
        }
    }
    if (!out || fclose(out) != 0)
        return status_no_memory(status);
    bool ok = command_view(session, line, view, status);
    free(line);
    return ok;
}
