/* Options of OpenNMT-py: onmt/opts.py. Checkpoints have those of training; no file has those of
 * translate.py. */
#include <stddef.h>

#include "model/formats/options.h"

static const struct toolkit_option options[] = {
    {.names = "model_type encoder_type decoder_type self_attn_type generator_function layer_norm",
     OPTION_OBEYED,
     "which model it is; others are refused"},
    {.names = "heads norm_eps pos_ffn_activation_fn position_encoding position_encoding_type",
     OPTION_OBEYED,
     "sizes and conventions"},
    {.names = "layers enc_layers dec_layers hidden_size enc_hid_size dec_hid_size word_vec_size "
              "src_word_vec_size tgt_word_vec_size transformer_ff add_ffnbias add_qkvbias "
              "share_embeddings "
              "share_decoder_embeddings shared_layer_norm",
     OPTION_OBEYED,
     "as the tensors say"},
    {.names = "decoder_start_token default_specials", OPTION_OBEYED, "special tokens"},
    {.names = "lambda_align alignment_layer alignment_heads",
     OPTION_OBEYED,
     "heads that align words"},
    {.names =
         "max_relative_positions relative_positions_buckets copy_attn parallel_residual multiquery "
         "num_kv "
         "num_experts sliding_window lora_layers lora_embedding quant_type",
     OPTION_REFUSED,
     "other ways to build the model"},
    {.names =
         "data_type feat_merge feat_vec_size feat_vec_exponent src_ggnn_size state_dim n_node "
         "n_edge_types "
         "n_steps bidir_edges rnn_type bridge bridge_extra_node cnn_kernel_width input_feed "
         "global_attention "
         "global_attention_function context_gate coverage_attn aan_useffn rotary_dim "
         "rotary_interleave "
         "rotary_theta num_experts_per_tok lora_alpha lora_dropout lora_rank quant_layers w_bit "
         "group_size "
         "copy_attn_type copy_attn_force copy_loss_by_seqlength reuse_copy_attn lambda_coverage",
     OPTION_IDLE,
     "of models that are refused"},
    {.names = "full_context_alignment", OPTION_IDLE, "how alignments are trained and written"},
    {.names = "model_dtype precision fp32 int8 use_ckpting parallel_mode",
     OPTION_IDLE,
     "speed and rounding"},
    {.names =
         "beam_size ratio length_penalty alpha coverage_penalty beta stepwise_penalty min_length "
         "max_length "
         "max_length_ratio block_ngram_repeat ignore_when_blocking replace_unk ban_unk_token "
         "phrase_table "
         "random_sampling_topk random_sampling_topp random_sampling_temp avg_raw_probs n_best "
         "batch_size "
         "batch_type src tgt output model gpu report_align gold_align report_time dump_beam "
         "attn_debug "
         "align_debug with_score scoring_debug tgt_file_prefix profile seed log_file "
         "log_file_level "
         "verbose "
         "timeout",
     OPTION_IDLE,
     "of translate.py and its output, which no checkpoint has; the search has its defaults"},
    {.names =
         "accum_count accum_steps adagrad_accumulator_init adam_beta1 adam_beta2 apex_opt_level "
         "attention_dropout average_decay average_every batch_size_multiple decay_method "
         "decay_steps "
         "dropout "
         "dropout_steps dump_preds early_stopping early_stopping_criteria exp exp_host "
         "freeze_decoder "
         "freeze_encoder freeze_word_vecs_dec freeze_word_vecs_enc gpu_backend gpu_ranks "
         "gpu_verbose_level "
         "keep_checkpoint label_smoothing learning_rate learning_rate_decay lm_prior_lambda "
         "lm_prior_model "
         "lm_prior_tau loss_scale master_ip master_port max_grad_norm normalization num_workers "
         "optim "
         "override_opts param_init param_init_glorot pre_word_vecs_dec pre_word_vecs_enc "
         "report_every "
         "reset_optim save_checkpoint_steps save_format save_model single_pass "
         "src_seq_length_trunc "
         "start_decay_steps tensorboard tensorboard_log_dir tgt_seq_length_trunc train_from "
         "train_steps "
         "truncated_decoder valid_batch_size valid_metrics valid_steps warmup_steps world_size "
         "zero_out_prompt_loss",
     OPTION_IDLE,
     "training alone"},
    {.names = NULL},
};

const struct toolkit_table options_opennmt = {"OpenNMT-py", "`opt` of the checkpoint", options};
