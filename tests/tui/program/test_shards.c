/* Studies in parts: whatever the number of parts, and whatever happens to the processes that work
 * on them, merging them gives the bytes of one run. */
#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/rounds.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

enum { SENTENCES = 9, EXPORTS_MOST = 12 };

static const char source[] = "Two dogs are running.\nThe old man sells flowers in the market.\n\n"
                             "I have never seen so many stars.\nWho has moved my bicycle?\n"
                             "She reads a book.\nThe bridge looks old.\nWe wait for the train.\n"
                             "A child is eating an apple.\n";
static const char reference[] = "Zwei Hunde rennen.\nDer alte Mann verkauft Blumen.\n\n"
                                "Ich habe noch nie so viele Sterne gesehen.\n"
                                "Wer hat mein Fahrrad bewegt?\nSie liest ein Buch.\n"
                                "Die Brücke sieht alt aus.\nWir warten auf den Zug.\n"
                                "Ein Kind isst einen Apfel.\n";
static const char trees[] =
    "1\tDogs\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\trun\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    "1\tOld\t_\tADJ\t_\t_\t2\tamod\t_\t_\n2\tmen\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
    "3\tsleep\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    "1\tShe\t_\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\treads\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n";
static const char gold[] =
    "0-0 1-1 2-2\n0-0 1-1 2-2 3-3\n\n0-0\n0-0 2-1\n0-0 1-1\n0-0\n0-0 1-1\n0-0\n";
static const char one_source[] = "The dog barks.\nThe dog barks.\nShe reads.\nHe sings.\n";
static const char correct[] = "Der Hund bellt.\nDer Hund bellt.\nSie liest.\nEr singt.\n";
static const char incorrect[] = "Die Hund bellt.\nDer Hund bellen.\nSie lesen.\nEr singen.\n";

/* The whole session, and the files that it writes. */
static char *script, *folder;       // folder: of the parts
static char *exports[EXPORTS_MOST]; // NULL at the end

/* A line with the files' paths: @S source, @R reference, @C a suite's, @T trees, @G gold
 * alignments, @x of an export. */
static void add_line(FILE *out, const char *line)
{
    static int written;
    for (; *line; line++) {
        char name[40];
        if (*line != '@') {
            fputc(*line, out);
            continue;
        }
        switch (*++line) {
        case 'S':
            fputs(cli_path("source"), out);
            break;
        case 'T':
            fputs(cli_path("trees"), out);
            break;
        case 'G':
            fputs(cli_path("gold"), out);
            break;
        case 'R':
            fputs(cli_path("reference"), out);
            break;
        case 'C':
            fprintf(out, "%s %s %s", cli_path("one"), cli_path("correct"), cli_path("incorrect"));
            break;
        default:
            snprintf(name, sizeof name, "export%d.csv", written);
            assert_true(written + 1 < EXPORTS_MOST);
            exports[written++] = strdup(cli_path(name));
            fputs(cli_path(name), out);
        }
    }
    fputc('\n', out);
}

static const char *const lines[] = {
    ":set significance.resamples 50",
    ":set significance.trials 50",
    ":translate @S",
    ":bleu @S @R by source 4,6",
    ":bleu @S @R group 1",
    ":export @x bleu @S @R",
    ":disable enc 1.1",
    ":state off",
    ":compare off en-de.bin @S @R group all",
    ":export @x",
    ":bleu @S @R in off en-de.bin",
    ":ablate @S @R by head enc layer 1 show 2",
    ":export @x ablate @S @R by head enc layer 1",
    ":prune @S @R until 0.1 enc layer 1 head 1-2",
    ":contrast @C",
    ":contrast @C ablate by head",
    ":export @x",
    ":enable",
    ":contrast @C",
    ":flips",
    ":stats @S",
    ":stats @S cross 2.7 show confidence",
    ":stats @S @R distances",
    ":export @x stats @S @R cross",
    ":stats @T enc",
    ":align @S @R",
    ":align @S @R @G by layer,head",
    ":align @S @R @G by layer,head as alti",
    ":export @x",
    ":ablate @S @R by gradient cross",
    ":alti @S",
    ":alti @S @R",
    ":load samples/en-de-dhicm.bin",
    ":importance @S",
    ":importance @S by layer",
    ":importance @T by pos",
    ":load samples/en-de-context.bin",
    ":gates qk @S",
    ":gates @T by pos",
    ":export @x",
};

static int open_texts(void **state)
{
    size_t size;
    if (cli_open(state) != 0)
        return -1;
    cli_write("source", source);
    cli_write("reference", reference);
    cli_write("one", one_source);
    cli_write("trees", trees);
    cli_write("gold", gold);
    cli_write("correct", correct);
    cli_write("incorrect", incorrect);
    FILE *out = open_memstream(&script, &size);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        add_line(out, lines[i]);
    fclose(out);
    char *path = strdup(cli_write("script", script));
    folder = strdup(cli_path("parts"));
    free(script);
    script = path;
    return 0;
}

static int close_texts(void **state)
{
    for (int i = 0; exports[i]; i++)
        free(exports[i]);
    free(script);
    free(folder);
    return cli_close(state);
}

/* Running -------------------------------------------------------------------------------------- */

/* How long something took is not compared. */
static void forget_seconds(char *text)
{
    static const char member[] = "\"seconds\":";
    for (char *at = text; (at = strstr(at, member));) {
        char *end = at += strlen(member);
        end += strspn(end, "0123456789.e+-");
        memmove(at, end, strlen(end) + 1);
    }
}

/* The program with the script: what it prints. NULL in place of `form`: text. */
static char *run(const char *const *options, const char *form, int code)
{
    const char *arguments[MOST_ARGUMENTS] = {CPU, SAMPLE, "-f", script};
    int count = 5;
    for (int i = 0; options[i]; i++)
        arguments[count++] = options[i];
    arguments[count] = form;
    struct outcome outcome = cli_run(arguments);
    if (code == 0 && outcome.code)
        print_error("%s", outcome.err);
    assert_int_equal(outcome.code, code);
    forget_seconds(outcome.out);
    free(outcome.err);
    return outcome.out;
}

/* The options of part `part` of `count`, until the next call. */
static const char *const *part_options(int part, int count)
{
    static char which[24];
    static const char *options[5] = {"--shard", which, "--parts"};
    snprintf(which, sizeof which, "%d/%d", part, count);
    options[3] = folder;
    return options;
}

static void run_part(int part, int count, const char *form)
{
    free(run(part_options(part, count), form, 0));
}

/* What one run prints and writes. */
struct whole {
    char *out[2]; // as text, as JSON
    char *files[EXPORTS_MOST];
};

static const char *const forms[2] = {NULL, "--json"};
static const char *const alone[] = {NULL};

static void take_files(char *files[EXPORTS_MOST])
{
    for (int i = 0; exports[i]; i++) {
        files[i] = cli_read(exports[i], NULL);
        assert_int_equal(unlink(exports[i]), 0);
    }
}

static struct whole run_whole(void)
{
    struct whole whole = {{run(alone, NULL, 0), run(alone, "--json", 0)}, {NULL}};
    take_files(whole.files);
    return whole;
}

static void whole_free(struct whole *whole)
{
    for (int i = 0; i < 2; i++)
        free(whole->out[i]);
    for (int i = 0; exports[i]; i++)
        free(whole->files[i]);
}

static void check_merge(const struct whole *whole)
{
    const char *const merge[] = {"--merge", folder, NULL};
    char *files[EXPORTS_MOST];
    for (int form = 0; form < 2; form++) {
        char *out = run(merge, forms[form], 0);
        assert_string_equal(out, whole->out[form]);
        free(out);
    }
    take_files(files);
    for (int i = 0; exports[i]; i++) {
        assert_string_equal(files[i], whole->files[i]);
        free(files[i]);
    }
}

static void no_exports(void)
{
    for (int i = 0; exports[i]; i++)
        assert_int_not_equal(access(exports[i], F_OK), 0);
}

/* Killing -------------------------------------------------------------------------------------- */

static off_t size_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? about.st_size : 0;
}

/* Waits until something is written to a file of the folder. False: a file was closed, its process
 * has ended. */
static bool wait_for_more(int watch)
{
    _Alignas(struct inotify_event) char events[4096];
    ssize_t bytes = read(watch, events, sizeof events);
    assert_true(bytes > 0);
    for (char *at = events; at < events + bytes;) {
        const struct inotify_event *event = (const struct inotify_event *)(void *)at;
        if (event->mask & IN_CLOSE_WRITE)
            return false;
        at += sizeof *event + event->len;
    }
    return true;
}

/* Kills part `part` of `count` once its file has more than that many bytes. Returns whether it had
 * not ended. */
static bool kill_part(int part, int count, const char *path, off_t bytes)
{
    const char *const *options = part_options(part, count);
    const char *const arguments[] = {CPU,        SAMPLE,     "-f",       script, options[0],
                                     options[1], options[2], options[3], NULL};
    int out = cli_scratch(), in = open("/dev/null", O_RDONLY), watch = inotify_init1(IN_CLOEXEC);
    mkdir(options[3], 0777);
    assert_true(inotify_add_watch(watch, options[3], IN_MODIFY | IN_CLOSE_WRITE) >= 0);
    pid_t child = cli_start(arguments, in, out, out);
    while (size_of(path) <= bytes && wait_for_more(watch))
        continue;
    kill(child, SIGKILL);
    int code = cli_finish(child);
    close(watch);
    close(in);
    close(out);
    return code == 256 + SIGKILL;
}

/* ---------------------------------------------------------------------------------------------- */

static void parts_merge_to_the_bytes_of_one_run(void **state)
{
    static const int counts[] = {1, 3, 7};
    struct whole whole = run_whole();
    for (int i = 0; i < 3; i++) {
        for (int part = 1; part <= counts[i]; part++)
            run_part(part, counts[i], part % 2 ? NULL : "--json");
        no_exports();
        check_merge(&whole);
        assert_int_equal(cli_remove(folder), 0);
    }
    whole_free(&whole);
}

static void a_part_that_is_killed_goes_on(void **state)
{
    struct whole whole = run_whole();
    for (int count = 3; count <= 7; count += 4) {
        char name[40];
        bool killed = false;
        snprintf(name, sizeof name, "parts/2-of-%d.part", count);
        char *path = strdup(cli_path(name));
        for (int part = 1; part <= count; part++)
            if (part != 2)
                run_part(part, count, NULL);
        for (off_t bytes = 0; bytes < 3000; bytes += rounds_of(600, 300))
            killed |= kill_part(2, count, path, bytes);
        assert_true(killed);
        run_part(2, count, NULL);
        check_merge(&whole);
        free(path);
        assert_int_equal(cli_remove(folder), 0);
    }
    whole_free(&whole);
}

/* What is wrong with parts --------------------------------------------------------------------- */

/* `:bleu` of the files with these options, in a model. */
static struct outcome score(const char *model, const char *const *options)
{
    const char *arguments[MOST_ARGUMENTS] = {CPU, model, "-e"};
    char line[600];
    int count = 5;
    snprintf(line, sizeof line, ":bleu %s %s", cli_path("source"), cli_path("reference"));
    arguments[4] = line;
    for (int i = 0; options[i]; i++)
        arguments[count++] = options[i];
    return cli_run(arguments);
}

static void score_part(int part)
{
    struct outcome outcome = score(SAMPLE, part_options(part, 3));
    if (outcome.code)
        print_error("%s", outcome.err);
    assert_int_equal(outcome.code, 0);
    assert_null(strstr(outcome.out, "BLEU"));
    outcome_free(&outcome);
}

/* Merging fails, and says this; no score is printed. */
static void check_fails(const char *model, const char *says)
{
    const char *const merge[] = {"--merge", folder, NULL};
    struct outcome outcome = score(model, merge);
    assert_int_equal(outcome.code, 1);
    assert_string_equal(outcome.out, "");
    cli_check_message(merge, &outcome, 2, says); // besides a damaged line
    outcome_free(&outcome);
}

/* Merging gives what one run gives, and says this on standard error; NULL: nothing. */
static void check_scores(const char *says)
{
    const char *const merge[] = {"--merge", folder, NULL};
    struct outcome whole = score(SAMPLE, alone), merged = score(SAMPLE, merge);
    assert_int_equal(merged.code, 0);
    assert_string_equal(merged.out, whole.out);
    if (says)
        cli_check_message(merge, &merged, 1, says);
    else
        assert_string_equal(merged.err, "");
    outcome_free(&whole);
    outcome_free(&merged);
}

static void a_merge_says_what_is_missing(void **state)
{
    char *path = strdup(cli_path("parts/2-of-3.part"));
    score_part(1);
    score_part(3);
    check_fails(SAMPLE, "the parts lack sentences 4 to 6 of 9: there is no file of 2/3");
    score_part(2);
    check_scores(NULL);
    char *text = cli_read(path, NULL);
    char *end = strchr(strchr(text, '\n') + 1, '\n') + 1; // of the first result
    assert_int_equal(truncate(path, end - text + 5), 0);
    check_fails(SAMPLE, "of 9: expected the rest, by the same command with --shard 2/3");
    score_part(2);
    check_scores(NULL);
    free(text);
    free(path);
    assert_int_equal(cli_remove(folder), 0);
}

static void nothing_damaged_or_foreign_is_taken(void **state)
{
    char *path = strdup(cli_path("parts/2-of-3.part"));
    size_t bytes;
    for (int part = 1; part <= 3; part++)
        score_part(part);
    char *text = cli_read(path, &bytes);
    char *result = strchr(strchr(text, '\n') + 1, '\n') + 1;
    strchr(result, ' ')[4] ^= 1;
    cli_write("parts/2-of-3.part", text);
    check_scores("2-of-3.part:3: damaged");
    check_fails("samples/en-de-fixed.bin", "they have nothing of this model");
    cli_write("source", one_source); // fewer lines than the reference
    check_fails(SAMPLE, "source:4: the last line, and");
    char *other = strdup(source);
    memcpy(strstr(other, "dogs"), "cats", 4);
    cli_write("source", other);
    cli_write("parts/2-of-3.part",
              text); // with a damaged line, of which there is one less than is missing
    check_fails(SAMPLE, "the parts lack sentences 1");
    cli_write("source", source);
    free(other);
    free(text);
    free(path);
    assert_int_equal(cli_remove(folder), 0);
}

static void wrong_options_are_told(void **state)
{
    static const struct {
        const char *options[5], *says;
    } cases[] = {
        {{"--shard", "0/3", "--parts", "x", NULL}, "--shard \"0/3\": expected K/N"},
        {{"--shard", "4/3", "--parts", "x", NULL}, "--shard \"4/3\": expected K/N"},
        {{"--shard", "1/3x", "--parts", "x", NULL}, "--shard \"1/3x\": expected K/N"},
        {{"--shard", "1/3", NULL}, "--shard: expected --parts FOLDER"},
        {{"--parts", "x", NULL}, "--parts without --shard"},
        {{"--shard", "1/3", "--parts", "", NULL}, "--parts is empty"},
        {{"--merge", "", NULL}, "--merge is empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome outcome = score(SAMPLE, cases[i].options);
        assert_int_equal(outcome.code, 2);
        cli_check_message(cases[i].options, &outcome, 3, cases[i].says);
        outcome_free(&outcome);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_merge_to_the_bytes_of_one_run),
        cmocka_unit_test(a_part_that_is_killed_goes_on),
        cmocka_unit_test(a_merge_says_what_is_missing),
        cmocka_unit_test(nothing_damaged_or_foreign_is_taken),
        cmocka_unit_test(wrong_options_are_told),
    };
    return cmocka_run_group_tests(tests, open_texts, close_texts);
}
