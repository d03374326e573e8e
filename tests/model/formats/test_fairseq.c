/* Checkpoints of fairseq: where dictionaries may be, which languages and subword models they are
 * of. */
#include <sys/stat.h>
#include <unistd.h>

#include "model/checkpoint/checkpoint.h"
#include "tests/model/formats/open_support.h"
#include "tests/model/formats/torch_writer.h"
#include "tests/support/test.h"

/* Dictionaries --------------------------------------------------------------------------------- */

#define GOLDEN "tests/golden/formats/fairseq-args/"

/* The options name data-bin/corpus, which is the folder that training had. */
static void dictionaries_are_beside_the_checkpoint_or_in_the_folder_of_its_data(void **state)
{
    static const char *const folders[] = {"checkpoints",
                                          "checkpoints/data-bin",
                                          "checkpoints/data-bin/corpus",
                                          "checkpoints/corpus",
                                          "checkpoints/data",
                                          "checkpoints/bin",
                                          "checkpoints/final_bin",
                                          "data-bin",
                                          "data-bin/corpus",
                                          "data",
                                          "data/corpus",
                                          "final_bin",
                                          "corpus"};
    enum { FOLDERS = sizeof folders / sizeof *folders };
    for (int i = 0; i < FOLDERS; i++)
        assert_int_equal(mkdir(path_of(folders[i]), 0700), 0);
    copy_file(GOLDEN "checkpoint_best.pt", "checkpoints/checkpoint_best.pt");
    refused(path_of("checkpoints"), "dict.en.txt: missing beside it and in data-bin or data, "
                                    "expected the dictionary that fairseq-preprocess wrote");
    for (int i = 0; i < FOLDERS; i++) {
        char source[64], target[64];
        struct status status = {0};
        snprintf(source, sizeof source, "%s/dict.en.txt", folders[i]);
        snprintf(target, sizeof target, "%s/dict.de.txt", folders[i]);
        copy_file(GOLDEN "dict.en.txt", source);
        copy_file(GOLDEN "dict.de.txt", target);
        struct checkpoint *checkpoint =
            checkpoint_open(path_of("checkpoints/checkpoint_best.pt"), &status);
        if (!checkpoint)
            fail_msg("%s: %s", folders[i], status.message);
        assert_string_equal(checkpoint->contents->family, "fairseq");
        checkpoint_close(checkpoint);
        unlink(path_of(source));
        unlink(path_of(target));
    }
    unlink(path_of("checkpoints/checkpoint_best.pt"));
    for (int i = FOLDERS; i-- > 0;)
        assert_int_equal(rmdir(path_of(folders[i])), 0);
}

static void write_text(const char *name, const char *text)
{
    FILE *out = fopen(path_of(name), "wb");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void dictionaries_that_do_not_fit_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {"a 1\nb 2\n",
         "encoder.embed_tokens.weight: 20 rows, expected 6 (the symbols of dict.en.txt)"},
        {"a 1\nb\n", "dict.en.txt: line 2: expected a symbol and its count"},
        {"a 1\nb x\n", "dict.en.txt: line 2: expected a symbol and its count"},
        {"a 1\n 2\n", "dict.en.txt: piece 5: empty"},
        {"", "20 rows, expected 4"},
    };
    copy_file(GOLDEN "checkpoint_best.pt", "checkpoint_best.pt");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text("dict.en.txt", cases[i][0]);
        refused(folder, cases[i][1]);
    }
    unlink(path_of("checkpoint_best.pt"));
    unlink(path_of("dict.en.txt"));
}

/* Languages that were not saved ---------------------------------------------------------------- */

/* Replaces every `was` of a file in the folder by as many bytes. */
static void replace_in(const char *name, const char *was, const char *is)
{
    static char bytes[1 << 17];
    size_t length = strlen(was), size, replaced = 0;
    FILE *file = fopen(path_of(name), "r+b");
    assert_non_null(file);
    size = fread(bytes, 1, sizeof bytes, file);
    assert_int_equal(strlen(is), length);
    for (char *at = bytes; (at = memmem(at, size - (size_t)(at - bytes), was, length)); replaced++)
        memcpy(at, is, length);
    assert_true(replaced > 0);
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* A checkpoint from English to German that does not say so, with its dictionaries, which have as
 * many symbols as each other. Its data were in data-bin/corpus. */
static void write_silent(void)
{
    copy_file(GOLDEN "checkpoint_best.pt", "checkpoint_best.pt");
    copy_file(GOLDEN "dict.en.txt", "dict.en.txt");
    copy_file(GOLDEN "dict.de.txt", "dict.de.txt");
    replace_in("checkpoint_best.pt", "source_lang", "source_lanx");
    replace_in("checkpoint_best.pt", "target_lang", "target_lanx");
}

static void remove_files(const char *const *names)
{
    for (; *names; names++)
        unlink(path_of(*names));
}

static const char *const silent_files[] = {"checkpoint_best.pt", "dict.en.txt", "dict.de.txt",
                                           NULL};

static void check_pair(const char *source, const char *target)
{
    struct status status;
    struct checkpoint *checkpoint = checkpoint_open(folder, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    assert_string_equal(checkpoint->config->source_language, source);
    assert_string_equal(checkpoint->config->target_language, target);
    checkpoint_close(checkpoint);
}

static void languages_follow_from_the_names_of_files(void **state)
{
    static const char *const cases[][3] = {
        {"train.en-de.en.bin", "en", "de"},
        {"train.de-en.en.idx", "de", "en"},
        {"preprocess.de-en.log", "de", "en"},
    };
    write_silent();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(cases[i][0], "");
        check_pair(cases[i][1], cases[i][2]);
        unlink(path_of(cases[i][0]));
    }
    write_text("train.en-fr.en.bin", "");
    write_text("train.ende.en.bin", "");
    write_text(".de-en.en.bin", "");
    refused(folder, "checkpoint_best.pt: source_lang and target_lang: not saved, and 2 pairs of "
                    "the dictionaries in its folder fit its rows, expected a file "
                    "train.SOURCE-TARGET.* beside them");
    unlink(path_of("train.en-fr.en.bin"));
    unlink(path_of("train.ende.en.bin"));
    unlink(path_of(".de-en.en.bin"));
    remove_files(silent_files);
}

static void languages_follow_from_the_name_of_the_data(void **state)
{
    static const char *const cases[][3] = {
        {"data-bin//en-de", "en", "de"}, {"data/abc.de-en/", "de", "en"},
        {"data/wmt_de_en:", "de", "en"}, {"d/x.de-en.bpe9k", "de", "en"},
        {"e/it.de-en-fr/.", NULL, NULL}, {"data/abc.xde-en", NULL, NULL},
        {"data/abc-de-enx", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_silent();
        replace_in("checkpoint_best.pt", "data-bin/corpus", cases[i][0]);
        if (cases[i][1])
            check_pair(cases[i][1], cases[i][2]);
        else
            refused(folder, "not saved, and 2 pairs of the dictionaries");
    }
    write_text("train.en-de.en.bin", ""); // files say more than the folder's name
    check_pair("en", "de");
    unlink(path_of("train.en-de.en.bin"));
    remove_files(silent_files);
}

/* Writes a checkpoint that holds only embeddings; it is refused for its layers if its dictionaries
 * fit. */
static void write_embeddings(int64_t source, int64_t target)
{
    static const float zeros[8 * 8];
    static const char *const tables[] = {"encoder.embed_tokens.weight",
                                         "decoder.embed_tokens.weight"};
    struct stored_tensor data[2];
    struct torch_writer *writer = torch_writer_open();
    torch_begin_dict(writer);
    torch_text(writer, "args");
    torch_begin_namespace(writer);
    torch_text(writer, "arch"), torch_text(writer, "transformer");
    torch_end_namespace(writer);
    torch_text(writer, "model");
    torch_begin_dict(writer);
    for (int i = 0; i < 2; i++) {
        int64_t rows = i ? target : source;
        data[i] = (struct stored_tensor){.dtype = STORED_F32,
                                         .dtype_name = "F32",
                                         .dimensions = 2,
                                         .shape = {rows, 8},
                                         .elements = 8 * rows,
                                         .data = zeros,
                                         .bytes = 32 * (size_t)rows};
        torch_text(writer, tables[i]), torch_tensor_of(writer, &data[i]);
    }
    torch_end_dict(writer);
    torch_end_dict(writer);
    torch_writer_close(writer, path_of("model.pt"));
}

static void languages_follow_from_the_rows_of_the_embeddings(void **state)
{
    static const char *const files[] = {"model.pt", "dict.aa.txt", "dict.bb.txt", "dict.cc.txt",
                                        NULL};
    static const char fits[] = "encoder.layers.0.fc1.weight: missing";
    write_text("dict.aa.txt", "a 1\nb 1\n");
    write_text("dict.bb.txt", "a 1\nb 1\nc 1\n");
    write_embeddings(6, 7);
    refused(folder, fits);
    write_embeddings(7, 6);
    refused(folder, fits);
    write_embeddings(7, 8); // with a mask
    refused(folder, fits);
    write_embeddings(5, 7);
    refused(folder, "not saved, and no two of the dictionaries in its folder have its rows (5 and "
                    "7)");
    write_text("dict.cc.txt", "a 1");
    refused(folder, fits);
    write_text("dict.cc.txt", "a 1\nd 1\nb 1");
    write_embeddings(7, 7);
    refused(folder, "not saved, and 2 pairs of the dictionaries");
    unlink(path_of("dict.aa.txt"));
    unlink(path_of("dict.bb.txt"));
    refused(folder,
            "model.pt: dict.*.txt of two languages: missing beside it and in data-bin or data");
    remove_files(files);
}

/* Where subword models are --------------------------------------------------------------------- */

static void codes_are_beside_the_checkpoint_or_its_dictionaries(void **state)
{
    static const char *const names[] = {"bpecodes", "code", "bpe.code", "bpe.codes", "codes"};
    static const char *const folders[] = {"", "data/"};
    struct status status;
    assert_int_equal(mkdir(path_of("data"), 0700), 0);
    copy_file(GOLDEN "checkpoint_best.pt", "checkpoint_best.pt");
    copy_file(GOLDEN "dict.en.txt", "dict.en.txt");
    copy_file(GOLDEN "dict.de.txt", "dict.de.txt");
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s", folders[i % 2], names[i / 2]);
        write_text(name, "#version: 0.2\na b\n");
        struct checkpoint *checkpoint = checkpoint_open(folder, &status);
        if (!checkpoint)
            fail_msg("%s: %s", name, status.message);
        assert_int_equal(checkpoint->config->tokenizer[SIDE_SOURCE], TOKENIZER_BPE);
        checkpoint_close(checkpoint);
        unlink(path_of(name));
    }
    rmdir(path_of("data"));
    remove_files(silent_files);
}

/* They may be of another model. */
static void codes_beside_the_folder_are_left_alone(void **state)
{
    static const char *const names[] = {"checkpoint_best.pt", "dict.en.txt", "dict.de.txt"};
    struct status status;
    assert_int_equal(mkdir(path_of("model"), 0700), 0);
    for (int i = 0; i < 3; i++) {
        char from[64], to[64];
        snprintf(from, sizeof from, "%s%s", GOLDEN, names[i]);
        snprintf(to, sizeof to, "model/%s", names[i]);
        copy_file(from, to);
    }
    write_text("codes", "#version: 0.2\na b\n");
    struct checkpoint *checkpoint = checkpoint_open(path_of("model"), &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    assert_int_not_equal(checkpoint->config->tokenizer[SIDE_SOURCE], TOKENIZER_BPE);
    checkpoint_close(checkpoint);
    unlink(path_of("codes"));
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "model/%s", names[i]);
        unlink(path_of(name));
    }
    assert_int_equal(rmdir(path_of("model")), 0);
}

/* Tensors -------------------------------------------------------------------------------------- */

/* A tensor of the golden model under another name. */
static void tensors_that_nothing_takes_are_refused(void **state)
{
    static const char was[] = "encoder.version", is[] = "encoder.bias_kx";
    copy_file(GOLDEN "checkpoint_best.pt", "checkpoint_best.pt");
    copy_file(GOLDEN "dict.en.txt", "dict.en.txt");
    copy_file(GOLDEN "dict.de.txt", "dict.de.txt");
    FILE *file = fopen(path_of("checkpoint_best.pt"), "r+b");
    static char bytes[1 << 17];
    size_t count = fread(bytes, 1, sizeof bytes, file);
    char *at = memmem(bytes, count, was, sizeof was - 1);
    assert_non_null(at);
    fseek(file, at - bytes, SEEK_SET);
    fwrite(is, 1, sizeof is - 1, file);
    fclose(file);
    refused(folder, "encoder.bias_kx: is not supported (arch transformer), expected the "
                    "tensors of a Transformer");
    unlink(path_of("checkpoint_best.pt"));
    unlink(path_of("dict.en.txt"));
    unlink(path_of("dict.de.txt"));
}

/* Languages ------------------------------------------------------------------------------------ */

#define MULTILINGUAL "tests/golden/formats/fairseq-multilingual/"

/* Replaces the first `was` of the golden model by as many bytes. */
static void write_edited(const char *const (*edits)[2], int count)
{
    static const char *const dictionaries[] = {"dict.de.txt", "dict.en.txt", "dict.fr.txt"};
    for (int i = 0; i < 3; i++) {
        char from[100];
        snprintf(from, sizeof from, "%s%s", MULTILINGUAL, dictionaries[i]);
        copy_file(from, dictionaries[i]);
    }
    copy_file(MULTILINGUAL "checkpoint_best.pt", "checkpoint_best.pt");
    static char bytes[1 << 17];
    FILE *file = fopen(path_of("checkpoint_best.pt"), "r+b");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    for (int i = 0; i < count; i++) {
        size_t length = strlen(edits[i][0]);
        assert_int_equal(strlen(edits[i][1]), length);
        char *at = memmem(bytes, size, edits[i][0], length);
        assert_non_null(at);
        memcpy(at, edits[i][1], length);
    }
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void remove_edited(void)
{
    static const char *const names[] = {"dict.de.txt", "dict.en.txt", "dict.fr.txt",
                                        "checkpoint_best.pt"};
    for (int i = 0; i < 4; i++)
        unlink(path_of(names[i]));
}

static void check_ids(const struct id_list *is, const struct id_list *wanted)
{
    assert_int_equal(is->count, wanted->count);
    for (int i = 0; i < wanted->count; i++)
        assert_int_equal(is->ids[i], wanted->ids[i]);
}

static void check_tokens(const struct config *is, const struct config *wanted)
{
    check_ids(&is->prefix, &wanted->prefix);
    check_ids(&is->suffix, &wanted->suffix);
    check_ids(&is->start, &wanted->start);
    assert_int_equal(is->languages.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(is->languages.names[i], wanted->languages.names[i]);
        assert_memory_equal(is->languages.ids[i], wanted->languages.ids[i],
                            sizeof *is->languages.ids);
    }
}

/* The golden model says everything twice: its list of languages is that of its pairs, en-de and
 * en-fr, sorted by name, and its langtoks are its encoder_langtok and decoder_langtok. */
static void what_one_option_does_not_say_another_one_does(void **state)
{
    static const char *const edits[][2] = {
        {"langsq", "langzq"},
        {"langtoksq", "langtokzq"},
        {"encoder_langtokq", "encoder_langtozq"},
    };
    struct status status = {0};
    struct checkpoint *golden = checkpoint_open(MULTILINGUAL, &status);
    assert_non_null(golden);
    for (int i = 0; i < 3; i++) {
        write_edited(&edits[i], 1);
        struct checkpoint *checkpoint = checkpoint_open(folder, &status);
        if (!checkpoint)
            fail_msg("%s: %s", edits[i][1], status.message);
        check_tokens(checkpoint->config, golden->config);
        checkpoint_close(checkpoint);
        remove_edited();
    }
    checkpoint_close(golden);
}

/* Their tokens are in the order of the file, which is not that of the option langs. */
static void languages_are_those_of_the_file_that_lang_dict_names(void **state)
{
    static const char *const edits[][2] = {
        {"lang_dictq", "lang_dicxq"}, // is None
        {"criterionq", "lang_dictq"}, // is "cross_entropy"
    };
    struct status status = {0};
    write_edited(edits, 2);
    refused(folder, "cross_entropy: cannot be opened: ");
    write_text("cross_entropy", "fr\r\n\nen\nde\n");
    struct checkpoint *checkpoint = checkpoint_open(folder, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    const struct vocabulary *vocabulary = checkpoint->vocabulary[SIDE_SOURCE];
    const int first = vocabulary_find(vocabulary, "__fr__");
    assert_true(first >= 0);
    assert_int_equal(vocabulary_find(vocabulary, "__en__"), first + 1);
    assert_int_equal(vocabulary_find(vocabulary, "__de__"), first + 2);
    checkpoint_close(checkpoint);
    unlink(path_of("cross_entropy"));
    remove_edited();
}

/* The target's side has "__de_dae__" instead of "__de__". */
static void tokens_of_other_data_are_refused(void **state)
{
    static const char *const edit[][2] = {{"tgtq\xd9", "daeq\xd9"}};
    write_edited(edit, 1);
    refused(folder, "langtoks: dae is not supported, expected tgt");
    remove_edited();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dictionaries_are_beside_the_checkpoint_or_in_the_folder_of_its_data),
        cmocka_unit_test(dictionaries_that_do_not_fit_are_refused),
        cmocka_unit_test(languages_follow_from_the_names_of_files),
        cmocka_unit_test(languages_follow_from_the_name_of_the_data),
        cmocka_unit_test(languages_follow_from_the_rows_of_the_embeddings),
        cmocka_unit_test(codes_are_beside_the_checkpoint_or_its_dictionaries),
        cmocka_unit_test(codes_beside_the_folder_are_left_alone),
        cmocka_unit_test(tensors_that_nothing_takes_are_refused),
        cmocka_unit_test(what_one_option_does_not_say_another_one_does),
        cmocka_unit_test(languages_are_those_of_the_file_that_lang_dict_names),
        cmocka_unit_test(tokens_of_other_data_are_refused),
    };
    return cmocka_run_group_tests(tests, open_make_folder, open_remove_folder);
}
