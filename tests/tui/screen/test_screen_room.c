/* What a small screen must show: 80 columns are enough for all that is said, and large ones are
 * used. */
#include "tests/support/test.h"
#include "tests/tui/screen/screen_cells.h"

#define SAMPLE "samples/en-de.bin"
#define NEWSPAPER "The old man reads his newspaper every morning in the kitchen."

static struct stage_spec small = {SAMPLE, 80, 24, SCREEN_TRUE};
static struct stage_spec large = {SAMPLE, 200, 60, SCREEN_TRUE};
static struct stage_spec in_ascii = {SAMPLE, 80, 24, SCREEN_ASCII};

/* Words ---------------------------------------------------------------------------------------- */

/* The last words of the usage are what `all` writes. */
static void help_of_a_command_is_whole(void **state)
{
    struct stage stage = stage_open(&small);
    stage_run(&stage, ":help export");
    stage_expect(&stage, " FILE|FOLDER/");
    stage_expect(&stage, "[FORMAT]");
    stage_close(&stage);
}

/* With 200 columns a usage and its meaning stand side by side. */
static void help_opens_what_a_line_names(void **state)
{
    struct stage stage = stage_open(&small);
    stage_run(&stage, ":help");
    stage_expect(&stage, "1 of ");
    tmux_press(&stage.tmux, "Down");
    tmux_press(&stage.tmux, "Enter");
    stage_expect(&stage, "USAGE\n :force [TARGET]");
    tmux_press(&stage.tmux, "q");
    stage_expect(&stage, "2 of ");
    stage_close(&stage);
}

/* The usage of a command stands above the line as soon as its name does, until an error says
 * more. */
static void usage_stands_above_what_is_typed(void **state)
{
    struct stage stage = stage_open(&small);
    tmux_type(&stage.tmux, ":tok");
    stage_expect(&stage, "en-de> :tok");
    tmux_type(&stage.tmux, " ");
    stage_expect(&stage, "\n :token TEXT|N [SELECTOR]\n");
    tmux_type(&stage.tmux, "nowhere\r");
    tmux_expect_gone(&stage.tmux, "\n :token TEXT|N");
    stage_close(&stage);
}

static void what_was_said_ends_with_a_click(void **state)
{
    struct stage stage = stage_open(&small);
    stage_run(&stage, NEWSPAPER);
    stage_expect(&stage, "score -0.3093");
    tmux_press(&stage.tmux, "%");
    stage_expect(&stage, "press ? for help");
    tmux_click(&stage.tmux, 15, 14, TMUX_LEFT);
    tmux_expect_gone(&stage.tmux, "press ? for help");
    stage_close(&stage);
}

static void a_forced_translation_is_called_so(void **state)
{
    struct stage stage = stage_open(&small);
    stage_run(&stage, "The dog sleeps.");
    stage_expect(&stage, "output  Der Hund schl");
    stage_run(&stage, ":force Die Katze schläft.");
    stage_expect(&stage, "given   Die Katze schl");
    stage_close(&stage);
}

/* A head that changes nothing in one sentence. */
static void an_empty_table_has_no_first_row(void **state)
{
    char line[1000];
    struct stage stage = stage_open(&small);
    int used = snprintf(line, sizeof line, ":ablate %s", cli_write("one.en", "The dog sleeps.\n"));
    snprintf(line + used, sizeof line - (size_t)used, " %s enc layer 1 head 1 show 1",
             cli_write("one.de", "Der Hund schläft.\n"));
    stage_run(&stage, line);
    stage_expect(&stage, "0 of 1 sentences differ");
    stage_expect(&stage, "0 of 0");
    stage_close(&stage);
}

/* "kitchen" and "reads" are several tokens. */
static void pieces_of_words_are_marked_in_ascii(void **state)
{
    struct stage stage = stage_open(&in_ascii);
    stage_run(&stage, NEWSPAPER);
    stage_expect(&stage, "score -0.3093");
    stage_run(&stage, ":attn enc layer 1 head 1");
    stage_expect(&stage, " -s ");
    tmux_expect_gone(&stage.tmux, "·");
    stage_run(&stage, ":token reads enc");
    tmux_press(&stage.tmux, "v");
    stage_expect(&stage, "-s ");
    tmux_expect_gone(&stage.tmux, "·");
    stage_close(&stage);
}

/* Tables --------------------------------------------------------------------------------------- */

#define SET "samples/sentences.en samples/sentences.de"

/* Against the numbers that --json gives. */
static void scores_come_first_and_nothing_is_cut(void **state)
{
    static const char *const asked[] = {":bleu " SET, NULL};
    json_t *answers = stage_ask(SAMPLE, asked);
    const json_t *answer = stage_answer(answers, 0), *chrf = json_object_get(answer, "chrf");
    struct stage stage = stage_open(&small);
    stage_run(&stage, ":bleu " SET);
    stage_expect(&stage, "\n  BLEU %.2f  chrF2 %.2f  200 sentences",
                 json_double(json_object_get(answer, "score")),
                 json_double(json_object_get(chrf, "score")));
    stage_expect(&stage, "\n  %s\n", json_text(answer, "verbose_score"));
    stage_expect(&stage, "\n  BLEU|%s\n", json_text(answer, "signature"));
    stage_expect(&stage, "\n  chrF2|%s\n", json_text(chrf, "signature"));
    tmux_press(&stage.tmux, "Enter");
    stage_expect(&stage, "group 1  length up to 6  40 sentences");
    stage_expect(&stage, "1 of 40");
    struct tmux_screen screen = tmux_capture(&stage.tmux);
    int titles = 0, end = 0, column;
    assert_true(tmux_find(&screen, "number  group  length", &titles, &column));
    end = titles;
    assert_true(tmux_find(&screen, "━━━━", &end, &column));
    assert_true(end - titles - 1 > 4);
    tmux_screen_free(&screen);
    stage_close(&stage);
    json_decref(answers);
}

/* A comparison is whole: its result, then its groups. Below those stand their sentences, of which
 * both translations are one above the other; what is folded away can be seen. */
static void a_comparison_begins_with_its_result(void **state)
{
    struct stage stage = stage_open(&small);
    stage_run(&stage, ":set significance.trials 100");
    stage_expect(&stage, "significance.trials");
    stage_run(&stage, ":disable cross layer 2 head 1-4");
    stage_expect(&stage, "off: cross layer 2 head 1-4");
    stage_run(&stage, ":compare before current " SET);
    stage_expect(&stage, "1 of 5");
    tmux_expect_match(&stage.tmux, "^  BLEU +3[0-9.]+ +[0-9.]+ +1[0-9.]+ +[0-9.]+ -[0-9.]+ .-");
    stage_expect(&stage, "samples/sentences.de"); // of the title
    stage_expect(&stage, "chrF2|nrefs:1|bs:1000|ar:100|");
    stage_expect(&stage, "version:attnscope-");
    tmux_press(&stage.tmux, "G Enter");
    stage_expect(&stage, "1 of 200");
    stage_expect(&stage, " more lines: PgUp");
    tmux_expect_match(&stage.tmux, "^ a  +.*\n b  ");
    stage_expect(&stage, "\n source       ");
    tmux_press(&stage.tmux, "k");
    stage_expect(&stage, "chrF2|nrefs:1|bs:1000|ar:100|");
    stage_close(&stage);
}

static void an_ablation_shows_its_baseline(void **state)
{
    char line[1000];
    struct stage stage = stage_open(&small);
    int used = snprintf(line, sizeof line, ":ablate %s",
                        cli_write("two.en", "The dog sleeps.\nA man sees a child.\n"));
    snprintf(line + used, sizeof line - (size_t)used, " %s by head",
             cli_write("two.de", "Der Hund schläft.\nEin Mann sieht ein Kind.\n"));
    stage_run(&stage, line);
    tmux_expect_match(&stage.tmux, "^  baseline BLEU [0-9.]+  2 sentences");
    stage_expect(&stage, "smooth:exp|");
    stage_close(&stage);
}

/* Hypotheses that begin alike. */
static void the_whole_text_of_a_row_is_shown(void **state)
{
    static const char *const asked[] = {"I have never seen so many stars in the sky and so many "
                                        "people who look at them at night.",
                                        NULL};
    json_t *answers = stage_ask(SAMPLE, asked);
    const json_t *list = json_object_get(stage_answer(answers, 0), "hypotheses");
    struct stage stage = stage_open(&small);
    stage_run(&stage, asked[0]);
    stage_expect(&stage, "score ");
    tmux_press(&stage.tmux, "H");
    stage_expect(&stage, "1 of 5");
    for (int i = 0; i < 3; i++) {
        const char *text = json_text(json_array_get(list, (size_t)i), "text");
        assert_true(strlen(text) > 60);
        stage_expect(&stage, "\n text         %.30s", text);
        stage_expect(&stage, "%s", text + strlen(text) - 12);
        tmux_press(&stage.tmux, "j");
    }
    stage_close(&stage);
    json_decref(answers);
}

static void a_long_message_is_whole(void **state)
{
    struct stage stage = stage_open(&small);
    stage_run(&stage, ":bleu /a/folder/that/is/not/there/and/has/a/long/name.en "
                      "/a/folder/that/is/not/there/and/has/a/long/name.de");
    stage_expect(&stage, "No such file or directory");
    stage_close(&stage);
}

/* Pictures ------------------------------------------------------------------------------------- */

/* At 80 columns the overview has them all: names with their greatest weights, and the scale beside
 * the title. */
static void the_panel_gives_way_to_the_overview(void **state)
{
    struct stage stage = stage_open(&small);
    stage_run(&stage, NEWSPAPER);
    stage_expect(&stage, "score -0.3093");
    stage_run(&stage, ":heads enc");
    tmux_expect_match(&stage.tmux, "encoder +layer 1-4 +head 1-8 +0.00 .* 1.00 *$");
    tmux_expect_match(&stage.tmux, " 4.8 0.[0-9][0-9] *$");
    tmux_expect_gone(&stage.tmux, "┃");
    tmux_press(&stage.tmux, "p");
    stage_expect(&stage, "┃");
    stage_expect(&stage, "■ learned");
    tmux_press(&stage.tmux, "p");
    tmux_expect_gone(&stage.tmux, "┃");
    stage_close(&stage);
}

static void the_panel_stays_hidden_where_one_goes(void **state)
{
    struct stage stage = stage_open(&large);
    stage_run(&stage, NEWSPAPER);
    stage_expect(&stage, "┃");
    tmux_press(&stage.tmux, "p");
    tmux_expect_gone(&stage.tmux, "┃");
    stage_run(&stage, ":attn dec layer 2 head 3");
    tmux_expect_match(&stage.tmux, "decoder +layer 2/2 +head 3/8 .* 0.00 ");
    tmux_expect_gone(&stage.tmux, "┃");
    tmux_press(&stage.tmux, "?");
    stage_expect(&stage, "hides the panel at the right, and shows it again");
    stage_close(&stage);
}

/* Words on both sides, as the heads of the last layer see them together; keys go on from there. */
static void the_first_view_joins_words(void **state)
{
    static const char *const asked[] = {NEWSPAPER, ":attn cross layer 2 head mean word", NULL};
    json_t *answers = stage_ask(SAMPLE, asked);
    struct matrix matrix = matrix_of(stage_answer(answers, 1));
    struct stage stage = stage_open(&small);
    stage_run(&stage, NEWSPAPER);
    stage_expect(&stage, "cross  layer 2/2  mean of 8 heads");
    stage_check_matrix(&stage, &matrix, 8, 12);
    tmux_press(&stage.tmux, "Right");
    stage_expect(&stage, "cross  layer 2/2  head 1/8");
    stage_close(&stage);
    matrix_free(&matrix);
    json_decref(answers);
}

/* Of Japanese a word would be the whole sentence. */
static void the_first_view_of_japanese_has_tokens(void **state)
{
    static const struct stage_spec japanese = {"samples/ja-en-mma.bin", 80, 24, SCREEN_TRUE};
    struct stage stage = stage_open(&japanese);
    stage_run(&stage, "この店のパンはとてもおいしい。");
    stage_expect(&stage, "cross  layer 2/2  mean of 8 heads");
    tmux_expect_match(&stage.tmux, "こ.*の.*店.*の.*パ.*ン");
    stage_close(&stage);
}

/* Eight heads in two rows, and a step down goes to the head below. */
static void heads_of_a_layer_wrap(void **state)
{
    struct stage stage = stage_open(&small);
    stage_run(&stage, NEWSPAPER);
    stage_expect(&stage, "score -0.3093");
    stage_run(&stage, ":heads enc layer 1");
    tmux_expect_match(&stage.tmux, "^ 1.5 .* 1.8 ");
    stage_expect(&stage, "layer 1  head 1  max");
    tmux_press(&stage.tmux, "j");
    stage_expect(&stage, "layer 1  head 5  max");
    tmux_press(&stage.tmux, "k l");
    stage_expect(&stage, "layer 1  head 2  max");
    stage_close(&stage);
}

/* Words stand across above cells that are wide enough for them. */
static void a_heatmap_fills_a_large_screen(void **state)
{
    struct stage stage = stage_open(&large);
    stage_run(&stage, NEWSPAPER);
    stage_expect(&stage, "score -0.3093");
    stage_run(&stage, ":attn cross layer 2 head 7 word");
    tmux_expect_match(&stage.tmux, "The +old +man +reads +his +newspaper +every +morning");
    struct cursor cursor = stage_find_cursor(&stage);
    assert_true(12 * cursor.wide > 200 / 2); // of 12 words, and 10 rows
    assert_true(10 * cursor.tall > 60 / 2);
    stage_close(&stage);
}

/* Work ----------------------------------------------------------------------------------------- */

static void write_many(const char *name)
{
    enum { MANY = 20000 };
    FILE *file = fopen(cli_path(name), "w");
    assert_non_null(file);
    for (int i = 0; i < MANY; i++)
        fprintf(file, "The %d dogs see %d cats.\n", i % 100, i);
    fclose(file);
}

/* The number after `text` on its row; -1: it is not there. */
static long number_after(const struct tmux_screen *screen, const char *text)
{
    int row = 0, column = 0;
    if (!tmux_find(screen, text, &row, &column))
        return -1;
    return strtol(tmux_row(screen, row, column + (int)strlen(text), screen->columns), NULL, 10);
}

static bool counts_agree(const struct tmux_screen *screen, const void *unused)
{
    long said = number_after(screen, "interrupted: the first "),
         listed = number_after(screen, " 1 of ");
    (void)unused;
    return said > 0 && said == listed;
}

/* The lines that are listed are those that are said to be finished: one after the other. */
static void after_an_interrupt_what_is_shown_agrees(void **state)
{
    char line[1000];
    struct stage stage = stage_open(&small);
    write_many("many.en");
    snprintf(line, sizeof line, ":translate %s", cli_path("many.en"));
    stage_run(&stage, line);
    tmux_expect_match(&stage.tmux, "translating.* [0-9]+:[0-9]+ left +Esc stops( |$)");
    tmux_expect_match(&stage.tmux, "  [1-9][0-9]+ sent");
    tmux_press(&stage.tmux, "Escape");
    tmux_expect_that(&stage.tmux, counts_agree, NULL, "as many rows as finished lines");
    tmux_press(&stage.tmux, "G");
    tmux_expect_match(&stage.tmux, " ([0-9]+) of \\1$");
    stage_close(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_of_a_command_is_whole),
        cmocka_unit_test(help_opens_what_a_line_names),
        cmocka_unit_test(usage_stands_above_what_is_typed),
        cmocka_unit_test(what_was_said_ends_with_a_click),
        cmocka_unit_test(a_forced_translation_is_called_so),
        cmocka_unit_test(an_empty_table_has_no_first_row),
        cmocka_unit_test(pieces_of_words_are_marked_in_ascii),
        cmocka_unit_test(scores_come_first_and_nothing_is_cut),
        cmocka_unit_test(a_comparison_begins_with_its_result),
        cmocka_unit_test(an_ablation_shows_its_baseline),
        cmocka_unit_test(the_whole_text_of_a_row_is_shown),
        cmocka_unit_test(a_long_message_is_whole),
        cmocka_unit_test(the_panel_gives_way_to_the_overview),
        cmocka_unit_test(the_panel_stays_hidden_where_one_goes),
        cmocka_unit_test(the_first_view_joins_words),
        cmocka_unit_test(the_first_view_of_japanese_has_tokens),
        cmocka_unit_test(heads_of_a_layer_wrap),
        cmocka_unit_test(a_heatmap_fills_a_large_screen),
        cmocka_unit_test(after_an_interrupt_what_is_shown_agrees),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
