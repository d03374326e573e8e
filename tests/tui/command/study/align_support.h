/* What tests of `:align SRC TGT` share: files of one model, and what the command chooses to align
 * them by. */
#ifndef ATTNSCOPE_TESTS_ALIGN_SUPPORT_H
#define ATTNSCOPE_TESTS_ALIGN_SUPPORT_H

#include <stdbool.h>

#define SAMPLE "samples/en-de.bin"
#define FILES "samples/aligned.en samples/aligned.de"
#define GOLD FILES " samples/aligned.pharaoh"

/* `:align REST` with the sample takes this layer and head, counted from 1, or a name of heads
 * together; shift: with the rows that read a word. */
void align_check_choice(const char *rest, int layer, const char *head, bool shift);

#endif
