#include "report/blocks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"

/* Values --------------------------------------------------------------------------------------- */

struct value value_text(const char *text)
{
    return (struct value){.kind = text ? VALUE_TEXT : VALUE_NULL, .text = text};
}

struct value value_int(int64_t integer)
{
    return (struct value){.kind = VALUE_INT, .integer = integer};
}

struct value value_real(double real)
{
    return (struct value){.kind = VALUE_REAL, .real = real};
}

struct value value_bool(bool truth)
{
    return (struct value){.kind = VALUE_BOOL, .truth = truth};
}

struct value value_null(void)
{
    return (struct value){.kind = VALUE_NULL};
}

struct value value_texts(const char *const *texts, int count)
{
    return (struct value){.kind = VALUE_TEXTS, .count = count, .texts = texts};
}

struct value value_ints(const int *ints, int count)
{
    return (struct value){.kind = VALUE_INTS, .count = count, .ints = ints};
}

struct value value_list(const struct value *list, int count)
{
    return (struct value){.kind = VALUE_LIST, .count = count, .list = list};
}

struct value value_array(const struct array *array)
{
    return (struct value){.kind = VALUE_ARRAY, .array = array};
}

struct value value_table(const struct table *table)
{
    return (struct value){.kind = VALUE_TABLE, .table = table};
}

struct value value_object(const struct blocks *blocks)
{
    return (struct value){.kind = VALUE_GROUP, .blocks = blocks};
}

const struct value *value_plain(const struct value *value)
{
    return value->kind == VALUE_SHOWN ? &value->shown->value : value;
}

bool value_absent(const struct value *value)
{
    return value->kind == VALUE_NULL || (value->kind == VALUE_REAL && isnan(value->real));
}

double value_order(const struct value *value)
{
    switch (value->kind) {
    case VALUE_INT:
        return (double)value->integer;
    case VALUE_REAL:
        return value->real;
    case VALUE_SHOWN:
        return value->shown->order;
    default:
        return NAN;
    }
}

/* Cells as people read them -------------------------------------------------------------------- */

#define P_LEAST 0.001 // smaller ones are written as "<0.001"

const char *p_text(double p, char text[P_BYTES])
{
    if (p < P_LEAST)
        snprintf(text, P_BYTES, "<%g", P_LEAST);
    else
        snprintf(text, P_BYTES, "%.3f", p);
    return text;
}

const char *p_equation(double p, char text[P_BYTES])
{
    if (p < P_LEAST)
        snprintf(text, P_BYTES, "p < %g", P_LEAST);
    else
        snprintf(text, P_BYTES, "p = %.3f", p);
    return text;
}

static void write_real(FILE *stream, const struct column *column, double value)
{
    char text[P_BYTES];
    switch (column->type) {
    case COLUMN_SIGNED:
        fprintf(stream, "%+.*f", column->digits, value);
        break;
    case COLUMN_PERCENT:
        fprintf(stream, "%.*f", PERCENT_DIGITS, 100 * value);
        break;
    case COLUMN_P:
        fputs(p_text(value, text), stream);
        break;
    default:
        fprintf(stream, "%.*f", column->digits, value);
    }
}

static void cell_write(FILE *stream, const struct column *column, const struct value *value);

static void write_list(FILE *stream, const struct column *column, const struct value *value)
{
    for (int i = 0; i < value->count; i++) {
        fputs(i ? ", " : "", stream);
        if (value->kind == VALUE_TEXTS)
            fputs(value->texts[i], stream);
        else if (value->kind == VALUE_INTS)
            fprintf(stream, "%d", value->ints[i]);
        else
            cell_write(stream, column, &value->list[i]);
    }
}

/* Writes a cell as its column formats it; nothing if it is absent. The text may hold any characters
 * (display.h). */
static void cell_write(FILE *stream, const struct column *column, const struct value *value)
{
    switch (value->kind) {
    case VALUE_TEXT:
        fputs(value->text, stream);
        break;
    case VALUE_INT:
        fprintf(stream, "%lld", (long long)value->integer);
        break;
    case VALUE_REAL:
        if (!value_absent(value))
            write_real(stream, column, value->real);
        break;
    case VALUE_BOOL:
        fputs(value->truth ? "yes" : "no", stream);
        break;
    case VALUE_TEXTS:
    case VALUE_INTS:
    case VALUE_LIST:
        write_list(stream, column, value);
        break;
    case VALUE_SHOWN:
        fputs(value->shown->text, stream);
        break;
    case VALUE_NULL:
    case VALUE_ARRAY:
    case VALUE_TABLE:
    case VALUE_GROUP:
        break;
    }
}

char *cell_text(const struct column *column, const struct value *value)
{
    struct written written;
    FILE *out = written_open(&written);
    if (!out)
        return NULL;
    cell_write(out, column, value);
    return written_close(&written);
}

bool column_of_numbers(const struct column *column)
{
    return column->type != COLUMN_TEXT && column->type != COLUMN_PARTS &&
           column->type != COLUMN_SENTENCE;
}
