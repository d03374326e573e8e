/* Which files of a folder are the model of Marian, and how it is searched. */
#include <unistd.h>

#include "tests/model/formats/marian/marian_support.h"
#include "tests/support/test.h"

static void decoder_options_that_are_not_computed_are_refused(void **state)
{
    static const char ensemble[] = "models: [a.npz, b.npz]\n", penalty[] = "word-penalty: 0.5\n";
    copy_golden("marian-two-vocabularies", "vocab.en.yml", "vocab.en.yml");
    copy_golden("marian-two-vocabularies", "vocab.de.yml", "vocab.de.yml");
    copy_golden("marian-two-vocabularies", "model.npz", "a.npz");
    write_file("decoder.yml", penalty, strlen(penalty));
    assert_refused(marian_folder, "decoder.yml: word-penalty: not supported");
    copy_golden("marian-two-vocabularies", "model.npz", "b.npz");
    write_file("decoder.yml", ensemble, strlen(ensemble));
    assert_refused(marian_folder, "decoder.yml: models: an ensemble is not supported");
}

/* Checks that its first file, apart from configurations, is FOLDER/NAME. */
static void assert_model_is(const char *name)
{
    struct checkpoint *checkpoint = open_folder();
    char path[512];
    bool found = false;
    path_in_folder(path, sizeof path, name);
    for (int i = 0; i < checkpoint->contents->file_count; i++)
        found |= strcmp(checkpoint->contents->files[i]->path, path) == 0;
    if (!found)
        fail_msg("%s, expected %s", checkpoint->contents->files[0]->path, name);
    checkpoint_close(checkpoint);
}

/* Firefox gives all of its students the same options; translateLocally's have their own options in
 * a file. */
static void students_are_searched_as_those_who_ship_them_do(void **state)
{
    static const struct {
        const char *file, *text;
        int beam;
        double alpha, factor;
    } cases[] = {
        {"catalog-entry.yml", "beam-size: 9\n", 1, 1, 2},
        {"config.yml", "models: [other.bin]\nbeam-size: 9\n", 1, 1, 2},
        {"config.intgemm8bitalpha.yml",
         "relative-paths: true\nmodels:\n  - model.ende.bin\nvocabs:\n  - srcvocab.ende.spm\n"
         "  - trgvocab.ende.spm\nshortlist:\n    - lex.50.50.ende.s2t.bin\n    - false\n"
         "beam-size: 4\nnormalize: 0.5\nword-penalty: 0\nmax-length-factor: 2.5\n",
         4, 0.5, 2.5},
        {"config.bergamot.yml", "models: [model.ende.bin]\n", 12, 0, 3},
        {"decoder.yml", "beam-size: 3\n", 3, 0, 3},
        {"model.ende.bin.decoder.yml", "beam-size: 5\n", 5, 0, 3},
    };
    size_t count;
    unsigned char *bytes = take_student(&count);
    write_file("model.ende.bin", bytes, count);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(cases[i].file, cases[i].text);
        struct checkpoint *checkpoint = open_folder();
        const struct config *config = checkpoint->config;
        assert_int_equal(config->search.beam, cases[i].beam);
        assert_int_equal(config->search.penalty,
                         cases[i].alpha != 0 ? PENALTY_AVERAGE : PENALTY_NONE);
        if (cases[i].alpha != 0)
            assert_float_equal(config->search.alpha, cases[i].alpha, 0);
        assert_float_equal(config->search.factor, cases[i].factor, 0);
        assert_int_equal(config->alignment.layer, 1);
        assert_int_equal(config->alignment.heads.count, 1);
        checkpoint_close(checkpoint);
        if (i != 1) // what names another model stays without effect
            remove_file(cases[i].file);
    }
    free(bytes);
}

/* One model of several that translate together gives other translations than Marian's. This is
 * reported, whether it is opened by its path or is the only one in the folder. */
static void one_model_of_an_ensemble_is_told(void **state)
{
    static const char *const files[] = {"b.npz", ""};
    char path[512];
    copy_golden("marian-two-vocabularies", "vocab.en.yml", "vocab.en.yml");
    copy_golden("marian-two-vocabularies", "vocab.de.yml", "vocab.de.yml");
    copy_golden("marian-two-vocabularies", "model.npz", "a.npz");
    copy_golden("marian-two-vocabularies", "model.npz", "b.npz");
    write_text("decoder.yml",
               "models: [/train/a.npz, /train/b.npz]\nvocabs: [vocab.en.yml, vocab.de.yml]\n");
    for (int i = 0; i < 2; i++) {
        struct status status;
        path_in_folder(path, sizeof path, files[i]);
        struct checkpoint *checkpoint = checkpoint_open(path, &status);
        if (!checkpoint)
            fail_msg("%s: %s", path, status.message);
        assert_non_null(checkpoint->config->left_out);
        assert_string_equal(checkpoint->config->left_out[0], "an ensemble of 2 models");
        assert_null(checkpoint->config->left_out[1]);
        checkpoint_close(checkpoint);
        remove_file("a.npz");
    }
}

/* Copies the golden student with another pair of letters in the names of its files. */
static void put_student(const char *pair)
{
    char model[64], source[64], target[64];
    snprintf(model, sizeof model, "model.%s.intgemm.alphas.bin", pair);
    snprintf(source, sizeof source, "srcvocab.%s.spm", pair);
    snprintf(target, sizeof target, "trgvocab.%s.spm", pair);
    copy_golden("marian-student", "model.ende.intgemm.alphas.bin", model);
    copy_golden("marian-student", "srcvocab.ende.spm", source);
    copy_golden("marian-student", "trgvocab.ende.spm", target);
}

static void assert_languages(const char *name, const char *source, const char *target)
{
    char path[512];
    struct status status;
    path_in_folder(path, sizeof path, name);
    struct checkpoint *checkpoint = checkpoint_open(path, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    if (strcmp(checkpoint->config->source_language, source) != 0 ||
        strcmp(checkpoint->config->target_language, target) != 0)
        fail_msg("%s: %s to %s, expected %s to %s", name, checkpoint->config->source_language,
                 checkpoint->config->target_language, source, target);
    checkpoint_close(checkpoint);
}

/* Names as Firefox's registry has them; model_info.json as translateLocally's models have it, of
 * earlier and later versions. */
static void languages_of_students_are_those_of_their_files(void **state)
{
    static const struct {
        const char *pair, *information, *source, *target;
    } cases[] = {
        {"enpt", NULL, "en", "pt"},
        {"eng-por", NULL, "eng", "por"},
        {"enpt", "{\"src\": \"English\", \"trg\": \"Portuguese\"}", "en", "pt"},
        {"enpt", "{\"srcTags\": {\"en-GB\": \"English\"}, \"trgTag\": \"pt-BR\"}", "en-GB",
         "pt-BR"},
        {"tiny11", "{\"src\": \"English\", \"trg\": \"Norwegian (Bokmal)\"}", "English",
         "Norwegian (Bokmal)"},
        {"tiny11", NULL, "source", "target"},
        {"tiny11", "{\"src\": \"English\"}", "source", "target"},
        {"tiny11", "{\"src\": \"English\", \"trg\": 7}", "source", "target"},
        {"tiny11", "[1]", "source", "target"},
        {"tiny11", "{\"src\": ", "source", "target"},
        {"tiny11", "{\"src\": \"English\", \"trg\": \"\\u001b[2J\"}", "source", "target"},
        {"tiny11", "{\"src\": \"English\", \"trg\": \"a\\nb\"}", "source", "target"},
        {"tiny11", "{\"src\": \"\", \"trg\": \"German\"}", "source", "target"},
        {"tiny11", "{\"src\": \"English\", \"trg\": \"\u202enamreG\"}", "source", "target"},
        {"tiny11",
         "{\"src\": \"English\", \"trg\": \"A name that is longer than any language has\"}",
         "source", "target"},
        {"tiny11", "{\"srcTags\": {\"en\": \"English\", \"de\": \"German\"}, \"trgTag\": \"pt\"}",
         "source", "target"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        remove_folder(state);
        make_folder(state);
        put_student(cases[i].pair);
        if (cases[i].information)
            write_text("model_info.json", cases[i].information);
        assert_languages("", cases[i].source, cases[i].target);
    }
}

/* "model.best.bin" is a name for any languages, unless a vocabulary has the same letters. */
static void letters_in_one_name_are_no_languages(void **state)
{
    put_student("ende");
    copy_golden("marian-student", "model.ende.intgemm.alphas.bin", "model.best.bin");
    remove_file("model.ende.intgemm.alphas.bin");
    assert_languages("", "source", "target");
}

/* translateLocally's folder, where its model_info.json names none. */
static void languages_are_those_of_the_folder(void **state)
{
    static const struct {
        const char *folder, *source, *target;
    } cases[] = {{"enpt-1693087644", "en", "pt"},      {"ende.student.tiny11", "en", "de"},
                 {"en-de-tiny", "en", "de"},           {"tiny11", "source", "target"},
                 {"student.ende", "source", "target"}, {"en-", "source", "target"}};
    char path[512];
    put_student("tiny11");
    for (int named = 1; named >= 0; named--) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            path_in_folder(path, sizeof path, cases[i].folder);
            unlink(path);
            assert_int_equal(symlink(".", path), 0);
            if (named)
                write_text("model_info.json", "{\"type\": \"tiny\"}");
            assert_languages(cases[i].folder, named ? cases[i].source : "source",
                             named ? cases[i].target : "target");
        }
        remove_file("model_info.json");
    }
}

static void a_configuration_that_cannot_be_read_is_refused(void **state)
{
    size_t count;
    unsigned char *bytes = take_student(&count);
    write_file("model.ende.bin", bytes, count);
    write_text("config.intgemm8bitalpha.yml", "models: [model.ende.bin\n");
    assert_refused(marian_folder, "config.intgemm8bitalpha.yml: line 2");
    write_text("config.intgemm8bitalpha.yml", "models: [model.ende.bin, model.deen.bin]\n");
    assert_refused(marian_folder,
                   "config.intgemm8bitalpha.yml: models: an ensemble is not supported");
    free(bytes);
}

/* Steps that each add what comes before all that was there. */
static void of_several_models_the_best_is_opened(void **state)
{
    static const char *const files[] = {
        "model.npz",
        "model.npz.best-cross-entropy.npz",
        "model.npz.best-ce-mean-words.npz",
        "model.npz.best-valid-script.npz",
        "model.npz.best-translation.npz",
        "model.npz.best-bleu.npz",
        "model.npz.best-bleu-detok.npz",
        "model.npz.best-chrf.npz",
    };
    copy_golden("marian-two-vocabularies", "vocab.en.yml", "vocab.src.yml");
    copy_golden("marian-two-vocabularies", "vocab.de.yml", "vocab.trg.yml");
    copy_golden("marian-two-vocabularies", "model.npz", "model.iter10000.npz");
    copy_golden("marian-two-vocabularies", "model.npz", "model.iter20000.npz");
    copy_golden("marian-two-vocabularies", "model.npz", "model.npz.optimizer.npz");
    assert_refused(marian_folder, "2 models of Marian in this folder (model.iter10000.npz, "
                                  "model.iter20000.npz), expected the path of one");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        copy_golden("marian-two-vocabularies", "model.npz", files[i]);
        write_text("model.npz.decoder.yml", "models: [model.npz]\n");
        assert_model_is(files[i]);
    }
    write_text("config.yml", "models: [/train/model.iter10000.npz]\n");
    assert_model_is("model.iter10000.npz");
    write_text("decoder.yml", "models: [model.iter20000.npz]\n");
    assert_model_is("model.iter20000.npz");
}

static void the_model_is_the_one_that_decoder_yml_names(void **state)
{
    static const char decoder[] = "models: [/train/b.npz]\nvocabs: [x/vocab.en.yml, vocab.de.yml]\n"
                                  "beam-size: 7\n";
    char path[512];
    copy_golden("marian-two-vocabularies", "vocab.en.yml", "vocab.en.yml");
    copy_golden("marian-two-vocabularies", "vocab.de.yml", "vocab.de.yml");
    copy_golden("marian-two-vocabularies", "model.npz", "a.npz");
    copy_golden("marian-two-vocabularies", "model.npz", "b.npz");
    assert_refused(marian_folder, "2 models of Marian in this folder");
    write_file("decoder.yml", decoder, strlen(decoder));
    struct checkpoint *checkpoint = open_folder();
    assert_int_equal(checkpoint->config->search.beam, 7);
    assert_non_null(strstr(checkpoint->contents->files[1]->path, "/b.npz"));
    checkpoint_close(checkpoint);
    path_in_folder(path, sizeof path, "a.npz");
    assert_opens(path);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(decoder_options_that_are_not_computed_are_refused),
        TEST(one_model_of_an_ensemble_is_told),
        TEST(languages_of_students_are_those_of_their_files),
        TEST(letters_in_one_name_are_no_languages),
        TEST(languages_are_those_of_the_folder),
        TEST(students_are_searched_as_those_who_ship_them_do),
        TEST(a_configuration_that_cannot_be_read_is_refused),
        TEST(of_several_models_the_best_is_opened),
        TEST(the_model_is_the_one_that_decoder_yml_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
