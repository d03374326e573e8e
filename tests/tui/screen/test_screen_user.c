/* What a new user does at 80 x 24, with the program, its samples and `?` alone: translates, finds
 * the head that looks at the token before, switches it off, looks at what changed, compares with
 * another model, exports the figure. Numbers are those that --json gives. */
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"
#include "tests/support/tmux_support.h"

#define SAMPLE "samples/en-de.bin"
#define OTHER "samples/en-de-context.bin"
#define STARS "I have never seen so many stars in the sky."

enum { LAYERS = 4, HEADS = 8 };

/* The head of the encoder that looks most at the token before, on average. */
struct finding {
    int layer, head; // 1-based
    double share;    // of its weight
    json_t *weights; // [row][column]
};

static double weight(const json_t *weights, int row, int column)
{
    const json_t *value = json_array_get(json_array_get(weights, row), column);
    assert_true(json_is_real(value));
    return json_real_value(value);
}

static double share_before(const json_t *weights)
{
    int rows = (int)json_array_size(weights);
    double sum = 0;
    assert_true(rows > 2);
    for (int row = 1; row < rows; row++)
        sum += weight(weights, row, row - 1);
    return sum / (rows - 1);
}

/* What a line gives after others; freed with json_decref. */
static json_t *ask(const char *script, int line)
{
    const char *const arguments[] = {CPU, "--json", SAMPLE, NULL};
    struct outcome outcome = cli_run_with(arguments, script, strlen(script));
    json_t *object = cli_object(arguments, outcome.out, line);
    outcome_free(&outcome);
    assert_true(json_is_true(json_object_get(object, "ok")));
    return object;
}

static struct finding find_head(void)
{
    struct finding best = {0};
    for (int layer = 1; layer <= LAYERS; layer++) {
        for (int head = 1; head <= HEADS; head++) {
            char script[200];
            snprintf(script, sizeof script, STARS "\n:attn enc layer %d head %d\n", layer, head);
            json_t *object = ask(script, 1), *weights = json_object_get(object, "weights");
            double share = share_before(weights);
            if (share > best.share) {
                json_decref(best.weights);
                best = (struct finding){layer, head, share, json_incref(weights)};
            }
            json_decref(object);
        }
    }
    return best;
}

/* Score and text of the first hypothesis. */
static void read_best(const json_t *object, double *score, char *text, size_t size)
{
    const json_t *best = json_array_get(json_object_get(object, "hypotheses"), 0);
    *score = json_number_value(json_object_get(best, "score"));
    snprintf(text, size, "%s", json_string_value(json_object_get(best, "text")));
    assert_true(*text);
}

static void expect(const struct tmux *tmux, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void expect(const struct tmux *tmux, const char *format, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tmux_expect(tmux, text);
}

static struct tmux open_session(void)
{
    return tmux_open_program(
        &(struct tmux_spec){.columns = 80,
                            .rows = 24,
                            .environment = (const char *const[]){"COLORTERM=truecolor", NULL},
                            .arguments = (const char *const[]){CPU, SAMPLE, NULL}});
}

static void translate(const struct tmux *tmux)
{
    double score;
    char text[300];
    json_t *object = ask(STARS "\n", 0);
    read_best(object, &score, text, sizeof text);
    tmux_expect(tmux, "Type a sentence to translate it.");
    tmux_type(tmux, STARS);
    tmux_press(tmux, "Enter");
    expect(tmux, "output  %s", text);
    expect(tmux, "score %.4f", score);
    json_decref(object);
}

/* To the view, whose keys are listed then. */
static void enter_view(const struct tmux *tmux)
{
    tmux_press(tmux, "Escape");
    tmux_expect(tmux, "\n view  i prompt");
}

/* Help says what shows all heads and how to open one. */
static void read_help(const struct tmux *tmux)
{
    tmux_press(tmux, "?");
    tmux_expect(tmux, "in this view");
    tmux_expect(tmux, "the previous head, the next head");
    tmux_press(tmux, "Space");
    tmux_expect(tmux, "toggle overview of all layers and heads");
    tmux_press(tmux, "q");
    tmux_expect(tmux, "cross  layer 2/2  mean of 8 heads");
}

static void go_to_head(const struct tmux *tmux, const struct finding *found)
{
    tmux_press(tmux, "o");
    tmux_expect(tmux, "cross  layer 1-2  head 1-8  words");
    tmux_press(tmux, "Tab");
    tmux_expect(tmux, "encoder  layer 1-4  head 1-8  words");
    tmux_press(tmux, "w g g");
    tmux_expect_gone(tmux, "words");
    tmux_expect(tmux, "layer 1  head 1  max");
    for (int layer = 1; layer < found->layer; layer++)
        tmux_press(tmux, "j");
    for (int head = 1; head < found->head; head++)
        tmux_press(tmux, "l");
    expect(tmux, "layer %d  head %d  max", found->layer, found->head);
    tmux_press(tmux, "Enter");
    expect(tmux, "layer %d/4  head %d/8", found->layer, found->head);
}

/* Down the diagonal below the main one. */
static void look_at_weights(const struct tmux *tmux, const struct finding *found)
{
    static const char *const tokens[] = {"I", "have", "never", "seen", "so"};
    for (int row = 1; row < 5; row++) {
        tmux_press(tmux, "j");
        expect(tmux, "%s \xe2\x86\x92 %s  %.4f", tokens[row], tokens[row - 1],
               weight(found->weights, row, row - 1));
        tmux_press(tmux, "l");
    }
}

static void switch_off(const struct tmux *tmux, const struct finding *found)
{
    double score, before;
    char text[300], was[300], script[200];
    snprintf(script, sizeof script, ":disable enc layer %d head %d\n" STARS "\n", found->layer,
             found->head);
    json_t *object = ask(script, 1), *old = ask(STARS "\n", 0);
    read_best(object, &score, text, sizeof text);
    read_best(old, &before, was, sizeof was);
    tmux_press(tmux, "d");
    expect(tmux, "off: encoder layer %d head %d", found->layer, found->head);
    if (strcmp(text, was) == 0)
        tmux_expect(tmux, "translation unchanged; score ");
    else
        tmux_expect(tmux, " before  ");
    expect(tmux, "score \u2212%.4f (was \u2212%.4f)", -score, -before);
    tmux_press(tmux, "u");
    expect(tmux, "score %.4f", before);
    tmux_expect_gone(tmux, "off: encoder");
    json_decref(object);
    json_decref(old);
}

/* Both models are known by their files' names, without the ending too. */
static void compare(const struct tmux *tmux)
{
    double score;
    char text[300];
    json_t *object = ask(":load " OTHER "\n" STARS "\n", 1);
    read_best(object, &score, text, sizeof text);
    tmux_type(tmux, ":load " OTHER);
    tmux_press(tmux, "Enter");
    expect(tmux, "after   %.20s", text); // the translation changes
    expect(tmux, "score %.4f", score);
    tmux_type(tmux, ":beside en-de");
    tmux_press(tmux, "Enter");
    tmux_expect(tmux, "a: en-de.bin");
    tmux_expect(tmux, "b: current");
    json_decref(object);
}

static void export(const struct tmux *tmux)
{
    size_t bytes;
    const char *path = cli_path("seen.png");
    enter_view(tmux);
    tmux_press(tmux, "e");
    tmux_expect(tmux, ":export figure.png");
    tmux_press(tmux, "C-u"); // all before the ending
    tmux_type(tmux, ":export ");
    tmux_send(tmux, path, strlen(path) - strlen(".png"));
    tmux_press(tmux, "Enter");
    tmux_expect(tmux, "wrote ");
    char *file = cli_read(path, &bytes);
    assert_true(bytes > 1000);
    assert_memory_equal(file, "\x89PNG", 4);
    free(file);
}

static void a_new_user_finds_the_head_and_its_effect(void **state)
{
    struct finding found = find_head();
    struct tmux tmux = open_session();
    translate(&tmux);
    enter_view(&tmux);
    read_help(&tmux);
    go_to_head(&tmux, &found);
    look_at_weights(&tmux, &found);
    switch_off(&tmux, &found);
    compare(&tmux);
    export(&tmux);
    tmux_press(&tmux, "C-d");
    assert_int_equal(tmux_finish(&tmux), 0);
    tmux_close(&tmux);
    json_decref(found.weights);
}

/* What `:export NAME` at the prompt writes: the command that shows it. */
static void export_seen(const struct tmux *tmux, const char *name, char *command, size_t size)
{
    char line[300];
    snprintf(line, sizeof line, ":export %s", name);
    tmux_type(tmux, line);
    tmux_expect(tmux, line);
    tmux_press(tmux, "Enter");
    snprintf(line, sizeof line, "wrote %s", name);
    tmux_expect(tmux, line);
    json_t *object = json_load_file(name, 0, NULL);
    assert_non_null(object);
    const json_t *provenance = json_object_get(object, "provenance");
    snprintf(command, size, "%s", json_string_value(json_object_get(provenance, "command")));
    json_decref(object);
}

/* `:export FILE` right after a sentence writes the picture that is on the screen, and so it does
 * when a table that lay on the picture was left. The key `e` names the picture. */
static void what_is_seen_is_exported(void **state)
{
    char first[200], again[200], text[300];
    struct tmux tmux = open_session();
    translate(&tmux);
    tmux_expect(&tmux, "layer 1");
    export_seen(&tmux, "first.json", first, sizeof first);
    enter_view(&tmux);
    tmux_press(&tmux, "e");
    snprintf(text, sizeof text, ":export figure.png %s", first + 1); // without its colon
    tmux_expect(&tmux, text);
    tmux_press(&tmux, "Escape");
    tmux_expect_gone(&tmux, ":export figure.png");
    tmux_type(&tmux, ":align layer 1 head 1\r");
    tmux_expect(&tmux, "1 of 12");
    enter_view(&tmux);
    tmux_press(&tmux, "q");
    tmux_expect_gone(&tmux, "1 of 12");
    export_seen(&tmux, "again.json", again, sizeof again);
    assert_string_equal(again, first);
    tmux_press(&tmux, "C-d");
    assert_int_equal(tmux_finish(&tmux), 0);
    tmux_close(&tmux);
}

/* A model whose usual word is ESC, CR and a command. */
static const char *write_hostile_model(void)
{
    size_t bytes;
    char *content = cli_read(MODEL, &bytes), *word = memmem(content, bytes, "\nBaum\n", 6);
    const char *path = cli_path("hostile.bin");
    assert_non_null(word);
    memcpy(word + 1, "\033\rid", 4);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    free(content);
    return path;
}

static void what_is_copied_runs_nothing(void **state)
{
    static const char harmless[] = "\xE2\x90\x9B\xE2\x90\x8Did"; // pictures of ESC and CR
    const char *const arguments[] = {CPU, write_hostile_model(), NULL};
    struct tmux tmux =
        tmux_open_program(&(struct tmux_spec){.columns = 80, .rows = 24, .arguments = arguments});
    tmux_type(&tmux, "the dog\r");
    tmux_expect(&tmux, harmless);
    tmux_type(&tmux, ":lens\r");
    tmux_expect(&tmux, "1 of 7");
    enter_view(&tmux);
    tmux_press(&tmux, "y");
    char *cell = tmux_copied(&tmux);
    assert_string_equal(cell, harmless);
    free(cell);
    tmux_press(&tmux, "C-d");
    assert_int_equal(tmux_finish(&tmux), 0);
    tmux_close(&tmux);
}

/* The screen shows warnings about a model when it opens and when it is loaded. A table that no
 * command shows is not exported. */
static void the_screen_says_what_concerns_a_model(void **state)
{
    static const char *const arguments[] = {CPU, "tests/golden/formats/ct2-marian", NULL};
    struct tmux tmux =
        tmux_open_program(&(struct tmux_spec){.columns = 120, .rows = 24, .arguments = arguments});
    tmux_expect(&tmux, "ct2-marian: no tokeniser: separate pieces by spaces");
    tmux_type(&tmux, "qqq\r");
    tmux_expect(&tmux, "warning: not in the vocabulary: ");
    tmux_type(&tmux, ":load tests/golden/formats/ct2-bart\r");
    tmux_expect(&tmux, "ct2-bart: no tokeniser");
    tmux_press(&tmux, "Escape");
    tmux_expect(&tmux, "\n view ");
    tmux_press(&tmux, "S");
    tmux_expect(&tmux, "formats/ct2-marian");
    tmux_press(&tmux, "e");
    tmux_expect(&tmux, "what is shown cannot be exported");
    tmux_type(&tmux, "\007\004");
    assert_int_equal(tmux_finish(&tmux), 0);
    tmux_close(&tmux);
}

/* The reference values of :patch stand beneath its picture. */
static void a_picture_says_what_it_is_compared_with(void **state)
{
    static const char *const arguments[] = {CPU, SAMPLE, NULL};
    struct tmux tmux =
        tmux_open_program(&(struct tmux_spec){.columns = 100, .rows = 24, .arguments = arguments});
    tmux_expect(&tmux, "Type a sentence to translate it.");
    tmux_type(&tmux, "Two dogs are running.\r");
    tmux_expect(&tmux, "source  Two dogs are running.");
    tmux_type(&tmux, ":patch Two girls are running. ||| cross\r");
    tmux_expect(&tmux, "log-probability of the translation -1.9666, after the other sentence");
    tmux_type(&tmux, "\007\004");
    assert_int_equal(tmux_finish(&tmux), 0);
    tmux_close(&tmux);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_new_user_finds_the_head_and_its_effect),
                                       cmocka_unit_test(what_is_seen_is_exported),
                                       cmocka_unit_test(what_is_copied_runs_nothing),
                                       cmocka_unit_test(the_screen_says_what_concerns_a_model),
                                       cmocka_unit_test(a_picture_says_what_it_is_compared_with)};
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
