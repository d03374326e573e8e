/* Every head into a folder; files that are there kept or replaced; tables that say how they were
 * made. */
#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/terminal_support.h"
#include "tests/support/test.h"

#define HEADS 24 // of MODEL: 2 layers of 4 heads in three modules

/* "NAME PATH TEXT" as a command, until it has been called four more times. */
static const char *command(const char *name, const char *path, const char *text)
{
    static char line[4][PATH_MAX + 100];
    static int next;
    char *here = line[next++ % 4];
    snprintf(here, PATH_MAX + 100, "%s %s %s", name, path, text);
    return here;
}

static int count_files(const char *folder)
{
    int count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

static void remove_folder(const char *folder)
{
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(entries), entry->d_name, 0);
    closedir(entries);
    assert_int_equal(rmdir(folder), 0);
}

/* All heads ------------------------------------------------------------------------------------ */

/* A head's file is the same as :export writes for just that head. */
static void every_head_is_a_file(void **state)
{
    const char *folder = cli_path("heads/"), *one = cli_path("one.csv");
    const char *const arguments[] = {CPU,   "--json",
                                     "-e",  SENTENCE,
                                     "-e",  ":disable enc layer 2 head 3",
                                     "-e",  command(":export", folder, "all csv"),
                                     "-e",  command(":export", one, "attn decoder layer 2 head 4"),
                                     "-e",  ":attn",
                                     MODEL, NULL};
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 0);
    json_t *object = cli_object(arguments, outcome.out, 2);
    cli_check_fields("export", object, "file:s format:s files:i");
    assert_int_equal(json_integer_value(json_object_get(object, "files")), HEADS);
    json_decref(object);
    // The view is what it was before.
    object = cli_object(arguments, outcome.out, 4);
    assert_string_equal(json_string_value(json_object_get(object, "module")), "encoder");
    json_decref(object);
    outcome_free(&outcome);
    assert_int_equal(count_files(folder), HEADS);
    char *alone = cli_read(one, NULL),
         *among = cli_read(cli_path("heads/decoder-layer2-head4.csv"), NULL);
    assert_string_equal(alone, among);
    free(alone);
    free(among);
    unlink(one);
    remove_folder(folder);
}

static void a_folder_wants_all_and_a_known_form(void **state)
{
    static const struct {
        const char *words, *says;
    } cases[] = {
        {"", "expected FOLDER all"},
        {"attn", "expected FOLDER all"},
        {"all pgn", "\"pgn\": expected a form"},
        {"all png png", "unexpected argument"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const arguments[] = {
            CPU,   "-e", SENTENCE, "-e", command(":export", cli_path("none/"), cases[i].words),
            MODEL, NULL};
        struct outcome outcome = cli_run(arguments);
        assert_int_equal(outcome.code, 1);
        cli_check_message(arguments, &outcome, 1, cases[i].says);
        outcome_free(&outcome);
        assert_int_not_equal(access(cli_path("none"), F_OK), 0);
    }
}

/* Folders that cannot be made, and paths that are not folders. */
static void a_folder_that_cannot_be_made_is_named(void **state)
{
    const char *file = cli_write("file", "text");
    char slash[PATH_MAX];
    snprintf(slash, sizeof slash, "%s/", file);
    const char *const wrong[] = {cli_path("no/such/folder/"), slash};
    for (int i = 0; i < 2; i++) {
        const char *const arguments[] = {
            CPU, "-e", SENTENCE, "-e", command(":export", wrong[i], "all csv"), MODEL, NULL};
        struct outcome outcome = cli_run(arguments);
        assert_int_equal(outcome.code, 1);
        cli_check_message(arguments, &outcome, 1, "cannot be made");
        outcome_free(&outcome);
    }
    unlink(file);
}

/* Replacing ------------------------------------------------------------------------------------ */

static void no_clobber_keeps_what_is_there(void **state)
{
    static const struct {
        const char *name, *rest, *says;
    } cases[] = {
        {":export", "attn", "kept.csv exists"},
        {":save", "", "kept.csv exists"},
    };
    const char *kept = cli_path("kept.csv");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cli_write("kept.csv", "mine");
        const char *const arguments[] = {CPU,   "--no-clobber",
                                         "-e",  SENTENCE,
                                         "-e",  command(cases[i].name, kept, cases[i].rest),
                                         MODEL, NULL};
        struct outcome outcome = cli_run(arguments);
        assert_int_equal(outcome.code, 1);
        cli_check_message(arguments, &outcome, 1, cases[i].says);
        outcome_free(&outcome);
        char *text = cli_read(kept, NULL);
        assert_string_equal(text, "mine");
        free(text);
        unlink(kept);
    }
}

/* One existing file of the folder is enough to stop, and nothing is written. */
static void no_clobber_keeps_the_files_of_a_folder(void **state)
{
    const char *folder = cli_path("some");
    assert_int_equal(mkdir(folder, 0700), 0);
    cli_write("some/cross-layer1-head2.csv", "mine");
    const char *const arguments[] = {
        CPU, "--no-clobber", "-e", SENTENCE, "-e", command(":export", folder, "all csv"), MODEL,
        NULL};
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 1);
    cli_check_message(arguments, &outcome, 1, "1 of the files exist");
    outcome_free(&outcome);
    assert_int_equal(count_files(folder), 1);
    remove_folder(folder);
}

/* Keys after the question, and whether the file is then another one. */
static void the_prompt_asks_before_it_replaces(void **state)
{
    static const struct {
        const char *keys, *shows;
        bool replaced;
    } cases[] = {
        {"n\r", "left as it was", false},  {"\r", "left as it was", false},
        {"\x03", "left as it was", false}, {"\x04", "left as it was", false},
        {"y\r", "wrote ", true},
    };
    static const char *const arguments[] = {CPU, "--threads", "1", MODEL, NULL};
    const char *path = cli_write("asked.csv", "mine");
    struct terminal terminal = terminal_open(arguments, 200, 24);
    terminal_expect(&terminal, "vanilla_post> ");
    terminal_type(&terminal, SENTENCE "\r");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        terminal_expect(&terminal, "vanilla_post> ");
        terminal_type(&terminal, command(":export", path, "attn\r"));
        terminal_expect(&terminal, "exists. Replace? [y/N] ");
        terminal_type(&terminal, cases[i].keys);
        terminal_expect(&terminal, cases[i].shows);
        char *text = cli_read(path, NULL);
        assert_int_equal(strcmp(text, "mine") != 0, cases[i].replaced);
        free(text);
    }
    terminal_expect(&terminal, "vanilla_post> ");
    terminal_type(&terminal, "\x04");
    assert_int_equal(terminal_close(&terminal), 0);
    free(terminal.text);
    unlink(path);
}

/* Comments ------------------------------------------------------------------------------------- */

/* Lines before the table, each a note of the JSON export; the table itself is the same. */
static void comments_say_how_a_table_was_made(void **state)
{
    const char *bare = cli_path("bare.tsv"), *noted = cli_path("noted.tsv"),
               *json = cli_path("noted.json");
    const char *const arguments[] = {CPU,
                                     "-e",
                                     "the dog\"s \\ cat",
                                     "-e",
                                     command(":export", bare, "attn"),
                                     "-e",
                                     ":set export.comments on",
                                     "-e",
                                     command(":export", noted, "attn"),
                                     "-e",
                                     command(":export", json, "attn"),
                                     MODEL,
                                     NULL};
    json_error_t error;
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 0);
    outcome_free(&outcome);
    char *plain = cli_read(bare, NULL), *text = cli_read(noted, NULL), *line = text;
    json_t *object = json_load_file(json, 0, &error),
           *notes = json_object_get(object, "provenance");
    assert_non_null(notes);
    const char *key;
    json_t *value;
    json_object_foreach(notes, key, value)
    {
        char *wanted = json_is_string(value) ? strdup(json_string_value(value))
                                             : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        assert_int_equal(strncmp(line, "# ", 2), 0);
        assert_int_equal(strncmp(line + 2, key, strlen(key)), 0);
        assert_int_equal(strncmp(line + 2 + strlen(key), ": ", 2), 0);
        assert_string_equal(line + 2 + strlen(key) + 2, wanted);
        free(wanted);
        line = end + 1;
    }
    assert_string_equal(line, plain);
    json_decref(object);
    free(plain);
    free(text);
    unlink(bare);
    unlink(noted);
    unlink(json);
}

/* The same with a date, in seconds since 1970: 2001-09-09 01:46:40. */
static void the_date_is_the_one_that_builds_are_given(void **state)
{
    const char *path = cli_path("dated.csv");
    const char *const arguments[] = {CPU,
                                     "-e",
                                     SENTENCE,
                                     "-e",
                                     ":set export.comments on",
                                     "-e",
                                     command(":export", path, "attn"),
                                     MODEL,
                                     NULL};
    setenv("SOURCE_DATE_EPOCH", "1000000000", 1);
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 0);
    outcome_free(&outcome);
    char *text = cli_read(path, NULL);
    assert_non_null(strstr(text, "\n# date: 2001-09-09T01:46:40Z\n"));
    free(text);
    unlink(path);
    setenv("SOURCE_DATE_EPOCH", "yesterday", 1);
    outcome = cli_run(arguments);
    unsetenv("SOURCE_DATE_EPOCH");
    assert_int_equal(outcome.code, 1);
    cli_check_message(arguments, &outcome, 1, "expected seconds since 1970");
    outcome_free(&outcome);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* Whoever reads the rows' names must know which tokens they are; other attention has no such
 * choice. */
static void files_say_what_names_the_rows_of_cross_attention(void **state)
{
    static const struct {
        const char *set, *view, *note;
    } cases[] = {{":set cross_rows predicted", "attn cross", "\n# cross_rows: predicted\n"},
                 {":set cross_rows input", "heads cross", "\n# cross_rows: input\n"},
                 {":set cross_rows input", "attn enc", NULL}};
    const char *path = cli_path("rows.csv");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const arguments[] = {CPU,
                                         "-e",
                                         "the dog",
                                         "-e",
                                         ":set export.comments on",
                                         "-e",
                                         cases[i].set,
                                         "-e",
                                         command(":export", path, cases[i].view),
                                         MODEL,
                                         NULL};
        struct outcome outcome = cli_run(arguments);
        assert_int_equal(outcome.code, 0);
        outcome_free(&outcome);
        char *text = cli_read(path, NULL);
        const char *found = strstr(text, cases[i].note ? cases[i].note : "cross_rows:");
        assert_int_equal(found != NULL, cases[i].note != NULL);
        free(text);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_head_is_a_file),
        cmocka_unit_test(a_folder_wants_all_and_a_known_form),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_named),
        cmocka_unit_test(no_clobber_keeps_what_is_there),
        cmocka_unit_test(no_clobber_keeps_the_files_of_a_folder),
        cmocka_unit_test(the_prompt_asks_before_it_replaces),
        cmocka_unit_test(comments_say_how_a_table_was_made),
        cmocka_unit_test(files_say_what_names_the_rows_of_cross_attention),
        cmocka_unit_test(the_date_is_the_one_that_builds_are_given),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
