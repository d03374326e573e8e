/* CoNLL-U files: what is read of them, and what is refused. Expected values are counted by hand. */
#include "model/text/conllu/conllu.h"
#include "tests/support/cli_support.h"
#include "tests/support/test.h"

#define ROW(id, form, upos, head, relation, misc)                                                  \
    id "\t" form "\t_\t" upos "\t_\t_\t" head "\t" relation "\t_\t" misc "\n"
#define WORD(id, form, upos) ROW(id, form, upos, "_", "_", "_")
#define GLUED "SpaceAfter=No"

struct scene {
    struct lines lines;
    struct conllu conllu;
};

static struct scene read_text(const char *text)
{
    struct scene scene;
    struct status status = {0};
    if (!sentences_read(cli_write("c", text), NULL, &scene.lines, &scene.conllu, &status))
        fail_msg("%s: %s", text, status.message);
    return scene;
}

static void close_scene(struct scene *scene)
{
    lines_free(&scene->lines);
    conllu_free(&scene->conllu);
}

static const char *tag_of(const struct scene *scene, int sentence, int word)
{
    int tag = scene->conllu.sentences[sentence].words[word].upos;
    return tag < 0 ? "_" : scene->conllu.tags.text[tag];
}

/* The part of the text that a word has. */
static void check_span(const struct scene *scene, int sentence, int word, const char *expected)
{
    const struct conllu_word *is = &scene->conllu.sentences[sentence].words[word];
    assert_int_equal(is->end - is->begin, strlen(expected));
    assert_memory_equal(scene->lines.text[sentence] + is->begin, expected, strlen(expected));
}

static void words_have_form_tag_head_and_relation(void **state)
{
    struct scene scene =
        read_text("# newdoc\n"
                  "# text = Dogs bark.\n" ROW("1", "Dogs", "NOUN", "2", "nsubj", "_")
                      ROW("2", "bark", "VERB", "0", "root", "Gloss=x|" GLUED)
                          ROW("3", ".", "PUNCT", "2", "punct", "_") "\n");
    assert_int_equal(scene.lines.count, 1);
    assert_string_equal(scene.lines.text[0], "Dogs bark.");
    assert_int_equal(scene.lines.numbers[0], 2);
    assert_int_equal(scene.conllu.count, 1);
    const struct conllu_sentence *sentence = scene.conllu.sentences;
    assert_int_equal(sentence->count, 3);
    static const char *const forms[] = {"Dogs", "bark", "."},
                             *const tags[] = {"NOUN", "VERB", "PUNCT"},
                             *const relations[] = {"nsubj", "root", "punct"};
    static const int heads[] = {2, 0, 2};
    for (int i = 0; i < 3; i++) {
        const struct conllu_word *word = &sentence->words[i];
        assert_string_equal(word->form, forms[i]);
        assert_string_equal(tag_of(&scene, 0, i), tags[i]);
        assert_string_equal(scene.conllu.relations.text[word->relation], relations[i]);
        assert_int_equal(word->head, heads[i]);
        assert_int_equal(word->line, 3 + i);
        check_span(&scene, 0, i, forms[i]);
    }
    close_scene(&scene);
}

static void a_text_is_spelt_by_forms_where_no_comment_has_it(void **state)
{
    struct scene scene = read_text(ROW("1", "Ça", "PRON", "_", "_", "_") ROW(
        "2", "va", "VERB", "_", "_", GLUED) ROW("3", "?", "_", "_", "_", "_"));
    assert_string_equal(scene.lines.text[0], "Ça va?");
    check_span(&scene, 0, 0, "Ça");
    check_span(&scene, 0, 1, "va");
    check_span(&scene, 0, 2, "?");
    assert_string_equal(tag_of(&scene, 0, 2), "_");
    assert_int_equal(scene.conllu.sentences[0].words[0].head, -1);
    assert_int_equal(scene.conllu.sentences[0].words[0].relation, -1);
    close_scene(&scene);
}

/* An empty node is no word, wherever it is, and its columns are not those of one. */
static void empty_nodes_and_comments_are_no_words(void **state)
{
    struct scene scene =
        read_text("# sent_id = a\n" ROW("0.1", "It", "PRON", "_", "_", "_")
                      WORD("1", "rains", "VERB") ROW("1.1", "x", "X", "_", "_", "_")
                          ROW("1.2", "y", "X", "_", "_",
                              "_") "# text = not here\n" WORD("2", "#", "SYM") "\n\n\n# the end\n");
    assert_int_equal(scene.lines.count, 1);
    assert_string_equal(scene.lines.text[0], "rains #");
    assert_int_equal(scene.conllu.sentences[0].count, 2);
    assert_int_equal(scene.conllu.tags.count, 2);
    check_span(&scene, 0, 1, "#");
    close_scene(&scene);
}

/* "don't" is what its words spell. "du" is not: its two characters are shared by two forms of two,
 * "zum"'s three by "zu" (0 to 1.2) and "dem" (1.2 to 3): the middles are at 0.5, 1.5 and 2.5. */
static void words_of_a_range_share_its_characters(void **state)
{
    struct scene scene = read_text(
        "# text = I don't.\n" WORD("1", "I", "PRON") ROW("2-3", "don't", "_", "_", "_", GLUED)
            WORD("2", "do", "AUX") WORD("3", "n't", "PART")
                WORD("4", ".",
                     "PUNCT") "\n"
                              "# text = du\n" WORD("1-2", "du", "_") WORD("1", "de", "ADP")
                                  WORD("2", "le",
                                       "DET") "\n"
                                              "# text = zum Zug\n" WORD("1-2", "zum", "_")
                                                  WORD("1", "zu", "ADP") WORD("2", "dem", "DET")
                                                      WORD("3", "Zug", "NOUN"));
    assert_int_equal(scene.lines.count, 3);
    static const struct {
        int sentence, word;
        const char *text;
    } spans[] = {{0, 0, "I"}, {0, 1, "do"}, {0, 2, "n't"}, {0, 3, "."},  {1, 0, "d"},
                 {1, 1, "u"}, {2, 0, "z"},  {2, 1, "um"},  {2, 2, "Zug"}};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        check_span(&scene, spans[i].sentence, spans[i].word, spans[i].text);
    assert_string_equal(scene.conllu.sentences[1].words[1].form, "le");
    close_scene(&scene);
}

/* Blanks of any kind, in forms too. */
static void blanks_need_not_agree_with_the_text(void **state)
{
    struct scene scene =
        read_text("# text = 10 000\u00A0km  .\n" WORD("1", "10\u00A0000", "NUM")
                      WORD("2", "km", "NOUN") ROW("3", ".", "PUNCT", "2", "punct", "_"));
    assert_string_equal(scene.lines.text[0], "10 000\u00A0km  .");
    check_span(&scene, 0, 0, "10 000");
    check_span(&scene, 0, 1, "km");
    check_span(&scene, 0, 2, ".");
    close_scene(&scene);
}

/* Windows' line breaks, and a byte order mark. */
static void line_breaks_may_be_of_windows(void **state)
{
    struct scene scene = read_text("\xEF\xBB\xBF# text = a b\r\n1\ta\t_\tX\t_\t_\t_\t_\t_\t_\r\n"
                                   "2\tb\t_\tX\t_\t_\t_\t_\t_\t_\r\n\r\n");
    assert_string_equal(scene.lines.text[0], "a b");
    assert_int_equal(scene.conllu.sentences[0].count, 2);
    close_scene(&scene);
}

static void other_files_are_lines(void **state)
{
    static const char *const texts[] = {"# a title\n\nand a line\n", "1\tone\n2\ttwo\n",
                                        "\n\n# x\n", "1 The _ DET _ _ 2 det _ _\n3\n"};
    static const int counts[] = {3, 2, 3, 2};
    struct status status;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct scene scene = read_text(texts[i]);
        assert_int_equal(scene.lines.count, counts[i]);
        assert_int_equal(scene.lines.numbers[1], 2);
        assert_int_equal(scene.conllu.count, 0);
        assert_false(conllu_check("f", "by pos", &scene.conllu, &status));
        assert_string_equal(status.message, "f: plain text, and by pos needs a CoNLL-U file");
        close_scene(&scene);
    }
}

static void what_is_wrong_is_told_with_its_line(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"1\ta\t_\tX\t_\t_\t_\t_\t_\n", ":1: 9 columns, expected the 10"},
        {"# text = a\na\n", ":2: 1 column, expected the 10"},
        {WORD("1", "", "X"), ":1: column 2 is empty"},
        {WORD("1", " ", "X"), ":1: column 2 is empty"},
        {WORD("2", "a", "X"), ":1: ID \"2\": expected 1"},
        {WORD("1", "a", "X") WORD("1", "a", "X"), ":2: ID \"1\": expected 2"},
        {WORD("1", "a", "X") WORD("x", "a", "X"), ":2: ID \"x\": expected a number"},
        {WORD("1", "a", "X") WORD("2.1", "a", "X"), ":2: ID \"2.1\": expected 2"},
        {WORD("1", "a", "X") WORD("1.0", "a", "X"), ":2: ID \"1.0\": expected 2"},
        {WORD("1-2", "a", "X") WORD("1-2", "a", "X"), ":2: ID \"1-2\": expected 1"},
        {WORD("1", "a", "X") WORD("3-2", "a", "X"), ":2: ID \"3-2\": expected 2"},
        {WORD("1", "a", "X") WORD("999999999", "a", "X"),
         ":2: ID \"999999999\": expected a number"},
        {WORD("1-2", "a", "X") WORD("1", "a", "X") "\n", ":1: 1-2: the sentence ends with word 1"},
        {ROW("1", "a", "X", "x", "_", "_"), ":1: HEAD \"x\": expected a word's number"},
        {ROW("1", "a", "X", "-1", "_", "_"), ":1: HEAD \"-1\": expected a word's number"},
        {WORD("1", "a", "X") ROW("2", "b", "X", "3", "_", "_") WORD("3", "c", "X") "\n" //
         WORD("1", "a", "X") ROW("2", "b", "X", "3", "_", "_") "\n",
         ":6: HEAD 3: expected another of the sentence's 2 words"},
        {ROW("1", "a", "X", "1", "_", "_"), ":1: HEAD 1: expected another of"},
        {"# text = a c\n" WORD("1", "a", "X") WORD("2", "b", "X") "\n",
         ":1: the words spell \"a b\", expected the text, \"a c\""},
        {"# text = a\n" WORD("1", "a", "X") WORD("2", "b", "X"), ":1: the words spell \"a b\""},
        {"# text =\n" WORD("1", "a", "X"), ":1: the words spell \"a\", expected the text, \"\""},
        {WORD("1", "\xFF", "X"), ":1: invalid UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        struct status status = {0};
        if (sentences_read(cli_write("c", cases[i].text), NULL, &scene.lines, &scene.conllu,
                           &status))
            fail_msg("%s: read, expected \"%s\"", cases[i].text, cases[i].says);
        if (!strstr(status.message, cases[i].says) || strchr(status.message, '\n'))
            fail_msg("%s: \"%s\", expected \"%s\"", cases[i].text, status.message, cases[i].says);
        assert_int_equal(scene.lines.count, 0);
        close_scene(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_have_form_tag_head_and_relation),
        cmocka_unit_test(a_text_is_spelt_by_forms_where_no_comment_has_it),
        cmocka_unit_test(empty_nodes_and_comments_are_no_words),
        cmocka_unit_test(words_of_a_range_share_its_characters),
        cmocka_unit_test(blanks_need_not_agree_with_the_text),
        cmocka_unit_test(line_breaks_may_be_of_windows),
        cmocka_unit_test(other_files_are_lines),
        cmocka_unit_test(what_is_wrong_is_told_with_its_line),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
