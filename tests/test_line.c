/* The screen's line: bytes in; text, cursor, history and canvas out. Nothing goes to a terminal. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <readline/history.h>

#include "tests/commands_support.h"
#include "tui/history.h"
#include "tui/screen/line.h"

static char folder[] = "/tmp/attnscope-line-XXXXXX";
static struct canvas canvas;

/* Completes words after a blank from a list; "off" says that nothing can be asked now. */
static bool complete_test(void *context, const char *line, size_t cursor,
                          struct completions *completions)
{
    static const char *const words[] = {"decoder", "decoration", "dedicated", "encoder"};
    struct status status;
    size_t start = cursor;
    (void)context;
    while (start > 0 && line[start - 1] != ' ')
        start--;
    completions->start = start;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(words[i], line + start, cursor - start) == 0)
            assert_true(pieces_add(&completions->words, words[i], strlen(words[i]), &status));
    return strncmp(line, "off", 3) != 0;
}

static int open_line(void **unused)
{
    struct status status;
    (void)unused;
    return line_open(complete_test, NULL, &status) ? 0 : -1;
}

static int close_line(void **unused)
{
    (void)unused;
    line_close();
    canvas_free(&canvas);
    return 0;
}

static int feed(const char *bytes)
{
    return line_feed((const unsigned char *)bytes, (int)strlen(bytes));
}

/* The canvas' rows without blanks at their ends, joined by "|"; the cursor is on *row, *column. */
static const char *drawn(int rows, int columns, int *row, int *column)
{
    static char text[20000];
    struct status status;
    size_t used = 0;
    assert_true(canvas_resize(&canvas, rows, columns, &status));
    line_draw(&canvas, (struct area){0, 0, rows, columns}, row, column);
    for (int i = 0; i < rows; i++) {
        size_t kept = used;
        for (int j = 0; j < columns; j++) {
            const char *cell = canvas_cell(&canvas, i, j)->text;
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", cell);
            if (strcmp(cell, " ") != 0)
                kept = used;
        }
        used = kept;
        used += (size_t)snprintf(text + used, sizeof text - used, i + 1 < rows ? "|" : "");
    }
    text[used] = '\0';
    return text;
}

static void assert_drawn(int rows, int columns, const char *wanted, int wanted_row,
                         int wanted_column)
{
    int row, column;
    assert_string_equal(drawn(rows, columns, &row, &column), wanted);
    assert_int_equal(row, wanted_row);
    assert_int_equal(column, wanted_column);
}

/* Ends the line with Enter. */
static void assert_entered(const char *wanted)
{
    char *text;
    feed("\r");
    assert_int_equal(line_state(&text), LINE_ENTERED);
    assert_string_equal(text, wanted);
    free(text);
    assert_int_equal(line_state(&text), LINE_ENTERED);
    assert_null(text);
}

static enum line_end ended(void)
{
    char *text;
    enum line_end end = line_state(&text);
    free(text);
    return end;
}

static void begin(void)
{
    line_begin(": ", "", -1);
}

/* Keys of emacs mode, on "one two three". */
static void keys_edit(void **unused)
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
    (void)unused;
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

static void a_line_begins_with_text_and_a_cursor(void **unused)
{
    (void)unused;
    line_begin("/", "search", 3);
    assert_drawn(1, 20, "/search", 0, 4);
    feed("x");
    assert_drawn(1, 20, "/seaxrch", 0, 5);
    assert_entered("seaxrch");
    line_begin("", "", -1);
    assert_drawn(1, 20, "", 0, 0);
    assert_entered("");
}

static void what_follows_the_end_is_the_callers(void **unused)
{
    (void)unused;
    begin();
    assert_int_equal(feed("abc\rjk"), 4);
    assert_int_equal(ended(), LINE_ENTERED);
    assert_int_equal(feed("jk"), 0);
    begin();
    assert_drawn(1, 20, ":", 0, 2);
    assert_int_equal(feed("\007jk"), 1);
    assert_int_equal(ended(), LINE_LEFT);
    begin();
    assert_int_equal(feed("\004jk"), 1);
    assert_int_equal(ended(), LINE_EOF);
}

static void esc_alone_leaves_and_up_brings_the_line_back(void **unused)
{
    (void)unused;
    clear_history();
    history_keep("first");
    begin();
    feed("half typed");
    assert_int_equal(feed("\033"), 1);
    assert_int_equal(ended(), LINE_LEFT);
    begin();
    feed("\033[A");
    assert_drawn(1, 20, ": half typed", 0, 12);
    feed(" more\033"); // with what was typed before it
    assert_int_equal(ended(), LINE_LEFT);
    begin();
    feed("\033[A");
    assert_drawn(1, 20, ": half typed more", 0, 17);
    feed("\033[A"); // it took the place of the one before
    assert_drawn(1, 20, ": first", 0, 7);
    assert_entered("first");
    begin();
    feed("\0333\033"); // a count, and Esc
    assert_int_equal(ended(), LINE_LEFT);
    begin();
    feed("\030\033"); // half of a key, and Esc: the key is gone, then Esc
    if (ended() == LINE_TYPING)
        feed("\033");
    assert_int_equal(ended(), LINE_LEFT);
    begin();
    feed("ab");
    assert_entered("ab");
}

static void half_typed_lines_stay_out_of_the_file(void **unused)
{
    char path[128];
    (void)unused;
    clear_history();
    begin();
    feed("never entered\033");
    begin();
    feed("\033[A");
    assert_entered("never entered");
    begin();
    feed("neither\007");
    history_keep("entered");
    history_keep("entered");
    assert_int_equal(history_length, 2);
    begin();
    feed("at last\007");
    history_keep("at last");
    snprintf(path, sizeof path, "%s/attnscope/history", folder);
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
static void answers_are_no_part_of_the_history(void **unused)
{
    (void)unused;
    clear_history();
    history_keep("first");
    line_ask("/");
    feed("searched\033");
    assert_int_equal(ended(), LINE_LEFT);
    line_ask("/");
    feed("again");
    assert_true(line_drop());
    feed("and again\007");
    assert_int_equal(ended(), LINE_LEFT);
    line_ask("/");
    feed("found");
    assert_entered("found");
    begin();
    feed("half typed");
    line_ask("replace it? ");
    feed("n\033");
    assert_int_equal(history_length, 2);
    begin();
    feed("\033[A");
    assert_entered("half typed");
    clear_history();
}

static void ctrl_r_searches_in_sight(void **unused)
{
    (void)unused;
    clear_history();
    history_keep(":disable head 3");
    history_keep("the dog sees a cat");
    begin();
    feed("\022"
         "disa");
    assert_drawn(2, 40, "(reverse-i-search)`disa': :disable head|3", 0, 27);
    feed("\007"); // ends the search alone
    assert_int_equal(ended(), LINE_TYPING);
    assert_drawn(1, 40, ":", 0, 2);
    feed("\022dog\033");
    assert_int_equal(ended(), LINE_TYPING);
    assert_drawn(1, 40, ": the dog sees a cat", 0, 6);
    feed("\001\013\022head");
    assert_entered(":disable head 3"); // from within the search
    begin();
    feed("\022ca\030)\030x"); // keys of two, which end it
    assert_int_equal(ended(), LINE_TYPING);
    feed("\022ca");
    assert_true(line_drop());
    assert_drawn(1, 40, ":", 0, 2);
    feed("ok");
    assert_entered("ok");
}

static void a_paste_is_one_text_however_it_comes(void **unused)
{
    static const char paste[] = "a\033[200~one \033[A\rtwo\n\033[20\303\251\033[201~b";
    static const char text[] = "aone \033[A\ntwo\n\033[20\303\251b";
    (void)unused;
    for (size_t cut = 0; cut < sizeof paste; cut++) {
        if (cut && paste[cut - 1] == '\033' && cut < 8)
            continue; // an Esc alone
        begin();
        assert_int_equal(line_feed((const unsigned char *)paste, (int)cut), (int)cut);
        assert_int_equal(ended(), LINE_TYPING);
        assert_int_equal(feed(paste + cut), (int)(sizeof paste - 1 - cut));
        assert_entered(text);
    }
    begin();
    feed("\033[200~endless\rpaste\033");
    assert_int_equal(ended(), LINE_TYPING);
    assert_drawn(1, 20, ":", 0, 2);
    assert_true(line_drop());
    assert_false(line_drop());
    feed("free again");
    assert_entered("free again");
}

static void tab_completes_or_offers(void **unused)
{
    (void)unused;
    begin();
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

static const char *offers_drawn(int rows, int columns, int *used)
{
    static char text[4000];
    struct status status;
    size_t at = 0;
    assert_true(canvas_resize(&canvas, rows, columns, &status));
    *used = line_draw_offers(&canvas, (struct area){0, 0, rows, columns});
    for (int i = rows - *used; i < rows; i++) {
        for (int j = 0; j < columns; j++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s",
                                   canvas_cell(&canvas, i, j)->text);
        at += (size_t)snprintf(text + at, sizeof text - at, "|");
    }
    return text;
}

static void offers_stand_in_columns(void **unused)
{
    int used;
    (void)unused;
    begin();
    feed("\t\t");
    assert_int_equal(line_offers()->count, 4);
    // 10 columns and 2 between
    assert_string_equal(offers_drawn(5, 25, &used), "decoder     dedicated    |"
                                                    "decoration  encoder      |");
    assert_int_equal(used, 2);
    assert_string_equal(offers_drawn(3, 14, &used), "decoder       |"
                                                    "decoration    |"
                                                    "and 2 more    |");
    assert_string_equal(offers_drawn(1, 14, &used), "4 words       |");
    assert_string_equal(offers_drawn(1, 60, &used),
                        "decoder     decoration  dedicated   encoder                 |");
    assert_int_equal(line_draw_offers(&canvas, (struct area){0, 0, 0, 14}), 0);
    feed("\025");
    offers_drawn(5, 25, &used);
    assert_int_equal(used, 0);
    assert_entered("");
}

static void wide_and_combined_characters_keep_their_places(void **unused)
{
    (void)unused;
    begin();
    feed("犬が猫");
    assert_drawn(1, 20, ": 犬が猫", 0, 8);
    feed("\033[D");
    assert_drawn(1, 20, ": 犬が猫", 0, 6);
    feed("\177を"); // takes a whole character
    assert_drawn(1, 20, ": 犬を猫", 0, 6);
    feed("\001e\314\201x"); // e and an acute accent: one column
    assert_drawn(1, 20, ": e\314\201x犬を猫", 0, 4);
    // 2 + 2 + 6 columns on rows of 7: a wide character is never halved
    assert_drawn(2, 7, ": e\314\201x犬|を猫", 0, 4);
    assert_entered("e\314\201x犬を猫");
    begin();
    assert_int_equal(feed("\347\212"), 2); // the first bytes of 犬
    assert_drawn(1, 20, ":", 0, 2);
    feed("\254");
    assert_drawn(1, 20, ": 犬", 0, 4);
    feed("\377!"); // no UTF-8
    assert_drawn(1, 20, ": 犬?!", 0, 6);
    assert_entered("犬?!");
}

static void control_characters_are_shown_as_pictures(void **unused)
{
    (void)unused;
    begin();
    feed("\302\205\026\033b\026\001\033[200~\r\t\033[201~");
    assert_drawn(1, 20, ": \357\277\275␛b␁␊␉", 0, 8);
    feed("\002\002\002");
    assert_drawn(1, 20, ": \357\277\275␛b␁␊␉", 0, 5);
    assert_true(line_drop());
    feed("\033");
}

static void long_lines_wrap_and_scroll_with_the_cursor(void **unused)
{
    (void)unused;
    begin();
    feed("0123456789abcdefghij");
    assert_int_equal(line_rows(40, 5), 1);
    assert_int_equal(line_rows(23, 5), 1); // 2 + 20, and the cursor
    assert_int_equal(line_rows(22, 5), 2);
    assert_int_equal(line_rows(10, 5), 3);
    assert_int_equal(line_rows(10, 2), 2);
    assert_int_equal(line_rows(0, 2), 1);
    assert_drawn(2, 22, ": 0123456789abcdefghij|", 1, 0);
    assert_drawn(3, 10, ": 01234567|89abcdefgh|ij", 2, 2);
    assert_drawn(2, 10, "89abcdefgh|ij", 1, 2);
    // On one row by halves of its width.
    assert_drawn(1, 10, "defghij", 0, 7);
    feed("\001");
    assert_drawn(1, 10, ": 01234567", 0, 2);
    assert_drawn(2, 10, ": 01234567|89abcdefgh", 0, 2);
    feed("\033[C\033[C\033[C\033[C\033[C\033[C\033[C\033[C");
    assert_drawn(1, 10, "3456789abc", 0, 5);
    assert_entered("0123456789abcdefghij");
}

/* Wherever the cursor is, at every size it is on the area. */
static void the_cursor_is_always_seen(void **unused)
{
    (void)unused;
    begin();
    feed("ein 犬 e\314\201 und 日本語の長い文 und noch "
         "\360\237\221\251\342\200\215\360\237\221\247 mehr Text");
    for (int moved = 0; moved < 50; moved += 3) {
        for (int columns = 1; columns < 60; columns++)
            for (int rows = 1; rows < 5; rows++) {
                int row, column;
                drawn(rows, columns, &row, &column);
                assert_true(row >= 0 && row < rows && column >= 0 && column < columns);
            }
        feed("\002\002\002");
    }
    assert_true(line_drop());
    feed("\033");
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
    (void)unused;
    fflush(stdout);
    snprintf(name, sizeof name, "%s/output", folder);
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    begin();
    for (int total = 0; total < 10000;) {
        int count = (int)random_bytes(&state, bytes);
        int taken = line_feed(bytes, count);
        total += count;
        written |= taken < 0 || taken > count;
        if (next_random(&state) % 8 == 0) {
            drawn(2, 30, &row, &column);
            line_draw_offers(&canvas, (struct area){0, 0, 2, 30});
        }
        if (next_random(&state) % 100 == 0)
            line_drop();
        if (line_state(&text) != LINE_TYPING) {
            if (text)
                history_keep(text);
            free(text);
            begin();
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
static void in_vi_mode_the_second_esc_leaves(void **unused)
{
    (void)unused;
    begin();
    feed("one two\033");
    assert_int_equal(ended(), LINE_TYPING);
    feed("bx"); // back one word, and its first character away
    assert_drawn(1, 20, ": one wo", 0, 6);
    feed("i\033[D\033[Cy\033[A\033[B"); // arrows are no Esc
    assert_int_equal(ended(), LINE_TYPING);
    assert_entered("one ywo");
    begin();
    feed("one\033");
    feed("\033");
    assert_int_equal(ended(), LINE_LEFT);
    begin();
    feed("\033k");
    assert_drawn(1, 20, ": one", 0, 2);
    assert_entered("one");
    begin();
    feed("two words\033d"); // a motion is awaited
    feed("\033");
    if (ended() == LINE_TYPING)
        feed("\033");
    assert_int_equal(ended(), LINE_LEFT);
    begin();
    feed("x\007");
    assert_int_equal(ended(), LINE_LEFT);
    begin();
    feed("日本\033r犬");
    assert_entered("日犬");
}

static int run_vi_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_vi_mode_the_second_esc_leaves),
        cmocka_unit_test(any_bytes_are_taken_and_nothing_is_written),
    };
    return cmocka_run_group_tests_name("vi", tests, open_line, close_line);
}

static int run_emacs_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_edit),
        cmocka_unit_test(a_line_begins_with_text_and_a_cursor),
        cmocka_unit_test(what_follows_the_end_is_the_callers),
        cmocka_unit_test(esc_alone_leaves_and_up_brings_the_line_back),
        cmocka_unit_test(answers_are_no_part_of_the_history),
        cmocka_unit_test(half_typed_lines_stay_out_of_the_file),
        cmocka_unit_test(ctrl_r_searches_in_sight),
        cmocka_unit_test(a_paste_is_one_text_however_it_comes),
        cmocka_unit_test(tab_completes_or_offers),
        cmocka_unit_test(offers_stand_in_columns),
        cmocka_unit_test(wide_and_combined_characters_keep_their_places),
        cmocka_unit_test(control_characters_are_shown_as_pictures),
        cmocka_unit_test(long_lines_wrap_and_scroll_with_the_cursor),
        cmocka_unit_test(the_cursor_is_always_seen),
        cmocka_unit_test(any_bytes_are_taken_and_nothing_is_written),
    };
    return cmocka_run_group_tests_name("emacs", tests, open_line, close_line);
}

/* readline reads inputrc once in a process. */
static int run_with(const char *inputrc, int (*run)(void))
{
    char path[64];
    int code = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("INPUTRC", write_lines(inputrc, path), 1);
        alarm(120); // readline has loops that never end
        code = run();
        unlink(path);
        fflush(stdout);
        exit(code);
    }
    return waitpid(child, &code, 0) == child && WIFEXITED(code) ? WEXITSTATUS(code) : 1;
}

int main(void)
{
    char command[128];
    if (!mkdtemp(folder))
        return 1;
    setenv("XDG_STATE_HOME", folder, 1);
    int failed = run_with("set editing-mode emacs\n", run_emacs_tests) +
                 run_with("set editing-mode vi\n", run_vi_tests);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) || failed;
}
