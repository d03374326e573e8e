/* Options that checkpoints of fairseq have: GenerationConfig, TransformerConfig and
 * TranslationConfig. */
#include "model/formats/fairseq/fairseq.h"
#include "model/formats/options.h"
#include "model/text/quote.h"

static const struct toolkit_option options[] = {
    /* The search. */
    {.names = "beam", OPTION_OBEYED, "width of the beam"},
    {.names = "max_len_a max_len_b", OPTION_OBEYED, "longest translation"},
    {.names = "min_len", OPTION_OBEYED, "shortest translation"},
    {.names = "lenpen unnormalized",
     OPTION_OBEYED,
     "exponent of the length that scores are divided by"},
    {.names = "unkpen", OPTION_TOLD, "subtracted for every unknown token"},
    {.names = "temperature", OPTION_TOLD, "logits are divided by it", .neutral = 1},
    {.names = "no_repeat_ngram_size", OPTION_TOLD, "n-grams that may not come again"},
    {.names = "match_source_len", OPTION_TOLD, "translations as long as their sources"},
    {.names = "prefix_size", OPTION_TOLD, "tokens of the reference that translations begin with"},
    {.names = "sampling", OPTION_TOLD, "tokens are drawn at random"},
    {.names = "sampling_topk sampling_topp",
     OPTION_TOLD,
     "of sampling alone",
     .neutral = 0,
     .or_less = true,
     .of = "sampling"},
    {.names = "constraints", OPTION_TOLD, "words that translations must have"},
    {.names = "diverse_beam_groups",
     OPTION_TOLD,
     "groups of diverse beam search",
     .neutral = 0,
     .or_less = true},
    {.names = "diverse_beam_strength",
     OPTION_TOLD,
     "of these groups alone",
     .of = "diverse_beam_groups"},
    {.names = "diversity_rate", OPTION_TOLD, "penalty for siblings in the beam", .neutral = -1},
    {.names = "lm_path", OPTION_TOLD, "a language model that is joined"},
    {.names = "lm_weight", OPTION_TOLD, "of this language model alone", .of = "lm_path"},
    {.names = "replace_unk", OPTION_TOLD, "unknown tokens are replaced by source words"},
    {.names = "retain_dropout", OPTION_TOLD, "dropout while translating"},
    {.names = "retain_dropout_modules",
     OPTION_TOLD,
     "of retain_dropout alone",
     .of = "retain_dropout"},
    {.names = "eos_token", OPTION_TOLD, "another end-of-sentence"},
    {.names = "truncate_source", OPTION_TOLD, "longer sources are cut"},
    {.names = "no_early_stop", OPTION_IDLE, "fairseq itself does not read it"},
    {.names = "beam_mt max_len_a_mt max_len_b_mt lenpen_mt", OPTION_IDLE, "of speech translation"},
    {.names =
         "decoding_format iter_decode_eos_penalty iter_decode_max_iter iter_decode_force_max_iter "
         "iter_decode_with_beam iter_decode_with_external_reranker retain_iter_history",
     OPTION_IDLE,
     "of models that are not autoregressive"},
    {.names = "nbest print_alignment print_step sacrebleu score_reference",
     OPTION_IDLE,
     "what is written"},
    {.names = "no_beamable_mm no_seed_provided export", OPTION_IDLE, "speed, and the program"},
    /* The model. */
    {.names = "encoder_attention_heads decoder_attention_heads max_source_positions "
              "max_target_positions",
     OPTION_OBEYED,
     "sizes"},
    {.names =
         "encoder_layers decoder_layers encoder_embed_dim decoder_embed_dim encoder_ffn_embed_dim "
         "decoder_ffn_embed_dim decoder_input_dim decoder_output_dim",
     OPTION_OBEYED,
     "sizes, as the tensors say"},
    {.names = "encoder_normalize_before decoder_normalize_before", OPTION_OBEYED, "pre-norm"},
    {.names = "encoder_learned_pos decoder_learned_pos no_token_positional_embeddings",
     OPTION_OBEYED,
     "positions"},
    {.names = "activation_fn", OPTION_OBEYED, "activation"},
    {.names = "no_scale_embedding", OPTION_OBEYED, "embeddings without their scale"},
    {.names = "layernorm_embedding no_decoder_final_norm",
     OPTION_OBEYED,
     "norms, as the tensors say"},
    {.names = "share_all_embeddings share_decoder_input_output_embed",
     OPTION_OBEYED,
     "shared embeddings"},
    {.names = "adaptive_softmax_cutoff adaptive_input no_cross_attention cross_self_attention",
     OPTION_REFUSED,
     "other ways to build the model"},
    {.names = "merge_src_tgt_embed char_inputs base_layers", OPTION_REJECTED, "likewise"},
    {.names = "encoder_layers_to_keep decoder_layers_to_keep",
     OPTION_REJECTED,
     "layers that are taken out when the model is loaded"},
    {.names = "encoder_xformers_att_config decoder_xformers_att_config",
     OPTION_REJECTED,
     "another implementation of attention"},
    {.names = "quant_noise_scalar",
     OPTION_REJECTED,
     "weights that are rounded to 8 bits when they are used"},
    {.names =
         "adaptive_softmax_dropout adaptive_softmax_factor tie_adaptive_weights tie_adaptive_proj",
     OPTION_IDLE,
     "of adaptive softmax alone"},
    {.names = "base_sublayers base_shuffle", OPTION_IDLE, "of base_layers alone"},
    {.names = "source_lang target_lang", OPTION_OBEYED, "languages"},
    {.names = "left_pad_source left_pad_target",
     OPTION_IDLE,
     "on which side of a batch padding is"},
    {.names =
         "dropout attention_dropout activation_dropout relu_dropout encoder_layerdrop "
         "decoder_layerdrop "
         "encoder_embed_path decoder_embed_path quant_noise_pq quant_noise_pq_block_size "
         "checkpoint_activations offload_activations min_params_to_wrap data dataset_impl "
         "load_alignments upsample_primary num_batch_buckets required_seq_len_multiple "
         "train_subset "
         "eval_bleu eval_bleu_args eval_bleu_detok eval_bleu_detok_args eval_bleu_print_samples "
         "eval_bleu_remove_bpe eval_tokenized_bleu",
     OPTION_IDLE,
     "training alone"},
    {.names = NULL},
};

const struct toolkit_table options_fairseq = {"fairseq", "`cfg`, or in older checkpoints `args`",
                                              options};

/* Returns NULL if the value is absent or cannot be an option's. */
static json_t *value_json(const struct pickle_value *value)
{
    double number;
    const char *text = pickle_text(value);
    if (value && value->kind == PICKLE_BOOL)
        return json_boolean(value->integer != 0);
    if (pickle_number(value, &number))
        return json_real(number);
    if (text)
        return json_string(QUOTED(text));
    return pickle_count(value) > 0 ? json_string("a list") : json_null();
}

static bool add_values(const struct fs_reader *reader, const char *names, json_t *values)
{
    char name[OPTION_NAME];
    while (options_next_name(&names, name)) {
        const struct pickle_value *value = fs_option(reader, name);
        if (!pickle_none(value) && json_object_set_new(values, name, value_json(value)) != 0)
            return false;
    }
    return true;
}

json_t *fs_option_values(const struct fs_reader *reader)
{
    json_t *values = json_object();
    for (const struct toolkit_option *option = options; values && option->names; option++) {
        bool wanted = option->use == OPTION_TOLD || option->use == OPTION_REJECTED;
        if (wanted && !add_values(reader, option->names, values)) {
            json_decref(values);
            values = NULL;
        }
    }
    return values;
}
