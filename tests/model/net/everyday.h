/* Everyday sentences in English, as the sample translates them: twenty written by hand, and as many
 * more as a test wants, made from words and patterns. */
#ifndef ATTNSCOPE_TESTS_EVERYDAY_H
#define ATTNSCOPE_TESTS_EVERYDAY_H

#include <stddef.h>

enum { EVERYDAY_WRITTEN = 20, EVERYDAY_MOST = 300 }; // bytes of one, with the NUL

/* Sentence `number`, from 0 on: the written ones first. The same number is the same sentence
 * everywhere. */
void everyday_sentence(int number, char text[EVERYDAY_MOST]);

#endif
