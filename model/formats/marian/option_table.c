/* special:model.yml and decoder.yml of Marian: src/common/config_parser.cpp. */
#include <stddef.h>

#include "model/formats/options.h"

static const struct toolkit_option options[] = {
    /* The search. */
    {.names = "beam-size", OPTION_OBEYED, "width of the beam"},
    {.names = "normalize", OPTION_OBEYED, "exponent of the length that scores are divided by"},
    {.names = "max-length-factor", OPTION_OBEYED, "longest translation"},
    {.names = "word-penalty", OPTION_REFUSED, "subtracted for every token"},
    {.names = "allow-unk allow-special", OPTION_OBEYED, "tokens that translations may have"},
    {.names = "alignment", OPTION_OBEYED, "which head aligns words"},
    {.names = "output-sampling", OPTION_TOLD, "tokens are drawn at random"},
    {.names = "force-decode", OPTION_TOLD, "given prefixes"},
    {.names = "shortlist", OPTION_TOLD, "few pieces are considered"},
    {.names = "output-approx-knn", OPTION_TOLD, "approximate search in the output"},
    {.names = "skip-cost", OPTION_TOLD, "log-probabilities are left out"},
    {.names = "max-length-crop", OPTION_TOLD, "longer sources are cut"},
    {.names = "models",
     OPTION_OBEYED,
     "which model it is; an ensemble is refused, and told where one of it opens alone"},
    {.names = "weights", OPTION_IDLE, "of several models at once"},
    {.names = "vocabs", OPTION_OBEYED, "names of vocabularies"},
    {.names = "n-best n-best-feature word-scores no-spm-decode summary quiet-translation",
     OPTION_IDLE,
     "what is written"},
    {.names = "no-spm-encode tsv tsv-fields input output max-length", OPTION_IDLE, "what is read"},
    {.names =
         "precision fp16 optimize gemm-type quantize-range cpu-threads devices workspace "
         "mini-batch "
         "mini-batch-words maxi-batch maxi-batch-sort data-threads custom-fallbacks model-mmap",
     OPTION_IDLE,
     "speed, memory and rounding"},
    {.names = "gemm-precision", OPTION_OBEYED, "how products of 8 bits round activations"},
    /* The model. */
    {.names = "type", OPTION_OBEYED, "transformer; others are refused"},
    {.names = "dim-emb enc-depth dec-depth transformer-heads transformer-dim-ffn "
              "transformer-decoder-dim-ffn "
              "dim-vocabs",
     OPTION_OBEYED,
     "sizes"},
    {.names = "transformer-ffn-activation transformer-preprocess transformer-postprocess "
              "transformer-postprocess-emb transformer-postprocess-top transformer-decoder-autoreg "
              "dec-cell "
              "transformer-tied-layers transformer-disable-position-embeddings",
     OPTION_OBEYED,
     "how layers are built; others are refused"},
    {.names = "tied-embeddings tied-embeddings-src tied-embeddings-all output-omit-bias",
     OPTION_OBEYED,
     "as the file's parameters say"},
    {.names = "guided-alignment transformer-guided-alignment-layer",
     OPTION_OBEYED,
     "which head aligns"},
    {.names =
         "transformer-no-projection transformer-no-bias transformer-no-affine transformer-pool "
         "transformer-rnn-projection transformer-attention-mask transformer-alibi-shift alibi ulr "
         "right-left lemma-dim-emb transformer-ffn-depth transformer-decoder-ffn-depth",
     OPTION_REFUSED,
     "other ways to build layers"},
    {.names = "layer-normalization", OPTION_REFUSED, "a norm in a recurrence"},
    {.names = "transformer-train-position-embeddings", OPTION_REJECTED, "learned positions"},
    {.names = "transformer-alibi-trainable separator-symbol", OPTION_IDLE, "of alibi alone"},
    {.names = "input-reorder input-join-fields", OPTION_REJECTED, "several inputs"},
    {.names = "input-types",
     OPTION_IDLE,
     "several inputs; a model for them has further parameters"},
    {.names = "lemma-dependency factors-combine factors-dim-emb factor-weight",
     OPTION_REFUSED,
     "factors, by their vocabularies"},
    {.names = "transformer-dim-aan transformer-aan-depth transformer-aan-activation "
              "transformer-aan-nogate",
     OPTION_IDLE,
     "of average attention, which is refused"},
    {.names = "ulr-dim-emb ulr-dropout ulr-keys-vectors ulr-query-vectors ulr-softmax-temperature "
              "ulr-trainable-transformation",
     OPTION_IDLE,
     "of ulr alone"},
    {.names =
         "dim-rnn enc-type enc-cell enc-cell-depth dec-cell-base-depth dec-cell-high-depth skip "
         "best-deep "
         "char-stride char-highway char-conv-filters-num char-conv-filters-widths "
         "bert-mask-symbol bert-sep-symbol bert-class-symbol bert-masking-fraction "
         "bert-train-type-embeddings bert-type-vocab-size comet-final-sigmoid comet-stop-grad "
         "comet-mix "
         "comet-mix-norm comet-pool comet-mix-transformation comet-dropout comet-mixup "
         "comet-mixup-reg "
         "comet-augment-bad comet-pooler-ffn comet-prepend-zero comet-use-separator "
         "compute-similarity "
         "binary width train-embedder-rank like average",
     OPTION_IDLE,
     "of other types"},
    {.names =
         "transformer-depth-scaling dropout-rnn dropout-src dropout-trg transformer-dropout "
         "transformer-dropout-attention transformer-dropout-ffn pretrained-model after "
         "after-batches "
         "after-epochs all-caps-every english-title-case-every check-gradient-nan clip-norm "
         "cost-scaling "
         "cost-type data-weighting data-weighting-type disp-first disp-freq disp-label-counts "
         "disp-label-index dynamic-gradient-scaling early-stopping early-stopping-epsilon "
         "early-stopping-on embedding-fix-src embedding-fix-trg embedding-normalization "
         "embedding-vectors exponential-smoothing exponential-smoothing-replace-freq "
         "fp16-fallback-to-fp32 gradient-checkpointing gradient-norm-average-window "
         "guided-alignment-cost guided-alignment-weight keep-best label-smoothing learn-rate "
         "logical-epoch lr-decay lr-decay-freq lr-decay-inv-sqrt lr-decay-repeat-warmup "
         "lr-decay-reset-optimizer lr-decay-start lr-decay-strategy lr-report lr-warmup "
         "lr-warmup-at-reload lr-warmup-cycle lr-warmup-start-rate mini-batch-fit "
         "mini-batch-fit-step "
         "mini-batch-round-up mini-batch-track-lr mini-batch-warmup mini-batch-words-ref "
         "multi-loss-type "
         "no-nccl no-optimizer-reload no-reload no-restore-corpus no-shuffle normalize-gradient "
         "normalize-gradient-by-ratio optimizer optimizer-delay optimizer-params overwrite "
         "overwrite-checkpoint quantize-biases quantize-bits quantize-log-based "
         "quantize-optimization-steps quiet-validation recover-from-fallback-after save-freq "
         "sentencepiece-alphas sentencepiece-max-lines sentencepiece-options sharding shuffle "
         "shuffle-in-ram sigterm sqlite sqlite-drop sync-freq sync-sgd task tempdir "
         "throw-on-divergence "
         "train-sets unlikelihood-loss valid-freq valid-log valid-max-length valid-metrics "
         "valid-mini-batch valid-reset-all valid-reset-stalled valid-script-args valid-script-path "
         "valid-sets valid-translation-output",
     OPTION_IDLE,
     "training alone"},
    {.names =
         "authors build-info check-nan cite config dump-config encryption-key-path "
         "ignore-model-config "
         "interpolate-env-vars log log-level log-time-zone model port quiet relative-paths seed "
         "stat-freq",
     OPTION_IDLE,
     "of the program"},
    {.names = NULL},
};

const struct toolkit_table options_marian = {
    "Marian", "`special:model.yml` of the model, and `decoder.yml`", options};
