/* Sessions as users have them, from a sentence to a figure, and through a test set. Words and their
 * weights are put together here from the tokens' own, and pictures are read by other software. */
#include <math.h>
#include <unistd.h>

#include "tests/render/picture_support.h"
#include "tests/report/output/export_support.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

#define GARDEN "Two men are sitting in the small garden."
#define BLANK "▁" // begins a word
enum { MOST_WORDS = 32, LAYERS = 2, HEADS = 8 };

/* Words of tokens ------------------------------------------------------------------------------ */

struct output_words {
    char text[MOST_WORDS][64];
    int first[MOST_WORDS + 1]; // token of each, and their number
    int count;
};

static bool is_special(const char *token)
{
    return *token == '<';
}

/* A word begins with a blank; what is special is a word of its own, and what follows it begins
 * one. */
static struct output_words join_tokens(const json_t *tokens)
{
    struct output_words words = {.count = 0};
    size_t i;
    const json_t *value;
    const char *last = "";
    json_array_foreach(tokens, i, value)
    {
        const char *token = json_string_value(value);
        bool begins = strncmp(token, BLANK, strlen(BLANK)) == 0;
        if (i == 0 || begins || is_special(token) || is_special(last)) {
            assert_true(words.count < MOST_WORDS);
            words.first[words.count++] = (int)i;
        }
        strcat(words.text[words.count - 1], begins ? token + strlen(BLANK) : token);
        last = token;
    }
    words.first[words.count] = (int)i;
    return words;
}

static double weight_at(const json_t *weights, int row, int column)
{
    const json_t *value = json_array_get(json_array_get(weights, row), column);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* Columns summed, rows averaged: (rows, columns). The sums of the rows are their tokens'
 * averages. */
static float *join_weights(const json_t *weights, const struct output_words *rows,
                           const struct output_words *columns)
{
    float *joined = calloc((size_t)rows->count * columns->count, sizeof *joined);
    for (int r = 0; r < rows->count; r++) {
        double row_sum = 0, token_sum = 0;
        int height = rows->first[r + 1] - rows->first[r];
        for (int c = 0; c < columns->count; c++) {
            double sum = 0;
            for (int i = rows->first[r]; i < rows->first[r + 1]; i++)
                for (int j = columns->first[c]; j < columns->first[c + 1]; j++)
                    sum += weight_at(weights, i, j);
            joined[r * columns->count + c] = (float)(sum / height);
            row_sum += sum / height;
            token_sum += sum;
        }
        assert_true(fabs(row_sum - token_sum / height) < 1e-9 && fabs(row_sum - 1) < 1e-5);
    }
    return joined;
}

static float greatest(const float *values, int count)
{
    float most = 0;
    for (int i = 0; i < count; i++)
        most = fmaxf(most, values[i]);
    return most;
}

/* The first session ---------------------------------------------------------------------------- */

/* The words' own view in JSON has the same numbers. */
static void check_words(const json_t *shown, const struct output_words *rows,
                        const struct output_words *columns, const float *joined)
{
    const json_t *weights = json_object_get(shown, "weights");
    assert_int_equal(json_array_size(weights), rows->count);
    for (int r = 0; r < rows->count; r++)
        for (int c = 0; c < columns->count; c++)
            if (!(fabs(weight_at(weights, r, c) - joined[r * columns->count + c]) <= 1e-6))
                fail_msg("%s, %s: %g, expected %g", rows->text[r], columns->text[c],
                         weight_at(weights, r, c), joined[r * columns->count + c]);
}

/* The grid: over every matrix its head and greatest weight. */
static void check_grid(char **text, const json_t *const heads[LAYERS][HEADS])
{
    session_line(text, " cross  layer 1-2  head 1-8  rows: target (predicted)", "\n");
    for (int layer = 0; layer < LAYERS; layer++) {
        char start[32], expected[200] = "", numbers[200] = "";
        snprintf(start, sizeof start, " layer %d", layer + 1);
        for (int head = 0; head < HEADS; head++) {
            const json_t *weights = json_object_get(heads[layer][head], "weights");
            double most = 0;
            for (int r = 0; r < (int)json_array_size(weights); r++)
                for (int c = 0; c < (int)json_array_size(json_array_get(weights, 0)); c++)
                    most = fmax(most, weight_at(weights, r, c));
            snprintf(expected + strlen(expected), 16, " %d %.2f", head + 1, most);
        }
        char *header = session_take_line(text, start), *rest;
        for (char *word = strtok_r(header, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
            snprintf(numbers + strlen(numbers), 16, " %s", word);
        assert_string_equal(numbers, expected);
        free(header);
        bool shaded = false;
        while (strncmp(*text, "         ", 9) == 0) {
            char *line = session_take_line(text, "         ");
            shaded |= strstr(line, "█") != NULL;
            free(line);
        }
        assert_true(shaded);
    }
}

static int columns_of(const char *text)
{
    int columns = 0; // no character here is wide
    for (; *text; text++)
        columns += (*text & 0xC0) != 0x80;
    return columns;
}

/* The matrix: a line for each word, shaded by quarters of the greatest weight. */
static void check_matrix(char **text, const struct output_words *rows,
                         const struct output_words *columns, const float *joined)
{
    static const char *const shades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
    float most = greatest(joined, rows->count * columns->count);
    int width = 0;
    for (int r = 0; r < rows->count; r++)
        width = columns_of(rows->text[r]) > width ? columns_of(rows->text[r]) : width;
    session_line(text, " cross  layer 2/2  head 3/8  words", "\n");
    session_line(text, " target words (predicted) ↓  source words →", "\n");
    while (strncmp(*text, "     ", 5) == 0)
        free(session_take_line(text, "     ")); // the columns' words run downwards
    for (int r = 0; r < rows->count; r++) {
        char line[400];
        snprintf(line, sizeof line, " %s%*s  ", rows->text[r], width - columns_of(rows->text[r]),
                 "");
        for (int c = 0; c < columns->count; c++)
            strcat(line, shades[lround(4 * joined[r * columns->count + c] / most)]);
        session_line(text, line, "\n");
    }
    char legend[64];
    snprintf(legend, sizeof legend, " 0 ░░▒▒▓▓██ %.3f  at ", most);
    free(session_take_line(text, legend));
}

/* Every head of the cross-attention over tokens, and the words of layer 2 head 3. */
static void capture(json_t *heads[LAYERS][HEADS], json_t **words)
{
    char script[2000] = GARDEN "\n";
    for (int i = 0; i < LAYERS * HEADS; i++)
        snprintf(script + strlen(script), 64, ":attn cross layer %d head %d\n", i / HEADS + 1,
                 i % HEADS + 1);
    strcat(script, ":attn cross layer 2 head 3 word\n");
    const char *const arguments[] = {CPU, "--json", SAMPLE, NULL};
    struct outcome outcome = cli_run_with(arguments, script, strlen(script));
    assert_int_equal(outcome.code, 0);
    for (int i = 0; i < LAYERS * HEADS; i++)
        heads[i / HEADS][i % HEADS] = cli_object(arguments, outcome.out, 1 + i);
    *words = cli_object(arguments, outcome.out, 1 + LAYERS * HEADS);
    outcome_free(&outcome);
}

static void a_head_goes_from_the_grid_into_a_figure(void **state)
{
    char export[300];
    snprintf(export, sizeof export, ":export %s", export_path("f.png"));
    const char *const arguments[] = {CPU,  SAMPLE,         "-e", GARDEN,
                                     "-e", ":heads cross", "-e", ":attn cross layer 2 head 3 word",
                                     "-e", export,         NULL};
    json_t *heads[LAYERS][HEADS], *word_view;
    capture(heads, &word_view);
    const json_t *tokens = heads[1][2];
    struct output_words rows = join_tokens(json_object_get(tokens, "rows"));
    struct output_words columns = join_tokens(json_object_get(tokens, "columns"));
    // Some words must have several tokens, on both sides.
    assert_true(rows.count < (int)json_array_size(json_object_get(tokens, "rows")));
    assert_true(columns.count < (int)json_array_size(json_object_get(tokens, "columns")));
    float *joined = join_weights(json_object_get(tokens, "weights"), &rows, &columns);
    check_words(word_view, &rows, &columns, joined);
    char *alone = session_translate(SAMPLE, NULL, GARDEN);
    char *out = session_print(arguments), *rest = out;
    session_line(&rest, "", alone);
    check_grid(&rest, (const json_t *const(*)[HEADS])heads);
    while (strncmp(rest, " cross", 6) != 0)
        free(session_take_line(&rest, "")); // the legend
    check_matrix(&rest, &rows, &columns, joined);
    assert_string_equal(rest, "");
    struct picture picture = read_picture("f.png");
    struct frame frames[4];
    assert_true(find_frames(&picture, 120, frames, 4) >= 1);
    check_cells(&picture, &frames[0], "viridis", joined, rows.count, columns.count, 0,
                greatest(joined, rows.count * columns.count));
    free(picture.pixels);
    free(joined);
    free(alone);
    free(out);
    json_decref(word_view);
    for (int i = 0; i < LAYERS * HEADS; i++)
        json_decref(heads[i / HEADS][i % HEADS]);
}

/* Heads and masks ------------------------------------------------------------------------------ */

static void heads_go_off_and_on_again(void **state)
{
    static const char *const arguments[] = {CPU,  SAMPLE,    "-e", ":disable enc head 1-7",
                                            "-e", GARDEN,    "-e", ":disabled",
                                            "-e", ":enable", NULL};
    char *alone = session_translate(SAMPLE, NULL, GARDEN);
    char *without = session_translate(SAMPLE, ":disable enc head 1-7", GARDEN);
    char *out = session_print(arguments), *rest = out;
    assert_string_not_equal(alone, without);
    session_line(&rest, "", without);
    session_line(&rest, "off: encoder layer 1-4 head 1-7", "\n");
    session_line(&rest, "all heads are on and as the checkpoint has them", "\n");
    session_comparison(&rest, (const char *const[2]){"before  ", "after   "},
                       (const char *const[2]){without, alone});
    assert_string_equal(rest, "");
    free(alone);
    free(without);
    free(out);
}

static void a_mask_stands_beside_what_was_before(void **state)
{
    static const char *const arguments[] = {CPU,  SAMPLE,   "-e", ":mask enc head 3,4 local 2",
                                            "-e", GARDEN,   "-e", ":beside before",
                                            "-e", ":reset", NULL};
    char *alone = session_translate(SAMPLE, NULL, GARDEN);
    char *masked = session_translate(SAMPLE, ":mask enc head 3,4 local 2", GARDEN);
    char *out = session_print(arguments), *rest = out;
    session_line(&rest, "", masked);
    session_line(&rest, " encoder  layer 1  head 1  after − before: identical", "\n");
    free(session_take_line(&rest, "before  score -"));
    free(session_take_line(&rest, "after  score -"));
    session_comparison(&rest, (const char *const[2]){"before  ", "after   "},
                       (const char *const[2]){alone, masked});
    assert_non_null(strstr(rest, "\n before\n"));
    assert_non_null(strstr(rest, "\n after\n"));
    assert_non_null(strstr(rest, "\n after - before\n"));
    // Head 1 is not among those masked, and the first layer sees the embeddings: nothing changes.
    assert_non_null(strstr(rest, "\n 0 everywhere\n"));
    free(alone);
    free(masked);
    free(out);
}

static void two_states_beside_each_other_become_a_figure(void **state)
{
    char export[300];
    size_t bytes;
    snprintf(export, sizeof export, ":export %s", export_path("f.png"));
    const char *const arguments[] = {CPU,  SAMPLE, "-e", ":mask enc head 3,4 local 2",
                                     "-e", GARDEN, "-e", ":beside before",
                                     "-e", export, NULL};
    free(session_print(arguments));
    char *content = export_read("f.png", &bytes);
    assert_true(bytes > 8);
    assert_memory_equal(content, "\x89PNG\r\n\x1a\n", 8);
    free(content);
}

/* Test sets ------------------------------------------------------------------------------------ */

enum { SENTENCES = 20, SEVENTEENTH = 16 };
static const char *const pairs[SENTENCES][2] = {
    {"Two dogs are running.", "Zwei Hunde rennen."},
    {"A boy reads a book.", "Ein Junge liest ein Buch."},
    {"He is old.", "Er ist alt."},
    {"The house is red.", "Das Haus ist rot."},
    {"We see a tree.", "Wir sehen einen Baum."},
    {"She drinks water.", "Sie trinkt Wasser."},
    {"My sister sings.", "Meine Schwester singt."},
    {"The cat sleeps.", "Die Katze schläft."},
    {"It is raining today.", "Heute regnet es."},
    {"They live in Berlin.", "Sie wohnen in Berlin."},
    {"The table is small.", "Der Tisch ist klein."},
    {"I have a brother.", "Ich habe einen Bruder."},
    {"A woman is cooking.", "Eine Frau kocht."},
    {"The children play.", "Die Kinder spielen."},
    {"The door is open.", "Die Tür ist offen."},
    {"You are my friend.", "Du bist mein Freund."},
    {"I like tea.", "Ich mag Tee."},
    {"The street is long.", "Die Straße ist lang."},
    {"A man is sitting on a chair.", "Ein Mann sitzt auf einem Stuhl."},
    {"Good night.", "Gute Nacht."},
};

static void write_side(const char *name, int side)
{
    FILE *file = fopen(export_path(name), "w");
    for (int i = 0; i < SENTENCES; i++)
        fprintf(file, "%s\n", pairs[i][side]);
    fclose(file);
}

/* What a walk shows of a sentence. */
static void check_sentence(char **text, int index)
{
    char start[32], line[100];
    char *alone = session_translate(SAMPLE, NULL, pairs[index][0]);
    snprintf(start, sizeof start, "%d/%d", index + 1, SENTENCES);
    snprintf(line, sizeof line, "%-11s%s", start, pairs[index][0]);
    session_line(text, line, "\n");
    session_line(text, "output     ", alone);
    snprintf(line, sizeof line, "reference  %s", pairs[index][1]);
    session_line(text, line, "\n");
    free(alone);
}

static void a_test_set_is_walked(void **state)
{
    char line[500], score[200];
    write_side("a.en", 0);
    write_side("a.de", 1);
    snprintf(line, sizeof line, ":open %s ", export_path("a.en"));
    strcat(line, export_path("a.de"));
    snprintf(score, sizeof score, ":score %s ||| %s", pairs[SEVENTEENTH][0], pairs[SEVENTEENTH][1]);
    const char *const arguments[] = {CPU,  SAMPLE,   "-e", line,    "-e", ":goto 17",
                                     "-e", ":force", "-e", ":next", NULL};
    const char *const alone[] = {CPU, SAMPLE, "-e", score, NULL};
    char *scored = session_print(alone), *scores = scored;
    char *forced = session_take_line(&scores, "");
    char *out = session_print(arguments), *rest = out;
    check_sentence(&rest, 0);
    check_sentence(&rest, SEVENTEENTH);
    session_line(&rest, "", forced);
    check_sentence(&rest, SEVENTEENTH + 1);
    assert_string_equal(rest, "");
    unlink(export_path("a.en"));
    unlink(export_path("a.de"));
    free(forced);
    free(scored);
    free(out);
}

static int open_folders(void **state)
{
    return cli_open(state) == 0 ? export_open(state) : -1;
}

static int close_folders(void **state)
{
    return export_close(state) == 0 ? cli_close(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_goes_from_the_grid_into_a_figure),
        cmocka_unit_test(heads_go_off_and_on_again),
        cmocka_unit_test(a_mask_stands_beside_what_was_before),
        cmocka_unit_test(two_states_beside_each_other_become_a_figure),
        cmocka_unit_test(a_test_set_is_walked),
    };
    return cmocka_run_group_tests(tests, open_folders, close_folders);
}
