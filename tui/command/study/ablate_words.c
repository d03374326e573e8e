#include "tui/command/study/ablate_words.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tui/text/arguments.h"

#define BY_SYNTAX "by head, by layer or by layer,head"

static bool is_file(const char *word)
{
    static const char *const others[] = {"by", SHOW_WORD, "until", "in", SELECTORS_OR};
    enum module unused;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(word, others[i]) == 0)
            return false;
    return !selector_part_word(word) && !module_parse(word, &unused);
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
static bool parse_rest(const struct pieces *words, int first, struct ablate_words *out,
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

bool ablate_words_parse_rest(const struct pieces *words, int first, struct ablate_words *out,
                             struct status *status)
{
    struct pieces selected = {0};
    bool ok = parse_rest(words, first, out, &selected, status);
    if (ok && !selected.count && out->by == ABLATE_SELECTED)
        out->by = ABLATE_HEAD;
    ok = ok && selectors_parse(&selected, &out->selectors, status);
    pieces_free(&selected);
    if (!ok)
        ablate_words_free(out);
    return ok;
}

bool ablate_words_parse(const struct pieces *words, struct ablate_words *out, struct status *status)
{
    *out = (struct ablate_words){.by = ABLATE_SELECTED};
    int first = ablate_take_files(words, &out->files, status);
    if (first >= 0)
        return ablate_words_parse_rest(words, first, out, status);
    ablate_words_free(out);
    return false;
}

void ablate_words_free(struct ablate_words *words)
{
    pieces_free(&words->files);
    selectors_free(&words->selectors);
    *words = (struct ablate_words){0};
}

bool ablate_words_select(const struct ablate_words *words, const struct config *config,
                         struct ablation_list *out, struct status *status)
{
    if (!ablation_list_select(&words->selectors, words->by, config, out, status))
        return false;
    if (words->shown <= out->count)
        return true;
    status_fail(status, STATUS_INVALID, SHOW_WORD " %d: expected 1 to %d", words->shown,
                out->count);
    ablation_list_free(out);
    return false;
}
