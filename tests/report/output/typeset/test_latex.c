/* Texts in LaTeX. What is expected is what pdflatex compiles to the same text, in the encodings OT1
 * and T1 (scripts/check_latex.py). */
#include "report/output/typeset/markup.h"
#include "tests/support/test.h"

static void texts_have_no_ligatures_and_no_letters_of_other_fonts(void **state)
{
    static const char *const cases[][2] = {
        {"Hund", "Hund"},
        {",, ,", ",{}, ,"},
        {",,,", ",{},{},"},
        {"a--b", "a-{}-{}b"},
        {"–-", "\\textendash{}-{}"},
        {"<<>>", "\\textless{}\\textless{}\\textgreater{}\\textgreater{}"},
        {"?`!`", "?\\textasciigrave{}!\\textasciigrave{}"},
        {"?‘‘", "?{}\\textquoteleft{}{}\\textquoteleft{}"},
        {"''’’", "\\textquotesingle{}\\textquotesingle{}\\textquoteright{}\\textquoteright{}"},
        {"\"", "{\\ttfamily\\char34}"}, // only T1 has \textquotedbl
        {"▁", "\\wordmark{}"},
        {"▁a￭", "\\wordmark{}a\\joinmark{}"},
        {"Ġb@@", "Ġb@@"},
        {"[*]", "{[}{*}]"},
        {"本 किताब", "本 किताब"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        latex_write(stream, cases[i][0], strlen(cases[i][0]));
        fclose(stream);
        if (strcmp(text, cases[i][1]) != 0)
            fail_msg("%s: %s, expected %s", cases[i][0], text, cases[i][1]);
        free(text);
    }
}

static void check_needs(const char *const *texts, int count, const char *wanted)
{
    struct latex_needs needs = {0};
    struct status status;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    for (int i = 0; i < count; i++)
        assert_true(latex_needs_add(&needs, texts[i], &status));
    latex_needs_write(stream, &needs);
    fclose(stream);
    assert_string_equal(text, wanted);
    free(text);
    latex_needs_free(&needs);
}

/* textcomp has been part of LaTeX only since 2020. */
static void two_packages_are_enough_for_most(void **state)
{
    check_needs((const char *const[]){"schläft 50% \"x\" – ‘a’"}, 1,
                "% needs \\usepackage{booktabs}\n");
    check_needs((const char *const[]){"it's"}, 1, "% needs \\usepackage{booktabs,textcomp}\n");
    check_needs((const char *const[]){"▁schläft", "\"…\" – €", "Łódź", "▁"}, 4,
                "% needs \\usepackage{booktabs,textcomp}\n"
                "\\providecommand{\\wordmark}{\\protect\\rule[-.2ex]{.5em}{.15ex}}\n");
    check_needs((const char *const[]){"￭s"}, 1,
                "% needs \\usepackage{booktabs}\n"
                "\\providecommand{\\joinmark}{\\protect\\rule{.8ex}{.8ex}}\n");
    check_needs((const char *const[]){"„Hund“"}, 1,
                "% needs \\usepackage{booktabs}\n"
                "% needs \\usepackage[T1]{fontenc} with pdflatex\n");
    check_needs((const char *const[]){"Δ"}, 1,
                "% needs \\usepackage{booktabs}\n"
                "\\expandafter\\providecommand\\csname u8:\\detokenize{Δ}\\endcsname"
                "{\\ensuremath{\\Delta}}\n");
}

/* Once each, in the order of their numbers. */
static void what_pdflatex_lacks_is_printed_as_its_number(void **state)
{
    check_needs((const char *const[]){"本क", "🙂本"}, 2,
                "% needs \\usepackage{booktabs}\n"
                "% pdflatex prints the numbers of characters that it does not have; xelatex and "
                "lualatex\n% print the characters, in a font that has them (fontspec)\n"
                "\\expandafter\\providecommand\\csname u8:\\detokenize{क}\\endcsname"
                "{\\protect\\fbox{\\protect\\tiny 0915}}\n"
                "\\expandafter\\providecommand\\csname u8:\\detokenize{本}\\endcsname"
                "{\\protect\\fbox{\\protect\\tiny 672C}}\n"
                "\\expandafter\\providecommand\\csname u8:\\detokenize{🙂}\\endcsname"
                "{\\protect\\fbox{\\protect\\tiny 1F642}}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_no_ligatures_and_no_letters_of_other_fonts),
        cmocka_unit_test(two_packages_are_enough_for_most),
        cmocka_unit_test(what_pdflatex_lacks_is_printed_as_its_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
