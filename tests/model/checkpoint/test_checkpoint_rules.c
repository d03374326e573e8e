/* The tensors that a configuration requires: their names and shapes, and how many weights. */
#include "model/checkpoint/checkpoint_rules.h"
#include "model/checkpoint/config.h"
#include "tests/model/checkpoint/checkpoint_support.h"
#include "tests/support/test.h"

/* Names and shapes -------------------------------------------------------------------------- */

struct listing {
    const char *prefix;
    char text[4000];
};

/* Visitor: "name [a, b]\n" of the tensors whose names begin with the prefix, optional ones with
 * "?". */
static bool list_tensor(const struct expected_tensor *tensor, void *context, struct status *status)
{
    struct listing *listing = context;
    (void)status;
    size_t length = strlen(listing->prefix), used = strlen(listing->text);
    if (strncmp(tensor->name, listing->prefix, length) != 0)
        return true;
    char columns[32] = "";
    if (tensor->dimensions == 2)
        snprintf(columns, sizeof columns, ", %d", (int)tensor->shape[1]);
    snprintf(listing->text + used, sizeof listing->text - used, "%s%s [%d%s]\n",
             tensor->name + length, tensor->optional ? "?" : "", (int)tensor->shape[0], columns);
    return true;
}

#define RULE(module, rest) "[{\"stack\": " module ", " rest "}]"
#define ENCODER "\"encoder\", \"kind\": \"self\""
#define DECODER "\"decoder\", \"kind\": \"self\""
#define CONTEXT(vectors, gate, sides)                                                              \
    "\"context\": {\"vectors\": " vectors ", \"gate\": \"" gate "\", \"sides\": \"" sides "\"}"
#define QKVO                                                                                       \
    "q.weight [12, 8]\nq.bias? [12]\nk.weight [12, 8]\nk.bias? [12]\n"                             \
    "v.weight [12, 8]\nv.bias? [12]\no.weight [8, 12]\no.bias? [8]\n"
#define GATE(side, size)                                                                           \
    "context.gate_" side ".state [" size "]\ncontext.gate_" side ".context [" size "]\n"           \
    "context.gate_" side ".bias? [1]\n"

/* d 8, d_ff 12; encoder 3 heads of 4, decoder 2 heads of 4; 6 and 5 pieces. */
static const struct {
    struct edit edits[CASE_EDITS];
    const char *prefix, *expected;
} shapes[] = {
    {{{CONFIG_SET, "attention", "[]"}}, "encoder.layers.1.self_attention.", QKVO},
    {{{CONFIG_SET, "attention", "[]"}},
     "decoder.layers.0.cross_attention.",
     "q.weight [8, 8]\nq.bias? [8]\nk.weight [8, 8]\nk.bias? [8]\n"
     "v.weight [8, 8]\nv.bias? [8]\no.weight [8, 8]\no.bias? [8]\n"},
    {{{CONFIG_SET, "encoder/head_dim", "5"}, {CONFIG_SET, "attention", "[]"}},
     "encoder.layers.0.self_attention.",
     "q.weight [15, 8]\nq.bias? [15]\nk.weight [15, 8]\nk.bias? [15]\n"
     "v.weight [15, 8]\nv.bias? [15]\no.weight [8, 15]\no.bias? [8]\n"},
    /* One learned head of two. */
    {{{EDIT_NONE, NULL, NULL}},
     "decoder.layers.1.cross_attention.",
     "q.weight [4, 8]\nq.bias? [4]\nk.weight [4, 8]\nk.bias? [4]\n"
     "v.weight [8, 8]\nv.bias? [8]\no.weight [8, 8]\no.bias? [8]\n"},
    /* None: nor has it a context. */
    {{{CONFIG_SET, "attention",
       RULE(DECODER, "\"heads\": [{\"energy\": \"fixed\", \"pattern\": \"last\"},"
                     " {\"energy\": \"fixed\", \"pattern\": \"next\"}]," CONTEXT("[\"global\"]",
                                                                                 "token", "qk"))}},
     "decoder.layers.1.self_attention.",
     "v.weight [8, 8]\nv.bias? [8]\no.weight [8, 8]\no.bias? [8]\n"},
    {{{CONFIG_SET, "attention", RULE(ENCODER, "\"combine\": {\"kind\": \"dhicm\", \"d_m\": 7}")}},
     "encoder.layers.0.self_attention.",
     "q.weight [12, 8]\nq.bias? [12]\nk.weight [12, 8]\nk.bias? [12]\n"
     "v.weight [12, 8]\nv.bias? [12]\n"
     "dhicm.w [7, 4]\ndhicm.u [7, 8]\ndhicm.v [7, 4]\ndhicm.out [8, 7]\n"},
    {{{CONFIG_SET, "attention", RULE(ENCODER, CONTEXT("[\"global\"]", "token", "qk"))}},
     "encoder.layers.1.self_attention.",
     QKVO "context.global.q [12, 8]\ncontext.global.k [12, 8]\n" GATE("q", "12") GATE("k", "12")},
    {{{CONFIG_SET, "attention", RULE(ENCODER, CONTEXT("[\"deep\"]", "token", "qk"))}},
     "encoder.layers.0.self_attention.",
     QKVO},
    {{{CONFIG_SET, "attention", RULE(ENCODER, CONTEXT("[\"deep\", \"global\"]", "token", "q"))}},
     "encoder.layers.0.self_attention.",
     QKVO "context.global.q [12, 8]\n" GATE("q", "12")},
    {{{CONFIG_SET, "attention", RULE(ENCODER, CONTEXT("[\"deep_global\", \"deep\"]", "head", "k"))},
      {CONFIG_SET, "encoder/layers", "3"}},
     "encoder.layers.2.self_attention.",
     QKVO "context.deep.k [12, 16]\ncontext.deep_global.k [12, 24]\n" GATE("k", "4")},
    {{{CONFIG_SET, "attention",
       RULE(ENCODER, CONTEXT("[\"deep\", \"deep_global\"]", "none", "qk"))}},
     "encoder.layers.1.self_attention.",
     QKVO "context.deep.q [12, 8]\ncontext.deep.k [12, 8]\n"
          "context.deep_global.q [12, 16]\ncontext.deep_global.k [12, 16]\n"},
    {{{EDIT_NONE, NULL, NULL}}, "source_embedding.", "weight [6, 8]\n"},
    {{{EDIT_NONE, NULL, NULL}}, "target_embedding.", "weight [5, 8]\n"},
    {{{EDIT_NONE, NULL, NULL}}, "output.", "bias? [5]\n"},
    {{{CONFIG_SET, "tied", "{}"}}, "output.", "weight [5, 8]\nbias? [5]\n"},
    {{{CONFIG_SET, "tied/target_embedding", "\"source_embedding\""}}, "target_embedding.", ""},
    {{{EDIT_NONE, NULL, NULL}}, "encoder.positions.", ""},
    {{{EDIT_NONE, NULL, NULL}}, "decoder.positions.", "weight [11, 8]\n"},
    {{{EDIT_NONE, NULL, NULL}}, "decoder.norm.", "weight [8]\nbias [8]\n"},
    {{{CONFIG_SET, "norm", "\"post\""}}, "decoder.norm.", ""},
    {{{CONFIG_SET, "norm", "{\"encoder\": \"pre\", \"decoder\": \"post\"}"}},
     "encoder.norm.",
     "weight [8]\nbias [8]\n"},
    {{{CONFIG_SET, "norm", "{\"encoder\": \"pre\", \"decoder\": \"post\"}"}}, "decoder.norm.", ""},
    {{{CONFIG_SET, "last_norm", "{\"encoder\": true, \"decoder\": false}"}},
     "encoder.norm.",
     "weight [8]\nbias [8]\n"},
    {{{CONFIG_SET, "last_norm", "{\"encoder\": true, \"decoder\": false}"}}, "decoder.norm.", ""},
    {{{CONFIG_SET, "norm", "\"post\""}, {CONFIG_SET, "last_norm", "true"}},
     "decoder.norm.",
     "weight [8]\nbias [8]\n"},
    {{{CONFIG_SET, "norm", "\"post\""},
      {CONFIG_SET, "last_norm", "{\"encoder\": false, \"decoder\": true}"}},
     "encoder.norm.",
     ""},
    {{{EDIT_NONE, NULL, NULL}}, "encoder.embedding_norm.", ""},
    {{{CONFIG_SET, "embedding_norm", "true"}}, "encoder.embedding_norm.", "weight [8]\nbias [8]\n"},
    {{{CONFIG_SET, "embedding_norm", "true"}, {CONFIG_SET, "norm_kind", "\"rms\""}},
     "decoder.embedding_norm.",
     "weight [8]\n"},
    {{{CONFIG_SET, "embedding_norm", "{\"encoder\": true, \"decoder\": false}"}},
     "encoder.embedding_norm.",
     "weight [8]\nbias [8]\n"},
    {{{CONFIG_SET, "embedding_norm", "{\"encoder\": true, \"decoder\": false}"}},
     "decoder.embedding_norm.",
     ""},
    {{{CONFIG_SET, "output_norm", "true"}},
     "decoder.layers.1.output_norm",
     "1.weight [8]\n1.bias [8]\n2.weight [8]\n2.bias [8]\n3.weight [8]\n3.bias [8]\n"},
    {{{CONFIG_SET, "output_norm", "{\"encoder\": true, \"decoder\": false}"},
      {CONFIG_SET, "norm_kind", "\"rms\""}},
     "encoder.layers.0.output_norm",
     "1.weight [8]\n2.weight [8]\n"},
    {{{CONFIG_SET, "output_norm", "{\"encoder\": true, \"decoder\": false}"}},
     "decoder.layers.0.output_norm",
     ""},
    {{{CONFIG_SET, "d_ff", "{\"encoder\": 20, \"decoder\": 28}"}},
     "encoder.layers.1.ffn.",
     "in.weight [20, 8]\nin.bias? [20]\nout.weight [8, 20]\nout.bias? [8]\n"},
    {{{CONFIG_SET, "d_ff", "{\"encoder\": 20, \"decoder\": 28}"}},
     "decoder.layers.1.ffn.",
     "in.weight [28, 8]\nin.bias? [28]\nout.weight [8, 28]\nout.bias? [8]\n"},
    {{{EDIT_NONE, NULL, NULL}},
     "encoder.layers.1.norm",
     "1.weight [8]\n1.bias [8]\n2.weight [8]\n2.bias [8]\n"},
    {{{EDIT_NONE, NULL, NULL}},
     "decoder.layers.0.norm",
     "1.weight [8]\n1.bias [8]\n2.weight [8]\n2.bias [8]\n3.weight [8]\n3.bias [8]\n"},
    {{{EDIT_NONE, NULL, NULL}},
     "decoder.layers.1.ffn.",
     "in.weight [12, 8]\nin.bias? [12]\nout.weight [8, 12]\nout.bias? [8]\n"},
    {{{CONFIG_SET, "gated_ffn", "true"}},
     "encoder.layers.0.ffn.",
     "in.weight [12, 8]\nin.bias? [12]\ngate.weight [12, 8]\ngate.bias? [12]\n"
     "out.weight [8, 12]\nout.bias? [8]\n"},
    {{{CONFIG_SET, "norm_kind", "\"rms\""}},
     "decoder.layers.0.norm",
     "1.weight [8]\n2.weight [8]\n3.weight [8]\n"},
    {{{CONFIG_SET, "norm_kind", "\"rms\""}}, "decoder.norm.", "weight [8]\n"},
};

static void tensors_have_the_shapes_of_their_head_settings(void **state)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct config *config = checkpoint_case_parse(shapes[i].edits);
        struct listing listing = {shapes[i].prefix, ""};
        struct status status;
        assert_true(expected_tensors(config, 6, 5, list_tensor, &listing, &status));
        if (strcmp(listing.text, shapes[i].expected) != 0)
            fail_msg("case %zu, %s\n%swanted:\n%s", i, shapes[i].prefix, listing.text,
                     shapes[i].expected);
        config_free(config);
    }
}

/* The papers' arithmetic ---------------------------------------------------------------------- */

/* Visitor: elements of all but biases and gates, which the papers do not count. */
static bool count_weight(const struct expected_tensor *tensor, void *context, struct status *status)
{
    int64_t *total = context;
    (void)status;
    if (tensor->dimensions == 2)
        *total += tensor->shape[0] * tensor->shape[1];
    return true;
}

/* Weights of the base Transformer of Vaswani et al. with other rules for the encoder's
 * attention. */
static int64_t base_size(const char *rules)
{
    static const char size[] = "{\"layers\": 6, \"heads\": 8, \"head_dim\": 64}";
    const struct edit edits[CASE_EDITS] = {{CONFIG_SET, "d_model", "512"},
                                           {CONFIG_SET, "d_ff", "2048"},
                                           {CONFIG_SET, "encoder", size},
                                           {CONFIG_SET, "decoder", size},
                                           {CONFIG_SET, "attention", rules}};
    struct config *config = checkpoint_case_parse(edits);
    struct status status;
    int64_t total = 0;
    assert_true(expected_tensors(config, 32000, 32000, count_weight, &total, &status));
    config_free(config);
    return total;
}

#define FIXED "{\"energy\": \"fixed\", \"pattern\": \"current\"},"
#define FIXED7 FIXED FIXED FIXED FIXED FIXED FIXED FIXED

static void parameters_are_those_of_the_papers(void **state)
{
    static const struct {
        const char *rules;
        int64_t difference;
    } cases[] = {
        /* Raganato et al. 2020: 2 d head_dim for a fixed head and layer. */
        {RULE(ENCODER, "\"heads\": [" FIXED7 "{\"energy\": \"learned\"}]"), -2752512},
        {RULE(ENCODER, "\"heads\": [" FIXED7 "{\"energy\": \"fixed\", \"pattern\": \"last\"}]"),
         -3145728},
        /* Yang et al. 2019, table 1: +3.1 M, +11.0 M, +7.9 M, +18.9 M. */
        {RULE(ENCODER, CONTEXT("[\"global\"]", "token", "qk")), 3145728},
        {RULE(ENCODER, CONTEXT("[\"deep_global\"]", "token", "qk")), 11010048},
        {RULE(ENCODER, CONTEXT("[\"deep\"]", "token", "qk")), 7864320},
        {RULE(ENCODER, CONTEXT("[\"deep_global\", \"deep\"]", "token", "qk")), 18874368},
        /* Goindani and Shrivastava 2021: W, U, V and W_s instead of W_O, in one module of one
         * layer. */
        {"[{\"stack\": \"encoder\", \"kind\": \"self\", \"layers\": [5],"
         " \"combine\": {\"kind\": \"dhicm\", \"d_m\": 512}}]",
         2 * 512 * 64 + 2 * 512 * 512 - 512 * 512},
    };
    int64_t vanilla = base_size("[]");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(base_size(cases[i].rules) - vanilla, cases[i].difference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_have_the_shapes_of_their_head_settings),
        cmocka_unit_test(parameters_are_those_of_the_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
