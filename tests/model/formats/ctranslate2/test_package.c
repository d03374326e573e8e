/* Packages of Argos Translate. */
#include <sys/stat.h>
#include <unistd.h>

#include "model/checkpoint/checkpoint.h"
#include "tests/model/formats/ctranslate2/ct2_support.h"
#include "tests/model/formats/open_support.h"
#include "tests/support/test.h"

#define GOLDEN "tests/golden/formats/"

/* As in Argos Translate's packages: the model has its own folder, and the subword model is above
 * it. */
static void a_package_has_its_subword_model_above_the_folder(void **state)
{
    assert_int_equal(mkdir(path_of("model"), 0700), 0);
    copy_file(GOLDEN "ct2-version4/model.bin", "model/model.bin");
    copy_file(GOLDEN "ct2-version4/shared_vocabulary.txt", "model/shared_vocabulary.txt");
    copy_file("tests/golden/text/unigram.model", "sentencepiece.model");
    check_tokenizer(path_of("model"), "whitespace", "model"); // it may be any other folder's
    refused(folder, "no model in this folder");
    write_bytes("metadata.json", "{}", 2);
    check_tokenizer(path_of("model"), "sentencepiece", "model");
    check_tokenizer(path_of("model/model.bin"), "sentencepiece", "model");
    check_tokenizer(folder, "sentencepiece", strrchr(folder, '/') + 1);
    write_bytes("sentencepiece.model", "no model", 8);
    refused(folder, "tokenizer.shared: not a SentencePiece model");
    unlink(path_of("sentencepiece.model"));
    check_tokenizer(folder, "whitespace", strrchr(folder, '/') + 1);
    unlink(path_of("metadata.json"));
    unlink(path_of("model/model.bin"));
    unlink(path_of("model/shared_vocabulary.txt"));
    assert_int_equal(rmdir(path_of("model")), 0);
}

/* The options of argostranslate 1.11.1's call of translate_batch, and what it does before and
 * after. A model without metadata.json is searched with CTranslate2's defaults. */
static void check_package(int beam, double alpha, const char *left_out)
{
    struct status status = {0};
    char text[200] = "";
    struct checkpoint *checkpoint = checkpoint_open(path_of("model"), &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    const struct config *config = checkpoint->config;
    assert_int_equal(config->search.beam, beam);
    assert_float_equal(config->search.alpha, alpha, 0);
    for (char **told = config->left_out; told && *told; told++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "", *told);
    assert_string_equal(text, left_out);
    checkpoint_close(checkpoint);
}

static void a_package_is_searched_as_argos_translate_does(void **state)
{
    static const char codes[] = "#version: 0.2\nl e</w>\n";
    assert_int_equal(mkdir(path_of("model"), 0700), 0);
    copy_file(GOLDEN "ct2-version4/model.bin", "model/model.bin");
    copy_file(GOLDEN "ct2-version4/shared_vocabulary.txt", "model/shared_vocabulary.txt");
    check_package(2, 1, "");
    write_bytes("metadata.json", "{}", 2);
    check_package(4, 0.2, "replace_unknowns true, cutting into sentences");
    write_bytes("bpe.model", codes, sizeof codes - 1);
    check_package(4, 0.2,
                  "replace_unknowns true, cutting into sentences, normalisation of punctuation");
    copy_file("tests/golden/text/unigram.model", "sentencepiece.model");
    check_package(4, 0.2,
                  "replace_unknowns true, cutting into sentences, blanks for underscores in "
                  "translations");
    unlink(path_of("sentencepiece.model"));
    unlink(path_of("bpe.model"));
    unlink(path_of("metadata.json"));
    unlink(path_of("model/model.bin"));
    unlink(path_of("model/shared_vocabulary.txt"));
    assert_int_equal(rmdir(path_of("model")), 0);
}

/* Packages of before SentencePiece have merge codes of subword-nmt, and Moses' tokeniser before
 * them; they name the languages, which that tokeniser needs, and perhaps a token that translations
 * begin with. */
static void a_package_tells_its_languages_and_prefix(void **state)
{
    static const char about[] =
        "{\"from_code\": \"fr\", \"to_code\": \"it\", \"target_prefix\": \"\xE2\x96\x81w3\"}";
    static const char unknown[] = "{\"target_prefix\": \"__pt__\"}";
    static const char codes[] = "#version: 0.2\nl e</w>\n";
    struct status status = {0};
    assert_int_equal(mkdir(path_of("model"), 0700), 0);
    copy_file(GOLDEN "ct2-version4/model.bin", "model/model.bin");
    copy_file(GOLDEN "ct2-version4/shared_vocabulary.txt", "model/shared_vocabulary.txt");
    write_bytes("metadata.json", about, sizeof about - 1);
    write_bytes("bpe.model", codes, sizeof codes - 1);
    check_tokenizer(folder, "bpe", strrchr(folder, '/') + 1);
    check_part("target", "{\"start\": [2, 7]}");
    struct checkpoint *checkpoint = checkpoint_open(folder, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    assert_string_equal(checkpoint->config->source_language, "fr");
    assert_string_equal(checkpoint->config->target_language, "it");
    assert_true(checkpoint->config->moses);
    checkpoint_close(checkpoint);
    write_bytes("metadata.json", unknown, sizeof unknown - 1);
    check_part("target", "{\"start\": [2, 0]}"); // <unk>, as CTranslate2 takes it
    write_bytes("metadata.json", "[", 1);
    refused(folder, "../metadata.json: line 1: ");
    unlink(path_of("bpe.model"));
    unlink(path_of("metadata.json"));
    unlink(path_of("model/model.bin"));
    unlink(path_of("model/shared_vocabulary.txt"));
    assert_int_equal(rmdir(path_of("model")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_package_has_its_subword_model_above_the_folder),
        cmocka_unit_test(a_package_is_searched_as_argos_translate_does),
        cmocka_unit_test(a_package_tells_its_languages_and_prefix),
    };
    return cmocka_run_group_tests(tests, open_make_folder, open_remove_folder);
}
