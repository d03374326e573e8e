/* Commands that are wrong: one line says what was expected, as text and in JSON. */
#include "tests/support/cli_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

struct command_case {
    const char *model, *before, *command, *says; // before: a command that works, or NULL
};

static const struct command_case command_cases[] = {
    {MODEL, NULL, ":", "a colon without a command"},
    {MODEL, NULL, ": help", "a colon without a command"},
    {MODEL, NULL, ":nonsense", "unknown command :nonsense"},
    {MODEL, NULL, ":\x1b[31m", "unknown command"},
    {MODEL, NULL, ":-) said the dog", "start with a space to translate it literally"},
    {MODEL, NULL, ":e", "ambiguous command :e"},
    {MODEL, NULL, ":Help", "unknown command :Help"},
    {MODEL, NULL, ":help nonsense", "unknown command :nonsense"},
    {MODEL, NULL, ":help attn gates", "unexpected argument"},
    {MODEL, NULL, "a\xFF", "invalid UTF-8 at byte 2"},
    {MODEL, NULL, "a\xC0\x80", "invalid UTF-8 at byte 2"},
    {MODEL, NULL, "\xED\xA0\x80", "invalid UTF-8 at byte 1"},
    {MODEL, NULL, ":force \xFF", "invalid UTF-8 at byte 8"},
    {MODEL, NULL, ":attn \xFF", "invalid UTF-8 at byte 7"},
    {MODEL, NULL, ":force the dog", "no sentence yet"},
    {MODEL, SENTENCE, ":force", "expected the translation"},
    {MODEL, NULL, ":attn", "no sentence yet"},
    {MODEL, NULL, ":importance", "no head importance"},
    {MODEL, NULL, ":gates", "no gates"},
    {MODEL, NULL, ":export x.safetensors", "no sentence yet"},
    {MODEL, SENTENCE, ":attn head", "expected LIST, mean, max, importance or all"},
    {MODEL, SENTENCE, ":attn layer", "expected LIST or all"},
    {MODEL, SENTENCE, ":attn head 0", "numbers from 1"},
    {MODEL, SENTENCE, ":attn head 5", "head 5: the encoder has heads 1 to 4"},
    {MODEL, SENTENCE, ":attn layer 3", "layer 3: the encoder has layers 1 to 2"},
    {MODEL, SENTENCE, ":attn cross layer 3", "layer 3: cross-attention has layers 1 to 2"},
    {MODEL, SENTENCE, ":attn head 99999999999999999999", "numbers from 1"},
    {MODEL, SENTENCE, ":attn head 1-2", "one head"},
    {MODEL, SENTENCE, ":attn layer all", "one layer"},
    {MODEL, SENTENCE, ":attn layer 1-2", "one layer"},
    {MODEL, SENTENCE, ":attn enc dec", "two modules"},
    {MODEL, SENTENCE, ":attn in", "expected enc, dec or cross"},
    {MODEL, SENTENCE, ":attn words", "\"words\""},
    {MODEL, SENTENCE, ":attn word word", "word is given twice"},
    {MODEL, SENTENCE, ":attn 'head", "unfinished quote or backslash"},
    {MODEL, SENTENCE, ":attn head \\", "unfinished quote or backslash"},
    {MODEL, SENTENCE, ":attn ''", "unexpected argument, expected [SELECTOR]"},
    {MODEL, NULL, ":disable", "expected the heads to switch off"},
    {MODEL, NULL, ":disable enc head 1-2000000000",
     "head 2000000000: the encoder has heads 1 to 4"},
    {MODEL, NULL, ":disable enc head mean", "head mean: expected LIST"},
    {MODEL, NULL, ":disable head", "head: expected LIST after it"},
    {MODEL, NULL, ":disable all", "\"all\""},
    {MODEL, NULL, ":enable enc head 9", "head 9"},
    {MODEL, NULL, ":disabled head 1", "unexpected argument"},
    {MODEL, NULL, ":mask", "expected the heads to mask"},
    {MODEL, NULL, ":mask global", "expected the heads to mask"},
    {MODEL, NULL, ":mask enc head 1", "expected global, local W, forward or backward"},
    {MODEL, NULL, ":mask enc head 1 sideways", "\"sideways\": expected global"},
    {MODEL, NULL, ":mask enc head 1 local", "expected its window"},
    {MODEL, NULL, ":mask enc head 1 local -1", "whole number from 0"},
    {MODEL, NULL, ":mask enc head 1 local 3000000000", "whole number from 0"},
    {MODEL, NULL, ":mask enc head 1 local 2 3", "\"3\": unexpected argument"},
    {MODEL, NULL, ":mask enc head max global", "head max: expected LIST"},
    {FIXED, NULL, ":mask enc layer 2 head 3 global", "encoder layer 2 head 3 is fixed"},
    {MODEL, NULL, ":pattern enc head 1", "expected NAME: SELECTOR NAME"},
    {MODEL, NULL, ":pattern current", "expected the heads to replace"},
    {MODEL, NULL, ":pattern enc head 1 curent", "\"curent\": expected current, previous"},
    {MODEL, NULL, ":pattern enc head 1 current words", "\"words\""},
    {MODEL, NULL, ":reset all", "unexpected argument"},
    {MODEL, NULL, ":set nonsense", "unknown setting \"nonsense\""},
    {MODEL, NULL, ":set b", "ambiguous setting \"b\": expected one of beam, batch, "},
    {MODEL, NULL, ":set ''", "unknown setting \"\""},
    {MODEL, NULL, ":set beam 0", "beam: \"0\", expected a whole number from 1 to 1000"},
    {MODEL, NULL, ":set beam 1001", "from 1 to 1000"},
    {MODEL, NULL, ":set beam five", "from 1 to 1000"},
    {MODEL, NULL, ":set beam 5 5", "unexpected argument"},
    {MODEL, NULL, ":set beam 99999999999999999999", "from 1 to 1000"},
    {MODEL, NULL, ":set length_penalty harsh", "expected one of none, average, wu"},
    {MODEL, NULL, ":set length_penalty.alpha nan", "expected a number"},
    {MODEL, NULL, ":set length_penalty.alpha 1e999", "expected a number"},
    {MODEL, NULL, ":set max_length.factor -1", "expected a number"},
    {MODEL, NULL, ":score", "expected SRC ||| TGT"},
    {MODEL, NULL, ":score a dog", "SRC ||| TGT"},
    {MODEL, NULL, ":score a ||| b ||| c", "expected SRC ||| TGT"},
    {MODEL, NULL, ":score ||| b", "expected SRC ||| TGT"},
    {MODEL, NULL, ":translate", "expected FILE"},
    {MODEL, NULL, ":translate ''", "No such file"},
    {MODEL, NULL, ":translate nosuch", "nosuch: No such file"},
    {MODEL, NULL, ":translate /", "Is a directory"},
    {MODEL, NULL, ":translate Makefile README.md", "unexpected argument"},
    {MODEL, NULL, ":translate " MODEL, MODEL ":1: "},
    {MODEL, NULL, ":gates cross", "cross-attention takes no context"},
    {MODEL, NULL, ":ablate", "expected SRC REF"},
    {MODEL, NULL, ":ablate Makefile by head", "by: expected REF... before it"},
    {MODEL, NULL, ":ablate nosuch Makefile", "nosuch: No such file"},
    {MODEL, NULL, ":ablate Makefile README.md", "expected as many in both"},
    {MODEL, NULL, ":ablate /dev/null /dev/null", "/dev/null: empty, expected a sentence"},
    {MODEL, NULL, ":ablate Makefile " MODEL, MODEL ":1: "},
    {MODEL, NULL, ":ablate Makefile Makefile by", "by: expected head, layer"},
    {MODEL, NULL, ":ablate Makefile Makefile by pos", "by pos: expected head, layer"},
    {MODEL, NULL, ":ablate Makefile Makefile by head by layer", "by is given twice"},
    {MODEL, NULL, ":ablate Makefile Makefile enc Makefile", "\"Makefile\": unexpected argument"},
    {MODEL, NULL, ":ablate Makefile Makefile head mean", "head mean: expected LIST"},
    {MODEL, NULL, ":ablate Makefile Makefile head 5", "head 5: the encoder has heads 1 to 4"},
    {MODEL, NULL, ":ablate Makefile Makefile head 1 or", "or: expected [enc|dec|cross]"},
    {MODEL, NULL, ":ablate Makefile Makefile or head 1", "or: expected [enc|dec|cross]"},
    {MODEL, NULL, ":ablate Makefile Makefile show", "show: expected the number of an ablation"},
    {MODEL, NULL, ":ablate Makefile Makefile show 0", "expected a whole number from 1"},
    {MODEL, NULL, ":ablate Makefile Makefile show 5", "show 5: expected 1 to 4"},
    {MODEL, NULL, ":prune Makefile until 1", "until: expected REF... before it"},
    {MODEL, NULL, ":prune Makefile Makefile", "expected until DELTA after the files"},
    {MODEL, NULL, ":prune Makefile Makefile until", "expected until DELTA after the files"},
    {MODEL, NULL, ":prune Makefile Makefile until -1", "until: \"-1\", expected a number from 0"},
    {MODEL, NULL, ":prune Makefile Makefile until nan", "until: \"nan\", expected a number from 0"},
    {MODEL, NULL, ":prune Makefile Makefile until 1 by 2", "by 2: expected gradient"},
    {MODEL, NULL, ":prune Makefile Makefile until 1 show", "show: expected the number of a step"},
    {MODEL, NULL, ":prune Makefile Makefile until 1 show 0", "expected a whole number from 1"},
    {MODEL, NULL, ":prune Makefile Makefile until 1 show 9", "show 9: expected 1 to 8"},
    {MODEL, NULL, ":prune Makefile Makefile until 1 layer 3", "layer 3: the encoder has layers 1"},
    {MODEL, NULL, ":prune Makefile README.md until 1", "expected as many in both"},
    {MODEL, NULL, ":prune /dev/null /dev/null until 1", "/dev/null: empty, expected a sentence"},
    {MODEL, NULL, ":bleu", "expected SRC|HYP"},
    {MODEL, NULL, ":bleu Makefile", "expected REF..."},
    {MODEL, NULL, ":bleu --scored Makefile", "expected REF..."},
    {MODEL, NULL, ":bleu --score Makefile Makefile", "\"--score\": unexpected argument"},
    {MODEL, NULL, ":bleu --scored nosuch Makefile", "nosuch: No such file"},
    {MODEL, NULL, ":bleu --scored Makefile /", "/: Is a directory"},
    {MODEL, NULL, ":translate /dev/null", "/dev/null: empty, expected a sentence on each line"},
    {MODEL, NULL, ":bleu --scored /dev/null /dev/null", "/dev/null: empty, expected a sentence"},
    {MODEL, NULL, ":bleu --scored Makefile README.md", "expected as many in both"},
    {MODEL, NULL, ":bleu --scored README.md README.md Makefile", "expected as many in both"},
    {MODEL, NULL, ":bleu Makefile " MODEL, MODEL ":1: "},
    {MODEL, NULL, ":bleu --scored Makefile Makefile by",
     "by: expected source, or lengths such as 10,20,30"},
    {MODEL, NULL, ":bleu --scored Makefile Makefile by 9,3", "expected rising lengths like"},
    {MODEL, NULL, ":bleu --scored Makefile Makefile by 3 4", "\"4\": unexpected argument"},
    {MODEL, NULL, ":bleu --scored Makefile Makefile group",
     "group: expected a number or all after it"},
    {MODEL, NULL, ":bleu --scored Makefile Makefile group 0", "expected a whole number from 1"},
    {MODEL, NULL, ":bleu --scored Makefile Makefile group 5", "group 5: expected 1 to 4, or all"},
    {MODEL, NULL, ":bleu --scored Makefile Makefile by 3 group 3", "expected 1 to 2, or all"},
    {MODEL, NULL, ":compare", "expected A B SRC REF"},
    {MODEL, NULL, ":compare a b Makefile", "expected REF..."},
    {MODEL, NULL, ":compare nosuch current Makefile Makefile", "\"nosuch\""},
    {MODEL, NULL, ":compare before current Makefile Makefile", "nothing has been changed yet"},
    {MODEL, NULL, ":export a.png bleu --scored Makefile Makefile group 1",
     "this view cannot be written as .png"},
    {MODEL, NULL, ":export a.npy bleu --scored Makefile Makefile",
     "this view cannot be written as .npy, expected a name that ends in .png, .pdf, .svg, .csv, "
     ".tsv, .tex, .md, "
     ".npz or "
     ".json"},
    {MODEL, NULL, ":set bleu.tokenize moses", "expected one of 13a, intl, char, zh, none"},
    {GATES, SENTENCE, ":gates dec v", "v: No such file"},
    {GATES, SENTENCE, ":gates Makefile by", "expected layer, position, length or pos"},
    {GATES, SENTENCE, ":gates Makefile by head", "expected layer, position, length or pos"},
    {GATES, SENTENCE, ":gates Makefile by pos",
     "by pos: FILE has no parts of speech of translations"},
    {GATES, SENTENCE, ":gates Makefile by layer position", "\"position\""},
    {GATES, SENTENCE, ":gates by layer", "by: expected FILE before it"},
    {GATES, SENTENCE, ":gates in", "in: expected enc or dec"},
    {MODEL, SENTENCE, ":importance enc", "the encoder has no head importance"},
    {MODEL, SENTENCE, ":importance head 1", "shows every head"},
    {GATES, SENTENCE, ":importance layer 3", "layer 3: the decoder has layers 1 to 2"},
    {MODEL, SENTENCE, ":export", "expected FILE, a name that ends in .png"},
    {MODEL, SENTENCE, ":export figure.png", "no view yet"},
    {MODEL, SENTENCE, ":export figure.eps", "\"figure.eps\": expected a name that ends in .png"},
    {MODEL, SENTENCE, ":export .safetensors", "expected a name that ends in .png"},
    {MODEL, SENTENCE, ":export a.safetensors attn", "\"attn\": expected no view"},
    {MODEL, SENTENCE, ":export a.png quit", ":quit is not a view: expected translate"},
    {MODEL, SENTENCE, ":export a.png attn word word", "word is given twice"},
    {MODEL, SENTENCE, ":export a.png heads head 99999999999", "numbers from 1"},
    {MODEL, NULL, ":export a.png attn", "no sentence yet"},
    {MODEL, SENTENCE, ":export /nosuch/a.png attn", "/nosuch/a.png: cannot be written"},
    {MODEL, NULL, ":heads", "no sentence yet"},
    {MODEL, SENTENCE, ":heads words", "\"words\": unexpected argument"},
    {MODEL, SENTENCE, ":heads word word", "word is given twice"},
    {MODEL, SENTENCE, ":heads layer 3", "layer 3: the encoder has layers 1 to 2"},
    {MODEL, SENTENCE, ":heads head 1-2000000000", "head 2000000000"},
    {MODEL, SENTENCE, ":heads head max", "single heads"},
    {MODEL, SENTENCE, ":heads head", "head: expected LIST after it"},
    {MODEL, NULL, ":token cat", "no sentence yet"},
    {MODEL, SENTENCE, ":token", "expected a word of the sentence or its number"},
    {MODEL, SENTENCE, ":token cats", "expected a word of the sentence, or a number from 1 to 6"},
    {MODEL, SENTENCE, ":token 7", "or a number from 1 to 6"},
    {MODEL, SENTENCE, ":token 99999999999999999999", "or a number from 1 to 6"},
    {MODEL, SENTENCE, ":token -1", "or a number from 1 to 6"},
    {MODEL, SENTENCE, ":token cat dog", "\"dog\": unexpected argument"},
    {MODEL, SENTENCE, ":token cat head 9", "head 9"},
    {MODEL, NULL, ":set figure.dpi 20", "figure.dpi: \"20\", expected a whole number from 30"},
    {MODEL, NULL, ":set figure.colormap jet", "expected one of viridis"},
    {MODEL, SENTENCE, ":export /nosuch/a.safetensors", "/nosuch/a.safetensors"},
    {MODEL, NULL, ":open", "expected SRC [REF]"},
    {MODEL, NULL, ":open Makefile README.md", "expected as many in both"},
    {MODEL, NULL, ":open Makefile Makefile Makefile", "unexpected argument"},
    {MODEL, NULL, ":open /dev/null", "/dev/null: empty, expected a sentence on each line"},
    {MODEL, NULL, ":open " MODEL, MODEL ":1: "},
    {MODEL, NULL, ":open nosuch", "nosuch: No such file"},
    {MODEL, NULL, ":next", "no sentence yet: type some, or open a test set with :open SRC [REF]"},
    {MODEL, NULL, ":next 1", "unexpected argument"},
    {MODEL, NULL, ":prev", "no sentence yet: type some, or open a test set with :open SRC [REF]"},
    {MODEL, NULL, ":prev x", "unexpected argument"},
    {MODEL, NULL, ":goto 1", "no sentence yet: type some, or open a test set with :open SRC [REF]"},
    {MODEL, NULL, ":goto 1 2", "unexpected argument"},
    {MODEL, NULL, ":hypothesis", "no sentence yet"},
    {MODEL, SENTENCE, ":hypothesis 6", "expected a whole number from 1 to 5"},
    {MODEL, SENTENCE, ":hypothesis best", "expected a whole number from 1 to 5"},
    {MODEL, SENTENCE, ":hypothesis -99999999999999999999", "expected a whole number from 1 to 5"},
    {MODEL, SENTENCE, ":hypothesis 1 2", "unexpected argument"},
    {MODEL, NULL, ":state ''", "the name is empty"},
    {MODEL, NULL, ":state before", "is reserved: expected another name"},
    {MODEL, NULL, ":state vanilla_post.bin", "is the file of a loaded model"},
    {MODEL, NULL, ":state a b", "unexpected argument"},
    {MODEL, SENTENCE, ":beside", "expected A [B], two states: `:state` lists them"},
    {MODEL, SENTENCE, ":beside nosuch", "unknown state \"nosuch\""},
    {MODEL, SENTENCE, ":beside before", "nothing has been changed yet"},
    {MODEL, SENTENCE, ":beside current current current", "unexpected argument"},
    {MODEL, NULL, ":beside current", "no sentence yet"},
    {MODEL, NULL, ":load", "expected FILE"},
    {MODEL, NULL, ":load nosuch.bin", "nosuch.bin: "},
    {MODEL, NULL, ":load Makefile", "Makefile: "},
    {MODEL, NULL, ":load " MODEL, "already loaded, `:model` switches to it"},
    {MODEL, NULL, ":load " FIXED " x", "unexpected argument"},
    {MODEL, NULL, ":model nosuch", "unknown state \"nosuch\": `:state` lists the states"},
    {MODEL, NULL, ":model \x1b[31m", "unknown state"},
    {MODEL, NULL, ":model a b", "unexpected argument"},
    {MODEL, NULL, ":info all", "unexpected argument"},
    {MODEL, NULL, ":quit now", "unexpected argument"},
};

/* The arguments of a case; returns them. */
static const char *const *case_arguments(const struct command_case *given, bool json,
                                         const char **arguments)
{
    int count = 0;
    if (json)
        arguments[count++] = "--json";
    arguments[count++] = "--device";
    arguments[count++] = "cpu";
    arguments[count++] = "--threads";
    arguments[count++] = "1";
    arguments[count++] = given->model;
    if (given->before) {
        arguments[count++] = "-e";
        arguments[count++] = given->before;
    }
    arguments[count++] = "-e";
    arguments[count++] = given->command;
    arguments[count] = NULL;
    return arguments;
}

static void malformed_commands_end_in_one_line(void **state)
{
    for (size_t i = 0; i < sizeof command_cases / sizeof *command_cases; i++) {
        const struct command_case *given = &command_cases[i];
        const char *arguments[MOST_ARGUMENTS];
        struct outcome outcome = cli_run(case_arguments(given, false, arguments));
        if (outcome.code != 1)
            fail_msg("%s: ends with %d", cli_command_line(arguments), outcome.code);
        cli_check_message(arguments, &outcome, 1, given->says);
        if (cli_count_lines(outcome.out) != (given->before ? 1 : 0))
            fail_msg("%s: prints %s", cli_command_line(arguments), outcome.out);
        outcome_free(&outcome);
    }
}

/* The message is made before its form: of every few commands one is enough. */
static void malformed_commands_are_objects_in_json(void **state)
{
    for (size_t i = 0; i < sizeof command_cases / sizeof *command_cases;
         i += (size_t)rounds_of(10, 1)) {
        const struct command_case *given = &command_cases[i];
        const char *arguments[MOST_ARGUMENTS];
        struct outcome outcome = cli_run(case_arguments(given, true, arguments));
        if (outcome.code != 1 || *outcome.err)
            fail_msg("%s: ends with %d: %s", cli_command_line(arguments), outcome.code,
                     outcome.err);
        assert_int_equal(cli_count_lines(outcome.out), given->before ? 2 : 1);
        json_t *object = cli_object(arguments, outcome.out, given->before ? 1 : 0);
        assert_true(json_is_false(json_object_get(object, "ok")));
        const char *message = json_string_value(json_object_get(object, "error"));
        if (!message || !strstr(message, given->says))
            fail_msg("%s: \"%s\" does not say \"%s\"", cli_command_line(arguments), message,
                     given->says);
        json_decref(object);
        outcome_free(&outcome);
    }
}

static void a_failed_command_does_not_stop_those_after_it(void **state)
{
    static const char *const arguments[] = {CPU,  MODEL,       "-e", ":attn", "-e", SENTENCE,
                                            "-e", ":nonsense", "-e", ":set",  NULL};
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 1);
    assert_int_equal(cli_count_lines(outcome.err), 2);
    assert_non_null(strstr(outcome.out, "beam"));
    outcome_free(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_commands_end_in_one_line),
        cmocka_unit_test(malformed_commands_are_objects_in_json),
        cmocka_unit_test(a_failed_command_does_not_stop_those_after_it),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
