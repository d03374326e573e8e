/* Texts that are sent through every way out, and what may pass where, from Unicode's data. */
#ifndef ATTNSCOPE_OUTLET_SAMPLES_H
#define ATTNSCOPE_OUTLET_SAMPLES_H

#include <stdbool.h>
#include <utf8proc.h>

#include "base/outlet.h"

enum { SAMPLES_MOST = 400 };

struct sample {
    char text[64];
    bool valid;               // UTF-8
    bool plain, data, pastes; // nothing in it is barred where text is shown, from data, when pasted
};
extern struct sample samples[SAMPLES_MOST]; // (sample_count)
extern int sample_count;

/* Some characters of each general category, all that is barred, and what formats give a meaning. */
void outlet_make_samples(void);
bool outlet_may_pass(enum outlet outlet, utf8proc_int32_t c);
/* The next character; fails the test where it is none. */
utf8proc_ssize_t outlet_next(const char *text, utf8proc_int32_t *c);
/* Fails the test where a character may not pass, but for those of `structure`. */
void outlet_expect_none_barred(const char *what, enum outlet outlet, const char *text,
                               const char *structure);
/* Some of them that are UTF-8, without what ends a line, between blanks; freed with free(). */
char *outlet_line(const char *before, int first, int count);

#endif
