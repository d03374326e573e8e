/* Readers of exported arrays and tables, written from the formats' descriptions, for tests. Every
 * function removes the file, and fails the running test if it cannot do its work.
 */
#ifndef ATTNSCOPE_TESTS_EXPORT_DATA_SUPPORT_H
#define ATTNSCOPE_TESTS_EXPORT_DATA_SUPPORT_H

#include "tests/report/output/export_support.h"

/* A file of numpy.lib.format, version 1.0. */
struct npy_read {
    char *content; // freed with free()
    const float *values;
    size_t shape[8], count;
    int dimensions;
};
struct npy_read read_npy(const char *name);

enum { CELLS_MOST = 4000 };

/* Cells of a table, line by line. */
struct cells {
    char *content, *text[CELLS_MOST]; // freed with free()
    int columns, count;               // of the first line
};

/* Reads a cell from a line and returns what follows; *ending: the character that ends it. CSV is
 * RFC 4180, except that a line may end in just \n; TSV is the same with tabs; what is pasted has
 * \t, \n, \r and \\. */
char *take_csv(char *in, char **cell, char *ending);
char *take_tsv(char *in, char **cell, char *ending);
char *take_pasted(char *in, char **cell, char *ending);
struct cells read_table(const char *name, char *(*take)(char *, char **, char *));

#endif
