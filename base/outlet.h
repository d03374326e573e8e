/* What may leave the program. Names in checkpoints, pieces of vocabularies and sentences are
 * untrusted input: a terminal obeys some of their characters, a pasted line runs, a reader of XML refuses
 * the file. Whatever writes a text asks here which of its characters pass, and what stands in for
 * the others; how a format quotes or escapes those that have a meaning in it is the format's.
 *
 * Barred are, by outlet:
 *
 *                     LINE  SHOWN  PASTED  DATA  ESCAPED
 *   controls            x     x      x      x      x     U+0000-1F, U+007F-9F
 *   \t \n \r            x     x      x             x
 *   separators          x     x      x      x      x     U+2028, U+2029
 *   noncharacters             x      x      x      x     U+FFFE, U+FFFF of each plane, U+FDD0-FDEF
 *   directions                       x             x     embeddings, overrides, isolates: U+202A-2E,
 *                                                        U+2066-69
 *
 * Surrogates and what lies above U+10FFFF are noncharacters. Pure functions; nothing fails.
 */
#ifndef ATTNSCOPE_OUTLET_H
#define ATTNSCOPE_OUTLET_H

#include <stdbool.h>
#include <stdint.h>

enum outlet {
    OUTLET_LINE,   // a line of a file that other programs read
    OUTLET_SHOWN,  // terminals, figures, typeset tables
    OUTLET_PASTED, // the clipboard
    OUTLET_DATA,   // cells of CSV and TSV, content of XML
    OUTLET_ESCAPED // JSON, messages, notes: what is barred is written as a number
};

/* True if the character may not pass. */
bool outlet_bars(enum outlet outlet, uint32_t character);

/* The character that is written: the same, or its stand-in, which is its picture (U+2400-241F,
 * U+2421) if it has one, else U+FFFD. */
uint32_t outlet_character(enum outlet outlet, uint32_t character);

/* A character as JSON escapes it: "\u001b"; above U+FFFF two surrogates. Returns `out`. */
enum { OUTLET_ESCAPE_BYTES = 13 };
const char *outlet_escape(uint32_t character, char out[OUTLET_ESCAPE_BYTES]);

#endif
