#include "tui/screen/line/line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>
#undef CTRL // ours is the same

#include "tui/prompt/history.h"
#include "tui/screen/canvas/surface.h"
#include "tui/screen/line/line_queue.h"

enum { KEY_ABORT = 7, KEY_ESCAPE = 27, ALWAYS = 8192 }; // keys; bytes that always fit
enum { HALF_WAY = RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG | RL_STATE_VIMOTION };

/* There is one readline in the program, and so one line. */
static struct {
    FILE *nowhere; // what readline takes for the terminal
    struct line_queue queue;
    int first;    // a key of ours to read first; EOF: none
    bool leaving; // the current key leaves the line
    bool asked;   // it is an answer and does not go into the history
    enum line_end end;
    char *text; // for LINE_ENTERED
    struct strings offers;
} line = {.first = EOF, .end = LINE_LEFT};

/* Functions that readline calls ---------------------------------------------------------------- */

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

/* Bound to Ctrl-G, unless a running search handles it first. */
static int leave_here(int count, int key)
{
    (void)count;
    (void)key;
    line.leaving = true;
    return 0;
}

/* The screen is not readline's. */
static int redraw(int count, int key)
{
    (void)count;
    (void)key;
    surface_refresh();
    return 0;
}

static void take_offers(void *unused, struct strings *words)
{
    (void)unused;
    strings_free(&line.offers);
    line.offers = *words;
    *words = (struct strings){0};
}

/* Opening -------------------------------------------------------------------------------------- */

/* Binds it, unless the user has bound the key to something else. */
static void bind_abort(Keymap map)
{
    rl_command_func_t *bound = map[KEY_ABORT].type == ISFUNC ? map[KEY_ABORT].function : leave_here;
    if (!bound || bound == rl_abort || bound == rl_insert)
        rl_bind_key_in_map(KEY_ABORT, leave_here, map);
}

/* Binds keys that readline would take from the terminal's description, which it does not read
 * here. */
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
    if (map[CTRL('L')].type == ISFUNC && map[CTRL('L')].function == rl_clear_screen)
        rl_bind_key_in_map(CTRL('L'), redraw, map);
    bind_abort(map);
}

bool line_open(line_completer *completer, void *context, struct status *status)
{
    const struct editing editing = {completer, take_offers, context};
    // If memory runs out, one can still end the session.
    if (!queue_reserve(&line.queue, ALWAYS, status))
        return false;
    line.nowhere = fopen("/dev/null", "r+e");
    if (!line.nowhere)
        return status_fail(status, STATUS_IO, "/dev/null: %s", strerror(errno));
    rl_instream = rl_outstream = line.nowhere;
    rl_getc_function = read_byte;
    rl_input_available_hook = is_more;
    rl_redisplay_function =
        show_nothing; // and readline does not look up the terminal, which belongs to ncurses
    rl_prep_term_function = NULL;
    rl_deprep_term_function = NULL;
    rl_catch_sigwinch = 0;
    editing_open(&editing);
    bind_keys(emacs_standard_keymap);
    bind_keys(vi_insertion_keymap);
    bind_keys(vi_movement_keymap);
    return true;
}

/* Feeding -------------------------------------------------------------------------------------- */

/* Some vi commands leave NUL or half a character in the line, on which other commands loop
 * forever. */
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

/* A count before a key, such as Alt-9 9 9 9 9 9 9 9, would make a line so long that drawing it
 * never ends. */
static void bound_count(void)
{
    enum { MOST = 1000 };
    if (rl_numeric_arg > MOST)
        rl_numeric_arg = MOST;
}

/* Runs one key, or the part of it that has arrived. readline would ring the bell on standard error,
 * and turns it on again whenever it rereads inputrc. */
static void run_key(void)
{
    strings_clear(&line.offers);
    rl_variable_bind("bell-style", "none");
    rl_callback_read_char();
    bound_count();
    repair();
}

static void run_alone(unsigned char key)
{
    line.first = key;
    run_key();
}

/* readline 8.2 crashes if the first key of a sequence, such as Ctrl-X, ends a history search. So
 * the search is ended before; Esc is safe. */
static void end_search(void)
{
    int next = queue_peek(&line.queue);
    if (RL_ISSTATE(RL_STATE_ISEARCH) && next >= 0 && next != KEY_ESCAPE &&
        rl_get_keymap()[next].type == ISKMAP)
        run_alone(KEY_ABORT);
}

/* Ends an incomplete key sequence: Ctrl-G aborts it, as no sequence contains Ctrl-G. */
static void end_key(void)
{
    for (int i = 0; i < 2 && line.end == LINE_TYPING && RL_ISSTATE(RL_STATE_MULTIKEY); i++) {
        queue_clear(&line.queue);
        run_alone(KEY_ABORT);
    }
}

/* To readline, a single Esc is the beginning of a key sequence. */
static bool is_escape(const unsigned char *bytes, int count)
{
    return count > 0 && bytes[count - 1] == KEY_ESCAPE && queue_empty(&line.queue) &&
           RL_ISSTATE(RL_STATE_MULTIKEY);
}

/* Ends the line with Enter, so that readline cleans up its history's undo lists. A running search
 * is stopped first. `keep`: the text enters the history. */
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
    strings_clear(&line.offers);
    free(line.text);
    line.text = NULL;
    line.asked = asked;
    line.end = LINE_TYPING;
    history_settle();
    rl_callback_handler_install(prompt, on_line);
    rl_replace_line(text, 1); // undoing comes back to this point
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
    strings_free(&line.offers);
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

/* True if these bytes are exactly a key that readline knows. */
static bool is_bound(const char *bytes, int count)
{
    int type = ISKMAP;
    return rl_function_of_keyseq_len(bytes, (size_t)count, rl_get_keymap(), &type) != NULL &&
           type != ISKMAP;
}

/* Terminals and tmux send Esc and a key soon after it together, as Alt with that key. */
static bool is_escape_and_key(const unsigned char *bytes, int count)
{
    return count == 2 && bytes[0] == KEY_ESCAPE && bytes[1] > ' ' && bytes[1] < 0x7F &&
           queue_empty(&line.queue) && !RL_ISSTATE(HALF_WAY) &&
           rl_editing_mode == 1 && // emacs mode; in vi mode Esc is a command
           !is_bound((const char *)bytes, count);
}

int line_feed(const unsigned char *bytes, int count)
{
    if (line.end != LINE_TYPING)
        return 0;
    if (is_escape_and_key(bytes, count))
        count = 1;
    if (!queue_add(&line.queue, bytes,
                   count)) { // bytes without memory for them must not return again and again
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

/* Returns the sequence of a key without modifiers; "": readline knows none. */
static const char *plain_sequence(int key)
{
    switch (key) {
    case KEY_ARROW_UP:
        return "\033[A";
    case KEY_ARROW_DOWN:
        return "\033[B";
    case KEY_ARROW_RIGHT:
        return "\033[C";
    case KEY_ARROW_LEFT:
        return "\033[D";
    case KEY_FIRST:
        return "\033[H";
    case KEY_LAST:
        return "\033[F";
    case '\r':
        return "\r";
    default:
        return "";
    }
}

bool line_key(const unsigned char *bytes, int count, int key)
{
    const char *plain = plain_sequence(key);
    end_key(); // in the middle of another key, this is not one
    if (is_bound((const char *)bytes, count))
        line_feed(bytes, count);
    else if (*plain)
        line_feed((const unsigned char *)plain, (int)strlen(plain));
    else
        return false;
    return true;
}

bool line_pasting(void)
{
    return line.end == LINE_TYPING && queue_pasting(&line.queue);
}

bool line_empty(void)
{
    return line.end == LINE_TYPING && rl_end == 0 && queue_empty(&line.queue) &&
           !RL_ISSTATE(HALF_WAY | RL_STATE_MULTIKEY);
}

char *line_text(int *point)
{
    *point = rl_point;
    return strdup(line.end == LINE_TYPING && rl_line_buffer ? rl_line_buffer : "");
}

void line_set_prompt(const char *prompt)
{
    bool is = rl_prompt && strcmp(rl_prompt, prompt) == 0;
    if (line.end == LINE_TYPING && !RL_ISSTATE(HALF_WAY) && !is)
        rl_set_prompt(prompt);
}

void line_leave(void)
{
    if (line.end == LINE_TYPING)
        abandon(true);
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

const struct strings *line_offers(void)
{
    return &line.offers;
}
