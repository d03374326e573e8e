/* Tables of results for tests. Every function fails the running test if something is wrong. */
#ifndef ATTNSCOPE_TESTS_SHEET_SUPPORT_H
#define ATTNSCOPE_TESTS_SHEET_SUPPORT_H

#include "tests/support/commands_support.h"
#include "tui/screen/sheet/sheet.h"

#define SHEET_SOURCES "the dog\na small old cat sees the river .\n\nhe sees a dog\nthe cat\n"
#define SHEET_REFERENCES                                                                           \
    "der Hund\neine kleine Katze sieht den Fluss .\n\ner sieht einen Hund\nKatze\n"

/* A contrastive suite. One item has two errors of different types, one has a line break in its
 * source. */
#define SHEET_SUITE                                                                                \
    "[{\"source\": \"the dog\", \"reference\": \"der Hund\", \"errors\": ["                        \
    "{\"contrastive\": \"Hund der\", \"type\": \"order\"},"                                        \
    "{\"contrastive\": \"die Katze sieht\", \"type\": \"word\", \"distance\": 2}]},"               \
    "{\"source\": \"the cat\", \"reference\": \"die Katze sieht\", \"errors\": ["                  \
    "{\"contrastive\": \"die Katze\", \"type\": \"word\"}]},"                                      \
    "{\"source\": \"the\\ncat\", \"reference\": \"der Hund\", \"errors\": ["                       \
    "{\"contrastive\": \"Hund\", \"type\": \"word\"}]}]"

/* Runs a line and makes a table of its result; the caller frees both. */
struct sheet sheet_of_line(struct bench *bench, const char *line, struct report *result);

/* Runs the lines of Enter on a row; the caller frees the last line's result. */
struct report sheet_enter(struct bench *bench, const struct sheet *sheet, int row);

/* Returns the cell of a row, in the order of arrival, in the column with that title; `which`, from
 * 0, if several have it. */
const struct sheet_cell *sheet_cell_at(const struct sheet *sheet, int row, const char *title,
                                       int which);
void sheet_check_text(const struct sheet *sheet, int row, const char *title, const char *text);
/* Checks the exact number and its text with that many decimals. */
void sheet_check_number(const struct sheet *sheet, int row, const char *title, int which,
                        double number, int decimals);
/* Checks the exact p-value and its text. */
void sheet_check_p(const struct sheet *sheet, int row, const char *title, double p);
/* True if some note contains `part`. */
bool sheet_has_note(const struct sheet *sheet, const char *part);

#endif
