#include "session/selector.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/text/quote.h"

const char *const module_titles[MODULE_COUNT] = {"the encoder", "the decoder", "cross-attention"};

const struct merged_heads merged_table[] = {
    {"mean", "mean of", PART_MEAN, VIEW_MEAN},
    {"max", "maximum of", PART_MAX, VIEW_MAX},
    {"importance", "mean by importance of", PART_IMPORTANCE, VIEW_WEIGHTED},
    {"all", "all", PART_ALL, VIEW_TOGETHER},
};
const int merged_count = sizeof merged_table / sizeof *merged_table;

const struct merged_heads *merged_named(const char *name)
{
    for (int i = 0; i < merged_count; i++)
        if (strcmp(name, merged_table[i].name) == 0)
            return &merged_table[i];
    return NULL;
}

const struct merged_heads *merged_of(int head)
{
    for (int i = 0; i < merged_count; i++)
        if (head == merged_table[i].head)
            return &merged_table[i];
    return NULL;
}

const struct merged_heads *merged_by(enum part part)
{
    for (int i = 0; i < merged_count; i++)
        if (part == merged_table[i].part)
            return &merged_table[i];
    return NULL;
}

bool module_parse(const char *word, enum module *module)
{
    static const struct {
        const char *name;
        enum module module;
    } names[] = {{"enc", MODULE_ENCODER},
                 {"encoder", MODULE_ENCODER},
                 {"dec", MODULE_DECODER},
                 {"decoder", MODULE_DECODER},
                 {"cross", MODULE_CROSS}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(word, names[i].name) == 0) {
            *module = names[i].module;
            return true;
        }
    return false;
}

/* Takes a number from 1 on at *text and moves behind it. Returns 0 if there is none. */
static int take_number(const char **text)
{
    long value = 0;
    const char *c = *text;
    for (; *c >= '0' && *c <= '9' && value <= INT_MAX; c++)
        value = value * 10 + (*c - '0');
    bool fits = value >= 1 && value <= INT_MAX;
    *text = c;
    return fits ? (int)value : 0;
}

static bool take_range(const char **text, struct number_range *range)
{
    range->first = range->last = take_number(text);
    if (range->first && **text == '-') {
        ++*text;
        range->last = take_number(text);
    }
    return range->first && range->first <= range->last;
}

bool number_list_parse(const char *what, const char *text, struct number_list *list,
                       struct status *status)
{
    const char *c = text;
    for (;;) {
        struct number_range range;
        if (!take_range(&c, &range) || (*c && *c != ','))
            break;
        if (!memory_grow((void **)&list->ranges, &list->capacity, (size_t)list->count + 1,
                         sizeof *list->ranges, status))
            return false;
        list->ranges[list->count++] = range;
        if (!*c)
            return true;
        c++;
    }
    return status_fail(status, STATUS_INVALID,
                       "%s \"%s\": expected numbers from 1, such as 3, 1-4 or 2,5-7", what,
                       QUOTED(text));
}

int number_list_single(const struct number_list *list)
{
    int number = list->count ? list->ranges[0].first : 0;
    for (int i = 0; i < list->count; i++)
        if (list->ranges[i].first != number || list->ranges[i].last != number)
            return 0;
    return number;
}

void number_list_write(FILE *stream, const int *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        int first = i;
        while (i + 1 < count && numbers[i + 1] == numbers[i] + 1)
            i++;
        fprintf(stream, "%s%d", first ? "," : "", numbers[first] + 1);
        if (i > first)
            fprintf(stream, "-%d", numbers[i] + 1);
    }
}

static bool list_has(const struct number_list *list, int number)
{
    for (int i = 0; i < list->count; i++)
        if (list->ranges[i].first <= number && number <= list->ranges[i].last)
            return true;
    return false;
}

static bool set_module(struct selector *selector, enum module module, struct status *status)
{
    if (selector->module_given)
        return status_fail(status, STATUS_INVALID, "two modules: expected one of enc, dec, cross");
    selector->module_given = true;
    selector->module = module;
    return true;
}

static enum part part_of(bool layer, const char *word)
{
    if (layer)
        return strcmp(word, "all") == 0 ? PART_ALL : PART_LIST;
    const struct merged_heads *merged = merged_named(word);
    return merged ? merged->part : PART_LIST;
}

/* `word` follows "layer" or "head"; NULL at the end of the command. */
static bool set_part(struct selector *selector, const char *name, const char *word,
                     struct status *status)
{
    bool layer = strcmp(name, "layer") == 0, single = selector->heads_allowed != HEADS_OR_MERGED;
    enum part *part = layer ? &selector->layer : &selector->head;
    if (*part != PART_ABSENT)
        return status_fail(status, STATUS_INVALID, "%s is given twice: expected %s", name,
                           single ? SELECTOR_SINGLE_SYNTAX : SELECTOR_SYNTAX);
    if (!word)
        return status_fail(status, STATUS_INVALID, "%s: expected %s after it", name,
                           layer    ? "LIST or all"
                           : single ? "LIST"
                                    : "LIST, mean, max, importance or all");
    *part = part_of(layer, word);
    if (single && !layer && *part != PART_LIST)
        return status_fail(status, STATUS_INVALID,
                           "head %s: expected LIST, single heads such as 8 or 2-3", word);
    return *part != PART_LIST ||
           number_list_parse(name, word, layer ? &selector->layers : &selector->heads, status);
}

/* True for "layer", and for "layers" as people write. */
static bool names_part(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && (!word[length] || strcmp(word + length, "s") == 0);
}

bool selector_part_word(const char *word)
{
    return names_part(word, "layer") || names_part(word, "head");
}

/* True for a layer and head as views and figures write them: "2.7", "2.mean". */
static bool is_place(const char *word)
{
    static const char list[] = "0123456789,-";
    size_t layer = strspn(word, list);
    const char *head = word + layer + 1;
    return layer && word[layer] == '.' && *head &&
           (!head[strspn(head, list)] || part_of(false, head) != PART_LIST);
}

static bool set_place(struct selector *selector, const char *word, struct status *status)
{
    const char *point = strchr(word, '.');
    char *layer = strndup(word, (size_t)(point - word));
    bool ok = layer ? set_part(selector, "layer", layer, status) &&
                          set_part(selector, "head", point + 1, status)
                    : status_no_memory(status);
    free(layer);
    return ok;
}

/* `word` follows "as"; NULL at the end of the command. */
static bool set_method(struct selector *selector, const char *word, struct status *status)
{
    const char *expected = selector->heads_allowed == HEADS_GRID
                               ? "weights or norms"
                               : "weights, norms, block-norms, contributions, rollout, flow, "
                                 "alti or value-zeroing";
    if (selector->method_given)
        return status_fail(status, STATUS_INVALID, "as is given twice: expected one method");
    selector->method_given = true;
    if (!word)
        return status_fail(status, STATUS_INVALID, "as: expected %s after it", expected);
    if (!method_find(word, &selector->method) || !method_table[selector->method].of_layers ||
        (selector->heads_allowed == HEADS_GRID && !method_table[selector->method].of_heads))
        return status_fail(status, STATUS_INVALID, "as %s: expected %s", QUOTED(word), expected);
    return true;
}

/* True if a word looks like a place, digits with points, but is none. */
static bool is_no_place(const char *word)
{
    return *word >= '0' && *word <= '9' && strchr(word, '.') && !is_place(word) &&
           !word[strspn(word, "0123456789,-.")];
}

/* Layer and head may follow a module in one word. */
static bool take_module(struct selector *selector, enum module module, const char *next, int *i,
                        struct status *status)
{
    if (!set_module(selector, module, status))
        return false;
    if (next && is_no_place(next))
        return status_fail(status, STATUS_INVALID,
                           "%s: expected a layer and its heads, such as 2.7 or 2.1-3", next);
    if (!next || !is_place(next))
        return true;
    ++*i;
    return set_place(selector, next, status);
}

bool selector_wants_more(const char *word, const struct selector *selector)
{
    return selector_part_word(word) || strcmp(word, "in") == 0 ||
           (strcmp(word, "as") == 0 && selector->heads_allowed != HEADS_SINGLE);
}

bool selector_take_part(const struct strings *words, int *i, struct selector *selector, bool *taken,
                        struct status *status)
{
    const char *word = words->text[*i];
    const char *next = *i + 1 < words->count ? words->text[*i + 1] : NULL;
    enum module module;
    *taken = true;
    if (selector_part_word(word)) {
        ++*i;
        return set_part(selector, *word == 'l' ? "layer" : "head", next, status);
    }
    if (strcmp(word, "as") == 0 && selector->heads_allowed != HEADS_SINGLE) {
        ++*i;
        return set_method(selector, next, status);
    }
    if (strcmp(word, "in") == 0) {
        ++*i;
        if (!next || !module_parse(next, &module))
            return status_fail(status, STATUS_INVALID, "in: expected enc, dec or cross after it");
        next = *i + 1 < words->count ? words->text[*i + 1] : NULL;
        return take_module(selector, module, next, i, status);
    }
    if (module_parse(word, &module))
        return take_module(selector, module, next, i, status);
    // Without a module in front, such a word may also be a file.
    if (is_place(word) && selector->layer == PART_ABSENT && selector->head == PART_ABSENT &&
        access(word, F_OK) != 0)
        return set_place(selector, word, status);
    *taken = false;
    return true;
}

bool selector_parse(const struct strings *words, enum heads_allowed heads,
                    struct selector *selector, const char **rest, int *rest_count,
                    struct status *status)
{
    *selector = (struct selector){.heads_allowed = heads};
    *rest_count = 0;
    for (int i = 0; i < words->count; i++) {
        bool taken;
        const char *word = words->text[i];
        if (!selector_take_part(words, &i, selector, &taken, status)) {
            selector_free(selector);
            return false;
        }
        if (!taken)
            rest[(*rest_count)++] = word;
    }
    return true;
}

void selector_free(struct selector *selector)
{
    free(selector->layers.ranges);
    free(selector->heads.ranges);
    *selector = (struct selector){0};
}

bool selector_empty(const struct selector *selector)
{
    return !selector->module_given && selector->layer == PART_ABSENT &&
           selector->head == PART_ABSENT && !selector->method_given;
}

static bool check_list(const struct number_list *list, const char *what, enum module module,
                       int most, struct status *status)
{
    for (int i = 0; i < list->count; i++)
        if (list->ranges[i].last > most)
            return status_fail(status, STATUS_INVALID, "%s %d: %s has %ss 1 to %d", what,
                               list->ranges[i].last, module_titles[module], what, most);
    return true;
}

bool selector_check(const struct selector *selector, const struct config *config,
                    struct status *status)
{
    enum module module = selector->module;
    if (module_layers(config, module) == 0)
        return status_fail(status, STATUS_INVALID,
                           "%s has no self-attention but a recurrence (SSRU): expected enc or "
                           "cross",
                           module_titles[module]);
    return check_list(&selector->layers, "layer", module, module_layers(config, module), status) &&
           check_list(&selector->heads, "head", module, module_heads(config, module), status);
}

bool selector_check_heads(const struct selector *selector, struct status *status)
{
    const struct method_info *method = &method_table[selector->method];
    if (!method->of_heads && selector->head != PART_ABSENT && selector->head != PART_ALL)
        return status_fail(status, STATUS_INVALID,
                           "as %s: all heads of a layer are taken together, expected no head",
                           method->name);
    if (selector->method == METHOD_NORMS && selector->head == PART_IMPORTANCE)
        return status_fail(status, STATUS_INVALID,
                           "head importance: norms already include the importance, expected LIST, "
                           "mean, max or all");
    return selector->method != METHOD_WEIGHTS || selector->head != PART_ALL ||
           status_fail(status, STATUS_INVALID,
                       "head all: weights are not summed over heads, expected LIST, mean, "
                       "max or importance, or as METHOD");
}

bool selector_has_layer(const struct selector *selector, int layer)
{
    return selector->layer != PART_LIST || list_has(&selector->layers, layer + 1);
}

bool selector_has_head(const struct selector *selector, int head)
{
    return selector->head != PART_LIST || list_has(&selector->heads, head + 1);
}
