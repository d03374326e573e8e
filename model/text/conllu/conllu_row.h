/* One line of a CoNLL-U file, not a comment: its ten columns, checked one by one. */
#ifndef ATTNSCOPE_CONLLU_ROW_H
#define ATTNSCOPE_CONLLU_ROW_H

#include "base/status.h"

/* "3": a word; "3-4": a token of the text that comprises words 3 and 4; "5.1": an empty node after
 * word 5. */
enum row_kind { ROW_WORD, ROW_RANGE, ROW_EMPTY };

struct conllu_id {
    enum row_kind kind;
    int first, last; // equal for a word; for an empty node, the word before it and its own number
};

struct conllu_row {
    struct conllu_id id;
    const char *id_text, *form, *upos, *relation;
    int head;   // number of a word, 0: the root, -1: not given
    bool glued; // no blank follows
};

/* True if a line begins like a word's: with an ID and at least five columns. */
bool conllu_row_likely(const char *line);

/* Cuts the line in place; the row points into it. */
bool conllu_row_read(char *line, struct conllu_row *row, struct status *status);

/* Returns the text after "# KEY =" in a comment; NULL: another comment. */
const char *conllu_comment(const char *line, const char *key);

#endif
