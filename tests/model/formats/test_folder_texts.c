/* The ids of typed text: those of AutoTokenizer of transformers 5.24 for the same folder, a golden
 * one with files of a tokeniser added. */
#include <unistd.h>

#include "model/checkpoint/checkpoint.h"
#include "model/net/sentence.h"
#include "tests/support/test.h"

#define PIECES "tests/golden/formats/hf-mt5/spiece.model"

/* A file of the folder: a copy of "tests/…", or text. */
struct file {
    const char *name, *content;
};

struct folder {
    const char *golden;
    struct file files[4];
    const char *const (*texts)[2]; // a text, and its ids or pieces; NULL at the end
};

static const char *const marian[][2] = {
    {">>fra<< w1 w2", "37 3 4 0"},   {">>fra<<w1 w2", "37 3 4 0"},
    {">>zzz<< w1", "1 3 0"},         {">>fra<< >>deu<< w1", "37 1 3 0"},
    {"w1</s>w2", "36 3 0 4 0"},      {"w1 <pad> w2", "36 3 39 4 0"},
    {"w1 >>fra<< w2", "36 3 1 4 0"}, {NULL, NULL},
};
static const char *const marian_added[][2] = {
    {"w1 <ent> w2", "36 3 12 4 0"}, {"w1<ent>w2", "36 3 12 4 0"}, {NULL, NULL}};
static const char *const mt5[][2] = {{"w1 <extra_id_99> w2", "6 24 7 1"},
                                     {"w1</s>w2", "6 1 7 1"},
                                     {"w1<extra_id_98>", "6 25 1"},
                                     {NULL, NULL}};
/* Given as pieces, because these models number languages differently from the published ones. */
static const char *const mbart_50[][2] = {{"w1</s>w2 ", "de_DE ▁w1 </s> ▁w2 ▁ </s>"},
                                          {"w1 de_DE w3", "de_DE ▁w1 ▁ de_DE ▁w3 </s>"},
                                          {NULL, NULL}};
static const char *const mbart_25[][2] = {{"w1 w2 ", "▁w1 ▁w2 </s> de_DE"}, {NULL, NULL}};

#define VOCABULARY                                                                                 \
    "{\"</s>\": 0, \"<unk>\": 1, \"▁w1\": 3, \"▁w2\": 4, \">>deu<<\": 36, \">>fra<<\": 37, "   \
    "\"<pad>\": 39}"
#define SUBWORDS                                                                                   \
    {"source.spm", PIECES},                                                                        \
    {                                                                                              \
        "target.spm", PIECES                                                                       \
    }

static const struct folder folders[] = {
    {"hf-marian-multilingual", {SUBWORDS}, marian},
    {"hf-marian-multilingual",
     {SUBWORDS, {"vocab.json", VOCABULARY}, {"added_tokens.json", "{\"<ent>\": 12}"}},
     marian_added},
    {"hf-mt5", {{NULL, NULL}}, mt5},
    {"hf-mbart-50", {{NULL, NULL}}, mbart_50},
    {"hf-mbart-50",
     {{"tokenizer_config.json",
       "{\"tokenizer_class\": \"MBartTokenizer\", \"src_lang\": \"de_DE\"}"}},
     mbart_25},
};

static void run(const char *command, const char *from, const char *to)
{
    char line[600];
    snprintf(line, sizeof line, "%s %s %s", command, from, to);
    assert_int_equal(system(line), 0);
}

static void put_file(const char *folder, const struct file *file)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, file->name);
    if (strncmp(file->content, "tests/", 6) == 0) {
        run("cp", file->content, path);
        return;
    }
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(file->content, out);
    assert_int_equal(fclose(out), 0);
}

static void check_text(const struct checkpoint *checkpoint, const char *text, const char *expected)
{
    struct sentence sentence = {.count = 0};
    struct status status;
    char got[200] = "";
    bool pieces = strspn(expected, "0123456789 ") < strlen(expected);
    assert_true(sentence_encode(checkpoint, text, &sentence, &status));
    for (int i = 0; i < sentence.count; i++)
        if (pieces)
            sprintf(got + strlen(got), "%s%s", i ? " " : "", sentence.pieces.text[i]);
        else
            sprintf(got + strlen(got), "%s%d", i ? " " : "", sentence.ids[i]);
    if (strcmp(got, expected) != 0)
        fail_msg("%s: %s: %s, expected %s", checkpoint->config->name, text, got, expected);
    sentence_free(&sentence);
}

static void check_named(const struct checkpoint *checkpoint, const char *text, const char *target,
                        int before, const char *unknown)
{
    struct sentence sentence = {.count = 0};
    struct status status;
    char code[LANGUAGE_CODE_BYTES];
    assert_true(sentence_encode(checkpoint, text, &sentence, &status));
    assert_string_equal(language_pair_name(checkpoint->config, &sentence.languages, SIDE_TARGET),
                        target);
    assert_int_equal(sentence.before, before);
    assert_int_equal(sentence.behind, 1);
    assert_string_equal(sentence.unknown, unknown);
    assert_int_equal(sentence_names_unknown(checkpoint, text, code), *unknown != '\0');
    for (int i = 0; i < sentence.count; i++)
        assert_int_equal(sentence.words[i], i); // of this text each piece is a word
    sentence_free(&sentence);
}

/* A text that names a language is translated into it; one that the model does not know is said. */
static void check_languages(const struct checkpoint *checkpoint)
{
    check_named(checkpoint, "w1 w2", "deu", 1, "");
    check_named(checkpoint, ">>fra<< w1 w2", "fra", 1, "");
    check_named(checkpoint, ">>zzz<< w1 w2", "deu", 1, ">>zzz<<");
}

static void check_folder(const struct folder *folder)
{
    char path[] = "/tmp/attnscope-test-XXXXXX", model[100], golden[100];
    struct status status;
    assert_non_null(mkdtemp(path));
    snprintf(model, sizeof model, "%s/%s", path, folder->golden);
    snprintf(golden, sizeof golden, "tests/golden/formats/%s", folder->golden);
    run("cp -r", golden, path);
    run("chmod -R u+w", path, "");
    for (size_t i = 0; i < 4 && folder->files[i].name; i++)
        put_file(model, &folder->files[i]);
    struct checkpoint *checkpoint = checkpoint_open(model, &status);
    if (!checkpoint)
        fail_msg("%s: %s", folder->golden, status.message);
    for (const char *const(*text)[2] = folder->texts; (*text)[0]; text++)
        check_text(checkpoint, (*text)[0], (*text)[1]);
    if (folder->texts == marian)
        check_languages(checkpoint);
    checkpoint_close(checkpoint);
    run("rm -r", path, "");
}

static void text_becomes_the_ids_of_the_tokenizer(void **state)
{
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        check_folder(&folders[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_becomes_the_ids_of_the_tokenizer)};
    return cmocka_run_group_tests_name("texts of folders", tests, NULL, NULL);
}
