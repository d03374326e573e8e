/* Every command of the table with no, wrong, too many and huge arguments, wherever a session
 * stands: one line, or one object, says what was expected, and the session is as it was. */
#include "tests/support/cli_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"
#include "tui/command/commands.h"

/* Arguments ------------------------------------------------------------------------------------ */

enum tried {
    NOTHING,
    WRONG,
    WRONG_WORDS,
    NEGATIVE,
    HUGE_NUMBER,
    EXPONENT,
    LAYERS,
    HEADS,
    EMPTY_WORD,
    OPEN_QUOTE,
    NOT_UTF8,
    CONTROL,
    MODULES,
    WORDS,
    HUGE_WORD,
    MANY_WORDS,
    ARGUMENT_COUNT
};

static const char *arguments[ARGUMENT_COUNT] = {
    [NOTHING] = "",
    [WRONG] = "zzqx",
    [WRONG_WORDS] = "zzqx zzqx zzqx zzqx",
    [NEGATIVE] = "-1",
    [HUGE_NUMBER] = "99999999999999999999",
    [EXPONENT] = "1e9",
    [LAYERS] = "layer 1-2000000000",
    [HEADS] = "head 1-2000000000",
    [EMPTY_WORD] = "''",
    [OPEN_QUOTE] = "'zzqx",
    [NOT_UTF8] = "\xFF",
    [CONTROL] = "\x1b[31m",
    [MODULES] = "enc dec",
    [WORDS] = "word word word word",
    // [HUGE_WORD] of a megabyte, [MANY_WORDS] ten thousand: make_arguments
};

static char *repeat(const char *text, size_t times)
{
    size_t length = strlen(text);
    char *all = malloc(length * times + 1);
    for (size_t i = 0; i < times; i++)
        memcpy(all + i * length, text, length);
    all[length * times] = '\0';
    return all;
}

static int make_arguments(void **state)
{
    arguments[HUGE_WORD] = repeat("x", rounds_of(1 << 17, 1 << 20));
    arguments[MANY_WORDS] = repeat("zzqx ", 10000);
    return cli_enter(state);
}

static int free_arguments(void **state)
{
    free((char *)arguments[HUGE_WORD]);
    free((char *)arguments[MANY_WORDS]);
    return cli_close(state);
}

/* Where a session stands ----------------------------------------------------------------------- */

enum standing { NO_SENTENCE, TRANSLATED, WALKING, FORCED, PLACE_COUNT };

static const char *const setups[PLACE_COUNT][4] = {
    [NO_SENTENCE] = {":set beam 3"},
    [TRANSLATED] = {":set beam 3", SENTENCE, ":disable dec layer 1 head 3"},
    [WALKING] = {":open source reference", ":goto 2", ":mask dec layer 1 head 3 forward"},
    [FORCED] = {SENTENCE, ":force der Hund", ":attn cross layer 2 head 3 word"},
};

/* What is known of a session from outside. */
static const char *const probes[] = {":disabled", ":state", ":set", ":attn"};
enum { PROBES = sizeof probes / sizeof *probes };

#define BIT(n) (1u << (n))
#define EVERYWHERE (BIT(PLACE_COUNT) - 1)
#define WITH_SENTENCE (EVERYWHERE & ~BIT(NO_SENTENCE))
#define ONE_WORD (BIT(WRONG) | BIT(NEGATIVE) | BIT(HUGE_NUMBER) | BIT(EXPONENT) | BIT(CONTROL))

/* Commands that have some right arguments already; the settings' names come to these. */
static const char *const begun[] = {
    "attn layer",        "attn head",         "heads cross head",
    "token cat",         "disable head",      "enable dec layer",
    "mask head 1",       "mask head 1 local", "pattern head 1",
    "gates source by",   "beside current",    "importance layer",
    "export a.csv attn", "bleu source",       "bleu source reference by",
    "compare current",   "align head",
};
enum { BEGUN = sizeof begun / sizeof *begun };

/* What is no mistake after all. */
static const struct {
    const char *command;
    unsigned arguments, places;
} good[] = {
    {"attn", BIT(NOTHING), WITH_SENTENCE},
    {"head", BIT(NOTHING), WITH_SENTENCE},
    {"heads", BIT(NOTHING), WITH_SENTENCE},
    {"align", BIT(NOTHING), WITH_SENTENCE},
    {"alti", BIT(NOTHING), WITH_SENTENCE},
    {"importance", BIT(NOTHING), WITH_SENTENCE},
    {"gates", BIT(NOTHING), WITH_SENTENCE},
    {"lens", BIT(NOTHING), WITH_SENTENCE},
    {"hypothesis", BIT(NOTHING), WITH_SENTENCE},
    {"next", BIT(NOTHING), BIT(WALKING)},
    {"prev", BIT(NOTHING), BIT(WALKING)},
    {"enable", BIT(NOTHING), EVERYWHERE},
    {"disabled", BIT(NOTHING), EVERYWHERE},
    {"reset", BIT(NOTHING), EVERYWHERE},
    {"model", BIT(NOTHING), EVERYWHERE},
    {"set", BIT(NOTHING), EVERYWHERE},
    {"info", BIT(NOTHING), EVERYWHERE},
    {"help", BIT(NOTHING), EVERYWHERE},
    {"quit", BIT(NOTHING), EVERYWHERE},
    // The reference is meant.
    {"force", BIT(NOTHING), BIT(WALKING)},
    // Any text is a translation, also an empty one, unless the model has not so many positions.
    {"force",
     ONE_WORD | BIT(EMPTY_WORD) | BIT(WRONG_WORDS) | BIT(LAYERS) | BIT(HEADS) | BIT(OPEN_QUOTE) |
         BIT(MODULES) | BIT(WORDS) | BIT(HUGE_WORD),
     WITH_SENTENCE},
    // Any text is a sentence; these have as many tokens as the current one.
    {"patch", BIT(LAYERS) | BIT(HEADS) | BIT(MODULES), BIT(WALKING)},
    // Any word is a name.
    {"state", BIT(NOTHING) | ONE_WORD, EVERYWHERE},
    {"save", ONE_WORD, EVERYWHERE},
    {"token cat", BIT(NOTHING), WITH_SENTENCE},
    {"beside current", BIT(NOTHING), WITH_SENTENCE},
    {"export a.csv attn", BIT(NOTHING), WITH_SENTENCE},
    {"set length_penalty.alpha", BIT(NEGATIVE), EVERYWHERE},
};

static bool names_setting(const char *command)
{
    return strncmp(command, "set ", 4) == 0;
}

static bool is_good(const char *command, enum tried argument, enum standing place)
{
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (strcmp(good[i].command, command) == 0 && good[i].arguments & BIT(argument) &&
            good[i].places & BIT(place))
            return true;
    return names_setting(command) && argument == NOTHING;
}

/* The script ----------------------------------------------------------------------------------- */

/* A line of the script: a case, or something around it. */
struct step {
    char command[32]; // and what is right of its arguments; "": a line that only sets up or looks
    enum tried argument;
    bool good, probe;
};

struct script {
    char *text;
    size_t bytes;
    FILE *stream;
    struct step steps[9000];
    int count;
};

static void add_line(struct script *script, struct step step, const char *line)
{
    assert_true(script->count < (int)(sizeof script->steps / sizeof *script->steps));
    script->steps[script->count++] = step;
    fprintf(script->stream, "%s\n", line);
}

static void add_probes(struct script *script)
{
    for (int i = 0; i < PROBES; i++)
        add_line(script, (struct step){.probe = true}, probes[i]);
}

static void add_setup(struct script *script, enum standing place)
{
    for (int i = 0; i < 4 && setups[place][i]; i++)
        add_line(script, (struct step){.probe = false}, setups[place][i]);
}

/* Right or wrong by what came before; `:quit` would end the script. */
static bool is_left_out(const struct step *step)
{
    return step->argument == NOTHING &&
           (strcmp(step->command, "undo") == 0 || strcmp(step->command, "redo") == 0 ||
            (strcmp(step->command, "quit") == 0 && step->good));
}

static void add_command(struct script *script, const char *command, enum standing place,
                        bool probing)
{
    for (int a = 0; a < ARGUMENT_COUNT; a++) {
        struct step step = {.argument = a, .good = is_good(command, a, place)};
        snprintf(step.command, sizeof step.command, "%s", command);
        char *line = malloc(strlen(arguments[a]) + 64);
        sprintf(line, ":%s%s%s", command, *arguments[a] ? " " : "", arguments[a]);
        if (!is_left_out(&step))
            add_line(script, step, line);
        free(line);
        if (step.good)
            add_setup(script, place);
        if (probing)
            add_probes(script);
    }
}

/* What makes names of states and files comes last, so that they are not there before. */
static bool makes_names(const char *command)
{
    return strcmp(command, "state") == 0 || strcmp(command, "save") == 0;
}

static struct script *make_script(enum standing place, bool probing)
{
    struct script *script = calloc(1, sizeof *script);
    script->stream = open_memstream(&script->text, &script->bytes);
    add_setup(script, place);
    if (probing)
        add_probes(script);
    for (int i = 0; i < BEGUN; i++)
        add_command(script, begun[i], place, probing);
    for (int i = 0; i < setting_count; i++) {
        char command[32];
        if (setting_table[i].type == SETTING_TEXT && !setting_table[i].check)
            continue; // takes any
        snprintf(command, sizeof command, "set %s", setting_table[i].name);
        add_command(script, command, place, probing);
    }
    for (int late = 0; late < 2; late++)
        for (int i = 0; i < command_count; i++)
            if (makes_names(command_table[i]->name) == late)
                add_command(script, command_table[i]->name, place, probing);
    fclose(script->stream);
    return script;
}

static void free_script(struct script *script)
{
    free(script->text);
    free(script);
}

static struct outcome run_script(const struct script *script, bool json)
{
    static const char *const plain[] = {CPU, "--threads", "1", "--quiet", GATES, NULL};
    static const char *const objects[] = {CPU, "--threads", "1", "--json", GATES, NULL};
    for (int a = 0; a < ARGUMENT_COUNT; a++)
        if (a != HUGE_WORD && a != MANY_WORDS && *arguments[a])
            remove(arguments[a]); // what a run before has saved
    free(strdup(cli_write("source", "the dog\na cat\nthe dog sees a cat\n")));
    free(strdup(cli_write("reference", "der Hund\neine Katze\nder Hund sieht\n")));
    struct outcome outcome = cli_run_with(json ? objects : plain, script->text, script->bytes);
    if (outcome.code != 1)
        fail_msg("ends with %d: %.1000s", outcome.code, outcome.err);
    return outcome;
}

/* Messages ------------------------------------------------------------------------------------- */

static const char *name_of(const struct step *step, enum standing place)
{
    static char name[200];
    snprintf(name, sizeof name, "at place %d, \":%s %.40s\"", place, step->command,
             arguments[step->argument]);
    return name;
}

/* A message is short, and tells what would have been right: by name, by its bounds, or where that
 * is listed. What the system says of a file speaks for itself. */
static void check_says_expected(const char *name, const char *message)
{
    static const char *const ways[] = {
        "expected",       "`:help` lists",      "`:set` lists", "`:state` lists",
        " has layers 1 ", " has heads 1 ",      "at most",      "no sentence yet: give one first",
        "invalid UTF-8",  "File name too long", "has no gates", "unfinished quote",
        "type some,",     "`:export FILE",      " is the last", " is the first",
    };
    bool says = false;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        says |= strstr(message, ways[i]) != NULL;
    if (!says || strlen(message) > 400 || strchr(message, '\n'))
        fail_msg("%s: \"%s\" does not say what was expected", name, message);
}

static char *next_line(char **text)
{
    char *line = strsep(text, "\n");
    if (!line || !*line)
        fail_msg("a line is missing");
    return line;
}

/* Every place is tried in one of the two forms, unless all are wanted. */
static bool is_tried(enum standing place, bool json)
{
    return rounds_full() || (place == NO_SENTENCE || place == FORCED) == json;
}

/* As JSON -------------------------------------------------------------------------------------- */

/* What the probes print, without numbers that are times. */
struct known {
    const char *objects[PROBES];
    int count;
};

static void check_object(const struct step *step, const char *line, enum standing place)
{
    const char *name = name_of(step, place);
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(object))
        fail_msg("%s: no object: %.200s", name, line);
    bool ok = json_is_true(json_object_get(object, "ok"));
    if (ok != step->good)
        fail_msg("%s is %s: %.200s", name, ok ? "accepted" : "refused", line);
    const char *command = json_string_value(json_object_get(object, "command"));
    assert_int_equal(strcspn(step->command, " "), strlen(command));
    assert_memory_equal(step->command, command, strlen(command));
    if (!ok)
        check_says_expected(name, json_string_value(json_object_get(object, "error")));
    json_decref(object);
}

static void check_known(const struct step *step, const struct known *before,
                        const struct known *after, enum standing place)
{
    for (int i = 0; i < PROBES; i++)
        if (strcmp(before->objects[i], after->objects[i]) != 0)
            fail_msg("%s changes what %s shows: %.400s, before %.400s", name_of(step, place),
                     probes[i], after->objects[i], before->objects[i]);
}

static void wrong_arguments_are_objects_that_change_nothing(void **state)
{
    for (int place = 0; place < PLACE_COUNT; place++) {
        if (!is_tried(place, true))
            continue;
        struct script *script = make_script(place, true);
        struct outcome outcome = run_script(script, true);
        struct known before = {.count = 0}, now = {.count = 0};
        const struct step *last = NULL;
        char *rest = outcome.out;
        assert_string_equal(outcome.err, "");
        for (int i = 0; i < script->count; i++) {
            const struct step *step = &script->steps[i];
            char *line = next_line(&rest);
            if (*step->command) {
                check_object(step, line, place);
                last = step;
            }
            if (!step->probe)
                continue;
            now.objects[now.count++] = line;
            if (now.count < PROBES)
                continue;
            if (last && !last->good)
                check_known(last, &before, &now, place);
            before = now;
            now.count = 0;
        }
        assert_string_equal(rest, "");
        outcome_free(&outcome);
        free_script(script);
    }
}

/* In lines ------------------------------------------------------------------------------------- */

/* Good steps may have warnings. */
static const char *next_failure(char **text)
{
    const char *line = next_line(text);
    while (strstr(line, ": warning: "))
        line = next_line(text);
    return line;
}

static void wrong_arguments_are_one_line_each(void **state)
{
    for (int place = 0; place < PLACE_COUNT; place++) {
        if (!is_tried(place, false))
            continue;
        struct script *script = make_script(place, false);
        struct outcome outcome = run_script(script, false);
        char *rest = outcome.err;
        for (int i = 0; i < script->count; i++) {
            const struct step *step = &script->steps[i];
            char start[100];
            if (!*step->command || step->good)
                continue;
            const char *line = next_failure(&rest);
            snprintf(start, sizeof start, "attnscope: standard input:%d: ", i + 1);
            if (strncmp(line, start, strlen(start)) != 0)
                fail_msg("%s: \"%.200s\" does not begin with \"%s\"", name_of(step, place), line,
                         start);
            check_says_expected(name_of(step, place), line + strlen(start));
            for (const char *c = line; *c; c++)
                if ((unsigned char)*c < 0x20 || *c == 0x7F)
                    fail_msg("%s: control character", name_of(step, place));
        }
        if (*rest)
            fail_msg("at place %d, a line too many: %.200s", place, rest);
        outcome_free(&outcome);
        free_script(script);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_arguments_are_objects_that_change_nothing),
        cmocka_unit_test(wrong_arguments_are_one_line_each),
    };
    return cmocka_run_group_tests(tests, make_arguments, free_arguments);
}
