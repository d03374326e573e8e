/* Changing the model on the screen: heads go off and on by keys and clicks, words that changed are marked, states stand
 * beside each other; and the prompt's completion and history. At four sizes and four depths of colour. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/screen_cells.h"

#define SAMPLE "samples/en-de.bin"
#define ATTENTION ":attn cross layer 1 head 1"
#define LONG "A man in a blue shirt is standing on a ladder cleaning a window ."
enum { TRANSLATED, BEFORE, DISABLED, AFTER, BESIDE };
static const char *const commands[] = {
    [TRANSLATED] = LONG, [BEFORE] = ATTENTION,        [DISABLED] = ":disable cross layer 1 head 1",
    [AFTER] = ATTENTION, [BESIDE] = ":beside before", NULL};

static json_t *answers;

static const json_t *answer(int index)
{
    if (!answers)
        answers = stage_ask(SAMPLE, commands);
    return stage_answer(answers, index);
}

static void check(const struct stage *stage, const struct matrix *matrix)
{
    stage_check_matrix(stage, matrix, 2, 3);
}

static void check_weights(const struct stage *stage, int index)
{
    struct matrix matrix = matrix_of(answer(index));
    check(stage, &matrix);
    matrix_free(&matrix);
}

/* Changed words ---------------------------------------------------------------------------------- */

enum { WORDS_MOST = 64, WORD_BYTES = 64 };
struct words {
    char word[WORDS_MOST][WORD_BYTES];
    bool marked[WORDS_MOST];
    int count;
    bool whole; // none is cut
};

static void add_word(struct words *words, const char *text, size_t bytes, bool marked)
{
    assert_true(words->count < WORDS_MOST && bytes < WORD_BYTES);
    snprintf(words->word[words->count], WORD_BYTES, "%.*s", (int)bytes, text);
    words->marked[words->count++] = marked;
}

static struct words split(const char *text)
{
    struct words words = {.whole = true};
    for (size_t bytes; *(text += strspn(text, " ")); text += bytes) {
        bytes = strcspn(text, " ");
        add_word(&words, text, bytes, false);
    }
    return words;
}

/* Of a longest common subsequence. */
static int count_common(const struct words *a, const struct words *b)
{
    int best[WORDS_MOST + 1][WORDS_MOST + 1] = {{0}};
    for (int i = a->count - 1; i >= 0; i--)
        for (int j = b->count - 1; j >= 0; j--) {
            int rest = best[i + 1][j] > best[i][j + 1] ? best[i + 1][j] : best[i][j + 1];
            bool same = strcmp(a->word[i], b->word[j]) == 0;
            best[i][j] = same ? 1 + best[i + 1][j + 1] : rest;
        }
    return best[0][0];
}

/* The output's words on the screen, up to one that is cut; a mark is an underline, of whole words. */
static struct words seen_words(const struct stage *stage, const struct tmux_screen *screen)
{
    enum { FIRST_COLUMN = 9 };
    struct words words = {.whole = true};
    int row = 0, column;
    if (!tmux_find(screen, " output ", &row, &column))
        return words;
    const char *cut = stage_text(stage, "…");
    for (;; row++) {
        const char *begin = tmux_row(screen, row, 0, FIRST_COLUMN);
        bool more = strncmp(begin, " output", 7) == 0 || strspn(begin, " ") == FIRST_COLUMN;
        if (!more)
            return words;
        for (column = FIRST_COLUMN; column < screen->columns;) {
            int end = column;
            bool marked = tmux_cell(screen, row, column)->underline;
            while (end < screen->columns && strcmp(tmux_cell(screen, row, end)->text, " ") != 0)
                if (tmux_cell(screen, row, end++)->underline != marked)
                    fail_msg("a word is marked in part:\n%s", screen->text);
            const char *word = tmux_row(screen, row, column, end);
            if (strstr(word, cut) || strcmp(word, "score") == 0)
                words.whole = words.whole && !strstr(word, cut);
            else if (end > column)
                add_word(&words, word, strlen(word), marked);
            if (strstr(word, cut))
                return words;
            if (strcmp(word, "score") == 0)
                break;
            column = end + 1;
        }
    }
}

struct change {
    const struct stage *stage;
    struct words before, after;
};

/* What is not marked stands in both, in the same order, and is as much as can be. */
static bool marks_changes(const struct tmux_screen *screen, const void *context)
{
    const struct change *change = context;
    struct words seen = seen_words(change->stage, screen);
    int from = 0, kept = 0;
    if (seen.count == 0 || (seen.whole && seen.count != change->after.count))
        return false;
    for (int i = 0; i < seen.count; i++) {
        if (strcmp(seen.word[i], change->after.word[i]) != 0)
            return false;
        if (seen.marked[i])
            continue;
        while (from < change->before.count && strcmp(change->before.word[from], seen.word[i]) != 0)
            from++;
        if (from++ == change->before.count)
            return false;
        kept++;
    }
    return !seen.whole || kept == count_common(&change->before, &change->after);
}

static void expect_changes(const struct stage *stage, const char *before, const char *after)
{
    struct change change = {stage, split(before), split(after)};
    tmux_expect_that(&stage->tmux, marks_changes, &change, "changed words are marked, only they");
}

/* Steps ------------------------------------------------------------------------------------------ */

static const char *text_of(const char *when)
{
    return json_text(json_object_get(answer(DISABLED), when), "text");
}

/* The map of heads at the right. */
static void expect_map(const struct stage *stage, const char *layer, const char *plain,
                       const char *ascii)
{
    if (stage_has_side(stage))
        stage_expect(stage, "%s  %s", layer, stage->depth == SCREEN_ASCII ? ascii : plain);
}

static void switch_off(const struct stage *stage)
{
    tmux_press(&stage->tmux, "d");
    stage_expect(stage, "off: cross layer 1");
    expect_changes(stage, text_of("before"), text_of("after"));
    expect_map(stage, "layer 1", "□ ■ ■ ■ ■ ■ ■ ■", "o # # # # # # #");
    expect_map(stage, "layer 2", "■ ■ ■ ■ ■ ■ ■ ■", "# # # # # # # #");
    check_weights(stage, AFTER);
}

static void switch_on(const struct stage *stage)
{
    tmux_press(&stage->tmux, "D");
    tmux_expect_gone(&stage->tmux, "off: ");
    expect_changes(stage, text_of("after"), text_of("before"));
    expect_map(stage, "layer 1", "■ ■ ■ ■ ■ ■ ■ ■", "# # # # # # # #");
    check_weights(stage, BEFORE);
}

/* Faster than the first can be answered: the second takes it back. */
static void switch_twice(const struct stage *stage)
{
    tmux_type(&stage->tmux, "ddH");
    stage_expect(stage, "log-prob");
    tmux_expect_gone(&stage->tmux, "off: ");
    tmux_press(&stage->tmux, "Escape");
    stage_expect(stage, "\n cross  layer 1/2  head 1/8");
}

static void undo_and_redo(const struct stage *stage)
{
    tmux_press(&stage->tmux, "u");
    stage_expect(stage, "off: cross layer 1");
    expect_changes(stage, text_of("before"), text_of("after"));
    tmux_press(&stage->tmux, "C-r");
    tmux_expect_gone(&stage->tmux, "off: ");
    expect_changes(stage, text_of("after"), text_of("before"));
}

static struct matrix side_matrix(const char *side, const char *panel)
{
    struct matrix matrix = matrix_of(json_object_get(answer(BESIDE), side));
    matrix.panel = panel;
    return matrix;
}

/* Two states on one scale, and their difference on its own. */
static void compare(const struct stage *stage)
{
    struct matrix a = side_matrix("a", "a: before:  "), b = side_matrix("b", "b: current:  "),
                  difference = side_matrix("difference", "b − a:  ");
    a.most = b.most = fmax(a.most, b.most);
    b.row_labels_are = LABELS_BETWEEN;
    difference.difference = true;
    difference.row_labels_are = LABELS_ABSENT;
    tmux_press(&stage->tmux, "b");
    stage_expect(stage, "\n cross  layer 1  head 1");
    check(stage, &a);
    tmux_press(&stage->tmux, "$ l");
    check(stage, &b);
    tmux_press(&stage->tmux, "$ l");
    check(stage, &difference);
    tmux_press(&stage->tmux, "b");
    stage_expect(stage, "\n cross  layer 1/2  head 1/8");
    matrix_free(&a);
    matrix_free(&b);
    matrix_free(&difference);
}

static void list_states(const struct stage *stage)
{
    tmux_press(&stage->tmux, "S");
    stage_expect(stage, "    en-de.bin");
    stage_expect(stage, "    before");
    stage_expect(stage, " *  current");
    tmux_press(&stage->tmux, "Escape");
    stage_expect(stage, "\n cross  layer 1/2  head 1/8");
}

/* In the map of heads a click is off, and on again; in the heatmap it moves the cursor, as the wheel does. */
static void use_the_mouse(const struct stage *stage)
{
    struct matrix matrix = matrix_of(answer(BEFORE));
    int row, column;
    if (stage_has_side(stage)) {
        enum { MAP = 9 }; // columns behind the layer's name
        stage_expect(stage, "layer 2  ");
        struct tmux_screen screen = tmux_capture(&stage->tmux);
        row = 5;
        assert_true(tmux_find(&screen, "layer 2  ", &row, &column));
        tmux_screen_free(&screen);
        tmux_click(&stage->tmux, row, column + MAP + 4, TMUX_LEFT);
        stage_expect(stage, "off: cross layer 2 head 3");
        expect_map(stage, "layer 2", "■ ■ □ ■ ■ ■ ■ ■", "# # o # # # # #");
        tmux_click(&stage->tmux, row, column + MAP + 4, TMUX_LEFT);
        tmux_expect_gone(&stage->tmux, "off: ");
    }
    tmux_press(&stage->tmux, "g g 0");
    stage_expect_cursor(stage, &matrix, 0, 0);
    struct cursor cursor = stage_find_cursor(stage);
    row = cursor.row + 2 * cursor.tall;
    column = cursor.column + cursor.wide + 1;
    tmux_click(&stage->tmux, row, column, TMUX_LEFT);
    stage_expect_cursor(stage, &matrix, 2, 1);
    tmux_click(&stage->tmux, row, column, TMUX_DOWN);
    stage_expect_cursor(stage, &matrix, 5, 1);
    tmux_click(&stage->tmux, row, column, TMUX_UP);
    stage_expect_cursor(stage, &matrix, 2, 1);
    matrix_free(&matrix);
}

static void open_prompt(const struct stage *stage)
{
    tmux_type(&stage->tmux, "i");
    tmux_expect_format(&stage->tmux, "#{cursor_flag}", "1");
}

/* Up brings back what was typed before; what Tab offers is listed above the line. */
static void use_the_prompt(const struct stage *stage)
{
    open_prompt(stage);
    tmux_press(&stage->tmux, "Up");
    stage_expect(stage, "> " ATTENTION);
    tmux_press(&stage->tmux, "Up");
    stage_expect(stage, "> A man in a blue");
    stage_leave_prompt(stage);
    open_prompt(stage);
    tmux_type(&stage->tmux, ":dis\t\t");
    stage_expect(stage, ":disable   :disabled");
    stage_leave_prompt(stage);
    tmux_expect_gone(&stage->tmux, ":disabled");
}

static void states(void **state)
{
    struct stage stage = stage_open(*state);
    stage_run(&stage, LONG);
    stage_expect(&stage, "encoder  layer 1/4  head 1/8");
    stage_run(&stage, ATTENTION);
    stage_expect(&stage, "cross  layer 1/2  head 1/8");
    check_weights(&stage, BEFORE);
    switch_off(&stage);
    compare(&stage);
    list_states(&stage);
    switch_on(&stage);
    switch_twice(&stage);
    undo_and_redo(&stage);
    use_the_mouse(&stage);
    use_the_prompt(&stage);
    stage_close(&stage);
}

static int close_all(void **state)
{
    json_decref(answers);
    return cli_close(state);
}

#define STATES(columns, rows, depth)                                                               \
    {                                                                                              \
        .name = "states at " #columns " by " #rows ", " #depth, .test_func = states,               \
        .initial_state = &(struct stage_spec)                                                      \
        {                                                                                          \
            SAMPLE, columns, rows, depth                                                           \
        }                                                                                          \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {STATES(40, 12, SCREEN_16), STATES(80, 24, SCREEN_256),
                                       STATES(120, 40, SCREEN_TRUE), STATES(250, 70, SCREEN_ASCII)};
    return cmocka_run_group_tests(tests, cli_enter, close_all);
}
