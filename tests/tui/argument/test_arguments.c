/* Arguments as data: usage, parsing, messages, and what may stand next. */
#include "terminal/text/arguments.h"
#include "tests/support/test.h"
#include "tui/argument/argument.h"

/* A study that switches heads off, a suite with two forms, gates with choices by place: the
 * grammars of commands. */
static const char *const by_names[] = {"head", "layer", "layer,head", "gradient", NULL};
enum { SRC, REF, BY, SELECTED, SHOW };
static const struct argument ablate_arguments[] = {
    [SRC] = {"SRC", .kind = ARGUMENT_FILE, .required = true},
    [REF] = {"REF", .kind = ARGUMENT_FILE, .required = true, .most = ARGUMENT_MANY},
    [BY] = {.keyword = "by", .kind = ARGUMENT_CHOICE, .choices = by_names},
    [SELECTED] = {.kind = ARGUMENT_SELECTORS, .heads = HEADS_SINGLE},
    [SHOW] = {"N", "show", .kind = ARGUMENT_INTEGER},
};
static const struct argument_list ablate = ARGUMENT_LIST(ablate_arguments);

static const char *const all[] = {"all", NULL};
static const char *const source[] = {"source", NULL};
enum { B_SCORED, B_SRC, B_REF, B_BY, B_GROUP, B_IN };
static const struct argument bleu_arguments[] = {
    [B_SCORED] = {.keyword = "--scored", .kind = ARGUMENT_FLAG},
    [B_SRC] = {"SRC", .kind = ARGUMENT_FILE, .required = true},
    [B_REF] = {"REF", .kind = ARGUMENT_FILE, .required = true, .most = ARGUMENT_MANY},
    [B_BY] = {"[source] [LENGTHS]", "by", ARGUMENT_NUMBERS, .most = 2, .choices = source},
    [B_GROUP] = {"N", "group", ARGUMENT_INTEGER, .choices = all},
    [B_IN] = {"A B", "in", ARGUMENT_STATE, .least = 2, .most = ARGUMENT_MANY,
              .without = ARG(B_GROUP)},
};
static const struct argument_list bleu = ARGUMENT_LIST(bleu_arguments);

static const char *const stacks[] = {"enc", "dec", "enc,dec", NULL},
                         *const sides[] = {"q", "k", "qk", NULL},
                         *const groupings[] = {"layer", "position", NULL};
enum { G_IN, G_STACK, G_SIDE, G_FILE, G_BY };
static const struct argument gates_arguments[] = {
    [G_IN] = {.keyword = "in", .kind = ARGUMENT_FLAG, .anywhere = true, .hidden = true},
    [G_STACK] = {.kind = ARGUMENT_CHOICE, .choices = stacks},
    [G_SIDE] = {.kind = ARGUMENT_CHOICE, .choices = sides},
    [G_FILE] = {"FILE", .kind = ARGUMENT_FILE},
    [G_BY] = {.keyword = "by", .kind = ARGUMENT_CHOICE, .choices = groupings, .needs = ARG(G_FILE)},
};
static const struct argument_list gates = ARGUMENT_LIST(gates_arguments);

static const char *const masks[] = {"global", "local", "forward", "backward", NULL};
enum { M_HEADS, M_MASK, M_WINDOW };
static const struct argument mask_arguments[] = {
    [M_HEADS] = {.kind = ARGUMENT_SELECTOR,
                 .required = true,
                 .expected = "the heads to mask, such as head 8"},
    [M_MASK] = {.kind = ARGUMENT_CHOICE, .choices = masks, .required = true},
    [M_WINDOW] = {"W", .kind = ARGUMENT_INTEGER, .needs = ARG(M_MASK), .to = 1000},
};
static const struct argument_list mask = ARGUMENT_LIST(mask_arguments);

enum { T_TOKEN, T_HEADS };
static const struct argument token_arguments[] = {
    [T_TOKEN] = {"TEXT|N", .kind = ARGUMENT_TOKEN, .required = true, .verbatim = true},
    [T_HEADS] = {.kind = ARGUMENT_SELECTOR},
};
static const struct argument_list token = ARGUMENT_LIST(token_arguments);

static const struct argument_list none = {NULL, 0};

/* Usage ---------------------------------------------------------------------------------------- */

static void assert_usage(const struct argument_list *list, const char *expected)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    arguments_usage(list, out);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void usage_follows_from_the_declaration(void **state)
{
    assert_usage(&none, "");
    assert_usage(&ablate, "SRC REF... [by head|layer|layer,head|gradient] "
                          "[SELECTOR [or SELECTOR]...] [show N]");
    assert_usage(&bleu, "[--scored] SRC REF... [by [source] [LENGTHS]] [group N|all | in A B...]");
    assert_usage(&gates, "[enc|dec|enc,dec] [q|k|qk] [FILE [by layer|position]]");
    assert_usage(&mask, "SELECTOR global|local|forward|backward [W]");
    assert_usage(&token, "TEXT|N [SELECTOR]");
}

/* Values --------------------------------------------------------------------------------------- */

struct typed {
    struct strings words;
    struct argument_values values;
    struct status status;
    bool ok;
};

static struct typed *read_line(const struct argument_list *list, const char *text, bool typed)
{
    struct typed *line = calloc(1, sizeof *line);
    assert_non_null(line);
    assert_true(arguments_split(text, &line->words, &line->status));
    line->ok = (typed ? arguments_parse_typed : arguments_parse)(list, &line->words, &line->values,
                                                                 &line->status);
    return line;
}

static void close_line(struct typed *line)
{
    arguments_free(&line->values);
    strings_free(&line->words);
    free(line);
}

static struct typed *parsed(const struct argument_list *list, const char *text)
{
    struct typed *line = read_line(list, text, false);
    if (!line->ok)
        fail_msg("%s: %s", text, line->status.message);
    return line;
}

static void words_go_to_places_keywords_and_selectors(void **state)
{
    struct typed *line =
        parsed(&ablate, "a.en a.de b.de by layer enc layer 2 or dec head 3 show 4");
    assert_string_equal(argument_text(&line->values, SRC), "a.en");
    assert_int_equal(line->values.each[REF].count, 2);
    assert_string_equal(line->values.each[REF].words[1], "b.de");
    assert_int_equal(argument_choice(&line->values, BY, -1), 1);
    assert_int_equal(argument_integer(&line->values, SHOW, 0), 4);
    assert_int_equal(line->values.selectors.count, 2);
    assert_int_equal(line->values.selectors.each[1].module, MODULE_DECODER);
    close_line(line);
}

static void a_number_or_a_word_may_stand_in_one_place(void **state)
{
    struct typed *line = parsed(&bleu, "a b by source 10,20 group all");
    assert_string_equal(line->values.each[B_BY].words[0], "source");
    assert_string_equal(line->values.each[B_BY].words[1], "10,20");
    assert_int_equal(argument_choice(&line->values, B_GROUP, -1), 0);
    assert_int_equal(argument_integer(&line->values, B_GROUP, -7), -7);
    close_line(line);
    line = parsed(&bleu, "--scored a b group 3");
    assert_true(argument_given(&line->values, B_SCORED));
    assert_int_equal(argument_integer(&line->values, B_GROUP, 0), 3);
    close_line(line);
}

static void choices_by_place_may_be_left_out(void **state)
{
    struct typed *line = parsed(&gates, "in enc file by position");
    assert_int_equal(argument_choice(&line->values, G_STACK, -1), 0);
    assert_false(argument_given(&line->values, G_SIDE));
    assert_string_equal(argument_text(&line->values, G_FILE), "file");
    assert_int_equal(argument_choice(&line->values, G_BY, -1), 1);
    close_line(line);
    line = parsed(&gates, "qk ./q");
    assert_int_equal(argument_choice(&line->values, G_SIDE, -1), 2);
    assert_string_equal(argument_text(&line->values, G_FILE), "./q");
    close_line(line);
}

static void selectors_stand_anywhere(void **state)
{
    struct typed *line = parsed(&mask, "local enc 2 head 3");
    assert_int_equal(argument_choice(&line->values, M_MASK, -1), 1);
    assert_int_equal(argument_integer(&line->values, M_WINDOW, -1), 2);
    assert_true(line->values.selector.module_given);
    assert_true(selector_has_head(&line->values.selector, 2));
    assert_int_equal(line->values.each[M_HEADS].count, 3);
    close_line(line);
    line = parsed(&token, "head enc layer 1"); // the word "head" of a sentence
    assert_string_equal(argument_text(&line->values, T_TOKEN), "head");
    assert_int_equal(line->values.selector.layer, PART_LIST);
    close_line(line);
}

/* Messages ------------------------------------------------------------------------------------- */

static void messages_name_the_word_and_what_was_expected(void **state)
{
    static const struct {
        const struct argument_list *list;
        const char *text, *message;
        int wrong;
    } cases[] = {
        {&none, "x", "\"x\": unexpected argument", 0},
        {&ablate, "",
         "expected SRC REF... [by head|layer|layer,head|gradient] "
         "[SELECTOR [or SELECTOR]...] [show N]",
         0},
        {&ablate, "a b by heads", "by heads: expected head, layer, layer,head or gradient", 3},
        {&ablate, "a b by", "by: expected head, layer, layer,head or gradient after it", 3},
        {&ablate, "a by head", "by: expected REF... before it", 1},
        {&ablate, "a b show x", "show: \"x\", expected a whole number from 1", 3},
        {&ablate, "a b by head by layer",
         "by is given twice: expected by head|layer|layer,head|gradient once", 4},
        {&bleu, "a b in x", "in: expected A B... after it", 4},
        {&bleu, "a b group 1 in x y", "in: unexpected after group N|all", 4},
        {&bleu, "a b group some", "group some: expected N|all", 3},
        {&gates, "enc by layer", "by: expected FILE before it", 1},
        {&gates, "enc a b",
         "\"b\": unexpected argument, expected [enc|dec|enc,dec] [q|k|qk] "
         "[FILE [by layer|position]]",
         2},
        {&mask, "local 2", "expected the heads to mask, such as head 8", 2},
        {&mask, "enc",
         "expected global|local|forward|backward: SELECTOR "
         "global|local|forward|backward [W]",
         1},
        {&mask, "enc lokal", "\"lokal\": expected global, local, forward or backward", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct typed *line = read_line(cases[i].list, cases[i].text, false);
        if (line->ok)
            fail_msg("%s: read, expected: %s", cases[i].text, cases[i].message);
        assert_string_equal(line->status.message, cases[i].message);
        if (line->values.wrong != cases[i].wrong)
            fail_msg("%s: word %d, expected %d", cases[i].text, line->values.wrong, cases[i].wrong);
        close_line(line);
    }
}

/* What may stand next -------------------------------------------------------------------------- */

static void write_next(const struct argument_list *list, const char *text, char *out, size_t size)
{
    struct argument_next next[2 * ARGUMENTS_MOST];
    struct typed *line = read_line(list, text, true);
    assert_true(line->ok);
    int count = arguments_next(&line->values, next);
    *out = '\0';
    for (int i = 0; i < count; i++) {
        size_t used = strlen(out);
        const struct argument *argument = next[i].argument;
        snprintf(out + used, size - used, "%s%s", used ? " " : "",
                 next[i].keyword                     ? argument->keyword
                 : argument->name                    ? argument->name
                 : argument->kind == ARGUMENT_CHOICE ? argument->choices[0]
                                                     : "SELECTOR");
    }
    close_line(line);
}

static void what_may_stand_next_follows_from_the_words(void **state)
{
    static const struct {
        const struct argument_list *list;
        const char *text, *next;
    } cases[] = {
        {&ablate, "", "SRC SELECTOR"},
        {&ablate, "a", "REF SELECTOR"},
        {&ablate, "a b", "REF by SELECTOR show"},
        {&ablate, "a b by", "head"},
        {&ablate, "a b by head", "SELECTOR show"},
        {&ablate, "a b layer", "SELECTOR"},
        {&ablate, "a b show 2", "by SELECTOR"},
        {&bleu, "", "--scored SRC"},
        {&bleu, "a b", "REF by group in"},
        {&bleu, "a b by", "[source] [LENGTHS]"},
        {&bleu, "a b by source", "[source] [LENGTHS] group in"},
        {&bleu, "a b in x", "A B"},
        {&gates, "", "enc q FILE"},
        {&gates, "q", "FILE"},
        {&gates, "enc f", "by"},
        {&token, "", "TEXT|N"},
        {&token, "x", "SELECTOR"},
        {&none, "", ""},
    };
    char next[300];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_next(cases[i].list, cases[i].text, next, sizeof next);
        if (strcmp(next, cases[i].next) != 0)
            fail_msg("\"%s\": %s, expected %s", cases[i].text, next, cases[i].next);
    }
}

/* As in a shell: "~" is the home folder where it is all of a path, or before a slash. */
static void paths_begin_at_home(void **state)
{
    static const char *const paths[][2] = {
        {"~/a b", "/h/a b"}, {"~", "/h"}, {"~u/a", "~u/a"}, {"a~", "a~"}, {"./~", "./~"}};
    setenv("HOME", "/h", 1);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char *words[] = {(char *)paths[i][0], (char *)"ref"};
        struct argument_values values;
        struct status status;
        const struct strings given = {.text = words, .count = 2};
        assert_true(arguments_parse(&ablate, &given, &values, &status));
        assert_string_equal(argument_text(&values, SRC), paths[i][1]);
        arguments_free(&values);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_follows_from_the_declaration),
        cmocka_unit_test(words_go_to_places_keywords_and_selectors),
        cmocka_unit_test(a_number_or_a_word_may_stand_in_one_place),
        cmocka_unit_test(choices_by_place_may_be_left_out),
        cmocka_unit_test(selectors_stand_anywhere),
        cmocka_unit_test(messages_name_the_word_and_what_was_expected),
        cmocka_unit_test(what_may_stand_next_follows_from_the_words),
        cmocka_unit_test(paths_begin_at_home),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
