/* Values of a shard's file that no study writes: whoever made the file, none is taken. What a study
 * says is then what it computes itself. */
#include "model/study/shards/shard_file.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

#define CONTEXT "samples/en-de-context.bin"
#define DHICM "samples/en-de-dhicm.bin"

static char *folder, *path, *hostile;

static int open_files(void **state)
{
    if (cli_open(state) != 0)
        return -1;
    cli_write("source", "Two dogs are running.\nShe reads a book.\n");
    cli_write("target", "Zwei Hunde rennen.\nSie liest ein Buch.\n");
    cli_write("pos",
              "1\tDogs\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\trun\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n");
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

/* What a value may be besides what the study writes. */
enum { ANY_NUMBER = 1, ANY_TEXT = 2, STATISTICS = 4 };

/* Every study that keeps results. */
static const struct {
    const char *model, *study;
    int takes; // ANY_NUMBER: finite ones; ANY_TEXT: a translation
} cases[] = {
    {SAMPLE, ":translate @source", ANY_TEXT},
    {SAMPLE, ":bleu @source @target", ANY_TEXT},
    {SAMPLE, ":ablate @source @target by layer cross", ANY_TEXT},
    {SAMPLE, ":ablate @source @target by gradient cross layer 1", ANY_NUMBER},
    {SAMPLE, ":contrast @source @target @source", ANY_NUMBER},
    {SAMPLE, ":align @source @target", 0},
    {SAMPLE, ":align @source @target cross 1.1 shifted", 0},
    {SAMPLE, ":alti @source", ANY_TEXT},
    {SAMPLE, ":alti @source @target", 0},
    {SAMPLE, ":stats @source cross 1.1", STATISTICS},
    {SAMPLE, ":stats @pos enc 1.1", STATISTICS},
    {SAMPLE, ":stats @pos enc layer 1 by pos confidence", 0},
    {CONTEXT, ":gates enc q @source", 0},
    {CONTEXT, ":gates enc qk @source by position", 0},
    {CONTEXT, ":gates enc q @pos by pos", 0},
    {SAMPLE, ":lens @source", ANY_NUMBER | ANY_TEXT},
    {SAMPLE, ":lens enc @source @target", ANY_NUMBER},
    {DHICM, ":importance @source", ANY_TEXT},
    {DHICM, ":importance @pos by pos", 0},
};
enum { CASES = sizeof cases / sizeof *cases };

static struct outcome run(int k, const char *const *options)
{
    const char *arguments[MOST_ARGUMENTS] = {"--quiet", "--json", CPU, cases[k].model, "-e"};
    char study[600] = "";
    for (const char *at = cases[k].study; *at;) {
        if (*at != '@') {
            strncat(study, at++, 1);
            continue;
        }
        char name[40];
        const size_t length = strcspn(++at, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        strcat(study, cli_path(name));
        at += length;
    }
    int count = 6;
    arguments[count++] = study;
    for (int i = 0; options[i]; i++)
        arguments[count++] = options[i];
    return cli_run(arguments);
}

/* What it says, without how long it took. */
static char *answer(int k, const char *const *options, const char *what, int step)
{
    struct outcome outcome = run(k, options);
    if (outcome.code)
        fail_msg("%s: %s, %d: ends with %d: %s", cases[k].study, what, step, outcome.code,
                 outcome.err);
    char *seconds = strstr(outcome.out, "\"seconds\":");
    if (seconds) {
        const char *end = seconds + strcspn(seconds, ",}");
        memmove(seconds, end, strlen(end) + 1);
    }
    free(outcome.err);
    return outcome.out;
}

/* Hostile values ------------------------------------------------------------------------------- */

/* The changed value, which the caller frees; NULL: this one stays. */
typedef char *change_value(const char *value, int step);

/* Writes the file of the shard with each value changed. False: there was none to change. */
static bool rewrite(change_value *change, int step)
{
    char *text = cli_read(path, NULL), *rest = text, *line = strsep(&rest, "\n");
    FILE *out = fopen(hostile, "wb");
    struct status status;
    bool changed = false;
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
        changed |= other != NULL;
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

static void expect_refused(int k, const char *whole, const char *what, int step)
{
    const char *const merge[] = {"--merge", hostile, NULL};
    char *merged = answer(k, merge, what, step);
    if (strcmp(merged, whole) != 0)
        fail_msg("%s: %s, %d: taken:\n%s\nexpected\n%s", cases[k].study, what, step, merged, whole);
    free(merged);
}

/* Whether a number of that kind may be what a field has. */
static bool may_be(int k, int step)
{
    return (cases[k].takes & (ANY_NUMBER | STATISTICS) && step % NUMBERS >= NEVER) ||
           (cases[k].takes & ANY_TEXT && step % NUMBERS == TOKENS);
}

static void no_value_of_others_is_taken(void **state)
{
    static const char *const alone[] = {NULL};
    const char *const shard[] = {"--shard", "1/1", "--parts", folder, NULL};
    for (int k = 0; k < CASES; k++) {
        cli_remove(folder);
        free(answer(k, shard, "the shard", 0));
        char *whole = answer(k, alone, "one run", 0);
        for (int step = 0; step < PLACES * NUMBERS; step++)
            if (!may_be(k, step) && rewrite(other_number, step))
                expect_refused(k, whole, "number", step);
        for (int step = 0; cases[k].takes & STATISTICS && step < PLACES * NUMBERS; step++)
            if (!may_be(k, step) && rewrite(other_statistic, step))
                expect_refused(k, whole, "statistic", step);
        for (int step = 0; step < SIZES - !!(cases[k].takes & ANY_TEXT); step++)
            if (rewrite(other_size, step))
                expect_refused(k, whole, "size", step);
        free(whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_value_of_others_is_taken),
    };
    return cmocka_run_group_tests(tests, open_files, close_files);
}
