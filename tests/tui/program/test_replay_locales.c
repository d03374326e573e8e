/* `--replay` of scores of two to six states, in every form that says how it was made, exported
 * under one locale and made again under another: with letters that languages of the Far East share,
 * and draw in forms of their own.
 *
 * The locales need not be installed: they are the C library's C.UTF-8 under their names. In `make
 * check` each form has one count of states, in full every one under all pairs of locales. */
#include <limits.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

static const char *const locales[] = {"C.UTF-8", "ja_JP.UTF-8", "zh_CN.UTF-8"};
enum { LOCALES = 3 };

static const char *const states[] = {"直", "直 海", "直 海 骨", "直 海 骨 今", "直 海 骨 今 t"};
enum { STATES_LEAST = 2, STATE_COUNTS = 5 }; // with the current one

/* Forms that have notes of how they were made. */
static const char *const bleu_forms[] = {"json", "csv", "tsv", "npz", "png",
                                         "pdf",  "svg", "tex", "md"};
static const char *const contrast_forms[] = {"json", "csv", "tsv", "npz", "png", "pdf", "svg"};

/* A folder of locales, for LOCPATH. */
static void make_locales(void)
{
    char folder[PATH_MAX], name[PATH_MAX + 32];
    snprintf(folder, sizeof folder, "%s", cli_path("locales"));
    assert_int_equal(mkdir(folder, 0777), 0);
    for (int i = 0; i < LOCALES; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, locales[i]);
        assert_int_equal(symlink("/usr/lib/locale/C.utf8", name), 0);
    }
    setenv("LOCPATH", folder, 1);
}

static void remove_locales(void)
{
    char name[PATH_MAX];
    unsetenv("LOCPATH");
    for (int i = 0; i < LOCALES; i++) {
        snprintf(name, sizeof name, "locales/%s", locales[i]);
        unlink(cli_path(name));
    }
    rmdir(cli_path("locales"));
}

static void be_in(const char *locale)
{
    setenv("LC_ALL", locale, 1);
    setenv("LANG", locale, 1);
    setenv("LANGUAGE", locale, 1);
}

/* Runs `command` over so many states, and exports its table. */
static void export_states(const char *command, int count, const char *path)
{
    char text[5 * PATH_MAX];
    const char *const arguments[] = {CPU, "-f", "-", MODEL, NULL};
    snprintf(
        text, sizeof text,
        ":set export.comments on\n:set figure.dpi 60\n:set figure.title \"直に海骨今\"\n"
        ":state 直\n:disable enc head 1\n:state 海\n:disable enc head 2\n:state 骨\n:set beam 2\n"
        ":state 今\n:mask enc layer 1 backward\n:state t\n%s in %s current\n:export %s\n",
        command, states[count - STATES_LEAST], path);
    struct outcome outcome = cli_run_with(arguments, text, strlen(text));
    if (outcome.code != 0)
        fail_msg("%s: %s", text, outcome.err);
    outcome_free(&outcome);
}

static void replay(const char *path, const char *what)
{
    const char *const arguments[] = {CPU, "--json", "--replay", path, MODEL, NULL};
    struct outcome outcome = cli_run(arguments);
    json_t *object = cli_object(arguments, outcome.out, 0);
    if (outcome.code != 0 || !json_is_true(json_object_get(object, "same")))
        fail_msg("%s: %s%s", what, outcome.out, outcome.err);
    json_decref(object);
    outcome_free(&outcome);
    unlink(path);
}

static void check_one(const char *command, const char *form, int count, int from, int to)
{
    char name[32], path[PATH_MAX], what[200];
    snprintf(name, sizeof name, "states.%s", form);
    snprintf(path, sizeof path, "%s", cli_path(name));
    be_in(locales[from]);
    export_states(command, count, path);
    be_in(locales[to]);
    snprintf(what, sizeof what, "%.10s of %d states as %s from %s in %s", command, count, form,
             locales[from], locales[to]);
    replay(path, what);
}

/* Two to six states, and all pairs of locales, come round with the forms. */
static void check_forms(const char *command, const char *const *forms, int form_count, int first)
{
    for (int f = 0; f < form_count; f++) {
        if (!rounds_full()) {
            int i = f + first, from = i % LOCALES;
            check_one(command, forms[f], STATES_LEAST + i % STATE_COUNTS, from,
                      (from + 1 + i / LOCALES % 2) % LOCALES);
            continue;
        }
        for (int i = 0; i < STATE_COUNTS * LOCALES * LOCALES; i++)
            check_one(command, forms[f], STATES_LEAST + i / (LOCALES * LOCALES),
                      i / LOCALES % LOCALES, i % LOCALES);
    }
}

static void scores_are_the_same_in_every_locale(void **state)
{
    char command[PATH_MAX + 100];
    const char *set = cli_write("set", "the dog\na cat sees the dog\nhe sees\n");
    snprintf(command, sizeof command, ":bleu %s %s", set, set);
    check_forms(command, bleu_forms, sizeof bleu_forms / sizeof *bleu_forms, 0);
}

static void suites_are_the_same_in_every_locale(void **state)
{
    char set[PATH_MAX], command[3 * PATH_MAX + 100];
    snprintf(set, sizeof set, "%s", cli_write("set", "the dog\na cat sees the dog\nhe sees\n"));
    const char *wrong = cli_write("wrong", "the cat\na dog sees the cat\nshe sees\n");
    snprintf(command, sizeof command, ":contrast %s %s %s", set, set, wrong);
    check_forms(command, contrast_forms, sizeof contrast_forms / sizeof *contrast_forms, 2);
}

/* Without this the others would all be of one locale. */
static void the_locales_are_there(void **state)
{
    for (int i = 0; i < LOCALES; i++)
        if (!setlocale(LC_CTYPE, locales[i]))
            fail_msg("%s: no such locale", locales[i]);
    setlocale(LC_CTYPE, "C");
}

static int open_folder(void **state)
{
    if (cli_enter(state) != 0)
        return -1;
    make_locales();
    return 0;
}

static int close_folder(void **state)
{
    remove_locales();
    return cli_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_locales_are_there),
        cmocka_unit_test(scores_are_the_same_in_every_locale),
        cmocka_unit_test(suites_are_the_same_in_every_locale),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
