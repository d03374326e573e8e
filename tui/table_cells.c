#include "tui/table_cells.h"

#include <math.h>
#include <string.h>

void separate(struct table *table)
{
    if (table->begun)
        fputc(table->format == TABLE_CSV ? ',' : '\t', table->stream);
    table->begun = true;
}

void end_line(struct table *table)
{
    fputc('\n', table->stream);
    table->begun = false;
}

static void write_quoted(FILE *stream, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++)
        fprintf(stream, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', stream);
}

static void write_escaped(FILE *stream, const char *text)
{
    static const char special[] = "\t\n\r\\", letters[] = "tnr\\";
    for (; *text; text++) {
        const char *found = strchr(special, *text);
        if (found)
            fprintf(stream, "\\%c", letters[found - special]);
        else
            fputc(*text, stream);
    }
}

void put_text(struct table *table, const char *text)
{
    separate(table);
    if (table->format == TABLE_CSV)
        write_quoted(table->stream, text);
    else
        write_escaped(table->stream, text);
}

void put_count(struct table *table, long long value)
{
    separate(table);
    fprintf(table->stream, "%lld", value);
}

void put_value(struct table *table, double value)
{
    separate(table);
    if (!isnan(value))
        fprintf(table->stream, "%.9g", value);
}

void put_header(struct table *table, const char *const *names)
{
    for (; *names; names++)
        put_text(table, *names);
    end_line(table);
}
