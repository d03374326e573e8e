/* A session in a file, as programs run it: attnscope --json m.bin -f session.scope | jq. One line
 * of every command there is, each answered by one object with the members that users rely on. */
#include <limits.h>
#include <unistd.h>

#include "base/version.h"
#include "model/study/shards/journal.h"
#include "tests/support/cli_support.h"
#include "tests/support/test.h"
#include "tui/command/commands.h"

/* A line of the session and the members of its object besides `command` and `ok`
 * (cli_check_fields). "FILE", "INNER", "OUT" and "SAVED" stand for files. NULL: the line stands in
 * INNER, which the next one runs. */
struct step {
    const char *line, *name, *fields;
};

static const struct step steps[] = {
    {SENTENCE, "sentence", "source:o hypotheses:a"},
    {":attn head mean", "attn", "module:s layer:i head:s rows:a columns:a weights:m"},
    {":attn head max word", "attn", "module:s layer:i head:s rows:a columns:a weights:m"},
    {":attn cross layer 2 head 3", "attn",
     "module:s layer:i head:i unit:s rows:a columns:a weights:m"},
    {":heads cross layer 2", "heads",
     "module:s layers:a heads:a off:a unit:s rows:a columns:a weights:a"},
    {":token cat enc", "token",
     "module:s layers:a heads:a off:a token:s side:s places:a rows:a columns:a from:a to:a"},
    {":token cat cross", "token", "module:s rows:a columns:a to:a"},
    {":export OUT", "export", "file:s format:s tensors:i"},
    {":hypothesis 2", "hypothesis", "hypothesis:i source:o hypotheses:a"},
    {":force der Hund", "force", "source:o hypotheses:a"},
    {":score the dog ||| der Hund", "score", "logprob:n tokens:a logprobs:a"},
    {":translate FILE", "translate", "file:s sentences:i tokens:i seconds:n translations:a"},
    {":disable enc head 1", "disable", "disabled:a changed:a before:o after:o"},
    {":mask enc head 2 local 1", "mask", "disabled:a changed:a before:o after:o"},
    {":pattern enc head 3 last", "pattern", "disabled:a changed:a before:o after:o"},
    {":entmax enc head 4 alpha 1.5", "entmax", "disabled:a changed:a before:o after:o"},
    {":disabled", "disabled", "disabled:a changed:a"},
    {":bleu FILE FILE", "bleu",
     "name:s score:n signature:s verbose_score:s chrf:o scored:b files:a sentences:i partial:b "
     "groups:a"},
    {":bleu --scored FILE FILE by 2,4 group all", "bleu",
     "name:s score:n signature:s verbose_score:s groups:a listed:a"},
    {":bleu FILE FILE by source in before current", "bleu",
     "name:s signature:s by:s unit:s files:a partial:b states:a sentences:i groups:a"},
    {":compare before current FILE FILE group 1", "compare",
     "a:o b:o tests:a files:a sentences:i partial:b groups:a differing:i listed:a"},
    {":ablate FILE FILE", "ablate",
     "base:n ablations:a by:s signature:s files:a sentences:i partial:b"},
    {":ablate FILE FILE head 2 or cross show 2", "ablate",
     "base:n ablations:a by:0 show:i listed:a"},
    {":prune FILE FILE until 100 cross layer 1", "prune",
     "base:n heads:i steps:a until:n signature:s files:a sentences:i partial:b"},
    {":prune FILE FILE until 100 cross layer 1 show 2", "prune",
     "base:n heads:i steps:a show:i listed:a"},
    {":beside before", "beside", "module:s layer:i head:i a:o b:o"},
    {":enable", "enable", "disabled:a changed:a before:o after:o"},
    {":reset", "reset", "disabled:a changed:a before:o after:o"},
    {":beside current", "beside", "module:s layer:i head:i a:o b:o difference:o note:0"},
    {":set", "set", "settings:a"},
    {":set beam", "set", "name:s value:n default:n minimum:n maximum:n help:s"},
    {":set beam 2", "set", "name:s value:n before:o after:o"},
    {":undo", "undo", "name:s disabled:a changed:a search:o before:o after:o"},
    {":redo", "redo", "name:s disabled:a changed:a search:o before:o after:o"},
    {":hypothesis", "hypothesis", "source:o hypotheses:a"},
    {":contrast SUITE SUITE SUITE", "contrast", "decisions:i correct:i accuracy:n groups:a"},
    {":set beam 3", "set", "name:s value:n before:o after:o"},
    {":disable enc head 2", "disable", "disabled:a changed:a before:o after:o"},
    {":contrast SUITE SUITE SUITE", "contrast", "decisions:i correct:i accuracy:n groups:a"},
    {":contrast SUITE SUITE SUITE in before current", "contrast",
     "name:s normalize:s files:a partial:b states:a decisions:i groups:a"},
    {":contrast SUITE SUITE SUITE", "contrast", "decisions:i correct:i accuracy:n groups:a"},
    {":flips", "flips", "file:s decisions:i partial:b before:o after:o"},
    {":set length_penalty wu", "set", "name:s value:s choices:a"},
    {":state x", "state", "name:s disabled:a changed:a search:o"},
    {":state", "state", "states:a"},
    {":open FILE", "open", "number:i sentences:i reference:0 source:o hypotheses:a"},
    {":goto 3", "goto", "number:i sentences:i reference:0 source:o hypotheses:a"},
    {":prev", "prev", "number:i sentences:i reference:0 source:0 hypotheses:a"},
    {":next", "next", "number:i sentences:i reference:0 source:o hypotheses:a"},
    {":back", "back", "number:i sentences:i reference:0 source:o hypotheses:a"},
    {":load " GATES, "load", "name:s disabled:a changed:a search:o before:o after:o"},
    {":align", "align", "module:s layer:i unit:s rows:a columns:a weights:m links:a"},
    {":importance", "importance", "module:s layer:i rows:a weights:m"},
    {":lens", "lens", "sentence:o layers:a columns:a probabilities:a tokens:a"},
    {":alti", "alti", "source_share:n source_shares:a source_columns:i rows:a columns:a weights:m"},
    {":attribute erasure", "attribute",
     "method:s baseline:s source_share:n source_shares:a source_columns:i rows:a columns:a "
     "weights:m"},
    {":faithful weights FILE", "faithful",
     "file:s target_file:0 gold_file:0 sentences:i partial:b rows:i baseline:s resamples:i seed:i "
     "methods:a"},
    {":patch the dog ||| cross", "patch",
     "from:s logprob:n from_logprob:n rows:a columns:a effects:a"},
    {":stats FILE cross", "stats", "file:s sentences:i rows:i heads:a distances:o"},
    {":head cross 1.1 FILE", "head",
     "module:s layer:i head:i name:s summary:s file:s sentences:i partial:b rows:i measure:s "
     "places:a offsets:a tokens:a pairs:a examples:a nearest:a setting:s off:b"},
    {":gates", "gates", "module:s side:s rows:a gates:a"},
    {":gates FILE by layer", "gates", "module:s side:s by:s sentences:i partial:b groups:a"},
    {":gates qk FILE by layer", "gates", "module:s side:s by:s groups:a"},
    {":gates FILE by position", "gates", "module:s side:s by:s groups:a"},
    {":gates FILE by length", "gates", "module:s side:s by:s groups:a"},
    {":model vanilla", "model", "name:s disabled:a changed:a search:o before:o after:o"},
    {":model", "model", "states:a"},
    {":info", "info",
     "name:s source_language:s target_language:s d_model:i d_ff:i activation:s norm:s norm_eps:n "
     "embedding_scale:n positions:o encoder:o decoder:o attention:a tied:o special:o source:o "
     "target:o tokenizer:o max_positions:i search:o parameters:i device:s sha256:s"},
    {NULL, "set", "name:s value:n"},
    {NULL, "sentence", "source:o hypotheses:a"},
    {":source INNER", "source", "file:s commands:i failed:i"},
    {":save SAVED", "save", "file:s commands:i"},
    {":help", "help", "commands:a"},
    {":help attn", "help", "name:s arguments:s summary:s meanings:o notes:a"},
    {":merge PART", "merge", "parts:i results:i notices:a"},
    {":quit", "quit", ""},
};
enum { STEPS = sizeof steps / sizeof *steps };

static const struct {
    const char *word, *file, *text; // text: NULL: the session writes it
} files[] = {
    {"FILE", "lines", "the dog\n\na cat sees the river .\n"},
    {"INNER", "two", ":set beam 3\n a cat\n"},
    {"SUITE", "suite", "the dog\na cat\n"},
    {"OUT", "out.safetensors", NULL},
    {"SAVED", "many", NULL},
    {"PART", "part", NULL},
};
enum { FILES = sizeof files / sizeof *files };

/* Writes the line with the files' paths. */
static void write_line(FILE *script, const char *line)
{
    while (*line) {
        int i = 0;
        while (i < FILES && strncmp(line, files[i].word, strlen(files[i].word)) != 0)
            i++;
        if (i < FILES)
            fprintf(script, "%s/%s", cli_folder(), files[i].file);
        else
            fputc(*line, script);
        line += i < FILES ? strlen(files[i].word) : 1;
    }
    fputc('\n', script);
}

/* A part without results. */
static void write_part(void)
{
    struct status status;
    size_t bytes;
    char *line =
        journal_line(NULL, "attnscope " ATTNSCOPE_VERSION " part 1/1 cpu fp32", &bytes, &status);
    assert_non_null(line);
    cli_write("part", line);
    free(line);
}

/* Writes the session's file and those that it reads; returns its path, freed with free(). */
static char *write_session(void)
{
    char *text = NULL;
    size_t size;
    for (int i = 0; i < FILES; i++)
        if (files[i].text)
            cli_write(files[i].file, files[i].text);
    write_part();
    FILE *script = open_memstream(&text, &size);
    for (int i = 0; i < STEPS; i++)
        if (steps[i].line)
            write_line(script, steps[i].line);
    fclose(script);
    char *path = strdup(cli_write("script", text));
    free(text);
    return path;
}

static bool runs_command(const char *line, const char *name)
{
    size_t length = strlen(name);
    return line && *line == ':' && strncmp(line + 1, name, length) == 0 &&
           (!line[1 + length] || line[1 + length] == ' ');
}

static void every_command_of_the_table_is_in_the_session(void **state)
{
    for (int i = 0; i < command_count; i++) {
        bool found = strcmp(command_table[i]->name, "show") == 0; // at terminals alone: test_show
        for (int s = 0; s < STEPS; s++)
            found |= runs_command(steps[s].line, command_table[i]->name);
        if (!found)
            fail_msg("no line of the session has :%s", command_table[i]->name);
    }
}

/* Model and state: of commands in two states a list of each, of translations made elsewhere
 * none. */
static void check_attribution(const char *line, const json_t *object)
{
    bool several = strstr(line, ":compare ") || strstr(line, ":beside ") || strstr(line, " in ") ||
                   runs_command(line, "flips");
    bool none = strstr(line, "--scored") != NULL;
    cli_check_fields(line, object,
                     none      ? "model:0 state:0"
                     : several ? "model:a state:a"
                               : "model:s state:a");
    if (several) {
        assert_int_equal(json_array_size(json_object_get(object, "model")), 2);
        assert_int_equal(json_array_size(json_object_get(object, "state")), 2);
    }
}

static void every_line_is_answered_by_one_object(void **state)
{
    char *path = write_session();
    const char *const arguments[] = {CPU, "--json", MODEL, "-f", path, NULL};
    struct outcome outcome = cli_run(arguments);
    if (outcome.code != 0 || *outcome.err)
        fail_msg("ends with %d: %s%s", outcome.code, outcome.err, outcome.out);
    assert_int_equal(cli_count_lines(outcome.out), STEPS);
    for (int i = 0; i < STEPS; i++) {
        const char *line = steps[i].line ? steps[i].line : steps[i].name;
        json_t *object = cli_object(arguments, outcome.out, i);
        if (!json_is_true(json_object_get(object, "ok")))
            fail_msg("%s is not ok", line);
        assert_string_equal(json_string_value(json_object_get(object, "command")), steps[i].name);
        cli_check_fields(line, object, steps[i].fields);
        check_attribution(line, object);
        json_decref(object);
    }
    outcome_free(&outcome);
    free(path);
}

/* jq reads the same objects out of a pipe. */
static void jq_reads_the_session(void **state)
{
    char *path = write_session(), command[PATH_MAX * 3], line[200];
    int steps_read = 0;
    if (system("command -v jq >/dev/null") != 0)
        skip();
    snprintf(command, sizeof command,
             "%s --json --device cpu %s -f %s | jq --raw-output '\"\\(.command) \\(.ok)\"'",
             cli_program(), MODEL, path);
    FILE *pipe = popen(command, "r");
    for (; fgets(line, sizeof line, pipe); steps_read++) {
        char wanted[100];
        assert_true(steps_read < STEPS);
        snprintf(wanted, sizeof wanted, "%s true\n", steps[steps_read].name);
        assert_string_equal(line, wanted);
    }
    assert_int_equal(pclose(pipe), 0);
    assert_int_equal(steps_read, STEPS);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_of_the_table_is_in_the_session),
        cmocka_unit_test(every_line_is_answered_by_one_object),
        cmocka_unit_test(jq_reads_the_session),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
