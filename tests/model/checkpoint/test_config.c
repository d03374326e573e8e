/* What config_parse reads from a configuration, and what fields that it leaves out are. */
#include "model/checkpoint/config.h"
#include "tests/model/checkpoint/checkpoint_support.h"
#include "tests/support/test.h"

/* Parses the base with other attention rules. */
static struct config *parse_rules(const char *rules)
{
    const struct edit edits[CASE_EDITS] = {{CONFIG_SET, "attention", rules}};
    return checkpoint_case_parse(edits);
}

static void every_field_arrives(void **state)
{
    struct config *config = checkpoint_case_parse(NULL);
    assert_string_equal(config->name, "tiny");
    assert_string_equal(config->source_language, "en");
    assert_string_equal(config->target_language, "de");
    assert_int_equal(config->d_model, 8);
    assert_int_equal(config->stacks[STACK_ENCODER].d_ff, 12);
    assert_int_equal(config->stacks[STACK_DECODER].d_ff, 12);
    assert_int_equal(config->activation, ACTIVATION_GELU);
    assert_true(config->stacks[STACK_ENCODER].pre_norm && config->stacks[STACK_DECODER].pre_norm);
    assert_true(config->stacks[STACK_ENCODER].last_norm && config->stacks[STACK_DECODER].last_norm);
    assert_true(config->norm_eps == 1e-5f);
    assert_true(config->embedding_scale == 2.5f);
    assert_int_equal(config->stacks[STACK_ENCODER].positions, POSITIONS_SINUSOIDAL);
    assert_int_equal(config->stacks[STACK_ENCODER].layout, LAYOUT_HALVES);
    assert_int_equal(config->stacks[STACK_DECODER].positions, POSITIONS_LEARNED);
    assert_int_equal(config->stacks[STACK_DECODER].offset, 1);
    assert_int_equal(module_layers(config, MODULE_ENCODER), 2);
    assert_int_equal(module_heads(config, MODULE_ENCODER), 3);
    assert_int_equal(module_heads(config, MODULE_CROSS), 2);
    assert_int_equal(module_head_dim(config, MODULE_DECODER), 4);
    assert_int_equal(config->tied_target, TIED_NOT);
    assert_int_equal(config->tied_output, TIED_TARGET_EMBEDDING);
    assert_int_equal(config->special[SPECIAL_PAD][SIDE_TARGET], 0);
    assert_int_equal(config->special[SPECIAL_EOS][SIDE_SOURCE], 2);
    assert_int_equal(config->special[SPECIAL_UNK][SIDE_SOURCE], 3);
    assert_int_equal(config->special[SPECIAL_UNK][SIDE_TARGET], 1);
    assert_int_equal(config->prefix.count, 1);
    assert_int_equal(config->prefix.ids[0], 4);
    assert_int_equal(config->suffix.ids[0], 2);
    assert_int_equal(config->start.ids[0], 2);
    assert_int_equal(config->tokenizer[SIDE_SOURCE], TOKENIZER_BPE);
    assert_int_equal(config->tokenizer[SIDE_TARGET], TOKENIZER_BPE);
    assert_false(config->moses);
    assert_false(config->lowercase);
    assert_int_equal(config->max_positions, 10);
    assert_int_equal(config->search.beam, 2);
    assert_int_equal(config->search.penalty, PENALTY_AVERAGE);
    assert_true(config->search.alpha == 1.0);
    assert_true(config->search.factor == 1.2);
    assert_int_equal(config->search.plus, 10);
    config_free(config);
}

static void every_name_has_its_value(void **state)
{
    static const struct edit edits[CASE_EDITS] = {
        {CONFIG_SET, "activation", "\"swish\""},
        {CONFIG_SET, "norm", "\"post\""},
        {CONFIG_SET, "positions/encoder",
         "{\"kind\": \"sinusoidal\", \"layout\": \"interleaved\"}"},
        {CONFIG_SET, "positions/decoder",
         "{\"kind\": \"sinusoidal\", \"layout\": \"halves_fairseq\", \"offset\": 7}"},
        {CONFIG_SET, "tied",
         "{\"target_embedding\": \"source_embedding\","
         " \"output\": \"source_embedding\"}"},
        {CONFIG_SET, "tokenizer",
         "{\"kind\": \"sentencepiece\", \"pretokenizer\": \"moses\", \"lowercase\": true}"},
        {CONFIG_SET, "search/length_penalty", "{\"kind\": \"wu\", \"alpha\": -0.5}"},
        {CONFIG_SET, "search/max_length/plus", "-3"},
        {CONFIG_SET, "search/excluded", "[4, 0]"},
    };
    struct config *config = checkpoint_case_parse(edits);
    assert_int_equal(config->activation, ACTIVATION_SWISH);
    assert_false(config->stacks[STACK_ENCODER].pre_norm || config->stacks[STACK_DECODER].pre_norm);
    assert_false(config->stacks[STACK_ENCODER].last_norm ||
                 config->stacks[STACK_DECODER].last_norm);
    assert_int_equal(config->stacks[STACK_ENCODER].layout, LAYOUT_INTERLEAVED);
    assert_int_equal(config->stacks[STACK_ENCODER].offset, 0);
    assert_int_equal(config->stacks[STACK_DECODER].layout, LAYOUT_HALVES_FAIRSEQ);
    assert_int_equal(config->stacks[STACK_DECODER].offset, 7);
    assert_int_equal(config->tied_target, TIED_SOURCE_EMBEDDING);
    assert_int_equal(config->tied_output, TIED_SOURCE_EMBEDDING);
    assert_int_equal(config->tokenizer[SIDE_SOURCE], TOKENIZER_SENTENCEPIECE);
    assert_true(config->moses);
    assert_true(config->lowercase);
    assert_int_equal(config->search.penalty, PENALTY_WU);
    assert_true(config->search.alpha == -0.5);
    assert_int_equal(config->search.plus, -3);
    assert_int_equal(config->excluded.count, 2);
    assert_int_equal(config->excluded.ids[0], 4);
    assert_int_equal(config->excluded.ids[1], 0);
    config_free(config);
}

static void rotary_positions_caps_and_shared_keys_arrive(void **state)
{
    static const struct edit edits[CASE_EDITS] = {
        {CONFIG_DELETE, "attention", NULL},
        {CONFIG_SET, "positions/encoder", "{\"kind\": \"rotary\", \"layout\": \"halves\"}"},
        {CONFIG_SET, "positions/decoder",
         "{\"kind\": \"rotary\", \"layout\": \"interleaved\", \"base\": 500.5, \"offset\": 0}"},
        {CONFIG_SET, "encoder/head_dim", "6"},
        {CONFIG_SET, "encoder/kv_heads", "1"},
        {CONFIG_SET, "attention_cap", "50"},
        {CONFIG_SET, "output_cap", "30.5"},
    };
    struct config *config = checkpoint_case_parse(edits);
    const struct stack_config *encoder = &config->stacks[STACK_ENCODER],
                              *decoder = &config->stacks[STACK_DECODER];
    assert_int_equal(encoder->positions, POSITIONS_ROTARY);
    assert_int_equal(encoder->layout, LAYOUT_HALVES);
    assert_true(encoder->rotary_base == 10000);
    assert_int_equal(decoder->layout, LAYOUT_INTERLEAVED);
    assert_true(decoder->rotary_base == 500.5);
    assert_int_equal(encoder->kv_heads, 1);
    assert_int_equal(decoder->kv_heads, decoder->heads);
    assert_true(config->attention_cap == 50 && config->output_cap == 30.5f);
    config_free(config);
    config = checkpoint_case_parse(NULL);
    assert_true(config->attention_cap == 0 && config->output_cap == 0);
    config_free(config);
}

static void every_activation_has_its_name(void **state)
{
    static const char *const names[] = {"relu",         "gelu", "swish",  "gelu_tanh",
                                        "gelu_sigmoid", "tanh", "sigmoid"};
    static const enum activation values[] = {
        ACTIVATION_RELU,         ACTIVATION_GELU, ACTIVATION_SWISH,  ACTIVATION_GELU_TANH,
        ACTIVATION_GELU_SIGMOID, ACTIVATION_TANH, ACTIVATION_SIGMOID};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char json[32];
        snprintf(json, sizeof json, "\"%s\"", names[i]);
        const struct edit edits[CASE_EDITS] = {{CONFIG_SET, "activation", json}};
        struct config *config = checkpoint_case_parse(edits);
        assert_int_equal(config->activation, values[i]);
        config_free(config);
    }
}

static void a_module_that_no_rule_names_is_vanilla(void **state)
{
    static const struct edit edits[CASE_EDITS] = {{CONFIG_DELETE, "attention", NULL}};
    struct config *config = checkpoint_case_parse(edits);
    for (enum module module = 0; module < MODULE_COUNT; module++)
        for (int layer = 0; layer < 2; layer++) {
            const struct attention_config *attention = &config->attention[module][layer];
            assert_int_equal(learned_heads(config, module, layer), module_heads(config, module));
            assert_int_equal(attention->heads[1].mask, MASK_GLOBAL);
            assert_false(attention->dhicm);
            assert_int_equal(attention->context, 0);
            assert_int_equal(attention->gate, GATE_NONE);
        }
    config_free(config);
}

static void of_a_rule_only_the_keys_it_has_apply_and_later_ones_win(void **state)
{
    struct config *config = parse_rules(
        "[{\"stack\": \"decoder\", \"kind\": \"self\","
        "  \"heads\": [{\"energy\": \"learned\", \"mask\": {\"local\": 2}},"
        "              {\"energy\": \"learned\", \"mask\": \"backward\"}],"
        "  \"combine\": {\"kind\": \"dhicm\", \"d_m\": 6},"
        "  \"context\": {\"vectors\": [\"global\"], \"gate\": \"head\", \"sides\": \"k\"}},"
        " {\"stack\": \"decoder\", \"kind\": \"self\", \"layers\": [1],"
        "  \"heads\": [{\"energy\": \"fixed\", \"pattern\": \"sentence_start\"},"
        "              {\"energy\": \"learned\"}]},"
        " {\"stack\": \"decoder\", \"kind\": \"self\", \"layers\": [0],"
        "  \"combine\": {\"kind\": \"concat\"}, \"context\": null},"
        " {\"stack\": \"decoder\", \"kind\": \"self\", \"layers\": [],"
        "  \"combine\": {\"kind\": \"dhicm\", \"d_m\": 99}}]");
    const struct attention_config *first = &config->attention[MODULE_DECODER][0];
    assert_int_equal(first->heads[0].mask, MASK_LOCAL);
    assert_int_equal(first->heads[0].window, 2);
    assert_int_equal(first->heads[1].mask, MASK_BACKWARD);
    assert_false(first->dhicm);
    assert_int_equal(first->context, 0);

    const struct attention_config *second = &config->attention[MODULE_DECODER][1];
    assert_int_equal(second->heads[0].energy, ENERGY_FIXED);
    assert_int_equal(second->heads[0].pattern, PATTERN_SENTENCE_START);
    assert_int_equal(second->heads[0].unit, UNIT_TOKEN);
    assert_int_equal(second->heads[1].mask, MASK_GLOBAL);
    assert_int_equal(second->heads[1].window, 0);
    assert_true(second->dhicm);
    assert_int_equal(second->d_m, 6);
    assert_int_equal(second->context, CONTEXT_GLOBAL);
    assert_int_equal(second->gate, GATE_HEAD);
    assert_false(second->sides[SIDE_Q]);
    assert_true(second->sides[SIDE_K]);

    assert_false(config->attention[MODULE_CROSS][0].dhicm);
    assert_false(config->attention[MODULE_ENCODER][0].dhicm);
    config_free(config);
}

static void every_pattern_has_its_name(void **state)
{
    static const char *const names[] = {"current",        "previous",      "next",
                                        "left_context",   "right_context", "sentence_end",
                                        "sentence_start", "last",          "gaussian"};
    _Static_assert(sizeof names / sizeof *names == PATTERN_COUNT, "a pattern has no name here");
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
        char text[400];
        snprintf(text, sizeof text,
                 "[{\"stack\": \"encoder\", \"kind\": \"self\", \"layers\": [1],"
                 " \"heads\": [{\"energy\": \"fixed\", \"pattern\": \"%s\", \"unit\": \"word\"},"
                 " {\"energy\": \"learned\"}, {\"energy\": \"learned\"}]}]",
                 names[pattern]);
        struct config *config = parse_rules(text);
        assert_int_equal(config->attention[MODULE_ENCODER][1].heads[0].pattern, pattern);
        assert_int_equal(config->attention[MODULE_ENCODER][1].heads[0].unit, UNIT_WORD);
        assert_string_equal(pattern_names[pattern], names[pattern]);
        config_free(config);
    }
}

static void gaussians_have_a_centre_and_a_width(void **state)
{
    struct config *config = parse_rules("[{\"stack\": \"decoder\", \"kind\": \"self\", \"heads\": ["
                                        " {\"energy\": \"fixed\", \"pattern\": \"gaussian\"},"
                                        " {\"energy\": \"fixed\", \"pattern\": \"gaussian\", "
                                        "\"offset\": -3, \"deviation\": 0.5}]}]");
    const struct head *heads = config->attention[MODULE_DECODER][0].heads;
    assert_int_equal(heads[0].offset, 0);
    assert_float_equal(heads[0].deviation, 1, 0);
    assert_int_equal(heads[1].offset, -3);
    assert_float_equal(heads[1].deviation, 0.5, 0);
    assert_false(head_has_entmax(&heads[1])); // which has no other place
    config_free(config);
}

/* α is a float; 1 is softmax, as when nothing is said. */
static void learned_heads_have_an_alpha(void **state)
{
    struct config *config =
        parse_rules("[{\"stack\": \"decoder\", \"kind\": \"self\", \"heads\": ["
                    " {\"energy\": \"learned\", \"alpha\": 1},"
                    " {\"energy\": \"learned\", \"mask\": \"forward\", \"alpha\": 1.3}]}]");
    const struct head *heads = config->attention[MODULE_DECODER][0].heads;
    assert_float_equal(heads[0].entmax, 0, 0);
    assert_float_equal(head_alpha(&heads[1]), 1.3f, 0);
    assert_int_equal(heads[1].mask, MASK_FORWARD);
    assert_true(!head_has_entmax(&heads[0]) && head_has_entmax(&heads[1]));
    assert_float_equal(config->attention[MODULE_ENCODER][0].heads[0].entmax, 0, 0);
    config_free(config);
}

static void context_that_has_no_tensors_is_none(void **state)
{
    struct config *config = parse_rules(
        "[{\"stack\": \"encoder\", \"kind\": \"self\", \"context\": {\"vectors\": [\"deep\"]}},"
        " {\"stack\": \"decoder\", \"kind\": \"self\","
        "  \"heads\": [{\"energy\": \"fixed\", \"pattern\": \"next\"},"
        "              {\"energy\": \"fixed\", \"pattern\": \"last\"}],"
        "  \"context\": {\"vectors\": [\"global\", \"deep_global\"]}}]");
    const struct attention_config *first = &config->attention[MODULE_ENCODER][0];
    assert_int_equal(first->context, 0);
    assert_int_equal(first->gate, GATE_NONE);
    assert_false(first->sides[SIDE_Q] || first->sides[SIDE_K]);
    const struct attention_config *second = &config->attention[MODULE_ENCODER][1];
    assert_int_equal(second->context, CONTEXT_DEEP);
    assert_int_equal(second->gate, GATE_TOKEN);
    assert_true(second->sides[SIDE_Q] && second->sides[SIDE_K]);
    assert_int_equal(context_size(config, CONTEXT_DEEP, 1), 8);
    assert_int_equal(context_size(config, CONTEXT_DEEP_GLOBAL, 1), 16);
    assert_int_equal(config->attention[MODULE_DECODER][1].context, 0);
    config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_arrives),
        cmocka_unit_test(every_name_has_its_value),
        cmocka_unit_test(rotary_positions_caps_and_shared_keys_arrive),
        cmocka_unit_test(every_activation_has_its_name),
        cmocka_unit_test(a_module_that_no_rule_names_is_vanilla),
        cmocka_unit_test(of_a_rule_only_the_keys_it_has_apply_and_later_ones_win),
        cmocka_unit_test(every_pattern_has_its_name),
        cmocka_unit_test(gaussians_have_a_centre_and_a_width),
        cmocka_unit_test(learned_heads_have_an_alpha),
        cmocka_unit_test(context_that_has_no_tensors_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
