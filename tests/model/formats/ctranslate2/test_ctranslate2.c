/* CTranslate2 folders that tests write from golden ones. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "model/checkpoint/checkpoint.h"
#include "model/formats/ctranslate2/reader.h"
#include "model/formats/model_words.h"
#include "model/net/sentence.h"
#include "tests/model/formats/ctranslate2/ct2_support.h"
#include "tests/model/formats/open_support.h"
#include "tests/support/test.h"

#define GOLDEN "tests/golden/formats/"

/* The shared vocabulary of a golden folder, one piece a line; `odd` in the place of piece 5, of so
 * many bytes. */
static void write_lines(const char *from, const char *name, const char *odd, size_t bytes)
{
    char *text = NULL;
    size_t size = 0, index;
    FILE *out = open_memstream(&text, &size);
    json_t *pieces = json_load_file(from, 0, NULL), *piece;
    assert_non_null(pieces);
    json_array_foreach(pieces, index, piece)
    {
        fwrite(index == 5 ? odd : json_string_value(piece), 1,
               index == 5 ? bytes : json_string_length(piece), out);
        putc('\n', out);
    }
    assert_int_equal(fclose(out), 0);
    write_bytes(name, text, size);
    json_decref(pieces);
    free(text);
}

static void check_piece(int side, int id, const char *expected)
{
    struct status status = {0};
    struct checkpoint *checkpoint = checkpoint_open(folder, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    assert_string_equal(vocabulary_piece(checkpoint->vocabulary[side], id), expected);
    checkpoint_close(checkpoint);
}

/* CTranslate2 takes lines of any bytes for pieces. They are text here: U+FFFD stands for what is no
 * UTF-8, and a piece that cannot be a line of text is called by its number. */
static void pieces_of_any_bytes_are_shown(void **state)
{
    static const char vocabulary[] = GOLDEN "ct2-bart/shared_vocabulary.json";
    static const struct {
        const char *piece;
        size_t bytes;
        const char *shown;
    } pieces[] = {{"a\0b", 3, "<id 5>"},
                  {"\0", 1, "<id 5>"},
                  {"", 0, "<id 5>"},
                  {"\xC3\xA9\xC3", 3, "\xC3\xA9\xEF\xBF\xBD"},
                  {"\xFF\xFE@@", 4, "\xEF\xBF\xBD\xEF\xBF\xBD@@"},
                  {"\xED\xA0\x80", 3, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"}};
    copy_file(GOLDEN "ct2-bart/model.bin", "model.bin");
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        write_lines(vocabulary, "shared_vocabulary.txt", pieces[i].piece, pieces[i].bytes);
        check_piece(SIDE_SOURCE, 5, pieces[i].shown);
        unlink(path_of("shared_vocabulary.txt"));
        write_lines(vocabulary, "source_vocabulary.txt", "a", 1);
        write_lines(vocabulary, "target_vocabulary.txt", pieces[i].piece, pieces[i].bytes);
        check_piece(SIDE_TARGET, 5, pieces[i].shown);
        unlink(path_of("source_vocabulary.txt"));
        unlink(path_of("target_vocabulary.txt"));
    }
    unlink(path_of("model.bin"));
}

/* A copy of a golden folder of an older version. */
static void copy_old(const char *golden)
{
    char from[256];
    static const char *const files[] = {"model.bin", "shared_vocabulary.txt"};
    for (int i = 0; i < 2; i++) {
        snprintf(from, sizeof from, GOLDEN "%s/%s", golden, files[i]);
        copy_file(from, files[i]);
    }
}

/* Writes bytes into the copy, `offset` behind the place of others that it has. */
static void write_behind(const void *others, size_t count, size_t offset, const void *bytes,
                         size_t written)
{
    static char all[1 << 16];
    FILE *file = fopen(path_of("model.bin"), "r+b");
    assert_non_null(file);
    size_t size = fread(all, 1, sizeof all, file);
    const char *at = memmem(all, size, others, count);
    assert_non_null(at);
    assert_int_equal(fseek(file, at - all + (long)offset, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, written, file), written);
    assert_int_equal(fclose(file), 0);
}

/* In the copy, sets the value of a variable of one byte, which gets another name of the same
 * length. */
static void set_variable(const char *name, const char *named, signed char value)
{
    enum { RANK_TYPE_SIZE = 1 + 1 + 4 };
    size_t length = strlen(name) + 1;
    assert_int_equal(strlen(named) + 1, length);
    write_behind(name, length, length + RANK_TYPE_SIZE, &value, 1);
    write_behind(name, length, 0, named, length);
}

static void remove_old(void)
{
    unlink(path_of("model.bin"));
    unlink(path_of("shared_vocabulary.txt"));
}

/* As in models from OpenNMT-py and from fairseq, whose translations begin with end-of-sentence. */
static void flags_of_older_versions_say_what_is_put_around_sentences(void **state)
{
    copy_old("ct2-version4");
    check_part("source", "{\"prefix\": [], \"suffix\": []}");
    check_part("target", "{\"start\": [2]}");
    set_variable("with_source_eos", "with_source_eos", 1);
    set_variable("with_source_bos", "with_target_bos", 0);
    check_part("source", "{\"prefix\": [], \"suffix\": [3]}");
    check_part("target", "{\"start\": [3]}");
    set_variable("with_target_bos", "with_target_bos", 1);
    check_part("target", "{\"start\": [2]}");
    set_variable("with_target_bos", "with_source_bos", 1);
    check_part("source", "{\"prefix\": [2], \"suffix\": [3]}");
    remove_old();
}

/* Writes the vocabulary with a carriage return at the end of every line except the first
 * `without`. */
static void write_returns(const char *from, int without)
{
    FILE *in = fopen(from, "r"), *out = fopen(path_of("shared_vocabulary.txt"), "w");
    char line[100];
    assert_true(in && out);
    for (int i = 0; fgets(line, sizeof line, in); i++)
        fprintf(out, "%.*s%s\n", (int)strcspn(line, "\n"), line, i < without ? "" : "\r");
    assert_int_equal(fclose(in), 0);
    assert_int_equal(fclose(out), 0);
}

/* By the rules of src/vocabulary.cc. */
static void lines_end_without_a_return_where_all_have_one(void **state)
{
    for (int without = 0; without < 2; without++) {
        struct status status = {0};
        copy_old("ct2-version4");
        write_returns(GOLDEN "ct2-version4/shared_vocabulary.txt", without);
        if (without) {
            refused(folder, "</s> is not a piece of the target");
        } else {
            struct checkpoint *checkpoint = checkpoint_open(folder, &status);
            if (!checkpoint)
                fail_msg("%s", status.message);
            assert_null(strchr(vocabulary_piece(checkpoint->vocabulary[SIDE_SOURCE], 7), '\r'));
            checkpoint_close(checkpoint);
        }
        remove_old();
    }
}

static void settings_of_older_versions_are_checked(void **state)
{
    copy_old("ct2-version4");
    set_variable("num_heads", "num_heads", 0);
    refused(folder, "model.bin: num_heads: missing or out of range, expected 1 to 1024");
    set_variable("num_heads", "num_heads", -4);
    refused(folder, "model.bin: num_heads: missing or out of range, expected 1 to 1024");
    set_variable("num_heads", "num_headz", 4);
    refused(folder, "model.bin: num_heads: missing or out of range, expected 1 to 1024");
    copy_old("ct2-marian-version5");
    set_variable("user_decoder_start_tokens", "user_decoder_start_tokens", 1);
    refused(folder, "translations begin with tokens that CTranslate2's users give");
    copy_old("ct2-marian-version5");
    write_behind("<unk>", 5, 2, "\0", 1);
    refused(folder, "model.bin: unk_token: not a piece, expected its text");
    copy_old("ct2-marian-version5");
    set_variable("activation", "activatiom", 2);
    refused(folder, "model.bin: activatiom: is not supported");
    remove_old();
}

/* As copied by ct2-transformers-converter with --copy_files. */
static void a_tokenizer_that_was_copied_is_used(void **state)
{
    struct status status = {0};
    copy_old("ct2-version4");
    copy_file("tests/golden/text/toolkits/plain.json", "tokenizer.json");
    check_tokenizer(folder, "tokenizer_json", strrchr(folder, '/') + 1);
    write_bytes("tokenizer.json", "{}", 2);
    check_tokenizer(folder, "whitespace", strrchr(folder, '/') + 1);
    struct checkpoint *checkpoint = checkpoint_open(folder, &status);
    assert_non_null(checkpoint);
    assert_non_null(strstr(checkpoint->contents->notice, "tokenizer.json: "));
    checkpoint_close(checkpoint);
    unlink(path_of("tokenizer.json"));
    copy_file("tests/golden/text/toolkits/merges.txt", "merges.txt");
    check_tokenizer(folder, "byte_bpe", strrchr(folder, '/') + 1);
    copy_file("tests/golden/text/unigram.model", "spiece.model");
    check_tokenizer(folder, "sentencepiece", strrchr(folder, '/') + 1);
    unlink(path_of("merges.txt"));
    unlink(path_of("spiece.model"));
    remove_old();
}

/* As transformers 4.57.6 splits the same text with the same SentencePiece model: mBART's class
 * knows languages and the mask, that of XLM-R the mask, and T5's only the special tokens of
 * files. */
static void tokens_of_the_class_are_split_off(void **state)
{
    static const struct {
        const char *configuration, *pieces;
    } cases[] = {
        {"{\"tokenizer_class\": \"MBartTokenizer\"}", "▁a de_DE </s> ▁b <mask> </s> en_XX"},
        {"{\"tokenizer_class\": \"XLMRobertaTokenizer\"}",
         "▁a ▁de _ D E </s> ▁b <mask> </s> en_XX"},
        {"{\"tokenizer_class\": \"T5Tokenizer\"}", "▁a ▁de _ D E </s> ▁b ▁ < ma s k > </s> en_XX"},
    };
    static const char *const names[] = {"config.json", "model.bin", "shared_vocabulary.json"};
    for (size_t i = 0; i < 3; i++) {
        char from[100];
        snprintf(from, sizeof from, "tests/golden/formats/ct2-mbart/%s", names[i]);
        copy_file(from, names[i]);
    }
    copy_file("tests/golden/text/unigram.model", "sentencepiece.bpe.model");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status status;
        struct sentence sentence = {0};
        char pieces[200] = "";
        write_bytes("tokenizer_config.json", cases[i].configuration,
                    strlen(cases[i].configuration));
        struct checkpoint *checkpoint = checkpoint_open(folder, &status);
        if (!checkpoint ||
            !sentence_encode(checkpoint, "a de_DE </s> b <mask>", &sentence, &status))
            fail_msg("%s", status.message);
        for (int k = 0; k < sentence.count; k++)
            snprintf(pieces + strlen(pieces), sizeof pieces - strlen(pieces), "%s%s", k ? " " : "",
                     sentence.pieces.text[k]);
        assert_string_equal(pieces, cases[i].pieces);
        sentence_free(&sentence);
        checkpoint_close(checkpoint);
    }
    unlink(path_of("tokenizer_config.json"));
    unlink(path_of("sentencepiece.bpe.model"));
    for (size_t i = 0; i < 3; i++)
        unlink(path_of(names[i]));
}

/* CTranslate2's max_decoding_length, 256 unless it is set, counts a target prefix: the language
 * that it is given. */
static void a_given_language_is_one_of_the_tokens(void **state)
{
    static const struct {
        const char *name;
        int given;
    } folders[] = {{"ct2-m2m100-int8", 1}, {"ct2-mbart", 0}, {"ct2-marian", 0}};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct status status;
        char path[100];
        snprintf(path, sizeof path, GOLDEN "%s", folders[i].name);
        struct checkpoint *checkpoint = checkpoint_open(path, &status);
        if (!checkpoint)
            fail_msg("%s", status.message);
        assert_int_equal(checkpoint->config->search.plus, 256 - folders[i].given);
        assert_int_equal(checkpoint->config->search.offset, folders[i].given);
        checkpoint_close(checkpoint);
    }
}

static void check_padding(const char *path, int source, int target)
{
    struct status status;
    struct checkpoint *checkpoint = checkpoint_open(path, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    assert_int_equal(checkpoint->config->special[SPECIAL_PAD][SIDE_SOURCE], source);
    assert_int_equal(checkpoint->config->special[SPECIAL_PAD][SIDE_TARGET], target);
    checkpoint_close(checkpoint);
}

/* T5's padding is its first piece, OpenNMT-py's second is <blank>. Without one, a source has the
 * unknown token in its place, a target the token that it begins with. */
static void padding_is_that_of_each_vocabulary(void **state)
{
    enum { FIRST_PIECE = 4 };
    static const char *const files[] = {"model.bin", "config.json", "source_vocabulary.json",
                                        "target_vocabulary.json"};
    check_padding(GOLDEN "ct2-t5", 0, 0);
    check_padding(GOLDEN "ct2-version4", 1, 1);
    check_padding(GOLDEN "ct2-marian-two-vocabularies", 20, 39);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[200];
        snprintf(path, sizeof path, GOLDEN "ct2-marian-two-vocabularies/%s", files[i]);
        copy_file(path, files[i]);
    }
    FILE *vocabulary = fopen(path_of("source_vocabulary.json"), "r+");
    assert_true(vocabulary && fseek(vocabulary, FIRST_PIECE, SEEK_SET) == 0);
    assert_true(fputs("<pad>", vocabulary) >= 0 && fclose(vocabulary) == 0);
    check_padding(folder, 0, 39);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(path_of(files[i]));
}

struct number {
    const char *name;
    float value;
    const char *expected;
};

/* Divisors, factors and limits must be numbers above 0. */
static void numbers_that_are_none_are_refused(void **state)
{
    enum { RANK_TYPE_SIZE = 1 + 1 + 4 };
    static const struct number numbers[] = {
        {"encoder/layer_0/self_attention/queries_scale", 0, "not a factor, expected a number"},
        {"decoder/layer_0/attention/queries_scale", -1, "not a factor, expected a number above 0"},
        {"encoder/layer_1/self_attention/queries_scale", NAN, "not a factor, expected a number"},
        {"encoder/layer_1/self_attention/queries_scale", 2, "differs between modules"},
        {"decoder/scale_outputs", -1, "decoder/scale_outputs: not a factor, expected a number"},
        {"decoder/scale_outputs", INFINITY, "decoder/scale_outputs: not a factor"},
        {"decoder/scale_outputs", NAN, "decoder/scale_outputs: not a factor"},
        {"encoder/layer_0/self_attention/relative_attention_max_distance", NAN,
         "not a distance, expected at least 1"},
        {"encoder/layer_0/self_attention/relative_attention_max_distance", -1e30F,
         "not a distance, expected at least 1"},
    };
    copy_file(GOLDEN "ct2-t5/config.json", "config.json");
    copy_file(GOLDEN "ct2-t5/shared_vocabulary.json", "shared_vocabulary.json");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        size_t length = strlen(numbers[i].name) + 1;
        copy_file(GOLDEN "ct2-t5/model.bin", "model.bin");
        write_behind(numbers[i].name, length, length + RANK_TYPE_SIZE, &numbers[i].value, 4);
        write_behind(numbers[i].name, length, length + 1, "", 1); // float32
        refused(folder, numbers[i].expected);
    }
    unlink(path_of("model.bin"));
    unlink(path_of("config.json"));
    unlink(path_of("shared_vocabulary.json"));
}

/* The first version has no specification: a count, and the first variable. */
static void a_file_of_the_first_version_that_ends_early_is_refused(void **state)
{
    static const char first[] = "\1\0\0\0\1\0\0\0\2\0a";
    write_bytes("model.bin", first, sizeof first);
    refused(folder, "model.bin: the file ends in the middle of a variable");
    unlink(path_of("model.bin"));
}

/* Names as converted by map_v1_variable_name in CTranslate2's src/models/transformer.cc. */
static void names_of_opennmt_tf_become_those_of_the_specification(void **state)
{
    static const char *const names[][2] = {
        {"transformer/encoder/w_embs:0", "encoder/embeddings/weight"},
        {"transformer/encoder/layer_11/multi_head/conv1d_1/kernel:0_scale",
         "encoder/layer_11/self_attention/linear_1/weight_scale"},
        {"transformer/decoder/layer_0/masked_multi_head/LayerNorm/gamma:0",
         "decoder/layer_0/self_attention/layer_norm/gamma"},
        {"transformer/decoder/layer_0/multi_head/conv1d_2/bias:0",
         "decoder/layer_0/attention/linear_2/bias"},
        {"transformer/decoder/layer_0/ffn/conv1d/kernel:0", "decoder/layer_0/ffn/linear_0/weight"},
        {"transformer/decoder/dense/kernel:0", "decoder/projection/weight"},
        {"kernel/kernel", "weight/kernel"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct status status = {0};
        char *name = strdup(names[i][0]);
        assert_non_null(name);
        assert_true(ct2_rename_old(&name, &status));
        assert_string_equal(name, names[i][1]);
        free(name);
    }
}

/* The first lines of a golden folder's shared vocabulary, as a vocabulary of another name. */
static void write_first_lines(const char *name, int lines)
{
    FILE *in = fopen(GOLDEN "ct2-version1/shared_vocabulary.txt", "r");
    FILE *out = fopen(path_of(name), "w");
    char line[100];
    assert_true(in && out);
    for (int i = 0; i < lines && fgets(line, sizeof line, in); i++)
        fputs(line, out);
    assert_int_equal(fclose(in), 0);
    assert_int_equal(fclose(out), 0);
}

static void check_last_piece(int side, int id, const char *piece)
{
    struct status status = {0};
    struct checkpoint *checkpoint = checkpoint_open(folder, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    assert_int_equal(vocabulary_size(checkpoint->vocabulary[side]), id + 1);
    assert_string_equal(vocabulary_piece(checkpoint->vocabulary[side], id), piece);
    assert_int_equal(checkpoint->config->special[SPECIAL_UNK][side], id);
    checkpoint_close(checkpoint);
}

/* CTranslate2's src/vocabulary.cc appends it to each vocabulary that does not have it. Models of
 * several vocabularies for the source number them. */
static void the_unknown_token_is_appended_where_it_is_missing(void **state)
{
    enum { LAST = 39 };
    copy_file(GOLDEN "ct2-version1/model.bin", "model.bin");
    write_first_lines("target_vocabulary.txt", LAST);
    refused(folder, "source_vocabulary.json: missing, as is shared_vocabulary.json");
    write_first_lines("source_1_vocabulary.txt", LAST);
    check_last_piece(SIDE_SOURCE, LAST, "<unk>");
    check_last_piece(SIDE_TARGET, LAST, "<unk>");
    write_first_lines("source_1_vocabulary.txt", LAST - 1);
    refused(folder, "model.bin: encoder/embeddings/weight: 40 rows, expected 39, those of the voc");
    write_first_lines("source_2_vocabulary.txt", LAST);
    refused(folder, "source_2_vocabulary.txt: features of source words are not supported");
    unlink(path_of("source_1_vocabulary.txt"));
    unlink(path_of("source_2_vocabulary.txt"));
    unlink(path_of("target_vocabulary.txt"));
    unlink(path_of("model.bin"));
}

/* As in clones without Git LFS, whose folders no family recognises. */
static void weights_that_were_not_downloaded_are_named(void **state)
{
    static const char pointer[] = "version https://git-lfs.github.com/spec/v1\nsize 12\n";
    static const char *const names[] = {"model.bin", "model.npz", "best.ckpt", "model.pt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char expected[100];
        snprintf(expected, sizeof expected, "%s: a pointer of Git LFS, whose file", names[i]);
        write_bytes(names[i], pointer, sizeof pointer - 1);
        refused(folder, expected);
        refused(path_of(names[i]), "a pointer of Git LFS");
        unlink(path_of(names[i]));
    }
    copy_old("ct2-version4");
    write_bytes("shared_vocabulary.txt", pointer, sizeof pointer - 1);
    refused(folder, "shared_vocabulary.txt: a pointer of Git LFS");
    write_bytes("shared_vocabulary.txt", "a\0\n\0b\0\n\0", 8);
    refused(folder, "shared_vocabulary.txt: text in UTF-16");
    remove_old();
}

/* -1000 is -1.953125 times two to the ninth. */
static void a_value_is_put_in_each_type_of_float(void **state)
{
    uint16_t halves[3] = {0};
    float floats[3] = {0};
    stored_put(floats, STORED_F32, 1, -1000);
    assert_true(floats[0] == 0 && floats[1] == -1000 && floats[2] == 0);
    stored_put(halves, STORED_F16, 1, -1000);
    assert_true(halves[0] == 0 && halves[1] == 0xe3d0 && halves[2] == 0);
    stored_put(halves, STORED_BF16, 2, -1000);
    assert_true(halves[1] == 0xe3d0 && halves[2] == 0xc47a);
    stored_put(halves, STORED_F16, 0, 1.5F);
    assert_int_equal(halves[0], 0x3e00);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_any_bytes_are_shown),
        cmocka_unit_test(flags_of_older_versions_say_what_is_put_around_sentences),
        cmocka_unit_test(lines_end_without_a_return_where_all_have_one),
        cmocka_unit_test(settings_of_older_versions_are_checked),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(a_file_of_the_first_version_that_ends_early_is_refused),
        cmocka_unit_test(names_of_opennmt_tf_become_those_of_the_specification),
        cmocka_unit_test(the_unknown_token_is_appended_where_it_is_missing),
        cmocka_unit_test(a_tokenizer_that_was_copied_is_used),
        cmocka_unit_test(tokens_of_the_class_are_split_off),
        cmocka_unit_test(a_given_language_is_one_of_the_tokens),
        cmocka_unit_test(padding_is_that_of_each_vocabulary),
        cmocka_unit_test(weights_that_were_not_downloaded_are_named),
        cmocka_unit_test(a_value_is_put_in_each_type_of_float),
    };
    return cmocka_run_group_tests(tests, open_make_folder, open_remove_folder);
}
