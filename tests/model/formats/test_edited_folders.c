/* Folders of other toolkits with one thing in a file changed: what is refused is named, with what
 * was expected. */
#include <unistd.h>

#include <jansson.h>

#include "tests/model/formats/open_support.h"
#include "tests/support/test.h"

static const struct change changes[] = {
    {"hf-bart", "config.json", "\"bart\"", "\"led\"",
     "config.json: model_type: led is not supported, expected marian, m2m_100, "},
    {"hf-bart", "config.json", "\"gelu\"", "\"gelu_10\"",
     "config.json: activation_function: gelu_10 is not supported, expected relu, gelu, "},
    {"hf-bart", "config.json", "\"max_position_embeddings\": 24", "\"max_position_embeddings\": 25",
     "encoder.positions.weight: shape [26, 8], expected [27, 8]"},
    {"hf-bart", "config.json", "\"decoder_ffn_dim\": 20", "\"decoder_ffn_dim\": 21",
     "decoder.layers.0.ffn.in.weight: shape [20, 8], expected [21, 8]"},
    {"hf-bart", "generation_config.json", "\"decoder_start_token_id\": 2",
     "\"decoder_start_token_id\": 40",
     "target.start[0]: 40, expected 0 to 39 (the target vocabulary)"},
    {"hf-bart", "generation_config.json", "      2\n", "      2, 14\n",
     "generation_config.json: bad_words_ids[4]: not one token, expected lists of one token each"},
    {"hf-bart", "generation_config.json", "      2\n", "      \"the\"\n",
     "generation_config.json: bad_words_ids[4]: not one token, expected lists of one token each"},
    {"hf-bart", "generation_config.json", "      2\n", "      40\n",
     "search.excluded[4]: 40, expected 0 to 39 (the target vocabulary)"},
    {"hf-bart", "generation_config.json", "      2\n", "      -1\n",
     "search.excluded[4]: -1, expected an id"},
    {"hf-bart", "generation_config.json", "{", "{\"suppress_tokens\": [9, 2],",
     "generation_config.json: suppress_tokens[1]: end-of-sentence, expected an id of another "
     "token"},
    {"hf-bart", "generation_config.json", "{", "{\"suppress_tokens\": [\"the\"],",
     "generation_config.json: suppress_tokens[0]: not an id, expected an id of another token"},
    {"hf-marian", "generation_config.json", "{", "{\"suppress_tokens\": [\"the\"],", // 0 ends
     "generation_config.json: suppress_tokens[0]: not an id, expected an id of another token"},
    {"hf-bart", "generation_config.json", "{", "{\"suppress_tokens\": [40],",
     "search.excluded[4]: 40, expected 0 to 39 (the target vocabulary)"},
    {"hf-bart", "generation_config.json", "\"bad_words_ids\": [", "\"good_words_ids\": [", NULL},
    {"hf-bart", "vocab.json", "35\": 39", "35\": 40", NULL},
    /* Python's way to write "no limit". Texts stay as they are, and numbers that are used are still
     * checked. */
    {"hf-mbart-25", "tokenizer_config.json", "\"src_lang\"",
     "\"model_max_length\": 1000000000000000019884624838656, \"a\\\"1234567890123456789012\": "
     "-5e-3, "
     "\"b\": -123456789012345678901234567890, \"src_lang\"",
     NULL},
    {"hf-bart", "config.json", "\"max_position_embeddings\": 24",
     "\"max_position_embeddings\": 1000000000000000019884624838656",
     "max_positions: 999999999999999999, expected an integer from 1 to 1048576"},
    {"hf-bart", "config.json", "\"init_std\": 0.02", "\"init_std\": 1e999",
     "config.json: line 29: real number overflow"},
    {"hf-bart", "vocab.json", "35\": 39", "35\": -1", "w35\": id -1, expected 0 or more"},
    {"hf-mbart-25", "tokenizer_config.json", "de_DE", "fr_XX",
     "tokenizer_config.json: src_lang: \"fr_XX\", expected a language of the model"},
    {"hf-mbart-25", "config.json", "\"model_type\"", "\"bad_words_ids\": [[5, 6]], \"model_type\"",
     ": config.json: bad_words_ids[0]: not one token"},
    {"hf-marian", "config.json", "\"marian\"", "\"m2m_100\"",
     ": no piece is the token of a language, expected some such as __en__, "},
    {"hf-mbart-25", "generation_config.json", "\"decoder_start_token_id\": 38",
     "\"decoder_start_token_id\": null", NULL},
    {"hf-mbart-25", "config.json", "\"mbart\"", "\"m2m_100\"",
     ".layernorm_embedding.bias: not a tensor of a m2m_100 model that is computed "
     "here"},
    {"hf-t5", "config.json", "\"feed_forward_proj\": \"relu\"",
     "\"feed_forward_proj\": \"gated-gelu_10\"",
     "config.json: feed_forward_proj: gelu_10 is not supported, expected relu, gelu, "},
    {"hf-t5", "config.json", "\"feed_forward_proj\": \"relu\"",
     "\"feed_forward_proj\": \"gated-relu\"",
     "encoder.block.0.layer.1.DenseReluDense.wi_0.weight: missing in the weights (every t5 "
     "model has it)"},
    {"hf-t5", "config.json", "\"relative_attention_num_buckets\": 8",
     "\"relative_attention_num_buckets\": 9",
     "encoder.relative_bias.weight: shape [8, 3], expected [9, 3]"},
    {"hf-t5", "config.json", "\"relative_attention_max_distance\": 10",
     "\"relative_attention_max_distance\": 4",
     "positions.decoder.bias: max_distance 4, expected more than 4 (of 8 buckets"},
    {"hf-t5", "config.json", "\"d_kv\": 5", "\"d_kv\": 6",
     "self_attention.q.weight: shape [15, 16], expected [18, 16]"},
    {"hf-t5", "config.json", "\"num_decoder_layers\": 1", "\"num_decoder_layers\": 2",
     "decoder.block.1.layer.0.SelfAttention.q.weight: missing in the weights"},
    {"hf-t5", "config.json", "\"num_layers\": 2", "\"num_layers\": 1",
     "encoder.block.1.layer.0.SelfAttention."},
    {"marian-opus", "decoder.yml", "opus.spm32k-spm32k.vocab.yml", "source.spm",
     "source.spm and opus.spm32k-spm32k.vocab.yml: a .spm vocabulary on one side; expected on "
     "both"},
    {"marian-opus", "decoder.yml", "vocab.yml\n- /train/opus.spm32k-spm32k.vocab.yml",
     "vocab.yml\n- /train/target.spm",
     "opus.spm32k-spm32k.vocab.yml and target.spm: a .spm vocabulary on one side; expected on "
     "both"},
    {"nn-transformer-post", "attnscope.json", "\"heads\": 2", "\"head\": 2",
     "attnscope.json: head: unknown; :help nn.Transformer has what is known"},
    {"nn-transformer-post", "attnscope.json", "\"heads\": 2", "\"heads\": 3",
     "3 heads, expected a number that divides the width, 8"},
    {"nn-transformer-post", "attnscope.json", "\"embedding_scale\": true,", "",
     "attnscope.json: embedding_scale: missing, expected true (embeddings are multiplied by "},
    {"nn-transformer-post", "attnscope.json", "\"output\": \"generator\",", "",
     "attnscope.json: output: missing, expected one of generator.weight (22 rows), "
     "positional_encoding.pe (1 rows), "},
    {"nn-transformer-post", "attnscope.json", "tgt_tok_emb.weight", "tgt_emb",
     "attnscope.json: embeddings: tgt_emb, expected one of generator.weight (22 rows), "},
    {"nn-transformer-post", "attnscope.json", "positional_encoding.pe", "sinusoidal",
     "positional_encoding.pe: not supported, expected a plain Transformer"},
    {"nn-transformer-post", "attnscope.json", "\"src.json\"", "\"best_model.pth\"",
     "best_model.pth: a zip archive, expected its contents: unpack it"},
    {"nn-transformer-post", "attnscope.json", "\"unk\": \"<unk>\"", "\"unk\": \"<oov>\"",
     "attnscope.json: unk: \"<oov>\", expected a piece of the source's vocabulary"},
    {"nn-transformer-post", "attnscope.json", "\"start\": \"<s>\",", "",
     "attnscope.json: target: another kind of value, expected {\"start\": PIECE, \"end\": PIECE}"},
    {"nn-transformer-post", "attnscope.json", "\"factor\": 1", "\"factor\": -1",
     "attnscope.json: max_length: another kind of value, expected a number of tokens, or "},
    {"nn-transformer-post", "attnscope.json", "\"heads\": 2",
     "\"heads\": 2, \"tokenizer\": \"bytes\"", "bytes: "},
    {"nn-transformer-post", "attnscope.json", "\"heads\": 2",
     "\"heads\": 2, \"norm_first\": true, \"activation\": \"gelu\", \"weights\": null", NULL},
    {"nn-transformer-post", "src.json", "\"w1\": 5", "\"w1\": 4",
     "src.json: \"w1\": expected an id that no other piece has"},
    {"nn-transformer-post", "src.json", "\"w1\": 5", "\"w1\": 23",
     "src.json: 24 pieces, expected at most 23, one for each embedding"},
    {"nn-transformer-pre", "attnscope.json", "checkpoint.pt", "model.pt",
     "model.pt: cannot be opened"},
    {"nn-transformer-pre", "attnscope.json", "gelu", "silu",
     "attnscope.json: activation: silu, expected relu or gelu"},
    {"nn-transformer-pre", "attnscope.json", "char2idx", "vocab", "vocab: cannot be opened"},
    {"nn-transformer-tutorial", "attnscope.json", "{", "{\"output\": \"decoder.fc_q\",",
     "attnscope.json: output: decoder.fc_q, expected one of decoder.fc_out.weight (22 rows), "},
    {"sockeye-pre", "config", "attention_heads: 2", "attention_heads: 0",
     "config: config_decoder.attention_heads: 0, expected at least 1"},
    {"sockeye-pre", "config", "attention_heads: 2", "attention_heads: 3",
     "params.best: 3 heads, expected a number that divides the width, 8"},
    {"sockeye-pre", "config", "act_type: relu", "act_type: tanh",
     "config: config_decoder.act_type: tanh is not supported, expected that of the encoder"},
    {"sockeye-pre", "config", "num_source_factors: 1", "num_source_factors: 2",
     "config: config_data.num_source_factors: factors are not supported, expected 1"},
    {"sockeye-pre", "config", "lhuc: false", "lhuc: true",
     "config: use_lhuc: true is not supported"},
    {"sockeye-pre", "config", "neural_vocab_selection: null", "neural_vocab_selection: logit_max",
     "config: neural_vocab_selection: \"logit_max\" is not "},
    {"sockeye-pre", "config", "postprocess_sequence: dr", "postprocess_sequence: rn",
     "config_decoder.postprocess_sequence: rn is not supported, expected n before and dr "},
    {"sockeye-pre", "config", "decoder_type: transformer", "decoder_type: rnn",
     "config: config_decoder.decoder_type: rnn is not supported, expected transformer or "},
    {"sockeye-pre", "config", "config_decoder:", "config_decode:",
     "config: config_decoder: missing, expected how the stack is built"},
    {"sockeye-pre", "config", "decoder_type: transformer", "decoder_type: ssru_transformer",
     "params.best: decoder.layers.0.autoregr_layer.linear.weight: missing"},
    {"sockeye-pre", "vocab.trg.0.json", "\"</s>\": 3", "\"</s>\": 4",
     "vocab.trg.0.json: not the ids 0 to 22, expected one for each piece"},
    {"sockeye-pre", "vocab.trg.0.json", "\"<unk>\": 1", "\"<oov>\": 1",
     "vocab.trg.0.json: <unk>: expected the id 1"},
    {"hf-byt5", "tokenizer_config.json", "ByT5Tokenizer", "T5Tokenizer",
     "vocab.json: missing, as is tokenizer.json"},
    {"hf-t5", "config.json", "\"t5\"", "\"longt5\"",
     "config.json: model_type: longt5 is not supported"},
    {"hf-t5", "config.json", "\"t5\"", "\"t5gemma2\"",
     "config.json: model_type: t5gemma2 is not supported; it needs norms of queries and keys, "},
    {"hf-mt5", "config.json", "\"mt5\"", "\"umt5\"",
     "encoder.block.1.layer.0.SelfAttention.relative_attention_bias.weight: missing in the weights "
     "(every umt5 model has it)"},
    {"hf-umt5", "config.json", "\"umt5\"", "\"mt5\"",
     ".block.1.layer.0.SelfAttention.relative_attention_bia…: not a tensor of a mt5 model"},
    {"eole", "config.json",
     "\"embeddings\": {\n      \"position_encoding_type\": \"SinusoidalInterleaved\"",
     "\"embeddings\": {\n      \"position_encoding_type\": \"Rotary\"",
     "config.json: model: position_encoding_type: Rotary is not supported, expected Sinusoidal"},
    {"eole", "config.json", "\"encoder\": {", "\"encode\": {",
     "config.json: model.encoder: missing, expected an encoder and a decoder"},
    {"eole", "config.json", "\"encoder_type\": \"transformer\"", "\"encoder_type\": \"brnn\"",
     "config.json: model: encoder_type: brnn is not supported, expected transformer"},
    {"eole", "config.json", "\"decoder\": {", "\"decoder\": {\"sliding_window\": 4,",
     "config.json: sliding_window: 4 is not supported, expected none"},
    {"eole", "config.json", "\"decoder\": {", "\"decoder\": {\"heads_kv\": 1,",
     "config.json: model: heads_kv: fewer heads for keys and values is not supported, "},
    {"eole", "config.json", "\"decoder\": {", "\"decoder\": {\"head_dim\": 1e300,",
     "decoder.head_dim: -2147483648, expected an integer from 1 to 65536"},
    {"eole", "vocab.json", "\"decoder_start_token\": \"<s>\"", "\"decoder_start_token\": \"<bos>\"",
     "vocab.json: tgt: no piece <bos>, expected one for the beginning of a translation"},
    {"eole", "vocab.json", "\"tgt\"", "\"target\"",
     "vocab.json: tgt: missing, expected a list of pieces"},
    {"eole-gated", "config.json", "\"share_embeddings\": true", "\"share_embeddings\": false",
     "tgt_emb.embeddings.weight: missing (every Transformer has it)"},
    {"hf-indictrans", "config.json", "\"decoder_embed_dim\": 8", "\"decoder_embed_dim\": 9",
     "config.json: decoder_embed_dim: 9, expected 8, that of the encoder"},
    {"hf-indictrans", "config.json", "\"layernorm_embedding\": true",
     "\"layernorm_embedding\": false",
     ".layernorm_embedding.bias: not a tensor of a IndicTrans model that is computed here"},
    {"hf-indictrans", "config.json", "\"encoder_normalize_before\": true",
     "\"encoder_normalize_before\": false",
     "model.encoder.layer_norm.bias: not a tensor of a IndicTrans model that is computed here"},
    {"hf-indictrans", "dict.SRC.json", "\"hin_Deva\"", "\"hindi\"",
     "dict.SRC.json: no pieces are tokens of languages, expected some such as eng_Latn"},
    {"hf-indictrans", "config.json", "output_embed\": false", "output_embed\": true", NULL},
    {"hf-fsmt", "tokenizer_config.json", "\"do_lower_case\": false", "\"do_lower_case\": true",
     "tokenizer_config.json: do_lower_case: true is not supported, expected false"},
    {"hf-fsmt", "tokenizer_config.json", ",\n  \"de\"", "",
     "tokenizer_config.json: langs: expected the codes of two languages, such as "},
    {"hf-fsmt", "tokenizer_config.json", "\"langs\"", "\"lang\"", NULL}, // config.json has them
    {"hf-fsmt", "config.json", "\"tgt_vocab_size\": 13", "\"tgt_vocab_size\": 14",
     "target_embedding.weight: shape [13, 8], expected [14, 8]"},
    {"hf-fsmt", "vocab-tgt.json", "\"x\": 4", "\"x\": 5", "vocab-tgt.json: \"y\": id 5 is also "},
    {"hf-umt5", "config.json", "_num_buckets\": 8", "_num_buckets\": 9",
     "encoder.layers.0.relative_bias.weight: shape [8, 2], expected [9, 2]"},
};

/* How a changed folder is configured: the JSON of a part, "search/min_length"; NULL: it is
 * absent. */
static const struct reading {
    struct change change;
    const char *part, *value;
} readings[] = {
    /* Start tokens count: </s> and a given <s>. */
    {{"hf-bart", "generation_config.json", "{", "{\"min_length\": 2,", NULL},
     "search/min_length",
     NULL},
    {{"hf-bart", "generation_config.json", "{", "{\"min_length\": 5,", NULL},
     "search/min_length",
     "3"},
    {{"hf-bart", "generation_config.json", "{", "{\"min_new_tokens\": 5,", NULL},
     "search/min_length",
     "4"},
    {{"hf-marian", "config.json", "{", "{\"min_length\": 5,", NULL}, "search/min_length", "4"},
    {{"ct2-bart", "config.json", "{", "{", NULL}, "search/min_length", "1"},
    {{"ct2-bart", "config.json", "{", "{", NULL}, "search/renormalize", "true"},
    {{"hf-bart", "generation_config.json", "{", "{\"renormalize_logits\": true,", NULL},
     "search/renormalize",
     "true"},
    {{"hf-bart", "generation_config.json", "{", "{\"renormalize_logits\": false,", NULL},
     "search/renormalize",
     NULL},
    {{"fairseq-pre", "dict.de.txt", "w0", "w0", NULL}, "search/renormalize", NULL},
    /* Ends of sources that the folder leaves to a tokenizer; once where it adds them. */
    {{"ct2-bart", "config.json", "{", "{", NULL}, "source", "{\"prefix\": [0], \"suffix\": [2]}"},
    {{"ct2-bart", "config.json", "_eos\": false", "_eos\": true", NULL},
     "source",
     "{\"prefix\": [], \"suffix\": [2]}"},
    {{"ct2-bart", "config.json", "start_token\": \"</s>\"", "start_token\": \"<pad>\"", NULL},
     "source",
     "{\"prefix\": [], \"suffix\": [2]}"},
    {{"ct2-bart", "config.json", "start_token\": \"</s>\"", "start_token\": \"<s>\"", NULL},
     "source",
     "{\"prefix\": [0], \"suffix\": [2]}"},
    {{"ct2-marian", "config.json", "{", "{", NULL}, "source", "{\"prefix\": [], \"suffix\": [0]}"},
    {{"ct2-marian", "config.json", "_eos\": false", "_eos\": true", NULL},
     "source",
     "{\"prefix\": [], \"suffix\": [0]}"},
    {{"ct2-t5", "config.json", "{", "{", NULL}, "source", "{\"prefix\": [], \"suffix\": [1]}"},
    /* Each vocabulary numbers special pieces in its own way; only the target has the piece of
     * zeros. */
    {{"ct2-marian-two-vocabularies", "config.json", "{", "{", NULL},
     "special",
     "{\"pad\": {\"source\": 20, \"target\": 39}, \"unk\": {\"source\": 20, \"target\": 1}, "
     "\"eos\": {\"source\": 15, \"target\": 0}}"},
    /* Eole's model may say how it is searched, and which transforms change texts. */
    {{"eole", "config.json", "{",
      "{\"inference\": {\"beam_size\": 7, \"length_penalty\": \"none\", \"top_k\": 5},", NULL},
     "search/beam",
     "7"},
    {{"eole", "config.json", "{", "{\"inference\": {\"length_penalty\": \"none\", \"top_k\": 5},",
      NULL},
     "left_out",
     "[\"top_k 5\"]"},
    {{"eole", "config.json", "{", "{", NULL},
     "search/max_length",
     "{\"factor\": 2.0, \"plus\": 5, \"most\": 250}"},
    {{"eole", "config.json", "{", "{\"inference\": {\"max_length\": 7, \"max_length_ratio\": 0},",
      NULL},
     "search/max_length",
     "{\"factor\": 0.0, \"plus\": 7, \"most\": 7}"},
    {{"eole-gated", "config.json", "\"filtertoolong\"", "\"normalize\"", NULL},
     "left_out",
     "[\"transform normalize\"]"},
    {{"hf-indictrans", "config.json", "{", "{", NULL},
     "source",
     "{\"prefix\": [\"source_language\", \"target_language\"], \"suffix\": [2]}"},
    {{"hf-indictrans", "config.json", "{", "{", NULL}, "max_positions", "24"},
    {{"hf-indictrans", "config.json", "{", "{", NULL},
     "left_out",
     "[\"IndicProcessor (normalization, Devanagari)\"]"},
    /* FSMT's converter leaves out what FSMTConfig has by default. */
    {{"hf-fsmt", "config.json", "\"max_length\": 10", "\"max\": 10", NULL},
     "search/max_length",
     "{\"factor\": 0.0, \"plus\": 199}"},
    {{"hf-fsmt", "config.json", "\"num_beams\": 3,", "", NULL}, "search/beam", "5"},
    {{"hf-fsmt", "config.json", "{", "{", NULL}, "search/limit", "\"free\""},
    {{"hf-fsmt", "config.json", "{", "{\"forced_eos_token_id\": null,", NULL},
     "search/limit",
     "\"open\""},
    {{"hf-fsmt", "config.json", "{", "{", NULL}, "source_language", "\"en\""},
    {{"hf-fsmt", "tokenizer_config.json", "\"de\"", "\"fr\"", NULL}, "target_language", "\"fr\""},
    /* UMT5's configuration says whether the decoder's output is scaled, by 1 / sqrt(d_model). */
    {{"hf-umt5", "config.json", "{", "{", NULL}, "output_scale", NULL},
    {{"hf-umt5", "config.json", "embeddings\": false", "embeddings\": true", NULL},
     "output_scale",
     "0.35355339059327373"},
    {{"hf-umt5", "config.json", "\"feed_forward_proj\": \"gated-gelu\",", "", NULL},
     "gated_ffn",
     "true"},
    /* What is never produced is the toolkit's rule. */
    {{"hf-bart", "config.json", "{", "{\"suppress_tokens\": [7],", NULL},
     "search/specials",
     "\"allowed\""},
    {{"hf-t5", "config.json", "{", "{\"suppress_tokens\": [7, 9],", NULL},
     "search/excluded",
     "[7, 9]"},
    {{"ct2-bart", "config.json", "{", "{", NULL}, "search/specials", "\"allowed\""},
    {{"ct2-bart", "config.json", "{", "{", NULL}, "search/excluded", NULL},
    {{"fairseq-pre", "dict.de.txt", "w0", "w0", NULL}, "search/specials", "\"allowed\""},
    {{"fairseq-pre", "dict.de.txt", "w0", "w0", NULL}, "search/excluded", "[1]"},
    {{"joeynmt-pre", "config.yaml", "beam_size: 5", "beam_size: 2", NULL},
     "search/excluded",
     "[2, 1]"},
    {{"joeynmt-pre", "config.yaml", "beam_size: 5", "beam_size: 1", NULL},
     "search/excluded",
     "[2]"},
    {{"joeynmt-pre", "config.yaml", "beam_size: 5", "generate_unk: False", NULL},
     "search/excluded",
     "[2, 0]"},
    {{"marian-opus", "decoder.yml", "beam", "beam", NULL}, "search/specials", NULL},
    /* BART's tokeniser puts <s> before targets, too. If it is forced, it is a start token. */
    {{"hf-bart", "config.json", "{", "{", NULL}, "target", "{\"start\": [2, 0]}"},
    {{"hf-bart", "generation_config.json", "\"forced_bos_token_id\": 0,", "", NULL},
     "target",
     "{\"start\": [2], \"prefix\": [0]}"},
    {{"ct2-bart", "config.json", "{", "{", NULL}, "target", "{\"start\": [2], \"prefix\": [0]}"},
    {{"hf-m2m100", "config.json", "{", "{", NULL}, "target/prefix", NULL},
    /* Neighbours that are spelt as languages are some; a single one is a piece. */
    {{"ct2-bart", "shared_vocabulary.json", "\\u2581w5\"", "de_DE\"", NULL}, "languages", NULL},
    {{"ct2-bart", "shared_vocabulary.json", "\\u2581w5\",\n  \"\\u2581w6\"", "de_DE\", \"en_XX\"",
      NULL},
     "languages",
     "{\"de_DE\": 9, \"en_XX\": 10}"},
    {{"ct2-bart", "shared_vocabulary.json", "\\u2581w5\",\n  \"\\u2581w6\"", "__de__\", \"__en__\"",
      NULL},
     "source",
     "{\"prefix\": [\"source_language\"], \"suffix\": [2]}"},
    {{"ct2-bart", "shared_vocabulary.json", "\\u2581w5\",\n  \"\\u2581w6\",\n  \"\\u2581w7\"",
      "de_DE\", \"de\", \"en_XX\"", NULL},
     "languages",
     NULL},
    {{"ct2-bart", "shared_vocabulary.json", "\\u2581w5\",\n  \"\\u2581w6\",\n  \"\\u2581w7\"",
      ">>deu<<\", \"de\", \">>fra<<\"", NULL},
     "source",
     "{\"prefix\": [\"target_language\"], \"suffix\": [2]}"},
};

static const json_t *part_of(const json_t *json, const char *path)
{
    char keys[100], *rest;
    snprintf(keys, sizeof keys, "%s", path);
    for (char *key = strtok_r(keys, "/", &rest); key; key = strtok_r(NULL, "/", &rest))
        json = json_object_get(json, key);
    return json;
}

static void what_a_folder_says_is_configured(void **state)
{
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        const struct reading *reading = &readings[i];
        struct status status = {0};
        struct checkpoint *checkpoint = open_changed(&reading->change, false, &status);
        if (!checkpoint)
            fail_msg("%s: %s", reading->change.to, status.message);
        json_t *config = json_loads(checkpoint->config->json, 0, NULL);
        json_t *expected =
            reading->value ? json_loads(reading->value, JSON_DECODE_ANY, NULL) : NULL;
        const json_t *part = part_of(config, reading->part);
        assert_true(!reading->value || expected);
        if (expected ? !json_equal(part, expected) : part != NULL)
            fail_msg("%s: %s: expected %s", reading->change.to, reading->part,
                     reading->value ? reading->value : "nothing");
        json_decref(expected);
        json_decref(config);
        checkpoint_close(checkpoint);
    }
}

static void what_a_folder_says_is_checked_and_named(void **state)
{
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        check_changed(&changes[i], false);
}

/* A model without a bias gets one; -100 is no probability. */
static void renormalised_probabilities_leave_tokens_out(void **state)
{
    static const struct change change = {"hf-m2m100", "generation_config.json", "{",
                                         "{\"bad_words_ids\": [[5], [7]], "
                                         "\"renormalize_logits\": true,",
                                         NULL};
    struct status status = {0};
    struct checkpoint *checkpoint = open_changed(&change, false, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    const struct stored_tensor *bias = checkpoint_tensor(checkpoint, "output.bias");
    assert_non_null(bias);
    assert_int_equal(bias->elements, 40);
    for (int64_t i = 0; i < bias->elements; i++) {
        float value;
        memcpy(&value, (const char *)bias->data + (size_t)i * sizeof value, sizeof value);
        assert_true(value == (i == 5 || i == 7 ? -100 : 0));
    }
    checkpoint_close(checkpoint);
}

/* Subword models of both sides, or none. */
static void one_subword_model_of_two_is_not_taken(void **state)
{
    static const char *const files[] = {"source.spm", "target.spm"};
    char path[512];
    for (int i = 0; i < 2; i++) {
        struct status status = {0};
        snprintf(path, sizeof path, "%s/%s", copy_model("marian-opus"), files[i]);
        assert_int_equal(unlink(path), 0);
        struct checkpoint *checkpoint = checkpoint_open(path_of("marian-opus"), &status);
        if (!checkpoint)
            fail_msg("without %s: %s", files[i], status.message);
        for (int side = 0; side < 2; side++)
            assert_true(checkpoint_in_pieces(checkpoint, side));
        checkpoint_close(checkpoint);
        remove_model("marian-opus");
    }
}

static void write_line(const char *path, const char *name, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", path, name);
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Writes a model of nn.Transformer that names files of codes; returns its path. */
static const char *with_codes(const char *source, const char *target)
{
    const char *path = copy_model("nn-transformer-post");
    char name[512];
    snprintf(name, sizeof name, "%s/attnscope.json", path);
    json_t *description = json_load_file(name, 0, NULL);
    assert_non_null(description);
    json_object_set_new(description, "tokenizer",
                        json_pack("{ssss}", "source", source, "target", target));
    assert_int_equal(json_dump_file(description, name, 0), 0);
    json_decref(description);
    write_line(path, "codes.src", "#version: 0.2\nw 1</w>\n");
    write_line(path, "codes.tgt", "#version: 0.2\nz 2</w>\n");
    return path;
}

static void expect_pieces(struct checkpoint *checkpoint, int side, const char *text,
                          const char *expected)
{
    struct status status;
    struct strings pieces = {0};
    char all[64] = "";
    assert_true(tokenizer_split(checkpoint->tokenizer[side], text, &pieces, &status));
    for (int i = 0; i < pieces.count; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s ", pieces.text[i]);
    assert_string_equal(all, expected);
    strings_free(&pieces);
}

static void a_description_names_the_codes_of_its_sides(void **state)
{
    struct status status;
    struct checkpoint *checkpoint = checkpoint_open(with_codes("codes.src", "codes.tgt"), &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    expect_pieces(checkpoint, SIDE_SOURCE, "w1 w2 z2", "w1 w@@ 2 z@@ 2 ");
    expect_pieces(checkpoint, SIDE_TARGET, "w1 z2", "w@@ 1 z2 ");
    checkpoint_close(checkpoint);
    remove_model("nn-transformer-post");
    refused(with_codes("codes.src", "words"), "words: cannot be opened: ");
    remove_model("nn-transformer-post");
    with_codes("codes.src", "vocab.spm");
    copy_file("tests/golden/formats/marian-bin/vocab.ende.spm", "nn-transformer-post/vocab.spm");
    refused(path_of("nn-transformer-post"),
            "tokenizer: another kind of value, expected files of one kind");
    remove_model("nn-transformer-post");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_names_the_codes_of_its_sides),
        cmocka_unit_test(what_a_folder_says_is_checked_and_named),
        cmocka_unit_test(what_a_folder_says_is_configured),
        cmocka_unit_test(one_subword_model_of_two_is_not_taken),
        cmocka_unit_test(renormalised_probabilities_leave_tokens_out),
    };
    return cmocka_run_group_tests(tests, open_make_folder, open_remove_folder);
}
