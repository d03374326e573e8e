/* Texts on a command's arguments for people, written from their declaration: the usage, and
 * messages. */
#ifndef ATTNSCOPE_ARGUMENT_USAGE_H
#define ATTNSCOPE_ARGUMENT_USAGE_H

#include <stdio.h>

#include "tui/argument/argument.h"

/* Room for what a message says of one argument. */
enum { ARGUMENT_EXPECTED_BYTES = 200 };

/* Writes the usage: "SRC REF... [by head|layer] [SELECTOR [or SELECTOR]...]"; nothing where there
 * are no arguments. */
void arguments_usage(const struct argument_list *list, FILE *out);
/* The same of one argument: "by head|layer", "SRC". Cut where it does not fit. */
void argument_usage_one(const struct argument *argument, char *text, size_t size);
/* Writes the values expected, as in "expected head, layer or gradient". Cut where it does not
 * fit. */
void argument_expected(const struct argument *argument, char *text, size_t size);

/* Messages about a word for which there is no place, and about an argument that is missing. All
 * return false. */
bool argument_fail_unexpected(const struct argument_list *list, const char *word,
                              struct status *status);
bool argument_fail_bar(const struct argument_list *list, struct status *status); // a bar too many
bool argument_fail_missing(const struct argument_list *list, int index, struct status *status);

#endif
