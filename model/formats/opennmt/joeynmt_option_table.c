/* config.yaml of JoeyNMT, without the names of the objects that contain an option. */
#include <stddef.h>

#include "model/formats/options.h"

static const struct toolkit_option options[] = {
    /* The search: testing. */
    {.names = "beam_size", OPTION_OBEYED, "width of the beam"},
    {.names = "beam_alpha alpha",
     OPTION_OBEYED,
     "exponent of the length penalty; in a stack the factor of residual connections"},
    {.names = "min_output_length max_output_length",
     OPTION_OBEYED,
     "shortest and longest translation"},
    {.names = "generate_unk", OPTION_OBEYED, "translations may have the unknown token"},
    {.names = "repetition_penalty",
     OPTION_TOLD,
     "penalty for tokens that come again",
     .neutral = 1,
     .or_less = true},
    {.names = "no_repeat_ngram_size",
     OPTION_TOLD,
     "n-grams that may not come again",
     .neutral = 0,
     .or_less = true},
    {.names = "n_best nbest_size return_attention return_prob eval_metric eval_metrics sacrebleu "
              "sacrebleu_cfg",
     OPTION_IDLE,
     "what is written"},
    /* The model. */
    {.names = "type", OPTION_OBEYED, "transformer; others are refused"},
    {.names = "num_layers num_heads hidden_size ff_size embedding_dim", OPTION_OBEYED, "sizes"},
    {.names = "activation layer_norm scale", OPTION_OBEYED, "conventions"},
    {.names = "tied_embeddings tied_softmax", OPTION_OBEYED, "shared embeddings"},
    {.names = "initializer", OPTION_OBEYED, "of DeepNet, whose residual connections have factors"},
    {.names = "has_prompt", OPTION_REFUSED, "a prompt before the sentence"},
    {.names = "src_prompt_mask trg_prompt_mask trg_mask", OPTION_IDLE, "of such prompts alone"},
    {.names = "joeynmt_version", OPTION_OBEYED, "which defaults hold"},
    /* The data. */
    {.names = "lang src trg", OPTION_OBEYED, "languages"},
    {.names = "lowercase pretokenizer", OPTION_OBEYED, "text before it is cut"},
    {.names = "normalize",
     OPTION_OBEYED,
     "a tokeniser that normalises is not used: texts are read as pieces"},
    {.names = "level tokenizer_type tokenizer_cfg model_file codes bpe_type separator voc_file",
     OPTION_OBEYED,
     "tokeniser and vocabulary"},
    {.names = "special_symbols unk_id pad_id bos_id eos_id sep_id unk_token pad_token bos_token "
              "eos_token "
              "sep_token lang_tags",
     OPTION_OBEYED,
     "special tokens"},
    {.names = "max_length min_length", OPTION_IDLE, "sentences that training leaves out"},
    {.names =
         "name model data testing train training dev test encoder decoder embeddings vocab_size "
         "padding_idx "
         "pad split",
     OPTION_IDLE,
     "names, objects, and arguments within the program"},
    {.names = "use_cuda fp16 num_workers random_seed model_dir load_model batch_size batch_type",
     OPTION_IDLE,
     "of the program"},
    {.names =
         "dropout emb_dropout freeze load_pretrained load_encoder load_decoder bias_initializer "
         "bias_init_weight embed_initializer embed_init_weight embed_init_gain init_gain "
         "init_weight "
         "init_rnn_orthogonal lstm_forget_gate adam_betas batch_multiplier betas clip_grad_norm "
         "clip_grad_val dataset_cfg dataset_type decaying_step_size decrease_factor "
         "early_stopping_metric "
         "epochs keep_best_ckpts keep_last_ckpts label_smoothing learning_rate learning_rate_decay "
         "learning_rate_decay_length learning_rate_factor learning_rate_min learning_rate_peak "
         "learning_rate_warmup logging_freq loss momentum normalization optimizer patience "
         "print_valid_sents random_dev_subset random_train_subset reset_best_ckpt reset_iter_state "
         "reset_optimizer reset_scheduler sample_dev_subset sample_train_subset scheduling shuffle "
         "updates "
         "validation_freq voc_limit voc_min_freq weight_decay",
     OPTION_IDLE,
     "training alone"},
    {.names = NULL},
};

const struct toolkit_table options_joeynmt = {"JoeyNMT", "`config.yaml`", options};
