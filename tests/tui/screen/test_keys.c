/* Bytes of a terminal as keys and mouse events. */
#include "tests/support/test.h"
#include "tui/screen/canvas/keys.h"

static void add(struct key_reader *keys, const char *bytes)
{
    keys_add(keys, (const unsigned char *)bytes, (int)strlen(bytes));
}

static void describe(const struct event *event, char *text)
{
    if (event->kind == EVENT_MOUSE)
        sprintf(text, "mouse%d@%d,%d ", event->mouse, event->row, event->column);
    else if (event->key > KEY_BASE)
        sprintf(text, "K%d ", event->key - KEY_BASE);
    else
        sprintf(text, "%x ", (unsigned)event->key);
}

/* The events of these bytes, when they come at once, or one by one; the clock stands still. */
static const char *events_of(const char *bytes, bool one_by_one)
{
    static char text[4096];
    struct key_reader *keys = calloc(1, sizeof *keys);
    struct event event;
    char *end = text;
    *text = '\0';
    keys->named[0].sequence = "\033[a"; // as a terminal may have it
    keys->named[0].key = KEY_PAGE_UP;
    for (size_t i = 0; i < (one_by_one ? strlen(bytes) : 1); i++) {
        char one[2] = {bytes[i], '\0'};
        add(keys, one_by_one ? one : bytes);
        for (; keys_next(keys, false, 1000, &event); end += strlen(end))
            describe(&event, end);
    }
    for (; keys_next(keys, true, 1000, &event); end += strlen(end))
        describe(&event, end);
    assert_int_equal(keys->count, 0);
    free(keys);
    return text;
}

static void sequences_are_keys(void **state)
{
    static const struct {
        const char *bytes, *events;
    } cases[] = {
        {"a", "61 "},
        {"\x01\t\r\x7f\x08", "1 9 d 7f 7f "},
        {"é語😀", "e9 8a9e 1f600 "},
        {"\xff"
         "a\xc3",
         "K10 61 K10 "}, // no UTF-8; cut short
        {"\xc0\x80\xed\xa0\x80", "K10 K10 K10 K10 K10 "},
        {"\033", "1b "},
        {"\033\033", "1b 1b "},
        {"\033j", "1b 6a "}, // Esc, then a key
        {"\033[A\033OA\033[1;2A", "K1 K1 K1 "},
        {"\033[B\033[C\033[D", "K2 K4 K3 "},
        {"\033[5~\033[6~\033[H\033[4~\033[Z", "K5 K6 K7 K8 K9 "},
        {"\033[1~\033OH\033[7~\033[F\033OF\033[8~", "K7 K7 K7 K8 K8 K8 "},
        {"\033[15~\033[3~\033OP\033[[Ax", "K10 K10 K10 K10 78 "},
        {"\033[a", "K5 "},
        {"\033OM", "d "},
        {"\033[201~c", "63 "},           // the end of no paste
        {"\033[I\033[Ox", "78 "},        // focus
        {"\033[12;", "1b 5b 31 32 3b "}, // never finished
        {"\033[\001x", "1b 5b 1 78 "},
        {"\033[<0;11;6M\033[<0;11;6m", "mouse0@5,10 "},
        {"\033[<0;11;6M\033[<0;11;6m\033[<0;11;6M\033[<0;11;6M",
         "mouse0@5,10 mouse1@5,10 mouse0@5,10 "},
        {"\033[<0;11;6M\033[<0;12;6M", "mouse0@5,10 mouse0@5,11 "},
        {"\033[<64;1;1M\033[<65;1;1M", "mouse2@0,0 mouse3@0,0 "},
        {"\033[<68;1;1M\033[<69;1;1M\033[<66;1;1M\033[<67;1;1M",
         "mouse4@0,0 mouse5@0,0 mouse4@0,0 mouse5@0,0 "},
        {"\033[<2;3;3M\033[<1;3;3M\033[<32;3;3Mx", "78 "}, // other buttons, movement
        {"\033[<0;0;0M\033[<0;M\033[<M\033[<99999999999999999999;1;1Mx", "78 "},
        {"\033[M !\"\033[M#!\"\033[M`!!", "mouse0@1,0 mouse2@0,0 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
            const char *events = events_of(cases[i].bytes, one_by_one);
            if (strcmp(events, cases[i].events) != 0)
                fail_msg("case %d, %s: %s, expected %s", (int)i,
                         one_by_one ? "one by one" : "at once", events, cases[i].events);
        }
}

static void what_may_go_on_is_waited_for(void **state)
{
    static const char *const beginnings[] = {"\033",     "\033[",    "\033[1",
                                             "\033[1;",  "\033O",    "\033[<0;1;",
                                             "\033[M !", "\xe8\xaa", "\033[["};
    struct key_reader *keys = calloc(1, sizeof *keys);
    struct event event;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        keys->count = 0;
        add(keys, beginnings[i]);
        assert_false(keys_next(keys, false, 0, &event));
        assert_int_equal(keys->count, strlen(beginnings[i]));
    }
    free(keys);
}

static void two_clicks_are_double_when_they_are_near_in_time(void **state)
{
    static const struct {
        long later;
        enum mouse mouse;
    } cases[] = {{0, MOUSE_DOUBLE}, {400, MOUSE_DOUBLE}, {401, MOUSE_CLICK}};
    for (int i = 0; i < 3; i++) {
        struct key_reader *keys = calloc(1, sizeof *keys);
        struct event event;
        add(keys, "\033[<0;5;5M\033[<0;5;5M");
        assert_true(keys_next(keys, false, 5000, &event));
        assert_int_equal(event.mouse, MOUSE_CLICK);
        assert_true(keys_next(keys, false, 5000 + cases[i].later, &event));
        assert_int_equal(event.mouse, cases[i].mouse);
        free(keys);
    }
}

/* A third click begins anew, however early the clock is. */
static void three_clicks_are_a_double_one_and_one_more(void **state)
{
    static const enum mouse clicks[] = {MOUSE_CLICK, MOUSE_DOUBLE, MOUSE_CLICK, MOUSE_DOUBLE};
    struct key_reader *keys = calloc(1, sizeof *keys);
    struct event event;
    for (int i = 0; i < 4; i++) {
        add(keys, "\033[<0;5;5M");
        assert_true(keys_next(keys, false, 10 + i, &event));
        assert_int_equal(event.mouse, clicks[i]);
    }
    free(keys);
}

static void a_paste_is_not_taken_as_keys(void **state)
{
    static const char paste[] = "x\033[200~q";
    struct key_reader *keys = calloc(1, sizeof *keys);
    struct event event;
    add(keys, "x\033[200"); // cut in its mark
    assert_true(keys_next(keys, true, 0, &event));
    assert_int_equal(event.key, 'x');
    assert_false(keys_next(keys, true, 0, &event));
    add(keys, "~q");
    for (int i = 0; i < 2; i++) {
        assert_true(keys_next(keys, true, 0, &event));
        assert_int_equal(event.kind, EVENT_PASTE);
    }
    assert_true(keys_take(keys, false, true, 0, &event));
    assert_int_equal(event.kind, EVENT_TEXT);
    assert_int_equal(event.count, sizeof paste - 2);
    assert_memory_equal(event.bytes, paste + 1, event.count);
    free(keys);
}

/* For a line ----------------------------------------------------------------------------------- */

/* What came, in order: text in quotes, keys as above with how many bytes they had. */
struct taken {
    char text[4096];
    size_t used;
    bool quoted, pasting;
};

static void note_text(struct taken *taken, const struct event *event)
{
    if (!taken->quoted)
        taken->text[taken->used++] = '"';
    memcpy(taken->text + taken->used, event->bytes, (size_t)event->count);
    taken->used += (size_t)event->count;
    taken->text[taken->used] = '\0';
    taken->quoted = true;
    const char *begin = strstr(taken->text, "\033[200~");
    taken->pasting = begin && !strstr(begin, "\033[201~");
}

static void note(struct taken *taken, const struct event *event)
{
    if (event->kind == EVENT_TEXT) {
        note_text(taken, event);
        return;
    }
    char *end = taken->text + taken->used;
    if (taken->quoted)
        *end++ = '"';
    taken->quoted = false;
    describe(event, end);
    end += strlen(end);
    if (event->kind == EVENT_KEY)
        end += sprintf(end - 1, "/%d ", event->count) - 1;
    taken->used = (size_t)(end - taken->text);
}

static const char *taken_of(const char *bytes, bool one_by_one)
{
    static struct taken taken;
    struct key_reader *keys = calloc(1, sizeof *keys);
    struct event event;
    taken = (struct taken){0};
    for (size_t i = 0; i < (one_by_one ? strlen(bytes) : 1); i++) {
        char one[2] = {bytes[i], '\0'};
        add(keys, one_by_one ? one : bytes);
        while (keys_take(keys, taken.pasting, false, 1000, &event))
            note(&taken, &event);
    }
    while (keys_take(keys, taken.pasting, true, 1000, &event))
        note(&taken, &event);
    free(keys);
    return taken.text;
}

/* Keys that readline does not know would be text to it where they are more than Esc and a
 * character. */
static void a_line_gets_text_and_keys_apart(void **state)
{
    static const struct {
        const char *bytes, *taken;
    } cases[] = {
        {"a\001\303\251\r", "\"a\001\303\251\r"},
        {"a\tb", "\"a\"9/1 \"b"},
        {"\033[A\033OB\033[C\033[D", "K1/3 K2/3 K4/3 K3/3 "},
        {"\033[5~\033[6~x", "K5/4 K6/4 \"x"},
        {"\033[1;2A\033[1;5C\033[Z", "K1/6 K4/6 K9/3 "}, // Shift, Control, Shift-Tab
        {"\033[15~\033OP\033[[A\033Op!", "K10/5 K10/3 K10/4 K10/3 \"!"}, // F5, F1, F1, keypad
        {"\033", "\"\033"},
        {"\033b\033\303\251", "\"\033b\033\303\251"}, // with Alt
        {"\033\033[A", "\"\033\"K1/3 "},
        {"\033[I\033[201~\033[Ox", "\"x"}, // the window's focus, the end of no paste
        {"\033[\001x\033O\033[B", "K10/2 \"\001x\"K10/2 K2/3 "},
        {"x\033[12;", "\"x"}, // never finished: no text
        {"\033[<0;11;6M\033[<0;11;6mx", "mouse0@5,10 \"x"},
        {"a\033[200~b\033[5~\t\033\r\033[201~\033[5~c",
         "\"a\033[200~b\033[5~\t\033\r\033[201~\"K5/4 \"c"},
        {"\033[200~never ended\033[A\t", "\"\033[200~never ended\033[A\t"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
            const char *taken = taken_of(cases[i].bytes, one_by_one);
            if (strcmp(taken, cases[i].taken) != 0)
                fail_msg("case %d, %s: %s, expected %s", (int)i,
                         one_by_one ? "one by one" : "at once", taken, cases[i].taken);
        }
}

/* Wherever an event has no more room, all bytes come once, and the mark at the end is found. */
static void long_pastes_come_whole(void **state)
{
    for (int length = 230; length < 270; length++) {
        char paste[400];
        int count = sprintf(paste, "\033[200~%0*d\033[201~\033[5~", length, 0);
        struct key_reader *keys = calloc(1, sizeof *keys);
        struct event event;
        size_t text = 0;
        add(keys, paste);
        while (keys_take(keys, text > 0 && text < (size_t)count - 4, true, 0, &event) &&
               event.kind == EVENT_TEXT) {
            assert_memory_equal(event.bytes, paste + text, event.count);
            text += (size_t)event.count;
        }
        assert_int_equal(text, count - 4);
        assert_int_equal(event.key, KEY_PAGE_UP);
        free(keys);
    }
}

static void bytes_that_were_not_wanted_come_again(void **state)
{
    struct key_reader *keys = calloc(1, sizeof *keys);
    struct event event = {0};
    add(keys, "abc\tx");
    assert_true(keys_take(keys, false, true, 0, &event));
    assert_int_equal(event.count, 3);
    keys_give_back(keys, &event, 2);
    assert_true(keys_next(keys, true, 0, &event));
    assert_int_equal(event.key, 'b');
    free(keys);
}

/* Whatever comes, all of it is used up, and only what there is. */
static void random_bytes_end(void **state)
{
    static const char pieces[] = "\033\033\033[[O<;0123456789MmA~\x80\xe8\xff ";
    struct key_reader *keys = calloc(1, sizeof *keys);
    struct event event;
    srand(1);
    for (int i = 0; i < 20000; i++) {
        unsigned char bytes[64];
        int count = rand() % 64;
        for (int j = 0; j < count; j++)
            bytes[j] = rand() % 4 ? (unsigned char)pieces[rand() % (int)(sizeof pieces - 1)]
                                  : (unsigned char)rand();
        assert_in_range(count, 0, keys_room(keys));
        keys_add(keys, bytes, count);
        while (i % 3 ? keys_next(keys, rand() % 2, i, &event) && event.kind != EVENT_PASTE
                     : keys_take(keys, rand() % 2, rand() % 2, i, &event))
            continue;
        assert_in_range(keys->count, 0, 64);
    }
    while (keys_take(keys, false, true, 0, &event) || keys_next(keys, true, 0, &event))
        continue;
    assert_int_equal(keys->count, 0);
    free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_are_keys),
        cmocka_unit_test(what_may_go_on_is_waited_for),
        cmocka_unit_test(two_clicks_are_double_when_they_are_near_in_time),
        cmocka_unit_test(three_clicks_are_a_double_one_and_one_more),
        cmocka_unit_test(a_paste_is_not_taken_as_keys),
        cmocka_unit_test(a_line_gets_text_and_keys_apart),
        cmocka_unit_test(long_pastes_come_whole),
        cmocka_unit_test(bytes_that_were_not_wanted_come_again),
        cmocka_unit_test(random_bytes_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
