/* The screen's line: bytes in; text, cursor, history and canvas out. Nothing goes to a terminal. */
#include <fcntl.h>
#include <unistd.h>

#include <readline/history.h>

#include "tests/support/test.h"
#include "tests/tui/screen/line/line_support.h"
#include "tui/prompt/history.h"

/* Keys of emacs mode, on "one two three". */
static void keys_edit(void **state)
{
    static const struct {
        const char *keys, *text;
    } cases[] = {
        {"x", "one two threex"},
        {"\177\177", "one two thr"},
        {"\001x", "xone two three"},
        {"\001\005x", "one two threex"},
        {"\033[D\033[Dx", "one two thrxee"},     // left
        {"\033OD\033ODx", "one two thrxee"},     // of the keypad
        {"\033[H\033[C\033[3~", "oe two three"}, // Home, right, Delete
        {"\033bx", "one two xthree"},            // Alt-b
        {"\033b\033b\033[F!", "one two three!"}, // End
        {"\027", "one two "},                    // Ctrl-W
        {"\001\033d", " two three"},             // Alt-d
        {"\027\031\031", "one two threethree"},  // yank
        {"\025", ""},                            // Ctrl-U
        {"\002\013", "one two thre"},            // Ctrl-K
        {"\001\0333\004", " two three"},         // Alt-3 Ctrl-D
        {"\026\001", "one two three\001"},       // quoted
        {"\026\033", "one two three\033"},       // even Esc
        {"x\037", "one two three"},              // undo
        {"\302\240", "one two three\302\240"},   // no-break space
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        line_begin(": ", "one two three", -1);
        assert_int_equal(feed(cases[i].keys), (int)strlen(cases[i].keys));
        assert_entered(cases[i].text);
        line_begin(": ", "one two three", -1); // and the same when bytes come one by one
        size_t count = strlen(cases[i].keys);
        bool alone =
            strchr(cases[i].keys, '\033') != NULL; // an Esc that is alone means something else
        for (size_t k = 0; k < count && !alone; k++)
            line_feed((const unsigned char *)cases[i].keys + k, 1);
        if (alone)
            feed(cases[i].keys);
        assert_entered(cases[i].text);
    }
}

static void a_line_begins_with_text_and_a_cursor(void **state)
{
    line_begin("/", "search", 3);
    assert_drawn(1, 20, "/search", 0, 4);
    feed("x");
    assert_drawn(1, 20, "/seaxrch", 0, 5);
    assert_entered("seaxrch");
    line_begin("", "", -1);
    assert_drawn(1, 20, "", 0, 0);
    assert_entered("");
}

static void what_follows_the_end_is_the_callers(void **state)
{
    begin_line();
    assert_int_equal(feed("abc\rjk"), 4);
    assert_int_equal(line_ended(), LINE_ENTERED);
    assert_int_equal(feed("jk"), 0);
    begin_line();
    assert_drawn(1, 20, ":", 0, 2);
    assert_int_equal(feed("\007jk"), 1);
    assert_int_equal(line_ended(), LINE_LEFT);
    begin_line();
    assert_int_equal(feed("\004jk"), 1);
    assert_int_equal(line_ended(), LINE_EOF);
}

/* As tmux sends them if the second follows soon. */
static void esc_and_a_key_are_two_unless_readline_knows_them(void **state)
{
    begin_line();
    feed("one two");
    assert_int_equal(feed("\033:"), 1);
    assert_int_equal(line_ended(), LINE_LEFT);
    begin_line();
    feed("one two");
    assert_int_equal(feed("\033b"), 2); // a word back
    assert_drawn(1, 20, ": one two", 0, 6);
    assert_entered("one two");
}

static void esc_alone_leaves_and_up_brings_the_line_back(void **state)
{
    clear_history();
    history_keep("first");
    begin_line();
    feed("half typed");
    assert_int_equal(feed("\033"), 1);
    assert_int_equal(line_ended(), LINE_LEFT);
    begin_line();
    feed("\033[A");
    assert_drawn(1, 20, ": half typed", 0, 12);
    feed(" more\033"); // with what was typed before it
    assert_int_equal(line_ended(), LINE_LEFT);
    begin_line();
    feed("\033[A");
    assert_drawn(1, 20, ": half typed more", 0, 17);
    feed("\033[A"); // it took the place of the one before
    assert_drawn(1, 20, ": first", 0, 7);
    assert_entered("first");
    begin_line();
    feed("\0333\033"); // a count, and Esc
    assert_int_equal(line_ended(), LINE_LEFT);
    begin_line();
    feed("\030\033"); // half of a key, and Esc: the key is gone, then Esc
    if (line_ended() == LINE_TYPING)
        feed("\033");
    assert_int_equal(line_ended(), LINE_LEFT);
    begin_line();
    feed("ab");
    assert_entered("ab");
}

static void half_typed_lines_stay_out_of_the_file(void **state)
{
    char path[128];
    clear_history();
    begin_line();
    feed("never entered\033");
    begin_line();
    feed("\033[A");
    assert_entered("never entered");
    begin_line();
    feed("neither\007");
    history_keep("entered");
    history_keep("entered");
    assert_int_equal(history_length, 2);
    begin_line();
    feed("at last\007");
    history_keep("at last");
    snprintf(path, sizeof path, "%s/attnscope/history", line_folder);
    FILE *file = fopen(path, "r");
    char text[400] = "";
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text + strlen(text) - strlen("entered\nat last\n"), "entered\nat last\n");
    assert_null(strstr(text, "never"));
    assert_null(strstr(text, "neither"));
    assert_int_equal(history_length, 3);
}

/* Neither when it is left nor when it is entered; what was being typed when a question came is. */
static void answers_are_no_part_of_the_history(void **state)
{
    clear_history();
    history_keep("first");
    line_ask("/");
    feed("searched\033");
    assert_int_equal(line_ended(), LINE_LEFT);
    line_ask("/");
    feed("again");
    assert_true(line_drop());
    feed("and again\007");
    assert_int_equal(line_ended(), LINE_LEFT);
    line_ask("/");
    feed("found");
    assert_entered("found");
    begin_line();
    feed("half typed");
    line_ask("replace it? ");
    feed("n\033");
    assert_int_equal(history_length, 2);
    begin_line();
    feed("\033[A");
    assert_entered("half typed");
    clear_history();
}

static void ctrl_r_searches_in_sight(void **state)
{
    clear_history();
    history_keep(":disable head 3");
    history_keep("the dog sees a cat");
    begin_line();
    feed("\022"
         "disa");
    assert_drawn(2, 40, "(reverse-i-search)`disa': :disable head|3", 0, 27);
    feed("\007"); // ends the search alone
    assert_int_equal(line_ended(), LINE_TYPING);
    assert_drawn(1, 40, ":", 0, 2);
    feed("\022dog\033");
    assert_int_equal(line_ended(), LINE_TYPING);
    assert_drawn(1, 40, ": the dog sees a cat", 0, 6);
    feed("\001\013\022head");
    assert_entered(":disable head 3"); // from within the search
    begin_line();
    feed("\022ca\030)\030x"); // keys of two, which end it
    assert_int_equal(line_ended(), LINE_TYPING);
    feed("\022ca");
    assert_true(line_drop());
    assert_drawn(1, 40, ":", 0, 2);
    feed("ok");
    assert_entered("ok");
}

static void a_paste_is_one_text_however_it_comes(void **state)
{
    static const char paste[] = "a\033[200~one \033[A\rtwo\n\033[20\303\251\033[201~b";
    static const char text[] = "aone \033[A\ntwo\n\033[20\303\251b";
    for (size_t cut = 0; cut < sizeof paste; cut++) {
        if (cut && paste[cut - 1] == '\033' && cut < 8)
            continue; // an Esc alone
        begin_line();
        assert_int_equal(line_feed((const unsigned char *)paste, (int)cut), (int)cut);
        assert_int_equal(line_ended(), LINE_TYPING);
        assert_int_equal(feed(paste + cut), (int)(sizeof paste - 1 - cut));
        assert_entered(text);
    }
    begin_line();
    feed("\033[200~endless\rpaste\033");
    assert_int_equal(line_ended(), LINE_TYPING);
    assert_drawn(1, 20, ":", 0, 2);
    assert_true(line_drop());
    assert_false(line_drop());
    feed("free again");
    assert_entered("free again");
}

static void tab_completes_or_offers(void **state)
{
    begin_line();
    feed(":x e\t");
    assert_drawn(1, 40, ": :x encoder", 0, 13);
    assert_int_equal(line_offers()->count, 0);
    feed("\025:x d\t");
    assert_drawn(1, 40, ": :x de", 0, 7);
    assert_int_equal(line_offers()->count, 0);
    feed("\t");
    assert_int_equal(line_offers()->count, 3);
    assert_string_equal(line_offers()->text[1], "decoration");
    feed("c");
    assert_int_equal(line_offers()->count, 0);
    feed("\tr\t");
    assert_drawn(1, 40, ": :x decoration", 0, 16);
    feed("\025off d\tq\t");
    assert_int_equal(line_offers()->count, 0);
    assert_entered("off dq");
}

static unsigned long next_random(unsigned long *state)
{
    *state = *state * 6364136223846793005UL + 1442695040888963407UL;
    return *state >> 33;
}

/* What there is of keys, and anything at all. */
static size_t random_bytes(unsigned long *state, unsigned char *bytes)
{
    static const char *const keys[] = {"\033[A", "\033[B",   "\033b", "\033[200~", "\033[201~",
                                       "\022",   "\t",       "\033",  "犬",        "\r",
                                       "\026",   "\030(",    "\030)", "\030e",     "\0334",
                                       "\007",   "\030\022", "\033?", "\033[3~",   "\035",
                                       "/",      "dw",       "\033*", "\033#",     "\037"};
    if (next_random(state) % 2) {
        const char *key = keys[next_random(state) % (sizeof keys / sizeof *keys)];
        memcpy(bytes, key, strlen(key));
        return strlen(key);
    }
    size_t count = 1 + next_random(state) % 5;
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)next_random(state);
    return count;
}

/* Files of its own take the place of standard output and error. */
static void any_bytes_are_taken_and_nothing_is_written(void **unused)
{
    char name[64];
    int outputs[2] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    unsigned char bytes[16];
    unsigned long state = 20240817;
    int row, column, written = 0;
    char *text;
    fflush(stdout);
    snprintf(name, sizeof name, "%s/output", line_folder);
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    begin_line();
    for (int total = 0; total < 10000;) {
        int count = (int)random_bytes(&state, bytes);
        int taken = line_feed(bytes, count);
        total += count;
        written |= taken < 0 || taken > count;
        if (next_random(&state) % 8 == 0) {
            drawn(2, 30, &row, &column);
            line_draw_offers(&line_canvas, (struct area){0, 0, 2, 30});
        }
        if (next_random(&state) % 100 == 0)
            line_drop();
        if (line_state(&text) != LINE_TYPING) {
            if (text)
                history_keep(text);
            free(text);
            begin_line();
        }
    }
    fflush(stdout);
    fflush(stderr);
    off_t size = lseek(file, 0, SEEK_END);
    for (int i = 0; i < 2; i++) {
        dup2(outputs[i], STDOUT_FILENO + i);
        close(outputs[i]);
    }
    close(file);
    assert_int_equal(size, 0);
    assert_false(written);
}

/* vi mode, which only inputrc can ask for: in a process of its own. */
static void in_vi_mode_the_second_esc_leaves(void **state)
{
    begin_line();
    feed("one two\033");
    assert_int_equal(line_ended(), LINE_TYPING);
    feed("bx"); // back one word, and its first character away
    assert_drawn(1, 20, ": one wo", 0, 6);
    feed("i\033[D\033[Cy\033[A\033[B"); // arrows are no Esc
    assert_int_equal(line_ended(), LINE_TYPING);
    assert_entered("one ywo");
    begin_line();
    feed("one\033");
    feed("\033");
    assert_int_equal(line_ended(), LINE_LEFT);
    begin_line();
    feed("\033k");
    assert_drawn(1, 20, ": one", 0, 2);
    assert_entered("one");
    begin_line();
    feed("two words\033d"); // a motion is awaited
    feed("\033");
    if (line_ended() == LINE_TYPING)
        feed("\033");
    assert_int_equal(line_ended(), LINE_LEFT);
    begin_line();
    feed("x\007");
    assert_int_equal(line_ended(), LINE_LEFT);
    begin_line();
    feed("日本\033r犬");
    assert_entered("日犬");
}

static int run_vi_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_vi_mode_the_second_esc_leaves),
        cmocka_unit_test(any_bytes_are_taken_and_nothing_is_written),
    };
    return cmocka_run_group_tests_name("vi", tests, open_lines, close_lines);
}

static int run_emacs_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_edit),
        cmocka_unit_test(a_line_begins_with_text_and_a_cursor),
        cmocka_unit_test(what_follows_the_end_is_the_callers),
        cmocka_unit_test(esc_alone_leaves_and_up_brings_the_line_back),
        cmocka_unit_test(esc_and_a_key_are_two_unless_readline_knows_them),
        cmocka_unit_test(answers_are_no_part_of_the_history),
        cmocka_unit_test(half_typed_lines_stay_out_of_the_file),
        cmocka_unit_test(ctrl_r_searches_in_sight),
        cmocka_unit_test(a_paste_is_one_text_however_it_comes),
        cmocka_unit_test(tab_completes_or_offers),
        cmocka_unit_test(any_bytes_are_taken_and_nothing_is_written),
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
