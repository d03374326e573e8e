/* Parts of the plain presentation that fill a file of their own. */
#ifndef ATTNSCOPE_PLAIN_H
#define ATTNSCOPE_PLAIN_H

#include <stdio.h>

#include "tui/result.h"

/* `:info` as a list. */
void plain_info(FILE *stream, const struct session *session, const struct info_result *info);

/* `:set`: one setting with value, meaning and range; NULL: all. */
void plain_settings(FILE *stream, const struct session *session, const struct setting *one);

/* Without their titles: `:heads` as a grid of small matrices, `:token` as a table of the strongest weights. */
void plain_heads(FILE *stream, const struct heads_result *heads);
void plain_token(FILE *stream, const struct session *session, const struct token_result *token);

#endif
