/* JSON for programs: what stands in the objects of some commands, and in the files that they
 * write. */
#include <limits.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"

static void a_sentence_names_texts_tokens_ids_and_scores(void **state)
{
    static const char *const arguments[] = {CPU, "--json", MODEL, "-e", SENTENCE, NULL};
    struct outcome outcome = cli_run(arguments);
    json_t *object = cli_object(arguments, outcome.out, 0);
    const json_t *source = json_object_get(object, "source");
    cli_check_fields("source", source, "text:s tokens:a ids:a");
    assert_int_equal(json_array_size(json_object_get(source, "tokens")), 6);
    assert_int_equal(json_array_size(json_object_get(source, "ids")), 6);
    const json_t *hypotheses = json_object_get(object, "hypotheses"), *hypothesis;
    size_t i;
    assert_int_equal(json_array_size(hypotheses), 5);
    json_array_foreach(hypotheses, i, hypothesis)
    {
        cli_check_fields("hypothesis", hypothesis, "text:s tokens:a ids:a logprobs:a score:n");
        size_t length = json_array_size(json_object_get(hypothesis, "ids"));
        assert_int_equal(json_array_size(json_object_get(hypothesis, "tokens")), length);
        assert_int_equal(json_array_size(json_object_get(hypothesis, "logprobs")), length);
    }
    json_decref(object);
    outcome_free(&outcome);
}

/* Appends a line to a script; the path `text` takes the place of TEXT. */
static void add_line(char *script, size_t size, const char *line, const char *text)
{
    for (const char *c = line; *c; c++) {
        bool path = strncmp(c, "TEXT", 4) == 0;
        size_t used = strlen(script);
        snprintf(script + used, size - used, path ? "%s" : "%.1s", path ? text : c);
        c += path ? 3 : 0;
    }
    strcat(script, "\n");
}

/* Read apart from the session, an object says what its numbers are of. */
static void every_object_says_what_it_was_computed_with(void **state)
{
    static const struct {
        const char *line, *expected; // model, state and sentence of its object
    } steps[] = {
        {":set batch 3", "[\"" MODEL "\",[],null]"},
        {":disable enc layer 2 head 1",
         "[\"" MODEL "\",[\":disable encoder layer 2 head 1\"],null]"},
        {":nonsense", "[\"" MODEL "\",[\":disable encoder layer 2 head 1\"],null]"},
        {":score the dog ||| der hund",
         "[\"" MODEL
         "\",[\":disable encoder layer 2 head 1\"],{\"source\":\"the dog\",\"target\":\"der "
         "hund\",\"forced\":true,\"hypothesis\":1}]"},
        {":reset", "[\"" MODEL "\",[],null]"},
        {":set beam 2", "[\"" MODEL "\",[\":set beam 2\"],null]"},
        {":mask cross layer 1 head 2 local 3",
         "[\"" MODEL "\",[\":set beam 2\",\":mask cross layer 1 head 2 local 3\"],null]"},
        {"the dog",
         "[\"" MODEL "\",[\":set beam 2\",\":mask cross layer 1 head 2 local 3\"],null]"},
        {":force der hund",
         "[\"" MODEL "\",[\":set beam 2\",\":mask cross layer 1 head 2 local 3\"],null]"},
        {":attn", "[\"" MODEL
                  "\",[\":set beam 2\",\":mask cross layer 1 head 2 local 3\"],{\"source\":\"the "
                  "dog\",\"target\":\"der hund\",\"forced\":true,\"hypothesis\":1}]"},
        {":bleu --scored TEXT TEXT", "[null,null,null]"},
        {":bleu TEXT TEXT",
         "[\"" MODEL "\",[\":set beam 2\",\":mask cross layer 1 head 2 local 3\"],null]"},
        {":compare vanilla current TEXT TEXT",
         "[[\"" MODEL "\",\"" MODEL
         "\"],[[],[\":set beam 2\",\":mask cross layer 1 head 2 local 3\"]],null]"},
        {":beside vanilla", "[[\"" MODEL "\",\"" MODEL
                            "\"],[[],[\":set beam 2\",\":mask cross layer 1 head 2 local 3\"]],"
                            "{\"source\":\"the dog\"}]"},
    };
    enum { STEPS = sizeof steps / sizeof *steps };
    char script[4000] = "", *text = strdup(cli_write("lines", "the dog\na cat\n"));
    for (int i = 0; i < STEPS; i++)
        add_line(script, sizeof script, steps[i].line, text);
    const char *const arguments[] = {CPU, "--json", MODEL, "-f", cli_write("script", script), NULL};
    struct outcome outcome = cli_run(arguments);
    for (int i = 0; i < STEPS; i++) {
        json_t *object = cli_object(arguments, outcome.out, i);
        json_t *sentence = json_object_get(object, "sentence");
        json_t *found =
            json_pack("[O,O,o]", json_object_get(object, "model"), json_object_get(object, "state"),
                      sentence ? json_incref(sentence) : json_null());
        char *is = json_dumps(found, JSON_COMPACT);
        if (strcmp(is, steps[i].expected) != 0)
            fail_msg("%s: %s, expected %s", steps[i].line, is, steps[i].expected);
        free(is);
        json_decref(found);
        json_decref(object);
    }
    outcome_free(&outcome);
    free(text);
}

/* Tables of several runs stand in one file: each says which state it is of. */
static void tables_over_files_name_model_and_state(void **state)
{
    char line[PATH_MAX * 2], *text = strdup(cli_write("lines", "the dog\na cat\n"));
    snprintf(line, sizeof line, ":bleu %s %s", text, text);
    const char *const arguments[] = {CPU,  MODEL, "-e", line, "-e", ":disable cross head 1",
                                     "-e", line,  NULL};
    struct outcome outcome = cli_run(arguments);
    assert_non_null(strstr(outcome.out, "\n model " MODEL "\n"));
    assert_non_null(strstr(outcome.out, "\n model " MODEL "  :disable cross layer 1-2 head 1\n"));
    outcome_free(&outcome);
    free(text);
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
static const struct {
    const char *model, *path, *value;
} fields[] = {
    {"tests/golden/vanilla_pre.bin", "tied",
     "{\"output\": \"target_embedding\", \"target_embedding\": null}"},
    {"tests/golden/vanilla_pre.bin", "tokenizer",
     "{\"kind\": \"whitespace\", \"marks\": \"none\", \"pretokenizer\": \"none\", "
     "\"lowercase\": false}"},
    {"tests/golden/vanilla_pre.bin", "positions.encoder.offset", "0"},
    {"tests/golden/vanilla_pre.bin", "positions.decoder.offset", "0"},
    {"tests/golden/vanilla_pre.bin", "attention", "[]"},
    {"tests/golden/vanilla_pre.bin", "norm_kind", "\"layer\""},
    {"tests/golden/vanilla_pre.bin", "embedding_norm", "false"},
    {"tests/golden/vanilla_pre.bin", "output_norm", "false"},
    {"tests/golden/vanilla_pre.bin", "last_norm", "true"},
    {"tests/golden/vanilla_pre.bin", "gated_ffn", "false"},
    {"tests/golden/vanilla_pre.bin", "attention_scale", "null"},
    {"tests/golden/vanilla_pre.bin", "output_scale", "1"},
    {"tests/golden/vanilla_pre.bin", "attention_cap", "null"},
    {"tests/golden/vanilla_pre.bin", "output_cap", "null"},
    {"tests/golden/vanilla_pre.bin", "decoder.kv_heads", "3"},
    {"tests/golden/rotary_capped.bin", "decoder.kv_heads", "1"},
    {"tests/golden/rotary_capped.bin", "positions.encoder.base", "10000"},
    {"tests/golden/rotary_capped.bin", "output_cap", "4"},
    {"tests/golden/vanilla_pre.bin", "positions.encoder.bias", "null"},
    {"tests/golden/vanilla_pre.bin", "encoder.recurrence", "\"none\""},
    {"tests/golden/vanilla_pre.bin", "decoder.recurrence", "\"none\""},
    {"tests/golden/vanilla_pre.bin", "search.excluded", "[]"},
    {"tests/golden/vanilla_pre.bin", "search.min_length", "0"},
    {"tests/golden/vanilla_pre.bin", "search.endings", "\"best\""},
    {"tests/golden/vanilla_pre.bin", "search.length_penalty.offset", "0"},
    {"tests/golden/top_endings.bin", "search.length_penalty.offset", "1"},
    {"tests/golden/vanilla_pre.bin", "languages", "{}"},
    {"tests/golden/vanilla_pre.bin", "alignment", "null"},
    {"tests/golden/vanilla_post.bin", "last_norm", "false"},
    {"tests/golden/first_endings.bin", "search.min_length", "2"},
    {"tests/golden/first_endings.bin", "search.endings", "\"first\""},
    {"tests/golden/first_endings.bin", "search.renormalize", "false"},
    {"tests/golden/renormalized.bin", "search.renormalize", "true"},
    {"tests/golden/recurrent_pre.bin", "decoder.recurrence", "\"ssru\""},
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

static void info_tells_what_absent_fields_mean(void **state)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *const arguments[] = {CPU, "--json", fields[i].model, "-e", ":info", NULL};
        struct outcome outcome = cli_run(arguments);
        json_t *object = cli_object(arguments, outcome.out, 0);
        json_t *value = json_loads(fields[i].value, JSON_DECODE_ANY, NULL);
        assert_non_null(value);
        if (!json_equal(member_at(object, fields[i].path), value))
            fail_msg("%s: %s is not %s", fields[i].model, fields[i].path, fields[i].value);
        json_decref(value);
        json_decref(object);
        outcome_free(&outcome);
    }
}

static void info_names_positions_caps_and_shared_keys(void **state)
{
    const char *const arguments[] = {CPU, "tests/golden/rotary_capped.bin", "-e", ":info", NULL};
    struct outcome outcome = cli_run(arguments);
    assert_non_null(strstr(outcome.out,
                           "\nencoder     1 layer, 4 heads of 4 (2 of keys and values), "
                           "rotary positions\n"));
    assert_non_null(strstr(outcome.out, "\nenergies    capped: 2 tanh(x / 2)\n"
                                        "logits      capped: 4 tanh(x / 4)\n"));
    outcome_free(&outcome);
}

/* The file holds the object that the same command prints, and how it was made. */
static void exported_objects_are_those_that_are_printed(void **state)
{
    static const char one[] =
        "program:s model:s checkpoint:s checkpoint_sha256:s command:s source:s "
        "target:s forced:b hypothesis:i disabled:a changed:a search:o session:a";
    static const char two[] = "program:s command:s view:s source:s a:o b:o session:a";
    static const struct {
        const char *view, *provenance;
    } views[] = {
        {"attn cross layer 2 head 3", one},
        {"attn head mean word", one},
        {"heads cross", one},
        {"token cat", one},
        {"token cat cross", one},
        {"align head 2", one},
        {"gates", one},
        {"importance", one},
        {"beside current", two},
    };
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
        cli_check_fields(export, done, "file:s format:s view:s");
        cli_check_fields(export, json_object_get(written, "provenance"), views[i].provenance);
        json_object_del(written, "provenance");
        if (!json_equal(shown, written))
            fail_msg("%s: what is written is not what is printed", show);
        json_decref(shown);
        json_decref(done);
        json_decref(written);
        outcome_free(&outcome);
    }
}

/* Python's str.splitlines breaks lines at U+2028 and U+2029, too. */
static void objects_have_no_line_separators(void **state)
{
    char *text = strdup(cli_write("lines", "the\xE2\x80\xA8"
                                           "dog\na cat\n")),
         translate[600];
    snprintf(translate, sizeof translate, ":translate %s", text);
    const char *const arguments[] = {CPU,
                                     "--json",
                                     MODEL,
                                     "-e",
                                     translate,
                                     "-e",
                                     "the\xE2\x80\xA9"
                                     "dog \x0B\x0C\x1C\xC2\x85",
                                     NULL};
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(cli_count_lines(outcome.out), 2);
    assert_null(strstr(outcome.out, "\xE2\x80\xA8"));
    assert_null(strstr(outcome.out, "\xE2\x80\xA9"));
    assert_null(strstr(outcome.out, "\xC2\x85"));
    assert_null(strpbrk(outcome.out, "\x0B\x0C\x1C\x1D\x1E\r"));
    json_t *object = cli_object(arguments, outcome.out, 1);
    const json_t *source = json_object_get(object, "source");
    assert_string_equal(json_string_value(json_object_get(source, "text")),
                        "the\xE2\x80\xA9"
                        "dog \x0B\x0C\x1C\xC2\x85");
    json_decref(object);
    outcome_free(&outcome);
    free(text);
}

static void dpi_of_the_command_line_is_a_setting(void **state)
{
    static const char *const arguments[] = {CPU,   "--json", "--dpi",           "150",
                                            MODEL, "-e",     ":set figure.dpi", NULL};
    struct outcome outcome = cli_run(arguments);
    json_t *object = cli_object(arguments, outcome.out, 0);
    assert_int_equal(json_integer_value(json_object_get(object, "value")), 150);
    json_decref(object);
    outcome_free(&outcome);
}

/* Of numbers 9 digits are written, but this one has to be told to somebody else as it is. */
static void ints_have_all_their_digits(void **state)
{
    static const char *const arguments[] = {
        CPU, "--json", MODEL, "-e", ":set significance.seed 2147483647", NULL};
    static const char *const plain[] = {
        CPU, MODEL, "-e", ":set significance.seed 2147483647", "-e", ":set significance.seed",
        NULL};
    static const char *const members[] = {"value", "maximum"};
    struct outcome outcome = cli_run(arguments);
    json_t *object = cli_object(arguments, outcome.out, 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(json_integer_value(json_object_get(object, members[i])), 2147483647);
    json_decref(object);
    outcome_free(&outcome);
    outcome = cli_run(plain);
    assert_non_null(strstr(outcome.out, "significance.seed  2147483647\n"));
    outcome_free(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence_names_texts_tokens_ids_and_scores),
        cmocka_unit_test(every_object_says_what_it_was_computed_with),
        cmocka_unit_test(tables_over_files_name_model_and_state),
        cmocka_unit_test(info_tells_what_absent_fields_mean),
        cmocka_unit_test(info_names_positions_caps_and_shared_keys),
        cmocka_unit_test(exported_objects_are_those_that_are_printed),
        cmocka_unit_test(objects_have_no_line_separators),
        cmocka_unit_test(dpi_of_the_command_line_is_a_setting),
        cmocka_unit_test(ints_have_all_their_digits),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
