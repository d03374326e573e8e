/* Texts that are sent through every output path, and what may pass where, from Unicode's data. */
#ifndef ATTNSCOPE_OUTLET_SAMPLES_H
#define ATTNSCOPE_OUTLET_SAMPLES_H

#include <stdbool.h>
#include <utf8proc.h>

#include "base/outlet.h"

enum { SAMPLES_MOST = 400 };

struct sample {
    char text[64];
    bool valid;               // UTF-8
    bool plain, data, pastes; // no character is barred where text is shown, from data, when pasted
};
extern struct sample samples[SAMPLES_MOST]; // (sample_count)
extern int sample_count;

/* Makes samples: some characters of each general category, all barred ones, and texts with a
 * meaning in some format. */
void outlet_make_samples(void);
bool outlet_may_pass(enum outlet outlet, utf8proc_int32_t c);
/* Returns the length of the next character; fails the test if it is invalid. */
utf8proc_ssize_t outlet_next(const char *text, utf8proc_int32_t *c);
/* Fails the test if a character may not pass, except those in `structure`. */
void outlet_expect_none_barred(const char *what, enum outlet outlet, const char *text,
                               const char *structure);
/* Returns some samples that are UTF-8 and contain no line end, separated by blanks; freed with
 * free(). */
char *outlet_line(const char *before, int first, int count);

#endif
