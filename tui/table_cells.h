/* The cells of a table, and tables that fill a file of their own. Inside tables*.c alone.
 *
 *     put_header; put_text, put_count, put_value for each cell and end_line for each line
 */
#ifndef ATTNSCOPE_TABLE_CELLS_H
#define ATTNSCOPE_TABLE_CELLS_H

#include "tui/tables.h"

struct table {
    FILE *stream;
    enum table_format format;
    struct pace *pace;
    bool begun; // the line has a cell already
};

/* Begins a cell; what is written to the stream then fills it. */
void separate(struct table *table);
void put_text(struct table *table, const char *text);
void put_count(struct table *table, long long value);
void put_value(struct table *table, double value); // NaN: an empty cell
void end_line(struct table *table);
/* A line of names; NULL at the end. */
void put_header(struct table *table, const char *const *names);

/* Module, layer and head: three cells. */
void put_ablation(struct table *table, const struct ablation *ablation);

/* The sentences that a study lists. */
bool put_study_sentences(struct table *table, const struct study_result *study);

bool table_ablate(struct table *table, const struct result *view, struct status *status);
bool table_prune(struct table *table, const struct result *view, struct status *status);
bool table_contrast(struct table *table, const struct result *view, struct status *status);
bool table_contrast_ablate(struct table *table, const struct result *view, struct status *status);
bool table_across(struct table *table, const struct result *view, struct status *status);
bool table_flips(struct table *table, const struct result *view, struct status *status);

#endif
