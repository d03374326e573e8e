/* The samples' sentences and treebank: what samples/TEXTS.md says of them, counted again. */
#include <ctype.h>

#include "tests/samples/texts_support.h"
#include "tests/support/test.h"

static const struct {
    const char *path;
    int count;
} sentence_files[] = {
    {"samples/sentences.en", 200},   {"samples/sentences.de", 200}, {"samples/sentences-ja.ja", 50},
    {"samples/sentences-ja.en", 50}, {"samples/aligned.en", 24},    {"samples/aligned.de", 24},
};
enum { SENTENCE_FILES = sizeof sentence_files / sizeof *sentence_files };

static void sentences_are_as_many_on_both_sides(void **state)
{
    for (int i = 0; i < SENTENCE_FILES; i++) {
        const char *path = sentence_files[i].path;
        struct text_lines lines = text_lines_open(path);
        if (lines.count != sentence_files[i].count)
            fail_msg("%s: %d lines, expected %d", path, lines.count, sentence_files[i].count);
        for (int line = 0; line < lines.count; line++)
            check_sentence(path, lines.line[line]);
        check_distinct(path, (const char *const *)lines.line, lines.count);
        text_lines_close(&lines);
    }
}

static void english_sentences_have_3_to_40_words(void **state)
{
    struct text_lines lines = text_lines_open("samples/sentences.en");
    int fewest = WORDS_MOST, most = 0;
    for (int i = 0; i < lines.count; i++) {
        struct words words;
        words_cut(lines.line[i], &words);
        fewest = words.count < fewest ? words.count : fewest;
        most = words.count > most ? words.count : most;
    }
    assert_int_equal(fewest, 3);
    assert_int_equal(most, 40);
    text_lines_close(&lines);
}

/* Like the training data of ja-en models: Japanese as people type it, English in lower case with
 * blanks between its tokens. */
static void japanese_has_no_blanks_and_its_english_is_tokenised(void **state)
{
    struct text_lines japanese = text_lines_open("samples/sentences-ja.ja");
    struct text_lines english = text_lines_open("samples/sentences-ja.en");
    for (int i = 0; i < japanese.count; i++) {
        if (strchr(japanese.line[i], ' '))
            fail_msg("%s: a blank", japanese.line[i]);
        for (const char *at = english.line[i]; *at; at++) {
            if (isupper((unsigned char)*at))
                fail_msg("%s: upper case", english.line[i]);
            if (strchr(",.?'", *at) && (at == english.line[i] || at[-1] != ' '))
                fail_msg("%s: no blank before %s", english.line[i], at);
        }
    }
    text_lines_close(&japanese);
    text_lines_close(&english);
}

/* ---- aligned.pharaoh ---- */

static int words_in(const char *sentence)
{
    struct words words;
    words_cut(sentence, &words);
    return words.count;
}

/* Links of one line, each of words that are there, and none of them twice; returns how many words
 * of the target have one. */
static int read_links(char *line, int source_words, int target_words)
{
    bool linked[WORDS_MOST][WORDS_MOST] = {{false}}, found[WORDS_MOST] = {false};
    int count = 0;
    for (char *rest = line, *word; (word = strsep(&rest, " "));) {
        int source, target;
        char mark, end;
        if (sscanf(word, "%d%c%d%c", &source, &mark, &target, &end) != 3 || !strchr("-?", mark) ||
            source < 0 || source >= source_words || target < 0 || target >= target_words ||
            linked[source][target])
            fail_msg("%s: no link of %d and %d words", word, source_words, target_words);
        linked[source][target] = true;
        count += !found[target];
        found[target] = true;
    }
    return count;
}

static void every_german_word_is_linked(void **state)
{
    struct text_lines english = text_lines_open("samples/aligned.en");
    struct text_lines german = text_lines_open("samples/aligned.de");
    struct text_lines links = text_lines_open("samples/aligned.pharaoh");
    int words = 0;
    assert_int_equal(links.count, german.count);
    for (int i = 0; i < links.count; i++) {
        int count = words_in(german.line[i]);
        assert_int_equal(read_links(links.line[i], words_in(english.line[i]), count), count);
        words += count;
    }
    assert_int_equal(words, 197);
    text_lines_close(&english);
    text_lines_close(&german);
    text_lines_close(&links);
}

/* ---- pos-en.conllu ---- */

static const char *const tags[] = {"ADJ",   "ADP",   "ADV", "AUX",  "CCONJ", "DET",
                                   "INTJ",  "NOUN",  "NUM", "PART", "PRON",  "PROPN",
                                   "PUNCT", "SCONJ", "SYM", "VERB", "X"};
enum { TAGS = sizeof tags / sizeof *tags, COLUMNS = 10 };

static int tag_number(const char *tag)
{
    for (int i = 0; i < TAGS; i++)
        if (strcmp(tags[i], tag) == 0)
            return i;
    fail_msg("%s: no universal tag", tag);
    return -1;
}

/* A sentence as its rows go by: what they spell has to be its text. */
struct treebank {
    int sentences, tokens, used[TAGS];
    char spelt[1024];
    const char *text;
};

static void read_row(struct treebank *bank, char *row)
{
    char *columns[COLUMNS + 1], *rest = row;
    int count = 0;
    while (count <= COLUMNS && (columns[count] = strsep(&rest, "\t")))
        if (!*columns[count++])
            fail_msg("%s: an empty column", bank->text);
    assert_int_equal(count, COLUMNS);
    assert_int_equal(atoi(columns[0]), ++bank->tokens);
    bank->used[tag_number(columns[3])]++;
    bool glued = strcmp(columns[9], "SpaceAfter=No") == 0;
    if (!glued)
        assert_string_equal(columns[9], "_");
    assert_true(strlen(bank->spelt) + strlen(columns[1]) + 2 < sizeof bank->spelt);
    strcat(bank->spelt, columns[1]);
    strcat(bank->spelt, glued ? "" : " ");
}

static void end_sentence(struct treebank *bank)
{
    bank->spelt[strlen(bank->spelt) - 1] = '\0'; // nothing follows the last token's blank
    assert_string_equal(bank->spelt, bank->text);
    assert_in_range(bank->tokens, 5, 25);
    check_sentence("pos-en.conllu", bank->text);
    bank->sentences++;
    bank->spelt[0] = '\0';
    bank->tokens = 0;
}

static void conllu_rows_spell_their_sentences(void **state)
{
    static struct treebank bank;
    struct text_lines lines = text_lines_open("samples/pos-en.conllu");
    for (int i = 0; i < lines.count; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "# sent_id = pos-%02d", bank.sentences + 1);
        if (strncmp(lines.line[i], "# sent_id", 9) == 0)
            assert_string_equal(lines.line[i], expected);
        else if (strncmp(lines.line[i], "# text = ", 9) == 0)
            bank.text = lines.line[i] + 9;
        else if (*lines.line[i])
            read_row(&bank, lines.line[i]);
        else
            end_sentence(&bank);
    }
    assert_int_equal(bank.sentences, 60);
    assert_int_equal(bank.tokens, 0);
    static const char *const frequent[] = {"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"};
    for (size_t i = 0; i < sizeof frequent / sizeof *frequent; i++)
        if (bank.used[tag_number(frequent[i])] < 15)
            fail_msg("%s: %d tokens, expected 15", frequent[i], bank.used[tag_number(frequent[i])]);
    text_lines_close(&lines);
}

/* ---- the sample's vocabulary ---- */

static void check_file_known(struct checkpoint *checkpoint, int side, const char *path)
{
    struct text_lines lines = text_lines_open(path);
    for (int i = 0; i < lines.count; i++)
        check_known(checkpoint, side, lines.line[i]);
    text_lines_close(&lines);
}

static struct checkpoint *sample_open(const char *path)
{
    struct status status;
    struct checkpoint *checkpoint = checkpoint_open(path, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    return checkpoint;
}

static void the_sample_knows_every_piece(void **state)
{
    struct checkpoint *checkpoint = sample_open("samples/en-de.bin");
    check_file_known(checkpoint, SIDE_SOURCE, "samples/sentences.en");
    check_file_known(checkpoint, SIDE_TARGET, "samples/sentences.de");
    struct text_lines lines = text_lines_open("samples/pos-en.conllu");
    for (int i = 0; i < lines.count; i++)
        if (strncmp(lines.line[i], "# text = ", 9) == 0)
            check_known(checkpoint, SIDE_SOURCE, lines.line[i] + 9);
    text_lines_close(&lines);
    checkpoint_close(checkpoint);
}

static void the_japanese_sample_knows_every_piece(void **state)
{
    struct checkpoint *checkpoint = sample_open("samples/ja-en-mma.bin");
    check_file_known(checkpoint, SIDE_SOURCE, "samples/sentences-ja.ja");
    check_file_known(checkpoint, SIDE_TARGET, "samples/sentences-ja.en");
    checkpoint_close(checkpoint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_are_as_many_on_both_sides),
        cmocka_unit_test(english_sentences_have_3_to_40_words),
        cmocka_unit_test(japanese_has_no_blanks_and_its_english_is_tokenised),
        cmocka_unit_test(every_german_word_is_linked),
        cmocka_unit_test(conllu_rows_spell_their_sentences),
        cmocka_unit_test(the_sample_knows_every_piece),
        cmocka_unit_test(the_japanese_sample_knows_every_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
