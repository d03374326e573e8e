/* Two translations, token by token. Lines are written by hand; log-probabilities are those that
 * `:score` finds when it forces the same translation in the same state. */
#include <math.h>
#include <stdlib.h>

#include "report/comparison.h"
#include "report/output/report_forms.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"

/* Tokens with spaces between them. */
static struct token_line line_of(const char *tokens, const float *logprobs)
{
    enum { MOST = 16 };
    struct token_line line = {calloc(MOST, sizeof *line.labels), calloc(MOST, sizeof(float)), 0};
    char *copy = strdup(tokens), *rest = copy;
    for (char *token; (token = strsep(&rest, " ")); line.count++) {
        line.labels[line.count] = strdup(token);
        line.logprobs[line.count] = logprobs[line.count];
    }
    free(copy);
    return line;
}

static struct comparison compared(const char *before, const float *was, const char *after,
                                  const float *now, int alike)
{
    struct comparison comparison;
    struct status status;
    assert_true(comparison_make(&comparison, (const char *const[2]){"before", "after"},
                                (const struct translation_text[2]){{before, -1}, {after, -0.5}},
                                &status));
    comparison.tokens[0] = line_of(before, was);
    comparison.tokens[1] = line_of(after, now);
    comparison.alike = alike;
    return comparison;
}

/* A copy is written: what is not copied is missed. */
static void expect_lines(struct comparison *comparison, int columns, const char *expected)
{
    struct comparison copy;
    struct status status;
    char *text = NULL;
    size_t size;
    assert_true(comparison_copy(comparison, &copy, &status));
    comparison_free(comparison);
    FILE *stream = open_memstream(&text, &size);
    text_tokens(stream, &copy, columns);
    fclose(stream);
    assert_string_equal(text, expected);
    comparison_free(&copy);
    free(text);
}

static const float was[] = {-0.42f, -0.001f, -1.5f, -0.125f}, now[] = {-0.42f, -0.004f, -12.25f, 0};

static void tokens_stand_above_their_numbers(void **state)
{
    struct comparison comparison =
        compared("a bb cccccccc </s>", was, "a bb cccccccc </s>", now, 4);
    char text[COMPARISON_BYTES];
    comparison_describe(&comparison, text);
    assert_string_equal(text, "translation unchanged; score \u22120.5000 (was \u22121.0000); "
                              "cccccccc \u221212.25 (was \u22121.50)");
    // 0.001 and 0.004 are both shown as 0.00.
    expect_lines(&comparison, 80,
                 "         a       bb     cccccccc  </s>\n"
                 "before   -0.42   0.00   -1.50     -0.12\n"
                 "after    -0.42   0.00  [-12.25]  [0.00]\n");
}

static void long_translations_take_several_lines(void **state)
{
    struct comparison comparison =
        compared("a bb cccccccc </s>", was, "a bb cccccccc </s>", now, 4);
    expect_lines(&comparison, 23,
                 "         a       bb\n"
                 "before   -0.42   0.00\n"
                 "after    -0.42   0.00\n"
                 "         cccccccc\n"
                 "before   -1.50\n"
                 "after   [-12.25]\n"
                 "         </s>\n"
                 "before   -0.12\n"
                 "after   [0.00]\n");
}

/* After the first other token numbers are of other things: none is marked. */
static void translations_that_differ_have_lines_of_their_own(void **state)
{
    struct comparison comparison = compared("a bb c </s>", was, "a x c </s>", now, 1);
    expect_lines(&comparison, 80,
                 "before   a       bb     c       </s>\n"
                 "         -0.42   0.00   -1.50   -0.12\n"
                 "after    a       x      c        </s>\n"
                 "         -0.42   0.00   -12.25   0.00\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_stand_above_their_numbers),
        cmocka_unit_test(long_translations_take_several_lines),
        cmocka_unit_test(translations_that_differ_have_lines_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
