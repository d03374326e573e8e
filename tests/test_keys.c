/* Bytes of a terminal as keys and mouse events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tui/screen/keys.h"

static void add(struct keys *keys, const char *bytes)
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
    struct keys *keys = calloc(1, sizeof *keys);
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

static void sequences_are_keys(void **unused)
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
        {"\033[200~ab\033[201~c", "61 62 63 "}, // pasted where nobody asked for brackets
        {"\033[I\033[Ox", "78 "},               // focus
        {"\033[12;", "1b 5b 31 32 3b "},        // never finished
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
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
            const char *events = events_of(cases[i].bytes, one_by_one);
            if (strcmp(events, cases[i].events) != 0)
                fail_msg("case %d, %s: %s, expected %s", (int)i,
                         one_by_one ? "one by one" : "at once", events, cases[i].events);
        }
}

static void what_may_go_on_is_waited_for(void **unused)
{
    static const char *const beginnings[] = {"\033",     "\033[",    "\033[1",
                                             "\033[1;",  "\033O",    "\033[<0;1;",
                                             "\033[M !", "\xe8\xaa", "\033[["};
    (void)unused;
    struct keys *keys = calloc(1, sizeof *keys);
    struct event event;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        keys->count = 0;
        add(keys, beginnings[i]);
        assert_false(keys_next(keys, false, 0, &event));
        assert_int_equal(keys->count, strlen(beginnings[i]));
    }
    free(keys);
}

static void two_clicks_are_double_when_they_are_near_in_time(void **unused)
{
    static const struct {
        long later;
        enum mouse mouse;
    } cases[] = {{0, MOUSE_DOUBLE}, {400, MOUSE_DOUBLE}, {401, MOUSE_CLICK}};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        struct keys *keys = calloc(1, sizeof *keys);
        struct event event;
        add(keys, "\033[<0;5;5M\033[<0;5;5M");
        assert_true(keys_next(keys, false, 5000, &event));
        assert_int_equal(event.mouse, MOUSE_CLICK);
        assert_true(keys_next(keys, false, 5000 + cases[i].later, &event));
        assert_int_equal(event.mouse, cases[i].mouse);
        free(keys);
    }
}

static void raw_bytes_come_as_they_are(void **unused)
{
    (void)unused;
    struct keys *keys = calloc(1, sizeof *keys);
    struct event event = {0};
    unsigned char bytes[300];
    for (int i = 0; i < 300; i++)
        bytes[i] = (unsigned char)i;
    keys_add(keys, bytes, 300);
    assert_true(keys_take(keys, &event));
    assert_int_equal(event.kind, EVENT_TEXT);
    assert_int_equal(event.count, 256);
    assert_memory_equal(event.bytes, bytes, 256);
    assert_true(keys_take(keys, &event));
    assert_int_equal(event.count, 44);
    assert_memory_equal(event.bytes, bytes + 256, 44);
    assert_false(keys_take(keys, &event));
    free(keys);
}

/* Whatever comes, all of it is used up, and only what there is. */
static void random_bytes_end(void **unused)
{
    static const char pieces[] = "\033\033\033[[O<;0123456789MmA~\x80\xe8\xff ";
    (void)unused;
    struct keys *keys = calloc(1, sizeof *keys);
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
        while (keys_next(keys, rand() % 2, i, &event))
            continue;
        assert_in_range(keys->count, 0, 64);
    }
    while (keys_next(keys, true, 0, &event))
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
        cmocka_unit_test(raw_bytes_come_as_they_are),
        cmocka_unit_test(random_bytes_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
