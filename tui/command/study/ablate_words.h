/* The request of `:ablate`, `:prune` and `:contrast … ablate`: the heads that are off together. */
#ifndef ATTNSCOPE_ABLATE_WORDS_H
#define ATTNSCOPE_ABLATE_WORDS_H

#include "tui/argument/argument.h"

/* Choices behind `by`, of which the last are not all commands'. */
extern const char *const ablate_choices[]; // head, layer, "layer,head", gradient; NULL at the end
enum { ABLATE_CHOICE_GRADIENT = 3 };

struct ablate_words {
    struct strings files; // SRC, REF…
    enum ablate_by by;
    const struct selectors *selectors; // borrowed from the arguments
    int shown;                         // the ablation whose sentences are listed, from 1; 0: none
};

/* The places of these among the arguments of a command. */
struct ablate_places {
    int first_file, last_file, by, selectors, show;
};

/* Fills in the words; `by` stays as it is set where it is not given. On failure nothing needs to be
 * freed. */
bool ablate_words_read(const struct argument_values *given, const struct ablate_places *places,
                       struct ablate_words *out, struct status *status);
void ablate_words_free(struct ablate_words *words); // leaves it empty

/* The ablations that are meant. Fails where a model has no such layer or head, or there are fewer
 * than `shown`. On failure nothing needs to be freed. */
bool ablate_words_select(const struct ablate_words *words, const struct config *config,
                         struct ablation_list *out, struct status *status);

#endif
