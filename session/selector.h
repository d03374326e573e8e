/* SELECTOR: which attention a command is about.
 *
 *   [in] enc|dec|cross   layer LIST|all   head LIST|mean|max|importance|all   as METHOD
 *
 * in any order, each at most once. LIST counts from 1: 3, 1-4, 2,5-7. METHOD:
 * model/attribution/method.h. Each command has its own defaults for omitted parts.
 */
#ifndef ATTNSCOPE_SELECTOR_H
#define ATTNSCOPE_SELECTOR_H

#include <stdio.h>

#include "base/status.h"
#include "model/attribution/attribute.h"
#include "model/checkpoint/config.h"
#include "model/net/force.h"
#include "model/study/ablation.h"

#define SELECTOR_SYNTAX                                                                            \
    "[enc|dec|cross] [layer LIST|all] [head LIST|mean|max|importance|all] [as METHOD]"
#define SELECTOR_SINGLE_SYNTAX "[enc|dec|cross] [layer LIST|all] [head LIST]"
#define SELECTOR_RULES                                                                             \
    "The parts may stand in any order. LIST is a list such as 3, 1-4 or 2,5-7, counted from 1.\n"  \
    "cross 2.7 is short for cross layer 2 head 7.\n"
#define SELECTOR_METHODS                                                                           \
    "METHOD is weights (the default), norms, block-norms, contributions, rollout, flow, alti or\n" \
    "value-zeroing; :help methods explains them.\n"

/* Numbers are stored as ranges, as typed, so that 1-2000000000 takes no memory. */
struct number_range {
    int first, last; // 1-based, first <= last
};

struct number_list {
    struct number_range *ranges; // (count)
    int count;
    size_t capacity;
};

enum part { PART_ABSENT, PART_LIST, PART_ALL, PART_MEAN, PART_MAX, PART_IMPORTANCE };

/* The heads of a layer merged into one matrix; a view holds one of these instead of a head
 * number. */
enum {
    VIEW_MEAN = HEADS_MEAN,
    VIEW_MAX = HEADS_MAX,
    VIEW_WEIGHTED = HEADS_WEIGHTED,
    VIEW_TOGETHER = HEADS_TOGETHER
};
struct merged_heads {
    const char *name;  // after "head"
    const char *title; // before "8 heads": "mean of", "maximum of", ...
    enum part part;
    int head; // VIEW_...
};
extern const struct merged_heads merged_table[]; // (merged_count)
extern const int merged_count;
/* Finds an entry by name (NULL: none), by a view's negative head, or by a selector's part. */
const struct merged_heads *merged_named(const char *name);
const struct merged_heads *merged_of(int head);
const struct merged_heads *merged_by(enum part part);

/* The heads that a command accepts, and the methods it accepts after "as". */
enum heads_allowed {
    HEADS_SINGLE,   // head LIST
    HEADS_GRID,     // head LIST, as METHOD that has a matrix for every head
    HEADS_OR_MERGED // head LIST, mean, max, ...; as METHOD
};

struct selector {
    enum heads_allowed heads_allowed;
    bool module_given;
    enum module module; // MODULE_ENCODER unless given
    enum part layer;    // PART_ABSENT, PART_LIST or PART_ALL
    struct number_list layers;
    enum part head; // PART_ABSENT, PART_LIST or a merged one
    struct number_list heads;
    bool method_given;
    enum method method; // METHOD_WEIGHTS unless given
};

/* Reads a selector from the words of a command. Other words go to `rest`, in order: pointers
 * borrowed from `words`; it has room for words->count. On failure nothing needs to be freed. */
bool selector_parse(const struct strings *words, enum heads_allowed heads,
                    struct selector *selector, const char **rest, int *rest_count,
                    struct status *status);
void selector_free(struct selector *selector); // leaves it empty

/* Reads the part that begins at words[*i] into a selector that may already have others, and moves
 * *i to the part's last word. *taken: true if a part begins there. */
bool selector_take_part(const struct strings *words, int *i, struct selector *selector, bool *taken,
                        struct status *status);
/* True if a part of the selector begins with this word and needs another after it: "layer". */
bool selector_wants_more(const char *word, const struct selector *selector);

/* True if the selector has no part: neither module, layer, head nor method. */
bool selector_empty(const struct selector *selector);

/* Fails if a list names a layer or head that the module does not have. */
bool selector_check(const struct selector *selector, const struct config *config,
                    struct status *status);

/* Fails if the selector names heads for which the method has no matrix. */
bool selector_check_heads(const struct selector *selector, struct status *status);

/* True if a layer or head (0-based) is selected. Without a list, all are. */
bool selector_has_layer(const struct selector *selector, int layer);
bool selector_has_head(const struct selector *selector, int head);

/* Names of modules in running text: "the encoder", "the decoder", "cross-attention". */
extern const char *const module_titles[MODULE_COUNT];

/* Reads enc, dec, cross, or their long names. */
bool module_parse(const char *word, enum module *module);
/* True if a word introduces layers or heads: "layer" or "head", singular or plural. */
bool selector_part_word(const char *word);

/* Reads a LIST; an error message begins with `what` (layer, head). */
bool number_list_parse(const char *what, const char *text, struct number_list *list,
                       struct status *status);
/* Writes 0-based numbers in ascending order as a LIST. */
void number_list_write(FILE *stream, const int *numbers, int count);
/* The only number of the list (1-based), or 0 if it has several. */
int number_list_single(const struct number_list *list);

/* Several selectors joined by `or`, as arguments of `:ablate`, `:prune` and `:contrast … ablate`.
 *
 *     selectors_parse; ablation_list_select; selectors_free
 */

/* Which of the selected heads are turned off together. */
enum ablate_by {
    ABLATE_SELECTED,   // all heads of a selector
    ABLATE_HEAD,       // one head, in every layer
    ABLATE_LAYER,      // one layer
    ABLATE_LAYER_HEAD, // one head of one layer
};
extern const char *const ablate_by_names[]; // "", head, layer, "layer,head"; NULL at the end

struct selectors {
    struct strings words;  // as typed
    struct selector *each; // (count); without words, one selector of the encoder
    int count;
};
#define SELECTORS_OR "or"
/* Reads `words` and takes them, even on failure. On failure nothing needs to be freed. */
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
