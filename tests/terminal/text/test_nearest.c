/* What was meant by a name that there is not. */
#include "terminal/text/nearest.h"
#include "tests/support/cli_support.h"
#include "tests/support/test.h"

static const char *const names[] = {"export", "attn", "bleu", "beside", "set", "figure.colormap"};

static const struct {
    const char *typed, *meant; // meant NULL: nothing
} cases[] = {
    {"exprt", "export"},
    {"exoprt", "export"}, // neighbours swapped count once
    {"exxport", "export"},
    {"expotr", "export"},
    {"rexpot", "export"}, // two letters
    {"epxotr", "export"},
    {"atn", "attn"},
    {"atnt", "attn"},
    {"anta", NULL}, // two of four
    {"blue", "bleu"},
    {"st", NULL}, // of two letters none may be wrong
    {"sett", "set"},
    {"figure.colourmap", "figure.colormap"},
    {"nonsense", NULL},
    {"", NULL},
    {"exportexportexportexportexportexportexport", NULL},
};

static void the_nearest_name_is_meant(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nearest nearest = {.typed = cases[i].typed};
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            nearest_try(&nearest, names[n]);
        const char *meant = cases[i].meant ? cases[i].meant : "nothing";
        const char *found = nearest.name ? nearest.name : "nothing";
        if (strcmp(meant, found) != 0)
            fail_msg("%s: %s, expected %s", cases[i].typed, found, meant);
    }
}

static void typing_errors_are_answered_with_what_was_meant(void **state)
{
    static const struct {
        const char *line, *says;
    } lines[] = {
        {":exprt a.png", "unknown command :exprt: did you mean :export?"},
        {":help exprt", "unknown command :exprt: did you mean :export?"},
        {":set bema 2", "unknown setting \"bema\": did you mean beam?"},
        {":export a.png atnn", "unknown view \"atnn\": did you mean attn?"},
        {":model vanila_post.bin", "\"vanila_post.bin\": did you mean vanilla_post.bin?"},
        {":zzz", "unknown command :zzz: `:help` lists the commands; start with a space"},
        {":help zzz", "unknown command :zzz: `:help` lists the commands\n"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *const arguments[] = {CPU, MODEL, "-e", lines[i].line, NULL};
        struct outcome outcome = cli_run(arguments);
        if (!strstr(outcome.err, lines[i].says))
            fail_msg("%s: %s", lines[i].line, outcome.err);
        outcome_free(&outcome);
    }
    const char *const option[] = {MODEL, "--devcie", "cpu", NULL};
    struct outcome outcome = cli_run(option);
    assert_non_null(strstr(outcome.err, "unknown option --devcie: did you mean --device?"));
    outcome_free(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_name_is_meant),
        cmocka_unit_test(typing_errors_are_answered_with_what_was_meant),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
