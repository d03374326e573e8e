/* Values of a shard's file that no study writes: whoever made the file, none is taken. What a study
 * says is then what it computes itself, with a warning. */
#include "model/study/shards/shards_fields.h"
#include "session/session.h"
#include "tests/support/cli_support.h"
#include "tests/support/commands_support.h"
#include "tests/support/rounds.h"
#include "tests/support/shard_studies.h"
#include "tests/support/test.h"

static char *folder, *path, *hostile;

static int open_files(void **state)
{
    if (cli_open(state) != 0)
        return -1;
    for (int i = 0; i < SHARD_FILES; i++)
        cli_write(shard_files[i].name, shard_files[i].text);
    folder = strdup(cli_path("shards"));
    path = strdup(cli_path("shards/1-of-1.part"));
    hostile = strdup(cli_path("hostile.part"));
    return folder && path && hostile ? 0 : -1;
}

static int close_files(void **state)
{
    free(folder);
    free(path);
    free(hostile);
    return cli_close(state);
}

static bool is_file(const char *word)
{
    for (int i = 0; i < SHARD_FILES; i++)
        if (strcmp(word, shard_files[i].name) == 0)
            return true;
    return false;
}

/* The study's line, with the files' paths. The caller frees it. */
static char *line_of(int k)
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    assert_non_null(out);
    char *text = strdup(shard_studies[k].line), *rest = text, *word;
    assert_non_null(text);
    for (int i = 0; (word = strsep(&rest, " ")); i++)
        fprintf(out, "%s%s", i ? " " : "", is_file(word) ? cli_path(word) : word);
    free(text);
    fclose(out);
    return line;
}

/* What a new session says, without how long it took. shard: writes a shard's file; merged: takes
 * results from this one. NULL: not that. */
static char *answer(int k, const char *shard, const char *merged, const char *what, int step)
{
    struct status status = {0};
    struct bench bench = bench_open_model(shard_studies[k].model);
    bench_connect(&bench);
    bench.program.sink.kind = bench.sink.kind = &json_sink;
    if ((shard && !session_take_shard(bench.session, shard, 1, 1, &status)) ||
        (merged && !session_merge(bench.session, &merged, 1, &status)))
        fail_msg("%s: %s, %d: %s", shard_studies[k].line, what, step, status.message);
    char *line = line_of(k);
    program_line(&bench.program, "", line);
    free(line);
    fflush(bench.sink.stream);
    if (bench.program.exit_code)
        fail_msg("%s: %s, %d: %s", shard_studies[k].line, what, step, bench.output);
    char *seconds = strstr(bench.output, "\"seconds\":");
    if (seconds) {
        const char *end = seconds + strcspn(seconds, ",}");
        memmove(seconds, end, strlen(end) + 1);
    }
    char *text = strdup(bench.output);
    assert_non_null(text);
    bench_close(&bench);
    return text;
}

/* Hostile values ------------------------------------------------------------------------------- */

/* The changed value, which the caller frees; NULL: this one stays. */
typedef char *change_value(const char *value, int step);

/* Writes the file of the shard with each value changed. Returns how many were. */
static int rewrite(change_value *change, int step)
{
    char *text = cli_read(path, NULL), *rest = text, *line = strsep(&rest, "\n");
    FILE *out = fopen(hostile, "wb");
    struct status status;
    int changed = 0;
    assert_non_null(out);
    fprintf(out, "%s\n", line);
    while ((line = strsep(&rest, "\n")) && *line) {
        struct journal_key key;
        for (int i = 0; i < JOURNAL_KEY_BYTES; i++)
            assert_int_equal(sscanf(line + 2 * (size_t)i, "%2hhx", &key.bytes[i]), 1);
        line[strlen(line) - 17] = '\0'; // the check
        const char *value = line + 2 * JOURNAL_KEY_BYTES + 1;
        char *other = change(value, step);
        size_t bytes;
        char *written = journal_line(&key, other ? other : value, &bytes, &status);
        assert_non_null(written);
        fwrite(written, 1, bytes, out);
        changed += other != NULL;
        free(written);
        free(other);
    }
    fclose(out);
    free(text);
    return changed;
}

/* Numbers that no field of any record takes, then those that some take. */
static const char *const numbers[] = {
    "nan", "inf", "-inf", "1e308", "x", "", "-2", "2147483648", "99999999999999999999", "1000"};
enum { NUMBERS = sizeof numbers / sizeof *numbers, NEVER = 6, TOKENS = NUMBERS - 1 };
/* The first numbers of a record, and its last ones. */
enum { FIRST = 14, PLACES = FIRST + 4 };

/* Where number `place` of the value is; NULL: there is none. Numbers follow their count. */
static const char *number_at(const char *value, int place)
{
    const int count = atoi(value);
    if (place >= FIRST)
        place = count - (place - FIRST);
    for (int i = 0; place <= count && i < place && value; i++)
        value = strchr(value, ' ') ? strchr(value, ' ') + 1 : NULL;
    return place >= 0 && place <= count ? value : NULL;
}

static char *other_number(const char *value, int step)
{
    const char *at = number_at(value, step / NUMBERS);
    char *text = NULL;
    if (at)
        assert_true(asprintf(&text, "%.*s%s%s", (int)(at - value), value, numbers[step % NUMBERS],
                             at + strcspn(at, " ")) >= 0);
    return text;
}

/* As before, but of a text of statistics, behind the count of one. */
static char *other_statistic(const char *value, int step)
{
    const char *at = value;
    for (int i = 0; at && i < 2 + step / NUMBERS; i++)
        at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
    char *text = NULL;
    if (at)
        assert_true(asprintf(&text, "%.*s%s%s", (int)(at - value), value, numbers[step % NUMBERS],
                             at + strcspn(at, " ")) >= 0);
    return text;
}

enum { NONE_AT_ALL, ONE_LESS, ONE_MORE, HUGE_COUNT, NEGATIVE_COUNT, A_TEXT, SIZES };

/* Records that are shorter or longer than they say, or than their shape. */
static char *other_size(const char *value, int step)
{
    char *text = NULL;
    const int count = atoi(value);
    const char *first = strchr(value, ' '), *last = number_at(value, FIRST);
    assert_true(first && last);
    const char *end = last + strcspn(last, " ");
    int written = 0;
    switch (step) {
    case NONE_AT_ALL:
        written = asprintf(&text, "%s", "");
        break;
    case ONE_LESS:
        written = asprintf(&text, "%d%.*s%s", count - 1, (int)(last - first) - 1, first, end);
        break;
    case ONE_MORE:
        written = asprintf(&text, "%d 1%s", count + 1, first);
        break;
    case HUGE_COUNT:
        written = asprintf(&text, "2147483647%s", first);
        break;
    case NEGATIVE_COUNT:
        written = asprintf(&text, "-1%s", first);
        break;
    default:
        written = asprintf(&text, "%s and a text", value);
    }
    assert_true(written >= 0);
    return text;
}

/* ---------------------------------------------------------------------------------------------- */

/* An answer with the warning of `refused` values, which the caller frees. */
static char *warned(const char *answer, int refused, const char *where)
{
    char *text = NULL;
    const char *s = refused > 1 ? "s" : "", *have = refused > 1 ? "have" : "has";
    assert_true(
        asprintf(&text,
                 "%.*s,\"warnings\":[\"%d result%s in %s %s impossible values; not used, and "
                 "computed again\"]}\n",
                 (int)strlen(answer) - 2, answer, refused, s, where, have) >= 0);
    return text;
}

static void expect_refused(int k, const char *whole, change_value *change, const char *what,
                           int step)
{
    const int refused = rewrite(change, step);
    if (!refused)
        return;
    char *merged = answer(k, NULL, hostile, what, step),
         *expected = warned(whole, refused, "the parts");
    if (strcmp(merged, expected) != 0)
        fail_msg("%s: %s, %d: said:\n%s\nexpected\n%s", shard_studies[k].line, what, step, merged,
                 expected);
    free(merged);
    free(expected);
}

/* A shard that goes on computes such values again. Its file then has those of one run. */
static void expect_mended(int k, const char *whole, change_value *change, const char *what)
{
    char says[40];
    const int refused = rewrite(change, 0);
    assert_true(refused > 0);
    assert_int_equal(rename(hostile, path), 0);
    char *told = answer(k, folder, NULL, what, 0), *merged = answer(k, NULL, path, what, 0);
    snprintf(says, sizeof says, "[\"%d result%s in ", refused, refused > 1 ? "s" : "");
    const char *warning = strstr(told, says);
    if (!warning || !strstr(warning, "/1-of-1.part ha") || !strstr(warning, "impossible values"))
        fail_msg("%s: %s: %s", shard_studies[k].line, what, told);
    if (strcmp(merged, whole) != 0)
        fail_msg("%s: %s: not mended:\n%s\nexpected\n%s", shard_studies[k].line, what, merged,
                 whole);
    free(told);
    free(merged);
}

/* Whether a number of that kind may be what a field has. */
static bool may_be(int k, int step)
{
    return (shard_studies[k].takes & (TAKES_NUMBERS | TAKES_STATISTICS) &&
            step % NUMBERS >= NEVER) ||
           (shard_studies[k].takes & TAKES_TEXT && step % NUMBERS == TOKENS);
}

static void no_value_of_others_is_taken(void **state)
{
    const int every = rounds_of(3, 1); // all numbers, each at a third of the places
    for (int k = 0; k < SHARD_STUDIES; k++) {
        cli_remove(folder);
        free(answer(k, folder, NULL, "the shard", 0));
        char *whole = answer(k, NULL, NULL, "one run", 0);
        for (int step = 0; step < PLACES * NUMBERS; step += every)
            if (!may_be(k, step))
                expect_refused(k, whole, other_number, "number", step);
        for (int step = 0; shard_studies[k].takes & TAKES_STATISTICS && step < PLACES * NUMBERS;
             step += every)
            if (!may_be(k, step))
                expect_refused(k, whole, other_statistic, "statistic", step);
        for (int step = 0; step < SIZES - !!(shard_studies[k].takes & TAKES_TEXT); step++)
            expect_refused(k, whole, other_size, "size", step);
        expect_mended(k, whole, other_size, "size");
        if (shard_studies[k].takes & TAKES_STATISTICS)
            expect_mended(k, whole, other_statistic, "statistic");
        free(whole);
    }
}

/* Exported, a study warns as it does when it is printed. */
static void the_warning_reaches_who_exports(void **state)
{
    struct status status = {0};
    cli_remove(folder);
    free(answer(0, folder, NULL, "the shard", 0));
    const int refused = rewrite(other_size, NONE_AT_ALL);
    struct bench bench = bench_open_model(shard_studies[0].model);
    bench_connect(&bench);
    bench.program.sink.failures = bench.program.sink.stream;
    if (!session_merge(bench.session, (const char *const[]){hostile}, 1, &status))
        fail_msg("%s", status.message);
    char *says = NULL, *export = NULL, *line = line_of(0);
    assert_true(asprintf(&says, "warning: %d results in the parts", refused) >= 0 &&
                asprintf(&export, ":export %s %s", cli_path("exported.json"), line + 1) >= 0);
    program_line(&bench.program, "", export);
    fflush(bench.sink.stream);
    if (bench.program.exit_code || !strstr(bench.output, says))
        fail_msg("%s: %s", export, bench.output);
    bench_close(&bench);
    free(says);
    free(export);
    free(line);
}

/* They name files, and keep nothing in a shard's: all sentences are needed for `:prune`, a head is
 * measured anew, the others are no studies. */
static const char *const keep_nothing[] = {"prune", "head",   "open", "export",
                                           "save",  "source", "merge"};

static bool has_file(const struct command *command)
{
    bool found = false;
    for (int i = 0; i < command->arguments.count; i++)
        found |= command->arguments.each[i].kind == ARGUMENT_FILE;
    return found;
}

static bool is_tried(const char *name)
{
    char begin[40];
    for (int k = 0; k < SHARD_STUDIES; k++) {
        command_name(shard_studies[k].line, begin, sizeof begin);
        if (strcmp(begin, name) == 0)
            return true;
    }
    return false;
}

static void every_study_is_tried(void **state)
{
    for (int i = 0; i < command_count; i++) {
        const struct command *command = command_table[i];
        bool said = false;
        for (size_t k = 0; k < sizeof keep_nothing / sizeof *keep_nothing; k++)
            said |= strcmp(keep_nothing[k], command->name) == 0;
        if (has_file(command) && said == is_tried(command->name))
            fail_msg(":%s: expected in one of the lists", command->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_study_is_tried),
        cmocka_unit_test(no_value_of_others_is_taken),
        cmocka_unit_test(the_warning_reaches_who_exports),
    };
    return cmocka_run_group_tests(tests, open_files, close_files);
}
