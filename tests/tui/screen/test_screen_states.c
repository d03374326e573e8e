/* Changing the model on the screen: heads go off and on by keys and clicks, words that changed are
 * marked, states stand beside each other; and the prompt's completion and history. At four sizes
 * and four depths of colour. */
#include <math.h>

#include "tests/support/test.h"
#include "tests/tui/screen/screen_cells.h"

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

/* The first row whose label is another one. */
static int other_row(const struct matrix *a, const struct matrix *b)
{
    int row = 0, last = (a->rows < b->rows ? a->rows : b->rows) - 1;
    while (row < last && strcmp(a->row_labels[row], b->row_labels[row]) == 0)
        row++;
    return row;
}

/* The weights of one state, before or after those of another. The first rows of both may be the
 * same, and where they stand on the screen not: so a row that tells them apart is waited for. */
static void check_weights(const struct stage *stage, int index, int other)
{
    struct matrix matrix = matrix_of(answer(index)), others = matrix_of(answer(other));
    const int row = other_row(&matrix, &others);
    tmux_press(&stage->tmux, "g g 0");
    for (int i = 0; i < row; i++)
        tmux_press(&stage->tmux, "j");
    stage_expect_cursor(stage, &matrix, row, 0);
    check(stage, &matrix);
    matrix_free(&matrix);
    matrix_free(&others);
}

/* Both translations ---------------------------------------------------------------------------- */

enum { WORDS_MOST = 64, WORD_BYTES = 64 };
enum mark { KEPT, CHANGED, GONE, NEW };
struct words {
    char word[WORDS_MOST][WORD_BYTES];
    enum mark mark[WORDS_MOST];
    int place[WORDS_MOST]; // on the screen: line and column
    int count;
};

static void add_word(struct words *words, const char *text, size_t bytes, enum mark mark, int place)
{
    assert_true(words->count < WORDS_MOST && bytes < WORD_BYTES);
    snprintf(words->word[words->count], WORD_BYTES, "%.*s", (int)bytes, text);
    words->mark[words->count] = mark;
    words->place[words->count++] = place;
}

static struct words split(const char *text)
{
    struct words words = {.count = 0};
    for (size_t bytes; *(text += strspn(text, " ")); text += bytes) {
        bytes = strcspn(text, " ");
        add_word(&words, text, bytes, KEPT, 0);
    }
    return words;
}

/* Words of one row, which stand between marks or not; the sentence has no brackets of its own. */
static void read_row(const char *text, int line, struct words *words)
{
    enum { COLUMNS = 1000 };
    static const struct {
        const char *begin, *end;
        enum mark mark;
    } marks[] = {{"[-", "-]", GONE}, {"{+", "+}", NEW}, {"[", "]", CHANGED}};
    enum mark mark = KEPT;
    const char *begin = text;
    for (size_t bytes; *(text += strspn(text, " ")); text += bytes) {
        bytes = strcspn(text, " ");
        if (strncmp(text, "score ", 6) == 0)
            return;
        size_t first = 0, last = bytes;
        const char *end = "]";
        for (size_t i = 0; i < sizeof marks / sizeof *marks && !first; i++)
            if (strncmp(text, marks[i].begin, strlen(marks[i].begin)) == 0) {
                mark = marks[i].mark;
                first = strlen(marks[i].begin);
            }
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            end = marks[i].mark == mark ? marks[i].end : end;
        bool ends = mark != KEPT && bytes > strlen(end) &&
                    strncmp(text + bytes - strlen(end), end, strlen(end)) == 0;
        last -= ends ? strlen(end) : 0;
        add_word(words, text + first, last - first, mark,
                 line * COLUMNS + (int)(text + first - begin));
        mark = ends ? KEPT : mark;
    }
}

/* Low screens show only the second translation, with its marks. */
static bool shows_one(const struct tmux_screen *screen)
{
    return screen->rows < 16;
}

/* True if the first and the last words of the translations are shown: no mark says that there are
 * others. */
struct extent {
    bool first, last;
};

/* What the screen shows of both translations, in rows in turns; false: they are not there. */
static bool read_both(const struct stage *stage, const struct tmux_screen *screen,
                      struct words both[2], struct extent *extent)
{
    enum { FIRST_COLUMN = 9 };
    const char *cut = stage_text(stage, "…");
    int first = 0, column;
    both[0].count = both[1].count = 0;
    *extent = (struct extent){true, true};
    if (!tmux_find(screen, shows_one(screen) ? " after " : " before ", &first, &column))
        return false;
    first -= shows_one(screen);
    if (strncmp(tmux_row(screen, first + 1, 0, FIRST_COLUMN), " after", 6) != 0)
        return false;
    for (int row = first + shows_one(screen); row < screen->rows; row++) {
        char title[64];
        snprintf(title, sizeof title, "%s", tmux_row(screen, row, 0, FIRST_COLUMN));
        bool begins = strstr(title, cut) != NULL;
        if (row > first + 1 && strspn(title, " ") < FIRST_COLUMN - 1)
            return true;
        char text[1200];
        snprintf(text, sizeof text, "%s", tmux_row(screen, row, FIRST_COLUMN, screen->columns));
        char *end = strstr(text, cut);
        if (end)
            *end = '\0';
        extent->first &= !begins;
        extent->last &= !end;
        read_row(text, (row - first) / 2, &both[(row - first) % 2]);
    }
    return true;
}

/* Fewest edits between both, and most kept words among scripts with as few. */
static int count_edits(const struct words *a, const struct words *b, int *kept)
{
    enum { WEIGHT = 1000 };
    int cost[WORDS_MOST + 1][WORDS_MOST + 1] = {{0}};
    for (int i = 0; i <= a->count; i++)
        for (int j = 0; j <= b->count; j++) {
            int best = i || j ? 1 << 30 : 0;
            bool same = i && j && strcmp(a->word[i - 1], b->word[j - 1]) == 0;
            if (i && cost[i - 1][j] + WEIGHT < best)
                best = cost[i - 1][j] + WEIGHT;
            if (j && cost[i][j - 1] + WEIGHT < best)
                best = cost[i][j - 1] + WEIGHT;
            int both = i && j ? cost[i - 1][j - 1] + (same ? -1 : WEIGHT) : best;
            cost[i][j] = both < best ? both : best;
        }
    int edits = (cost[a->count][b->count] + WEIGHT - 1) / WEIGHT;
    *kept = edits * WEIGHT - cost[a->count][b->count];
    return edits;
}

static int count_marks(const struct words *words, enum mark mark)
{
    int count = 0;
    for (int i = 0; i < words->count; i++)
        count += words->mark[i] == mark;
    return count;
}

/* True if what is seen is that part of the text. */
static bool is_part(const struct words *seen, const struct words *text, struct extent extent)
{
    for (int from = 0; from + seen->count <= text->count; from++) {
        int i = 0;
        while (i < seen->count && strcmp(seen->word[i], text->word[from + i]) == 0)
            i++;
        bool first = from == 0, last = from + i == text->count;
        if (i == seen->count && (first || !extent.first) && (last || !extent.last))
            return true;
    }
    return false;
}

/* True if words of that mark are the same number in both, and stand one above the other. */
static bool stand_above(const struct words *a, const struct words *b, enum mark mark)
{
    int i = 0, j = 0;
    for (;; i++, j++) {
        while (i < a->count && a->mark[i] != mark)
            i++;
        while (j < b->count && b->mark[j] != mark)
            j++;
        if (i == a->count || j == b->count)
            return i == a->count && j == b->count;
        bool same = strcmp(a->word[i], b->word[j]) == 0;
        if (a->place[i] != b->place[j] || same != (mark == KEPT))
            return false;
    }
}

struct change {
    const struct stage *stage;
    struct words text[2];
};

static bool shows_both(const struct tmux_screen *screen, const void *context)
{
    const struct change *change = context;
    struct words seen[2];
    struct extent extent;
    if (!read_both(change->stage, screen, seen, &extent) ||
        !is_part(&seen[0], &change->text[0], extent) ||
        !is_part(&seen[1], &change->text[1], extent))
        return false;
    if (shows_one(screen))
        return count_marks(&seen[1], CHANGED) + count_marks(&seen[1], NEW) > 0;
    if (!stand_above(&seen[0], &seen[1], KEPT) || !stand_above(&seen[0], &seen[1], CHANGED))
        return false;
    int changed = count_marks(&seen[0], CHANGED), gone = count_marks(&seen[0], GONE),
        new = count_marks(&seen[1], NEW), kept,
        edits = count_edits(&change->text[0], &change->text[1], &kept);
    if (!extent.first || !extent.last)
        return changed + gone + new > 0;
    return changed + gone + new == edits &&count_marks(&seen[0], KEPT) == kept;
}

static void expect_changes(const struct stage *stage, const char *before, const char *after)
{
    struct change change = {stage, {split(before), split(after)}};
    tmux_expect_that(&stage->tmux, shows_both, &change, "both translations, aligned");
}

/* Steps ---------------------------------------------------------------------------------------- */

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
    check_weights(stage, AFTER, BEFORE);
}

static void switch_on(const struct stage *stage)
{
    tmux_press(&stage->tmux, "D");
    tmux_expect_gone(&stage->tmux, "off: ");
    expect_changes(stage, text_of("after"), text_of("before"));
    expect_map(stage, "layer 1", "■ ■ ■ ■ ■ ■ ■ ■", "# # # # # # # #");
    check_weights(stage, BEFORE, AFTER);
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
    struct matrix a = side_matrix("a", "before:  "), b = side_matrix("b", "after:  "),
                  difference = side_matrix("difference", "after − before:  ");
    a.most = b.most = fmax(a.most, b.most);
    b.row_labels_are = LABELS_BETWEEN;
    difference.difference = true;
    difference.row_labels_are = LABELS_ABSENT;
    tmux_press(&stage->tmux, "b");
    stage_expect(stage, "\n heads by change");
    tmux_press(&stage->tmux, "b");
    stage_expect(stage, "\n cross  layer 1/2  head 1/8");
    stage_run(stage, ":beside before");
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

/* Words stay words on the way through both states and back, also where the next key comes at once;
 * `v` shows both translations in full. */
static void compare_words(const struct stage *stage)
{
    tmux_press(&stage->tmux, "w b");
    stage_expect(stage, "\n heads by change  words");
    tmux_press(&stage->tmux, "Enter");
    stage_expect(stage, "\n after − before:  ");
    tmux_press(&stage->tmux, "o");
    stage_expect(stage, "\n heads by change  words");
    tmux_press(&stage->tmux, "v");
    stage_expect(stage, "\n what changed");
    if (stage->rows >= 24) // lower down on others
        stage_expect(stage, "log-probability of each token");
    tmux_press(&stage->tmux, "v");
    stage_expect(stage, "\n heads by change  words");
    tmux_press(&stage->tmux, "b");
    stage_expect(stage, "\n after − before:  ");
    tmux_press(&stage->tmux, "b");
    tmux_expect_gone(&stage->tmux, stage_text(stage, "after − before:"));
    if (stage_has_side(stage)) // wide enough for the end of the title
        stage_expect(stage, "/8  words");
    // A narrow title of tokens is that of words: another view comes between, so that it is waited
    // for.
    tmux_press(&stage->tmux, "Tab");
    stage_expect(stage, "\n encoder  layer ");
    stage_run(stage, ATTENTION);
    stage_expect(stage, "\n cross  layer 1/2  head 1/8");
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

/* A click goes to a head in the map of heads, and switches nothing; in the heatmap it moves the
 * cursor, as the wheel does. */
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
        stage_expect(stage, "\n cross  layer 2/2  head 3/8");
        expect_map(stage, "layer 2", "■ ■ ■ ■ ■ ■ ■ ■", "# # # # # # # #");
        tmux_click(&stage->tmux, row - 1, column + MAP, TMUX_LEFT);
        stage_expect(stage, "\n cross  layer 1/2  head 1/8");
    }
    // A message of two lines makes the heatmap's labels shorter until a key is pressed: rows then
    // move.
    tmux_press(&stage->tmux, "g g 0 l");
    stage_expect_cursor(stage, &matrix, 0, 1);
    tmux_press(&stage->tmux, "0");
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
    stage_expect(stage, "> :beside before");
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
    stage_expect(&stage, "cross  layer 2/2  mean of 8 heads");
    stage_run(&stage, ATTENTION);
    stage_expect(&stage, "cross  layer 1/2  head 1/8");
    check_weights(&stage, BEFORE, AFTER);
    switch_off(&stage);
    compare(&stage);
    compare_words(&stage);
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
