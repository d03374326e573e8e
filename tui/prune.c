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

static bool take_selected(const struct pieces *words, int first, struct pieces *out,
                          struct status *status)
{
    for (int i = first; i < words->count; i++)
        if (!pieces_add(out, words->text[i], strlen(words->text[i]), status))
            return false;
    return true;
}

bool prune_request_parse(const struct pieces *words, struct prune_request *out,
                         struct status *status)
{
    struct pieces selected = {0};
    *out = (struct prune_request){0};
    int first = ablate_take_files(words, &out->files, status);
    bool ok = first >= 0 && parse_until(words, first, &out->until, status) &&
              take_selected(words, first + 2, &selected, status) &&
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
