/* Folders whose generation_config.json says when translations end: what transformers 4.41.2
 * generates from the same files (AutoModelForSeq2SeqLM.generate; scores are its sequences_scores,
 * which are of beams alone). */
#include <limits.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"

#define MARIAN "\"decoder_start_token_id\": 39, \"pad_token_id\": 39"
#define NLLB                                                                                       \
    "\"bos_token_id\": 0, \"decoder_start_token_id\": 2, \"eos_token_id\": 2, \"max_length\": 10," \
    "\"pad_token_id\": 1"

static const struct {
    const char *golden, *text, *generation;
    int beam;
    const char *ids; // without the first start token
    double score;    // NaN: not known
} cases[] = {
    // No end is forced: as long as max_length, without </s>.
    {"hf-nllb", "▁w1 ▁w2", "{" NLLB "}", 1, "21 21 21 21 21 21 21 21", NAN},
    {"hf-nllb", "▁w1 ▁w2", "{" NLLB "}", 4, "21 21 21 21 21 21 21 21", NAN},
    // One that is forced costs nothing.
    {"hf-nllb", "▁w1 ▁w2", "{" NLLB ", \"forced_eos_token_id\": 2}", 4, "21 21 21 21 21 21 21 2",
     -0.32702601},
    // The file's token, and not that of config.json; one of several.
    {"hf-marian", "▁w1 ▁w2 ▁w3", "{" MARIAN ", \"eos_token_id\": 29, \"max_length\": 10}", 1, "29",
     NAN},
    {"hf-marian", "▁w1 ▁w2 ▁w3", "{" MARIAN ", \"eos_token_id\": [0, 29], \"max_length\": 10}", 1,
     "29", NAN},
    {"hf-marian", "▁w1 ▁w2 ▁w3",
     "{" MARIAN ", \"eos_token_id\": [0, 29], \"forced_eos_token_id\": 0, "
     "\"max_length\": 10}",
     4, "29", -1.5016204118728638},
    {"hf-marian", "▁w1 ▁w2 ▁w3", "{" MARIAN ", \"eos_token_id\": 0, \"max_length\": 10}", 4,
     "9 29 29 29 29 29 29 29 29", -1.4824938774108887},
    // max_new_tokens, and 20 where nothing is said.
    {"hf-marian", "▁w1 ▁w2 ▁w3", "{" MARIAN ", \"eos_token_id\": 0, \"max_new_tokens\": 3}", 4,
     "29 29 29", -1.4855486154556274},
    {"hf-marian", "▁w1 ▁w2 ▁w3", "{" MARIAN ", \"eos_token_id\": 0, \"forced_eos_token_id\": 0}", 4,
     "9 29 29 29 29 29 29 29 29 29 29 29 29 29 29 29 29 29 0", -1.3838263750076294},
};

/* A folder with links to the files of a golden one, but for generation_config.json. */
static const char *make_folder(const char *golden, const char *generation)
{
    static const char *const files[] = {"config.json", "model.safetensors", "vocab.json",
                                        "tokenizer_config.json", "generation_config.json"};
    static char folder[4096];
    char from[8300], to[4200], root[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", cli_path("generation"));
    mkdir(folder, 0700);
    assert_non_null(realpath("tests/golden/formats", root));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(from, sizeof from, "%s/%s/%s", root, golden, files[i]);
        snprintf(to, sizeof to, "%s/%s", folder, files[i]);
        unlink(to);
        if (strcmp(files[i], "generation_config.json") != 0 && access(from, R_OK) == 0)
            assert_int_equal(symlink(from, to), 0);
    }
    FILE *file = fopen(to, "w");
    assert_non_null(file);
    fputs(generation, file);
    fclose(file);
    return folder;
}

static void check_ids(const json_t *hypothesis, const char *expected)
{
    char ids[400] = "";
    size_t index;
    json_t *id;
    json_array_foreach(json_object_get(hypothesis, "ids"), index, id)
    {
        size_t used = strlen(ids);
        snprintf(ids + used, sizeof ids - used, "%s%lld", index ? " " : "", json_integer_value(id));
    }
    assert_string_equal(ids, expected);
}

static void translations_end_as_the_folder_says(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char beam[40];
        snprintf(beam, sizeof beam, ":set beam %d", cases[i].beam);
        const char *const arguments[] = {
            CPU,           "--json", make_folder(cases[i].golden, cases[i].generation),
            "-e",          beam,     "-e",
            cases[i].text, NULL};
        struct outcome outcome = cli_run(arguments);
        assert_int_equal(outcome.code, 0);
        json_t *answer = json_loads(strchr(outcome.out, '\n') + 1, 0, NULL);
        const json_t *best = json_array_get(json_object_get(answer, "hypotheses"), 0);
        assert_non_null(best);
        check_ids(best, cases[i].ids);
        double score = json_number_value(json_object_get(best, "score"));
        if (!isnan(cases[i].score) && !(fabs(score - cases[i].score) < 1e-5))
            fail_msg("%s: score %.9g, expected %.9g", cases[i].generation, score, cases[i].score);
        json_decref(answer);
        outcome_free(&outcome);
    }
}

/* What the search of transformers would do and this one does not: at the start, in `:info` and in
 * its JSON. */
static const struct {
    const char *generation; // of generation_config.json
    const char *told;       // in `:info` and at the start; NULL: nothing
    const char *last;       // of left_out
} left_out[] = {
    {"\"repetition_penalty\": 1.2, \"no_repeat_ngram_size\": 3",
     "repetition_penalty 1.2, no_repeat_ngram_size 3 (Hugging Face)", "no_repeat_ngram_size 3"},
    {"\"sequence_bias\": [[[7], -2.5]]", "sequence_bias [[[7], -2.5]] (Hugging Face)",
     "sequence_bias [[[7], -2.5]]"},
    /* transformers' own defaults; a temperature without do_sample. */
    {"\"repetition_penalty\": 1.0, \"no_repeat_ngram_size\": 0, \"num_beam_groups\": 1, "
     "\"do_sample\": false, \"temperature\": 0.7, \"forced_decoder_ids\": null, "
     "\"constraints\": []",
     NULL, NULL},
};

static void check_told(const char *text, const char *expected, const char *where)
{
    if (expected ? !strstr(text, expected) : strstr(text, "left out") != NULL)
        fail_msg("%s: \"%s\", expected %s", where, text, expected ? expected : "nothing");
}

static void check_left_out(const char *model, size_t i)
{
    const char *const plain[] = {CPU, model, "-e", ":info", NULL};
    const char *const json[] = {CPU, "--json", model, "-e", ":info", NULL};
    struct outcome outcome = cli_run(plain);
    assert_int_equal(outcome.code, 0);
    check_told(outcome.err, left_out[i].told, "at the start");
    check_told(outcome.out, left_out[i].told, ":info");
    outcome_free(&outcome);
    outcome = cli_run(json);
    json_t *answer = json_loads(outcome.out, 0, NULL);
    const json_t *list = json_object_get(answer, "left_out");
    size_t count = json_array_size(list);
    assert_true(json_is_array(list));
    assert_int_equal(count > 0, left_out[i].last != NULL);
    if (count)
        assert_string_equal(json_string_value(json_array_get(list, count - 1)), left_out[i].last);
    json_decref(answer);
    outcome_free(&outcome);
}

/* A converted model keeps it. */
static void options_that_are_left_out_are_told(void **state)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        char text[600];
        snprintf(text, sizeof text, "{" MARIAN ", \"eos_token_id\": 0, %s}",
                 left_out[i].generation);
        const char *folder = make_folder("hf-marian", text);
        check_left_out(folder, i);
        char *model = strdup(cli_path("converted.bin"));
        unlink(model);
        const char *const convert[] = {"--convert", model, folder, NULL};
        struct outcome outcome = cli_run(convert);
        if (outcome.code != 0)
            fail_msg("%s", outcome.err);
        outcome_free(&outcome);
        check_left_out(model, i);
        free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(translations_end_as_the_folder_says),
                                       cmocka_unit_test(options_that_are_left_out_are_told)};
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
