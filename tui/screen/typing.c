/* The line at the bottom: commands and sentences, texts to search for, answers. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tui/complete.h"
#include "tui/history.h"
#include "tui/screen/line.h"
#include "tui/screen/screen.h"

enum { LONGEST_PROMPT = 30 };

/* Tab, while nothing runs: completion reads the session. */
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

bool screen_open_line(struct screen *screen, struct status *status)
{
    return line_open(complete_line, screen->worker, status);
}

static void ask(struct screen *screen, enum typing typing, const char *question)
{
    screen->typing = typing;
    line_ask(question);
}

void screen_type(struct screen *screen, const char *text, int point)
{
    char prompt[LONGEST_PROMPT * 4 + 3];
    screen_prompt(screen, prompt, sizeof prompt);
    screen->typing = TYPING_COMMAND;
    line_begin(prompt, text, point);
}

void screen_type_search(struct screen *screen, bool backward)
{
    screen->backward = backward;
    ask(screen, TYPING_SEARCH, backward ? "\\" : "/");
}

void screen_ask(struct screen *screen, const char *question)
{
    ask(screen, TYPING_ANSWER, question);
}

static void run_typed(struct screen *screen, const char *text)
{
    if (!*text)
        return;
    history_keep(text);
    screen_say(screen, false, "%s", "");
    screen_send(screen, "%s", text);
}

static void search_typed(struct screen *screen, char *text)
{
    if (*text) {
        free(screen->search);
        screen->search = text;
    } else {
        free(text);
    }
    screen->searched_backward = screen->backward;
    if (screen->search)
        screen_look_for(screen, screen->backward);
}

/* After Enter a command's effect is looked at; a sentence's as well. */
void screen_typed(struct screen *screen)
{
    char *text = NULL;
    enum line_end end = line_state(&text);
    enum typing typing = screen->typing;
    if (end == LINE_TYPING)
        return;
    screen->typing = TYPING_NOTHING;
    screen->quit |= end == LINE_EOF && typing == TYPING_COMMAND;
    if (typing == TYPING_ANSWER) {
        // Who was about to type a sentence has not said yes.
        worker_answer(screen->worker,
                      text && (strcasecmp(text, "y") == 0 || strcasecmp(text, "yes") == 0));
    } else if (end == LINE_ENTERED && typing == TYPING_COMMAND) {
        run_typed(screen, text);
    } else if (end == LINE_ENTERED) {
        search_typed(screen, text);
        return;
    }
    free(text);
}
