#include "base/strings.h"

#include <stdlib.h>
#include <string.h>

bool strings_add(struct strings *strings, const char *text, size_t bytes, struct status *status)
{
    if (!memory_grow((void **)&strings->text, &strings->capacity, (size_t)strings->count + 1,
                     sizeof *strings->text, status))
        return false;
    char *copy = memory_new(bytes + 1, 1, status);
    if (!copy)
        return false;
    if (bytes > 0)
        memcpy(copy, text, bytes);
    strings->text[strings->count++] = copy;
    return true;
}

void strings_clear(struct strings *strings)
{
    for (int i = 0; i < strings->count; i++)
        free(strings->text[i]);
    strings->count = 0;
}

void strings_free(struct strings *strings)
{
    strings_clear(strings);
    free(strings->text);
    *strings = (struct strings){0};
}

FILE *written_open(struct written *written)
{
    *written = (struct written){0};
    written->stream = open_memstream(&written->text, &written->size);
    return written->stream;
}

char *written_close(struct written *written)
{
    if (fclose(written->stream) == 0)
        return written->text;
    free(written->text);
    return NULL;
}

const char *exact_double(double number, char text[EXACT_BYTES])
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, EXACT_BYTES, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    return text;
}

const char *exact_float(float number, char text[EXACT_BYTES])
{
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, EXACT_BYTES, "%.*g", digits, (double)number);
        if (strtof(text, NULL) == number)
            break;
    }
    return text;
}
