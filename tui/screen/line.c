#include "tui/screen/line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

#include "tui/history.h"
#include "tui/screen/line_queue.h"

enum { KEY_ABORT = 7, KEY_ESCAPE = 27, ALWAYS = 8192 }; // keys; bytes that can be typed in any case
enum { HALF_WAY = RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG | RL_STATE_VIMOTION };

/* readline is one for the whole program, and so is this. */
static struct {
    FILE *nowhere; // what readline takes for the terminal
    struct line_queue queue;
    int first;    // a key of ours before them; EOF: none
    bool leaving; // the key at hand leaves the line
    bool asked;   // it is an answer, no part of the history
    enum line_end end;
    char *text; // of LINE_ENTERED
    struct pieces offers;
} line = {.first = EOF, .end = LINE_LEFT};

/* What readline calls ------------------------------------------------------------------------------ */

static int read_byte(FILE *unused)
{
    int first = line.first;
    (void)unused;
    line.first = EOF;
    return first != EOF ? first : queue_take(&line.queue);
}

static int is_more(void)
{
    return queue_ready(&line.queue);
}

static void show_nothing(void)
{
}

static void on_line(char *text)
{
    line.text = text;
    line.end = text ? LINE_ENTERED : LINE_EOF;
    rl_callback_handler_remove();
}

/* Ctrl-G; a search that is running sees it first. */
static int leave_here(int count, int key)
{
    (void)count;
    (void)key;
    line.leaving = true;
    return 0;
}

static void take_offers(void *unused, struct pieces *words)
{
    (void)unused;
    pieces_free(&line.offers);
    line.offers = *words;
    *words = (struct pieces){0};
}

/* Opening ------------------------------------------------------------------------------------------ */

/* Where the user has not bound it to something else. */
static void bind_abort(Keymap map)
{
    rl_command_func_t *bound = map[KEY_ABORT].type == ISFUNC ? map[KEY_ABORT].function : leave_here;
    if (!bound || bound == rl_abort || bound == rl_insert)
        rl_bind_key_in_map(KEY_ABORT, leave_here, map);
}

/* Keys that readline takes from the terminal's description, which it does not look up here. */
static void bind_keys(Keymap map)
{
    static const struct {
        const char *sequence;
        rl_command_func_t *function;
    } keys[] = {
        {"\033[1~", rl_beg_of_line}, {"\033[7~", rl_beg_of_line}, {"\033[4~", rl_end_of_line},
        {"\033[8~", rl_end_of_line}, {"\033[3~", rl_delete},      {"\033[2~", rl_overwrite_mode},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        rl_bind_keyseq_if_unbound_in_map(keys[i].sequence, keys[i].function, map);
    bind_abort(map);
}

bool line_open(line_completer *completer, void *context, struct status *status)
{
    const struct editing editing = {completer, take_offers, context};
    // Short of memory one can still end the session.
    if (!queue_reserve(&line.queue, ALWAYS, status))
        return false;
    line.nowhere = fopen("/dev/null", "r+e");
    if (!line.nowhere)
        return status_fail(status, STATUS_IO, "/dev/null: %s", strerror(errno));
    rl_instream = rl_outstream = line.nowhere;
    rl_getc_function = read_byte;
    rl_input_available_hook = is_more;
    rl_redisplay_function =
        show_nothing; // and so readline does not look the terminal up, which is ncurses'
    rl_prep_term_function = NULL;
    rl_deprep_term_function = NULL;
    rl_catch_sigwinch = 0;
    editing_open(&editing);
    bind_keys(emacs_standard_keymap);
    bind_keys(vi_insertion_keymap);
    bind_keys(vi_movement_keymap);
    return true;
}

/* Feeding ------------------------------------------------------------------------------------------ */

/* Some of vi's commands leave NUL or half a character in the line, on which others never end. */
static void repair(void)
{
    struct line_queue text = {0};
    bool ok = line.end == LINE_TYPING && rl_end > 0 &&
              queue_add(&text, (const unsigned char *)rl_line_buffer, rl_end);
    if (ok &&
        (text.checked != (size_t)rl_end || memcmp(text.bytes, rl_line_buffer, text.checked) != 0)) {
        char *copy = strndup((const char *)text.bytes, text.checked);
        int point = rl_point;
        rl_replace_line(copy ? copy : "", 1);
        rl_point = point < rl_end ? point : rl_end;
        free(copy);
    }
    queue_free(&text);
}

/* One key, or what of it there is. The bell is standard error's, and what reads inputrc again rings it again. */
static void run_key(void)
{
    pieces_clear(&line.offers);
    rl_variable_bind("bell-style", "none");
    rl_callback_read_char();
    repair();
}

static void run_alone(unsigned char key)
{
    line.first = key;
    run_key();
}

/* readline 8.2 crashes when a search of the history is ended by a key of several, such as Ctrl-X: it is ended
 * before. Esc, which ends it by itself, does no harm. */
static void end_search(void)
{
    int next = queue_peek(&line.queue);
    if (RL_ISSTATE(RL_STATE_ISEARCH) && next >= 0 && next != KEY_ESCAPE &&
        rl_get_keymap()[next].type == ISKMAP)
        run_alone(KEY_ABORT);
}

/* Ends a key that is half way: there is none that goes on with Ctrl-G but to stop. */
static void end_key(void)
{
    for (int i = 0; i < 2 && line.end == LINE_TYPING && RL_ISSTATE(RL_STATE_MULTIKEY); i++) {
        queue_clear(&line.queue);
        run_alone(KEY_ABORT);
    }
}

/* In readline's own words, an Esc alone is a key that is half way. */
static bool is_escape(const unsigned char *bytes, int count)
{
    return count > 0 && bytes[count - 1] == KEY_ESCAPE && queue_empty(&line.queue) &&
           RL_ISSTATE(RL_STATE_MULTIKEY);
}

/* Ends the line as Enter does, which is how readline sets its history's undo lists right; a search that is
 * running is stopped first. `keep`: what was typed can be found again. */
static void abandon(bool keep)
{
    end_key();
    queue_clear(&line.queue);
    for (int i = 0; i < 4 && line.end == LINE_TYPING; i++)
        run_alone(RL_ISSTATE(HALF_WAY) ? KEY_ABORT : '\r');
    if (line.end == LINE_TYPING) { // Enter is bound to something else
        editing_drop();
        rl_callback_handler_remove();
    }
    if (keep && !line.asked && line.text)
        history_leave(line.text);
    free(line.text);
    line.text = NULL;
    line.end = LINE_LEFT;
    line.leaving = false;
}

static void begin(const char *prompt, const char *text, int point, bool asked)
{
    if (line.end == LINE_TYPING)
        abandon(true);
    pieces_clear(&line.offers);
    free(line.text);
    line.text = NULL;
    line.asked = asked;
    line.end = LINE_TYPING;
    history_settle();
    rl_callback_handler_install(prompt, on_line);
    rl_replace_line(text, 1); // what undoing comes back to
    rl_point = point >= 0 && point < rl_end ? point : rl_end;
}

void line_begin(const char *prompt, const char *text, int point)
{
    begin(prompt, text, point, false);
}

void line_ask(const char *prompt)
{
    begin(prompt, "", 0, true);
}

void line_close(void)
{
    if (line.end == LINE_TYPING)
        abandon(false);
    editing_close();
    pieces_free(&line.offers);
    queue_free(&line.queue);
    free(line.text);
    line.text = NULL;
    rl_instream = rl_outstream = NULL;
    rl_getc_function = rl_getc;
    rl_input_available_hook = NULL;
    rl_redisplay_function = rl_redisplay;
    rl_prep_term_function = rl_prep_terminal;
    rl_deprep_term_function = rl_deprep_terminal;
    rl_catch_sigwinch = 1;
    if (line.nowhere)
        fclose(line.nowhere);
    line.nowhere = NULL;
}

int line_feed(const unsigned char *bytes, int count)
{
    if (line.end != LINE_TYPING)
        return 0;
    if (!queue_add(&line.queue, bytes,
                   count)) { // what there is no memory for must not come again and again
        abandon(true);
        return count;
    }
    while (line.end == LINE_TYPING && !line.leaving && queue_ready(&line.queue)) {
        end_search();
        run_key();
    }
    int rest = line.end == LINE_TYPING && !line.leaving ? 0 : queue_count(&line.queue);
    if (line.leaving || (line.end == LINE_TYPING && is_escape(bytes, count)))
        abandon(true);
    if (line.end != LINE_TYPING)
        queue_clear(&line.queue);
    return rest < count ? count - rest : 0;
}

enum line_end line_state(char **text)
{
    *text = line.text;
    line.text = NULL;
    return line.end;
}

bool line_drop(void)
{
    if (line.end != LINE_TYPING)
        return false;
    bool was = rl_end > 0 || !queue_empty(&line.queue) || RL_ISSTATE(RL_STATE_ISEARCH);
    char *prompt = strdup(rl_prompt);
    abandon(false);
    begin(prompt ? prompt : "", "", 0, line.asked);
    free(prompt);
    return was;
}

const struct pieces *line_offers(void)
{
    return &line.offers;
}
