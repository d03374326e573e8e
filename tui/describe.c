#include "tui/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/display.h"
#include "tui/selector.h"

void describe_head(const struct head *head, char *text, size_t size)
{
    if (head->energy == ENERGY_FIXED)
        snprintf(text, size, "%s%s", pattern_names[head->pattern],
                 head->unit == UNIT_WORD ? " (word)" : "");
    else if (head->mask == MASK_LOCAL)
        snprintf(text, size, "learned, local %d", (int)head->window);
    else
        snprintf(text, size, "learned, %s", mask_names[head->mask]);
}

bool head_off(const struct session *session, enum module module, int layer, int head)
{
    return *dials_gain(session->state.dials, module, layer, head) == 0;
}

bool head_changed(const struct session *session, enum module module, int layer, int head)
{
    const struct head *own = dials_head(model_dials(session->state.model), module, layer, head);
    const struct head *now = dials_head(session->state.dials, module, layer, head);
    char before[64], after[64];
    describe_head(own, before, sizeof before);
    describe_head(now, after, sizeof after);
    return strcmp(before, after) != 0;
}

typedef bool head_test(const struct session *, enum module, int, int);
typedef bool chosen_test(const struct session *, enum module, int, int, const void *);

/* Which heads are to be described. */
struct choice {
    const struct session *session;
    chosen_test *chosen;
    const void *context;
};

/* The chosen heads of one layer, 0-based; returns how many. */
static int list_chosen(const struct choice *choice, enum module module, int layer, int *heads)
{
    int count = 0;
    for (int h = 0; h < choice->session->state.dials->count[module]; h++)
        if (choice->chosen(choice->session, module, layer, h, choice->context))
            heads[count++] = h;
    return count;
}

/* Neighbouring layers with the same heads share an entry. */
static void write_module(FILE *out, const struct choice *choice, enum module module, int *heads,
                         int *next, const char **separator)
{
    int layers = choice->session->state.dials->layers[module];
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

/* False: out of memory. */
static bool write_modules(FILE *out, const struct choice *choice)
{
    const char *separator = "";
    bool ok = true;
    for (int m = 0; ok && m < MODULE_COUNT; m++) {
        size_t count = choice->session->state.dials->count[m];
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
    char *text = NULL;
    size_t size;
    FILE *out = display_have(open_memstream(&text, &size));
    bool ok = out && write_modules(out, &choice);
    if (out && fclose(out) == 0 && ok)
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

static void put_place(struct json_writer *json, enum module module, int layer, int head)
{
    put_member_string(json, "module", module_names[module]);
    put_member_int(json, "layer", layer + 1);
    put_member_int(json, "head", head + 1);
}

/* As in the configuration: {"local": 2}, or a name. */
static void put_head(struct json_writer *json, const struct head *head)
{
    bool fixed = head->energy == ENERGY_FIXED;
    put_member_string(json, "energy", fixed ? "fixed" : "learned");
    if (fixed) {
        put_member_string(json, "pattern", pattern_names[head->pattern]);
        put_member_string(json, "unit", head->unit == UNIT_WORD ? "word" : "token");
        return;
    }
    put_key(json, "mask");
    if (head->mask != MASK_LOCAL) {
        put_string(json, mask_names[head->mask]);
        return;
    }
    put_object(json);
    put_member_int(json, "local", head->window);
    put_object_end(json);
}

static void put_heads(struct json_writer *json, const struct session *session, head_test *chosen,
                      bool detail)
{
    const struct dials *dials = session->state.dials;
    put_array(json);
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int layer = 0; layer < dials->layers[m]; layer++)
            for (int head = 0; head < dials->count[m]; head++) {
                if (!chosen(session, m, layer, head))
                    continue;
                put_object(json);
                put_place(json, m, layer, head);
                if (detail)
                    put_head(json, dials_head(dials, m, layer, head));
                put_object_end(json);
            }
    put_array_end(json);
}

void put_heads_off(struct json_writer *json, const struct session *session)
{
    put_heads(json, session, head_off, false);
}

void put_heads_changed(struct json_writer *json, const struct session *session)
{
    put_heads(json, session, head_changed, true);
}

void put_search(struct json_writer *json, const struct search_options *search)
{
    put_object(json);
    put_member_int(json, "beam", search->beam);
    put_key(json, "length_penalty");
    put_object(json);
    put_member_string(json, "kind", penalty_names[search->penalty]);
    put_member_number(json, "alpha", search->alpha);
    put_object_end(json);
    put_key(json, "max_length");
    put_object(json);
    put_member_number(json, "factor", search->factor);
    put_member_int(json, "plus", search->plus);
    put_object_end(json);
    put_object_end(json);
}
