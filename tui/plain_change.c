/* What a change did to a translation, with the words that changed marked. */
#include <stdlib.h>
#include <string.h>

#include "tui/changed.h"
#include "tui/display.h"
#include "tui/plain.h"

#define REVERSE "\033[7m"
#define NORMAL "\033[27m"

static void write_part(FILE *stream, const char *text, size_t begin, size_t end)
{
    char *part = display_have(strndup(text + begin, end - begin));
    if (part)
        display_write(stream, part);
    free(part);
}

void plain_marked(FILE *stream, const char *text, const struct changed *changed)
{
    bool terminal = display_obeys(stream);
    size_t at = 0;
    for (int i = 0; i < changed->count; i++) {
        const struct span *span = &changed->spans[i];
        write_part(stream, text, at, span->begin);
        fputs(terminal ? REVERSE : "[", stream);
        write_part(stream, text, span->begin, span->end);
        fputs(terminal ? NORMAL : "]", stream);
        at = span->end;
    }
    write_part(stream, text, at, strlen(text));
}

void plain_texts(FILE *stream, const char *const titles[2], const char *const texts[2])
{
    struct changed changed[2];
    struct status unused;
    if (!changed_words(texts[0], texts[1], &changed[0], &changed[1], &unused)) {
        display_have(NULL); // nothing is marked
        for (int i = 0; i < 2; i++)
            changed_free(&changed[i]);
    }
    for (int i = 0; i < 2; i++) {
        fputs(titles[i], stream);
        plain_marked(stream, texts[i], &changed[i]);
        fputc('\n', stream);
        changed_free(&changed[i]);
    }
}

void plain_change(struct sink *sink, const struct subject *before, const struct subject *after)
{
    if (!before)
        return;
    if (strcmp(before->texts[0], after->texts[0]) != 0)
        plain_texts(sink->stream, (const char *const[2]){"before  ", "after   "},
                    (const char *const[2]){before->texts[0], after->texts[0]});
    else if (sink->interactive)
        fprintf(sink->stream, "the translation stays; score %.4f, was %.4f\n",
                after->translation.hypotheses[0].score, before->translation.hypotheses[0].score);
}
