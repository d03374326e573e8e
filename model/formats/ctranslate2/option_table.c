/* config.json of CTranslate2, the settings among the variables of model.bin, and the arguments of
 * translate_batch, which are in no file: searches use their defaults. */
#include <stddef.h>

#include "model/formats/options.h"

static const struct toolkit_option options[] = {
    {.names = "unk_token bos_token eos_token decoder_start_token", OPTION_OBEYED, "special tokens"},
    {.names = "add_source_bos add_source_eos", OPTION_OBEYED, "put around the source"},
    {.names = "layer_norm_epsilon", OPTION_OBEYED, "of layer norms"},
    {.names = "num_heads pre_norm activation scale_embeddings multiply_by_sqrt_depth "
              "start_from_zero_embedding scale_outputs queries_scale relative_attention_bias "
              "relative_attention_max_distance",
     OPTION_OBEYED,
     "of model.bin: sizes, conventions and scales"},
    {.names = "alignment_layer alignment_heads",
     OPTION_OBEYED,
     "likewise; which heads align words"},
    {.names = "relative_position_keys relative_position_values relative_asymmetric_position_keys "
              "relative_left_max_position relative_right_max_position alibi scale_alibi "
              "sliding_window rotary_dim rotary_interleave rotary_base rotary_scaling_type "
              "rotary_scaling_factor rotary_scaling_long_factor rotary_scaling_short_factor "
              "rotary_low_freq_factor rotary_high_freq_factor original_max_position_embeddings "
              "max_position_embeddings multi_query_attention num_heads_kv head_dim "
              "merged_encoder_attention layer_norm_use_residual layer_scalar "
              "final_logit_softcapping",
     OPTION_REFUSED,
     "likewise; other ways to compute, of models that have one stack as a rule"},
    {.names = "embeddings_merge alibi_use_positive_positions",
     OPTION_IDLE,
     "likewise; of several inputs, which are refused, and of alibi alone"},
    {.names = "beam_size length_penalty min_decoding_length max_decoding_length patience",
     OPTION_OBEYED,
     "arguments of translate_batch; the search begins with their defaults"},
    {.names = "coverage_penalty repetition_penalty no_repeat_ngram_size disable_unk "
              "suppress_sequences end_token prefix_bias_beta sampling_topk sampling_topp "
              "sampling_temperature use_vmap replace_unknowns callback target_prefix",
     OPTION_IDLE,
     "likewise, and by default off"},
    {.names = "max_input_length",
     OPTION_IDLE,
     "likewise; by default sources are cut off after 1024 tokens, and here they are not"},
    {.names = "num_hypotheses return_end_token return_scores return_logits_vocab return_attention "
              "return_alternatives min_alternative_expansion_prob",
     OPTION_IDLE,
     "likewise; what a call returns"},
    {.names = "source max_batch_size batch_type asynchronous",
     OPTION_IDLE,
     "likewise; what is translated, and how fast"},
    {.names = NULL},
};

const struct toolkit_table options_ctranslate2 = {
    "CTranslate2",
    "`config.json`, among the variables of `model.bin`, and in calls of `translate_batch`",
    options};
