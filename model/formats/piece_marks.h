/* Finds out from its vocabularies how a model without a tokeniser marks where words begin. */
#ifndef ATTNSCOPE_PIECE_MARKS_H
#define ATTNSCOPE_PIECE_MARKS_H

#include "model/formats/contents.h"

/* Completes the `tokenizer` of a configuration whose kind is "whitespace": its `marks`, or the kind "joiner" where pieces
 * have OpenNMT's. After contents_sort. */
bool contents_mark_pieces(struct contents *contents, struct status *status);

#endif
