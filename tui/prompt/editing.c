#include "tui/prompt/editing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

#include "tui/prompt/history.h"
#include "tui/text/encoding.h"

static struct editing editor;

/* Completion -------------------------------------------------------------------------------------- */

static void replace_word(size_t start, const char *word, size_t bytes, const char *after)
{
    char *text = NULL;
    if (asprintf(&text, "%.*s%s", (int)bytes, word, after) < 0)
        return;
    rl_begin_undo_group();
    rl_delete_text((int)start, rl_point);
    rl_point = (int)start;
    rl_insert_text(text);
    rl_end_undo_group();
    free(text);
}

static void offer(struct completions *completions, size_t line_start, size_t typed)
{
    struct pieces *words = &completions->words;
    size_t start = line_start + completions->start, common = completions_common(completions);
    if (words->count == 1)
        replace_word(start, words->text[0], common, completion_open(words->text[0]) ? "" : " ");
    else if (words->count > 1 && common > typed - completions->start)
        replace_word(start, words->text[0], common, "");
    else if (words->count > 1)
        editor.list(editor.context, words);
    else
        rl_ding();
}

/* Tab. What is pasted may be several lines: completed is the one with the cursor. */
static int complete_here(int count, int key)
{
    struct completions completions = {0};
    size_t start = (size_t)rl_point;
    (void)count;
    (void)key;
    while (start > 0 && rl_line_buffer[start - 1] != '\n')
        start--;
    size_t typed = (size_t)rl_point - start;
    if (editor.complete(editor.context, rl_line_buffer + start, typed, &completions))
        offer(&completions, start, typed);
    completions_free(&completions);
    return 0;
}

/* Lines ------------------------------------------------------------------------------------------- */

/* readline 8.2 crashes when a keyboard macro runs whose keys go on, as it is used here. Text that inputrc binds to
 * keys is another thing and works. */
static void unbind_macros(void)
{
    rl_unbind_function_in_map(rl_start_kbd_macro, emacs_ctlx_keymap);
    rl_unbind_function_in_map(rl_end_kbd_macro, emacs_ctlx_keymap);
    rl_unbind_function_in_map(rl_call_last_kbd_macro, emacs_ctlx_keymap);
}

void editing_open(const struct editing *editing)
{
    editor = *editing;
    encoding_choose();
    rl_readline_name = "attnscope";
    rl_catch_signals = 0;      // ours (interrupt.h, terminal.h)
    rl_change_environment = 0; // a pager asks the terminal itself
    rl_initialize();
    rl_variable_bind("page-completions", "off"); // that question would wait without Ctrl-C
    rl_bind_key('\t', complete_here);
    unbind_macros();
    history_open();
}

void editing_close(void)
{
    history_close();
    editor = (struct editing){0};
}

void editing_drop(void)
{
    rl_callback_sigcleanup();
    rl_free_line_state();
    rl_replace_line("", 1);
}
