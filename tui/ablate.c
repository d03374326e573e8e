#include "tui/ablate.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/quote.h"
#include "tui/arguments.h"

const char *const ablate_by_names[] = {"", "head", "layer", "layer,head", NULL};

#define BY_SYNTAX "by head, by layer or by layer,head"

/* Selectors -------------------------------------------------------------------------------------- */

static bool parse_selector(const struct pieces *words, struct selector *out, struct status *status)
{
    const char **rest = memory_new((size_t)words->count, sizeof *rest, status);
    int count = 0;
    bool ok = rest && selector_parse(words, HEADS_SINGLE, out, rest, &count, status);
    if (ok && count) {
        status_fail(status, STATUS_INVALID, "\"%s\": expected " SELECTOR_SINGLE_SYNTAX,
                    QUOTED(rest[0]));
        selector_free(out);
        ok = false;
    }
    free(rest);
    return ok;
}

/* A selector's words, which stand at first … last-1. */
static bool add_selector(struct selectors *selectors, int first, int last, struct status *status)
{
    const struct pieces words = {.text = selectors->words.text + first, .count = last - first};
    if (first == last && selectors->words.count)
        return status_fail(status, STATUS_INVALID,
                           SELECTORS_OR ": expected " SELECTOR_SINGLE_SYNTAX " on both sides");
    if (!parse_selector(&words, &selectors->each[selectors->count], status))
        return false;
    selectors->count++;
    return true;
}

bool selectors_parse(struct pieces *words, struct selectors *out, struct status *status)
{
    *out = (struct selectors){.words = *words};
    *words = (struct pieces){0};
    const struct pieces *all = &out->words;
    out->each = memory_new((size_t)all->count + 1, sizeof *out->each, status);
    bool ok = out->each != NULL;
    for (int i = 0, first = 0; ok && i <= all->count; i++) {
        if (i < all->count && strcmp(all->text[i], SELECTORS_OR) != 0)
            continue;
        ok = add_selector(out, first, i, status);
        first = i + 1;
    }
    if (!ok)
        selectors_free(out);
    return ok;
}

void selectors_free(struct selectors *selectors)
{
    for (int i = 0; i < selectors->count; i++)
        selector_free(&selectors->each[i]);
    free(selectors->each);
    pieces_free(&selectors->words);
    *selectors = (struct selectors){0};
}

/* The command's words ---------------------------------------------------------------------------- */

static bool is_file(const char *word)
{
    static const char *const others[] = {"by",    SHOW_WORD, "until",     "in",
                                         "layer", "head",    SELECTORS_OR};
    enum module unused;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(word, others[i]) == 0)
            return false;
    return !module_parse(word, &unused);
}

bool ablate_files_end(const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (!is_file(words[i]))
            return true;
    return false;
}

static bool add_word(struct pieces *pieces, const char *word, struct status *status)
{
    return pieces_add(pieces, word, strlen(word), status);
}

int ablate_take_files(const struct pieces *words, struct pieces *files, struct status *status)
{
    int i = 0;
    for (; i < words->count && is_file(words->text[i]); i++)
        if (!add_word(files, words->text[i], status))
            return -1;
    if (i < 2) {
        status_fail(status, STATUS_INVALID, "expected SRC REF...");
        return -1;
    }
    return i;
}

static bool parse_by(const char *word, enum ablate_by *out, struct status *status)
{
    for (int by = ABLATE_HEAD; word && ablate_by_names[by]; by++)
        if (strcmp(word, ablate_by_names[by]) == 0) {
            *out = (enum ablate_by)by;
            return true;
        }
    return status_fail(status, STATUS_INVALID, "by: expected " BY_SYNTAX);
}

bool show_parse(const char *word, const char *what, int *out, struct status *status)
{
    if (!word)
        return status_fail(status, STATUS_INVALID, SHOW_WORD ": expected the number of %s", what);
    return parse_int(SHOW_WORD, word, 1, INT_MAX, out, status);
}

/* What follows the files; words that are part of a selector go to `selected`. */
static bool parse_rest(const struct pieces *words, int first, struct ablate_request *out,
                       struct pieces *selected, struct status *status)
{
    for (int i = first; i < words->count; i++) {
        const char *word = words->text[i], *next = i + 1 < words->count ? words->text[i + 1] : NULL;
        bool by = strcmp(word, "by") == 0, ok;
        if (by && out->by != ABLATE_SELECTED)
            return status_fail(status, STATUS_INVALID, "by is given twice: expected " BY_SYNTAX);
        if (by)
            ok = parse_by(next, &out->by, status);
        else if (strcmp(word, SHOW_WORD) == 0)
            ok = show_parse(next, "an ablation", &out->shown, status);
        else
            ok = add_word(selected, word, status);
        if (!ok)
            return false;
        i += by || strcmp(word, SHOW_WORD) == 0;
    }
    return true;
}

bool ablate_parse_rest(const struct pieces *words, int first, struct ablate_request *out,
                       struct status *status)
{
    struct pieces selected = {0};
    bool ok = parse_rest(words, first, out, &selected, status);
    if (ok && !selected.count && out->by == ABLATE_SELECTED)
        out->by = ABLATE_HEAD;
    ok = ok && selectors_parse(&selected, &out->selectors, status);
    pieces_free(&selected);
    if (!ok)
        ablate_request_free(out);
    return ok;
}

bool ablate_request_parse(const struct pieces *words, struct ablate_request *out,
                          struct status *status)
{
    *out = (struct ablate_request){.by = ABLATE_SELECTED};
    int first = ablate_take_files(words, &out->files, status);
    if (first >= 0)
        return ablate_parse_rest(words, first, out, status);
    ablate_request_free(out);
    return false;
}

void ablate_request_free(struct ablate_request *request)
{
    pieces_free(&request->files);
    selectors_free(&request->selectors);
    *request = (struct ablate_request){0};
}

/* Results ---------------------------------------------------------------------------------------- */

void ablate_result_free(struct ablate_result *result)
{
    ablate_request_free(&result->request);
    ablation_list_free(&result->ablations);
    free(result->scores);
    study_free(&result->shown);
    *result = (struct ablate_result){0};
}

bool ablate_partial(const struct ablate_result *result)
{
    return result->sentences < result->lines || !result->tested;
}

void ablate_write_signature(FILE *out, const struct ablate_result *result)
{
    char tests[48] = "";
    if (result->tested)
        snprintf(tests, sizeof tests, "bs:%d|seed:%d|", result->settings.resamples,
                 result->settings.seed);
    bleu_write_signature(out, &result->options, result->references, tests, study_version);
}
