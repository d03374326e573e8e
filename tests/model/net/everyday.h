/* Everyday English sentences, of the kind that the sample translates: twenty written by hand, and
 * any number made from words and patterns. */
#ifndef ATTNSCOPE_TESTS_EVERYDAY_H
#define ATTNSCOPE_TESTS_EVERYDAY_H

#include <stddef.h>

enum { EVERYDAY_WRITTEN = 20, EVERYDAY_MOST = 300 }; // bytes of one, with the NUL

/* Writes sentence `number`, from 0; the ones written by hand come first. The same number always
 * gives the same sentence. */
void everyday_sentence(int number, char text[EVERYDAY_MOST]);

#endif
