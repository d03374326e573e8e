/* A sentence to begin with, in the language that a model translates from. */
#ifndef ATTNSCOPE_WELCOME_H
#define ATTNSCOPE_WELCOME_H

/* `language`: its code, "en", "eng_Latn", "zh-CN"; of a model that names none it is "", and English
 * is taken. A constant; NULL: there is no sentence of that language. */
const char *welcome_example(const char *language);

#endif
