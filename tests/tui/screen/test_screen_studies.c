/* From a table of a study to the sentences behind a row, to one of them, and back, table by
 * table. */
#include <limits.h>

#include "tests/support/test.h"
#include "tests/tui/screen/screen_support.h"

#define SAMPLE "samples/en-de.bin"
#define SUITE "samples/senses-en-de.json"
#define FIRST "The dog sleeps."

enum { SENTENCE_BEFORE, GROUPS };
static const char *const commands[] = {FIRST, ":contrast " SUITE, NULL};

/* The suite's item of that sense. */
static const json_t *item_of(const json_t *suite, const char *word, const char *sense)
{
    size_t i;
    const json_t *item;
    json_array_foreach(suite, i, item)
    {
        size_t length = strlen(word);
        if (strcmp(json_text(item, "ambig word"), word) == 0 && sense[length] == ':' &&
            strcmp(json_text(item, "sense"), sense + length + 2) == 0)
            return item;
    }
    fail_msg("no item of %s", sense);
    return NULL;
}

/* The word of "bank: Ufer". */
static void copy_word(const char *name, char word[64])
{
    snprintf(word, 64, "%.*s", (int)strcspn(name, ":"), name);
}

static void rows_open_and_come_back(void **state)
{
    enum { SECOND = 1 };
    json_t *answers = stage_ask(SAMPLE, commands), *suite = json_load_file(SUITE, 0, NULL);
    const json_t *answer = stage_answer(answers, GROUPS);
    const json_t *groups = json_object_get(answer, "groups");
    const char *name = json_text(json_array_get(groups, SECOND), "name");
    struct stage stage = stage_open(*state);
    char word[64];
    assert_non_null(suite);
    copy_word(name, word);
    const json_t *item = item_of(suite, word, name);
    stage_run(&stage, FIRST);
    stage_expect(&stage, "source  " FIRST);
    stage_run(&stage, ":contrast " SUITE);
    stage_expect(&stage, " %lld of 40 correct",
                 json_integer_value(json_object_get(answer, "correct")));
    stage_expect(&stage, "1 of %zu", json_array_size(groups) + 1);
    tmux_press(&stage.tmux, "j Enter");
    stage_expect(&stage, SUITE "  group 2");
    stage_expect(&stage, "1 of 1\n");
    stage_expect(&stage, "source  " FIRST); // nothing was translated
    stage_expect(&stage, "\n source       %.20s", json_text(item, "source"));
    stage_expect(&stage, "\n reference    ");
    stage_expect(&stage, "\n contrastive  ");
    tmux_press(&stage.tmux, "Enter");
    stage_expect(&stage, "source  %s", json_text(item, "source"));
    stage_expect(&stage, "given   %.20s", json_text(item, "reference")); // a row may end soon
    stage_expect(&stage, "cross  layer 2/2  mean of 8 heads");
    tmux_press(&stage.tmux, "Right");
    stage_expect(&stage, "cross  layer 2/2  head 1/8");
    tmux_press(&stage.tmux, "q");
    stage_expect(&stage, SUITE "  group 2");
    stage_expect(&stage, "source  %s", json_text(item, "source")); // it is still at hand
    tmux_press(&stage.tmux, "q");
    stage_expect(&stage, "2 of %zu", json_array_size(groups) + 1); // where one was
    tmux_press(&stage.tmux, "q");
    stage_expect(&stage, "cross  layer 2/2  head 1/8");
    tmux_press(&stage.tmux, "q");
    stage_expect(&stage, ":q or Ctrl-D ends the session");
    stage_close(&stage);
    json_decref(answers);
    json_decref(suite);
}

/* Another sentence that is typed is no longer one of the table's. */
static void a_new_sentence_forgets_the_tables(void **state)
{
    struct stage stage = stage_open(*state);
    stage_run(&stage, ":contrast " SUITE);
    stage_expect(&stage, "of 40 correct");
    tmux_press(&stage.tmux, "Enter");
    stage_expect(&stage, SUITE "  group 1");
    tmux_press(&stage.tmux, "Enter");
    stage_expect(&stage, "cross  layer 2/2  mean of 8 heads");
    stage_run(&stage, FIRST);
    stage_expect(&stage, "source  " FIRST);
    tmux_press(&stage.tmux, "q");
    stage_expect(&stage, ":q or Ctrl-D ends the session");
    stage_expect(&stage, "cross  layer 2/2  mean of 8 heads");
    stage_close(&stage);
}

/* A step of a pruning leads to the sentences behind it, they to one of them, and back. */
static void steps_open_and_come_back(void **state)
{
    char line[2 * PATH_MAX + 100], prune[2 * PATH_MAX + 120];
    char path[2][PATH_MAX];
    snprintf(path[0], PATH_MAX, "%s", cli_write("en", "The dog sleeps.\nA man sees a child.\n"));
    snprintf(path[1], PATH_MAX, "%s", cli_write("de", "Der Hund schläft.\nEin Mann ging.\n"));
    snprintf(line, sizeof line, ":prune %s %s until 100 cross layer 2", path[0], path[1]);
    snprintf(prune, sizeof prune, "%s show 8", line);
    const char *const asked[] = {prune, NULL};
    json_t *answers = stage_ask(SAMPLE, asked);
    const json_t *listed = json_object_get(stage_answer(answers, 0), "listed");
    const json_t *first = json_array_get(listed, 0);
    struct stage stage = stage_open(*state);
    assert_true(json_array_size(listed) > 0);
    stage_run(&stage, line);
    stage_expect(&stage, "1 of 8");
    tmux_press(&stage.tmux, "G Enter");
    stage_expect(&stage, "step 8: a with all heads, b without those of steps 1 to 8");
    stage_expect(&stage, "1 of %zu", json_array_size(listed));
    stage_expect(&stage, "\n source       %s", json_text(first, "source"));
    stage_expect(&stage, "\n a            ");
    stage_expect(&stage, "\n b            ");
    stage_expect(&stage, "\n reference    ");
    tmux_press(&stage.tmux, "Enter");
    stage_expect(&stage, "source  %s",
                 json_integer_value(json_object_get(first, "number")) == 1 ? "The dog sleeps."
                                                                           : "A man sees a child.");
    tmux_press(&stage.tmux, "q");
    stage_expect(&stage, "step 8: a with all heads");
    tmux_press(&stage.tmux, "q");
    stage_expect(&stage, "8 of 8");
    stage_close(&stage);
    json_decref(answers);
}

/* A number of a head leads to the sentences that show it most and least, they to the head in one of
 * them, and back. */
static void cells_open_what_shows_them(void **state)
{
    char line[PATH_MAX + 100], show[PATH_MAX + 140];
    snprintf(line, sizeof line, ":stats %s enc layer 2",
             cli_write("en", "The dog sleeps.\nA man sees a child.\n"));
    snprintf(show, sizeof show, "%s head 3 show confidence", line);
    const char *const asked[] = {show, NULL};
    json_t *answers = stage_ask(SAMPLE, asked);
    const json_t *first = json_array_get(json_object_get(stage_answer(answers, 0), "examples"), 0);
    struct stage stage = stage_open(*state);
    stage_run(&stage, line);
    stage_expect(&stage, "1 of 8");
    tmux_press(&stage.tmux, "j j l l l l l Enter"); // the third head's confidence
    stage_expect(&stage, "shows it  sentence    mean");
    stage_expect(&stage, "1 of 4");
    stage_expect(&stage, "%.4f  %s", json_number_value(json_object_get(first, "mean")),
                 json_text(first, "source"));
    tmux_press(&stage.tmux, "Enter");
    stage_expect(&stage, "source  %s", json_text(first, "source"));
    stage_expect(&stage, "encoder  layer 2/4  head 3/8");
    tmux_press(&stage.tmux, "Enter"); // from the picture to what the head does
    stage_expect(&stage, "over 2 sentences of ");
    tmux_press(&stage.tmux, "q");
    stage_expect(&stage, "source ↓  source →");
    tmux_press(&stage.tmux, "q");
    stage_expect(&stage, "shows it  sentence    mean");
    tmux_press(&stage.tmux, "q");
    stage_expect(&stage, "3 of 8");
    tmux_press(&stage.tmux, "0 Enter"); // the columns that name the head
    stage_expect(&stage, "encoder  layer 2/4  head 3/8");
    stage_expect(&stage, "over 2 sentences of ");
    stage_expect(&stage, "offsets ");
    tmux_press(&stage.tmux, "q");
    stage_expect(&stage, "3 of 8");
    stage_close(&stage);
    json_decref(answers);
}

int main(void)
{
    static struct stage_spec small = {SAMPLE, 80, 24, SCREEN_256};
    static struct stage_spec large = {SAMPLE, 120, 40, SCREEN_TRUE};
    const struct CMUnitTest tests[] = {
        {"rows open and come back at 80 by 24", rows_open_and_come_back, NULL, NULL, &small},
        {"rows open and come back at 120 by 40", rows_open_and_come_back, NULL, NULL, &large},
        {"steps open and come back at 80 by 24", steps_open_and_come_back, NULL, NULL, &small},
        {"cells open what shows them at 80 by 24", cells_open_what_shows_them, NULL, NULL, &small},
        {"a new sentence forgets the tables", a_new_sentence_forgets_the_tables, NULL, NULL,
         &small},
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
