/* Models by the names of the Hugging Face hub, in its cache; and in the folders of other
 * programs. */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"

#define CPU "--device", "cpu"
#define HUB "home/.cache/huggingface/hub"
#define CACHED HUB "/models--Tiny--marian"
#define SNAPSHOT CACHED "/snapshots/abc123"
#define GOLDEN "tests/golden/formats/hf-marian"
#define LIST(...)                                                                                  \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

/* `command` in a shell, in the folder of the tests. */
static void run(const char *command)
{
    if (system(command) != 0)
        fail_msg("%s", command);
}

/* A cache as the hub's client writes it, in an empty HOME. */
static int make_home(void **state)
{
    int code = cli_enter(state);
    if (code != 0)
        return code;
    const char *const others[] = {"HF_HUB_CACHE",     "HUGGINGFACE_HUB_CACHE", "HF_HOME",
                                  "XDG_CACHE_HOME",   "XDG_DATA_HOME",         "XDG_CONFIG_HOME",
                                  "ATTNSCOPE_MODELS", "ARGOS_PACKAGES_DIR"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        code |= unsetenv(others[i]);
    char *here = realpath(".", NULL), *home = NULL;
    code |= !here || asprintf(&home, "%s/home", here) < 0 || setenv("HOME", home, 1);
    free(here);
    free(home);
    return code;
}

static int make_cache(void **state)
{
    return system("rm -rf home && mkdir -p " CACHED "/refs " CACHED "/blobs " SNAPSHOT " && "
                  "for f in " GOLDEN "/*; do n=$(basename $f); cp $f " CACHED "/blobs/$n.blob && "
                  "ln -s ../../blobs/$n.blob " SNAPSHOT "/$n || exit 1; done && "
                  "printf 'abc123\n' > " CACHED "/refs/main");
}

/* That the model opens, and as what. */
static void check_opens(const char *name)
{
    const char *const arguments[] = {CPU, "--json", name, "-e", "▁w4", NULL};
    struct outcome outcome = cli_run(arguments);
    if (outcome.code != 0 || !strstr(outcome.out, "\"tokens\":[\"▁w4\",\"</s>\"]"))
        fail_msg("%s: %s%s", name, outcome.err, outcome.out);
    outcome_free(&outcome);
}

/* That it is refused in one line with these words. */
static void check_refused(const char *name, const char *words)
{
    const char *const arguments[] = {CPU, name, "-e", "▁w4", NULL};
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 1);
    cli_check_message(arguments, &outcome, 1, words);
    outcome_free(&outcome);
}

static void a_name_of_the_hub_opens_and_so_does_each_of_its_folders(void **state)
{
    static const char *const names[] = {"Tiny/marian",       CACHED,   CACHED "/",
                                        CACHED "/snapshots", SNAPSHOT, SNAPSHOT "/",
                                        CACHED "/snapshots/"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_opens(names[i]);
}

static void a_model_is_called_by_its_name(void **state)
{
    struct outcome outcome = cli_run(LIST(CPU, "--json", "Tiny/marian", "-e", ":info"));
    assert_non_null(strstr(outcome.out, "\"marian\""));
    outcome_free(&outcome);
    outcome =
        cli_run(LIST(CPU, "samples/en-de.bin", "-e", ":load Tiny/marian", "-e", ":model marian"));
    assert_int_equal(outcome.code, 0);
    outcome_free(&outcome);
}

static void the_cache_is_where_the_variables_say(void **state)
{
    static const struct {
        const char *variable, *value;
    } places[] = {{"HF_HUB_CACHE", "moved/hub"},
                  {"HUGGINGFACE_HUB_CACHE", "moved/hub"},
                  {"HF_HOME", "moved"},
                  {"XDG_CACHE_HOME", "far"}};
    run("mkdir -p moved far/huggingface && cp -r " HUB " moved/ && cp -r " HUB
        " far/huggingface/ && rm -rf home");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        setenv(places[i].variable, places[i].value, 1);
        check_opens("Tiny/marian");
        unsetenv(places[i].variable);
        check_refused("Tiny/marian", "`hf download Tiny/marian` brings");
    }
}

static void a_path_of_that_spelling_wins(void **state)
{
    run("mkdir -p Tiny && cp -r " GOLDEN " Tiny/marian && rm -rf home");
    check_opens("Tiny/marian");
    run("rm -rf Tiny/marian");
    check_refused("Tiny/marian", "Tiny/marian: "); // a folder Tiny is here: a path is meant
    run("rm -rf Tiny");
}

static void without_a_reference_the_newest_snapshot_is_used(void **state)
{
    run("rm -r " CACHED "/refs && mkdir " CACHED "/snapshots/old && touch -d 2001-01-01 " CACHED
        "/snapshots/old");
    check_opens("Tiny/marian");
    run("touch -d 2000-01-01 " SNAPSHOT);
    check_refused("Tiny/marian", "no weights in its snapshot; `hf download Tiny/marian` brings it");
}

static void what_is_not_complete_is_said(void **state)
{
    static const struct {
        const char *damage, *words;
    } cases[] = {
        {"rm " CACHED "/blobs/model.safetensors.blob",
         "model.safetensors: its file is missing in blobs; `hf download Tiny/marian` brings it"},
        {"rm " SNAPSHOT "/model.safetensors", "no weights in its snapshot"},
        {"mv " CACHED "/blobs/model.safetensors.blob " CACHED
         "/blobs/model.safetensors.blob.incomplete",
         "its file is missing in blobs"},
        {"ln -sf loop " CACHED "/blobs/loop && ln -sf ../../blobs/loop " SNAPSHOT
         "/model.safetensors",
         "its file is missing in blobs"},
        {"rm -r " CACHED "/snapshots", "its snapshot is missing"},
        {"mkdir -p " CACHED "/empty && rm -r " SNAPSHOT " && ln -s abc123 " SNAPSHOT,
         "its snapshot is missing"},
        {"printf gone > " CACHED "/refs/main", "its snapshot is missing"},
        {"printf ../../../../.. > " CACHED "/refs/main", "refs/main: not the name of a snapshot"},
        {"printf /bc123 > " CACHED "/refs/main", "refs/main: not the name of a snapshot"},
        {"printf 'abc123\\0/..' > " CACHED "/refs/main", "refs/main: not the name of a snapshot"},
        {"printf '\\033[2Jx' > " CACHED "/refs/main", "refs/main: not the name of a snapshot"},
        {"printf '%5000d' 0 > " CACHED "/refs/main", "refs/main: not the name of a snapshot"},
        {"rm " CACHED "/refs/main && mkfifo " CACHED "/refs/main",
         "refs/main: not the name of a snapshot"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(make_cache(NULL), 0);
        run(cases[i].damage);
        check_refused("Tiny/marian", cases[i].words);
    }
}

static void a_name_that_the_cache_does_not_have_says_how_to_get_it(void **state)
{
    check_refused("Helsinki-NLP/opus-mt-en-de",
                  "`hf download Helsinki-NLP/opus-mt-en-de` brings a model of the hub");
    char name[400];
    snprintf(name, sizeof name, "Tiny/%0300d", 0);
    check_refused(name, "cannot be opened"); // longer than names are: a path
    check_refused("../x/y", "../x/y: ");
}

static void the_cache_and_other_programs_are_listed(void **state)
{
    run("mkdir -p home/.local/share/argos-translate/packages home/.config/translateLocally '" HUB
        "/models--a--\033[2Jb' '" HUB "/models--' '" HUB "/datasets--Tiny--set' && "
        "cp -r tests/golden/formats/ct2-marian home/.local/share/argos-translate/packages/en_de && "
        "cp -r tests/golden/formats/marian-student home/.config/translateLocally/student");
    struct outcome outcome = cli_run(LIST(NULL));
    assert_int_equal(outcome.code, 0);
    assert_non_null(strstr(outcome.out, "\n  Tiny/marian "));
    assert_non_null(strstr(outcome.out, "\n  en_de "));
    assert_non_null(strstr(outcome.out, "\n  student "));
    assert_null(strstr(outcome.out, "\033"));
    assert_null(strstr(outcome.out, "datasets"));
    outcome_free(&outcome);
    check_opens("Tiny/marian");
    outcome = cli_run(LIST(CPU, "en_de", "student", "-e", ":info"));
    assert_int_equal(outcome.code, 0);
    outcome_free(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_name_of_the_hub_opens_and_so_does_each_of_its_folders, make_cache),
        cmocka_unit_test_setup(a_model_is_called_by_its_name, make_cache),
        cmocka_unit_test_setup(the_cache_is_where_the_variables_say, make_cache),
        cmocka_unit_test_setup(a_path_of_that_spelling_wins, make_cache),
        cmocka_unit_test_setup(without_a_reference_the_newest_snapshot_is_used, make_cache),
        cmocka_unit_test(what_is_not_complete_is_said),
        cmocka_unit_test_setup(a_name_that_the_cache_does_not_have_says_how_to_get_it, make_cache),
        cmocka_unit_test_setup(the_cache_and_other_programs_are_listed, make_cache),
    };
    return cmocka_run_group_tests(tests, make_home, cli_close);
}
