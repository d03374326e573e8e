/* Options of toolkits: every option of a toolkit is in the table of its family; those that are
 * reported appear in `:info`, models with those that are rejected do not open, and doc/options.md
 * matches the tables. The lists are the toolkits' own, written by
 * scripts/golden/make_option_lists.py. */
#include <unistd.h>

#include <jansson.h>

#include "model/checkpoint/checkpoint.h"
#include "model/formats/options.h"
#include "tests/model/formats/open_support.h"
#include "tests/support/test.h"

static const struct {
    const char *list;
    const struct toolkit_table *table;
    int least; // options that the list has
} families[] = {
    {"transformers", &options_transformers, 150},
    {"ctranslate2", &options_ctranslate2, 30},
    {"marian", &options_marian, 250},
    {"fairseq", &options_fairseq, 110},
    {"opennmt", &options_opennmt, 180},
    {"joeynmt", &options_joeynmt, 130},
    {"argos", &options_argos, 20},
    {"eole", &options_eole, 150},
    {"sockeye", &options_sockeye, 95},
};
enum { FAMILIES = sizeof families / sizeof *families };

static void every_option_of_a_toolkit_is_in_its_table(void **state)
{
    int missing = 0;
    for (int i = 0; i < FAMILIES; i++) {
        char path[200], line[200];
        snprintf(path, sizeof path, "tests/golden/formats/options/%s.txt", families[i].list);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        int count = 0;
        while (fgets(line, sizeof line, file)) {
            line[strcspn(line, "\n")] = '\0';
            if (*line == '#')
                continue;
            count++;
            if (options_find(families[i].table, line))
                continue;
            print_error("%s: %s is in no table\n", families[i].list, line);
            missing++;
        }
        fclose(file);
        assert_true(count >= families[i].least);
    }
    assert_int_equal(missing, 0);
}

static void no_option_is_twice_in_a_table(void **state)
{
    for (int i = 0; i < FAMILIES; i++)
        for (const struct toolkit_option *option = families[i].table->options; option->names;
             option++) {
            const char *names = option->names;
            char name[OPTION_NAME];
            while (options_next_name(&names, name))
                if (options_find(families[i].table, name) != option)
                    fail_msg("%s: %s is there twice", families[i].list, name);
        }
}

static void the_document_is_what_the_tables_say(void **state)
{
    char *said = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&said, &bytes), *file = fopen("doc/options.md", "r");
    assert_non_null(stream);
    assert_non_null(file);
    options_write(stream);
    fclose(stream);
    char *document = calloc(1, bytes + 2);
    size_t read = fread(document, 1, bytes + 1, file);
    fclose(file);
    assert_int_equal(read, bytes);
    assert_string_equal(document, said);
    free(document);
    free(said);
}

/* Returns what a configuration says about left_out, as JSON; NULL: nothing. */
static char *left_out(const char *path)
{
    struct status status;
    struct checkpoint *checkpoint = checkpoint_open(path, &status);
    if (!checkpoint)
        fail_msg("%s: %s", path, status.message);
    json_t *config = json_loads(checkpoint->config->json, 0, NULL);
    json_t *list = json_object_get(config, "left_out");
    char *text = list ? json_dumps(list, JSON_COMPACT) : NULL;
    json_decref(config);
    checkpoint_close(checkpoint);
    return text;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static const char *const bart_files[] = {"config.json", "model.safetensors", "vocab.json"};
enum { BART_FILES = sizeof bart_files / sizeof *bart_files };

static void copy_bart(void)
{
    for (int i = 0; i < BART_FILES; i++) {
        char from[200];
        snprintf(from, sizeof from, "tests/golden/formats/hf-bart/%s", bart_files[i]);
        copy_file(from, bart_files[i]);
    }
}

static void remove_bart(void)
{
    unlink(path_of("generation_config.json"));
    unlink(path_of("tokenizer_config.json"));
    for (int i = 0; i < BART_FILES; i++)
        unlink(path_of(bart_files[i]));
}

/* Writes each text into a file of a BART's folder; expects what then is left out, NULL: nothing. */
static void expect_left_out(const char *file, const char *const cases[][2], size_t count)
{
    copy_bart();
    for (size_t i = 0; i < count; i++) {
        write_file(file, cases[i][0]);
        char *told = left_out(folder);
        if (!told != !cases[i][1] || (told && strcmp(told, cases[i][1]) != 0))
            fail_msg("%s: left out %s, expected %s", cases[i][0], told ? told : "nothing",
                     cases[i][1] ? cases[i][1] : "nothing");
        free(told);
    }
    remove_bart();
}

/* Values from the documentation of GenerationConfig: neutral ones are not reported. */
static void options_of_generation_that_are_left_out_are_told(void **state)
{
    static const char *const cases[][2] = {
        {"{}", NULL},
        {"{\"repetition_penalty\": 1.0, \"no_repeat_ngram_size\": 0, \"num_beam_groups\": 1, "
         "\"do_sample\": false, \"force_words_ids\": null, \"sequence_bias\": {}, "
         "\"guidance_scale\": null, \"temperature\": 0.5}",
         NULL},
        {"{\"repetition_penalty\": 1.25}", "[\"repetition_penalty 1.25\"]"},
        {"{\"no_repeat_ngram_size\": 3, \"encoder_no_repeat_ngram_size\": 2}",
         "[\"no_repeat_ngram_size 3\",\"encoder_no_repeat_ngram_size 2\"]"},
        {"{\"guidance_scale\": 0.5}", "[\"guidance_scale 0.5\"]"},
        {"{\"do_sample\": true}", "[\"do_sample true\"]"},
        {"{\"do_sample\": true, \"temperature\": 0.7, \"top_k\": 50, \"top_p\": 1.0, \"min_p\": "
         "null}",
         "[\"do_sample true\",\"temperature 0.7\",\"top_k 50\"]"},
        {"{\"do_sample\": false, \"temperature\": 0.7, \"top_k\": 50}", NULL},
        {"{\"begin_suppress_tokens\": [5, 6]}", "[\"begin_suppress_tokens [5, 6]\"]"},
        {"{\"num_beam_groups\": 2, \"diversity_penalty\": 0.5}",
         "[\"num_beam_groups 2\",\"diversity_penalty 0.5\"]"},
        {"{\"exponential_decay_length_penalty\": [4, 1.5]}",
         "[\"exponential_decay_length_penalty [4, 1.5]\"]"},
        {"{\"stop_strings\": \"\\u001B[2J\\n\"}", "[\"stop_strings \\\"\\\\u001B[2J\\\\n\\\"\"]"},
    };
    expect_left_out("generation_config.json", cases, sizeof cases / sizeof *cases);
}

/* What only Python tokenisers do; the folder has no tokenizer.json. */
static void options_of_the_tokeniser_are_told(void **state)
{
    static const char *const cases[][2] = {
        {"{\"add_prefix_space\": true}", "[\"add_prefix_space true\"]"},
        {"{\"add_prefix_space\": false, \"sp_model_kwargs\": {}, \"split_special_tokens\": false}",
         NULL},
        {"{\"sp_model_kwargs\": {\"nbest_size\": 5}}",
         "[\"sp_model_kwargs {\\\"nbest_size\\\": 5}\"]"},
        {"{\"split_special_tokens\": true}", "[\"split_special_tokens true\"]"},
    };
    expect_left_out("tokenizer_config.json", cases, sizeof cases / sizeof *cases);
}

/* T5's tokeniser of transformers 4.41.2 cuts "w1 </s> w2</s>w3" into ▁w1 </s> ▁w2 </s> ▁w3, as it
 * is cut here, and with legacy false into ▁w1 </s> ▁w2 </s> w3. */
static void newer_blanks_of_t5_are_told(void **state)
{
    static const char *const files[] = {"config.json", "model.safetensors", "spiece.model"};
    static const char *const cases[][2] = {
        {"{\"legacy\": false}", "[\"legacy false\"]"},
        {"{\"legacy\": true, \"add_prefix_space\": true}", NULL}};
    for (int i = 0; i < 3; i++) {
        char from[200];
        snprintf(from, sizeof from, "tests/golden/formats/hf-mt5/%s", files[i]);
        copy_file(from, files[i]);
    }
    for (int i = 0; i < 2; i++) {
        write_file("tokenizer_config.json", cases[i][0]);
        char *told = left_out(folder);
        if (!told != !cases[i][1] || (told && strcmp(told, cases[i][1]) != 0))
            fail_msg("%s: left out %s", cases[i][0], told ? told : "nothing");
        free(told);
    }
    unlink(path_of("tokenizer_config.json"));
    for (int i = 0; i < 3; i++)
        unlink(path_of(files[i]));
}

/* A token may be a text, or an object with how it is cut. */
static void tokens_of_the_tokeniser_are_texts_or_objects(void **state)
{
    static const char *const cases[] = {
        "{\"bos_token\": \"<unk>\"}",
        "{\"bos_token\": {\"content\": \"<unk>\", \"lstrip\": false, \"special\": true}}"};
    copy_bart();
    json_t *pieces = json_load_file(path_of("vocab.json"), 0, NULL);
    json_int_t expected = json_integer_value(json_object_get(pieces, "<unk>"));
    assert_true(expected > 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status status;
        write_file("tokenizer_config.json", cases[i]);
        struct checkpoint *checkpoint = checkpoint_open(folder, &status);
        assert_non_null(checkpoint);
        assert_int_equal(checkpoint->config->special[SPECIAL_BOS][SIDE_SOURCE], expected);
        checkpoint_close(checkpoint);
    }
    json_decref(pieces);
    remove_bart();
}

/* Every option of this kind is reported, with a value that is not neutral for any option. */
static void every_option_that_is_told_is_told(void **state)
{
    int count = 0;
    copy_bart();
    for (const struct toolkit_option *option = options_transformers.options; option->names;
         option++) {
        const char *names = option->names;
        char name[OPTION_NAME], text[200], expected[200];
        while (option->use == OPTION_TOLD && options_next_name(&names, name)) {
            const char *value = option->by_default ? "false" : "7.5";
            snprintf(text, sizeof text, "{\"%s\": %s}", name, value);
            snprintf(expected, sizeof expected, "[\"%s %s\"]", name, value);
            if (option->of) {
                snprintf(text, sizeof text, "{\"%s\": true, \"%s\": %s}", option->of, name, value);
                snprintf(expected, sizeof expected, "[\"%s true\",\"%s %s\"]", option->of, name,
                         value);
            }
            write_file("generation_config.json", text);
            char *told = left_out(folder);
            assert_non_null(told);
            assert_string_equal(told, expected);
            free(told);
            count++;
        }
    }
    remove_bart();
    assert_true(count > 20);
}

/* Copies a golden folder, with a line more in one of its files behind the first line that begins
 * so. */
static void copy_with(const char *golden, const char *const *files, const char *edited,
                      const char *behind, const char *line)
{
    char from[200], text[300];
    for (int i = 0; files[i]; i++) {
        snprintf(from, sizeof from, "tests/golden/formats/%s/%s", golden, files[i]);
        copy_file(from, files[i]);
    }
    snprintf(from, sizeof from, "tests/golden/formats/%s/%s", golden, edited);
    FILE *in = fopen(from, "r"), *out = fopen(path_of(edited), "w");
    assert_non_null(in);
    assert_non_null(out);
    bool found = false;
    while (fgets(text, sizeof text, in)) {
        fputs(text, out);
        if (!found && strncmp(text, behind, strlen(behind)) == 0) {
            fprintf(out, "%s\n", line);
            found = true;
        }
    }
    assert_true(found);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static void options_of_other_toolkits_are_told(void **state)
{
    static const char *const marian[] = {"decoder.yml", "opus.spm32k-spm32k.transformer.model1.npz",
                                         "opus.spm32k-spm32k.vocab.yml", NULL};
    static const char *const joeynmt[] = {"config.yaml", "best.ckpt", "src_vocab.txt",
                                          "trg_vocab.txt", NULL};
    static const struct {
        const char *golden;
        const char *const *files;
        const char *edited, *behind, *line, *told; // told NULL: nothing
    } cases[] = {
        {"marian-opus", marian, "decoder.yml", "beam-size", "output-sampling: [full, 1.5]",
         "[\"output-sampling [\\\"full\\\", 1.5]\"]"},
        {"marian-opus", marian, "decoder.yml", "beam-size", "skip-cost: false", NULL},
        {"joeynmt-pre", joeynmt, "config.yaml", "testing:", "  repetition_penalty: 1.5",
         "[\"repetition_penalty 1.5\"]"},
        {"joeynmt-pre", joeynmt, "config.yaml", "testing:", "  no_repeat_ngram_size: 3",
         "[\"no_repeat_ngram_size 3\"]"},
        {"joeynmt-pre", joeynmt, "config.yaml", "testing:", "  no_repeat_ngram_size: 1",
         "[\"no_repeat_ngram_size 1\"]"}, // its beam search has it from 1 on
        {"joeynmt-pre", joeynmt, "config.yaml", "testing:", "  no_repeat_ngram_size: -1", NULL},
        {"joeynmt-pre", joeynmt, "config.yaml", "testing:", "  repetition_penalty: -1", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        copy_with(cases[i].golden, cases[i].files, cases[i].edited, cases[i].behind, cases[i].line);
        char *told = left_out(folder);
        if (!told != !cases[i].told || (told && strcmp(told, cases[i].told) != 0))
            fail_msg("%s: left out %s, expected %s", cases[i].line, told ? told : "nothing",
                     cases[i].told ? cases[i].told : "nothing");
        free(told);
        for (int f = 0; cases[i].files[f]; f++)
            unlink(path_of(cases[i].files[f]));
    }
}

/* For a student in 8 or 16 bits (the type of its items); not for floats. */
static void rounded_activations_of_marian_are_told(void **state)
{
    static const char *const files[] = {"model.ende.intgemm.alphas.bin", "srcvocab.ende.spm",
                                        "trgvocab.ende.spm"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char from[200];
        snprintf(from, sizeof from, "tests/golden/formats/marian-student/%s", files[i]);
        copy_file(from, files[i]);
    }
    char *told = left_out(folder);
    assert_non_null(told);
    assert_string_equal(told, "[\"activations of 8 bits\"]");
    free(told);
    write_file("decoder.yml", "models: [model.ende.intgemm.alphas.bin]\nskip-cost: true\n");
    told = left_out(folder);
    assert_non_null(told);
    assert_string_equal(told, "[\"skip-cost true\",\"activations of 8 bits\"]");
    free(told);
    unlink(path_of("decoder.yml"));
    for (int i = 0; i < 3; i++)
        unlink(path_of(files[i]));
    assert_null(left_out("tests/golden/formats/marian-bin"));
}

static void options_that_are_rejected_are_named(void **state)
{
    struct status status;
    json_t *options = json_pack("{s{s[i]}}", "pruned_heads", "0", 1);
    assert_non_null(options);
    assert_false(options_check(&options_transformers, "config.json", options, &status));
    assert_string_equal(status.message,
                        "config.json: pruned_heads: {\"0\": [1]} is not supported, expected none");
    json_object_clear(json_object_get(options, "pruned_heads"));
    assert_true(options_check(&options_transformers, "config.json", options, &status));
    json_decref(options);
    options = json_pack("{sb}", "transformer-train-position-embeddings", 1);
    assert_false(options_check(&options_marian, "model.npz", options, &status));
    json_object_set_new(options, "transformer-train-position-embeddings", json_string("no"));
    assert_true(options_check(&options_marian, "model.npz", options, &status));
    json_decref(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_of_a_toolkit_is_in_its_table),
        cmocka_unit_test(no_option_is_twice_in_a_table),
        cmocka_unit_test(the_document_is_what_the_tables_say),
        cmocka_unit_test(options_of_generation_that_are_left_out_are_told),
        cmocka_unit_test(options_of_the_tokeniser_are_told),
        cmocka_unit_test(newer_blanks_of_t5_are_told),
        cmocka_unit_test(tokens_of_the_tokeniser_are_texts_or_objects),
        cmocka_unit_test(every_option_that_is_told_is_told),
        cmocka_unit_test(options_of_other_toolkits_are_told),
        cmocka_unit_test(rounded_activations_of_marian_are_told),
        cmocka_unit_test(options_that_are_rejected_are_named),
    };
    return cmocka_run_group_tests(tests, open_make_folder, open_remove_folder);
}
