/* The file `config` of Sockeye, without the names of the objects around an option, and the command
 * line of sockeye-translate. */
#include <stddef.h>

#include "model/formats/options.h"

static const struct toolkit_option options[] = {
    {.names = "config_data config_encoder config_decoder config_embed_source config_embed_target "
              "data_statistics",
     OPTION_OBEYED,
     "objects"},
    {.names = "model_size num_layers attention_heads feed_forward_num_hidden depth_key_value "
              "num_embed vocab_size vocab_source_size vocab_target_size max_seq_len_source "
              "max_seq_len_target",
     OPTION_OBEYED,
     "sizes"},
    {.names = "act_type use_glu preprocess_sequence postprocess_sequence positional_embedding_type "
              "decoder_type weight_tying_type dtype",
     OPTION_OBEYED,
     "conventions"},
    {.names = "num_factors num_source_factors num_target_factors factor_configs",
     OPTION_REFUSED,
     "factors"},
    {.names = "lhuc use_lhuc", OPTION_REJECTED, "scales of hidden units (LHUC)"},
    {.names = "neural_vocab_selection", OPTION_REJECTED, "a network that chooses the vocabulary"},
    {.names = "neural_vocab_selection_block_loss", OPTION_IDLE, "its training"},
    {.names = "config_length_task weight",
     OPTION_IDLE,
     "lengths for the brevity penalty, which is off by default"},
    {.names = "block_prepended_cross_attention", OPTION_IDLE, "of tokens put before a sentence"},
    {.names = "length_ratio_mean length_ratio_std", OPTION_OBEYED, "longest translation"},
    {.names = "dropout dropout_act dropout_attention dropout_prepost allow_sparse_grad "
              "num_sents num_discarded num_tokens_source num_tokens_target num_unks_source "
              "num_unks_target max_observed_len_source max_observed_len_target "
              "size_vocab_source size_vocab_target buckets num_sents_per_bucket "
              "average_len_target_per_bucket length_ratio_stats_per_bucket",
     OPTION_IDLE,
     "training alone"},
    {.names = NULL},
};

const struct toolkit_table options_sockeye = {"Sockeye", "`config`", options};
