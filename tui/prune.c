#include "tui/prune.h"

#include <stdlib.h>
#include <string.h>

#include "tui/arguments.h"

static bool parse_until(const struct pieces *words, int at, double *out, struct status *status)
{
    if (at + 1 >= words->count || strcmp(words->text[at], "until") != 0)
        return status_fail(status, STATUS_INVALID,
                           "expected until DELTA after the files, how far BLEU may fall");
    return parse_double("until", words->text[at + 1], 0, 100, out, status);
}

/* What follows DELTA; words that are part of a selector go to `selected`. */
static bool parse_rest(const struct pieces *words, int first, struct prune_request *out,
                       struct pieces *selected, struct status *status)
{
    for (int i = first; i < words->count; i++) {
        const char *word = words->text[i];
        bool ok;
        if (strcmp(word, SHOW_WORD) == 0) {
            ok = show_parse(++i < words->count ? words->text[i] : NULL, "a step", &out->shown,
                            status);
        } else {
            ok = pieces_add(selected, word, strlen(word), status);
        }
        if (!ok)
            return false;
    }
    return true;
}

bool prune_request_parse(const struct pieces *words, struct prune_request *out,
                         struct status *status)
{
    struct pieces selected = {0};
    *out = (struct prune_request){0};
    int first = ablate_take_files(words, &out->files, status);
    bool ok = first >= 0 && parse_until(words, first, &out->until, status) &&
              parse_rest(words, first + 2, out, &selected, status) &&
              selectors_parse(&selected, &out->selectors, status);
    pieces_free(&selected);
    if (!ok)
        prune_request_free(out);
    return ok;
}

void prune_request_free(struct prune_request *request)
{
    pieces_free(&request->files);
    selectors_free(&request->selectors);
    *request = (struct prune_request){0};
}

void prune_result_free(struct prune_result *result)
{
    prune_request_free(&result->request);
    free(result->steps);
    study_free(&result->shown);
    *result = (struct prune_result){0};
}

bool prune_fell(const struct prune_result *result)
{
    return result->count && -result->steps[result->count - 1].delta > result->request.until;
}

void prune_write_signature(FILE *out, const struct prune_result *result)
{
    bleu_write_signature(out, &result->options, result->references, "", study_version);
}
