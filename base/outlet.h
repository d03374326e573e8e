/* Filters text that leaves the program. Names in checkpoints, pieces of vocabularies and sentences
 * are untrusted input: a terminal obeys some of their characters, a pasted line runs, an XML parser
 * rejects the file. All code that writes text asks here which characters may pass, and what
 * replaces the others. Quoting or escaping characters with a meaning in a format is up to that
 * format.
 *
 * Barred characters by outlet:
 *
 *                    LINE  SHOWN  PASTED  DATA  ESCAPED
 *  controls            x     x      x      x      x    U+0000-1F, U+007F-9F
 *  \t \n \r            x     x      x             x
 *  separators          x     x      x      x      x    U+2028, U+2029
 *  noncharacters             x      x      x      x    U+FFFE, U+FFFF of each plane, U+FDD0-FDEF
 *  directions                       x             x    embeddings, overrides, isolates: U+202A-2E,
 *                                                       U+2066-69
 *
 * Surrogates and values above U+10FFFF count as noncharacters. Pure functions that never fail.
 */
#ifndef ATTNSCOPE_OUTLET_H
#define ATTNSCOPE_OUTLET_H

#include <stdbool.h>
#include <stdint.h>

enum outlet {
    OUTLET_LINE,   // a line of a file read by other programs
    OUTLET_SHOWN,  // terminals, figures, typeset tables
    OUTLET_PASTED, // the clipboard
    OUTLET_DATA,   // cells of CSV and TSV, content of XML
    OUTLET_ESCAPED // JSON, messages, notes: barred characters are written as numbers
};

/* True if the character may not pass. */
bool outlet_bars(enum outlet outlet, uint32_t character);

/* The character to write: the same one, or a replacement: its picture (U+2400-241F, U+2421) if it
 * has one, else U+FFFD. */
uint32_t outlet_character(enum outlet outlet, uint32_t character);

/* Writes a character as a JSON escape: "\u001b"; above U+FFFF two surrogates. Returns `out`. */
enum { OUTLET_ESCAPE_BYTES = 13 };
const char *outlet_escape(uint32_t character, char out[OUTLET_ESCAPE_BYTES]);

#endif
