#include "tui/screen/action/act_session.h"

#include <stdio.h>
#include <stdlib.h>

#include "tui/manual/key_table.h"
#include "tui/screen/action/act_views.h"
#include "tui/screen/action/act_walk.h"
#include "tui/screen/action/typing.h"
#include "tui/screen/action/view_search.h"
#include "tui/screen/canvas/surface.h"
#include "tui/screen/state/shown.h"

void act_prompt(struct screen *screen, int key, int count)
{
    (void)key;
    (void)count;
    typing_begin_prompt(screen);
}

void act_command(struct screen *screen, int key, int count)
{
    (void)key;
    (void)count;
    typing_begin_command(screen, ":", -1);
}

/* Exports what is shown, which need not be what the last command gave. The cursor stands before the ending, since the
 * ending chooses the format. */
void act_export(struct screen *screen, int key, int count)
{
    static const char begin[] = ":export figure.png";
    const char *command = screen->frame->command;
    char *text = NULL;
    (void)key;
    (void)count;
    if (asprintf(&text, "%s%s%s", begin, command ? " " : "", command ? command : "") < 0)
        return;
    typing_begin_command(screen, text, (int)(sizeof begin - sizeof ".png"));
    free(text);
}

void act_search(struct screen *screen, int key, int count)
{
    (void)count;
    typing_begin_search(screen, key == '\\');
}

void act_search_again(struct screen *screen, int key, int count)
{
    bool backward = screen->search.backward != (key == 'N');
    if (!screen->search.text) {
        screen_say(screen, true, "nothing was searched for yet: / asks");
        return;
    }
    for (int i = 0; i < (count ? count : 1) && i < 1000; i++)
        view_search(screen, backward);
}

void act_help(struct screen *screen, int key, int count)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    (void)key;
    (void)count;
    if (!stream)
        return;
    key_table_write(stream, screen_context(screen), screen->style.ascii,
                    screen->canvas.columns - 2);
    if (fclose(stream) == 0)
        shown_show_text(screen, "keys", text);
    else
        free(text);
}

void act_back(struct screen *screen, int key, int count)
{
    (void)count;
    screen_say(screen, false, "%s", "");
    if (worker_waiting(screen->worker) > 0) {
        screen->stopping = true;
        worker_stop(screen->worker);
        return;
    }
    if (screen->frame->drawn && screen_context(screen) == IN_SHEET) {
        act_table(screen, key, 0);
        return;
    }
    if (shown_uncover(screen))
        return;
    if (frame_navigation(screen->frame)->kind == VIEW_BESIDE) {
        if (!shown_return(screen))
            act_beside(screen, 'b', 0);
    } else if (screen_context(screen) & (IN_PICTURES & ~IN_MATRIX)) {
        struct view view = screen->frame->view;
        act_show(screen, &view);
    } else if (!shown_return(screen) && key == 'q') {
        screen_say(screen, false, ":q or Ctrl-D ends the session");
    }
}

void act_refresh(struct screen *screen, int key, int count)
{
    (void)screen;
    (void)key;
    (void)count;
    surface_refresh();
}

void act_quit(struct screen *screen, int key, int count)
{
    (void)key;
    (void)count;
    screen->quit = true;
}
