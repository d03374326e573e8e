#include "model/study/shards/record.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Shapes --------------------------------------------------------------------------------------- */

void record_shape_dimension(struct record_shape *shape, int least, int most)
{
    const int at = shape->dimension_count++;
    shape->dimensions[at].least = least;
    shape->dimensions[at].most = most;
}

bool record_shape_add(struct record_shape *shape, struct record_field field, struct status *status)
{
    if (!memory_grow((void **)&shape->fields, &shape->capacity, (size_t)shape->count + 1,
                     sizeof *shape->fields, status))
        return false;
    shape->fields[shape->count++] = field;
    return true;
}

void record_shape_free(struct record_shape *shape)
{
    free(shape->fields);
    *shape = (struct record_shape){0};
}

/* Numbers -------------------------------------------------------------------------------------- */

bool record_put(struct record *record, double number, struct status *status)
{
    if (!memory_grow((void **)&record->numbers, &record->capacity, (size_t)record->count + 1,
                     sizeof *record->numbers, status))
        return false;
    record->numbers[record->count++] = number;
    return true;
}

bool record_put_floats(struct record *record, const float *numbers, int count,
                       struct status *status)
{
    bool ok = true;
    for (int i = 0; ok && i < count; i++)
        ok = record_put(record, numbers[i], status);
    return ok;
}

void record_clear(struct record *record)
{
    record->count = 0;
    record->text = "";
}

void record_free(struct record *record)
{
    free(record->numbers);
    *record = (struct record){0};
}

static int rows_of(const struct record_shape *shape, const struct record *record, int field)
{
    const int dimension = shape->fields[field].rows;
    return dimension == RECORD_ONE ? 1 : (int)record->numbers[dimension];
}

const double *record_numbers(const struct record_shape *shape, const struct record *record,
                             int field, int *rows)
{
    const double *numbers = record->numbers + shape->dimension_count;
    for (int f = 0; f < field; f++)
        numbers += (size_t)rows_of(shape, record, f) * (size_t)shape->fields[f].width;
    *rows = rows_of(shape, record, field);
    return numbers;
}

/* Checking ------------------------------------------------------------------------------------- */

static bool check_number(const struct record *record, int at, double least, double most, bool whole,
                         struct status *status)
{
    const double number = record->numbers[at];
    return (number >= least && number <= most && (!whole || number == trunc(number))) ||
           status_fail(status, STATUS_INVALID, "number %d: %g, expected %s%g to %g", at + 1, number,
                       whole ? "an integer from " : "", least, most);
}

static bool check_dimensions(const struct record_shape *shape, const struct record *record,
                             struct status *status)
{
    for (int d = 0; d < shape->dimension_count; d++)
        if (!check_number(record, d, shape->dimensions[d].least, shape->dimensions[d].most, true,
                          status))
            return false;
    return true;
}

static bool check_count(const struct record *record, int64_t expected, struct status *status)
{
    return record->count == expected ||
           status_fail(status, STATUS_INVALID, "%d numbers, expected %lld", record->count,
                       (long long)expected);
}

bool record_check(const struct record_shape *shape, const struct record *record,
                  struct status *status)
{
    int64_t expected = shape->dimension_count;
    if (record->count < expected)
        return check_count(record, expected, status);
    if (!check_dimensions(shape, record, status))
        return false;
    for (int f = 0; f < shape->count; f++)
        expected += (int64_t)rows_of(shape, record, f) * shape->fields[f].width;
    if (!check_count(record, expected, status))
        return false;
    for (int f = 0, at = shape->dimension_count; f < shape->count; f++) {
        const struct record_field *field = &shape->fields[f];
        for (int end = at + rows_of(shape, record, f) * field->width; at < end; at++)
            if (!check_number(record, at, field->least, field->most, field->whole, status))
                return false;
    }
    return true;
}

/* Text ----------------------------------------------------------------------------------------- */

/* Writes integers briefly and all other numbers to the last bit. */
static void write_number(FILE *out, double number)
{
    if (fabs(number) <= INT32_MAX && number == trunc(number))
        fprintf(out, " %d", (int)number);
    else
        fprintf(out, " %a", number);
}

char *record_write(const struct record *record, struct status *status)
{
    char *value = NULL;
    size_t size;
    FILE *out = open_memstream(&value, &size);
    if (out) {
        fprintf(out, "%d", record->count);
        for (int i = 0; i < record->count; i++)
            write_number(out, record->numbers[i]);
        fprintf(out, " %s", record->text ? record->text : "");
    }
    if (out && fclose(out) == 0)
        return value;
    free(value);
    status_no_memory(status);
    return NULL;
}

bool record_read(const char *value, const struct record_shape *shape, struct record *record,
                 struct status *status)
{
    char *end;
    record_clear(record);
    const long count = strtol(value, &end, 10);
    bool good = end > value && count >= 0 && count <= INT32_MAX;
    for (long i = 0; good && i < count; i++) {
        const char *at = end;
        const double number = strtod(at, &end);
        good = end > at;
        if (good && !record_put(record, number, status))
            return false;
    }
    if (!good || *end != ' ')
        return status_fail(status, STATUS_INVALID, "no record: expected COUNT NUMBER... TEXT");
    record->text = end + 1;
    if (*record->text && !shape->text)
        return status_fail(status, STATUS_INVALID, "a text, expected numbers alone");
    return record_check(shape, record, status);
}
