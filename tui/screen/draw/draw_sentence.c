#include "tui/screen/draw/draw_sentence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/screen/draw/draw_comparison.h"
#include "tui/screen/draw/put.h"
#include "tui/text/display.h"

static const struct style normal = {.ink = INK_NORMAL}, faint = {.ink = INK_FAINT},
                          strong = {.ink = INK_STRONG}, warn = {.ink = INK_WARN};

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

/* "score -0.3141" at the right of a row, with `after` behind it; returns the columns it takes. */
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
    draw_text(screen, area, frame->forced ? "forced" : "output", frame->target,
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
    draw_text(screen, layout->reference, "ref.", frame->reference, 0);
}
