/* Hugging Face folders with edited files, as other versions of transformers write them, and the
 * configuration that each gives. The values are those of transformers 5.24 for the same folder. */
#include <unistd.h>

#include <jansson.h>

#include "model/checkpoint/checkpoint.h"
#include "tests/model/formats/open_support.h"
#include "tests/support/test.h"

enum { MOST_EDITS = 8 };

/* In a file, `from` is replaced by `to` once. from NULL: the file becomes `to`, or a copy of
 * "tests/..."; both NULL: it is removed. */
struct edit {
    const char *file, *from, *to;
};

/* A part of the configuration, "search/beam", and its JSON, NULL: it is absent; part NULL: what is
 * refused. */
struct reading {
    const char *golden;
    struct edit edits[MOST_EDITS];
    const char *part, *value;
};

/* 21 pieces, and 32; the model has 40 ids. */
#define PIECES_21                                                                                  \
    "{\"<s>\": 0, \"<pad>\": 1, \"</s>\": 2, \"<unk>\": 3, \"a\": 4, \"b\": 5, \"c\": 6, \"d\": "  \
    "7, \"e\": 8, \"f\": 9, \"g\": 10, \"h\": 11, \"i\": 12, \"j\": 13, \"k\": 14, \"l\": 15, "    \
    "\"m\": 16, \"n\": 17, \"o\": 18, \"p\": 19, \"q\": 20"
#define PIECES_32                                                                                  \
    PIECES_21 ", \"r\": 21, \"s\": 22, \"t\": 23, \"u\": 24, \"v\": 25, \"w\": 26, \"x\": 27, "    \
              "\"y\": 28, \"z\": 29, \"ä\": 30, \"ö\": 31"

#define M2M100 "\"src_lang\": \"en\", \"tgt_lang\": null, \"tokenizer_class\": \"M2M100Tokenizer\""

/* Fields of config.json that are left out: they have the defaults of their classes.
 * generation_config.json has some, too. */
#define WITHOUT(field)                                                                             \
    {                                                                                              \
        "config.json", "\"" field "\"", "\"no_" field "\""                                         \
    }
#define WITHOUT_GENERATION                                                                         \
    {                                                                                              \
        "generation_config.json", NULL, "{}"                                                       \
    }
#define WITHOUT_FIELDS                                                                             \
    {                                                                                              \
        WITHOUT_GENERATION, WITHOUT("scale_embedding"), WITHOUT("activation_function"),            \
            WITHOUT("eos_token_id"), WITHOUT("pad_token_id"), WITHOUT("bos_token_id"),             \
            WITHOUT("decoder_start_token_id")                                                      \
    }

#define PEGASUS_MODEL                                                                              \
    {                                                                                              \
        "spiece.model", NULL, "tests/golden/formats/hf-mt5/spiece.model"                           \
    }

#define TEMPLATE                                                                                   \
    "\"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": [{\"SpecialToken\": "      \
    "{\"id\": \"en_XX\"}}, {\"Sequence\": {\"id\": \"A\"}}]}"

static const struct reading readings[] = {
    /* Lengths that scores are divided by have the token of the language, and no other start
     * token. */
    {"hf-m2m100", {WITHOUT_GENERATION}, "search/length_penalty/offset", "1"},
    {"hf-marian", {WITHOUT_GENERATION}, "search/length_penalty/offset", NULL},
    {"hf-m2m100", {WITHOUT_GENERATION}, "search/endings", "\"attainable\""},
    {"hf-m2m100",
     {{"generation_config.json", NULL, "{\"early_stopping\": false}"}},
     "search/endings",
     "\"attainable\""},
    {"hf-m2m100",
     {{"generation_config.json", NULL, "{\"early_stopping\": true}"}},
     "search/endings",
     "\"best\""},
    {"hf-m2m100",
     {WITHOUT_GENERATION,
      {"config.json", "\"model_type\"", "\"early_stopping\": true, \"model_type\""}},
     "search/endings",
     "\"best\""},
    /* M2M100Tokenizer.save_pretrained of version 5: no file lists the languages. */
    {"hf-m2m100",
     {{"special_tokens_map.json", NULL, NULL},
      {"vocab.json", NULL, PIECES_21 "}"},
      {"tokenizer_config.json", NULL, "{\"language_codes\": \"m2m100\", " M2M100 "}"}},
     "languages",
     "{\"af\": 21, \"am\": 22, \"ar\": 23, \"ast\": 24, \"az\": 25, \"ba\": 26, \"be\": 27, "
     "\"bg\": 28, \"bn\": 29, \"br\": 30, \"bs\": 31, \"ca\": 32, \"ceb\": 33, \"cs\": 34, "
     "\"cy\": 35, \"da\": 36, \"de\": 37, \"el\": 38, \"en\": 39}"},
    {"hf-m2m100",
     {{"special_tokens_map.json", NULL, NULL},
      {"vocab.json", NULL, PIECES_32 "}"},
      {"tokenizer_config.json", NULL, "{\"language_codes\": \"wmt21\", " M2M100 "}"}},
     "languages",
     "{\"en\": 32, \"ha\": 33, \"is\": 34, \"ja\": 35, \"cs\": 36, \"ru\": 37, \"zh\": 38, "
     "\"de\": 39}"},
    {"hf-m2m100",
     {{"special_tokens_map.json", NULL, NULL},
      {"vocab.json", NULL, PIECES_21 "}"},
      {"tokenizer_config.json", NULL, "{\"language_codes\": \"m2m1000\", " M2M100 "}"}},
     NULL,
     "tokenizer_config.json: language_codes: m2m1000, expected m2m100 or wmt21"},
    /* There the number is that of a language, too. */
    {"hf-m2m100",
     {{"special_tokens_map.json", NULL, NULL},
      {"vocab.json", NULL, PIECES_21 ", \"r\": 23}"},
      {"tokenizer_config.json", NULL, "{" M2M100 "}"}},
     NULL,
     "vocab.json: id 23 is \"r\", expected __am__, as languages follow the pieces"},
    {"hf-m2m100",
     {{"special_tokens_map.json", NULL, NULL},
      {"tokenizer_config.json", NULL, "{\"tokenizer_class\": \"NllbTokenizer\"}"}},
     NULL,
     "no piece is the token of a language, expected some such as __en__, "},
    {"hf-m2m100", WITHOUT_FIELDS, "embedding_scale", "4.0"},
    {"hf-m2m100", WITHOUT_FIELDS, "activation", "\"relu\""},
    {"hf-m2m100", WITHOUT_FIELDS, "special",
     "{\"pad\": 1, \"unk\": 3, \"eos\": {\"source\": 2, \"target\": 2}, "
     "\"bos\": {\"source\": 0, \"target\": 0}}"},
    {"hf-m2m100", WITHOUT_FIELDS, "target/start", "[2, \"target_language\"]"},
    {"hf-m2m100", {WITHOUT("max_position_embeddings")}, "max_positions", "1024"},
    {"hf-pegasus", WITHOUT_FIELDS, "embedding_scale", "1.0"},
    {"hf-pegasus", WITHOUT_FIELDS, "activation", "\"gelu\""},
    {"hf-pegasus", WITHOUT_FIELDS, "special",
     "{\"pad\": 0, \"unk\": 2, \"eos\": {\"source\": 1, \"target\": 1}}"},
    {"hf-pegasus", WITHOUT_FIELDS, "target/start", "[0]"},
    {"hf-bart", WITHOUT_FIELDS, "embedding_scale", "1.0"},
    {"hf-bart", WITHOUT_FIELDS, "activation", "\"gelu\""},
    {"hf-bart", WITHOUT_FIELDS, "special",
     "{\"pad\": 1, \"unk\": 3, \"eos\": {\"source\": 2, \"target\": 2}, "
     "\"bos\": {\"source\": 0, \"target\": 0}}"},
    {"hf-bart", WITHOUT_FIELDS, "source", "{\"prefix\": [0], \"suffix\": [2]}"},
    {"hf-bart", WITHOUT_FIELDS, "target/start", "[2]"},
    {"hf-mbart-25", WITHOUT_FIELDS, "embedding_scale", "1.0"},
    {"hf-mbart-25", WITHOUT_FIELDS, "activation", "\"gelu\""},
    {"hf-mbart-25", WITHOUT_FIELDS, "special",
     "{\"pad\": 1, \"unk\": 3, \"eos\": {\"source\": 2, \"target\": 2}, "
     "\"bos\": {\"source\": 0, \"target\": 0}}"},
    {"hf-mbart-25", WITHOUT_FIELDS, "target/start", "[\"target_language\"]"},
    {"hf-marian",
     {WITHOUT("scale_embedding"), WITHOUT("activation_function"), WITHOUT("eos_token_id")},
     "embedding_scale",
     "1.0"},
    {"hf-marian",
     {WITHOUT("scale_embedding"), WITHOUT("activation_function"), WITHOUT("eos_token_id")},
     "activation",
     "\"gelu\""},
    {"hf-marian",
     {WITHOUT("eos_token_id")},
     "special",
     "{\"pad\": 39, \"unk\": 1, \"eos\": {\"source\": 0, \"target\": 0}}"},
    {"hf-marian",
     {WITHOUT_GENERATION, WITHOUT("decoder_start_token_id")},
     NULL,
     "target.start[0]: 58100, expected 0 to 39 (the target vocabulary)"},
    {"hf-t5",
     {WITHOUT_GENERATION, WITHOUT("pad_token_id"), WITHOUT("eos_token_id")},
     "special",
     "{\"pad\": 0, \"unk\": 2, \"eos\": {\"source\": 1, \"target\": 1}}"},
    {"hf-bart",
     {{"config.json", "\"pad_token_id\": 1", "\"pad_token_id\": null"}},
     NULL,
     "config.json: pad_token_id: missing, expected a number"},
    /* MarianTokenizer knows no other spelling of languages than >>deu<<. */
    {"hf-marian", {{"vocab.json", "\"▁w5\"", "\"de_DE\""}}, "languages", NULL},
    {"hf-marian",
     {{"vocab.json", "\"▁w5\"", "\"__de__\""}},
     "source",
     "{\"prefix\": [], \"suffix\": [0]}"},
    {"hf-marian",
     {{"vocab.json", "\"▁w5\"", "\">>deu<<\""}},
     "source",
     "{\"prefix\": [\"target_language\"], \"suffix\": [0]}"},
    /* The tokeniser's class says where the source's language stands; another class leaves it to the
     * template. */
    {"hf-mbart-25",
     {{"config.json", "MBartTokenizer", "MBart50TokenizerFast"}},
     "source",
     "{\"prefix\": [\"source_language\"], \"suffix\": [2]}"},
    {"hf-mbart-50",
     {{"config.json", "MBart50Tokenizer", "MBartTokenizer"}},
     "source",
     "{\"prefix\": [], \"suffix\": [2, \"source_language\"]}"},
    {"hf-mbart-25",
     {{"config.json", "MBartTokenizer", "TokenizersBackend"},
      {"tokenizer.json", "\"added_tokens\"", TEMPLATE ", \"added_tokens\""}},
     "source",
     "{\"prefix\": [\"source_language\"], \"suffix\": [2]}"},
    {"hf-pegasus",
     {{"tokenizer.json", NULL, NULL},
      PEGASUS_MODEL,
      {"tokenizer_config.json", NULL, "{\"offset\": -1}"}},
     NULL,
     "tokenizer_config.json: offset: -1, expected 0 or more"},
    /* generate() ends at 6 tokens, of which </s> and <s> are given. */
    {"hf-bart",
     {{"generation_config.json", "{", "{\"max_new_tokens\": 5,"}},
     "search/max_length",
     "{\"factor\": 0.0, \"plus\": 4}"},
    {"hf-bart",
     {{"generation_config.json", "\"max_length\": 10", "\"max_new_tokens\": 5"}},
     "search/max_length",
     "{\"factor\": 0.0, \"plus\": 4}"},
    /* MarianTokenizer gives both pieces the id; one would be unknown here. */
    {"hf-marian",
     {{"vocab.json", "{", "{\"second\": 7, "}},
     NULL,
     "vocab.json: \"▁w5\": id 7 is also that of \"second\"; expected one piece for each id"},
    {"hf-marian-two-vocabularies",
     {{"target_vocab.json", "{", "{\"second\": 7, "}},
     NULL,
     "target_vocab.json: \"▁z5\": id 7 is also that of \"second\"; expected one piece for each id"},
    {"hf-t5",
     {{"tokenizer.json", NULL, "{\"model\": {\"vocab\": {\"a\": 0, \"b\": 0}}}"}},
     NULL,
     "tokenizer.json: \"b\": id 0 is also that of \"a\"; expected one piece for each id"},
    /* Beyond the embedding, where no token is. */
    {"hf-bart", {{"vocab.json", "{", "{\"second\": 40, \"third\": 40, "}}, "d_model", "8"},
    {"hf-marian", {{"added_tokens.json", NULL, "{\"second\": 7}"}}, "d_model", "16"},
    {"hf-t5gemma",
     {{"config.json", "\"encoder\": {", "\"encode\": {"}},
     NULL,
     "config.json: encoder: missing, expected an object"},
    {"hf-t5gemma",
     {{"config.json", "\"hidden_size\": 8", "\"hidden_size\": 12"}},
     NULL,
     "config.json: decoder.hidden_size: differs from the encoder's, expected the same value"},
    {"hf-t5gemma",
     {{"config.json", "\"attn_logit_softcapping\": 2.0", "\"attn_logit_softcapping\": null"}},
     NULL,
     "config.json: decoder.attn_logit_softcapping: differs "},
    {"hf-t5gemma",
     {{"config.json", "\"query_pre_attn_scalar\": 3", "\"query_pre_attn_scalar\": null"}},
     NULL,
     "config.json: decoder.query_pre_attn_scalar: expected a number above 0"},
    {"hf-t5gemma",
     {{"config.json", "\"sliding_window\": 3", "\"sliding_window\": 1"}},
     NULL,
     "config.json: decoder.sliding_window: 1, expected 2 or more"},
    {"hf-t5gemma",
     {{"config.json", "\"full_attention\"", "\"chunked_attention\""}},
     NULL,
     "config.json: decoder.layer_types: expected sliding_attention or full_attention"},
    {"hf-t5gemma",
     {{"config.json", "\"sliding_attention\",", ""}},
     NULL,
     "config.json: decoder.layer_types: expected the type of each layer"},
    {"hf-t5gemma",
     {{"config.json", "\"rope_theta\": 100.0",
       "\"rope_theta\": 100.0, \"rope_scaling\": {\"rope_type\": \"linear\", \"factor\": 2.0}"}},
     NULL,
     "config.json: decoder.rope_scaling: not supported, expected the default angles"},
    {"hf-t5gemma",
     {{"config.json", "\"rope_theta\": 100.0",
       "\"rope_parameters\": {\"rope_theta\": 100.0, \"rope_type\": \"yarn\"}"}},
     NULL,
     "config.json: decoder.rope_parameters: not supported, expected the default angles"},
    {"hf-t5gemma",
     {{"config.json", "\"rope_theta\": 100.0",
       "\"rope_parameters\": {\"rope_theta\": 99.0, \"rope_type\": \"default\"}"}},
     "positions/decoder/base",
     "99.0"},
    {"hf-t5gemma",
     {{"config.json", "\"final_logit_softcapping\": 4.0", "\"final_logit_softcapping\": null"}},
     "output_cap",
     NULL},
    {"hf-t5gemma",
     {{"config.json", "\"attention_bias\": false", "\"attention_bias\": true"}},
     NULL,
     "model.decoder.layers.0.self_attn.q_proj.bias: missing in the weights (every t5gemma model "},
    {"hf-t5gemma",
     {{"config.json", "\"attention_bias\": true", "\"attention_bias\": false"}},
     NULL,
     "not a tensor of a t5gemma model that is computed here"},
    {"hf-t5gemma",
     {{"config.json", "\"dtype\"", "\"tie_word_embeddings\": false, \"dtype\""}},
     "tied/output",
     "\"target_embedding\""},
    {"hf-t5gemma",
     {{"config.json", "\"dtype\"", "\"tie_word_embeddings\": false, \"dtype\""},
      {"config.json", "\"hidden_size\"", "\"tie_word_embeddings\": false, \"hidden_size\""}},
     NULL,
     "lm_head.out_proj.weight: missing in the weights (every t5gemma model has it)"},
    {"hf-t5gemma",
     {{"tokenizer_config.json", "\"add_eos_token\": false", "\"add_eos_token\": true"}},
     "source",
     "{\"prefix\": [2], \"suffix\": [1]}"},
    {"hf-t5gemma",
     {{"tokenizer_config.json", "\"add_bos_token\": true", "\"add_bos_token\": false"}},
     "source",
     "{\"prefix\": [], \"suffix\": []}"},
    {"hf-t5gemma",
     {{"tokenizer_config.json", "GemmaTokenizer", "PreTrainedTokenizerFast"}},
     "source",
     "{\"prefix\": [2], \"suffix\": []}"},
    {"hf-t5gemma",
     {{"tokenizer_config.json", "GemmaTokenizer", "PreTrainedTokenizerFast"},
      {"tokenizer.json", "\"SpecialToken\"", "\"NoToken\""}},
     "source",
     "{\"prefix\": [], \"suffix\": []}"},
    {"hf-t5gemma",
     {{"tokenizer_config.json", "\"bos_token\": \"<bos>\"", "\"bos_token\": \"<b>\""}},
     NULL,
     "tokenizer: bos_token around sentences: expected up to 4 pieces of the vocabulary"},
    {"hf-t5gemma",
     {{"tokenizer.json", "\"content\": \"▁\"", "\"content\": \"_ \""}},
     "tokenizer/kind",
     "\"whitespace\""},
    {"hf-t5gemma",
     {{"generation_config.json", "\"bos_token_id\": 2", "\"bos_token_id\": 4"}},
     "target/start",
     "[4]"},
    {"hf-t5gemma",
     {{"generation_config.json", "\"bos_token_id\": 2", "\"decoder_start_token_id\": 0"}},
     "target/start",
     "[0]"},
};

static char model_path[256];

static const char *in_model(const char *file)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", model_path, file);
    return path;
}

static void write_text(const char *path, const char *before, int bytes, const char *to,
                       const char *behind)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "%.*s%s%s", bytes, before, to, behind);
    assert_int_equal(fclose(file), 0);
}

static void replace(const char *path, const char *from, const char *to)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *at = strstr(text, from);
    if (!at)
        fail_msg("%s: no %s", path, from);
    write_text(path, text, (int)(at - text), to, at + strlen(from));
}

static void apply(const struct edit *edit)
{
    const char *path = in_model(edit->file);
    if (edit->from)
        replace(path, edit->from, edit->to);
    else if (edit->to && strncmp(edit->to, "tests/", 6) == 0)
        copy_file(edit->to, path + strlen(folder) + 1);
    else if (edit->to)
        write_text(path, "", 0, edit->to, "");
    else
        assert_int_equal(unlink(path), 0);
}

static struct checkpoint *open_edited(const struct reading *reading, struct status *status)
{
    char command[600];
    snprintf(model_path, sizeof model_path, "%s", path_of(reading->golden));
    snprintf(command, sizeof command, "cp -r tests/golden/formats/%s %s", reading->golden, folder);
    assert_int_equal(system(command), 0);
    for (size_t i = 0; i < MOST_EDITS && reading->edits[i].file; i++)
        apply(&reading->edits[i]);
    struct checkpoint *checkpoint = checkpoint_open(model_path, status);
    snprintf(command, sizeof command, "rm -r %s", model_path);
    assert_int_equal(system(command), 0);
    return checkpoint;
}

static const json_t *part_of(const json_t *json, const char *path)
{
    char keys[100], *rest;
    snprintf(keys, sizeof keys, "%s", path);
    for (char *key = strtok_r(keys, "/", &rest); key; key = strtok_r(NULL, "/", &rest))
        json = json_object_get(json, key);
    return json;
}

static void check_part(const struct reading *reading, const char *config)
{
    json_t *json = json_loads(config, 0, NULL);
    json_t *expected = reading->value ? json_loads(reading->value, JSON_DECODE_ANY, NULL) : NULL;
    const json_t *part = part_of(json, reading->part);
    assert_true(!reading->value || expected);
    if (expected ? !json_equal(part, expected) : part != NULL) {
        char *found = part ? json_dumps(part, JSON_ENCODE_ANY) : NULL;
        fail_msg("%s: %s: %s, expected %s", reading->golden, reading->part,
                 found ? found : "nothing", reading->value ? reading->value : "nothing");
    }
    json_decref(expected);
    json_decref(json);
}

static void a_folder_is_read_as_transformers_reads_it(void **state)
{
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        const struct reading *reading = &readings[i];
        struct status status = {0};
        struct checkpoint *checkpoint = open_edited(reading, &status);
        if (reading->part && !checkpoint)
            fail_msg("%s: %s: %s", reading->golden, reading->part, status.message);
        if (reading->part)
            check_part(reading, checkpoint->config->json);
        else if (checkpoint || !strstr(status.message, reading->value))
            fail_msg("%s: %s, expected %s", reading->golden, checkpoint ? "opened" : status.message,
                     reading->value);
        checkpoint_close(checkpoint);
    }
}

/* PegasusTokenizer reads it without tokenizer.json, and has tokens of its pre-training in front. */
static void a_sentencepiece_model_lists_the_pieces_of_pegasus(void **state)
{
    static const struct reading cases[] = {
        {"hf-pegasus",
         {{"tokenizer.json", NULL, NULL},
          PEGASUS_MODEL,
          {"tokenizer_config.json", NULL, "{\"offset\": 5}"}},
         NULL,
         "<pad> </s> <mask_1> <mask_2> <unk_2> <unk_3> <unk_4> <unk> ▁<2de> ▁<2fr> ▁w0 ▁w1"},
        {"hf-pegasus",
         {{"tokenizer.json", NULL, NULL},
          PEGASUS_MODEL,
          {"tokenizer_config.json", NULL, "{\"offset\": 2}"}},
         NULL,
         "<pad> </s> <mask_1> <mask_2> <unk> ▁<2de> ▁<2fr> ▁w0"},
        {"hf-pegasus",
         {{"tokenizer.json", NULL, NULL},
          PEGASUS_MODEL,
          {"tokenizer_config.json", NULL,
           "{\"offset\": 0, \"mask_token\": null, \"mask_token_sent\": null}"}},
         NULL,
         "<pad> </s> <unk> ▁<2de> ▁<2fr> ▁w0"},
        {"hf-pegasus",
         {{"tokenizer.json", NULL, NULL},
          PEGASUS_MODEL,
          {"tokenizer_config.json", NULL, "{\"offset\": 0}"}},
         NULL,
         "<pad> </s> <mask_1> <mask_2> <unk> ▁<2de> ▁<2fr>"},
        {"hf-pegasus",
         {{"tokenizer.json", NULL, NULL},
          PEGASUS_MODEL,
          {"tokenizer_config.json", NULL,
           "{\"offset\": 5, \"mask_token\": null, \"mask_token_sent\": null}"}},
         NULL,
         "<pad> </s> <unk_2> <unk_3> <unk_4> <unk> ▁<2de> ▁<2fr>"},
        {"hf-pegasus",
         {{"tokenizer.json", NULL, NULL},
          PEGASUS_MODEL,
          {"tokenizer_config.json", NULL, "{\"offset\": 5, \"mask_token\": null}"}},
         NULL,
         "<pad> </s> <mask_1> <unk_2> <unk_3> <unk_4> <unk> ▁<2de>"},
        {"hf-pegasus",
         {{"tokenizer.json", NULL, NULL}, PEGASUS_MODEL},
         NULL,
         "<pad> </s> <mask_1> <mask_2> <unk_2> <unk_3> <unk_4> <unk_5> <unk_6> <unk_7> <unk_8> "
         "<unk_9>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char pieces[500], *rest;
        struct status status = {0};
        struct checkpoint *checkpoint = open_edited(&cases[i], &status);
        if (!checkpoint)
            fail_msg("%s", status.message);
        int id = 0;
        snprintf(pieces, sizeof pieces, "%s", cases[i].value);
        for (char *piece = strtok_r(pieces, " ", &rest); piece; piece = strtok_r(NULL, " ", &rest))
            assert_string_equal(vocabulary_piece(checkpoint->vocabulary[SIDE_SOURCE], id++), piece);
        checkpoint_close(checkpoint);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_is_read_as_transformers_reads_it),
        cmocka_unit_test(a_sentencepiece_model_lists_the_pieces_of_pegasus),
    };
    return cmocka_run_group_tests(tests, open_make_folder, open_remove_folder);
}
