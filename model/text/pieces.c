#include <stdlib.h>
#include <string.h>

#include "model/text/text.h"

bool pieces_add(struct pieces *pieces, const char *text, size_t bytes, struct status *status)
{
    if (!memory_grow((void **)&pieces->text, &pieces->capacity, (size_t)pieces->count + 1,
                     sizeof *pieces->text, status))
        return false;
    char *copy = memory_new(bytes + 1, 1, status);
    if (!copy)
        return false;
    if (bytes > 0)
        memcpy(copy, text, bytes);
    pieces->text[pieces->count++] = copy;
    return true;
}

void pieces_clear(struct pieces *pieces)
{
    for (int i = 0; i < pieces->count; i++)
        free(pieces->text[i]);
    pieces->count = 0;
}

void pieces_free(struct pieces *pieces)
{
    pieces_clear(pieces);
    free(pieces->text);
    *pieces = (struct pieces){0};
}
