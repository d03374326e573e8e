#include "tui/prompt/editing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

#include "terminal/text/display.h"
#include "tui/prompt/history.h"

static struct editing editor;

/* Completion ----------------------------------------------------------------------------------- */

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
    struct strings *words = &completions->words;
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

/* Tab. A paste may have several lines: the one with the cursor is completed. */
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

/* The cursor ----------------------------------------------------------------------------------- */

static int forward(int count)
{
    int unused;
    while (count-- > 0 && rl_point < rl_end)
        rl_point += (int)display_grapheme(rl_line_buffer + rl_point, &unused);
    return 0;
}

static int backward(int count)
{
    int unused;
    for (; count > 0 && rl_point > 0; count--) {
        int before = 0, at = 0;
        for (; at < rl_point; at += (int)display_grapheme(rl_line_buffer + at, &unused))
            before = at;
        rl_point = before;
    }
    return 0;
}

static int move_forward(int count, int key)
{
    (void)key;
    return count < 0 ? backward(-count) : forward(count);
}

static int move_backward(int count, int key)
{
    (void)key;
    return count < 0 ? forward(-count) : backward(count);
}

static void bind_instead(rl_command_func_t *old, rl_command_func_t *new)
{
    char **keys = rl_invoking_keyseqs_in_map(old, emacs_standard_keymap);
    for (int i = 0; keys && keys[i]; i++) {
        rl_bind_keyseq_in_map(keys[i], new, emacs_standard_keymap);
        free(keys[i]);
    }
    free(keys);
}

/* readline moves by characters, into the middle of letters made of several. */
static void move_by_graphemes(void)
{
    bind_instead(rl_forward_char, move_forward);
    bind_instead(rl_backward_char, move_backward);
}

/* Lines ---------------------------------------------------------------------------------------- */

/* As used here, readline 8.2 crashes when a keyboard macro runs and its keys continue. Text that
 * inputrc binds to keys is something else and works. */
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
    rl_variable_bind("page-completions", "off"); // its question would wait regardless of Ctrl-C
    rl_bind_key('\t', complete_here);
    unbind_macros();
    move_by_graphemes();
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
