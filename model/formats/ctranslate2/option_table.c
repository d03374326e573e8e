/* config.json of CTranslate2, and the arguments of translate_batch, which no file has: a model is searched by their defaults. */
#include <stddef.h>

#include "model/formats/options.h"

static const struct toolkit_option options[] = {
    {.names = "unk_token bos_token eos_token decoder_start_token", OPTION_OBEYED, "special tokens"},
    {.names = "add_source_bos add_source_eos", OPTION_OBEYED, "put around the source"},
    {.names = "layer_norm_epsilon", OPTION_OBEYED, "of layer norms"},
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
    "CTranslate2", "`config.json`, and in calls of `translate_batch`", options};
