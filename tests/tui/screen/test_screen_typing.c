/* Nothing that is typed is misread: sequences of keys that people typed, each with what it must do,
 * written down before the rule was.
 *
 * The rule: letters go to the line at the bottom while the cursor is in it, to the view after Esc,
 * an arrow, Tab, a click or Enter on an empty line; every line that is entered leaves the cursor in
 * the line. Text typed in the view goes to the line, and what its letters did is undone. A line
 * that is keys, or has a command inside, is asked about. */
#include <string.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"
#include "tests/support/tmux_support.h"

#define SAMPLE "samples/en-de.bin"
#define DOGS "I like dogs."
#define BEGIN "cross  layer 2/2  head 7/8"
#define TABLE "1 of 5"
#define UNCHANGED "source  " DOGS

enum place { AT_PROMPT, IN_VIEW, IN_TABLE };
enum { MOST_FACTS = 4 };

/* From a picture of cross 2.7, all heads on. */
struct sequence {
    enum place from;
    const char *keys[3]; // typed as fast as they can be, each after the last `facts[i]` is seen
    const char *facts[3][MOST_FACTS]; // texts that stand on the screen then; "!" in front: do not
    bool view;                        // the view has the keys at the end, not the prompt
};

static const struct sequence recorded[] = {
    // A key at the prompt, then a command.
    {AT_PROMPT,
     {"o:attn cross 2.3\r", "y\r"},
     {{"meant :attn cross 2.3? y runs that", BEGIN}, {"cross  layer 2/2  head 3/8", UNCHANGED}},
     false},
    {AT_PROMPT,
     {"vqq:align samples/aligned.en\r", "n\r"},
     {{"meant :align samples/aligned"},
      {"\nen-de> vqq:align samples/aligned.en\n", BEGIN, UNCHANGED}},
     false},
    {AT_PROMPT,
     {"i\xe7\xa7\x81\xe3\x81\xaf\r", "\033"},
     {{"meant \xe7\xa7\x81\xe3\x81\xaf?"}, {"\nen-de> i\xe7\xa7\x81\xe3\x81\xaf\n", UNCHANGED}},
     false},
    // Sentences in the view, after a command that was begun there and after Esc.
    {IN_VIEW,
     {":attn cross 2.1\r", "I have never seen you.\r"},
     {{"cross  layer 2/2  head 1/8"}, {"source  I have never seen you.", "!off: "}},
     false},
    {IN_VIEW,
     {"I have never seen so many stars"},
     {{"\nen-de> I have never seen so many stars\n", BEGIN, UNCHANGED, "!off: "}},
     false},
    {IN_VIEW,
     {"The dog does not see me."},
     {{"\nen-de> The dog does not see me.\n", BEGIN, UNCHANGED, "!off: "}},
     false},
    // The states are looked at, and left, for a command: no word begins with Sqi.
    {IN_VIEW, {"Sqi:attn cross 2.3\r"}, {{"cross  layer 2/2  head 3/8", "!taken as"}}, false},
    // Tables are entered by the arrow and Enter.
    {IN_TABLE, {"i\033[B"}, {{"2 of 5"}}, true},
    {AT_PROMPT, {"\r"}, {{BEGIN}}, true},
    // Heads that are changed are those that are shown.
    {AT_PROMPT, {":disable layer 2 head 7\r"}, {{"off: cross layer 2 head 7"}}, false},
    // Undoing and states from a table.
    {IN_VIEW,
     {"d", ":hypothesis\r\033", "u"},
     {{"off: cross layer 2 head 7"}, {TABLE}, {"!off: ", "!not bound"}},
     true},
    {IN_TABLE, {"S"}, {{" :state ", "!not bound"}}, true},
    // Words for help.
    {AT_PROMPT, {"help\r"}, {{"1 of 5", UNCHANGED}}, false},
};

static const struct sequence ours[] = {
    {IN_VIEW, {"dogs run"}, {{"\nen-de> dogs run\n", BEGIN, "!off: "}}, false},
    {IN_VIEW, {"Add two"}, {{"\nen-de> Add two\n", BEGIN, "!off: "}}, false},
    {IN_VIEW, {"do you see it?"}, {{"\nen-de> do you see it?\n", BEGIN, "!off: "}}, false},
    {IN_VIEW, {"it is late"}, {{"\nen-de> it is late\n", BEGIN, "!off: "}}, false},
    {IN_VIEW, {"quick dogs"}, {{"\nen-de> quick dogs\n", BEGIN, "!off: "}}, false},
    {IN_VIEW, {"well-known men"}, {{"\nen-de> well-known men\n", BEGIN, "!off: "}}, false},
    {IN_VIEW, {"easy come"}, {{"\nen-de> easy come\n", BEGIN, "!off: "}}, false},
    {IN_VIEW, {"dithe dogs sleep"}, {{"\nen-de> the dogs sleep\n", "off: "}}, false}, // d, i
    {IN_VIEW, {"time flies"}, {{"\nen-de> time flies\n", BEGIN, "!off: "}}, false},
    {IN_VIEW, {"hello you"}, {{"\nen-de> hello you\n", BEGIN, "!off: "}}, false},
    {IN_VIEW, {"Time flies"}, {{"\nen-de> Time flies\n", BEGIN, "!off: "}}, false},
    // Scripts without keys.
    {IN_VIEW,
     {"\xe7\xa7\x81\xe3\x81\xaf\xe7\x8a\xac"},
     {{"\nen-de> \xe7\xa7\x81\xe3\x81\xaf\xe7\x8a\xac\n", BEGIN}},
     false},
    {IN_VIEW,
     {"\xe0\xa4\xae\xe0\xa5\x88\xe0\xa4\x82 \xe0\xa4\xa0\xe0\xa5\x80\xe0\xa4\x95"},
     {{"\nen-de> \xe0\xa4\xae\xe0\xa5\x88\xe0\xa4\x82 \xe0\xa4\xa0\xe0\xa5\x80\xe0\xa4\x95\n",
       BEGIN}},
     false},
    // Keys stay keys: counts, moves, a key before a sentence.
    {IN_VIEW, {"8d"}, {{"off: cross layer 2 head 8"}}, true},
    {IN_VIEW, {"ggjGwwd"}, {{"off: cross layer 2 head 7"}}, true},
    {IN_VIEW, {"jjd"}, {{"off: cross layer 2 head 7"}}, true},
    {IN_VIEW, {"dThe dog"}, {{"\nen-de> The dog\n", "off: cross layer 2 head 7"}}, false},
    {IN_VIEW,
     {"dPeter"},
     {{"\nen-de> Peter\n", "off: cross layer 2 head 7"}},
     false}, // P is no key
    {IN_VIEW, {"d\xc3\x84rger"}, {{"\nen-de> \xc3\x84rger\n", "off: cross layer 2 head 7"}}, false},
    {IN_VIEW,
     {"d\xe7\x8a\xac\xe3\x81\xaf"},
     {{"\nen-de> \xe7\x8a\xac\xe3\x81\xaf\n", "off: cross layer 2 head 7"}},
     false},
    {IN_VIEW, {"d\xc3\xbcnn"}, {{"\nen-de> d\xc3\xbcnn\n", BEGIN, "!off: "}}, false},
    // A key at the prompt is one of the view if that is said, and text if that is said.
    {AT_PROMPT,
     {"o\r", "y\r"},
     {{"o: keys of the view?", UNCHANGED}, {"cross  layer 1-2  head 1-8"}},
     true},
    {AT_PROMPT,
     {"o\r", ":attn cross 2.2", "\r"},
     {{"o: keys of the view?"},
      {"translates, n edits: :attn cross 2.2"},
      {"\nen-de> :attn cross 2.2\n"}},
     false},
    {AT_PROMPT, {" o\r"}, {{"source  o "}}, false}, // and where it is among those typed
    // Commands as documents indent them.
    {AT_PROMPT,
     {"   :attn cross 2.3\r", "y\r"},
     {{"meant :attn cross 2.3? y runs that", BEGIN}, {"cross  layer 2/2  head 3/8", UNCHANGED}},
     false},
    {AT_PROMPT,
     {"\033[200~    :attn cross 2.2\n\n    :attn cross 2.3\n  \033[201~\r", "y\r"},
     {{"meant :attn cross 2.2"}, {"cross  layer 2/2  head 3/8", UNCHANGED}},
     false},
    {AT_PROMPT, {" :attn cross 2.3\r"}, {{"source  :attn cross 2.3"}}, false}, // one blank: text
    // Lines pasted by a terminal that does not say so.
    {IN_VIEW, {"She reads.\rThe dog sleeps.\r"}, {{"source  The dog sleeps.", "!off: "}}, false},
};

/* What each ends the session with. */
static const struct {
    enum place from;
    const char *keys;
} ends[] = {
    {IN_VIEW, "ZZ"},      {AT_PROMPT, "ZZ\r"},  {AT_PROMPT, "quit\r"}, {AT_PROMPT, "exit\r"},
    {AT_PROMPT, ":q!\r"}, {AT_PROMPT, ":wq\r"}, {AT_PROMPT, ":x\r"},   {IN_VIEW, ":q!\r"},
};

static struct tmux open_session(void)
{
    struct tmux tmux = tmux_open_program(&(struct tmux_spec){
        .columns = 80, .rows = 24, .arguments = (const char *const[]){CPU, SAMPLE, NULL}});
    tmux_expect(&tmux, "leaves, as Ctrl-D does");
    return tmux;
}

static void expect_facts(const struct tmux *tmux, const char *const facts[MOST_FACTS])
{
    for (int i = 0; i < MOST_FACTS && facts[i]; i++)
        if (*facts[i] == '!')
            tmux_expect_gone(tmux, facts[i] + 1);
        else
            tmux_expect(tmux, facts[i]);
}

static void expect_focus(const struct tmux *tmux, bool view)
{
    tmux_expect_format(tmux, "#{cursor_flag}", view ? "0" : "1");
    tmux_expect(tmux, view ? "\n view  i prompt  " : "\n prompt  ");
}

/* From wherever the last sequence ended. */
static void begin(const struct tmux *tmux, enum place from)
{
    tmux_type(tmux, "\007\007:reset\r" DOGS "\r:attn cross 2.7\r");
    tmux_expect(tmux, UNCHANGED);
    tmux_expect(tmux, BEGIN);
    tmux_expect_match(tmux, "^en-de> *$");
    if (from == IN_TABLE) {
        tmux_type(tmux, ":hypothesis\r");
        tmux_expect(tmux, TABLE);
    }
    if (from != AT_PROMPT)
        tmux_press(tmux, "Escape");
    expect_focus(tmux, from != AT_PROMPT);
}

static void check(const struct tmux *tmux, const struct sequence *sequence)
{
    begin(tmux, sequence->from);
    for (int i = 0; i < 3 && sequence->keys[i]; i++) {
        tmux_type(tmux, sequence->keys[i]);
        expect_facts(tmux, sequence->facts[i]);
    }
    tmux_expect_gone(tmux, "\n question ");
    expect_focus(tmux, sequence->view);
}

static void check_all(const struct sequence *sequences, size_t count)
{
    struct tmux tmux = open_session();
    for (size_t i = 0; i < count; i++)
        check(&tmux, &sequences[i]);
    tmux_type(&tmux, "\007\007\004");
    assert_int_equal(tmux_finish(&tmux), 0);
    tmux_close(&tmux);
}

static void what_was_recorded_is_not_misread(void **state)
{
    check_all(recorded, sizeof recorded / sizeof *recorded);
}

static void nor_are_other_sequences(void **state)
{
    check_all(ours, sizeof ours / sizeof *ours);
}

static void what_leaves_other_programs_leaves_this_one(void **state)
{
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct tmux tmux = open_session();
        if (ends[i].from == IN_VIEW)
            tmux_press(&tmux, "Escape");
        expect_focus(&tmux, ends[i].from == IN_VIEW);
        tmux_type(&tmux, ends[i].keys);
        assert_int_equal(tmux_finish(&tmux), 0);
        tmux_close(&tmux);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_recorded_is_not_misread),
        cmocka_unit_test(nor_are_other_sequences),
        cmocka_unit_test(what_leaves_other_programs_leaves_this_one),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
