/* SELECTOR: which attention a command is about.
 *
 *   [in] enc|dec|cross   layer LIST|all   head LIST|mean|max     in any order, each at most once
 *
 * LIST is 1-based: 3, 1-4, 2,5-7. What is absent is for the command to fill in.
 */
#ifndef ATTNSCOPE_SELECTOR_H
#define ATTNSCOPE_SELECTOR_H

#include <stdio.h>

#include "gpu/status.h"
#include "model/net/config.h"

#define SELECTOR_SYNTAX "[enc|dec|cross] [layer LIST|all] [head LIST|mean|max]"
#define SELECTOR_SINGLE_SYNTAX "[enc|dec|cross] [layer LIST|all] [head LIST]"
#define SELECTOR_RULES "in any order; LIST is like 3, 1-4 or 2,5-7, counted from 1.\n"
#define SELECTOR_HELP "SELECTOR is " SELECTOR_SYNTAX "\n" SELECTOR_RULES
#define SELECTOR_SINGLE_HELP "SELECTOR is " SELECTOR_SINGLE_SYNTAX "\n" SELECTOR_RULES

/* Numbers as they were written: ranges, so that 1-2000000000 costs nothing. */
struct number_range {
    int first, last; // 1-based, first <= last
};

struct number_list {
    struct number_range *ranges; // (count)
    int count;
    size_t capacity;
};

enum part { PART_ABSENT, PART_LIST, PART_ALL, PART_MEAN, PART_MAX };

/* What a command takes after "head". */
enum heads_allowed { HEADS_SINGLE /* LIST */, HEADS_OR_MERGED /* LIST, mean or max */ };

struct selector {
    enum heads_allowed heads_allowed;
    bool module_given;
    enum module module; // MODULE_ENCODER unless given
    enum part layer;    // PART_ABSENT, PART_LIST or PART_ALL
    struct number_list layers;
    enum part head; // PART_ABSENT, PART_LIST, PART_MEAN or PART_MAX
    struct number_list heads;
};

/* Reads a selector from the words of a command; words that are no part of one go to `rest`, in order
 * (borrowed from `words`; room for words->count). On failure nothing needs to be freed. */
bool selector_parse(const struct pieces *words, enum heads_allowed heads, struct selector *selector,
                    const char **rest, int *rest_count, struct status *status);
void selector_free(struct selector *selector); // leaves it empty

/* Whether nothing at all was selected. */
bool selector_empty(const struct selector *selector);

/* Checks the lists against a module's layers and heads. */
bool selector_check(const struct selector *selector, const struct config *config,
                    struct status *status);

/* Whether the 0-based layer or head is meant; everything is where the part is not a list. */
bool selector_has_layer(const struct selector *selector, int layer);
bool selector_has_head(const struct selector *selector, int head);

/* What a sentence calls a module: "the encoder", "the decoder", "cross-attention". */
extern const char *const module_titles[MODULE_COUNT];

/* enc, dec, cross, or their long names. */
bool module_parse(const char *word, enum module *module);

/* LIST; `what` (layer, head) begins the message. */
bool number_list_parse(const char *what, const char *text, struct number_list *list,
                       struct status *status);
/* Writes rising 0-based numbers as LIST. */
void number_list_write(FILE *stream, const int *numbers, int count);
/* The only number of the list, 1-based, or 0 where there are several. */
int number_list_single(const struct number_list *list);

#endif
