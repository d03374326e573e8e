/* Writes JSON incrementally, without a tree. The caller opens and closes containers in order; the
 * writer inserts commas.
 *
 * The output is always valid: numbers have 9 significant digits; NaN and infinities become null;
 * control characters and line separators are escaped (OUTLET_ESCAPED), so that every reader sees
 * one line; invalid UTF-8 becomes U+FFFD. Write errors stay with the stream (ferror).
 */
#ifndef ATTNSCOPE_JSON_WRITER_H
#define ATTNSCOPE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/report.h"
#include "terminal/pace.h"

struct json_writer {
    FILE *stream;
    int depth;
    uint64_t filled;   // bit d: the container at depth d has a member; up to 64 levels
    bool keyed;        // a key was just written
    struct pace *pace; // of the numbers of put_floats, which are left out once it stops;
                       // NULL: nobody watches
};

void put_object(struct json_writer *json);
void put_object_end(struct json_writer *json);
void put_array(struct json_writer *json);
void put_array_end(struct json_writer *json);
void put_key(struct json_writer *json, const char *key);

void put_string(struct json_writer *json, const char *text);
void put_int(struct json_writer *json, int64_t value);
void put_number(struct json_writer *json, double value);
void put_bool(struct json_writer *json, bool value);
void put_null(struct json_writer *json);
void put_json(struct json_writer *json, const char *value); // a value already in JSON

/* A key and its value. */
void put_member_string(struct json_writer *json, const char *key, const char *text);
void put_member_bool(struct json_writer *json, const char *key, bool value);

/* Lists. */
void put_strings(struct json_writer *json, const char *const *texts, int count);
void put_ints(struct json_writer *json, const int *values, int count);
void put_floats(struct json_writer *json, const float *values, int count);

/* One value of a report; a report, whose blocks become members of the open object. */
void json_value(struct json_writer *json, const struct value *value);
void json_report(struct json_writer *json, const struct report *report);

#endif
