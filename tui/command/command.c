#include "tui/command/command.h"

#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"

bool selection_parse(const struct request *request, enum heads_allowed heads,
                     struct selection *selection, struct status *status)
{
    *selection = (struct selection){0};
    selection->rest = memory_new(request->words.count, sizeof *selection->rest, status);
    if (selection->rest && selector_parse(&request->words, heads, &selection->selector,
                                          selection->rest, &selection->count, status))
        return true;
    free(selection->rest);
    return false;
}

void selection_free(struct selection *selection)
{
    selector_free(&selection->selector);
    free(selection->rest);
}

bool no_more_words(const struct request *request, int most, struct status *status)
{
    return request->words.count <= most ||
           status_fail(status, STATUS_INVALID, "\"%s\": unexpected argument",
                       QUOTED(request->words.text[most]));
}
