#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "terminal/text/arguments.h"
#include "tui/argument/argument.h"

/* State of assigning words to arguments. */
struct parser {
    const struct argument_list *list;
    const struct strings *words;
    struct argument_values *values;
    int at;     // the next word
    bool typed; // the line is still being typed
    struct status *status;
};

/* Values --------------------------------------------------------------------------------------- */

/* Returns the argument's name in messages: its keyword, or the name of its value. */
static const char *title_of(const struct argument *argument)
{
    return argument->keyword ? argument->keyword : argument->name ? argument->name : "";
}

static bool fail_value(struct parser *parser, const struct argument *argument, const char *word)
{
    char expected[ARGUMENT_EXPECTED_BYTES];
    argument_expected(argument, expected, sizeof expected);
    if (argument->keyword)
        return status_fail(parser->status, STATUS_INVALID, "%s %s: expected %s", argument->keyword,
                           QUOTED(word), expected);
    return status_fail(parser->status, STATUS_INVALID, "\"%s\": expected %s", QUOTED(word),
                       expected);
}

static bool read_number(struct parser *parser, const struct argument *argument, const char *word,
                        struct argument_value *value)
{
    bool limited = argument->from < argument->to;
    if (argument->kind == ARGUMENT_NUMBER)
        return parse_double(title_of(argument), word, argument->from, argument->to, &value->number,
                            parser->status);
    int number;
    if (!parse_int(title_of(argument), word, limited ? (int)argument->from : 1,
                   limited ? (int)argument->to : INT_MAX, &number, parser->status))
        return false;
    value->number = number;
    return true;
}

static bool add_word(struct parser *parser, int index, const char *word)
{
    struct argument_value *value = &parser->values->each[index];
    if (!memory_grow((void **)&value->words, &value->capacity, (size_t)value->count + 1,
                     sizeof *value->words, parser->status))
        return false;
    value->words[value->count++] = word;
    value->given = true;
    return true;
}

/* Returns a path with "~" expanded. NULL: out of memory. */
static const char *whole_path(struct parser *parser, const char *word)
{
    struct strings *own = &parser->values->own;
    char *path = *word == '~' ? arguments_path(word) : NULL;
    if (*word != '~')
        return word;
    const bool ok = path ? strings_add(own, path, strlen(path), parser->status)
                         : status_no_memory(parser->status);
    free(path);
    return ok ? own->text[own->count - 1] : NULL;
}

static bool is_path(const struct argument *argument)
{
    return argument->kind == ARGUMENT_FILE || argument->kind == ARGUMENT_MODEL;
}

/* Takes the next word as a value of an argument. */
static bool take_value(struct parser *parser, int index)
{
    const struct argument *argument = &parser->list->each[index];
    struct argument_value *value = &parser->values->each[index];
    const char *word = parser->words->text[parser->at];
    value->choice = argument_choice_of(argument, word);
    bool fixed = argument->kind == ARGUMENT_CHOICE || argument->kind == ARGUMENT_NUMBERS;
    if (fixed && !argument_takes(argument, word))
        return fail_value(parser, argument, word);
    bool number = argument->kind == ARGUMENT_INTEGER || argument->kind == ARGUMENT_NUMBER;
    if (number && value->choice < 0 && argument->choices && !argument_takes(argument, word))
        return fail_value(parser, argument, word);
    if (number && value->choice < 0 && !read_number(parser, argument, word, value))
        return false;
    if (is_path(argument) && !parser->typed)
        word = whole_path(parser, word);
    if (!word || !add_word(parser, index, word))
        return false;
    parser->at++;
    return true;
}

/* Selectors ------------------------------------------------------------------------------------ */

static int selector_index(const struct parser *parser)
{
    for (int i = 0; i < parser->list->count; i++)
        if (argument_is_selector(&parser->list->each[i]) && argument_allowed(parser->values, i))
            return i;
    return -1;
}

/* A selector ends the values of an argument with any number of them. */
static void close_many(struct parser *parser)
{
    for (int i = parser->values->closed; i < parser->list->count; i++)
        if (argument_is_placed(&parser->list->each[i]) && parser->values->each[i].given &&
            argument_most(&parser->list->each[i]) == ARGUMENT_MANY)
            parser->values->closed = i + 1;
}

/* Takes the words of a part of a selector; *taken: true if there was one. */
static bool take_selector(struct parser *parser, int index, bool *taken)
{
    const struct strings *words = parser->words;
    struct argument_values *values = parser->values;
    const struct argument *argument = &parser->list->each[index];
    bool several = argument->kind == ARGUMENT_SELECTORS;
    const char *word = words->text[parser->at];
    if (several && strcmp(word, SELECTORS_OR) == 0) {
        *taken = true;
        selector_free(&values->selector);
        values->selector.heads_allowed = argument->heads;
        parser->at++;
        return add_word(parser, index, word);
    }
    if (parser->typed && parser->at + 1 == words->count &&
        selector_wants_more(word, &values->selector)) {
        values->in_selector = word;
        *taken = true;
        parser->at++;
        return add_word(parser, index, word);
    }
    int last = parser->at;
    if (!selector_take_part(words, &last, &values->selector, taken, parser->status))
        return false;
    if (*taken)
        close_many(parser);
    for (; *taken && parser->at <= last; parser->at++)
        if (!add_word(parser, index, words->text[parser->at]))
            return false;
    return true;
}

/* Reads several selectors again as a whole, which also finds what is missing around `or`. */
static bool finish_selectors(struct parser *parser)
{
    struct argument_values *values = parser->values;
    for (int i = 0; i < parser->list->count; i++) {
        if (parser->list->each[i].kind != ARGUMENT_SELECTORS)
            continue;
        struct strings copy = {0};
        for (int w = 0; w < values->each[i].count; w++)
            if (!strings_add(&copy, values->each[i].words[w], strlen(values->each[i].words[w]),
                             parser->status)) {
                strings_free(&copy);
                return false;
            }
        selector_free(&values->selector);
        return selectors_parse(&copy, &values->selectors, parser->status);
    }
    return true;
}

/* Keywords ------------------------------------------------------------------------------------- */

/* Returns the argument with that keyword, preferring one that may come here; -1: it is not a
 * keyword. */
static int keyword_index(const struct parser *parser, const char *word)
{
    int found = -1;
    for (int i = 0; i < parser->list->count; i++) {
        const struct argument *argument = &parser->list->each[i];
        if (!argument->keyword || strcmp(argument->keyword, word) != 0)
            continue;
        if (argument_allowed(parser->values, i) && !parser->values->each[i].given)
            return i;
        if (found < 0)
            found = i;
    }
    return found;
}

/* "heads" is also a part of a selector, before a list: "heads 2-3"; so is "in", if no states may
 * follow it. */
static bool is_part_of_selector(const struct parser *parser, int keyword)
{
    const struct strings *words = parser->words;
    const char *word = words->text[parser->at];
    const char *next = parser->at + 1 < words->count ? words->text[parser->at + 1] : "";
    if (selector_index(parser) < 0)
        return false;
    if (selector_part_word(word))
        return (*next >= '0' && *next <= '9') || merged_named(next);
    return !argument_allowed(parser->values, keyword) &&
           selector_wants_more(word, &parser->values->selector);
}

/* Fails if the keyword needs an earlier argument that is missing, or if another one excludes it. */
static bool check_keyword(struct parser *parser, int index)
{
    const struct argument *argument = &parser->list->each[index];
    const char *keyword = argument->keyword;
    char expected[ARGUMENT_EXPECTED_BYTES];
    if (parser->values->each[index].given) {
        argument_usage_one(argument, expected, sizeof expected);
        return status_fail(parser->status, STATUS_INVALID, "%s is given twice: expected %s once",
                           keyword, expected);
    }
    for (int i = 0; i < parser->list->count; i++) {
        const struct argument *other = &parser->list->each[i];
        bool needed = argument->needs & ARG(i);
        bool before = i < index && argument_is_placed(other) && other->required && !other->needs &&
                      argument_allowed(parser->values, i);
        bool given = parser->values->each[i].given;
        if ((needed || before) && !given) {
            argument_usage_one(other, expected, sizeof expected);
            return status_fail(parser->status, STATUS_INVALID, "%s: expected %s before it", keyword,
                               expected);
        }
        bool late = i > index && argument_is_placed(other) && !argument->anywhere;
        if (given && (late || argument->without & ARG(i) || other->without & ARG(index))) {
            argument_usage_one(other, expected, sizeof expected);
            return status_fail(parser->status, STATUS_INVALID, "%s: unexpected after %s", keyword,
                               expected);
        }
    }
    return true;
}

static bool ends_values(const struct parser *parser, const struct argument *argument)
{
    const struct argument_value *value = &parser->values->each[argument - parser->list->each];
    return parser->at == parser->words->count || argument_full(argument, value) ||
           (value->count >= argument_least(argument) &&
            !argument_takes(argument, parser->words->text[parser->at]));
}

/* True if no word is left, or the next one does not begin a value. */
static bool begins_other(const struct parser *parser)
{
    if (parser->at == parser->words->count)
        return true;
    const char *word = parser->words->text[parser->at];
    enum module unused;
    return keyword_index(parser, word) >= 0 || module_parse(word, &unused) ||
           selector_wants_more(word, &parser->values->selector);
}

/* Takes a keyword and its values. */
static bool take_keyword(struct parser *parser, int index)
{
    const struct argument *argument = &parser->list->each[index];
    struct argument_value *value = &parser->values->each[index];
    if (!check_keyword(parser, index))
        return false;
    value->given = true;
    parser->at++;
    if (!argument->anywhere && parser->values->closed <= index)
        parser->values->closed = index + 1;
    while (!ends_values(parser, argument))
        if (!take_value(parser, index))
            return false;
    if (argument->value_optional && !value->count && !begins_other(parser))
        return fail_value(parser, argument, parser->words->text[parser->at]);
    if (parser->typed && parser->at == parser->words->count && !argument_full(argument, value))
        parser->values->pending = index;
    if (value->count >= argument_least(argument) || parser->typed)
        return true;
    char expected[ARGUMENT_EXPECTED_BYTES];
    argument_expected(argument, expected, sizeof expected);
    const size_t length = strlen(argument->keyword);
    if (strncmp(expected, argument->keyword, length) == 0 && expected[length] == ' ')
        return status_fail(parser->status, STATUS_INVALID, "expected %s", expected);
    return status_fail(parser->status, STATUS_INVALID, "%s: expected %s after it",
                       argument->keyword, expected);
}

/* Places --------------------------------------------------------------------------------------- */

static bool is_rest(enum argument_kind kind)
{
    return kind == ARGUMENT_VIEW || kind == ARGUMENT_VALUE;
}

static bool in_rest(const struct parser *parser)
{
    for (int i = parser->values->closed; i < parser->list->count; i++)
        if (is_rest(parser->list->each[i].kind) && parser->values->each[i].given)
            return true;
    return false;
}

/* Takes the next word for an argument that is recognised by its place. */
static bool take_place(struct parser *parser)
{
    const char *word = parser->words->text[parser->at];
    const struct argument *only = NULL;
    if (begins_with(word, "--") && !in_rest(parser))
        return argument_fail_unexpected(parser->list, word, parser->status);
    for (int i = parser->values->closed; i < parser->list->count; i++) {
        const struct argument *argument = &parser->list->each[i];
        struct argument_value *value = &parser->values->each[i];
        bool full = value->count >= argument_most(argument) && !is_rest(argument->kind);
        if (!argument_is_placed(argument) || full || !argument_allowed(parser->values, i))
            continue;
        if (argument_takes(argument, word)) {
            parser->values->closed = i;
            return take_value(parser, i);
        }
        if (argument->required && !value->given)
            return fail_value(parser, argument, word);
        only = only ? NULL : argument;
    }
    if (only)
        return fail_value(parser, only, word);
    return argument_fail_unexpected(parser->list, word, parser->status);
}

static bool is_list(const char *word)
{
    return (*word >= '0' && *word <= '9') || merged_named(word) || strcmp(word, "all") == 0;
}

/* True if the first word is a value whatever it is. But a token may follow its selector: "layer 1
 * cat". */
static bool is_verbatim(const struct parser *parser)
{
    const struct strings *words = parser->words;
    enum module unused;
    if (parser->at > 0 || !parser->list->count || !parser->list->each[0].verbatim)
        return false;
    if (words->count == 1 || parser->list->each[0].kind != ARGUMENT_TOKEN)
        return true;
    return !module_parse(words->text[0], &unused) &&
           !(selector_part_word(words->text[0]) && is_list(words->text[1]));
}

static bool take_next(struct parser *parser)
{
    const char *word = parser->words->text[parser->at];
    if (is_verbatim(parser) || in_rest(parser))
        return take_place(parser);
    int keyword = keyword_index(parser, word);
    if (keyword >= 0 && !is_part_of_selector(parser, keyword))
        return take_keyword(parser, keyword);
    int selector = selector_index(parser);
    bool taken = false;
    if (selector >= 0 && !take_selector(parser, selector, &taken))
        return false;
    return taken || take_place(parser);
}

/* Reports the first argument that is missing at the end. */
static bool check_missing(struct parser *parser)
{
    for (int i = 0; i < parser->list->count; i++) {
        const struct argument *argument = &parser->list->each[i];
        if (!argument->required || !argument_allowed(parser->values, i))
            continue;
        const struct argument_value *value = &parser->values->each[i];
        if (!value->given || value->count < argument_least(argument))
            return argument_fail_missing(parser->list, i, parser->status);
    }
    return true;
}

static void begin(const struct argument_list *list, struct argument_values *values)
{
    *values = (struct argument_values){.list = list, .pending = -1};
    for (int i = 0; i < list->count; i++) {
        values->each[i].choice = -1;
        if (argument_is_selector(&list->each[i]))
            values->selector.heads_allowed = list->each[i].heads;
    }
}

static bool take_all(struct parser *parser)
{
    struct argument_values *values = parser->values;
    while (parser->at < parser->words->count) {
        values->pending = -1;
        if (!take_next(parser)) {
            values->wrong = parser->at;
            return false;
        }
    }
    values->wrong = parser->words->count;
    return parser->typed || (check_missing(parser) && finish_selectors(parser));
}

static bool parse(const struct argument_list *list, const struct strings *words, bool typed,
                  struct argument_values *values, struct status *status)
{
    struct parser parser = {
        .list = list, .words = words, .values = values, .typed = typed, .status = status};
    begin(list, values);
    return take_all(&parser);
}

bool arguments_parse(const struct argument_list *list, const struct strings *words,
                     struct argument_values *values, struct status *status)
{
    return parse(list, words, false, values, status);
}

bool arguments_parse_typed(const struct argument_list *list, const struct strings *words,
                           struct argument_values *values, struct status *status)
{
    return parse(list, words, true, values, status);
}

/* Text ----------------------------------------------------------------------------------------- */

static const char bar[] = "|||";

/* Takes the text up to a bar as the value of an argument. Moves *text behind the bar, or sets it to
 * NULL at the end. */
static bool take_sentence(struct parser *parser, int index, const char **text)
{
    struct argument_values *values = parser->values;
    const char *end = parser->list->count == 1 ? NULL : arguments_bar(*text);
    const size_t bytes = end ? (size_t)(end - *text) : strlen(*text);
    char *sentence = arguments_text(*text, bytes, parser->status);
    const bool blank = skip_blanks(*text) >= *text + bytes;
    bool ok = sentence != NULL;
    // A pair of quotes is an empty text, and so is nothing after a bar.
    if (ok && (!blank || parser->list->each[index].bar))
        ok = strings_add(&values->own, sentence, strlen(sentence), parser->status) &&
             add_word(parser, index, values->own.text[values->own.count - 1]);
    free(sentence);
    *text = end ? end + strlen(bar) : NULL;
    return ok;
}

/* Adds the words of one part between bars. */
static bool split_part(struct parser *parser, const char *text, size_t bytes)
{
    struct strings part = {0};
    char *copy = strndup(text, bytes);
    bool ok =
        copy ? arguments_split(copy, &part, parser->status) : status_no_memory(parser->status);
    if (ok && !part.count)
        ok = argument_fail_bar(parser->list, parser->status);
    for (int i = 0; ok && i < part.count; i++)
        ok = strings_add(&parser->values->own, part.text[i], strlen(part.text[i]), parser->status);
    free(copy);
    strings_free(&part);
    return ok;
}

/* Takes the words after the remaining bars. */
static bool take_rest(struct parser *parser, const char *text)
{
    struct strings *own = &parser->values->own;
    const int first = own->count;
    if (text && parser->list->each[parser->list->count - 1].kind == ARGUMENT_SENTENCE)
        return argument_fail_bar(parser->list, parser->status);
    while (text) {
        const char *end = arguments_bar(text);
        if (!split_part(parser, text, end ? (size_t)(end - text) : strlen(text)))
            return false;
        text = end ? end + strlen(bar) : NULL;
    }
    const struct strings words = {.text = own->text + first, .count = own->count - first};
    parser->words = &words;
    const bool taken = take_all(parser);
    parser->words = NULL;
    return taken;
}

bool arguments_parse_text(const struct argument_list *list, const char *text,
                          struct argument_values *values, struct status *status)
{
    struct parser parser = {.list = list, .values = values, .status = status};
    begin(list, values);
    for (int i = 0; text && i < list->count && list->each[i].kind == ARGUMENT_SENTENCE; i++)
        if (!take_sentence(&parser, i, &text))
            return false;
    return take_rest(&parser, text);
}
