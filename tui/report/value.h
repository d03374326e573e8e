/* One value of a report, as every presentation reads it. Plain data: values borrow what they point to, which
 * lives as long as the report (report.h). */
#ifndef ATTNSCOPE_VALUE_H
#define ATTNSCOPE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind {
    VALUE_NULL, // absent: null in JSON, an empty cell elsewhere
    VALUE_TEXT,
    VALUE_INT,
    VALUE_REAL, // NaN is absent
    VALUE_BOOL,
    VALUE_TEXTS, // (count)
    VALUE_INTS,  // (count)
    VALUE_LIST,  // (count) values of any kind
    VALUE_ARRAY, // floats of one to four dimensions
    VALUE_SHOWN, // a value that people read as something else
    VALUE_TABLE, // a table within a cell: in JSON an array of objects
    VALUE_GROUP  // blocks: in JSON an object
};

/* Numbers in C order. */
struct array {
    const float *values;
    int dimensions;
    size_t shape[4];
    const int64_t *integers; // in place of values, for arrays alone
};

struct shown;
struct table;
struct blocks;

struct value {
    enum value_kind kind;
    int count;
    union {
        const char *text;
        int64_t integer;
        double real;
        bool truth;
        const char *const *texts;
        const int *ints;
        const struct value *list;
        const struct array *array;
        const struct shown *shown;
        const struct table *table;
        const struct blocks *blocks;
    };
};

/* Programs read `value`; people read `text`, and sort by `order` (NaN: last). */
struct shown {
    struct value value;
    const char *text;
    double order;
};

/* NULL is absent. */
struct value value_text(const char *text);
struct value value_int(int64_t integer);
struct value value_real(double real);
struct value value_bool(bool truth);
struct value value_null(void);
struct value value_texts(const char *const *texts, int count);
struct value value_ints(const int *ints, int count);
struct value value_list(const struct value *list, int count);
struct value value_array(const struct array *array);
struct value value_table(const struct table *table);
struct value value_object(const struct blocks *blocks);

/* What programs read: of VALUE_SHOWN its value. */
const struct value *value_plain(const struct value *value);
/* Whether it is VALUE_NULL, or a NaN. */
bool value_absent(const struct value *value);
/* What people sort by: the number, NaN of what has none. */
double value_order(const struct value *value);

#endif
