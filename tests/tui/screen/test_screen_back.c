/* Where Enter leads from the list of changed heads and from a study's table, and what q goes back
 * to; and that what stands beside a sentence is its own. At 100 x 30. */
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"
#include "tests/support/tmux_support.h"

#define STARS "I have never seen so many stars in the sky."
#define SHOWN "\n cross  layer 1/2  head 4/8"
#define LIST "\n heads by change  "

static struct tmux open_session(void)
{
    struct tmux tmux = tmux_open_program(
        &(struct tmux_spec){.columns = 100,
                            .rows = 30,
                            .arguments = (const char *const[]){CPU, "samples/en-de.bin", NULL}});
    tmux_expect(&tmux, "Type a sentence to translate it.");
    return tmux;
}

static void close_session(struct tmux *tmux)
{
    tmux_type(tmux, "\007\004"); // from wherever
    assert_int_equal(tmux_finish(tmux), 0);
    tmux_close(tmux);
}

/* The row and column that the first head of the list changed most are the cell that its picture
 * opens at. */
static void a_changed_head_opens_at_its_largest_change(struct tmux *tmux)
{
    tmux_press(tmux, "Enter");
    tmux_expect(tmux, "\n decoder  layer 2  head 2");
    tmux_expect(tmux, "after − before:  viele → so  0.2336");
}

static void the_list_is_gone_back_to(void **state)
{
    struct tmux tmux = open_session();
    tmux_type(&tmux, STARS "\r");
    tmux_expect(&tmux, "source  " STARS);
    tmux_press(&tmux, "Escape");
    tmux_expect(&tmux, "\n view  i prompt");
    tmux_type(&tmux, ":attn cross layer 1 head 4\r\033");
    tmux_expect(&tmux, SHOWN);
    tmux_press(&tmux, "d");
    tmux_expect(&tmux, "off: cross layer 1 head 4");
    tmux_press(&tmux, "b");
    tmux_expect(&tmux, LIST);
    tmux_expect_match(&tmux, "^ decoder +2 +2 +0\\.0639 +\\+0\\.2336 +viele +so");
    a_changed_head_opens_at_its_largest_change(&tmux);
    tmux_press(&tmux, "q");
    tmux_expect(&tmux, LIST);
    tmux_press(&tmux, "j Enter");
    tmux_expect(&tmux, "\n cross  layer 2  head 6");
    tmux_press(&tmux, "Right"); // another head of both states still lies on the list
    tmux_expect(&tmux, "\n cross  layer 2  head 7");
    tmux_press(&tmux, "q");
    tmux_expect(&tmux, LIST);
    tmux_press(&tmux, "q");
    tmux_expect(&tmux, SHOWN);
    tmux_press(&tmux, "u"); // shows the head that was gone back to, not the list
    tmux_expect_gone(&tmux, "off: cross layer 1 head 4");
    tmux_expect(&tmux, SHOWN);
    tmux_press(&tmux, "C-r");
    tmux_expect(&tmux, "off: cross layer 1 head 4");
    tmux_expect(&tmux, SHOWN);
    close_session(&tmux);
}

/* After a change the list is of another state: q does not go back to it. */
static void an_old_list_is_not_gone_back_to(void **state)
{
    struct tmux tmux = open_session();
    tmux_type(&tmux, STARS "\r");
    tmux_expect(&tmux, "source  " STARS);
    tmux_type(&tmux, ":disable cross layer 1 head 4\r");
    tmux_expect(&tmux, "off: cross layer 1 head 4");
    tmux_press(&tmux, "Escape");
    tmux_expect(&tmux, "\n view  i prompt");
    tmux_press(&tmux, "b");
    tmux_expect(&tmux, LIST);
    tmux_press(&tmux, "Enter");
    tmux_expect(&tmux, "\n decoder  layer 2  head 2");
    tmux_press(&tmux, "D");
    tmux_expect_gone(&tmux, "off: cross layer 1 head 4");
    tmux_press(&tmux, "q");
    tmux_expect_match(&tmux, "^ [a-z]+  layer [0-9]/[0-9]  head");
    close_session(&tmux);
}

/* A key switches a head as it is shown, also after a command that has switched it. */
static void a_head_is_switched_from_what_is_shown(void **state)
{
    struct tmux tmux = open_session();
    tmux_type(&tmux, STARS "\r");
    tmux_expect(&tmux, "source  " STARS);
    tmux_type(&tmux, ":attn cross layer 1 head 4\r");
    tmux_expect(&tmux, "\n cross  layer 1/2  head 4/8");
    tmux_press(&tmux, "Escape");
    tmux_expect(&tmux, "\n view  i prompt");
    tmux_press(&tmux, "d");
    tmux_expect(&tmux, "off: cross layer 1 head 4");
    tmux_type(&tmux, ":enable\r\033");
    tmux_expect_gone(&tmux, "off: cross layer 1 head 4");
    tmux_press(&tmux, "d");
    tmux_expect(&tmux, "off: cross layer 1 head 4");
    close_session(&tmux);
}

/* From a row to a sentence of a file, to another one, and back to what was typed, as it was
 * seen. */
static void a_table_is_left_for_the_sentence_that_was_typed(void **state)
{
    struct tmux tmux = open_session();
    tmux_type(&tmux, STARS "\r");
    tmux_expect(&tmux, "source  " STARS);
    tmux_type(&tmux, ":attn cross 1.4 word\r");
    tmux_expect(&tmux, SHOWN);
    tmux_type(&tmux, ":alti samples/aligned.en\r\033");
    tmux_expect(&tmux, "\n share of the source in samples/aligned.en");
    tmux_press(&tmux, "Enter");
    tmux_expect(&tmux, "\n contributions to each prediction  ALTI+");
    tmux_expect_match(&tmux, "sentence [0-9]+/24");
    tmux_expect_gone(&tmux, "lines run");
    tmux_press(&tmux, "q");
    tmux_expect(&tmux, "\n share of the source in samples/aligned.en");
    tmux_press(&tmux, "j Enter");
    tmux_expect(&tmux, "\n contributions to each prediction  ALTI+");
    tmux_expect_match(&tmux, "sentence [0-9]+/24");
    tmux_press(&tmux, "q");
    tmux_expect(&tmux, "\n share of the source in samples/aligned.en");
    tmux_press(&tmux, "q");
    tmux_expect(&tmux, "source  " STARS);
    tmux_expect(&tmux, SHOWN "  words");
    tmux_expect_gone(&tmux, "/24");
    tmux_press(&tmux, "]");
    tmux_expect(&tmux, "sentence 1 of 1 is the last");
    close_session(&tmux);
}

/* Also above a table beneath the one that the sentence was opened from. */
static void the_header_names_the_sentence_of_commands(void **state)
{
    struct tmux tmux = open_session();
    tmux_type(&tmux, STARS "\r");
    tmux_expect(&tmux, "source  " STARS);
    tmux_type(&tmux, ":bleu samples/aligned.en samples/aligned.de\r");
    tmux_expect(&tmux, "1 of 5");
    tmux_press(&tmux, "Right Enter");
    tmux_expect(&tmux, "samples/aligned.de  group 1");
    tmux_press(&tmux, "Enter");
    tmux_expect_match(&tmux, "sentence [0-9]+/24");
    tmux_press(&tmux, "q");
    tmux_expect(&tmux, "samples/aligned.de  group 1");
    tmux_press(&tmux, "q");
    tmux_expect(&tmux, "1 of 5");
    tmux_expect_match(&tmux, "sentence [0-9]+/24");
    tmux_expect_gone(&tmux, STARS);
    tmux_press(&tmux, "q");
    tmux_expect(&tmux, "source  " STARS);
    close_session(&tmux);
}

/* No head is shown there. */
static void an_attribution_switches_no_head(void **state)
{
    struct tmux tmux = open_session();
    tmux_type(&tmux, STARS "\r:attribute saliency\r\033");
    tmux_expect(&tmux, "\n view  i prompt");
    tmux_expect(&tmux, "\n contributions to each prediction  saliency");
    tmux_expect_gone(&tmux, "d off/on");
    tmux_press(&tmux, "d");
    tmux_expect(&tmux, "no head is chosen here");
    tmux_expect_gone(&tmux, "off: ");
    close_session(&tmux);
}

/* The reference of a test set stands beside its own sentence alone. */
static void a_reference_stands_beside_its_sentence(void **state)
{
    struct tmux tmux = open_session();
    tmux_type(&tmux, ":open samples/sentences.en samples/sentences.de\r");
    tmux_expect(&tmux, "ref.    Der Bäcker gähnte.");
    tmux_expect(&tmux, "sentence 1/200");
    tmux_type(&tmux, STARS "\r");
    tmux_expect(&tmux, "source  " STARS);
    tmux_expect_gone(&tmux, "ref.    ");
    tmux_expect_gone(&tmux, "sentence 1/200");
    tmux_type(&tmux, ":next\r");
    tmux_expect(&tmux, "ref.    Können Papageien pfeifen?");
    tmux_expect(&tmux, "sentence 2/200");
    close_session(&tmux);
}

/* What the header cuts, v shows in full; of lines that are pasted together, how many were run is
 * told. */
static void a_long_sentence_is_seen_in_full(void **state)
{
    struct tmux tmux = open_session();
    for (int i = 0; i < 20; i++)
        tmux_type(&tmux, "a b c d e f g h i j k l m n ");
    tmux_type(&tmux, "w x end\r");
    tmux_expect(&tmux, "source  a b c d");
    tmux_expect(&tmux, "\n cross  layer 2/2");
    tmux_expect_gone(&tmux, "w x end");
    tmux_press(&tmux, "Escape");
    tmux_expect(&tmux, "\n view  i prompt");
    tmux_press(&tmux, "v");
    tmux_expect(&tmux, "\n the sentence in full");
    tmux_expect(&tmux, "w x end");
    tmux_press(&tmux, "q");
    tmux_expect(&tmux, "\n cross  layer 2/2");
    tmux_type(&tmux, "\033[200~I like dogs.\n" STARS "\033[201~\r");
    tmux_expect(&tmux, "2 lines run, the last one is shown");
    tmux_expect(&tmux, "source  " STARS);
    close_session(&tmux);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_is_gone_back_to),
        cmocka_unit_test(an_old_list_is_not_gone_back_to),
        cmocka_unit_test(a_head_is_switched_from_what_is_shown),
        cmocka_unit_test(a_long_sentence_is_seen_in_full),
        cmocka_unit_test(a_reference_stands_beside_its_sentence),
        cmocka_unit_test(a_table_is_left_for_the_sentence_that_was_typed),
        cmocka_unit_test(the_header_names_the_sentence_of_commands),
        cmocka_unit_test(an_attribution_switches_no_head),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
