#include "tui/prompt/prompt.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readline/readline.h>
#undef CTRL // ours is the same

#include "terminal/interrupt.h"
#include "terminal/key_codes.h"
#include "terminal/terminal.h"
#include "terminal/text/display.h"
#include "tui/prompt/editing.h"

/* Most columns of the model's name; most candidates listed. */
enum { LONGEST_NAME = 30, MOST_LISTED = 200 };

/* readline has one state for the whole program, and so has this. */
static struct {
    const struct session *session;
    char *text;  // before the line
    bool done;   // the line is finished
    bool asking; // Ctrl-C counts as an answer
    char *line;
} prompt;

/* Completion ----------------------------------------------------------------------------------- */

/* readline counts from 1: the first place holds what they have in common. */
static void list_words(void *unused, struct strings *words)
{
    (void)unused;
    int widest = 0, count = words->count < MOST_LISTED ? words->count : MOST_LISTED;
    char **matches = calloc((size_t)count + 2, sizeof *matches);
    if (!matches)
        return;
    matches[0] = (char *)"";
    for (int i = 0; i < count; i++) {
        int width = display_width(words->text[i]);
        matches[i + 1] = words->text[i];
        widest = width > widest ? width : widest;
    }
    rl_display_match_list(matches, count, widest);
    if (count < words->count)
        fprintf(rl_outstream, "and %d more\n", words->count - count);
    rl_forced_update_display();
    free(matches);
}

static bool complete_line(void *unused, const char *line, size_t cursor,
                          struct completions *completions)
{
    struct status status;
    (void)unused;
    return complete(prompt.session, line, cursor, completions, &status);
}

/* Reading -------------------------------------------------------------------------------------- */

static void on_line(char *line)
{
    prompt.line = line;
    prompt.done = true;
    rl_callback_handler_remove();
}

/* Returns the next byte, or EOF: the input has ended, or Ctrl-C was pressed. */
static int wait_for_byte(FILE *stream)
{
    unsigned char byte;
    if (typed_ahead_take(&byte, 1) == 1)
        return byte;
    for (;;) {
        struct pollfd files[] = {{.fd = fileno(stream), .events = POLLIN},
                                 {.fd = interrupt_file(), .events = POLLIN}};
        poll(files, 2, -1);
        if (interrupted())
            return EOF;
        ssize_t count = read(fileno(stream), &byte, 1);
        if (count == 1)
            return byte;
        if (count == 0 || (errno != EINTR && errno != EAGAIN))
            return EOF;
    }
}

static struct {
    char last[PASTE_MARK]; // bytes
    bool inside;
    int given; // of the end
} pasting;

static void paste_follow(int byte)
{
    memmove(pasting.last, pasting.last + 1, PASTE_MARK - 1);
    pasting.last[PASTE_MARK - 1] = (char)byte;
    if (memcmp(pasting.last, PASTE_BEGINS, PASTE_MARK) == 0)
        pasting.inside = true;
    else if (memcmp(pasting.last, PASTE_ENDS, PASTE_MARK) == 0)
        pasting.inside = false;
}

/* In the middle of a key or a paste, readline waits in here, and Ctrl-C must get through. A paste
 * that breaks off is given its end: after EOF, readline would read on as if still pasting. */
static int read_byte(FILE *stream)
{
    int byte = pasting.given > 0 ? EOF : wait_for_byte(stream);
    if (byte == EOF && pasting.inside)
        byte = PASTE_ENDS[pasting.given++];
    if (byte != EOF)
        paste_follow(byte);
    if (!pasting.inside)
        pasting.given = 0;
    return byte;
}

static void drop_line(void)
{
    rl_callback_sigcleanup();
    rl_point = rl_end;
    rl_redisplay();
    rl_crlf();
    editing_drop();
    rl_on_new_line();
    rl_redisplay();
}

static void begin_line(void)
{
    prompt.done = false;
    prompt.line = NULL;
    memset(&pasting, 0, sizeof pasting);
    rl_callback_handler_install(prompt.text ? prompt.text : "> ", on_line);
}

/* For readline, the line ended where read_byte was interrupted. */
static void begin_again(void)
{
    free(prompt.line);
    interrupt_clear();
    rl_crlf();
    begin_line();
}

/* readline does not know that the terminal has changed. */
static void resume(void)
{
    rl_deprep_terminal();
    rl_prep_terminal(1);
    rl_forced_update_display();
}

static void drop_question(void)
{
    rl_callback_sigcleanup();
    rl_crlf();
    on_line(NULL);
}

static void wait_for_line(void)
{
    while (!prompt.done) {
        struct pollfd files[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                                 {.fd = interrupt_file(), .events = POLLIN}};
        int ready = typed_ahead_any() ? 1 : poll(files, 2, -1);
        rl_check_signals(); // the window's size
        if (terminal_resumed())
            resume();
        if (interrupted() && prompt.asking) {
            drop_question();
        } else if (interrupted()) {
            interrupt_clear();
            drop_line();
        } else if (ready > 0) {
            rl_callback_read_char();
        }
        if (prompt.done && interrupted() && !prompt.asking)
            begin_again();
    }
}

static char *prompt_text(void)
{
    char *text = NULL, *clean = display_clean(session_config(prompt.session)->name);
    char *name = clean ? display_cut(clean, LONGEST_NAME) : NULL;
    if (asprintf(&text, "%s> ", name ? name : "") < 0)
        text = NULL;
    free(clean);
    free(name);
    return text;
}

/* Reads a line after `text`, which it frees. */
static char *read_after(char *text)
{
    const char *paste = rl_variable_value("enable-bracketed-paste");
    prompt.text = text;
    rl_reset_screen_size();
    terminal_change(true, paste && strcmp(paste, "on") == 0);
    begin_line();
    wait_for_line();
    terminal_change(false, false);
    free(prompt.text);
    prompt.text = NULL;
    return prompt.line;
}

char *prompt_read(void)
{
    return read_after(prompt_text());
}

char prompt_choose(const char *question)
{
    prompt.asking = true;
    char *answer = read_after(strdup(question));
    prompt.asking = false;
    if (!answer)
        fputc('\n', stdout);
    char first = answer ? (char)tolower((unsigned char)*answer) : '\0';
    free(answer);
    return first;
}

bool prompt_confirm(const char *question)
{
    return prompt_choose(question) == 'y';
}

void prompt_echo(const char *line)
{
    char *text = prompt_text();
    fputs(text ? text : "> ", stdout);
    display_write(stdout, line);
    fputc('\n', stdout);
    free(text);
}

/* Readline inserts the rest of a key of which it knows only a part; such keys are skipped. */
static void skip_unknown_keys(void)
{
    Keymap maps[] = {emacs_standard_keymap, vi_insertion_keymap, vi_movement_keymap};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        rl_bind_keyseq_in_map("\033[", rl_skip_csi_sequence, maps[i]);
}

void prompt_open(const struct session *session)
{
    const struct editing editing = {.complete = complete_line, .list = list_words};
    prompt.session = session;
    terminal_guard();
    rl_getc_function = read_byte;
    editing_open(&editing);
    skip_unknown_keys();
    rl_reset_terminal(NULL); // the screen's line does not need it (line.h)
}

void prompt_close(void)
{
    editing_close();
    prompt.session = NULL;
}
