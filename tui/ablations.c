/* Which heads are off in each ablation that was asked for. */
#include <stdlib.h>
#include <string.h>

#include "tui/ablate.h"
#include "tui/display.h"

/* What a selector selects of a module. */
struct chosen {
    enum module module;
    int *layers, *heads; // (layer_count), (head_count): 0-based, rising
    int layer_count, head_count;
    bool every_layer, every_head;
};

void ablation_list_free(struct ablation_list *list)
{
    for (int i = 0; i < list->count; i++)
        ablation_free(&list->items[i]);
    free(list->items);
    *list = (struct ablation_list){0};
}

static int *copy_numbers(const int *numbers, int count, struct status *status)
{
    int *copy = memory_new((size_t)count, sizeof *copy, status);
    for (int i = 0; copy && i < count; i++)
        copy[i] = numbers[i];
    return copy;
}

static bool copy_ablation(const struct ablation *from, struct ablation *copy, struct status *status)
{
    *copy = *from;
    copy->layers = copy_numbers(from->layers, from->layer_count, status);
    copy->heads = copy_numbers(from->heads, from->head_count, status);
    return copy->layers && copy->heads;
}

bool ablation_list_copy(const struct ablation_list *list, struct ablation_list *copy,
                        struct status *status)
{
    bool ok = true;
    *copy = (struct ablation_list){0};
    for (int i = 0; ok && i < list->count; i++)
        ok = memory_grow((void **)&copy->items, &copy->capacity, (size_t)i + 1, sizeof *copy->items,
                         status) &&
             copy_ablation(&list->items[i], &copy->items[copy->count++], status);
    if (!ok)
        ablation_list_free(copy);
    return ok;
}

static bool same_numbers(const int *a, int a_count, const int *b, int b_count)
{
    return a_count == b_count && memcmp(a, b, (size_t)a_count * sizeof *a) == 0;
}

static bool same_ablation(const struct ablation *a, const struct ablation *b)
{
    return a->module == b->module &&
           same_numbers(a->layers, a->layer_count, b->layers, b->layer_count) &&
           same_numbers(a->heads, a->head_count, b->heads, b->head_count);
}

bool ablation_list_equal(const struct ablation_list *a, const struct ablation_list *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (!same_ablation(&a->items[i], &b->items[i]))
            return false;
    return true;
}

/* Adds one, of all layers that are chosen or one of them, and heads likewise. */
static bool add_ablation(struct ablation_list *list, const struct chosen *chosen, const int *layer,
                         const int *head, struct status *status)
{
    if (!memory_grow((void **)&list->items, &list->capacity, (size_t)list->count + 1,
                     sizeof *list->items, status))
        return false;
    struct ablation *ablation = &list->items[list->count++];
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

bool ablation_list_make(const struct selectors *selectors, enum ablate_by by,
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
