/* The line of keys: what the table says of their order of importance, at every width. */
#include "terminal/text/display.h"
#include "tests/support/test.h"
#include "tests/tui/screen/canvas/canvas_support.h"
#include "tui/manual/key_table.h"
#include "tui/screen/action/act.h"
#include "tui/screen/draw/parts.h"

enum { LEAST = 20, MOST = 300, KEYS_MOST = 100 };
#define HELP "? help"

static int rank_of(const struct key_entry *key)
{
    return key->contexts & BRIEF_LAST ? 2 : key->contexts & BRIEF_LATER ? 1 : 0;
}

/* Gates have neither heads nor words. */
static bool belongs(const struct key_entry *key, unsigned context)
{
    const bool there =
        context != IN_OTHER || (key->action != ACTION_TOGGLE && key->action != ACTION_WORDS);
    return there && key->brief && key->contexts & context && key->action != ACTION_HELP;
}

/* A frame for which every key of its kind has something to do. */
static struct frame frame_of(enum frame_kind kind, enum view_kind view)
{
    struct frame frame = {.kind = kind, .drawn = true, .sentences = 1, .command = (char *)"attn"};
    frame.report.navigation.kind = view;
    return frame;
}

/* Marks the keys that the line names, which are in the order of the table with two blanks between.
 * Returns the column of the help, which is the last. */
static int read_line(const struct canvas *canvas, unsigned context, bool shown[KEYS_MOST])
{
    static const char focus[] = " view  ";
    const char *line = canvas_text(canvas, 0, 0, canvas->columns), *at = line + strlen(focus);
    int column = (int)strlen(focus);
    assert_memory_equal(line, focus, strlen(focus));
    for (int i = 0; i < key_count; i++) {
        const char *brief = belongs(&key_table[i], context) ? key_table[i].brief : NULL;
        shown[i] = brief && strncmp(at, brief, strlen(brief)) == 0 &&
                   strncmp(at + strlen(brief), "  ", 2) == 0;
        at += shown[i] ? strlen(brief) + 2 : 0;
        column += shown[i] ? display_width(brief) + 2 : 0;
    }
    if (strncmp(at, HELP, strlen(HELP)) != 0 || at[strlen(HELP) + strspn(at + strlen(HELP), " ")])
        fail_msg("\"%s\": \"%s\" is no key that comes next", line, at);
    return column;
}

static void check_line(const struct canvas *canvas, unsigned context)
{
    bool shown[KEYS_MOST];
    assert_true(key_count <= KEYS_MOST);
    // One column stays free at the right.
    const int room = canvas->columns - 1 - (read_line(canvas, context, shown) + (int)strlen(HELP));
    assert_true(room >= 0);
    int missing = 3; // the first rank that is not whole
    for (int i = 0; i < key_count; i++)
        if (belongs(&key_table[i], context) && !shown[i] && rank_of(&key_table[i]) < missing)
            missing = rank_of(&key_table[i]);
    for (int i = 0; i < key_count; i++) {
        const struct key_entry *key = &key_table[i];
        if (shown[i] && rank_of(key) > missing)
            fail_msg("%d columns: %s is shown, and keys before it are not", canvas->columns,
                     key->brief);
        if (belongs(key, context) && !shown[i] && rank_of(key) == missing &&
            display_width(key->brief) + 2 <= room)
            fail_msg("%d columns: %s fits and is not shown", canvas->columns, key->brief);
    }
}

static void keys_are_shown_by_rank_while_there_is_room(void **state)
{
    static const struct {
        enum frame_kind kind;
        enum view_kind view;
        unsigned context;
    } cases[] = {{FRAME_PICTURE, VIEW_HEAD, IN_MATRIX}, {FRAME_PICTURE, VIEW_HEADS, IN_GRID},
                 {FRAME_PICTURE, VIEW_TOKEN, IN_TOKEN}, {FRAME_PICTURE, VIEW_GATES, IN_OTHER},
                 {FRAME_SHEET, VIEW_NONE, IN_SHEET},    {FRAME_PAGE, VIEW_NONE, IN_PAGE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct frame frame = frame_of(cases[i].kind, cases[i].view);
        struct screen screen = {.frame = &frame, .typing = TYPING_NOTHING};
        struct status status;
        for (int columns = LEAST; columns <= MOST; columns++) {
            assert_true(canvas_resize(&screen.canvas, 1, columns, &status));
            draw_keys(&screen, (struct area){0, 0, 1, columns});
            check_line(&screen.canvas, cases[i].context);
        }
        canvas_free(&screen.canvas);
    }
}

/* What a terminal sends for what is clicked, as a key. */
static int clicked(const struct canvas *canvas, int column)
{
    static struct key_reader reader;
    struct event event;
    const char *bytes = key_line_find(canvas, 0, column);
    assert_non_null(bytes);
    reader = (struct key_reader){0};
    keys_add(&reader, (const unsigned char *)bytes, (int)strlen(bytes));
    assert_true(keys_next(&reader, true, 1, &event));
    assert_int_equal(event.kind, EVENT_KEY);
    return event.key;
}

/* In "←→ head" each arrow is its key, and the description the last one. */
static void a_click_types_the_key_that_is_written_there(void **state)
{
    static const struct {
        enum frame_kind kind;
        enum view_kind view;
        unsigned context;
    } cases[] = {{FRAME_PICTURE, VIEW_HEAD, IN_MATRIX},
                 {FRAME_SHEET, VIEW_NONE, IN_SHEET},
                 {FRAME_PAGE, VIEW_NONE, IN_PAGE}};
    for (int k = 0; k < 2 * (int)(sizeof cases / sizeof *cases); k++) {
        struct frame frame = frame_of(cases[k / 2].kind, cases[k / 2].view);
        struct screen screen = {.frame = &frame, .typing = TYPING_NOTHING, .style.ascii = k % 2};
        struct status status;
        assert_true(canvas_resize(&screen.canvas, 1, MOST, &status));
        draw_keys(&screen, (struct area){0, 0, 1, MOST});
        int column = (int)strlen(" view  ");
        assert_null(key_line_find(&screen.canvas, 0, 0));
        for (int i = 0; i < key_count; i++) {
            const struct key_entry *key = &key_table[i];
            if (!belongs(key, cases[k / 2].context))
                continue;
            int width = display_width(key->brief);
            bool several =
                strncmp(key->brief, "hjkl", 4) == 0 || (unsigned char)*key->brief >= 0x80;
            assert_int_equal(clicked(&screen.canvas, column), key->keys[0]);
            assert_int_equal(clicked(&screen.canvas, column + width - 1),
                             key->keys[several && key->keys[1] ? 1 : 0]);
            column += width + 2;
        }
        assert_int_equal(clicked(&screen.canvas, column), '?');
        canvas_free(&screen.canvas);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_shown_by_rank_while_there_is_room),
        cmocka_unit_test(a_click_types_the_key_that_is_written_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
