/* Heatmaps expected on the screen, computed from the output of --json. */
#include <math.h>

#include "tests/support/test.h"
#include "tests/tui/screen/screen_cells.h"

/* As in the manual: · continues a word, and SentencePiece's blank is not shown. */
static char *token_label(const char *token, bool pieces)
{
    static const char blank[] = "▁";
    bool begins = strncmp(token, blank, strlen(blank)) == 0 && token[strlen(blank)];
    char *label = NULL;
    if (!pieces || strcmp(token, blank) == 0 || *token == '<')
        matrix_label(&label, "%s", token);
    else
        matrix_label(&label, "%s%s", begins || strchr(".,?!-", *token) ? "" : "·",
                     begins ? token + strlen(blank) : token);
    return label;
}

static bool are_pieces(const json_t *tokens)
{
    size_t i;
    const json_t *token;
    json_array_foreach(tokens, i, token)
    {
        if (json_is_string(token) && strncmp(json_string_value(token), "▁", strlen("▁")) == 0)
            return true;
    }
    return false;
}

static void take_labels(char **labels, const json_t *tokens, bool pieces)
{
    size_t i;
    const json_t *token;
    json_array_foreach(tokens, i, token)
    {
        if (json_is_string(token))
            labels[i] = token_label(json_string_value(token), pieces);
    }
}

struct matrix matrix_new(int rows, int columns)
{
    struct matrix matrix = {.rows = rows, .columns = columns, .panel = "", .column_unit = ""};
    matrix.shares = true;
    matrix.values = calloc((size_t)rows * columns, sizeof *matrix.values);
    matrix.row_labels = calloc((size_t)rows, sizeof *matrix.row_labels);
    matrix.column_labels = calloc((size_t)columns, sizeof *matrix.column_labels);
    assert_true(rows > 0 && columns > 0);
    assert_true(matrix.values && matrix.row_labels && matrix.column_labels);
    return matrix;
}

void matrix_scale(struct matrix *matrix)
{
    for (int i = 0; i < matrix->rows * matrix->columns; i++)
        matrix->most = fmax(matrix->most, fabs(matrix->values[i]));
}

void matrix_label(char **label, const char *format, ...)
{
    va_list arguments;
    free(*label);
    va_start(arguments, format);
    assert_true(vasprintf(label, format, arguments) >= 0);
    va_end(arguments);
}

struct matrix matrix_make(const json_t *weights, const json_t *rows, const json_t *columns)
{
    struct matrix matrix = matrix_new((int)json_array_size(rows), (int)json_array_size(columns));
    bool pieces = are_pieces(rows) || are_pieces(columns);
    assert_int_equal(json_array_size(weights), matrix.rows);
    for (int r = 0; r < matrix.rows; r++) {
        const json_t *row = json_array_get(weights, (size_t)r);
        assert_int_equal(json_array_size(row), matrix.columns);
        for (int c = 0; c < matrix.columns; c++)
            matrix.values[(size_t)r * matrix.columns + c] =
                (float)json_double(json_array_get(row, (size_t)c));
    }
    take_labels(matrix.row_labels, rows, pieces);
    take_labels(matrix.column_labels, columns, pieces);
    matrix_scale(&matrix);
    return matrix;
}

struct matrix matrix_of(const json_t *object)
{
    return matrix_make(json_object_get(object, "weights"), json_object_get(object, "rows"),
                       json_object_get(object, "columns"));
}

void matrix_free(struct matrix *matrix)
{
    for (int r = 0; r < matrix->rows; r++)
        free(matrix->row_labels[r]);
    for (int c = 0; c < matrix->columns; c++)
        free(matrix->column_labels[c]);
    free(matrix->row_labels);
    free(matrix->column_labels);
    free(matrix->values);
    *matrix = (struct matrix){0};
}
