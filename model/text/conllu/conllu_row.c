#include "model/text/conllu/conllu_row.h"

#include <string.h>

#include "model/text/lines.h"
#include "model/text/quote.h"

enum { COLUMNS = 10, COLUMNS_LEAST = 5, DIGITS_MOST = 8 };
enum { ID, FORM, UPOS = 3, HEAD = 6, DEPREL = 7, MISC = 9 };

/* Returns the text after a number without a sign; NULL: there is none. */
static const char *read_number(const char *text, int *number)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > DIGITS_MOST)
        return NULL;
    *number = 0;
    for (size_t i = 0; i < digits; i++)
        *number = *number * 10 + (text[i] - '0');
    return text + digits;
}

/* Reads the ID at the beginning of a line, which must be followed by `end`. */
static bool conllu_id_read(const char *text, char end, struct conllu_id *id)
{
    const char *rest = read_number(text, &id->first);
    id->kind = ROW_WORD;
    id->last = id->first;
    if (rest && (*rest == '-' || *rest == '.')) {
        id->kind = *rest == '-' ? ROW_RANGE : ROW_EMPTY;
        rest = read_number(rest + 1, &id->last);
    }
    return rest && *rest == end;
}

bool conllu_row_likely(const char *line)
{
    struct conllu_id id;
    int columns = 1;
    for (const char *at = line; (at = strchr(at, '\t')); at++)
        columns++;
    return columns >= COLUMNS_LEAST && conllu_id_read(line, '\t', &id);
}

static bool cut_columns(char *line, char *columns[COLUMNS], struct status *status)
{
    int count = 0;
    for (char *column; (column = strsep(&line, "\t")); count++)
        if (count < COLUMNS)
            columns[count] = column;
    if (count != COLUMNS)
        return status_fail(status, STATUS_INVALID,
                           "%d column%s, expected the 10 of CoNLL-U, separated by tabs", count,
                           count == 1 ? "" : "s");
    for (int i = 0; i < COLUMNS; i++)
        if (line_blank(columns[i]))
            return status_fail(status, STATUS_INVALID, "column %d is empty, expected _ there",
                               i + 1);
    return true;
}

/* MISC is a list: "SpaceAfter=No|Gloss=the". */
static bool is_glued(const char *misc)
{
    static const char item[] = "SpaceAfter=No";
    const size_t length = sizeof item - 1;
    for (const char *at = misc; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, item, length) == 0 && (!at[length] || at[length] == '|'))
            return true;
    }
    return false;
}

static bool read_head(const char *text, int *head, struct status *status)
{
    *head = -1;
    const char *rest = strcmp(text, "_") == 0 ? "" : read_number(text, head);
    return (rest && !*rest) ||
           status_fail(status, STATUS_INVALID, "HEAD \"%s\": expected a word's number, 0 or _",
                       QUOTED(text));
}

bool conllu_row_read(char *line, struct conllu_row *row, struct status *status)
{
    char *columns[COLUMNS];
    if (!cut_columns(line, columns, status))
        return false;
    if (!conllu_id_read(columns[ID], '\0', &row->id))
        return status_fail(status, STATUS_INVALID, "ID \"%s\": expected a number, 1-2 or 1.1",
                           QUOTED(columns[ID]));
    row->id_text = columns[ID];
    row->form = columns[FORM];
    row->upos = columns[UPOS];
    row->relation = columns[DEPREL];
    row->glued = is_glued(columns[MISC]);
    row->head = -1;
    return row->id.kind != ROW_WORD || read_head(columns[HEAD], &row->head, status);
}

const char *conllu_comment(const char *line, const char *key)
{
    size_t length = strlen(key);
    line++; // the #
    line += strspn(line, " \t");
    if (strncmp(line, key, length) != 0)
        return NULL;
    line += length;
    line += strspn(line, " \t");
    return *line == '=' ? line + 1 + strspn(line + 1, " \t") : NULL;
}
