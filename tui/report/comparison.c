#include "tui/report/blocks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUS "\xe2\x88\x92"

bool comparison_make(struct comparison *comparison, const char *const titles[2],
                     const struct translation_text translations[2], struct status *status)
{
    *comparison = (struct comparison){0};
    for (int i = 0; i < 2; i++) {
        comparison->titles[i] = titles[i];
        comparison->scores[i] = translations[i].score;
        comparison->texts[i] = strdup(translations[i].text);
        if (!comparison->texts[i])
            return status_no_memory(status);
    }
    return edit_script_make(comparison->texts[0], comparison->texts[1], &comparison->script,
                            status);
}

bool comparison_copy(const struct comparison *from, struct comparison *to, struct status *status)
{
    *to = (struct comparison){.titles = {from->titles[0], from->titles[1]},
                              .scores = {from->scores[0], from->scores[1]}};
    for (int i = 0; i < 2; i++) {
        to->texts[i] = from->texts[i] ? strdup(from->texts[i]) : NULL;
        if (from->texts[i] && !to->texts[i])
            return status_no_memory(status);
    }
    return edit_script_copy(&from->script, &to->script, status);
}

void comparison_free(struct comparison *comparison)
{
    free(comparison->texts[0]);
    free(comparison->texts[1]);
    edit_script_free(&comparison->script);
    *comparison = (struct comparison){0};
}

bool comparison_differs(const struct comparison *comparison)
{
    return comparison->texts[0] && comparison->texts[1] &&
           strcmp(comparison->texts[0], comparison->texts[1]) != 0;
}

static const char *sign(double value)
{
    return value < 0 ? MINUS : "";
}

void comparison_describe(const struct comparison *comparison, char text[COMPARISON_BYTES])
{
    char words[80];
    double was = comparison->scores[0], now = comparison->scores[1];
    edit_script_describe(&comparison->script, words, sizeof words);
    snprintf(text, COMPARISON_BYTES, "%s; score %s%.4f (was %s%.4f)",
             *words                           ? words
             : comparison_differs(comparison) ? "only spaces changed"
                                              : "translation unchanged",
             sign(now), fabs(now), sign(was), fabs(was));
}
