/* The commands' functions, for the table alone, and what they share. */
#ifndef ATTNSCOPE_COMMAND_H
#define ATTNSCOPE_COMMAND_H

#include "tui/commands.h"
#include "tui/selector.h"

#define COMMAND(name)                                                                              \
    bool command_##name(struct session *session, const struct request *request,                    \
                        struct result *result, struct status *status)

COMMAND(sentence);
COMMAND(force);
COMMAND(score);
COMMAND(hypothesis);
COMMAND(open);
COMMAND(next);
COMMAND(prev);
COMMAND(goto);
COMMAND(translate);
COMMAND(bleu);
COMMAND(compare);
COMMAND(ablate);
COMMAND(prune);
COMMAND(contrast);
COMMAND(flips);
COMMAND(attn);
COMMAND(align);
COMMAND(importance);
COMMAND(gates);
COMMAND(disable);
COMMAND(enable);
COMMAND(disabled);
COMMAND(mask);
COMMAND(pattern);
COMMAND(reset);
COMMAND(state);
COMMAND(undo);
COMMAND(redo);
COMMAND(beside);
COMMAND(load);
COMMAND(model);
COMMAND(set);
COMMAND(info);
COMMAND(export);
COMMAND(heads);
COMMAND(token);
COMMAND(source);
COMMAND(save);
COMMAND(help);
COMMAND(quit);

/* A selector and the words after it. */
struct selection {
    struct selector selector;
    const char **rest; // (count), borrowed from the request
    int count;
};

/* Reads the selector of a command, not yet checked against a module. Freed with selection_free unless
 * this fails. */
bool selection_parse(const struct request *request, enum heads_allowed heads,
                     struct selection *selection, struct status *status);
void selection_free(struct selection *selection);

/* Fails where a command has more than `most` words, and names the first one too many. */
bool no_more_words(const struct request *request, int most, struct status *status);

/* A copy of a string. NULL: out of memory. */
char *copy_text(const char *text, struct status *status);

/* Tokens as labels. */
bool labels_of_tokens(const struct token_list *tokens, struct labels *labels,
                      struct status *status);

#endif
