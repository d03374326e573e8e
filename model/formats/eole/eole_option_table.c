/* config.json of Eole: the model, and the section `inference`, which may set the defaults of `eole
 * predict`. */
#include <stddef.h>

#include "model/formats/options.h"

static const struct toolkit_option options[] = {
    {.names = "architecture encoder decoder embeddings", OPTION_OBEYED, "objects"},
    {.names = "encoder_type decoder_type encoder_layer_style embedding_type LM_type "
              "generator_function layer_norm mlp_activation_fn position_encoding_type heads_kv",
     OPTION_OBEYED,
     "which model it is; others are refused"},
    {.names = "heads head_dim norm_eps attn_scaling normalize final_encoder_layer_norm",
     OPTION_OBEYED,
     "sizes and conventions"},
    {.names = "layers hidden_size word_vec_size src_word_vec_size tgt_word_vec_size "
              "transformer_ff n_positions add_ffnbias add_qkvbias add_key_bias "
              "add_final_linear_bias generator_bias share_embeddings share_decoder_embeddings",
     OPTION_OBEYED,
     "as the tensors say"},
    {.names = "lambda_align alignment_layer alignment_heads",
     OPTION_OBEYED,
     "heads that align words"},
    {.names = "relative_positions_buckets sliding_window parallel_residual ffn_layernorm "
              "query_norm key_norm value_norm qk_norm_post_rope q_gating num_experts layer_types "
              "position_shift embedding_layer_norm add_estimator num_mtp_heads coverage_attn "
              "aan_useffn quant_type lora_layers lora_embedding",
     OPTION_REJECTED,
     "other ways to build the model"},
    {.names = "rope_config interpolate_mode moe_renormalize moe_softmax_after moe_transformer_ff "
              "num_experts_per_tok num_shared_experts shared_expert_gate first_k_dense_replace "
              "shared_layer_norm global_attention global_attention_function global_head_dim "
              "global_heads_kv lambda_coverage linear_conv_kernel_dim linear_key_head_dim "
              "linear_num_key_heads linear_num_value_heads linear_value_head_dim mtp_emb_norm "
              "mtp_lambda token_type_vocab_size adapter_bias estimator_type input_feed left_pad "
              "projector_activation_fn spatial_merge_size lora_alpha lora_dropout lora_rank "
              "quant_layers quant_exclude_modules w_bit group_size autoround_packing_format "
              "autoround_sym",
     OPTION_IDLE,
     "of models that are refused"},
    {.names = "with_cross_attn position_encoding max_position_embeddings full_context_alignment "
              "freeze_word_vecs_enc freeze_word_vecs_dec",
     OPTION_IDLE,
     "follow from others, or matter in training alone"},
    {.names = "eole_version huggingface_model", OPTION_IDLE, "where the files come from"},
    /* The search. */
    {.names = "beam_size", OPTION_OBEYED, "width of the beam"},
    {.names = "length_penalty alpha", OPTION_OBEYED, "length penalty"},
    {.names = "max_length_ratio min_length", OPTION_OBEYED, "length of translations"},
    {.names = "max_length", OPTION_OBEYED, "longest translation"},
    {.names = "ratio", OPTION_TOLD, "when a beam search ends", .neutral = 0, .or_less = true},
    {.names = "beta stepwise_penalty", OPTION_TOLD, "coverage penalty", .neutral = 0},
    {.names = "coverage_penalty", OPTION_IDLE, "its kind; `beta` is its weight"},
    {.names = "top_k top_p", OPTION_TOLD, "tokens are drawn at random", .neutral = 0},
    {.names = "temperature", OPTION_TOLD, "of drawing", .neutral = 1},
    {.names = "block_ngram_repeat", OPTION_TOLD, "n-grams that may not come again", .neutral = 0},
    {.names = "ignore_when_blocking", OPTION_IDLE, "tokens that may"},
    {.names = "ban_unk_token", OPTION_TOLD, "no unknown token in translations"},
    {.names = "replace_unk phrase_table", OPTION_TOLD, "words of the source for unknown tokens"},
    {.names = "optional_eos", OPTION_TOLD, "further tokens at which the search ends"},
    {.names = "self_speculative_decoding estim_only", OPTION_TOLD, "of models with further heads"},
    {.names = "self_speculative_num_tokens n_best dump_beam verbose with_score timestamps language "
              "task initial_prompt condition_on_previous_text fallback_temperatures "
              "compression_ratio_threshold logprob_threshold no_speech_threshold attn_debug "
              "align_debug report_align gold_align report_time profile data_type chat_template",
     OPTION_IDLE,
     "what is printed, and other models"},
    {.names = "context_length prefill_chunk_size prefill_cache_size fuse_kvq fuse_gate batch_size "
              "dynamic_shapes batch_type avg_raw_probs compute_dtype torch_compile "
              "self_attn_backend gpu_backend gpu_ranks gpu_verbose_level master_ip master_port "
              "parallel_mode timeout world_size model_path",
     OPTION_IDLE,
     "speed, rounding and ensembles"},
    /* Subwords. */
    {.names = "src_subword_model tgt_subword_model",
     OPTION_OBEYED,
     "files, which are looked for in the folder"},
    {.names = "src_subword_nbest tgt_subword_nbest src_subword_alpha tgt_subword_alpha",
     OPTION_IDLE,
     "training alone"},
    {.names = "src_subword_vocab tgt_subword_vocab src_vocab_threshold tgt_vocab_threshold "
              "replace_newline_sentinel",
     OPTION_IDLE,
     "which pieces are cut further; line breaks in texts"},
    {.names = NULL},
};

const struct toolkit_table options_eole = {"Eole", "`config.json`", options};
