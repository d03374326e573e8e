/* Test sets translated with heads off: what `:ablate` is asked for, and what it found out.
 *
 *     ablate_request_parse; ablate_list; (the sentences are translated;) ablate_result_free
 */
#ifndef ATTNSCOPE_ABLATE_H
#define ATTNSCOPE_ABLATE_H

#include "model/study/ablation.h"
#include "tui/selector.h"
#include "tui/study.h"

/* What is off at a time, of the heads selected. */
enum ablate_by {
    ABLATE_SELECTED,   // all of a selector's
    ABLATE_HEAD,       // one head, in every layer
    ABLATE_LAYER,      // one layer
    ABLATE_LAYER_HEAD, // one head of one layer
};
extern const char *const ablate_by_names[]; // "", head, layer, "layer,head"; NULL at the end

/* Selectors with OR between them, as they were typed. */
struct selectors {
    struct pieces words;
    struct selector *each; // (count); without words one that selects the encoder
    int count;
};
#define SELECTORS_OR "or"
/* Reads `words` (taken, also on failure). Nothing needs to be freed on failure. */
bool selectors_parse(struct pieces *words, struct selectors *out, struct status *status);
void selectors_free(struct selectors *selectors); // leaves it empty

struct ablate_request {
    struct pieces files; // SRC, REF…
    enum ablate_by by;
    struct selectors selectors;
    int shown; // the ablation whose sentences are listed, from 1; 0: none
};

/* The number after `show`: of `what`, "an ablation". */
#define SHOW_WORD "show"
bool show_parse(const char *word, const char *what, int *out, struct status *status);

/* SRC REF… [by …] [SELECTOR or …] [show N]; a file that is called like a word of these is ./by. On failure
 * nothing needs to be freed. */
bool ablate_request_parse(const struct pieces *words, struct ablate_request *out,
                          struct status *status);
/* What may follow the files: words first … of a command. `out` is zero but for its files; on failure nothing needs
 * to be freed. */
bool ablate_parse_rest(const struct pieces *words, int first, struct ablate_request *out,
                       struct status *status);
void ablate_request_free(struct ablate_request *request); // leaves it empty

/* SRC REF…, up to the first word that is none. Returns how many words these are, or -1. */
int ablate_take_files(const struct pieces *words, struct pieces *files, struct status *status);

/* Whether such a word is among these. */
bool ablate_files_end(const char *const *words, int count);

struct ablation_list {
    struct ablation *items; // (count)
    size_t capacity;
    int count;
};
void ablation_list_free(struct ablation_list *list); // leaves it empty
/* On failure nothing needs to be freed. */
bool ablation_list_copy(const struct ablation_list *list, struct ablation_list *copy,
                        struct status *status);
bool ablation_list_equal(const struct ablation_list *a, const struct ablation_list *b);

/* The ablations that are meant, in the order of selectors, layers and heads. Fails where a model has no such
 * layer or head. On failure nothing needs to be freed. */
bool ablation_list_make(const struct selectors *selectors, enum ablate_by by,
                        const struct config *config, struct ablation_list *out,
                        struct status *status);

/* "encoder layer 1-2 head 3", a SELECTOR; a module alone means all of it. */
void ablation_write(FILE *out, const struct ablation *ablation);
char *ablation_text(const struct ablation *ablation); // freed by the caller; NULL: out of memory

struct ablate_result {
    struct ablate_request request;
    struct study_settings settings;
    struct bleu_options options;
    int references, sentences, lines; // sentences: those scored, the first of the files' lines
    double base;                      // BLEU without an ablation
    struct ablation_list ablations;
    struct ablation_score *scores; // (ablations.count)
    bool tested;                   // p and p_adjusted are known
    struct study_result shown;     // the sentences of request.shown: a without, b with the ablation
};
void ablate_result_free(struct ablate_result *result); // leaves it empty

/* Whether something was left out: sentences, or tests. */
bool ablate_partial(const struct ablate_result *result);

/* The signature with which the scores can be made again. */
void ablate_write_signature(FILE *out, const struct ablate_result *result);

#endif
