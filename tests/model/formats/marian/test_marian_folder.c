/* Which files of a folder are the model of Marian, and how it is searched. */
#include "tests/model/formats/marian/marian_support.h"
#include "tests/support/test.h"

static void decoder_options_that_are_not_computed_are_refused(void **state)
{
    static const char ensemble[] = "models: [a.npz, b.npz]\n", penalty[] = "word-penalty: 0.5\n";
    copy_golden("marian-two-vocabularies", "vocab.en.yml", "vocab.en.yml");
    copy_golden("marian-two-vocabularies", "vocab.de.yml", "vocab.de.yml");
    copy_golden("marian-two-vocabularies", "model.npz", "a.npz");
    write_file("decoder.yml", penalty, strlen(penalty));
    assert_refused(marian_folder, "decoder.yml: word-penalty: not computed here");
    copy_golden("marian-two-vocabularies", "model.npz", "b.npz");
    write_file("decoder.yml", ensemble, strlen(ensemble));
    assert_refused(marian_folder, "decoder.yml: models: an ensemble is not computed here");
}

/* That its first file but configurations is FOLDER/NAME. */
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

/* Firefox gives all of its students the same options; translateLocally's have their own beside them. */
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

static void a_configuration_that_cannot_be_read_is_refused(void **state)
{
    size_t count;
    unsigned char *bytes = take_student(&count);
    write_file("model.ende.bin", bytes, count);
    write_text("config.intgemm8bitalpha.yml", "models: [model.ende.bin\n");
    assert_refused(marian_folder, "config.intgemm8bitalpha.yml: line 2");
    write_text("config.intgemm8bitalpha.yml", "models: [model.ende.bin, model.deen.bin]\n");
    assert_refused(marian_folder,
                   "config.intgemm8bitalpha.yml: models: an ensemble is not computed");
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
        TEST(students_are_searched_as_those_who_ship_them_do),
        TEST(a_configuration_that_cannot_be_read_is_refused),
        TEST(of_several_models_the_best_is_opened),
        TEST(the_model_is_the_one_that_decoder_yml_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
