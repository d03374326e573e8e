#include "base/strings.h"
#include "tui/screen/action/act.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/output/report_forms.h"
#include "report/view_report.h"
#include "session/selector.h"
#include "terminal/key_codes.h"
#include "terminal/text/arguments.h"
#include "terminal/text/display.h"
#include "tui/screen/action/typing.h"
#include "tui/screen/state/state.h"

bool act_head_at_cursor(struct screen *screen, struct view *view)
{
    const struct navigation *at = frame_navigation(screen->frame);
    const struct picture_cursor *cursor = screen_cursor(screen);
    if (at->kind != VIEW_HEADS && at->kind != VIEW_TOKEN)
        return false;
    int index = at->kind == VIEW_HEADS ? cursor->panel : cursor->row;
    view->module = at->grid->module;
    view->layer = at->grid->layers[index / at->grid->head_count];
    view->head = at->grid->heads[index % at->grid->head_count];
    return true;
}

void act_open(struct screen *screen)
{
    const struct frame *frame = screen->frame;
    struct view view = frame->view;
    if (frame->kind == FRAME_SHEET) {
        const char *command = sheet_command(&frame->sheet, &screen->cursors.sheet);
        if (command)
            request_row(screen, "%s%s", command,
                        sheet_command_rest(&frame->sheet, &screen->cursors.sheet));
    } else if (act_head_at_cursor(screen, &view)) {
        act_show(screen, &view);
    } else if (view.head < 0) {
        screen_say(screen, true,
                   view.head == VIEW_MEAN
                       ? "this is the mean of the heads: press Left or Right for one of them"
                       : "no head is chosen here: expected a view of one");
    } else {
        request_command(screen, ":head %s layer %d head %d", module_names[view.module],
                        view.layer + 1, view.head + 1);
    }
}

void act_overview(struct screen *screen)
{
    if (frame_navigation(screen->frame)->kind == VIEW_HEADS) {
        act_open(screen);
        return;
    }
    struct view view = requested_view(screen, screen->frame->view);
    if (frame_navigation(screen->frame)->kind == VIEW_BESIDE) {
        request_view(screen, ":%.*s heads%s", frame_command_length(screen->frame),
                     screen->frame->command, requested_words(screen) ? " word" : "");
        return;
    }
    int heads = screen->frame->maps[view.module].heads;
    screen->cursors.grid.panel = view.layer * heads + (view.head > 0 ? view.head : 0);
    request_view(screen, ":heads %s%s", module_names[view.module],
                 requested_words(screen) ? " word" : "");
}

bool act_has_words(const struct frame *frame)
{
    enum view_kind kind = frame_navigation(frame)->kind;
    return frame->command && (kind == VIEW_HEAD || kind == VIEW_HEADS || kind == VIEW_ALIGNMENT ||
                              kind == VIEW_BESIDE || kind == VIEW_BESIDE_HEADS);
}

void act_words(struct screen *screen)
{
    const struct frame *frame = screen->frame;
    if (!act_has_words(frame)) {
        screen_say(screen, true, "no words here: expected a view of one head, or of all");
        return;
    }
    bool words = !requested_words(screen);
    request_view(screen, ":%.*s%s", frame_command_length(frame), frame->command,
                 words ? " word" : "");
    pending_set_words(&screen->pending, words);
}

/* Cycles through one head, the mean over all heads, and the maximum. */
void act_merged(struct screen *screen)
{
    struct view view = requested_view(screen, screen->frame->view);
    if (view.head >= 0)
        screen->single_head = view.head;
    if (!method_table[view.as].of_heads)
        view.as = METHOD_WEIGHTS;
    view.head = view.head >= 0           ? VIEW_MEAN
                : view.head == VIEW_MEAN ? VIEW_MAX
                                         : screen->single_head;
    act_show(screen, &view);
}

/* Cycles through the methods of attribution, from attention weights on. */
void act_method(struct screen *screen)
{
    struct view view = requested_view(screen, screen->frame->view);
    if (view.head >= 0)
        screen->single_head = view.head;
    do
        view.as = (enum method)((view.as + 1) % METHOD_COUNT);
    while (!method_table[view.as].of_layers);
    view.head = method_table[view.as].of_heads ? screen->single_head : VIEW_TOGETHER;
    act_show(screen, &view);
}

/* Tokens --------------------------------------------------------------------------------------- */

/* `:token` numbers the rows' tokens first, then the columns' if those are other tokens. */
static int token_number(const struct navigation *at, bool of_column, int index)
{
    bool apart = at->view.module == MODULE_CROSS;
    return index + 1 + (of_column && apart ? at->rows : 0);
}

static void show_word(struct screen *screen, const char *text, enum module module)
{
    struct written written;
    FILE *out = written_open(&written);
    if (!out)
        return;
    arguments_quote(out, text);
    char *quoted = written_close(&written);
    if (quoted)
        request_command(screen, ":token %s %s", quoted, module_names[module]);
    free(quoted);
}

/* t shows the token of the cursor's row, T that of its column. */
void act_token(struct screen *screen)
{
    const struct navigation *at = frame_navigation(screen->frame);
    const struct picture_cursor *cursor = screen_cursor(screen);
    bool of_column = screen->key == 'T';
    int index = of_column ? cursor->column : cursor->row;
    if (at->words)
        show_word(screen, (of_column ? at->column_axis : at->row_axis)->texts[index],
                  at->view.module);
    else
        request_command(screen, ":token %d %s", token_number(at, of_column, index),
                        module_names[at->view.module]);
}

/* Shows the token before or after the one shown, or than the word shown. */
void act_token_step(struct screen *screen)
{
    const struct navigation *at = frame_navigation(screen->frame);
    bool of_column = at->view.module == MODULE_CROSS && at->side == SIDE_SOURCE;
    int number = screen->key == KEY_ARROW_RIGHT ? at->first + at->count : at->first - 1;
    int most = of_column ? at->column_axis->count : at->rows;
    if (number < 0 || number >= most)
        return;
    request_view(screen, ":token %d %s", number + 1 + (of_column ? at->rows : 0),
                 module_names[at->view.module]);
}

/* The rest ------------------------------------------------------------------------------------- */

void act_hypothesis(struct screen *screen)
{
    const struct frame *frame = screen->frame;
    int steps = act_times(screen);
    int number = frame->hypothesis + 1 + (screen->key == '+' ? steps : -steps);
    if (number >= 1 && number <= frame->hypotheses)
        request_command(screen, ":hypothesis %d", number);
    else
        screen_say(screen, false, "%d hypothes%s", frame->hypotheses,
                   frame->hypotheses == 1 ? "is" : "es");
}

void act_sentence(struct screen *screen)
{
    if (screen->count)
        request_command(screen, ":goto %d", screen->count);
    else
        request_command(screen, screen->key == ']' ? ":next" : ":prev");
}

static void show_head(struct screen *screen, const struct view *view)
{
    struct written written;
    FILE *out = written_open(&written);
    if (!out)
        return;
    head_command_write(out, "attn", view, requested_words(screen));
    char *command = written_close(&written);
    if (command)
        request_command(screen, ":%s", command);
    free(command);
}

/* Leaves tables of changed heads, by tokens and by words, for what they cover. */
static bool leave_heads(struct screen *screen)
{
    bool left = false;
    while (frame_navigation(screen->frame)->kind == VIEW_BESIDE_HEADS && shown_uncover(screen))
        left = true;
    return left;
}

/* Shows the heads that the last change changed, or goes back to one head. */
void act_beside(struct screen *screen)
{
    struct view view = requested_view(screen, screen->frame->view);
    const struct frame *frame = screen->frame;
    enum view_kind kind = frame_navigation(frame)->kind;
    if (kind == VIEW_BESIDE)
        show_head(screen, &view);
    else if (kind == VIEW_BESIDE_HEADS && leave_heads(screen))
        return;
    else if (frame->states)
        request_command(screen, ":beside before heads%s", requested_words(screen) ? " word" : "");
    else
        typing_begin_command(screen, ":beside ", -1);
}

static void write_text(FILE *out, const char *title, const char *text, int columns)
{
    enum { TITLE = 8 };
    if (!text)
        return;
    fprintf(out, "%-*s", TITLE, title);
    display_filled(out, text, TITLE, columns);
}

/* Shows the sentence in full if the lines above the view cut it; after a change, what happened to
 * each token. */
static void show_sentence(struct screen *screen)
{
    const struct frame *frame = screen->frame;
    const struct comparison *change = frame_change(frame), *texts = frame_comparison(frame);
    int columns = screen->layout.header.columns - 2;
    struct written written;
    FILE *out = frame->source ? written_open(&written) : NULL;
    if (!out) {
        screen_say(screen, false, "this view has no table");
        return;
    }
    write_text(out, "source", frame->source, columns);
    if (texts)
        text_comparison(out, texts, columns);
    else
        write_text(out, frame->forced ? "given" : "output", frame->target, columns);
    write_text(out, "ref.", frame->reference, columns);
    if (change)
        fputs("\nlog-probability of each token, [in brackets] where it moved\n", out);
    if (change)
        text_tokens(out, change, columns);
    char *text = written_close(&written);
    if (text)
        shown_show_text(screen, change ? "what changed" : "the sentence in full", text);
}

bool act_has_table(const struct frame *frame)
{
    return frame->kind == FRAME_PAGE || frame->drawn || frame_comparison(frame);
}

/* Switches between picture and table of a result that has both. */
void act_table(struct screen *screen)
{
    struct frame *frame = screen->frame;
    if (frame->kind == FRAME_PAGE) {
        shown_uncover(screen);
    } else if ((frame->drawn && !frame->listed) || (!frame->drawn && frame_comparison(frame))) {
        show_sentence(screen);
    } else if (!frame->drawn) {
        screen_say(screen, false, "this view has no picture");
    } else if (frame->kind == FRAME_PICTURE) {
        frame->kind = FRAME_SHEET;
        screen->cursors.sheet = (struct sheet_cursor){0};
    } else {
        frame->kind = FRAME_PICTURE;
        picture_settle(&frame->picture, screen->layout.view, screen_cursor(screen));
    }
}

void act_sort(struct screen *screen)
{
    struct sheet *sheet = &screen->frame->sheet;
    int column = screen->count ? screen->count - 1 : screen->cursors.sheet.column;
    if (column < sheet->column_count)
        sheet_sort(sheet, column);
}

/* The choice holds for all following pictures. */
void act_side(struct screen *screen)
{
    screen->side = screen->layout.side.rows ? SIDE_HIDDEN : SIDE_SHOWN;
    if (screen->side == SIDE_SHOWN && screen->canvas.columns < LAYOUT_LEAST_WITH_SIDE)
        screen_say(screen, false, "the panel needs a terminal of at least %d columns",
                   LAYOUT_LEAST_WITH_SIDE);
}

/* The choice holds for all following pictures; the cursor stays where it is. */
void act_whole(struct screen *screen)
{
    struct cursors *cursors = &screen->cursors;
    bool whole = !screen_cursor(screen)->whole;
    cursors->matrix.whole = cursors->token.whole = cursors->other.whole = whole;
}
