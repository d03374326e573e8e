/* Which words of two texts are marked as changed. Expected marks are written by hand; the length of what
 * stays is checked against all subsequences. */
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tui/changed.h"
#include "tui/plain.h"

/* The text with its changed parts in brackets; a memory stream is no terminal. */
static char *marked(const char *text, const struct changed *changed)
{
    char *out = NULL;
    size_t size;
    FILE *stream = open_memstream(&out, &size);
    plain_marked(stream, text, changed);
    fclose(stream);
    return out;
}

static void changed_words_are_marked(void **unused)
{
    static const char *const cases[][4] = {
        {"a b c", "a x c", "a [b] c", "a [x] c"},
        {"a b c", "a b c", "a b c", "a b c"},
        {"", "", "", ""},
        {"", "a b", "", "[a b]"},
        {"a b", "", "[a b]", ""},
        {"a c", "a b c", "a c", "a [b] c"},
        {"a b c", "a c", "a [b] c", "a c"},
        {"a b c d", "b d", "[a] b [c] d", "b d"},
        {"a b c d", "a x y d", "a [b c] d", "a [x y] d"},
        {"  a  b ", "a b", "  a  b ", "a b"},
        {"a b  c d", "a x d", "a [b  c] d", "a [x] d"},
        {"the the dog", "the dog", "the [the] dog", "the dog"},
        {"Zwei Hunde laufen.", "Zwei Hunde laufen", "Zwei Hunde [laufen.]", "Zwei Hunde [laufen]"},
        // Without blanks: characters, each with its marks; words of other scripts stay whole.
        {"猫が魚を食べた。", "犬が魚を食べた。", "[猫]が魚を食べた。", "[犬]が魚を食べた。"},
        {"古いGPUが速い", "CPUが遅い", "[古いGPU]が[速]い", "[CPU]が[遅]い"},
        {"\u304B\u3099く", "\u304Bく", "[\u304B\u3099]く", "[\u304B]く"},
        {"나는 학교에 간다", "나는 집에 간다", "나는 [학교에] 간다", "나는 [집에] 간다"},
        {"ไม่", "ไป", "ไ[ม่]", "ไ[ป]"},
        {"e\u0301te\u0301", "ete", "[e\u0301te\u0301]", "[ete]"},
        {"a\xFF", "a\xFE", "[a\uFFFD]", "[a\uFFFD]"},
        {"a\x1b[7m", "a", "[a\u241B[7m]", "[a]"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct changed changed[2];
        struct status status;
        assert_true(changed_words(cases[i][0], cases[i][1], &changed[0], &changed[1], &status));
        for (int side = 0; side < 2; side++) {
            char *is = marked(cases[i][side], &changed[side]);
            if (strcmp(is, cases[i][2 + side]) != 0)
                fail_msg("\"%s\", \"%s\": \"%s\", expected \"%s\"", cases[i][0], cases[i][1], is,
                         cases[i][2 + side]);
            free(is);
            changed_free(&changed[side]);
        }
    }
}

enum { LETTERS = 9 };

/* The letters of `text` that `bits` chooses. */
static void choose(const char *text, unsigned bits, char *out)
{
    for (int i = 0; text[i]; i++)
        if (bits >> i & 1)
            *out++ = text[i];
    *out = '\0';
}

static int longest_common(const char *a, const char *b)
{
    int best = 0;
    for (unsigned x = 0; x < 1u << strlen(a); x++)
        for (unsigned y = 0; y < 1u << strlen(b); y++) {
            char left[LETTERS + 1], right[LETTERS + 1];
            choose(a, x, left);
            choose(b, y, right);
            if (strcmp(left, right) == 0 && (int)strlen(left) > best)
                best = (int)strlen(left);
        }
    return best;
}

/* "a b c" of "abc". */
static void spread(const char *letters, char *out)
{
    for (; *letters; letters++) {
        *out++ = *letters;
        *out++ = ' ';
    }
    *out = '\0';
}

/* The letters outside the spans. */
static void kept(const char *text, const struct changed *changed, char *out)
{
    for (size_t at = 0; text[at]; at++) {
        bool inside = false;
        for (int i = 0; i < changed->count; i++)
            inside |= at >= changed->spans[i].begin && at < changed->spans[i].end;
        if (!inside && text[at] != ' ')
            *out++ = text[at];
    }
    *out = '\0';
}

static void what_stays_is_common_and_longest(void **unused)
{
    unsigned state = 1;
    (void)unused;
    for (int trial = 0; trial < 60; trial++) {
        char letters[2][LETTERS + 1], texts[2][2 * LETTERS + 1], stays[2][LETTERS + 1];
        for (int side = 0; side < 2; side++) {
            state = state * 1103515245u + 12345u;
            int count = (int)(state >> 16) % 7;
            for (int i = 0; i < count; i++) {
                state = state * 1103515245u + 12345u;
                letters[side][i] = (char)('a' + (state >> 16) % 3);
            }
            letters[side][count] = '\0';
            spread(letters[side], texts[side]);
        }
        struct changed changed[2];
        struct status status;
        assert_true(changed_words(texts[0], texts[1], &changed[0], &changed[1], &status));
        for (int side = 0; side < 2; side++) {
            kept(texts[side], &changed[side], stays[side]);
            changed_free(&changed[side]);
        }
        if (strcmp(stays[0], stays[1]) != 0 ||
            (int)strlen(stays[0]) != longest_common(letters[0], letters[1]))
            fail_msg("%s, %s: \"%s\" and \"%s\" stay", letters[0], letters[1], stays[0], stays[1]);
    }
}

/* A table of all pairs would take 10 GB. */
static void long_texts_are_marked_from_their_first_to_their_last_change(void **unused)
{
    enum { WORDS = 50000 };
    char *texts[2];
    size_t sizes[2];
    (void)unused;
    for (int side = 0; side < 2; side++) {
        FILE *stream = open_memstream(&texts[side], &sizes[side]);
        fputs("same", stream);
        for (int i = 0; i < WORDS; i++)
            fprintf(stream, " %c%d", "ab"[side], i);
        fputs(" end", stream);
        fclose(stream);
    }
    struct changed changed[2];
    struct status status;
    assert_true(changed_words(texts[0], texts[1], &changed[0], &changed[1], &status));
    for (int side = 0; side < 2; side++) {
        assert_int_equal(changed[side].count, 1);
        assert_int_equal(changed[side].spans[0].begin, 5);
        assert_int_equal(changed[side].spans[0].end, sizes[side] - 4);
        changed_free(&changed[side]);
        free(texts[side]);
    }
}

/* What a reader at a terminal of that kind gets. */
static void read_terminal(const char *kind, const struct changed *changed, char *out, size_t size)
{
    int master, slave;
    setenv("TERM", kind, 1);
    assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
    FILE *stream = fdopen(slave, "w");
    plain_marked(stream, "a b c", changed);
    fflush(stream);
    ssize_t count = read(master, out, size - 1);
    assert_true(count > 0);
    out[count] = '\0';
    fclose(stream);
    close(master);
}

static void terminals_get_reverse_video_if_they_know_it(void **unused)
{
    struct span span = {2, 3};
    struct changed changed = {&span, 1, 1};
    char is[64];
    (void)unused;
    read_terminal("xterm", &changed, is, sizeof is);
    assert_string_equal(is, "a \x1b[7mb\x1b[27m c");
    read_terminal("dumb", &changed, is, sizeof is);
    assert_string_equal(is, "a [b] c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_words_are_marked),
        cmocka_unit_test(what_stays_is_common_and_longest),
        cmocka_unit_test(terminals_get_reverse_video_if_they_know_it),
        cmocka_unit_test(long_texts_are_marked_from_their_first_to_their_last_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
