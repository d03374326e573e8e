/* Tables of results for tests. Every function fails the running test when something is not as it
 * should be. */
#ifndef ATTNSCOPE_TESTS_SHEET_SUPPORT_H
#define ATTNSCOPE_TESTS_SHEET_SUPPORT_H

#include "tests/support/commands_support.h"
#include "tui/screen/sheet/sheet.h"

#define SHEET_SOURCES "the dog\na small old cat sees the river .\n\nhe sees a dog\nthe cat\n"
#define SHEET_REFERENCES                                                                           \
    "der Hund\neine kleine Katze sieht den Fluss .\n\ner sieht einen Hund\nKatze\n"

/* A contrastive suite. One item has two errors of different types, one a line break in its
 * source. */
#define SHEET_SUITE                                                                                \
    "[{\"source\": \"the dog\", \"reference\": \"der Hund\", \"errors\": ["                        \
    "{\"contrastive\": \"Hund der\", \"type\": \"order\"},"                                        \
    "{\"contrastive\": \"die Katze sieht\", \"type\": \"word\", \"distance\": 2}]},"               \
    "{\"source\": \"the cat\", \"reference\": \"die Katze sieht\", \"errors\": ["                  \
    "{\"contrastive\": \"die Katze\", \"type\": \"word\"}]},"                                      \
    "{\"source\": \"the\\ncat\", \"reference\": \"der Hund\", \"errors\": ["                       \
    "{\"contrastive\": \"Hund\", \"type\": \"word\"}]}]"

/* Runs a line, and makes a table of what it gives; both are the caller's to free. */
struct sheet sheet_of_line(struct bench *bench, const char *line, struct report *result);

/* Runs what Enter on a row runs; the last line's result is the caller's to free. */
struct report sheet_enter(struct bench *bench, const struct sheet *sheet, int row);

/* The cell of a row, as they came, in the column with that title; `which`, from 0, of several. */
const struct sheet_cell *sheet_cell_at(const struct sheet *sheet, int row, const char *title,
                                       int which);
void sheet_check_text(const struct sheet *sheet, int row, const char *title, const char *text);
/* The number itself, and as it reads with that many decimals. */
void sheet_check_number(const struct sheet *sheet, int row, const char *title, int which,
                        double number, int decimals);
/* A p-value, exactly, and as it reads. */
void sheet_check_p(const struct sheet *sheet, int row, const char *title, double p);
/* True if some note has that part. */
bool sheet_has_note(const struct sheet *sheet, const char *part);

#endif
