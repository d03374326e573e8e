#include "tui/screen/draw/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "report/comparison.h"
#include "terminal/text/display.h"
#include "terminal/text/edit_script.h"
#include "tui/screen/state/state.h"

static const struct style normal = {.ink = INK_NORMAL}, faint = {.ink = INK_FAINT},
                          strong = {.ink = INK_STRONG}, warn = {.ink = INK_WARN};

/* Two translations, one above the other, in place of the translation. */

static const struct style looks[EDIT_KINDS] = {
    {.ink = INK_NORMAL},
    {.ink = INK_MARK},
    {.ink = INK_WARN},
    {.ink = INK_MARK},
};

struct place {
    struct screen *screen;
    struct area area;
    int row;
};

static void put_word(void *data, int column, enum edit_kind kind, const char *text, size_t bytes)
{
    const struct place *place = data;
    char *word = strndup(text, bytes);
    if (word)
        canvas_put(&place->screen->canvas, place->row, place->area.column + column,
                   place->area.columns - column, looks[kind], word);
    free(word);
}

/* Chooses the first line to draw if there is no room for all: the one with the first difference, or
 * an earlier one so that all rows are used. */
static struct edit_line first_line(const struct comparison *comparison, const char *const texts[2],
                                   int columns, int lines)
{
    const struct edit_script *script = &comparison->script;
    struct edit_line line = edit_line_from(script, texts, 0, columns);
    int left = layout_comparison_lines(comparison, columns);
    for (; left > lines; left--) {
        for (int i = line.first; i < line.end; i++)
            if (script->edits[i].kind != EDIT_KEPT)
                return line;
        line = edit_line_from(script, texts, line.end, columns);
    }
    return line;
}

/* Marks that there are words to the left or right of what is shown. */
static void put_cut(struct screen *screen, int row, int column)
{
    put_left(screen, row, column, 1, faint, "\xe2\x80\xa6");
}

/* Draws lines of both texts (edit_script.h), or only of the second, alternating in the rows of an
 * area, with their titles from column `title` on. If there are more lines than rows, those with the
 * first difference are drawn, and "…" says that there are more. */
static void draw_comparison(struct screen *screen, const struct comparison *comparison,
                            int texts_shown, struct area area, int title)
{
    const char *const texts[2] = {comparison->texts[0], comparison->texts[1]};
    int count = comparison->script.count, lines = area.rows / texts_shown;
    struct edit_line line = first_line(comparison, texts, area.columns, lines);
    struct place place = {screen, area, area.row};
    for (int i = 0; i < lines; i++) {
        for (int side = 2 - texts_shown; side < 2; side++, place.row++) {
            bool before = i == 0 && line.first > 0, after = i == lines - 1 && line.end < count;
            if (i == 0)
                canvas_put(&screen->canvas, place.row, title, area.column - title - 1, faint,
                           comparison->titles[side]);
            if (before)
                put_cut(screen, place.row, area.column - 1);
            edit_line_put(&comparison->script, texts, line, side, put_word, &place);
            if (after)
                put_cut(screen, place.row, area.column + area.columns);
        }
        if (line.end == count)
            return;
        line = edit_line_from(&comparison->script, texts, line.end, area.columns);
    }
}

void draw_header(struct screen *screen, struct area area)
{
    const struct frame *frame = screen->frame;
    int end = area.column + area.columns - 1;
    if (!area.rows)
        return;
    if (*frame->off) {
        char *text = NULL;
        if (asprintf(&text, "off: %s", frame->off) < 0)
            return;
        end = put_right(screen, area.row, end, area.columns / 2, warn, text) - 2;
        free(text);
    }
    put_left(screen, area.row, area.column + 1, end - area.column - 1, strong, frame->model);
}

/* Draws "score -0.3141" at the right of a row, followed by `after`. Returns the columns it
 * takes. */
static int draw_score(struct screen *screen, struct area area, int row, double score,
                      const char *after)
{
    char text[80];
    if (area.columns < LAYOUT_LEAST_WITH_ASIDE)
        return 0;
    snprintf(text, sizeof text, "score %.4f%s", score, after);
    int end = area.column + area.columns - 1, width = (int)strlen(text);
    put_right(screen, area.row + row, end, width, faint, text);
    return width + 2;
}

static void draw_text(struct screen *screen, struct area area, const char *title, const char *text,
                      int taken)
{
    if (!area.rows || !text)
        return;
    canvas_put(&screen->canvas, area.row, area.column + 1, LAYOUT_TEXT_COLUMN - 1, faint, title);
    struct area place = {area.row, area.column + LAYOUT_TEXT_COLUMN, area.rows,
                         area.columns - LAYOUT_TEXT_COLUMN - 1 - taken};
    put_wrapped(screen, place, normal, text);
}

static void draw_target(struct screen *screen, struct area area)
{
    const struct frame *frame = screen->frame;
    char hypothesis[40] = "";
    if (frame->hypothesis > 0)
        snprintf(hypothesis, sizeof hypothesis, "  %d/%d", frame->hypothesis + 1,
                 frame->hypotheses);
    draw_text(screen, area, frame->forced ? "given" : "output", frame->target,
              draw_score(screen, area, 0, frame->score, hypothesis));
}

/* The layout has counted lines of this width. */
static void draw_compared(struct screen *screen, struct area area)
{
    const struct comparison *comparison = frame_comparison(screen->frame);
    int shown = screen->layout.compared;
    bool aside = area.columns >= LAYOUT_LEAST_WITH_ASIDE;
    struct area place = {area.row, area.column + LAYOUT_TEXT_COLUMN, area.rows,
                         area.columns - LAYOUT_TEXT_COLUMN - 1 - (aside ? LAYOUT_ASIDE : 0)};
    draw_comparison(screen, comparison, shown, place, area.column + 1);
    for (int i = 0; i < shown; i++)
        draw_score(screen, area, i, comparison->scores[2 - shown + i], "");
}

/* Draws as many tokens as fit, from a place that shows the first one that changed; "…" says that
 * there are more. */
static void draw_tokens(struct screen *screen, struct area area)
{
    const struct comparison *change = frame_change(screen->frame);
    struct place place = {screen, area, area.row};
    place.area.column += LAYOUT_TEXT_COLUMN - 1; // each has a blank or a mark before it
    place.area.columns -= LAYOUT_TEXT_COLUMN;
    struct token_block block = {TOKENS_OF_BOTH, 0, 0};
    do
        block = token_block_from(change, TOKENS_OF_BOTH, block.end, place.area.columns - 1);
    while (!token_block_moved(change, block));
    token_block_tokens(change, block, put_word, &place);
    if (block.end < change->alike)
        put_cut(screen, place.row, area.column + area.columns - 1);
    for (int side = 0; side < 2; side++) {
        place.row++;
        canvas_put(&screen->canvas, place.row, area.column + 1, LAYOUT_TEXT_COLUMN - 1, faint,
                   change->titles[side]);
        token_block_numbers(change, block, side, put_word, &place);
    }
}

void draw_sentence(struct screen *screen)
{
    const struct frame *frame = screen->frame;
    const struct layout *layout = &screen->layout;
    char place[40] = "";
    int taken = 0;
    if (frame->sentences && layout->source.rows &&
        layout->source.columns >= LAYOUT_LEAST_WITH_ASIDE) {
        snprintf(place, sizeof place, "sentence %d/%d", frame->position, frame->sentences);
        put_right(screen, layout->source.row, layout->source.column + layout->source.columns - 1,
                  (int)strlen(place), faint, place);
        taken = (int)strlen(place) + 2;
    }
    draw_text(screen, layout->source, "source", frame->source, taken);
    if (layout->target.rows && layout->compared)
        draw_compared(screen, layout->target);
    else if (layout->target.rows && frame->target)
        draw_target(screen, layout->target);
    if (layout->tokens.rows)
        draw_tokens(screen, layout->tokens);
    draw_text(screen, layout->reference, "ref.", frame->reference, 0);
}

/* Sentences of a table's row ------------------------------------------------------------------- */

enum { RECORD_TITLE = 13 };

/* Estimates the lines of a text of that width, broken at words; beside another text there are
 * gaps. */
static int lines_of(int width, int columns, bool compared)
{
    width += compared ? width / 2 : width / 8;
    return columns > 0 ? 1 + (width - 1) / columns : 1;
}

int record_rows(const struct sheet *sheet, int columns)
{
    int rows = 1; // for the line about the cursor's column
    for (int c = 0; c < sheet->column_count; c++) {
        const struct sheet_column *column = &sheet->columns[c];
        rows += column->sentence ? lines_of(column->width, columns - RECORD_TITLE, column->compared)
                                 : 0;
    }
    return rows;
}

static const char *sentence_of(const struct sheet *sheet, const struct sheet_cursor *cursor,
                               int column)
{
    const struct sheet_cursor at = {.row = cursor->row, .column = column};
    const char *text = sheet_text(sheet, &at);
    return text ? text : "";
}

/* Draws a text alone. Returns the rows taken. */
static int draw_alone(struct screen *screen, struct area area, int column)
{
    const struct sheet *sheet = &screen->frame->sheet;
    const char *text = sentence_of(sheet, &screen->cursors.sheet, column);
    struct area place = {area.row, area.column + RECORD_TITLE, area.rows,
                         area.columns - RECORD_TITLE};
    if (!*text || area.rows < 1)
        return 0;
    put_left(screen, area.row, area.column, RECORD_TITLE - 1, faint, sheet->columns[column].title);
    put_wrapped(screen, place, normal, text);
    return display_lines(text, place.columns, area.rows);
}

/* Draws a text and the next one compared; separately if one is missing or memory runs out. */
static int draw_both(struct screen *screen, struct area area, int column)
{
    const struct sheet *sheet = &screen->frame->sheet;
    const char *const titles[2] = {sheet->columns[column].title, sheet->columns[column + 1].title};
    struct translation_text texts[2] = {
        {sentence_of(sheet, &screen->cursors.sheet, column), 0},
        {sentence_of(sheet, &screen->cursors.sheet, column + 1), 0}};
    struct comparison comparison = {.titles = {NULL}};
    struct status unused;
    struct area place = {area.row, area.column + RECORD_TITLE, area.rows,
                         area.columns - RECORD_TITLE};
    int lines = 0;
    if (*texts[0].text && *texts[1].text && area.rows >= 2 &&
        comparison_make(&comparison, titles, texts, &unused)) {
        lines = int_min(layout_comparison_lines(&comparison, place.columns), area.rows / 2);
        place.rows = 2 * lines;
        draw_comparison(screen, &comparison, 2, place, area.column);
    }
    comparison_free(&comparison);
    if (lines)
        return 2 * lines;
    int used = draw_alone(screen, area, column);
    area.row += used;
    area.rows -= used;
    return used + draw_alone(screen, area, column + 1);
}

/* Each text leaves a row for each of those below it. */
void draw_record(struct screen *screen, struct area area, const char *line)
{
    const struct sheet *sheet = &screen->frame->sheet;
    int below = 0, used = *line != '\0';
    for (int c = 0; c < sheet->column_count; c++)
        below += sheet->columns[c].sentence;
    if (used)
        put_left(screen, area.row, area.column, area.columns, strong, line);
    for (int c = 0; c < sheet->column_count; c++) {
        const struct sheet_column *column = &sheet->columns[c];
        bool both = column->compared && c + 1 < sheet->column_count && column[1].compared;
        area.row += used;
        area.rows -= used;
        used = 0;
        if (!column->sentence)
            continue;
        below -= 1 + both;
        struct area place = area;
        place.rows -= below;
        used = (both ? draw_both : draw_alone)(screen, place, c);
        c += both;
    }
}
