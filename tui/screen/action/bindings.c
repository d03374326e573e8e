#include "tui/screen/action/bindings.h"

#include "tui/manual/key_table.h"
#include "tui/screen/action/act_copy.h"
#include "tui/screen/action/act_heads.h"
#include "tui/screen/action/act_move.h"
#include "tui/screen/action/act_session.h"
#include "tui/screen/action/act_views.h"
#include "tui/screen/action/act_walk.h"

static act *const actions[] = {
    [ACTION_PROMPT] = act_prompt,
    [ACTION_COMMAND] = act_command,
    [ACTION_HEAD] = act_head,
    [ACTION_LAYER] = act_layer,
    [ACTION_TOKEN_STEP] = act_token_step,
    [ACTION_OTHER] = act_other,
    [ACTION_MODULE] = act_module,
    [ACTION_CELL] = act_cell,
    [ACTION_ARROW_CELL] = act_arrow_cell,
    [ACTION_PAGE] = act_page,
    [ACTION_LINE_END] = act_line_end,
    [ACTION_LAST_ROW] = act_last,
    [ACTION_OPEN] = act_open,
    [ACTION_OVERVIEW] = act_overview,
    [ACTION_WORDS] = act_words,
    [ACTION_MERGED] = act_merged,
    [ACTION_METHOD] = act_method,
    [ACTION_TOKEN] = act_token,
    [ACTION_IMPORTANCE] = act_importance,
    [ACTION_GATES] = act_gates,
    [ACTION_TOGGLE] = act_toggle,
    [ACTION_ENABLE_ALL] = act_clear,
    [ACTION_UNDO] = act_undo,
    [ACTION_REDO] = act_redo,
    [ACTION_BESIDE] = act_beside,
    [ACTION_STATES] = act_states,
    [ACTION_HYPOTHESES] = act_hypotheses,
    [ACTION_HYPOTHESIS] = act_hypothesis,
    [ACTION_SENTENCE] = act_sentence,
    [ACTION_INFO] = act_info,
    [ACTION_TABLE] = act_table,
    [ACTION_SIDE] = act_side,
    [ACTION_SORT] = act_sort,
    [ACTION_EXPORT] = act_export,
    [ACTION_COPY_VALUE] = act_copy_value,
    [ACTION_COPY_MATRIX] = act_copy_matrix,
    [ACTION_SEARCH] = act_search,
    [ACTION_SEARCH_AGAIN] = act_search_again,
    [ACTION_HELP] = act_help,
    [ACTION_BACK] = act_back,
    [ACTION_REFRESH] = act_refresh,
    [ACTION_QUIT] = act_quit,
};
_Static_assert(sizeof actions / sizeof *actions == ACTION_COUNT, "every action has a function");

/* Whether the key is a digit of a count; 0 is one only after another digit. */
static bool add_to_count(struct key_prefix *prefix, int key)
{
    enum { MOST_COUNT = 10000 };
    bool digit = (key >= '1' && key <= '9') || (key == '0' && prefix->count);
    if (digit && prefix->count < MOST_COUNT)
        prefix->count = 10 * prefix->count + key - '0';
    return digit;
}

static void run(struct screen *screen, int key, int count)
{
    const struct key_entry *entry = key_find(key, screen_context(screen));
    if (!entry) {
        screen_say(screen, false, "key not bound in this view; press ? for help");
        return;
    }
    // What the key has to say replaces the last message.
    if (entry->action != ACTION_HELP)
        screen_say(screen, false, "%s", "");
    actions[entry->action](screen, key, count);
}

void bindings_press(struct screen *screen, int key)
{
    struct key_prefix *prefix = &screen->prefix;
    if (add_to_count(prefix, key))
        return;
    bool second_g = key == 'g' && prefix->g;
    prefix->g = key == 'g' && !second_g;
    if (prefix->g)
        return; // the count is kept for the second g
    int count = prefix->count;
    prefix->count = 0;
    if (second_g)
        act_first(screen, key, count);
    else
        run(screen, key, count);
}
