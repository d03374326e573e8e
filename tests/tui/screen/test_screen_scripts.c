/* Sentences whose letters consist of several characters, in the full screen and with --line, in a
 * real terminal: all characters are there, and no column moves. */
#include "terminal/text/display.h"
#include "tests/support/test.h"
#include "tests/tui/screen/screen_support.h"

#define SAMPLE "samples/en-de.bin"
#define HINDI "xx किताब कि y"
#define LONG "एक दो तीन किताब कि चार पाँच छह सात आठ नौ"

static const struct {
    int columns, rows;
} sizes[] = {{80, 24}, {200, 60}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* tmux counts the columns of these as the program does. */
static const char *const sentences[] = {
    HINDI,
    "क्षेत्र में हिन्दी",                  // conjuncts
    "বাংলা ভাষা",                    // Bengali
    "தமிழ் மொழி",                     // Tamil
    "ಕನ್ನಡ സംസ്ഥാനം",                  // Kannada, Malayalam
    "සිංහල කොළඹ",                     // Sinhala
    "မြန်မာ ဘာသာ",                    // Burmese
    "ខ្មែរ ភាសា",                     // Khmer
    "ภาษาไทย น้ำ ລາວ ນ້ຳ",             // Thai, Lao
    "བོད་སྐད་ རྒྱ",                      // Tibetan
    "\u1112\u1161\u11ab x",          // a syllable of Hangul in three letters
    "e\u0301\u0323 ｶﾞ か\u3099",     // marks
    "🇩🇪 👨‍👩‍👧 x", // flags, families
};
enum { SENTENCES = sizeof sentences / sizeof *sentences };

/* tmux moves less than the columns that are kept, in some of its versions. */
static const char *const uneven[] = {"❤️ x ☎️ y", "1️⃣ x #️⃣ y",
                                     "🏳️‍🌈 x ❤️‍🔥 y", "👍🏽 x",
                                     "क्‍ष x र्‍य y"};
enum { UNEVEN = sizeof uneven / sizeof *uneven };

static struct stage open_stage(int size)
{
    return stage_open(
        &(struct stage_spec){SAMPLE, sizes[size].columns, sizes[size].rows, SCREEN_TRUE});
}

/* The line between picture and panel stands in one column. */
static void check_rule(const struct tmux_screen *screen)
{
    int found = 0, at = -1;
    for (int row = 0; row < screen->rows; row++)
        for (int column = 0; column < screen->columns; column++) {
            if (strcmp(tmux_cell(screen, row, column)->text, "┃") != 0)
                continue;
            if (found++ && column != at)
                fail_msg("row %d: the line is in column %d, above it in %d\n%s", row, column, at,
                         screen->text);
            at = column;
        }
    assert_true(found > 5);
}

static void sentences_stand_whole_above_the_picture(void **state)
{
    for (int size = 0; size < SIZES; size++) {
        struct stage stage = open_stage(size);
        for (int i = 0; i < SENTENCES; i++) {
            char source[200];
            stage_run(&stage, sentences[i]);
            snprintf(source, sizeof source, "source  %s", sentences[i]);
            tmux_expect(&stage.tmux, source);
            struct tmux_screen screen = tmux_capture(&stage.tmux);
            check_rule(&screen);
            tmux_screen_free(&screen);
        }
        stage_close(&stage);
    }
}

static bool has_all_characters(const struct tmux_screen *screen, const void *sentence)
{
    const char *line = strstr(screen->text, "source  "), *text = sentence;
    if (!line)
        return false;
    for (line += strlen("source  "); *text; line++)
        if (*line == *text)
            text++;
        else if (*line != ' ')
            return false;
    return true;
}

static void what_is_narrower_in_the_terminal_moves_nothing(void **state)
{
    for (int size = 0; size < SIZES; size++) {
        struct stage stage = open_stage(size);
        for (int i = 0; i < UNEVEN; i++) {
            stage_run(&stage, uneven[i]);
            tmux_expect_that(&stage.tmux, has_all_characters, uneven[i], uneven[i]);
            struct tmux_screen screen = tmux_capture(&stage.tmux);
            check_rule(&screen);
            tmux_screen_free(&screen);
        }
        stage_close(&stage);
    }
}

static void check_down(const struct tmux_screen *screen, int row, int column,
                       const char *const *cells, int count)
{
    for (int i = 0; i < count; i++)
        for (int half = 0; half < 2; half++)
            if (strcmp(tmux_cell(screen, row + i, column + half)->text, cells[2 * i + half]) != 0)
                fail_msg("row %d, column %d is not \"%s\"\n%s", row + i, column + half,
                         cells[2 * i + half], screen->text);
}

/* A vowel sign has a column to the right of its letter, and a cell of the picture two. */
static void column_labels_run_down_by_letters(void **state)
{
    static const char *const cells[] = {"क", "ि", "त", "ा", "ब", " "};
    struct stage stage = open_stage(0);
    stage_run(&stage, LONG);
    tmux_expect(&stage.tmux, "source  " LONG);
    tmux_expect_match(&stage.tmux, " words");
    struct tmux_screen screen = tmux_capture(&stage.tmux);
    int row = -1, column = -1;
    for (int r = 5; r < screen.rows && row < 0; r++)
        for (int c = 0; c < screen.columns; c++)
            if (strcmp(tmux_cell(&screen, r, c)->text, "ब") == 0 && row < 0) {
                row = r;
                column = c;
            }
    if (row < 7)
        fail_msg("no label\n%s", screen.text);
    check_down(&screen, row - 2, column, cells, 3);
    tmux_screen_free(&screen);
    stage_close(&stage);
}

/* With --line ---------------------------------------------------------------------------------- */

/* tmux shows a U+200D with what comes next. */
static bool begins_alike(const char *shown, const char *text)
{
    static const char joiner[] = "\u200D";
    size_t skipped = strncmp(shown, joiner, strlen(joiner)) == 0 ? strlen(joiner) : 0, bytes = 1;
    while (((unsigned char)text[bytes] & 0xC0) == 0x80)
        bytes++;
    return strncmp(shown + skipped, text, bytes) == 0;
}

/* The line in the layout's own columns: what stands in a column there stands in it on the
 * screen. */
static void check_line(const struct tmux_screen *screen, int row, const char *line)
{
    int column = 0, width;
    for (size_t bytes; (bytes = display_grapheme(line, &width)) > 0; line += bytes) {
        const char *shown = tmux_cell(screen, row, column)->text;
        if (*line != ' ' && !begins_alike(shown, line))
            fail_msg("row %d, column %d is \"%s\", expected \"%s\"\n%s", row, column, shown, line,
                     screen->text);
        column += width;
    }
}

static char *answer_without_terminal(const char *sentence, const char *command)
{
    struct outcome outcome =
        cli_run((const char *const[]){CPU, "--line", SAMPLE, "-e", sentence, "-e", command, NULL});
    assert_int_equal(outcome.code, 0);
    char *answer = strdup(outcome.out);
    outcome_free(&outcome);
    return answer;
}

static void check_answer(const struct tmux *tmux, const char *sentence, const char *command)
{
    char *answer = answer_without_terminal(sentence, command), *line = strstr(answer, " encoder");
    assert_non_null(line);
    tmux_expect(tmux, "bits");
    struct tmux_screen screen = tmux_capture(tmux);
    int row = 0, column;
    if (!tmux_find(&screen, " encoder", &row, &column))
        fail_msg("no answer\n%s", screen.text);
    for (char *end; (end = strchr(line, '\n')); line = end + 1, row++) {
        *end = '\0';
        check_line(&screen, row, line);
    }
    tmux_screen_free(&screen);
    free(answer);
}

static void columns_of_answers_stay_with_line(void **state)
{
    static const char command[] = ":attn enc layer 1 head 1 word";
    for (int i = 0; i < SENTENCES + UNEVEN; i++) {
        const char *sentence = i < SENTENCES ? sentences[i] : uneven[i - SENTENCES];
        struct tmux tmux = tmux_open_program(
            &(struct tmux_spec){.columns = 80,
                                .rows = 40,
                                .arguments = (const char *const[]){CPU, "--line", SAMPLE, NULL}});
        tmux_expect(&tmux, "en-de>");
        tmux_type(&tmux, sentence);
        tmux_press(&tmux, "Enter");
        tmux_type(&tmux, command);
        tmux_press(&tmux, "Enter");
        check_answer(&tmux, sentence, command);
        tmux_close(&tmux);
    }
}

/* One key, one letter, however many characters it has. */
static void the_cursor_moves_by_letters(void **state)
{
    static const char *const in_screen[] = {CPU, SAMPLE, NULL};
    static const char *const in_line[] = {CPU, "--line", SAMPLE, NULL};
    for (int line = 0; line < 2; line++) {
        struct tmux tmux = tmux_open_program(&(struct tmux_spec){
            .columns = 80, .rows = 24, .arguments = line ? in_line : in_screen});
        tmux_expect(&tmux, "en-de>");
        // readline itself draws joined emoji with the widths of their parts.
        const char *letter = line ? "e\u0301\u0323" : "👨‍👩‍👧";
        char text[100];
        snprintf(text, sizeof text, "xकि%sz", letter);
        tmux_type(&tmux, text);
        tmux_expect(&tmux, text);
        tmux_press(&tmux, "Left Left Q");
        snprintf(text, sizeof text, "en-de> xकिQ%sz", letter);
        tmux_expect(&tmux, text);
        tmux_press(&tmux, "Left C-b C-f C-b R");
        snprintf(text, sizeof text, "en-de> xRकिQ%sz", letter);
        tmux_expect(&tmux, text);
        tmux_press(&tmux, "Right S");
        snprintf(text, sizeof text, "en-de> xRकिSQ%sz", letter);
        tmux_expect(&tmux, text);
        tmux_close(&tmux);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_stand_whole_above_the_picture),
        cmocka_unit_test(what_is_narrower_in_the_terminal_moves_nothing),
        cmocka_unit_test(column_labels_run_down_by_letters),
        cmocka_unit_test(columns_of_answers_stay_with_line),
        cmocka_unit_test(the_cursor_moves_by_letters),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
