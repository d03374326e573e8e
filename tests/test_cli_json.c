/* JSON of every command: one object a line, with the members that users rely on. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/cli_support.h"

/* Members "name:t": t is s string, n number, i integer, o object, a array, m matrix of numbers, 0 null. */
struct fields_case {
    const char *model, *command, *name, *fields;
};

static const struct fields_case fields_cases[] = {
    {MODEL, SENTENCE, "sentence", "source:o hypotheses:a"},
    {MODEL, ":force der Hund", "force", "source:o hypotheses:a"},
    {MODEL, ":attn cross layer 2 head 3", "attn",
     "module:s layer:i head:i rows:a columns:a weights:m"},
    {MODEL, ":attn head mean", "attn", "module:s layer:i head:s rows:a columns:a weights:m"},
    {MODEL, ":attn head max word", "attn", "module:s layer:i head:s rows:a columns:a weights:m"},
    {MODEL, ":heads cross layer 2", "heads",
     "module:s layers:a heads:a off:a unit:s rows:a columns:a weights:a"},
    {MODEL, ":token cat", "token",
     "module:s layers:a heads:a off:a token:s side:s places:a rows:a columns:a from:a to:a"},
    {MODEL, ":token cat cross", "token", "module:s rows:a columns:a to:a"},
    {GATES, ":importance", "importance", "module:s layer:i rows:a weights:m"},
    {GATES, ":gates", "gates", "module:s side:s rows:a gates:a"},
    {GATES, ":gates FILE by layer", "gates", "module:s side:s by:s groups:a"},
    {GATES, ":gates FILE by pos", "gates", "module:s side:s by:s groups:a"},
    {GATES, ":gates FILE by length", "gates", "module:s side:s by:s groups:a"},
    {MODEL, ":score the dog ||| der Hund", "score", "logprob:n tokens:a logprobs:a"},
    {MODEL, ":translate FILE", "translate", "file:s sentences:i tokens:i seconds:n translations:a"},
    {MODEL, ":disable head 1", "disable", "disabled:a changed:a before:o after:o"},
    {MODEL, ":enable", "enable", "disabled:a changed:a"},
    {MODEL, ":disabled", "disabled", "disabled:a changed:a"},
    {MODEL, ":mask head 2 local 1", "mask", "disabled:a changed:a"},
    {MODEL, ":pattern head 2 last", "pattern", "disabled:a changed:a"},
    {MODEL, ":reset", "reset", "disabled:a changed:a"},
    {MODEL, ":set", "set", "settings:a"},
    {MODEL, ":set beam", "set", "name:s value:n default:n minimum:n maximum:n help:s"},
    {MODEL, ":set beam 2", "set", "name:s value:n"},
    {MODEL, ":set length_penalty wu", "set", "name:s value:s choices:a"},
    {MODEL, ":info", "info",
     "name:s source_language:s target_language:s d_model:i d_ff:i activation:s norm:s norm_eps:n "
     "embedding_scale:n positions:o encoder:o decoder:o attention:a tied:o special:o source:o "
     "target:o tokenizer:o max_positions:i search:o parameters:i device:s sha256:s"},
    {MODEL, ":export OUT", "export", "file:s format:s tensors:i"},
    {MODEL, ":help", "help", "commands:a"},
    {MODEL, ":help attn", "help", "name:s arguments:s summary:s details:s"},
    {MODEL, ":hypothesis 2", "hypothesis", "hypothesis:i source:o hypotheses:a"},
    {MODEL, ":open FILE", "open", "number:i sentences:i reference:0 source:o hypotheses:a"},
    {MODEL, ":state x", "state", "state:s model:s disabled:a changed:a search:o"},
    {MODEL, ":state", "state", "states:a"},
    {MODEL, ":load " FIXED, "load",
     "state:s model:s disabled:a changed:a search:o before:o after:o"},
    {MODEL, ":model vanilla", "model",
     "state:s model:s disabled:a changed:a search:o before:o after:o"},
    {MODEL, ":model", "model", "states:a"},
    {MODEL, ":set beam 3", "set", "name:s value:n before:o after:o"},
    {MODEL, ":beside current", "beside", "module:s layer:i head:i a:o b:o difference:o note:0"},
    {MODEL, ":quit", "quit", ""},
};

static bool is_matrix(const json_t *value)
{
    size_t i, j;
    const json_t *row, *cell;
    if (!json_is_array(value) || json_array_size(value) == 0)
        return false;
    json_array_foreach(value, i, row)
    {
        if (!json_is_array(row) || json_array_size(row) == 0)
            return false;
        json_array_foreach(row, j, cell)
        {
            if (!json_is_number(cell))
                return false;
        }
    }
    return true;
}

static bool has_type(const json_t *value, char type)
{
    switch (type) {
    case 's':
        return json_is_string(value);
    case 'n':
        return json_is_number(value);
    case 'i':
        return json_is_integer(value);
    case 'o':
        return json_is_object(value);
    case 'a':
        return json_is_array(value);
    case 'm':
        return is_matrix(value);
    case '0':
        return json_is_null(value);
    default:
        return false;
    }
}

static void check_fields(const char *command, const json_t *object, const char *fields)
{
    char list[1000], *rest;
    snprintf(list, sizeof list, "%s", fields);
    for (char *field = strtok_r(list, " ", &rest); field; field = strtok_r(NULL, " ", &rest)) {
        char *colon = strchr(field, ':');
        *colon = '\0';
        if (!has_type(json_object_get(object, field), colon[1]))
            fail_msg("%s: %s is not of type %c", command, field, colon[1]);
    }
}

/* FILE and OUT stand for paths of this test's own. */
static void fill_in(const char *command, char *line, size_t size)
{
    const char *file = strstr(command, "FILE"), *out = strstr(command, "OUT");
    if (file)
        snprintf(line, size, "%.*s%s/lines%s", (int)(file - command), command, cli_folder(),
                 file + 4);
    else if (out)
        snprintf(line, size, "%.*s%s/out.safetensors", (int)(out - command), command, cli_folder());
    else
        snprintf(line, size, "%s", command);
}

static void every_command_prints_one_object(void **unused)
{
    (void)unused;
    cli_write("lines", "the dog\n\na cat sees the river .\n");
    for (size_t i = 0; i < sizeof fields_cases / sizeof *fields_cases; i++) {
        char line[PATH_MAX + 100];
        fill_in(fields_cases[i].command, line, sizeof line);
        const char *arguments[] = {"--json", CPU, fields_cases[i].model, "-e", SENTENCE, "-e",
                                   line,     NULL};
        struct outcome outcome = cli_run(arguments);
        if (outcome.code != 0 || *outcome.err || cli_count_lines(outcome.out) != 2)
            fail_msg("%s: ends with %d: %s%s", line, outcome.code, outcome.err, outcome.out);
        json_t *object = cli_object(arguments, outcome.out, 1);
        assert_true(json_is_true(json_object_get(object, "ok")));
        assert_string_equal(json_string_value(json_object_get(object, "command")),
                            fields_cases[i].name);
        check_fields(line, object, fields_cases[i].fields);
        json_decref(object);
        outcome_free(&outcome);
    }
}

static void a_sentence_names_texts_tokens_ids_and_scores(void **unused)
{
    static const char *const arguments[] = {CPU, "--json", MODEL, "-e", SENTENCE, NULL};
    (void)unused;
    struct outcome outcome = cli_run(arguments);
    json_t *object = cli_object(arguments, outcome.out, 0);
    const json_t *source = json_object_get(object, "source");
    check_fields("source", source, "text:s tokens:a ids:a");
    assert_int_equal(json_array_size(json_object_get(source, "tokens")), 6);
    assert_int_equal(json_array_size(json_object_get(source, "ids")), 6);
    const json_t *hypotheses = json_object_get(object, "hypotheses"), *hypothesis;
    size_t i;
    assert_int_equal(json_array_size(hypotheses), 5);
    json_array_foreach(hypotheses, i, hypothesis)
    {
        check_fields("hypothesis", hypothesis, "text:s tokens:a ids:a logprobs:a score:n");
        size_t length = json_array_size(json_object_get(hypothesis, "ids"));
        assert_int_equal(json_array_size(json_object_get(hypothesis, "tokens")), length);
        assert_int_equal(json_array_size(json_object_get(hypothesis, "logprobs")), length);
    }
    json_decref(object);
    outcome_free(&outcome);
}

/* A member of members, as "attention.3.heads". */
static const json_t *member_at(const json_t *object, const char *path)
{
    char names[100], *rest;
    snprintf(names, sizeof names, "%s", path);
    for (char *name = strtok_r(names, ".", &rest); name; name = strtok_r(NULL, ".", &rest))
        object = json_is_array(object) ? json_array_get(object, strtoul(name, NULL, 10))
                                       : json_object_get(object, name);
    return object;
}

/* Fields that these files leave out, and what the description of the format says they are then. */
static void info_tells_what_absent_fields_mean(void **unused)
{
    static const struct {
        const char *model, *path, *value;
    } cases[] = {
        {"tests/golden/vanilla_pre.bin", "tied",
         "{\"output\": \"target_embedding\", \"target_embedding\": null}"},
        {"tests/golden/vanilla_pre.bin", "tokenizer",
         "{\"kind\": \"whitespace\", \"pretokenizer\": \"none\", \"lowercase\": false}"},
        {"tests/golden/vanilla_pre.bin", "positions.encoder.offset", "0"},
        {"tests/golden/vanilla_pre.bin", "positions.decoder.offset", "0"},
        {"tests/golden/vanilla_pre.bin", "attention", "[]"},
        {"tests/golden/mixture_rules.bin", "attention.0.layers", "\"all\""},
        {"tests/golden/mixture_rules.bin", "attention.1.layers", "[1, 0]"},
        {"tests/golden/mixture_rules.bin", "attention.3.context", "null"},
        {"tests/golden/mixture_rules.bin", "attention.3.heads.0",
         "{\"energy\": \"learned\", \"mask\": \"global\"}"},
        {"tests/golden/mixture_rules.bin", "attention.3.heads.1",
         "{\"energy\": \"fixed\", \"pattern\": \"last\", \"unit\": \"token\"}"},
        {"tests/golden/mixture_rules.bin", "attention.4.context",
         "{\"vectors\": [\"deep\"], \"gate\": \"token\", \"sides\": \"qk\"}"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const arguments[] = {CPU, "--json", cases[i].model, "-e", ":info", NULL};
        struct outcome outcome = cli_run(arguments);
        json_t *object = cli_object(arguments, outcome.out, 0);
        json_t *value = json_loads(cases[i].value, JSON_DECODE_ANY, NULL);
        assert_non_null(value);
        if (!json_equal(member_at(object, cases[i].path), value))
            fail_msg("%s: %s is not %s", cases[i].model, cases[i].path, cases[i].value);
        json_decref(value);
        json_decref(object);
        outcome_free(&outcome);
    }
}

/* The file holds the object that the same command prints, and how it was made. */
static void exported_objects_are_those_that_are_printed(void **unused)
{
    static const char one[] =
        "program:s model:s checkpoint:s checkpoint_sha256:s command:s source:s "
        "target:s forced:s hypothesis:i disabled:a changed:a search:o";
    static const char two[] = "program:s command:s view:s source:s a:o b:o";
    static const struct {
        const char *view, *provenance;
    } views[] = {
        {"attn cross layer 2 head 3", one},
        {"attn head mean word", one},
        {"heads cross", one},
        {"token cat", one},
        {"token cat cross", one},
        {"gates", one},
        {"importance", one},
        {"beside current", two},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        char export[PATH_MAX + 100], show[100], path[PATH_MAX];
        json_error_t error;
        snprintf(path, sizeof path, "%s/out.json", cli_folder());
        snprintf(export, sizeof export, ":export %s %s", path, views[i].view);
        snprintf(show, sizeof show, ":%s", views[i].view);
        const char *arguments[] = {"--json", CPU,  GATES, "-e",   SENTENCE,
                                   "-e",     show, "-e",  export, NULL};
        struct outcome outcome = cli_run(arguments);
        if (outcome.code != 0)
            fail_msg("%s: %s", show, outcome.out);
        json_t *shown = cli_object(arguments, outcome.out, 1);
        json_t *done = cli_object(arguments, outcome.out, 2);
        json_t *written = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
        check_fields(export, done, "file:s format:s view:s");
        check_fields(export, json_object_get(written, "provenance"), views[i].provenance);
        json_object_del(written, "provenance");
        if (!json_equal(shown, written))
            fail_msg("%s: what is written is not what is printed", show);
        json_decref(shown);
        json_decref(done);
        json_decref(written);
        outcome_free(&outcome);
    }
}

static void dpi_of_the_command_line_is_a_setting(void **unused)
{
    static const char *const arguments[] = {CPU,   "--json", "--dpi",           "150",
                                            MODEL, "-e",     ":set figure.dpi", NULL};
    (void)unused;
    struct outcome outcome = cli_run(arguments);
    json_t *object = cli_object(arguments, outcome.out, 0);
    assert_int_equal(json_integer_value(json_object_get(object, "value")), 150);
    json_decref(object);
    outcome_free(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_prints_one_object),
        cmocka_unit_test(a_sentence_names_texts_tokens_ids_and_scores),
        cmocka_unit_test(info_tells_what_absent_fields_mean),
        cmocka_unit_test(exported_objects_are_those_that_are_printed),
        cmocka_unit_test(dpi_of_the_command_line_is_a_setting),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
