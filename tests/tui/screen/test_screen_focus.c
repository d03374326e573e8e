/* What has the focus, the prompt or the view: nothing that is typed or pasted is ever lost, the
 * first key at an empty prompt decides, and which of the two it is stands on the screen. At 80 x 24
 * and less. */
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"
#include "tests/support/tmux_support.h"

#define SAMPLE "samples/en-de.bin"
#define OTHER "samples/en-de-context.bin"
#define DOGS "I like dogs."
#define FIRST_HEAD "encoder  layer 1/4  head 1/8"

static const char *const sentences[] = {DOGS, "A man sees a child.", "use big words: do it"};
enum { SENTENCES = sizeof sentences / sizeof *sentences };

static struct tmux open_at(int columns, const char *record)
{
    struct tmux tmux =
        tmux_open_program(&(struct tmux_spec){.columns = columns,
                                              .rows = 24,
                                              .arguments = (const char *const[]){CPU, SAMPLE, NULL},
                                              .record = record});
    tmux_expect(&tmux, "Type a sentence to translate it.");
    return tmux;
}

static struct tmux open_session(void)
{
    return open_at(80, NULL);
}

static void close_session(struct tmux *tmux)
{
    tmux_type(tmux, "\007\004"); // from wherever
    assert_int_equal(tmux_finish(tmux), 0);
    tmux_close(tmux);
}

static void expect_prompt(const struct tmux *tmux)
{
    tmux_expect_format(tmux, "#{cursor_flag}", "1");
    tmux_expect(tmux, "\n prompt  ");
}

static void expect_view(const struct tmux *tmux)
{
    tmux_expect_format(tmux, "#{cursor_flag}", "0");
    tmux_expect(tmux, "\n view  i prompt  ");
}

/* An empty prompt is the last line. */
static void expect_empty_prompt(const struct tmux *tmux)
{
    expect_prompt(tmux);
    tmux_expect_match(tmux, "^en-de> *$");
}

static void translate(const struct tmux *tmux, const char *sentence)
{
    char source[200];
    snprintf(source, sizeof source, "source  %s", sentence);
    tmux_type(tmux, sentence);
    tmux_press(tmux, "Enter");
    tmux_expect(tmux, source);
}

/* The translation, by the same program that runs separately. */
static void expect_output(const struct tmux *tmux, const char *sentence)
{
    const char *const arguments[] = {CPU, "--json", SAMPLE, "-e", sentence, NULL};
    char text[400];
    struct outcome outcome = cli_run(arguments);
    json_t *object = cli_object(arguments, outcome.out, 0);
    const json_t *best = json_array_get(json_object_get(object, "hypotheses"), 0);
    snprintf(text, sizeof text, "output  %s", json_string_value(json_object_get(best, "text")));
    tmux_expect(tmux, text);
    json_decref(object);
    outcome_free(&outcome);
}

static void sentences_are_translated_one_after_the_other(void **state)
{
    struct tmux tmux = open_session();
    for (int i = 0; i < SENTENCES; i++) {
        translate(&tmux, sentences[i]);
        expect_output(&tmux, sentences[i]);
        expect_empty_prompt(&tmux);
    }
    for (int i = 0; i < SENTENCES; i++) { // faster than they can be answered
        tmux_type(&tmux, sentences[i]);
        tmux_type(&tmux, "\r");
    }
    expect_output(&tmux, sentences[SENTENCES - 1]);
    expect_empty_prompt(&tmux);
    for (int i = SENTENCES - 1; i >= 0; i--) {
        char line[100];
        snprintf(line, sizeof line, "en-de> %s", sentences[i]);
        tmux_press(&tmux, "Up");
        tmux_expect(&tmux, line);
    }
    close_session(&tmux);
}

/* The first key -------------------------------------------------------------------------------- */

static void the_first_key_decides(void **state)
{
    static const struct {
        const char *keys; // as a terminal sends them
        const char *seen;
        bool view;
    } cases[] = {
        {"\033OC", "encoder  layer 1/4  head 2/8", true}, // right
        {"\033OD", "encoder  layer 1/4  head 1/8", true}, // left, and so on from there
        {"\t", "decoder  layer 1/2  head 1/8", true},
        {"\033[Z", "encoder  layer 1/4  head 1/8", true}, // Shift-Tab
        {"\033", "encoder  layer 1/4  head 1/8", true},   // Esc only enters
        {"\033OCd", "off: encoder layer 1 head 2", true}, // letters are keys then
        {"D", "en-de> D", false},                         // else text
        {":", "en-de> :", false},
        {"\033[A", "en-de> " DOGS, false},          // up: what was typed before
        {"\033[1;2A", "en-de> " DOGS, false},       // with Shift as well
        {"\033[1;5Ax", "en-de> " DOGS "x", false},  // and with Control
        {"\033[6~\033[5~x", "\nen-de> x\n", false}, // a page down, a page up
        {"\033[5;2~\033[6;5~x", "\nen-de> x\n", false},
        {"\033[15~\033[24~\033OPx", "\nen-de> x\n", false}, // F5, F12, F1
        {"\033[2~\033[1;3Q\033Oux", "\nen-de> x\n", false}, // Insert, Alt-F2, the keypad's 5
        {"\r", "encoder  layer 1/4  head 2/8", true},       // nothing was entered
        {"\rl", "encoder  layer 1/4  head 2/8", true},      // and keys are the view's then
        {"\033OB", "encoder  layer 2/4  head 2/8", true},   // down
    };
    struct tmux tmux = open_session();
    translate(&tmux, DOGS);
    tmux_type(&tmux, ":attn enc layer 1 head 1\r");
    tmux_expect(&tmux, FIRST_HEAD);
    tmux_type(&tmux, DOGS "\r");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_empty_prompt(&tmux);
        tmux_type(&tmux, cases[i].keys);
        tmux_expect(&tmux, cases[i].seen);
        if (cases[i].view) {
            expect_view(&tmux);
            tmux_type(&tmux, "i");
        } else {
            expect_prompt(&tmux);
            tmux_press(&tmux, "C-c");
        }
    }
    close_session(&tmux);
}

/* There is no view to enter yet. */
static void before_the_first_sentence_keys_stay_at_the_prompt(void **state)
{
    struct tmux tmux = open_session();
    tmux_type(&tmux, "\033OC\033OD\033[6~");
    tmux_click(&tmux, 5, 5, TMUX_LEFT);
    tmux_type(&tmux, ":dis\t");
    tmux_expect(&tmux, "en-de> :disable");
    expect_prompt(&tmux);
    close_session(&tmux);
}

/* In the model's own language, and the first screen says all of it where it is narrow, too. */
static void an_empty_line_translates_the_example(void **state)
{
    static const struct {
        const char *model, *source;
    } models[] = {{"samples/en-de.bin", "source  I have"}, {"samples/ja-en.bin", "source  空に"}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct tmux tmux = tmux_open_program(
            &(struct tmux_spec){.columns = 20,
                                .rows = 24,
                                .arguments = (const char *const[]){CPU, models[i].model, NULL}});
        tmux_expect(&tmux, ":open FILE");
        tmux_expect(&tmux, ":quit");
        tmux_type(&tmux, "\r");
        tmux_expect(&tmux, models[i].source);
        tmux_type(&tmux, "\004");
        assert_int_equal(tmux_finish(&tmux), 0);
        tmux_close(&tmux);
    }
}

/* With text in the line, its keys are those of a line. */
static void keys_in_a_line_edit_it(void **state)
{
    struct tmux tmux = open_session();
    translate(&tmux, DOGS);
    tmux_type(&tmux, "ac\033ODb\033OC.\t");
    tmux_expect(&tmux, "\nen-de> abc.\n");
    expect_prompt(&tmux);
    close_session(&tmux);
}

static void a_page_scrolls_and_the_line_stays(void **state)
{
    struct tmux tmux = open_session();
    tmux_type(&tmux, ":help stats\r");
    tmux_expect(&tmux, "1-");
    tmux_type(&tmux, "half");
    tmux_expect(&tmux, "en-de> half");
    tmux_press(&tmux, "PageDown");
    tmux_expect_gone(&tmux, " 1-");
    tmux_press(&tmux, "PageUp");
    tmux_expect(&tmux, " 1-");
    tmux_click(&tmux, 8, 8, TMUX_DOWN);
    tmux_expect(&tmux, " 4-");
    tmux_type(&tmux, "!");
    tmux_expect(&tmux, "\nen-de> half!\n");
    expect_prompt(&tmux);
    close_session(&tmux);
}

/* A click goes to the view, on the line at the bottom to the prompt. What had been typed comes back
 * with Up. */
static void a_click_moves_the_focus(void **state)
{
    int row = 7, column; // below the labels of the columns
    struct tmux tmux = open_session();
    translate(&tmux, DOGS);
    tmux_type(&tmux, ":attn enc layer 1 head 1\r");
    tmux_expect(&tmux, FIRST_HEAD);
    expect_empty_prompt(&tmux);
    tmux_type(&tmux, "half a line");
    tmux_expect(&tmux, "en-de> half a line");
    struct tmux_screen screen = tmux_capture(&tmux);
    assert_true(tmux_find(&screen, " like ", &row, &column));
    tmux_screen_free(&screen);
    tmux_click(&tmux, row, column + 7, TMUX_LEFT);
    tmux_expect(&tmux, "\n like \xe2\x86\x92 I  ");
    expect_view(&tmux);
    tmux_click(&tmux, 23, 20, TMUX_LEFT);
    expect_empty_prompt(&tmux);
    tmux_press(&tmux, "Up");
    tmux_expect(&tmux, "en-de> half a line");
    close_session(&tmux);
}

/* Pastes --------------------------------------------------------------------------------------- */

/* Every line of it is run, wherever the focus is, and none is taken as keys: those of the lines
 * would switch heads off, open other views and end the session. */
static void a_paste_goes_to_the_prompt(void **state)
{
    static const char *const places[] = {NULL, "", "?", "12", ":info\r\033"}; // NULL: the prompt
    static const char pasted[] = "The dog sleeps.\rd o u w 8d\r:set beam 3\rI see you.";
    struct tmux tmux = open_session();
    translate(&tmux, DOGS);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (places[i]) {
            tmux_press(&tmux, "Escape");
            expect_view(&tmux);
            tmux_type(&tmux, places[i]);
            expect_view(&tmux);
        }
        tmux_type(&tmux, "\033[200~");
        tmux_type(&tmux, pasted);
        tmux_type(&tmux, "\033[201~");
        expect_prompt(&tmux);
        tmux_expect(&tmux, "en-de> The dog sleeps.");
        tmux_expect(&tmux, "I see you.");
        tmux_expect(&tmux, "source  " DOGS); // nothing has run
        tmux_press(&tmux, "Enter");
        tmux_expect(&tmux, "source  I see you.");
        expect_empty_prompt(&tmux);
        tmux_type(&tmux, ":set beam\r");
        tmux_expect_match(&tmux, "beam +3 ");
        tmux_type(&tmux, ":set beam 5\r" DOGS "\r");
        tmux_expect(&tmux, "source  " DOGS);
    }
    close_session(&tmux);
}

/* A line that fails does not keep those after it from being run, as it would not if they were
 * typed. */
static void a_paste_runs_every_line(void **state)
{
    struct tmux tmux = open_session();
    tmux_type(&tmux, "\033[200~The dog sleeps.\r:nonsense\rI see you.\033[201~\r");
    tmux_expect(&tmux, "source  I see you.");
    tmux_expect(&tmux, "unknown command :nonsense");
    expect_empty_prompt(&tmux);
    close_session(&tmux);
}

/* Nor is any of it lost where a picture fills the screen. */
static void a_paste_ends_a_picture(void **state)
{
    struct tmux tmux = open_session();
    translate(&tmux, DOGS);
    for (int i = 0; i < 2; i++) { // from the prompt, then from the view
        tmux_type(&tmux, ":show\r");
        tmux_expect_gone(&tmux, "source  " DOGS);
        tmux_type(&tmux, "\033[200~The dog sleeps.\rI see you.\033[201~");
        tmux_expect(&tmux, "\nen-de> The dog sleeps.\xe2\x90\x8aI see you.");
        expect_prompt(&tmux);
        tmux_press(&tmux, "C-c Escape");
        expect_view(&tmux);
    }
    close_session(&tmux);
}

/* What is seen --------------------------------------------------------------------------------- */

/* The shape that the terminal was told last; tmux itself does not say. */
struct told {
    const char *path, *shape;
};

static bool was_told(const struct tmux_screen *screen, const void *context)
{
    const struct told *told = context;
    char *sent = cli_read(told->path, NULL), *last = NULL;
    (void)screen;
    for (char *at = sent; (at = strstr(at, " q")); at++)
        last = at;
    bool is = last && last - sent >= 3 && strncmp(last - 3, told->shape, strlen(told->shape)) == 0;
    free(sent);
    return is;
}

static void the_focus_is_plain(void **state)
{
    static const char heavy[] = "\n\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81",
                      light[] = "\n\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80";
    char path[200];
    snprintf(path, sizeof path, "%s", cli_path("sent"));
    const struct told bar = {path, "\033[6 q"}, own = {path, "\033[0 q"};
    struct tmux tmux = open_at(80, path);
    translate(&tmux, DOGS);
    for (int i = 0; i < 2; i++) {
        expect_empty_prompt(&tmux);
        tmux_expect(&tmux, light);
        tmux_expect_gone(&tmux, heavy);
        tmux_expect_that(&tmux, was_told, &bar, "a bar as the cursor");
        tmux_press(&tmux, "Escape");
        expect_view(&tmux);
        tmux_expect(&tmux, heavy);
        tmux_expect_gone(&tmux, light);
        tmux_expect_that(&tmux, was_told, &own, "the terminal's own cursor");
        tmux_type(&tmux, "i");
    }
    close_session(&tmux);
}

/* How to get back to the prompt is seen in every view. */
static void every_view_says_how_to_leave_it(void **state)
{
    static const struct {
        const char *command, *seen;
    } views[] = {{":attn enc layer 1 head 1", FIRST_HEAD},
                 {":heads enc", "encoder  layer 1-4  head 1-8"},
                 {":token 1 enc", "encoder  token 1"},
                 {":beside en-de", "a: en-de"},
                 {":hypothesis", "1 of 5"},
                 {":info", "sha256"}};
    for (int columns = 80; columns >= 40; columns -= 40) {
        struct tmux tmux = open_at(columns, NULL);
        translate(&tmux, DOGS);
        for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
            expect_prompt(&tmux);
            tmux_expect(&tmux,
                        "\n prompt  Esc \xe2\x86\x90\xe2\x86\x92\xe2\x86\x93 Tab Enter view  ");
            tmux_type(&tmux, views[i].command);
            tmux_expect(&tmux, "\n prompt  Esc view  Enter run  ");
            tmux_press(&tmux, "Enter");
            tmux_expect(&tmux, views[i].seen);
            tmux_press(&tmux, "Escape");
            expect_view(&tmux);
            tmux_type(&tmux, "i");
        }
        close_session(&tmux);
    }
}

/* Lines that end ------------------------------------------------------------------------------- */

/* After every line that is entered the prompt waits, wherever it was begun; a line that is left
 * empty leads back to where that was. */
static void every_line_leaves_the_focus_at_the_prompt(void **state)
{
    struct tmux tmux = open_session();
    translate(&tmux, DOGS);
    tmux_press(&tmux, "Escape");
    expect_view(&tmux);
    tmux_type(&tmux, ":");
    tmux_expect(&tmux, "\n command  Esc view  Enter run  ");
    tmux_type(&tmux, "attn dec layer 2 head 3\r");
    tmux_expect(&tmux, "decoder  layer 2/2  head 3/8");
    expect_empty_prompt(&tmux);
    tmux_press(&tmux, "Escape");
    expect_view(&tmux);
    tmux_type(&tmux, ":x");
    tmux_expect(&tmux, "\nen-de> :x");
    tmux_press(&tmux, "C-c");
    tmux_expect_match(&tmux, "^en-de> *$");
    tmux_press(&tmux, "C-c");
    expect_view(&tmux);
    tmux_type(&tmux, ":\025The dog sleeps.\r");
    tmux_expect(&tmux, "source  The dog sleeps.");
    expect_empty_prompt(&tmux);
    close_session(&tmux);
}

static void ctrl_c_clears_the_prompt_and_stays(void **state)
{
    struct tmux tmux = open_session();
    tmux_type(&tmux, "half");
    tmux_expect(&tmux, "en-de> half");
    tmux_press(&tmux, "C-c");
    expect_empty_prompt(&tmux);
    tmux_press(&tmux, "C-c");
    tmux_expect(&tmux, ":q or Ctrl-D ends the session");
    tmux_type(&tmux, DOGS "\r");
    tmux_expect(&tmux, "source  " DOGS);
    close_session(&tmux);
}

/* A sentence that is typed where a question was asked is no answer, and not lost. */
static void a_question_keeps_what_is_typed(void **state)
{
    cli_write("kept.csv", "mine\n");
    struct tmux tmux = open_session();
    translate(&tmux, DOGS);
    tmux_type(&tmux, ":export kept.csv attn\r");
    tmux_expect(&tmux, "kept.csv exists. Replace?");
    tmux_expect(&tmux, "\n question  y Enter yes");
    tmux_type(&tmux, "The dog sleeps.\r");
    tmux_expect(&tmux, "\nen-de> The dog sleeps.");
    expect_prompt(&tmux);
    tmux_press(&tmux, "Enter");
    tmux_expect(&tmux, "source  The dog sleeps.");
    tmux_type(&tmux, ":export kept.csv attn\r");
    tmux_expect(&tmux, "Replace?");
    tmux_press(&tmux, "C-c");
    tmux_expect_gone(&tmux, "Replace?");
    expect_empty_prompt(&tmux);
    char *text = cli_read("kept.csv", NULL);
    assert_string_equal(text, "mine\n");
    free(text);
    close_session(&tmux);
}

/* The prompt that waits names the model that has been loaded since it was begun. */
static void the_prompt_names_the_current_model(void **state)
{
    struct tmux tmux = open_session();
    tmux_type(&tmux, ":load " OTHER "\r");
    tmux_expect_match(&tmux, "^en-de-context> *$");
    tmux_type(&tmux, ":model en-de\r");
    tmux_expect_match(&tmux, "^en-de> *$");
    close_session(&tmux);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_are_translated_one_after_the_other),
        cmocka_unit_test(the_first_key_decides),
        cmocka_unit_test(before_the_first_sentence_keys_stay_at_the_prompt),
        cmocka_unit_test(an_empty_line_translates_the_example),
        cmocka_unit_test(keys_in_a_line_edit_it),
        cmocka_unit_test(a_page_scrolls_and_the_line_stays),
        cmocka_unit_test(a_click_moves_the_focus),
        cmocka_unit_test(a_paste_goes_to_the_prompt),
        cmocka_unit_test(a_paste_runs_every_line),
        cmocka_unit_test(a_paste_ends_a_picture),
        cmocka_unit_test(the_focus_is_plain),
        cmocka_unit_test(every_view_says_how_to_leave_it),
        cmocka_unit_test(every_line_leaves_the_focus_at_the_prompt),
        cmocka_unit_test(ctrl_c_clears_the_prompt_and_stays),
        cmocka_unit_test(a_question_keeps_what_is_typed),
        cmocka_unit_test(the_prompt_names_the_current_model),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
