/* `:align` as plain text: a line for each token of the translation. */
#include "tui/display.h"
#include "tui/eye.h"
#include "tui/plain.h"

enum {
    LABEL_MOST = 24, // columns of a token
    NUMBER = 7       // " 0.1234"
};

int plain_aligned(const float *weights, int count, int places[ALIGNMENT_PLACES])
{
    int most = count < ALIGNMENT_PLACES ? count : ALIGNMENT_PLACES, named = 0;
    plain_strongest(weights, count, places, most);
    while (named < most && weights[places[named]] > 0 &&
           weights[places[named]] >= weights[places[0]] / 2)
        named++;
    return named;
}

static int widest_label(char *const *labels, int count)
{
    int widest = 1;
    for (int i = 0; i < count; i++) {
        int columns = display_width(labels[i]);
        widest = columns > widest ? columns : widest;
    }
    return widest < LABEL_MOST ? widest : LABEL_MOST;
}

/* The first is always there, others as far as `room` columns hold them. */
static void print_line(FILE *stream, const float *weights, int count, char *const *columns,
                       int label, int room)
{
    int places[ALIGNMENT_PLACES], named = plain_aligned(weights, count, places), used = 0;
    for (int p = 0; p < named; p++) {
        used += 2 + label + NUMBER;
        if (p > 0 && used > room)
            break;
        fputs("  ", stream);
        display_field(stream, columns[places[p]], label);
        fprintf(stream, " %.4f", weights[places[p]]);
    }
    fputs(named ? "\n" : "  -\n", stream);
}

void plain_alignment(FILE *stream, const struct session *session,
                     const struct attention_result *attention)
{
    int row_count = attention->rows.texts.count, count = attention->columns.texts.count;
    char **rows = eye_labels(session, &attention->rows, attention->words);
    char **columns = eye_labels(session, &attention->columns, attention->words);
    if (rows && columns) {
        int row_label = widest_label(rows, row_count), label = widest_label(columns, count);
        for (int r = 0; r < row_count; r++) {
            fputc(' ', stream);
            display_field(stream, rows[r], row_label);
            print_line(stream, attention->weights + (size_t)r * count, count, columns, label,
                       display_columns(stream) - 1 - row_label);
        }
    }
    eye_free(rows, row_count);
    eye_free(columns, count);
}
