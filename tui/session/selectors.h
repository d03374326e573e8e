/* Several selectors with `or` between them, as arguments of `:ablate`, `:prune` and `:contrast …
 * ablate`.
 *
 *     selectors_parse; ablation_list_select; selectors_free
 */
#ifndef ATTNSCOPE_SELECTORS_H
#define ATTNSCOPE_SELECTORS_H

#include "model/study/ablation.h"
#include "tui/session/selector.h"

/* The selected heads that are off together. */
enum ablate_by {
    ABLATE_SELECTED,   // all heads of a selector
    ABLATE_HEAD,       // one head, in every layer
    ABLATE_LAYER,      // one layer
    ABLATE_LAYER_HEAD, // one head of one layer
};
extern const char *const ablate_by_names[]; // "", head, layer, "layer,head"; NULL at the end

struct selectors {
    struct strings words;  // as they were typed
    struct selector *each; // (count); without words, one selector of the encoder
    int count;
};
#define SELECTORS_OR "or"
/* Reads `words`, which are taken even on failure. On failure nothing needs to be freed. */
bool selectors_parse(struct strings *words, struct selectors *out, struct status *status);
void selectors_free(struct selectors *selectors); // leaves it empty

/* Makes the list of ablations, in the order of selectors, layers and heads. Fails if the model has
 * no such layer or head. On failure nothing needs to be freed. */
bool ablation_list_select(const struct selectors *selectors, enum ablate_by by,
                          const struct config *config, struct ablation_list *out,
                          struct status *status);

/* Writes an ablation as a SELECTOR, "encoder layer 1-2 head 3"; a module alone means all of its
 * heads. */
void ablation_write(FILE *out, const struct ablation *ablation);
char *ablation_text(const struct ablation *ablation); // freed by the caller; NULL: out of memory

#endif
