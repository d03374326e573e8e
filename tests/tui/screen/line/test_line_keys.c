/* The screen's line and the keys that are sequences: none inserts its own characters; and what else
 * the line tells of itself. */
#include <readline/history.h>

#include "terminal/key_codes.h"
#include "tests/support/test.h"
#include "tests/tui/screen/line/line_support.h"
#include "tui/prompt/history.h"

static bool key(const char *bytes, int code)
{
    return line_key((const unsigned char *)bytes, (int)strlen(bytes), code);
}

/* What readline binds; else the plain key; else nothing: never the sequence's own characters. */
static void keys_insert_no_rubbish(void **state)
{
    static const struct {
        const char *bytes;
        int code;
        bool known;
        const char *text; // of "one two" and an x
    } cases[] = {
        {"\033[D", KEY_ARROW_LEFT, true, "one twxo"},
        {"\033OD", KEY_ARROW_LEFT, true, "one twxo"},
        {"\033[1;2D", KEY_ARROW_LEFT, true, "one twxo"}, // Shift: as without
        {"\033[1;5D", KEY_ARROW_LEFT, true, "one xtwo"}, // Control: a word, which readline binds
        {"\033[1;2H", KEY_FIRST, true, "xone two"},      // Shift-Home
        {"\033[1;2A", KEY_ARROW_UP, true, "beforex"},    // Shift-Up
        {"\033[3~", KEY_OTHER, true, "one twox"},        // Delete, at the end
        {"\033[5~", KEY_PAGE_UP, false, "one twox"},
        {"\033[6~", KEY_PAGE_DOWN, false, "one twox"},
        {"\033[5;2~", KEY_PAGE_UP, false, "one twox"},
        {"\033[15~", KEY_OTHER, false, "one twox"}, // F5
        {"\033OP", KEY_OTHER, false, "one twox"},   // F1
        {"\033[[A", KEY_OTHER, false, "one twox"},  // F1 of Linux' console
        {"\033[Z", KEY_TAB_BACK, false, "one twox"},
        {"\033[", KEY_OTHER, false, "one twox"}, // half of one
    };
    clear_history();
    history_keep("before");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        line_begin(": ", "one two", -1);
        assert_int_equal(key(cases[i].bytes, cases[i].code), cases[i].known);
        feed("x");
        assert_entered(cases[i].text);
    }
    line_begin(": ", "one two", -1);
    feed("\030"); // half of a key
    assert_true(key("\033[D", KEY_ARROW_LEFT));
    feed("x");
    assert_entered("one twxo");
    begin_line();
    feed("text");
    assert_true(key("\033OM", '\r')); // Enter of the keypad
    char *text;
    assert_int_equal(line_state(&text), LINE_ENTERED);
    assert_string_equal(text, "text");
    free(text);
    clear_history();
}

/* Alt-9 and more digits, then a character: a thousand of it at most. */
static void a_count_is_bounded(void **state)
{
    int point;
    begin_line();
    feed("\0339999999x");
    char *text = line_text(&point);
    assert_int_equal(strlen(text), 1000);
    assert_int_equal(strspn(text, "x"), 1000);
    free(text);
    feed("\0333x");
    text = line_text(&point);
    assert_int_equal(strlen(text), 1003);
    free(text);
    line_leave();
}

static void an_empty_line_is_known(void **state)
{
    static const char *const kept[] = {"x", "\022", "\0333", "\030", "\033[200~half", "\303"};
    begin_line();
    assert_true(line_empty());
    feed("x\177");
    assert_true(line_empty());
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        line_drop();
        assert_true(line_empty());
        feed(kept[i]);
        assert_false(line_empty());
        assert_int_equal(line_pasting(), i == 4);
    }
    line_drop();
    assert_false(line_pasting());
    line_leave();
    assert_int_equal(line_ended(), LINE_LEFT);
    assert_false(line_empty());
}

/* The prompt may change while the line is typed, and its text be asked for. */
static void the_prompt_changes_alone(void **state)
{
    int point;
    line_begin("a> ", "some text", 4);
    line_set_prompt("other> ");
    assert_drawn(1, 30, "other> some text", 0, 11);
    char *text = line_text(&point);
    assert_string_equal(text, "some text");
    assert_int_equal(point, 4);
    free(text);
    feed("\022some");
    line_set_prompt("third> "); // not in the middle of a search
    assert_drawn(1, 40, "(reverse-i-search)`some': some text", 0, 26);
    line_leave();
}

/* vi mode: where letters are commands, too. */
static void in_vi_mode_keys_insert_no_rubbish(void **state)
{
    line_begin(": ", "one two", -1);
    assert_true(key("\033[1;2D", KEY_ARROW_LEFT));
    assert_false(key("\033[5~", KEY_PAGE_UP));
    feed("x\033"); // and so where letters are commands
    assert_true(key("\033[D", KEY_ARROW_LEFT));
    assert_false(key("\033[5~", KEY_PAGE_UP));
    feed("ay");
    assert_entered("one twyxo");
}

static int run_vi_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_vi_mode_keys_insert_no_rubbish),
    };
    return cmocka_run_group_tests_name("vi", tests, open_lines, close_lines);
}

static int run_emacs_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_insert_no_rubbish),
        cmocka_unit_test(a_count_is_bounded),
        cmocka_unit_test(an_empty_line_is_known),
        cmocka_unit_test(the_prompt_changes_alone),
    };
    return cmocka_run_group_tests_name("emacs", tests, open_lines, close_lines);
}

int main(void)
{
    if (line_tests_begin() != 0)
        return 1;
    int failed = line_tests_with("set editing-mode emacs\n", run_emacs_tests) +
                 line_tests_with("set editing-mode vi\n", run_vi_tests);
    return line_tests_end() || failed;
}
