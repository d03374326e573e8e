#include "session/head_description.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "session/selector.h"

const char *describe_pattern(const struct head *head, char text[PATTERN_BYTES])
{
    int length = snprintf(text, PATTERN_BYTES, "%s", pattern_names[head->pattern]);
    if (head->pattern == PATTERN_GAUSSIAN && (head->offset != 0 || head->deviation != 1))
        length += snprintf(text + length, PATTERN_BYTES - (size_t)length, " %d", (int)head->offset);
    if (head->pattern == PATTERN_GAUSSIAN && head->deviation != 1)
        snprintf(text + length, PATTERN_BYTES - (size_t)length, " %.9g", (double)head->deviation);
    return text;
}

/* Writes "local 2", "forward", or `global` for a head without a mask. */
static void describe_mask(const struct head *head, const char *global, char *text, size_t size)
{
    if (head->mask == MASK_LOCAL)
        snprintf(text, size, "local %d", (int)head->window);
    else
        snprintf(text, size, "%s", head->mask == MASK_GLOBAL ? global : mask_names[head->mask]);
}

/* Describes a learned head's mask and entmax, as far as it has them; else writes `plain`. */
static void describe_learned(const struct head *head, const char *plain, char *text, size_t size)
{
    char mask[40];
    describe_mask(head, head->entmax > 0 ? "" : plain, mask, sizeof mask);
    if (head->entmax > 0)
        snprintf(text, size, "%s%sentmax %.4g", mask, *mask ? ", " : "", (double)head_alpha(head));
    else
        snprintf(text, size, "%s", mask);
}

void describe_head(const struct head *head, char *text, size_t size)
{
    char pattern[PATTERN_BYTES];
    if (head->energy == ENERGY_FIXED)
        snprintf(text, size, "%s%s", describe_pattern(head, pattern),
                 head->unit == UNIT_WORD ? " (word)" : "");
    else
        describe_learned(head, "learned", text, size);
}

void describe_exception(const struct head *head, char *text, size_t size)
{
    if (head->energy == ENERGY_FIXED)
        describe_head(head, text, size);
    else
        describe_learned(head, "", text, size);
}

/* Finds out whether the module has fixed heads, and whether it has masked ones. */
static void find_kinds(const struct session *session, enum module module, bool *fixed, bool *masked)
{
    const struct head_settings *settings = session->state.head_settings;
    *fixed = *masked = false;
    for (int layer = 0; layer < settings->layers[module]; layer++)
        for (int h = 0; h < settings->count[module]; h++) {
            const struct head *head = head_settings_head(settings, module, layer, h);
            *fixed |= head->energy == ENERGY_FIXED;
            *masked |= head->energy != ENERGY_FIXED && head->mask != MASK_GLOBAL;
        }
}

static void describe_kind(const struct session *session, enum module module, int layer, int head,
                          char text[HEAD_KIND_BYTES])
{
    const struct head *one = head_settings_head(session->state.head_settings, module, layer, head);
    bool fixed, masked;
    find_kinds(session, module, &fixed, &masked);
    char pattern[PATTERN_BYTES];
    if (one->energy == ENERGY_FIXED)
        snprintf(text, HEAD_KIND_BYTES, "%s", describe_pattern(one, pattern));
    else
        describe_learned(one,
                         masked  ? mask_names[MASK_GLOBAL]
                         : fixed ? "learned"
                                 : "",
                         text, HEAD_KIND_BYTES);
    for (char *c = text; *c; c++)
        *c = *c == '_' ? ' ' : *c;
}

void describe_kind_in_layers(const struct session *session, enum module module, const int *layers,
                             int count, int head, char text[HEAD_KIND_BYTES])
{
    *text = '\0';
    for (int i = 0; i < count; i++) {
        char other[HEAD_KIND_BYTES];
        describe_kind(session, module, layers[i], head, i ? other : text);
        if (i && strcmp(other, text) != 0)
            *text = '\0';
    }
}

bool head_off(const struct session *session, enum module module, int layer, int head)
{
    return *head_settings_gain(session->state.head_settings, module, layer, head) == 0;
}

bool head_changed(const struct session *session, enum module module, int layer, int head)
{
    const struct head *own =
        head_settings_head(model_head_settings(session->state.model), module, layer, head);
    const struct head *now = head_settings_head(session->state.head_settings, module, layer, head);
    return !heads_equal(own, now);
}

typedef bool head_test(const struct session *, enum module, int, int);
typedef bool chosen_test(const struct session *, enum module, int, int, const void *);

/* Which heads to describe. */
struct choice {
    const struct session *session;
    chosen_test *chosen;
    const void *context;
};

/* Lists the chosen heads of one layer, 0-based; returns how many. */
static int list_chosen(const struct choice *choice, enum module module, int layer, int *heads)
{
    int count = 0;
    for (int h = 0; h < choice->session->state.head_settings->count[module]; h++)
        if (choice->chosen(choice->session, module, layer, h, choice->context))
            heads[count++] = h;
    return count;
}

/* Neighbouring layers with the same heads share an entry. */
static void write_module(FILE *out, const struct choice *choice, enum module module, int *heads,
                         int *next, const char **separator)
{
    int layers = choice->session->state.head_settings->layers[module];
    for (int layer = 0; layer < layers; layer++) {
        int first = layer, count = list_chosen(choice, module, layer, heads);
        if (!count)
            continue;
        while (layer + 1 < layers && list_chosen(choice, module, layer + 1, next) == count &&
               memcmp(heads, next, count * sizeof *heads) == 0)
            layer++;
        fprintf(out, "%s%s layer %d", *separator, module_names[module], first + 1);
        if (layer > first)
            fprintf(out, "-%d", layer + 1);
        fputs(" head ", out);
        number_list_write(out, heads, count);
        *separator = "; ";
    }
}

/* Returns false if memory runs out. */
static bool write_modules(FILE *out, const struct choice *choice)
{
    const char *separator = "";
    bool ok = true;
    for (int m = 0; ok && m < MODULE_COUNT; m++) {
        size_t count = choice->session->state.head_settings->count[m];
        int *heads = memory_new(count, sizeof *heads, NULL);
        int *next = memory_new(count, sizeof *next, NULL);
        ok = heads && next;
        if (ok)
            write_module(out, choice, m, heads, next, &separator);
        free(heads);
        free(next);
    }
    return ok;
}

char *describe_chosen(const struct session *session, chosen_test *chosen, const void *context)
{
    struct choice choice = {session, chosen, context};
    struct written written;
    FILE *out = written_open(&written);
    bool ok = out && write_modules(out, &choice);
    char *text = out ? written_close(&written) : NULL;
    if (ok)
        return text;
    free(text);
    return NULL;
}

struct plain_test {
    head_test *chosen;
};

static bool ask_plain(const struct session *session, enum module module, int layer, int head,
                      const void *context)
{
    return ((const struct plain_test *)context)->chosen(session, module, layer, head);
}

char *describe_heads(const struct session *session, head_test *chosen)
{
    struct plain_test test = {chosen};
    return describe_chosen(session, ask_plain, &test);
}
