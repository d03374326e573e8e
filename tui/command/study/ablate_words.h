/* The words of commands that switch heads off: `:ablate`, `:prune` and `:contrast … ablate`. */
#ifndef ATTNSCOPE_ABLATE_WORDS_H
#define ATTNSCOPE_ABLATE_WORDS_H

#include "tui/session/selectors.h"

struct ablate_words {
    struct pieces files; // SRC, REF…
    enum ablate_by by;
    struct selectors selectors;
    int shown; // the ablation whose sentences are listed, from 1; 0: none
};

/* SRC REF… [by …] [SELECTOR or …] [show N]; a file that is called like a word of these is ./by. On failure
 * nothing needs to be freed. */
bool ablate_words_parse(const struct pieces *words, struct ablate_words *out,
                        struct status *status);
/* What may follow the files: words first … of a command. `out` is zero but for its files; on failure nothing needs
 * to be freed. */
bool ablate_words_parse_rest(const struct pieces *words, int first, struct ablate_words *out,
                             struct status *status);
void ablate_words_free(struct ablate_words *words); // leaves it empty

/* The ablations that are meant. Fails where a model has no such layer or head, or there are fewer than `shown`. On
 * failure nothing needs to be freed. */
bool ablate_words_select(const struct ablate_words *words, const struct config *config,
                         struct ablation_list *out, struct status *status);

/* The number after `show`: of `what`, "an ablation". */
#define SHOW_WORD "show"
bool show_parse(const char *word, const char *what, int *out, struct status *status);

/* SRC REF…, up to the first word that is none. Returns how many words these are, or -1. */
int ablate_take_files(const struct pieces *words, struct pieces *files, struct status *status);

/* Whether a word that ends them is among these. */
bool ablate_files_end(const char *const *words, int count);

#endif
