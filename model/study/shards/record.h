/* A record: the numbers, and perhaps a text, that a study measures for one sentence. Each study
 * declares the shape of its records, so that a single reader can check records from files for all
 * studies.
 *
 *     zero-initialise; record_put each number in the order of the shape: first the dimensions, then
 *     the fields; record_free
 */
#ifndef ATTNSCOPE_RECORD_H
#define ATTNSCOPE_RECORD_H

#include "base/status.h"

enum { RECORD_DIMENSIONS = 2, RECORD_ONE = -1, RECORD_ROWS_MOST = 1 << 20 };

/* Rows of `width` numbers from `least` to `most`. NaN is not allowed. */
struct record_field {
    int rows; // the dimension that gives their number; RECORD_ONE: one row
    int width;
    double least, most;
    bool whole; // integers
};

struct record_shape {
    struct {
        int least, most;
    } dimensions[RECORD_DIMENSIONS]; // (dimension_count): ranges of row counts
    int dimension_count;
    struct record_field *fields; // (count); owned
    int count;
    size_t capacity;
    bool text; // records have a text
};
void record_shape_dimension(struct record_shape *shape, int least, int most);
bool record_shape_add(struct record_shape *shape, struct record_field field, struct status *status);
void record_shape_free(struct record_shape *shape); // leaves it empty

struct record {
    double *numbers; // (count); owned
    int count;
    size_t capacity;
    const char *text; // borrowed; never NULL in a record read from text
};
bool record_put(struct record *record, double number, struct status *status);
bool record_put_floats(struct record *record, const float *numbers, int count,
                       struct status *status);
void record_clear(struct record *record);
void record_free(struct record *record); // leaves it empty

/* The numbers of a field in a checked record, and its number of rows. */
const double *record_numbers(const struct record_shape *shape, const struct record *record,
                             int field, int *rows);

/* Fails (STATUS_INVALID) if the numbers do not fit the shape: "number 3: nan, expected 0 to 1". */
bool record_check(const struct record_shape *shape, const struct record *record,
                  struct status *status);

/* Converts a record to text, "COUNT NUMBER... TEXT", and back. The caller frees the written value
 * with free(); a record borrows its text from the value that it was read from. STATUS_INVALID: the
 * value is not a record of the shape. */
char *record_write(const struct record *record, struct status *status);
bool record_read(const char *value, const struct record_shape *shape, struct record *record,
                 struct status *status);

#endif
