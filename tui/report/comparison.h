/* Two translations of a sentence, with their scores and the edit script between them: what text, screen and JSON tell of
 * them comes from here.
 *
 * comparison_make, then comparison_free. Texts are copies.
 */
#ifndef ATTNSCOPE_COMPARISON_H
#define ATTNSCOPE_COMPARISON_H

#include "tui/text/edit_script.h"

struct translation_text {
    const char *text;
    double score; // log-probability divided by the length penalty
};

struct comparison {
    const char *titles
        [2]; // what stands before the texts: "before"; constants, or of who owns the comparison
    char *texts[2];
    double scores[2];
    struct edit_script script;
};

/* Also after a failure it is freed with comparison_free. */
bool comparison_make(struct comparison *comparison, const char *const titles[2],
                     const struct translation_text translations[2], struct status *status);
bool comparison_copy(const struct comparison *from, struct comparison *to, struct status *status);
void comparison_free(struct comparison *comparison); // leaves it empty

/* Whether there are two texts, and they differ. */
bool comparison_differs(const struct comparison *comparison);

/* Writes "3 words changed, 2 dropped; score −0.5303 (was −0.3093)", or "translation unchanged; score …". */
enum { COMPARISON_BYTES = 200 };
void comparison_describe(const struct comparison *comparison, char text[COMPARISON_BYTES]);

#endif
