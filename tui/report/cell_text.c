#include "tui/report/cell_text.h"

#include <stdlib.h>

static void write_real(FILE *stream, const struct column *column, double value)
{
    switch (column->type) {
    case COLUMN_SIGNED:
        fprintf(stream, "%+.*f", column->digits, value);
        break;
    case COLUMN_PERCENT:
        fprintf(stream, "%.*f", column->digits, 100 * value);
        break;
    case COLUMN_P:
        fprintf(stream, "%.4g", value);
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

/* Writes a cell as its column has it; nothing where it is absent. The text may hold anything
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
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    cell_write(out, column, value);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

bool column_of_numbers(const struct column *column)
{
    return column->type != COLUMN_TEXT && column->type != COLUMN_PARTS &&
           column->type != COLUMN_SENTENCE;
}
