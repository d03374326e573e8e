/* The file `config` of Sockeye, without the names of the objects that contain an option, and the
 * command line of sockeye-translate. */
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
    {.names = "num_factors num_source_factors num_target_factors factor_configs combine "
              "share_embedding",
     OPTION_REFUSED,
     "factors"},
    {.names = "lhuc use_lhuc", OPTION_REJECTED, "scales of hidden units (LHUC)"},
    {.names = "neural_vocab_selection", OPTION_REJECTED, "a network that chooses the vocabulary"},
    {.names = "neural_vocab_selection_block_loss", OPTION_IDLE, "its training"},
    {.names = "config_length_task weight",
     OPTION_IDLE,
     "lengths for the brevity penalty, which is off by default"},
    {.names = "block_prepended_cross_attention eop_id",
     OPTION_IDLE,
     "of tokens put before a sentence"},
    {.names = "length_ratio_mean length_ratio_std", OPTION_OBEYED, "longest translation"},
    {.names = "dropout dropout_act dropout_attention dropout_prepost allow_sparse_grad "
              "num_sents num_discarded num_tokens_source num_tokens_target num_unks_source "
              "num_unks_target max_observed_len_source max_observed_len_target "
              "size_vocab_source size_vocab_target buckets num_sents_per_bucket "
              "average_len_target_per_bucket length_ratio_stats_per_bucket",
     OPTION_IDLE,
     "training alone"},
    {.names =
         "beam_size beam_search_stop length_penalty_alpha length_penalty_beta "
         "brevity_penalty_type brevity_penalty_weight brevity_penalty_constant_length_ratio "
         "max_input_length max_output_length max_output_length_num_stds nbest_size greedy sample "
         "prevent_unk restrict_lexicon restrict_lexicon_topk skip_nvs nvs_thresh knn_index "
         "knn_lambda ensemble_mode strip_unknown_words models checkpoints input input_factors "
         "json_input output output_type batch_size chunk_size bucket_width clamp_to_dtype "
         "device_id use_cpu tf32 env seed loglevel loglevel_secondary_workers no_logfile quiet "
         "quiet_secondary_workers",
     OPTION_IDLE,
     "of sockeye-translate, which no model has; the search has its defaults"},
    {.names = NULL},
};

const struct toolkit_table options_sockeye = {"Sockeye", "`config`", options};
