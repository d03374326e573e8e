/* `:token`: shows one word of the sentence as every head sees it. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "model/text/quote.h"
#include "report/labels.h"
#include "report/view.h"
#include "terminal/text/arguments.h"
#include "tui/command/command.h"
#include "tui/command/report_token.h"

enum { TOKEN, SELECTED };
static const struct argument arguments[] = {
    [TOKEN] = {"TEXT|N", .kind = ARGUMENT_TOKEN, .required = true, .verbatim = true,
               .expected = "a word of the sentence or its number"},
    [SELECTED] = {.kind = ARGUMENT_SELECTOR},
};

/* Tokens are numbered along the rows and, if the columns are other tokens, on along the columns. */
struct token_search {
    const struct session *session;
    struct token_list sides[2];
    int side_count;
    const struct argument_values *given;
    const char *text; // what TEXT|N means
};

/* The tokens that a name may mean: those of a word, or a single one. */
struct token_span {
    int side, first, count; // side: index into `sides`
};

struct spans {
    struct token_span *found; // (count)
    int count;
    size_t capacity;
};

static bool add_span(struct spans *spans, struct token_span span, struct status *status)
{
    for (int i = 0; i < spans->count; i++)
        if (memcmp(&spans->found[i], &span, sizeof span) == 0)
            return true;
    if (!memory_grow((void **)&spans->found, &spans->capacity, (size_t)spans->count + 1,
                     sizeof span, status))
        return false;
    spans->found[spans->count++] = span;
    return true;
}

/* Numbers -------------------------------------------------------------------------------------- */

static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

static int token_count(const struct token_search *search)
{
    int count = 0;
    for (int s = 0; s < search->side_count; s++)
        count += search->sides[s].count;
    return count;
}

static bool find_number(const struct token_search *search, struct token_span *span)
{
    struct status unused;
    int number;
    if (!argument_within(search->given, TOKEN, "", 1, token_count(search), &number, &unused))
        return false;
    *span = (struct token_span){0, number - 1, 1};
    if (number > search->sides[0].count)
        *span = (struct token_span){1, number - 1 - search->sides[0].count, 1};
    return true;
}

/* Names ---------------------------------------------------------------------------------------- */

enum likeness { EXACT, BARE, BEGINNING };

/* Symbols do not count: "</s>" is not s. */
static bool is_punctuation(utf8proc_int32_t character)
{
    return *utf8proc_category_string(character) == 'P';
}

/* Skips the punctuation around a text; returns the bytes in between. */
static size_t find_bare(const char **text)
{
    const char *begin = NULL, *end = *text;
    utf8proc_int32_t character;
    utf8proc_ssize_t bytes;
    for (const char *at = *text; *at; at += bytes) {
        bytes = utf8proc_iterate((const utf8proc_uint8_t *)at, -1, &character);
        if (bytes <= 0)
            break;
        if (is_punctuation(character))
            continue;
        begin = begin ? begin : at;
        end = at + bytes;
    }
    *text = begin ? begin : *text;
    return (size_t)(end - *text);
}

/* Words include the punctuation beside them, which nobody types to name one. */
static bool is_same_bare(const char *text, const char *name)
{
    size_t bytes = find_bare(&text);
    return bytes > 0 && bytes == find_bare(&name) && memcmp(text, name, bytes) == 0;
}

static bool is_like(const char *text, const char *name, enum likeness likeness)
{
    return likeness == EXACT  ? strcmp(text, name) == 0
           : likeness == BARE ? is_same_bare(text, name)
                              : begins_with(text, name);
}

/* Compares the tokens both as in the vocabulary and as shown. */
static bool match_tokens(const struct token_search *search, int side, enum likeness likeness,
                         struct spans *spans, struct status *status)
{
    const struct token_list *tokens = &search->sides[side];
    struct labels labels = {.side = tokens->side};
    char **shown = NULL;
    bool ok = labels_of_tokens(tokens, &labels, status);
    if (ok) {
        shown = display_labels(search->session, &labels, false);
        ok = shown || status_no_memory(status);
    }
    for (int i = 0; ok && i < tokens->count; i++)
        if (is_like(tokens->texts[i], search->text, likeness) ||
            is_like(shown[i], search->text, likeness))
            ok = add_span(spans, (struct token_span){side, i, 1}, status);
    display_labels_free(shown, tokens->count);
    strings_free(&labels.texts);
    return ok;
}

static bool match_words(const struct token_search *search, int side, enum likeness likeness,
                        struct spans *spans, struct status *status)
{
    const struct token_list *tokens = &search->sides[side];
    struct labels labels = {0};
    struct word_list words = {0};
    bool ok = words_of(tokens, &words, status) &&
              words_label(search->session->loaded->checkpoint, tokens, &words, &labels, status);
    for (int w = 0; ok && w < words.count; w++)
        if (is_like(labels.texts.text[w], search->text, likeness))
            ok = add_span(
                spans,
                (struct token_span){side, words.begin[w], words.begin[w + 1] - words.begin[w]},
                status);
    free(words.begin);
    strings_free(&labels.texts);
    return ok;
}

/* The beginning of a word is also that of its first token: then the word is meant, not the
 * token. */
static void drop_parts(struct spans *spans)
{
    int kept = 0;
    for (int i = 0; i < spans->count; i++) {
        bool within = false;
        for (int j = 0; j < spans->count; j++) {
            const struct token_span *a = &spans->found[i], *b = &spans->found[j];
            within |= a->side == b->side && a->count < b->count && a->first >= b->first &&
                      a->first + a->count <= b->first + b->count;
        }
        if (!within)
            spans->found[kept++] = spans->found[i];
    }
    spans->count = kept;
}

static int by_place(const void *a, const void *b)
{
    const struct token_span *first = a, *second = b;
    return first->side != second->side ? first->side - second->side : first->first - second->first;
}

/* Fails with the candidates' numbers: "1, 4 and 7". */
static bool fail_ambiguous(const struct token_search *search, struct spans *spans,
                           struct status *status)
{
    char list[160] = "";
    size_t used = 0;
    qsort(spans->found, spans->count, sizeof *spans->found, by_place);
    for (int i = 0; i < spans->count && used < sizeof list - 24; i++) {
        const struct token_span *span = &spans->found[i];
        int number = span->first + 1 + (span->side ? search->sides[0].count : 0);
        used += snprintf(list + used, sizeof list - used, "%s%d",
                         i == 0                  ? ""
                         : i + 1 == spans->count ? " or "
                                                 : ", ",
                         number);
    }
    return status_fail(status, STATUS_INVALID, "\"%s\" could be several tokens: expected %s",
                       QUOTED(search->text), list);
}

/* Prefers exact matches to beginnings, and rows to columns. */
static bool find_name(const struct token_search *search, struct spans *spans, struct status *status)
{
    for (int likeness = EXACT; likeness <= BEGINNING; likeness++)
        for (int side = 0; side < search->side_count; side++) {
            if (!match_words(search, side, likeness, spans, status) ||
                (likeness != BARE && !match_tokens(search, side, likeness, spans, status)))
                return false;
            drop_parts(spans);
            if (spans->count > 1)
                return fail_ambiguous(search, spans, status);
            if (spans->count)
                return true;
        }
    return status_fail(status, STATUS_INVALID,
                       "\"%s\": expected a word of the sentence, or a number from 1 to %d",
                       QUOTED(search->text), token_count(search));
}

static bool find_span(const struct token_search *search, struct token_span *span,
                      struct status *status)
{
    struct spans spans = {0};
    if (is_number(search->text) && find_number(search, span))
        return true;
    bool ok = find_name(search, &spans, status);
    if (ok)
        *span = spans.found[0];
    free(spans.found);
    return ok;
}

/* The command ---------------------------------------------------------------------------------- */

/* Returns the sentence's text there: a token, or the word made of these tokens. */
static char *span_text(const struct token_search *search, const struct token_span *span,
                       struct status *status)
{
    const struct token_list *tokens = &search->sides[span->side];
    if (span->count == 1)
        return copy_text(tokens->texts[span->first], status);
    return tokenizer_join_word(search->session->loaded->checkpoint->tokenizer[tokens->side],
                               tokens->texts + span->first, span->count, status);
}

static bool choose_token(const struct session *session, const struct sentence_pair *pair,
                         const struct argument_values *given, struct token_view *out,
                         struct status *status)
{
    enum module module = out->grid.module;
    struct token_search search = {session,
                                  {session_rows(session, pair, module), pair_columns(pair, module)},
                                  module == MODULE_CROSS ? 2 : 1,
                                  given,
                                  argument_text(given, TOKEN)};
    struct token_span span;
    if (!find_span(&search, &span, status))
        return false;
    out->side = search.sides[span.side].side;
    out->first = span.first;
    out->count = span.count;
    out->text = span_text(&search, &span, status);
    return out->text != NULL;
}

/* Looks for a word that the current view lacks in cross-attention, which has the words of both
 * sides, unless a module was named. Fails with the first message. */
static bool choose_in_cross(const struct session *session, const struct argument_values *given,
                            const struct sentence_pair *pair, struct token_view *token,
                            struct status *status)
{
    struct status unused;
    struct selector cross = given->selector; // its lists are borrowed
    if (cross.module_given || is_number(argument_text(given, TOKEN)) ||
        status->code != STATUS_INVALID)
        return false;
    cross.module = MODULE_CROSS;
    cross.module_given = true;
    struct token_view other = {.first = 0};
    if (selector_check(&cross, session_config(session), &unused) &&
        grid_choose(session, &cross, &other.grid, &unused) &&
        choose_token(session, pair, given, &other, &unused)) {
        token_view_free(token);
        *token = other;
        return true;
    }
    token_view_free(&other);
    return false;
}

static bool run_token(struct session *session, const struct request *request, struct report *report,
                      struct status *status)
{
    const struct argument_values *given = request->given;
    struct token_view token = {.first = 0};
    if (!*argument_text(given, TOKEN))
        return status_fail(status, STATUS_INVALID, "expected %s", arguments[TOKEN].expected);
    const struct sentence_pair *pair = grid_choose(session, &given->selector, &token.grid, status)
                                           ? session_current(session, status)
                                           : NULL;
    bool ok = pair &&
              (choose_token(session, pair, given, &token, status) ||
               choose_in_cross(session, given, pair, &token, status)) &&
              view_token(session, pair, &token, status) &&
              report_token(report, session, pair, &token, status);
    enum module module = token.grid.module;
    token_view_free(&token);
    if (ok) {
        session->view.module = module;
        session->view.overview = true;
    }
    return ok;
}

static const struct help_item meanings[] = {
    {"TEXT",
     "a word or a token of the sentence, or a prefix that only one of them has; punctuation "
     "around it may be left out"},
    {"N", "the number of a token, from 1: tokens of the rows, in cross-attention those of the "
          "target first, "
          "then those of the source"},
    {"SELECTOR",
     "the heads (:help selector); by default all layers and heads of the module shown last, or "
     "of cross-attention for a word that it does not have"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "If a word has several tokens, their rows are averaged and their columns summed.",
    NULL,
};

const struct command command_token = {
    .name = "token",
    .summary = "attention from one word and to it, in every head",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .notes = notes,
    .examples = (const char *const[]){STARS, ":token stars enc", ":token 4 cross layer 2", NULL},
    .run = run_token,
    .group = GROUP_VIEWS,
    .view = true,
    .needs = NEEDS_SESSION,
};
