/* Shared by the tests of `:align SRC TGT`: the files of one model, and the head that the command
 * chooses for aligning them. */
#ifndef ATTNSCOPE_TESTS_ALIGN_SUPPORT_H
#define ATTNSCOPE_TESTS_ALIGN_SUPPORT_H

#include <stdbool.h>

#define SAMPLE "samples/en-de.bin"
#define FILES "samples/aligned.en samples/aligned.de"
#define GOLD FILES " samples/aligned.pharaoh"

/* Checks that `:align REST` with the sample takes this layer and head (counted from 1, or a name of
 * several heads together). shift: with the rows that read a word. */
void align_check_choice(const char *rest, int layer, const char *head, bool shift);

#endif
