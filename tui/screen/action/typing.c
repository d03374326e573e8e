#include "tui/screen/action/typing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/text/quote.h"
#include "terminal/text/display.h"
#include "tui/command/commands.h"
#include "tui/prompt/complete.h"
#include "tui/prompt/history.h"
#include "tui/prompt/meant.h"
#include "tui/screen/action/act.h"
#include "tui/screen/line/line.h"
#include "tui/screen/state/state.h"

enum { LONGEST_PROMPT = 30 };

/* Completion reads the session, so Tab offers nothing while a command runs. */
static bool complete_line(void *context, const char *line, size_t cursor,
                          struct completions *completions)
{
    struct worker *worker = context;
    struct status unused;
    const struct session *session = worker_borrow(worker);
    bool ok = session && complete(session, line, cursor, completions, &unused);
    if (session)
        worker_give_back(worker);
    return ok;
}

bool typing_open(struct screen *screen, struct status *status)
{
    return line_open(complete_line, screen->worker, status);
}

static void ask(struct screen *screen, enum typing typing, const char *question)
{
    screen->typing = typing;
    line_ask(question);
}

/* The prompt for a command is the model's name. */
static void write_prompt(const struct screen *screen, char *text, size_t size)
{
    char *clean = display_clean(screen->frame->name);
    char *name = clean ? display_cut(clean, LONGEST_PROMPT) : NULL;
    snprintf(text, size, "%s> ", name ? name : "");
    free(clean);
    free(name);
}

static void begin_line(struct screen *screen, enum typing typing, const char *text, int point)
{
    char prompt[LONGEST_PROMPT * 4 + 3];
    write_prompt(screen, prompt, sizeof prompt);
    screen->typing = typing;
    line_begin(prompt, text, point);
}

void typing_begin_with(struct screen *screen, const char *text)
{
    begin_line(screen, TYPING_PROMPT, text, -1);
}

void typing_begin_prompt(struct screen *screen)
{
    typing_begin_with(screen, "");
}

void typing_begin_command(struct screen *screen, const char *text, int point)
{
    begin_line(screen, TYPING_COMMAND, text, point);
}

void typing_name_model(struct screen *screen)
{
    char prompt[LONGEST_PROMPT * 4 + 3];
    if (screen->typing != TYPING_PROMPT && screen->typing != TYPING_COMMAND)
        return;
    write_prompt(screen, prompt, sizeof prompt);
    line_set_prompt(prompt);
}

void typing_begin_search(struct screen *screen, bool backward)
{
    screen->search.typed_backward = backward;
    ask(screen, TYPING_SEARCH, backward ? "\\" : "/");
}

static bool is_line(enum typing typing)
{
    return typing == TYPING_PROMPT || typing == TYPING_COMMAND;
}

void typing_ask(struct screen *screen, const char *question)
{
    struct asked *asked = &screen->asked;
    if (screen->typing == TYPING_DOUBT)
        typing_edit_again(screen);
    asked->typing = is_line(screen->typing) ? screen->typing : TYPING_NOTHING;
    free(asked->text);
    asked->text = is_line(screen->typing) ? line_text(&asked->point) : NULL;
    ask(screen, TYPING_ANSWER, question);
}

void typing_resume(struct screen *screen)
{
    struct asked *asked = &screen->asked;
    screen->typing = TYPING_NOTHING;
    if (is_line(asked->typing))
        begin_line(screen, asked->typing, asked->text ? asked->text : "", asked->point);
    free(asked->text);
    asked->text = NULL;
}

/* *now: even while commands run, as in ":q!". */
static bool means_quit(const char *line, bool *now)
{
    char name[16];
    command_name(line, name, sizeof name);
    *now = strchr(line, '!') != NULL;
    return *line == ':' && strcmp(name, "quit") == 0;
}

/* Runs a line and begins the next one; the history gets what was typed. If too many lines wait
 * already, the same line begins again. */
static void run_line(struct screen *screen, const char *typed, const char *line)
{
    bool now, taken = true;
    history_keep(typed);
    screen_say(screen, false, "%s", "");
    if (*line && means_quit(line, &now))
        request_quit(screen, now);
    else if (*line)
        taken = request_line(screen, line);
    typing_begin_with(screen, taken ? "" : typed);
}

static void search_typed(struct screen *screen, char *text)
{
    if (*text) {
        free(screen->search.text);
        screen->search.text = text;
    } else {
        free(text);
    }
    screen->search.backward = screen->search.typed_backward;
    if (screen->search.text)
        act_find(screen, screen->search.typed_backward);
}

static bool is_answer(const char *text)
{
    static const char *const answers[] = {"", "y", "yes", "n", "no"};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (strcasecmp(text, answers[i]) == 0)
            return true;
    return false;
}

/* Any other text means no. It may have been meant as a sentence, so it is not lost. */
static void answer(struct screen *screen, const char *text)
{
    struct asked *asked = &screen->asked;
    worker_answer(screen->worker,
                  text && (strcasecmp(text, "y") == 0 || strcasecmp(text, "yes") == 0));
    if (text && !is_answer(text) && (!asked->text || !*asked->text)) {
        free(asked->text);
        *asked = (struct asked){TYPING_PROMPT, strdup(text), -1};
    } else if (text && !is_answer(text)) {
        history_leave(text);
    }
    typing_resume(screen);
}

/* Lines that may be no sentence ---------------------------------------------------------------- */

static void forget_doubt(struct doubt *doubt)
{
    free(doubt->line);
    free(doubt->command);
    *doubt = (struct doubt){0};
}

/* Takes `command`, whose beginning is in the question; NULL: the line is keys. */
static void ask_meant(struct screen *screen, const char *line, char *command)
{
    static const char choices[] = "? y runs that, t translates the line, n edits it: ";
    const int room = screen->canvas.columns - (int)strlen("meant ") - (int)strlen(choices) - 1;
    struct doubt *doubt = &screen->doubt;
    char *question = NULL;
    forget_doubt(doubt);
    *doubt = (struct doubt){strdup(line), command};
    char *brief = command ? display_cut(QUOTED(command), room > 12 ? room : 12) : NULL;
    int made = command
                   ? asprintf(&question, "meant %s%s", brief ? brief : "", choices)
                   : asprintf(&question,
                              "%.200s: keys of the view? y presses them, t translates, n edits: ",
                              QUOTED(line));
    free(brief);
    if (made < 0 || !doubt->line)
        typing_edit_again(screen);
    else
        ask(screen, TYPING_DOUBT, question);
    free(question);
}

void typing_edit_again(struct screen *screen)
{
    struct doubt *doubt = &screen->doubt;
    typing_begin_with(screen, doubt->line ? doubt->line : "");
    forget_doubt(doubt);
}

/* An answer other than y, t and n may have been meant as the next line: neither line is lost. */
static void answer_meant(struct screen *screen, const char *text)
{
    struct doubt *doubt = &screen->doubt;
    bool yes = text && (strcasecmp(text, "y") == 0 || strcasecmp(text, "yes") == 0);
    if (text && strcasecmp(text, "t") == 0) {
        run_line(screen, doubt->line, doubt->line);
    } else if (yes && doubt->command) {
        run_line(screen, doubt->command, doubt->command);
    } else if (yes) {
        history_keep(doubt->line);
        screen->typing = TYPING_NOTHING;
        free(screen->given);
        screen->given = strdup(doubt->line);
    } else if (text && !is_answer(text)) {
        history_keep(doubt->line);
        typing_begin_with(screen, text);
    } else {
        typing_edit_again(screen);
    }
    forget_doubt(doubt);
}

/* Lines ---------------------------------------------------------------------------------------- */

/* The prompt waits for the next line wherever this one began. An empty line goes to the view; if
 * there is none, it translates the example of the first screen. */
static void finish_line(struct screen *screen, const char *text)
{
    bool view = screen->frame->kind != FRAME_EMPTY;
    char *command;
    if (!*text && view) {
        screen->typing = TYPING_NOTHING;
        return;
    }
    if (!*text && screen->frame->example)
        text = screen->frame->example;
    switch (line_meant(text, view, &command)) {
    case MEANT_QUIT:
        run_line(screen, text, ":quit");
        break;
    case MEANT_HELP:
        run_line(screen, text, ":help");
        break;
    case MEANT_REST:
    case MEANT_COMMAND:
    case MEANT_KEYS:
        ask_meant(screen, text, command);
        return;
    default:
        run_line(screen, text, text);
    }
}

void typing_finish(struct screen *screen)
{
    char *text = NULL;
    enum line_end end = line_state(&text);
    if (end == LINE_TYPING)
        return;
    if (screen->typing == TYPING_ANSWER) {
        answer(screen, text);
    } else if (screen->typing == TYPING_DOUBT) {
        answer_meant(screen, text);
    } else if (end == LINE_ENTERED && screen->typing == TYPING_SEARCH) {
        screen->typing = TYPING_NOTHING;
        search_typed(screen, text);
        return;
    } else if (end == LINE_ENTERED) {
        finish_line(screen, text);
    } else {
        if (end == LINE_EOF && is_line(screen->typing))
            request_quit(screen, false);
        screen->typing = TYPING_NOTHING;
    }
    free(text);
}
