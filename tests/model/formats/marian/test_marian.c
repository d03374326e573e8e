/* Anything in a Marian model that cannot be computed is refused by the name that its users know.
 * The numbers are compared in tests/model/net/test_golden.c. */
#include "tests/model/formats/marian/marian_support.h"
#include "tests/support/test.h"

/* model.bin of the golden model with `from` of its options replaced by `to`, as long. */
static void write_with_options(const char *from, const char *to)
{
    char path[512];
    size_t count;
    assert_int_equal(strlen(from), strlen(to));
    snprintf(path, sizeof path, "%s/marian-bin/model.bin", golden);
    unsigned char *bytes = read_file(path, &count);
    unsigned char *found = memmem(bytes, count, from, strlen(from));
    if (!found)
        fail_msg("%s: not in the options", from);
    memcpy(found, to, strlen(to));
    write_file("model.bin", bytes, count);
    free(bytes);
}

static void options_that_are_not_computed_are_refused_by_name(void **state)
{
    static const char *const cases[][3] = {
        {"type: transformer", "type: s2s        ", "type: s2s is not supported"},
        {"autoreg: self-attention", "autoreg: average-attent", "average-attent is not supported"},
        {"activation: relu", "activation: prel", "transformer-ffn-activation: prel"},
        {"ffn-depth: 2", "ffn-depth: 3", "transformer-ffn-depth: 3 is not supported"},
        {"postprocess: da", "postprocess: dh", "highway connections (h)"},
        {"postprocess: da", "postprocess: dr", "root mean square normalisation (r)"},
        {"preprocess: n", "preprocess: d", "expected only dan, or n with da"},
        {"postprocess-top: n", "postprocess-top: h", "transformer-postprocess-top: h"},
        {"postprocess-emb: d", "postprocess-emb: a", "transformer-postprocess-emb: a"},
        {"enc-depth: 1", "enc-depth: 2", "encoder_l2_self_Wq: missing"},
        {"dec-depth: 2", "dec-depth: 0", "dec-depth: expected 1 to 1024 layers"},
        {"dim-emb: 12", "dim-emb: 24", "a width other than dim-emb"},
        {"transformer-dim-ffn", "transformer-dim-ff:", "ffn.in.weight"},
        {"type: transformer", "type: [ransformer", "special:model.yml: line"},
    };
    copy_golden("marian-bin", "vocab.ende.spm", "vocab.ende.spm");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_with_options(cases[i][0], cases[i][1]);
        assert_refused(marian_folder, cases[i][2]);
    }
    write_with_options("dim-emb", "dim-emb");
    assert_opens(marian_folder);
}

static void a_vocabulary_has_to_be_there_and_to_fit(void **state)
{
    static const char factors[] = "vocabs: [vocab.fsv, vocab.fsv]\n";
    copy_golden("marian-two-vocabularies", "model.npz", "model.npz");
    assert_refused(marian_folder, "no vocabulary of the source in this folder");
    copy_golden("marian-two-vocabularies", "vocab.en.yml", "vocab.yml");
    assert_refused(marian_folder, "embeddings of two sizes with one vocabulary");
    write_file("vocab.fsv", "", 0);
    write_file("decoder.yml", factors, strlen(factors));
    assert_refused(marian_folder, "vocab.fsv: factored vocabularies are not supported");
    remove_file("decoder.yml");
    remove_file("vocab.fsv");
    copy_golden("marian-two-vocabularies", "vocab.en.yml", "vocab.src.yml");
    write_file("vocab.trg.yml", "a: 0\nb: 1\n", strlen("a: 0\nb: 1\n"));
    remove_file("vocab.yml");
    assert_refused(marian_folder, "vocab.trg.yml: </s>: missing");
}

/* One piece a line, whatever its bytes are. */
static void a_zero_byte_in_a_list_of_pieces_is_refused(void **state)
{
    static const char decoder[] = "vocabs: [source.vocab, target.vocab]\n";
    static const char pieces[] = "</s>\n<unk>\na\0b\n";
    copy_golden("marian-two-vocabularies", "model.npz", "model.npz");
    write_file("decoder.yml", decoder, strlen(decoder));
    write_file("source.vocab", pieces, sizeof pieces - 1);
    write_file("target.vocab", pieces, sizeof pieces - 1);
    assert_refused(marian_folder, "source.vocab: piece 2: a zero byte, expected text in one line");
}

/* Returns the layer, from 0, whose first head aligns; -1: none does. */
static int64_t alignment_layer(void)
{
    struct checkpoint *checkpoint = open_folder();
    json_t *config = json_loads(checkpoint->config->json, 0, NULL);
    json_t *alignment = json_object_get(config, "alignment");
    int64_t layer = -1;
    if (alignment) {
        layer = json_integer_value(json_object_get(alignment, "layer"));
        const json_t *heads = json_object_get(alignment, "heads");
        assert_int_equal(json_array_size(heads), 1);
        assert_int_equal(json_integer_value(json_array_get(heads, 0)), 0);
    }
    json_decref(config);
    checkpoint_close(checkpoint);
    return layer;
}

static void write_alignment_layer(const char layer[5])
{
    static const char option[] = "transformer-guided-alignment-layer: ";
    size_t count, at = 0;
    unsigned char *bytes =
        read_file("tests/golden/formats/marian-two-vocabularies/model.npz", &count);
    while (at < count && memcmp(bytes + at, option, strlen(option)) != 0)
        at++;
    assert_true(at + strlen(option) + 4 < count);
    memcpy(bytes + at + strlen(option), layer, 4);
    write_file("model.npz", bytes, count);
    free(bytes);
}

/* The first head of the last layer, where training or decoder.yml asks for alignments, or of the
 * layer that training names. */
static void alignment_is_that_of_the_first_head(void **state)
{
    static const char decoder[] = "alignment: soft\n";
    copy_golden("marian-two-vocabularies", "vocab.en.yml", "vocab.src.yml");
    copy_golden("marian-two-vocabularies", "vocab.de.yml", "vocab.trg.yml");
    copy_golden("marian-two-vocabularies", "model.npz", "model.npz");
    assert_int_equal(alignment_layer(), -1);
    write_alignment_layer("   1");
    assert_int_equal(alignment_layer(), 0);
    write_alignment_layer("   2");
    assert_int_equal(alignment_layer(), 1);
    write_alignment_layer("   3"); // there is none
    assert_int_equal(alignment_layer(), -1);
    write_file("decoder.yml", decoder, strlen(decoder));
    assert_int_equal(alignment_layer(), 1);
    write_alignment_layer("last");
    assert_int_equal(alignment_layer(), 1);
}

/* Pieces such as >>deu<< are the target languages; decoder.yml may allow what translations lack
 * otherwise. */
static void languages_and_excluded_pieces_are_found(void **state)
{
    static const char source[] = "</s>: 0\n<unk>: 1\n'>>deu<<': 2\n'>>fra<<': 3\n'>>x': 4\na: 5\n";
    static const char target[] = "</s>: 0\nb: 1\n<0x0A>: 4\n<unk>: 7\n";
    struct status status;
    copy_golden("marian-two-vocabularies", "model.npz", "model.npz");
    write_file("vocab.src.yml", source, strlen(source));
    write_file("vocab.trg.yml", target, strlen(target));
    struct checkpoint *checkpoint = checkpoint_open(marian_folder, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    json_t *config = json_loads(checkpoint->config->json, 0, NULL);
    json_t *excluded = json_object_get(json_object_get(config, "search"), "excluded");
    assert_int_equal(json_object_size(json_object_get(config, "languages")), 2);
    assert_string_equal(checkpoint->config->target_language, "deu");
    assert_int_equal(json_array_size(excluded), 2);
    assert_int_equal(json_integer_value(json_array_get(excluded, 0)), 7);
    assert_int_equal(json_integer_value(json_array_get(excluded, 1)), 4);
    assert_int_equal(checkpoint->config->special[SPECIAL_UNK][SIDE_SOURCE], 1);
    json_decref(config);
    checkpoint_close(checkpoint);
}

/* Marian writes and reads pieces of any bytes. */
static void pieces_of_any_bytes_are_shown(void **state)
{
    static const char yaml[] = "</s>: 0\n<unk>: 1\n\"\xC1"
                               "a\": 2\n\"\xC2"
                               "a\": 3\n\"\x01\": 4\n\"\xEF\xBF\xBE\": 5\n";
    static const char *const shown[] = {"</s>",
                                        "<unk>",
                                        "\xEF\xBF\xBD"
                                        "a",
                                        "\xEF\xBF\xBD"
                                        "a",
                                        "\x01",
                                        "\xEF\xBF\xBE"};
    struct status status;
    copy_golden("marian-two-vocabularies", "model.npz", "model.npz");
    write_file("vocab.src.yml", yaml, strlen(yaml));
    write_file("vocab.trg.yml", yaml, strlen(yaml));
    struct checkpoint *checkpoint = checkpoint_open(marian_folder, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    for (int side = 0; side < 2; side++)
        for (int id = 0; id < 6; id++)
            assert_string_equal(vocabulary_piece(checkpoint->vocabulary[side], id), shown[id]);
    checkpoint_close(checkpoint);
}

/* On Windows, too. */
static void lines_of_a_vocabulary_end_without_their_carriage_return(void **state)
{
    static const char decoder[] = "models: [model.npz]\nvocabs: [source.txt, target.txt]\n";
    static const char text[] = "</s>\r\n<unk>\r\na\n\r\r\nb\r";
    struct status status;
    copy_golden("marian-two-vocabularies", "model.npz", "model.npz");
    write_file("source.txt", text, strlen(text));
    write_file("target.txt", text, strlen(text));
    write_file("decoder.yml", decoder, strlen(decoder));
    struct checkpoint *checkpoint = checkpoint_open(marian_folder, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    const struct vocabulary *vocabulary = checkpoint->vocabulary[SIDE_SOURCE];
    static const char *const pieces[] = {"</s>", "<unk>", "a", "\r", "b"};
    for (int i = 0; i < 5; i++)
        assert_string_equal(vocabulary_piece(vocabulary, i), pieces[i]);
    assert_int_equal(checkpoint->config->special[SPECIAL_EOS][SIDE_SOURCE], 0);
    checkpoint_close(checkpoint);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(options_that_are_not_computed_are_refused_by_name),
        TEST(a_vocabulary_has_to_be_there_and_to_fit),
        TEST(a_zero_byte_in_a_list_of_pieces_is_refused),
        TEST(alignment_is_that_of_the_first_head),
        TEST(languages_and_excluded_pieces_are_found),
        TEST(pieces_of_any_bytes_are_shown),
        TEST(lines_of_a_vocabulary_end_without_their_carriage_return),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
