/* A first sentence to suggest, in a model's source language. */
#ifndef ATTNSCOPE_WELCOME_H
#define ATTNSCOPE_WELCOME_H

/* `language`: its code, "en", "eng_Latn", "zh-CN"; "", for a model that names none, means English.
 * Returns a constant; NULL: no sentence in that language. */
const char *welcome_example(const char *language);

#endif
