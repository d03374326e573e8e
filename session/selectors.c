#include "session/selector.h"

#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "terminal/text/display.h"

const char *const ablate_by_names[] = {"", "head", "layer", "layer,head", NULL};

/* Selectors ------------------------------------------------------------------------------------ */

static bool parse_selector(const struct strings *words, struct selector *out, struct status *status)
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

/* Adds a selector whose words are first … last-1. */
static bool add_selector(struct selectors *selectors, int first, int last, struct status *status)
{
    const struct strings words = {.text = selectors->words.text + first, .count = last - first};
    if (first == last && selectors->words.count)
        return status_fail(status, STATUS_INVALID,
                           SELECTORS_OR ": expected " SELECTOR_SINGLE_SYNTAX " on both sides");
    if (!parse_selector(&words, &selectors->each[selectors->count], status))
        return false;
    selectors->count++;
    return true;
}

bool selectors_parse(struct strings *words, struct selectors *out, struct status *status)
{
    *out = (struct selectors){.words = *words};
    *words = (struct strings){0};
    const struct strings *all = &out->words;
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
    strings_free(&selectors->words);
    *selectors = (struct selectors){0};
}

/* The meaning of selectors --------------------------------------------------------------------- */

/* The layers and heads of one module that a selector selects. */
struct chosen {
    enum module module;
    int *layers, *heads; // (layer_count), (head_count): 0-based, rising
    int layer_count, head_count;
    bool every_layer, every_head;
};

static int *copy_numbers(const int *numbers, int count, struct status *status)
{
    int *copy = memory_new((size_t)count, sizeof *copy, status);
    for (int i = 0; copy && i < count; i++)
        copy[i] = numbers[i];
    return copy;
}

/* Adds an ablation of one chosen layer, or of all; heads likewise. */
static bool add_ablation(struct ablation_list *list, const struct chosen *chosen, const int *layer,
                         const int *head, struct status *status)
{
    struct ablation *ablation = ablation_list_add(list, status);
    if (!ablation)
        return false;
    *ablation = (struct ablation){
        .module = chosen->module,
        .layer_count = layer ? 1 : chosen->layer_count,
        .head_count = head ? 1 : chosen->head_count,
        .every_layer = !layer && chosen->every_layer,
        .every_head = !head && chosen->every_head,
    };
    ablation->layers = copy_numbers(layer ? layer : chosen->layers, ablation->layer_count, status);
    ablation->heads = copy_numbers(head ? head : chosen->heads, ablation->head_count, status);
    return ablation->layers && ablation->heads;
}

static bool add_chosen(struct ablation_list *list, const struct chosen *chosen, enum ablate_by by,
                       struct status *status)
{
    bool by_layer = by == ABLATE_LAYER || by == ABLATE_LAYER_HEAD;
    bool by_head = by == ABLATE_HEAD || by == ABLATE_LAYER_HEAD;
    for (int i = 0; i < (by_layer ? chosen->layer_count : 1); i++)
        for (int j = 0; j < (by_head ? chosen->head_count : 1); j++)
            if (!add_ablation(list, chosen, by_layer ? chosen->layers + i : NULL,
                              by_head ? chosen->heads + j : NULL, status))
                return false;
    return true;
}

static bool choose(const struct selector *selector, const struct config *config,
                   struct chosen *chosen, struct status *status)
{
    int layers = module_layers(config, selector->module);
    int heads = module_heads(config, selector->module);
    *chosen = (struct chosen){.module = selector->module};
    chosen->layers = memory_new((size_t)layers, sizeof *chosen->layers, status);
    chosen->heads = memory_new((size_t)heads, sizeof *chosen->heads, status);
    if (!chosen->layers || !chosen->heads)
        return false;
    for (int i = 0; i < layers; i++)
        if (selector_has_layer(selector, i))
            chosen->layers[chosen->layer_count++] = i;
    for (int i = 0; i < heads; i++)
        if (selector_has_head(selector, i))
            chosen->heads[chosen->head_count++] = i;
    chosen->every_layer = chosen->layer_count == layers && selector->layer != PART_LIST;
    chosen->every_head = chosen->head_count == heads && selector->head != PART_LIST;
    return true;
}

bool ablation_list_select(const struct selectors *selectors, enum ablate_by by,
                          const struct config *config, struct ablation_list *out,
                          struct status *status)
{
    bool ok = true;
    *out = (struct ablation_list){0};
    for (int i = 0; ok && i < selectors->count; i++) {
        struct chosen chosen = {0};
        ok = selector_check(&selectors->each[i], config, status) &&
             choose(&selectors->each[i], config, &chosen, status) &&
             add_chosen(out, &chosen, by, status);
        free(chosen.layers);
        free(chosen.heads);
    }
    if (!ok)
        ablation_list_free(out);
    return ok;
}

void ablation_write(FILE *out, const struct ablation *ablation)
{
    fputs(module_names[ablation->module], out);
    if (!ablation->every_layer) {
        fputs(" layer ", out);
        number_list_write(out, ablation->layers, ablation->layer_count);
    }
    if (!ablation->every_head) {
        fputs(" head ", out);
        number_list_write(out, ablation->heads, ablation->head_count);
    }
}

char *ablation_text(const struct ablation *ablation)
{
    char *text = NULL;
    size_t size;
    FILE *out = display_have(open_memstream(&text, &size));
    if (!out)
        return NULL;
    ablation_write(out, ablation);
    fclose(out);
    return text;
}
