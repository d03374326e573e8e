#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/checkpoint/digests.h"
#include "model/net/sentence.h"
#include "tests/model/checkpoint/checkpoint_support.h"
#include "tests/support/test.h"

#define ENC0 "encoder.layers.0.self_attention."
#define ENC1 "encoder.layers.1.self_attention."

/* True for a single line without raw control characters, in three parts of which the first is
 * `where`. */
static bool is_clear(const char *message, const char *where)
{
    size_t length = strlen(where);
    if (strncmp(message, where, length) != 0 || strncmp(message + length, ": ", 2) != 0)
        return false;
    for (const char *at = message; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F ||
            ((unsigned char)at[0] == 0xC2 && (unsigned char)at[1] < 0xA0))
            return false;
    return strstr(message, "expected") != NULL;
}

static void malformed_checkpoints_are_refused_by_name(void **state)
{
    const char *path = checkpoint_case_path();
    int failed = 0;
    for (int i = 0; i < checkpoint_malformed_count(); i++) {
        const struct checkpoint_case *each = checkpoint_malformed(i);
        struct status status = {STATUS_OK, ""};
        checkpoint_case_write(each->edits, path);
        struct checkpoint *checkpoint = checkpoint_open(path, &status);
        bool good =
            !checkpoint && is_clear(status.message, path) && strstr(status.message, each->expected);
        checkpoint_close(checkpoint);
        if (good)
            continue;
        failed++;
        fprintf(stderr, "case %d: %s\n  wanted: %s\n", i, checkpoint ? "loaded" : status.message,
                each->expected);
        checkpoint_case_print(each->edits);
    }
    assert_int_equal(failed, 0);
}

/* Names of a group are written out: the table shows what each option of the configuration does to
 * the file. */
static const struct checkpoint_case valid[] = {
    {.edits = {{EDIT_NONE, NULL, NULL}}},

    /* The format. */
    {{{HEADER_SWAP, "{", "{ "}}, NULL}, // no tensor is aligned any more
    {{{HEADER_SWAP, "{", "{  "}}, NULL},
    {{{HEADER_SWAP, "]}}", "]}}      "}}, NULL},
    {{{HEADER_DELETE, "source_embedding.weight", NULL}, // not in the order of the data
      {HEADER_SET, "source_embedding.weight",
       "{\"dtype\": \"F32\", \"shape\": [6, 8], \"data_offsets\": [0, 192]}"}},
     NULL},
    {{{METADATA_SET, "format", "\"pt\""}}, NULL},
    {{{TENSOR_DTYPE, "source_embedding.weight", "F16"},
      {TENSOR_DTYPE, "output.bias", "BF16"},
      {TENSOR_DTYPE, ENC0 "q.weight", "F16"},
      {TENSOR_DTYPE, ENC0 "k.weight", "BF16"},
      {TENSOR_DTYPE, "decoder.layers.1.self_attention.dhicm.w", "BF16"},
      {TENSOR_DTYPE, "decoder.norm.bias", "F16"}},
     NULL},

    /* Keys that may be absent, or have two forms. */
    {{{CONFIG_DELETE, "attention/0/layers", NULL},
      {CONFIG_DELETE, "attention/0/context/gate", NULL},
      {CONFIG_DELETE, "attention/0/context/sides", NULL},
      {CONFIG_DELETE, "attention/2/heads/0/mask", NULL},
      {CONFIG_DELETE, "attention/2/heads/1/unit", NULL},
      {CONFIG_DELETE, "positions/encoder/offset", NULL},
      {CONFIG_DELETE, "tied/target_embedding", NULL},
      {CONFIG_DELETE, "tokenizer/pretokenizer", NULL},
      {CONFIG_DELETE, "tokenizer/lowercase", NULL}},
     NULL},
    {{{CONFIG_SET, "special/pad", "{\"source\": 5, \"target\": 4}"},
      {CONFIG_SET, "special/unk", "3"},
      {CONFIG_SET, "source/prefix", "[]"},
      {CONFIG_SET, "source/suffix", "[]"},
      {CONFIG_SET, "target/start", "[0, 4, 2]"},
      {CONFIG_SET, "target/prefix", "[4]"}},
     NULL},
    {{{CONFIG_SET, "search/length_penalty", "{\"kind\": \"none\"}"},
      {CONFIG_SET, "search/max_length", "{\"factor\": 0, \"plus\": 256}"},
      {CONFIG_SET, "norm_eps", "1"},
      {CONFIG_SET, "embedding_scale", "1"}},
     NULL},
    {{{CONFIG_DELETE, "positions/decoder/layout", NULL}}, NULL},
    {{{CONFIG_SET, "tokenizer/pretokenizer", "\"moses\""},
      {CONFIG_SET, "tokenizer/lowercase", "true"}},
     NULL},
    {{{CONFIG_SET, "attention/0/layers", "[1, 0, 1]"}}, NULL},

    /* Tensors that may be absent. */
    {{{TENSOR_DELETE, "output.bias", NULL},
      {TENSOR_DELETE, ENC0 "q.bias", NULL},
      {TENSOR_DELETE, ENC0 "k.bias", NULL},
      {TENSOR_DELETE, "encoder.layers.0.ffn.in.bias", NULL},
      {TENSOR_DELETE, "decoder.layers.1.ffn.out.bias", NULL},
      {TENSOR_DELETE, ENC1 "v.bias", NULL},
      {TENSOR_DELETE, ENC1 "o.bias", NULL},
      {TENSOR_DELETE, ENC1 "context.gate_q.bias", NULL}},
     NULL},
    {{{TENSOR_SHAPE, "decoder.layers.0.self_attention.q.bias", "[8]"},
      {TENSOR_SHAPE, ENC0 "context.gate_k.bias", "[1]"}},
     NULL},

    /* Vocabularies and tokenisers. */
    {{{TENSOR_TEXT, "vocab.source", "a\na\n</s>\na\n\xe2\x96\x81\nf"}}, NULL}, // duplicates
    {{{CONFIG_SET, "tokenizer/kind", "\"whitespace\""},
      {TENSOR_DELETE, "tokenizer.source", NULL},
      {TENSOR_DELETE, "tokenizer.target", NULL}},
     NULL},
    {{{TENSOR_DELETE, "vocab.source", NULL},
      {TENSOR_DELETE, "vocab.target", NULL},
      {TENSOR_TEXT, "vocab.shared", "a\nb\n</s>\nd\ne"},
      {TENSOR_SHAPE, "source_embedding.weight", "[5, 8]"},
      {TENSOR_DELETE, "tokenizer.source", NULL},
      {TENSOR_DELETE, "tokenizer.target", NULL},
      {TENSOR_TEXT, "tokenizer.shared", "#version: 0.2\na b</w>\n"},
      {CONFIG_SET, "tied/output", "\"source_embedding\""}},
     NULL},

    /* Options of the configuration. */
    {{{CONFIG_SET, "tied",
       "{\"target_embedding\": \"source_embedding\","
       " \"output\": \"target_embedding\"}"},
      {TENSOR_DELETE, "target_embedding.weight", NULL},
      {TENSOR_TEXT, "vocab.target", "a\nb\n</s>\nd\ne\nf\n"},
      {TENSOR_SHAPE, "output.bias", "[6]"}},
     NULL},
    {{{CONFIG_SET, "tied", "{}"}, {TENSOR_SHAPE, "output.weight", "[5, 8]"}}, NULL},
    {{{CONFIG_SET, "positions/encoder", "{\"kind\": \"learned\", \"offset\": 2}"},
      {TENSOR_SHAPE, "encoder.positions.weight", "[12, 8]"},
      {CONFIG_SET, "positions/decoder", "{\"kind\": \"none\"}"},
      {TENSOR_DELETE, "decoder.positions.weight", NULL}},
     NULL},
    {{{CONFIG_SET, "positions/encoder/layout", "\"halves_fairseq\""}}, NULL},
    {{{CONFIG_SET, "norm", "\"post\""},
      {TENSOR_DELETE, "encoder.norm.weight", NULL},
      {TENSOR_DELETE, "encoder.norm.bias", NULL},
      {TENSOR_DELETE, "decoder.norm.weight", NULL},
      {TENSOR_DELETE, "decoder.norm.bias", NULL}},
     NULL},
    {{{CONFIG_SET, "norm", "{\"encoder\": \"post\", \"decoder\": \"pre\"}"},
      {CONFIG_SET, "last_norm", "false"},
      {TENSOR_DELETE, "encoder.norm.weight", NULL},
      {TENSOR_DELETE, "encoder.norm.bias", NULL},
      {TENSOR_DELETE, "decoder.norm.weight", NULL},
      {TENSOR_DELETE, "decoder.norm.bias", NULL}},
     NULL},
    {{{CONFIG_SET, "attention/0/context/gate", "\"none\""},
      {TENSOR_DELETE, ENC0 "context.gate_q.state", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_q.context", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_q.bias", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_k.state", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_k.context", NULL},
      {TENSOR_DELETE, ENC1 "context.gate_q.state", NULL},
      {TENSOR_DELETE, ENC1 "context.gate_q.context", NULL},
      {TENSOR_DELETE, ENC1 "context.gate_q.bias", NULL},
      {TENSOR_DELETE, ENC1 "context.gate_k.state", NULL},
      {TENSOR_DELETE, ENC1 "context.gate_k.context", NULL}},
     NULL},
    {{{CONFIG_SET, "attention/0/context/gate", "\"head\""},
      {TENSOR_SHAPE, ENC0 "context.gate_q.state", "[4]"},
      {TENSOR_SHAPE, ENC0 "context.gate_q.context", "[4]"},
      {TENSOR_SHAPE, ENC0 "context.gate_k.state", "[4]"},
      {TENSOR_SHAPE, ENC0 "context.gate_k.context", "[4]"},
      {TENSOR_SHAPE, ENC1 "context.gate_q.state", "[4]"},
      {TENSOR_SHAPE, ENC1 "context.gate_q.context", "[4]"},
      {TENSOR_SHAPE, ENC1 "context.gate_k.state", "[4]"},
      {TENSOR_SHAPE, ENC1 "context.gate_k.context", "[4]"}},
     NULL},
    {{{CONFIG_SET, "attention/0/context/sides", "\"k\""},
      {TENSOR_DELETE, ENC0 "context.deep_global.q", NULL},
      {TENSOR_DELETE, ENC1 "context.deep_global.q", NULL},
      {TENSOR_DELETE, ENC1 "context.deep.q", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_q.state", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_q.context", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_q.bias", NULL},
      {TENSOR_DELETE, ENC1 "context.gate_q.state", NULL},
      {TENSOR_DELETE, ENC1 "context.gate_q.context", NULL},
      {TENSOR_DELETE, ENC1 "context.gate_q.bias", NULL}},
     NULL},
    /* Deep context is empty in the first layer, which becomes a plain one. */
    {{{CONFIG_SET, "attention/0/context/vectors", "[\"deep\"]"},
      {TENSOR_DELETE, ENC0 "context.deep_global.q", NULL},
      {TENSOR_DELETE, ENC0 "context.deep_global.k", NULL},
      {TENSOR_DELETE, ENC1 "context.deep_global.q", NULL},
      {TENSOR_DELETE, ENC1 "context.deep_global.k", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_q.state", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_q.context", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_q.bias", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_k.state", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_k.context", NULL}},
     NULL},
    {{{CONFIG_SET, "attention/3",
       "{\"stack\": \"encoder\", \"kind\": \"self\", \"layers\": [0], \"context\": null}"},
      {TENSOR_DELETE, ENC0 "context.deep_global.q", NULL},
      {TENSOR_DELETE, ENC0 "context.deep_global.k", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_q.state", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_q.context", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_q.bias", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_k.state", NULL},
      {TENSOR_DELETE, ENC0 "context.gate_k.context", NULL}},
     NULL},
    {{{CONFIG_SET, "attention/0/heads/0/mask", "\"backward\""}}, NULL}, // of a fixed head
    {{{CONFIG_SET, "attention/2/context", "null"}}, NULL},              // in cross-attention
};

static void every_mixture_of_head_settings_loads(void **state)
{
    const char *path = checkpoint_case_path();
    int failed = 0;
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
        struct status status = {STATUS_OK, ""};
        checkpoint_case_write(valid[i].edits, path);
        struct checkpoint *checkpoint = checkpoint_open(path, &status);
        checkpoint_close(checkpoint);
        if (checkpoint)
            continue;
        failed++;
        fprintf(stderr, "case %zu: %s\n", i, status.message);
        checkpoint_case_print(valid[i].edits);
    }
    assert_int_equal(failed, 0);
}

static struct checkpoint *open_case(const struct edit *edits)
{
    struct status status;
    checkpoint_case_write(edits, checkpoint_case_path());
    struct checkpoint *checkpoint = checkpoint_open(checkpoint_case_path(), &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    return checkpoint;
}

static void the_base_holds_what_was_written(void **state)
{
    struct checkpoint *checkpoint = open_case(NULL);
    const struct stored_tensor *weight =
        checkpoint_tensor(checkpoint, "%s.layers.%d.ffn.%s.weight", "encoder", 1, "in");
    assert_non_null(weight);
    assert_int_equal(weight->dimensions, 2);
    assert_int_equal(weight->shape[0], 12);
    assert_int_equal(weight->shape[1], 8);
    assert_int_equal(weight->elements, 96);
    assert_int_equal(weight->bytes, 384);
    assert_null(checkpoint_tensor(checkpoint, "decoder.layers.0.self_attention.q.bias"));

    /* Embeddings and output 48 + 40 + 5; positions 88; final norms 32; an encoder layer 32 + 212 of
     * norms and ffn, 356 of attention and, in layer 0, 128 + 33 of context, in layer 1, 384 + 33; a
     * decoder layer 48 + 212, self-attention 200, its combination 64 or 48 + 96, cross-attention
     * 216. */
    assert_int_equal(checkpoint->parameters,
                     93 + 88 + 32 + 2 * (244 + 356) + 161 + 417 + 2 * (260 + 200 + 216) + 64 + 144);
    assert_int_equal(vocabulary_size(checkpoint->vocabulary[SIDE_SOURCE]), 6);
    assert_int_equal(vocabulary_size(checkpoint->vocabulary[SIDE_TARGET]), 5);
    assert_string_equal(vocabulary_piece(checkpoint->vocabulary[SIDE_TARGET], 4), "b");
    assert_ptr_not_equal(checkpoint->tokenizer[SIDE_SOURCE], checkpoint->tokenizer[SIDE_TARGET]);
    checkpoint_close(checkpoint);
}

static void a_shared_vocabulary_is_opened_once(void **state)
{
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
        if (valid[i].edits[2].kind != TENSOR_TEXT)
            continue;
        struct checkpoint *checkpoint = open_case(valid[i].edits);
        assert_ptr_equal(checkpoint->vocabulary[SIDE_SOURCE], checkpoint->vocabulary[SIDE_TARGET]);
        assert_ptr_equal(checkpoint->tokenizer[SIDE_SOURCE], checkpoint->tokenizer[SIDE_TARGET]);
        checkpoint_close(checkpoint);
        return;
    }
    fail();
}

/* Moses' rules differ by language. */
static void a_shared_tokenizer_follows_the_language_of_its_side(void **state)
{
    static const struct edit edits[CASE_EDITS] = {
        {CONFIG_SET, "tokenizer/pretokenizer", "\"moses\""},
        {TENSOR_DELETE, "tokenizer.source", NULL},
        {TENSOR_DELETE, "tokenizer.target", NULL},
        {TENSOR_TEXT, "tokenizer.shared", "a b\n"},
    };
    struct checkpoint *checkpoint = open_case(edits);
    assert_ptr_not_equal(checkpoint->tokenizer[SIDE_SOURCE], checkpoint->tokenizer[SIDE_TARGET]);
    checkpoint_close(checkpoint);
}

static void given_targets_begin_with_their_prefix(void **state)
{
    static const struct edit edits[CASE_EDITS] = {{CONFIG_SET, "target/prefix", "[4, 3]"}};
    struct status status;
    int *ids;
    checkpoint_case_write(edits, checkpoint_case_path());
    struct checkpoint *checkpoint = checkpoint_open(checkpoint_case_path(), &status);
    assert_non_null(checkpoint);
    int eos = checkpoint->config->special[SPECIAL_EOS][SIDE_TARGET];
    assert_int_equal(given_encode(checkpoint, "", &ids, &status), 3);
    assert_memory_equal(ids, ((int[]){4, 3, eos}), 3 * sizeof *ids);
    free(ids);
    checkpoint_close(checkpoint);
    unlink(checkpoint_case_path());
}

static void each_side_has_the_marks_of_its_pieces(void **state)
{
    static const struct edit edits[CASE_EDITS] = {
        {CONFIG_SET, "tokenizer/kind", "\"whitespace\""},
        {CONFIG_SET, "tokenizer/marks", "{\"source\": \"sentencepiece\", \"target\": \"bpe\"}"},
        {TENSOR_DELETE, "tokenizer.source", NULL},
        {TENSOR_DELETE, "tokenizer.target", NULL},
    };
    struct checkpoint *checkpoint = open_case(edits);
    assert_int_equal(tokenizer_marks(checkpoint->tokenizer[SIDE_SOURCE]), MARKS_SENTENCEPIECE);
    assert_int_equal(tokenizer_marks(checkpoint->tokenizer[SIDE_TARGET]), MARKS_BPE);
    checkpoint_close(checkpoint);
}

static void the_digest_is_that_of_sha256sum(void **state)
{
    struct checkpoint *checkpoint = open_case(NULL);
    struct status status;
    char command[512], expected[65] = "";
    struct digests digests;
    snprintf(command, sizeof command, "sha256sum %s", checkpoint_case_path());
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fread(expected, 1, 64, pipe), 64);
    pclose(pipe);
    assert_true(digests_read(checkpoint, &digests, &status));
    assert_string_equal(digests.whole, expected);
    assert_string_equal(digests.files[0], expected);
    digests_free(&digests);
    checkpoint_close(checkpoint);
}

static void refuse_path(const char *path, const char *expected)
{
    struct status status = {STATUS_OK, ""};
    struct checkpoint *checkpoint = checkpoint_open(path, &status);
    assert_null(checkpoint);
    if (!is_clear(status.message, path) || !strstr(status.message, expected))
        fail_msg("%s: %s, wanted: %s", path, status.message, expected);
}

static void what_is_not_a_file_is_refused_without_waiting(void **state)
{
    const char *path = checkpoint_case_path();
    unlink(path);
    refuse_path(path, "cannot be opened: No such file or directory");
    assert_int_equal(mkfifo(path, 0600), 0);
    refuse_path(path, "a pipe, expected a file");
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    refuse_path(path, "no model in this folder, expected config.json and model.safetensors");
    rmdir(path);
    refuse_path("/dev/zero", "a device, expected a file");
    refuse_path("/dev/null", "a device, expected a file");
    refuse_path("/dev/null/model.bin", "cannot be opened: Not a directory");
}

static void long_and_odd_paths_leave_room_for_the_reason(void **state)
{
    char path[3000] = "/nowhere";
    while (strlen(path) < sizeof path - 12)
        strcat(path, "/\xc3\xa4\x1b[1m\n");
    struct status status;
    assert_null(checkpoint_open("", &status));
    assert_non_null(strstr(status.message, "(no name): cannot be opened: "));
    assert_null(checkpoint_open(path, &status));
    assert_non_null(strstr(status.message, "\\u001B[1m\\u000A"));
    assert_non_null(strstr(status.message, "…: cannot be opened: "));
    assert_null(strchr(status.message, '\n'));
    assert_null(strchr(status.message, '\x1b'));
}

/* Deep nesting must not exhaust the stack. */
static void deep_nesting_is_refused(void **state)
{
    enum { DEPTH = 1000000 };
    char *text = malloc(DEPTH + 1);
    memset(text, '[', DEPTH);
    text[DEPTH] = '\0';
    struct edit edits[CASE_EDITS] = {{CONFIG_TEXT, NULL, text}};
    struct status status = {STATUS_OK, ""};
    checkpoint_case_write(edits, checkpoint_case_path());
    assert_null(checkpoint_open(checkpoint_case_path(), &status));
    assert_non_null(strstr(status.message, "attnscope.config: byte 2049: "));

    memcpy(text, "\x38\x42\x0f\0\0\0\0\0{\"a\":", 13);
    FILE *file = fopen(checkpoint_case_path(), "wb");
    assert_int_equal(fwrite(text, 1, DEPTH, file), DEPTH);
    fclose(file);
    assert_null(checkpoint_open(checkpoint_case_path(), &status));
    assert_non_null(strstr(status.message, "header: byte 2053: "));
    free(text);
}

/* Opening costs the header, not the file: a hole of 4 GB is neither read nor refused for its
 * size. */
static void a_header_beyond_its_limit_is_refused(void **state)
{
    struct status status = {STATUS_OK, ""};
    FILE *file = fopen(checkpoint_case_path(), "wb");
    assert_int_equal(fwrite("\0\x24\xf5\0\0\0\0\0{}", 1, 10, file), 10);
    assert_int_equal(ftruncate(fileno(file), (off_t)4 << 30), 0);
    fclose(file);
    assert_null(checkpoint_open(checkpoint_case_path(), &status));
    assert_non_null(strstr(status.message, "header length 16065536, expected 2 to 16000000 "
                                           "(a file of 4294967296 bytes)"));
    unlink(checkpoint_case_path());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_checkpoints_are_refused_by_name),
        cmocka_unit_test(every_mixture_of_head_settings_loads),
        cmocka_unit_test(the_base_holds_what_was_written),
        cmocka_unit_test(a_shared_vocabulary_is_opened_once),
        cmocka_unit_test(a_shared_tokenizer_follows_the_language_of_its_side),
        cmocka_unit_test(given_targets_begin_with_their_prefix),
        cmocka_unit_test(each_side_has_the_marks_of_its_pieces),
        cmocka_unit_test(the_digest_is_that_of_sha256sum),
        cmocka_unit_test(what_is_not_a_file_is_refused_without_waiting),
        cmocka_unit_test(long_and_odd_paths_leave_room_for_the_reason),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(a_header_beyond_its_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
