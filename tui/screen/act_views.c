/* Going to other views. */
#include <stdlib.h>
#include <string.h>

#include "tui/arguments.h"
#include "tui/gate_columns.h"
#include "tui/screen/act.h"
#include "tui/selector.h"

/* The head under the cursor of an overview, or of a token's lines. */
static struct view view_at(const struct screen *screen, const struct head_grid *grid, int index)
{
    struct view view = screen->frame->view;
    view.module = grid->module;
    view.layer = grid->layers[index / grid->head_count];
    view.head = grid->heads[index % grid->head_count];
    return view;
}

void act_open(struct screen *screen, int key, int count)
{
    const struct frame *frame = screen->frame;
    const struct spot *spot = screen_spot(screen);
    (void)key;
    (void)count;
    if (frame->kind == FRAME_SHEET) {
        const char *command = sheet_command(&frame->sheet, &screen->places.sheet);
        if (command)
            screen_send(screen, "%s", command);
        screen->opening = command != NULL;
    } else if (frame->result.kind == RESULT_HEADS) {
        struct view view = view_at(screen, &frame->result.heads.grid, spot->panel);
        act_show(screen, &view);
    } else if (frame->result.kind == RESULT_TOKEN) {
        struct view view = view_at(screen, &frame->result.token.grid, spot->row);
        act_show(screen, &view);
    }
}

void act_overview(struct screen *screen, int key, int count)
{
    (void)key;
    (void)count;
    if (screen->frame->result.kind == RESULT_HEADS) {
        act_open(screen, '\r', 0);
        return;
    }
    struct view view = act_view(screen);
    int heads = screen->frame->maps[view.module].heads;
    screen->places.grid.panel = view.layer * heads + (view.head > 0 ? view.head : 0);
    screen_send_view(screen, ":heads %s%s", module_names[view.module],
                     screen->frame->words ? " word" : "");
}

void act_words(struct screen *screen, int key, int count)
{
    const struct frame *frame = screen->frame;
    (void)key;
    (void)count;
    if (!frame->command)
        return;
    size_t length = strlen(frame->command);
    if (frame->words)
        screen_send_view(screen, ":%.*s", (int)(length - strlen(" word")), frame->command);
    else
        screen_send_view(screen, ":%s word", frame->command);
}

/* One head, the mean over all, the maximum, and round. */
void act_merged(struct screen *screen, int key, int count)
{
    struct view view = act_view(screen);
    (void)key;
    (void)count;
    if (view.head >= 0)
        screen->single = view.head;
    view.head = view.head >= 0 ? VIEW_MEAN : view.head == VIEW_MEAN ? VIEW_MAX : screen->single;
    act_show(screen, &view);
}

/* Tokens ------------------------------------------------------------------------------------------- */

/* :token counts rows, then columns that are not the same tokens. */
static int token_number(const struct attention_result *attention, bool of_column, int index)
{
    bool apart = attention->view.module == MODULE_CROSS;
    return index + 1 + (of_column && apart ? attention->rows.texts.count : 0);
}

static void show_word(struct screen *screen, const char *text, enum module module)
{
    char *quoted = NULL;
    size_t size;
    FILE *out = open_memstream(&quoted, &size);
    if (!out)
        return;
    arguments_quote(out, text);
    if (fclose(out) == 0)
        screen_send(screen, ":token %s %s", quoted, module_names[module]);
    free(quoted);
}

/* t: of the cursor's row, T: of its column. */
void act_token(struct screen *screen, int key, int count)
{
    const struct attention_result *attention = &screen->frame->result.attention;
    const struct spot *spot = screen_spot(screen);
    bool of_column = key == 'T';
    int index = of_column ? spot->column : spot->row;
    (void)count;
    if (attention->words)
        show_word(screen, (of_column ? &attention->columns : &attention->rows)->texts.text[index],
                  attention->view.module);
    else
        screen_send(screen, ":token %d %s", token_number(attention, of_column, index),
                    module_names[attention->view.module]);
}

/* The tokens beside it; of a word of several the one before or behind it. */
void act_token_step(struct screen *screen, int key, int count)
{
    const struct token_result *token = &screen->frame->result.token;
    bool of_column = token->grid.module == MODULE_CROSS && token->side == SIDE_SOURCE;
    int number = key == KEY_ARROW_RIGHT ? token->first + token->count : token->first - 1;
    int most = of_column ? token->columns.texts.count : token->rows.texts.count;
    (void)count;
    if (number < 0 || number >= most)
        return;
    screen_send_view(screen, ":token %d %s", number + 1 + (of_column ? token->rows.texts.count : 0),
                     module_names[token->grid.module]);
}

/* The same number in another module. */
void act_token_module(struct screen *screen, enum module module)
{
    screen_send(screen, ":token %d %s", screen->frame->result.token.first + 1,
                module_names[module]);
}

/* The rest ----------------------------------------------------------------------------------------- */

void act_importance(struct screen *screen, int key, int count)
{
    (void)key;
    (void)count;
    screen_send(screen, ":importance");
}

void act_gates(struct screen *screen, int key, int count)
{
    (void)key;
    (void)count;
    screen_send(screen, ":gates");
}

void act_hypotheses(struct screen *screen, int key, int count)
{
    (void)key;
    (void)count;
    screen_send(screen, ":hypothesis");
}

void act_hypothesis(struct screen *screen, int key, int count)
{
    const struct frame *frame = screen->frame;
    int steps = count ? count : 1;
    int number = frame->hypothesis + 1 + (key == '+' ? steps : -steps);
    if (number >= 1 && number <= frame->hypotheses)
        screen_send(screen, ":hypothesis %d", number);
    else
        screen_say(screen, false, "%d hypothes%s", frame->hypotheses,
                   frame->hypotheses == 1 ? "is" : "es");
}

void act_sentence(struct screen *screen, int key, int count)
{
    const struct frame *frame = screen->frame;
    if (!frame->sentences)
        screen_say(screen, true, "no test set is open: `:open SRC [REF]` opens one");
    else if (count)
        screen_send(screen, ":goto %d", count);
    else
        screen_send(screen, key == ']' ? ":next" : ":prev");
}

void act_beside(struct screen *screen, int key, int count)
{
    struct view view = act_view(screen);
    const struct frame *frame = screen->frame;
    (void)key;
    (void)count;
    if (frame->result.kind == RESULT_BESIDE)
        screen_send(screen, ":attn %s layer %d", module_names[view.module], view.layer + 1);
    else if (frame->states)
        screen_send(screen, ":beside before");
    else
        screen_type(screen, ":beside ", -1);
}

void act_states(struct screen *screen, int key, int count)
{
    (void)key;
    (void)count;
    screen_send(screen, ":state");
}

void act_info(struct screen *screen, int key, int count)
{
    (void)key;
    (void)count;
    screen_send(screen, ":info");
}

/* Of what has both, the table instead of the picture, and back. */
void act_table(struct screen *screen, int key, int count)
{
    struct frame *frame = screen->frame;
    (void)key;
    (void)count;
    if (!frame->drawn || !frame->listed) {
        screen_say(screen, false,
                   frame->listed ? "there is no picture of this" : "there is no table of this");
    } else if (frame->kind == FRAME_PICTURE) {
        frame->kind = FRAME_SHEET;
        screen->places.sheet = (struct sheet_spot){0};
    } else {
        frame->kind = FRAME_PICTURE;
        picture_settle(&frame->picture, screen->layout.view, screen_spot(screen));
    }
}

void act_sort(struct screen *screen, int key, int count)
{
    struct sheet *sheet = &screen->frame->sheet;
    int column = count ? count - 1 : screen->places.sheet.column;
    (void)key;
    if (column < sheet->column_count)
        sheet_sort(sheet, column);
}
