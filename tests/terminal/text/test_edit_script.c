/* The edit script between two texts. Expected scripts are written by hand; that a script is the
 * shortest is checked against all alignments of short texts, which the test enumerates itself. */
#include <pty.h>
#include <unistd.h>

#include "report/output/report_forms.h"
#include "terminal/text/edit_script.h"
#include "tests/support/test.h"

static struct comparison compared(const char *before, const char *after)
{
    struct comparison comparison;
    struct status status;
    assert_true(comparison_make(&comparison, (const char *const[2]){"a", "b"},
                                (const struct translation_text[2]){{before, -1}, {after, -0.5}},
                                &status));
    return comparison;
}

/* Both lines as they are printed; a memory stream is no terminal. */
static char *printed(const char *before, const char *after, int columns)
{
    char *out = NULL;
    size_t size;
    struct comparison comparison = compared(before, after);
    FILE *stream = open_memstream(&out, &size);
    text_comparison(stream, &comparison, columns);
    fclose(stream);
    comparison_free(&comparison);
    return out;
}

static void texts_stand_one_above_the_other(void **state)
{
    static const char *const cases[][3] = {
        {"a b c", "a x c", "a  a [b] c\nb  a [x] c\n"},
        {"a b c", "a b c", "a  a b c\nb  a b c\n"},
        {"", "", "a  \nb  \n"},
        {"", "a b", "a  \nb  {+a b+}\n"},
        {"a b", "", "a  [-a b-]\nb  \n"},
        {"a c", "a b c", "a  a       c\nb  a {+b+} c\n"},
        {"a b c", "a c", "a  a [-b-] c\nb  a       c\n"},
        {"a b c d", "b d", "a  [-a-] b [-c-] d\nb        b       d\n"},
        {"a b c d", "a x y d", "a  a [b c] d\nb  a [x y] d\n"},
        {"  a  b ", "a b", "a  a b\nb  a b\n"},
        {"the the dog", "the dog", "a  the [-the-] dog\nb  the         dog\n"},
        {"eine Frau", "ein Mann", "a  [eine Frau]\nb  [ein  Mann]\n"},
        {"x b", "long b", "a  [x]    b\nb  [long] b\n"},
        // One change and one drop, not three drops and an insertion; the change comes first.
        {"a b c d", "a x d", "a  a [b] [-c-] d\nb  a [x]       d\n"},
        // Two edits either way: the words that can be kept are kept.
        {"a b", "b c", "a  [-a-] b\nb        b {+c+}\n"},
        {"Zwei Hunde laufen.", "Zwei Hunde laufen",
         "a  Zwei Hunde [laufen.]\nb  Zwei Hunde [laufen]\n"},
        // Without blanks: characters, each with its marks; words of other scripts stay whole.
        {"猫が魚を食べた。", "犬が魚を食べた。", "a  [猫]が魚を食べた。\nb  [犬]が魚を食べた。\n"},
        {"古いGPUが速い", "CPUが遅い", "a  [古] [-いGPU-]が[速]い\nb  [CPU]         が[遅]い\n"},
        {"\u304B\u3099く", "\u304Bく", "a  [\u304B\u3099]く\nb  [\u304B]く\n"},
        {"나는 학교에 간다", "나는 집에 간다", "a  나는 [학교에] 간다\nb  나는 [집에]   간다\n"},
        {"e\u0301te\u0301", "ete", "a  [e\u0301te\u0301]\nb  [ete]\n"},
        {"a\xFF", "a\xFE", "a  [a\uFFFD]\nb  [a\uFFFD]\n"},
        {"a\x1b[7m", "a", "a  [a\u241B[7m]\nb  [a]\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *is = printed(cases[i][0], cases[i][1], 80);
        if (strcmp(is, cases[i][2]) != 0)
            fail_msg("\"%s\", \"%s\":\n%sexpected\n%s", cases[i][0], cases[i][1], is, cases[i][2]);
        free(is);
    }
}

static void both_lines_are_broken_in_the_same_places(void **state)
{
    static const char before[] = "one two three four five", after[] = "one 2 three five six";
    char *is = printed(before, after, 16);
    assert_string_equal(is, "a  one [two]\nb  one [2]\n"
                            "a  three\nb  three\n"
                            "a  [-four-] five\nb           five\n"
                            "a  \nb  {+six+}\n");
    free(is);
    // A line that is too narrow for a word has that word alone.
    is = printed("a internationalisation", "b internationalisation", 10);
    assert_string_equal(is, "a  [a]\nb  [b]\na  internationalisation\nb  internationalisation\n");
    free(is);
}

/* Against all alignments ----------------------------------------------------------------------- */

enum { LETTERS = 7 };

struct cost {
    int edits, kept;
};

static struct cost better(struct cost a, struct cost b)
{
    return a.edits < b.edits || (a.edits == b.edits && a.kept >= b.kept) ? a : b;
}

/* Every way of going through both texts, by recursion without a table. */
static struct cost least_cost(const char *a, const char *b)
{
    if (!*a || !*b)
        return (struct cost){(int)(strlen(a) + strlen(b)), 0};
    struct cost both = least_cost(a + 1, b + 1), drop = least_cost(a + 1, b),
                insert = least_cost(a, b + 1);
    both.kept += *a == *b;
    both.edits += *a != *b;
    drop.edits++;
    insert.edits++;
    return better(both, better(drop, insert));
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

/* Does what the script says with both texts; fails unless it leads from one to the other. */
static void follow(const struct edit_script *script, const char *const texts[2])
{
    size_t at[2] = {0, 0};
    int counts[EDIT_KINDS] = {0};
    for (int i = 0; i < script->count; i++) {
        const struct edit *edit = &script->edits[i];
        bool has[2] = {edit->kind != EDIT_INSERTED, edit->kind != EDIT_DROPPED};
        counts[edit->kind]++;
        for (int side = 0; side < 2; side++) {
            const struct span *word = &edit->words[side];
            assert_int_equal(word->end - word->begin, has[side]);
            if (!has[side])
                continue;
            assert_int_equal(word->begin, at[side]);
            at[side] += 2;
        }
        if (edit->kind == EDIT_KEPT || edit->kind == EDIT_CHANGED)
            assert_int_equal(texts[0][edit->words[0].begin] == texts[1][edit->words[1].begin],
                             edit->kind == EDIT_KEPT);
    }
    for (int side = 0; side < 2; side++)
        assert_int_equal(at[side], strlen(texts[side]));
    for (int kind = 0; kind < EDIT_KINDS; kind++)
        assert_int_equal(counts[kind], script->counts[kind]);
}

/* The text number `index` over `letters` letters, shorter ones first; false: it has more than
 * LETTERS. */
static bool nth_text(unsigned index, unsigned letters, char *out)
{
    unsigned count = 1, length = 0;
    while (index >= count) {
        index -= count;
        count *= letters;
        if (++length > LETTERS)
            return false;
    }
    for (unsigned i = 0; i < length; i++, index /= letters)
        out[i] = (char)('a' + index % letters);
    out[length] = '\0';
    return true;
}

static void expect_shortest(const char *a, const char *b)
{
    char before[2 * LETTERS + 1], after[2 * LETTERS + 1];
    struct edit_script script;
    struct status status;
    spread(a, before);
    spread(b, after);
    assert_true(edit_script_make(before, after, &script, &status));
    follow(&script, (const char *const[2]){before, after});
    struct cost least = least_cost(a, b);
    int edits = script.count - script.counts[EDIT_KEPT];
    if (edits != least.edits || script.counts[EDIT_KEPT] != least.kept)
        fail_msg("%s, %s: %d edits and %d kept, expected %d and %d", a, b, edits,
                 script.counts[EDIT_KEPT], least.edits, least.kept);
    edit_script_free(&script);
}

/* All pairs of texts of two letters up to a length of 5, and some of three letters up to 7. */
static void scripts_are_the_shortest_and_keep_most(void **unused)
{
    enum { SHORT = 63, SOME = 400 }; // 1 + 2 + … + 32 texts
    char a[LETTERS + 1], b[LETTERS + 1];
    unsigned state = 1;
    for (unsigned i = 0; i < SHORT; i++)
        for (unsigned j = 0; j < SHORT; j++)
            if (nth_text(i, 2, a) && nth_text(j, 2, b))
                expect_shortest(a, b);
    for (int trial = 0; trial < SOME; trial++) {
        unsigned index[2];
        for (int side = 0; side < 2; side++) {
            state = state * 1103515245u + 12345u;
            index[side] = (state >> 12) % 3280; // 1 + 3 + … + 2187 texts
        }
        assert_true(nth_text(index[0], 3, a) && nth_text(index[1], 3, b));
        expect_shortest(a, b);
    }
}

/* Long texts ----------------------------------------------------------------------------------- */

/* `count` different words between "same" and "end"; those of another letter are all different
 * ones. */
static char *long_text(char letter, int count)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    fputs("same", stream);
    for (int i = 0; i < count; i++)
        fprintf(stream, " %c%d", letter, i);
    fputs(" end", stream);
    fclose(stream);
    return text;
}

static void expect_counts(char *before, char *after, int kept, int changed, int dropped,
                          int inserted)
{
    struct edit_script script;
    struct status status;
    assert_true(edit_script_make(before, after, &script, &status));
    assert_int_equal(script.counts[EDIT_KEPT], kept);
    assert_int_equal(script.counts[EDIT_CHANGED], changed);
    assert_int_equal(script.counts[EDIT_DROPPED], dropped);
    assert_int_equal(script.counts[EDIT_INSERTED], inserted);
    edit_script_free(&script);
    free(before);
    free(after);
}

/* A table of all pairs of 50,000 words would take gigabytes. */
static void long_texts_have_scripts_too(void **state)
{
    expect_counts(long_text('a', 1000), long_text('b', 1000), 2, 1000, 0, 0);
    expect_counts(long_text('a', 3000), long_text('a', 38), 40, 0, 2962, 0);
    expect_counts(long_text('a', 50000), long_text('b', 50000), 2, 50000, 0, 0);
    expect_counts(long_text('a', 50000), long_text('b', 49990), 2, 49990, 10, 0);
    expect_counts(long_text('a', 50000), long_text('b', 50010), 2, 50000, 0, 10);
}

/* Words of the counts -------------------------------------------------------------------------- */

static void counts_have_their_words(void **state)
{
    static const char *const cases[][3] = {
        {"a", "a", "translation unchanged; score \u22120.5000 (was \u22121.0000)"},
        {"a b", "a  b", "only spaces changed; score \u22120.5000 (was \u22121.0000)"},
        {"a b", "a x", "1 word changed; score \u22120.5000 (was \u22121.0000)"},
        {"a b c d e", "x y z", "3 words changed, 2 dropped; score \u22120.5000 (was \u22121.0000)"},
        {"a b c", "a c", "1 word dropped; score \u22120.5000 (was \u22121.0000)"},
        {"a", "a b c", "2 words inserted; score \u22120.5000 (was \u22121.0000)"},
        {"a b c d", "b x d e",
         "1 word changed, 1 dropped, 1 inserted; score \u22120.5000 (was "
         "\u22121.0000)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char is[COMPARISON_BYTES];
        struct comparison comparison = compared(cases[i][0], cases[i][1]);
        comparison_describe(&comparison, is);
        assert_string_equal(is, cases[i][2]);
        comparison_free(&comparison);
    }
}

/* What a reader at a terminal of that kind gets. */
static void read_terminal(const char *kind, char *out, size_t size)
{
    int master, slave;
    struct comparison comparison = compared("a b c d", "b x d e");
    setenv("TERM", kind, 1);
    assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
    FILE *stream = fdopen(slave, "w");
    text_comparison(stream, &comparison, 80);
    fflush(stream);
    // A terminal hands on what it has, which may be less than all.
    size_t used = 0;
    for (int lines = 0; lines < 2; lines += out[used - 1] == '\n') {
        assert_true(used + 1 < size);
        assert_int_equal(read(master, out + used++, 1), 1);
    }
    out[used] = '\0';
    fclose(stream);
    close(master);
    comparison_free(&comparison);
}

static void terminals_get_attributes_if_they_know_them(void **state)
{
    char is[256];
    read_terminal("xterm", is, sizeof is);
    assert_string_equal(is, "a  \x1b[7;9m[-a-]\x1b[27;29m b \x1b[7m[c]\x1b[27m d\r\n"
                            "b        b \x1b[7m[x]\x1b[27m d \x1b[7;4m{+e+}\x1b[27;24m\r\n");
    read_terminal("dumb", is, sizeof is);
    assert_string_equal(is, "a  [-a-] b [c] d\r\nb        b [x] d {+e+}\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_stand_one_above_the_other),
        cmocka_unit_test(both_lines_are_broken_in_the_same_places),
        cmocka_unit_test(scripts_are_the_shortest_and_keep_most),
        cmocka_unit_test(long_texts_have_scripts_too),
        cmocka_unit_test(counts_have_their_words),
        cmocka_unit_test(terminals_get_attributes_if_they_know_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
