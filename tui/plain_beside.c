/* Two states side by side as plain text: both translations, both matrices and their difference. */
#include <stdlib.h>
#include <string.h>

#include "tui/describe.h"
#include "tui/display.h"
#include "tui/eye.h"
#include "tui/heat.h"
#include "tui/plain.h"

enum { BLOCKS = 3, GAP = 2 };

/* A matrix with its title and labels for the eye. */
struct block {
    char title[128];
    char **rows, **columns;
    struct heat heat;
    bool difference;
};

static void block_fill(struct block *block, const struct session *session,
                       const struct attention_result *attention)
{
    int rows = attention->rows.texts.count, columns = attention->columns.texts.count;
    block->rows = eye_labels(session, &attention->rows, false);
    block->columns = eye_labels(session, &attention->columns, false);
    block->heat =
        (struct heat){(const char *const *)block->rows, (const char *const *)block->columns, rows,
                      columns, attention->weights};
}

static void block_free(struct block *block)
{
    eye_free(block->rows, block->heat.row_count);
    eye_free(block->columns, block->heat.column_count);
}

static void draw_block(FILE *stream, const struct block *block, int width)
{
    char title[sizeof block->title + 1];
    snprintf(title, sizeof title, " %s", block->title);
    display_wrapped(stream, title, "  ", 1, width);
    if (block->difference) {
        difference_draw(stream, &block->heat, width);
        difference_legend(stream, &block->heat, width);
    } else {
        heat_draw(stream, &block->heat, width);
        heat_legend(stream, &block->heat, width);
    }
}

/* Takes the next line off `text`; NULL at the end. */
static const char *next_line(char **text)
{
    char *line = *text;
    if (!line || !*line)
        return NULL;
    char *end = strchr(line, '\n');
    if (end)
        *end = '\0';
    *text = end ? end + 1 : line + strlen(line);
    return line;
}

/* Lines of the blocks, joined: each block is `width` columns wide. */
static void join(FILE *stream, char **texts, int count, int width)
{
    for (;;) {
        const char *lines[BLOCKS];
        int last = -1;
        for (int i = 0; i < count; i++) {
            lines[i] = next_line(&texts[i]);
            last = lines[i] ? i : last;
        }
        if (last < 0)
            return;
        for (int i = 0; i <= last; i++) {
            const char *line = lines[i] ? lines[i] : "";
            display_write(stream, line);
            if (i < last)
                fprintf(stream, "%*s", width + GAP - display_width(line), "");
        }
        fputc('\n', stream);
    }
}

/* All matrices beside each other, `width` columns each. */
static void draw_beside(FILE *stream, const struct block *blocks, int count, int width)
{
    char *texts[BLOCKS] = {NULL}, *rest[BLOCKS] = {NULL};
    for (int i = 0; i < count; i++) {
        size_t size;
        FILE *out = display_have(open_memstream(&texts[i], &size));
        if (!out)
            continue;
        draw_block(out, &blocks[i], width);
        fclose(out);
        rest[i] = texts[i];
    }
    join(stream, rest, count, width);
    for (int i = 0; i < count; i++)
        free(texts[i]);
}

static void draw_blocks(FILE *stream, const struct block *blocks, int count)
{
    int columns = display_columns(stream), width = (columns - (count - 1) * GAP) / count;
    bool fits = true;
    for (int i = 0; i < count; i++)
        fits &= heat_width(&blocks[i].heat, width) <= width;
    if (fits) {
        draw_beside(stream, blocks, count, width);
        return;
    }
    for (int i = 0; i < count; i++) {
        if (i)
            fputc('\n', stream);
        draw_block(stream, &blocks[i], columns);
    }
}

/* "a  learned, local 2  off" */
static void title_side(struct block *block, char letter, const struct attention_result *attention)
{
    char what[64] = "";
    if (attention->view.head >= 0)
        describe_head(&attention->head, what, sizeof what);
    snprintf(block->title, sizeof block->title, "%c%s%s%s", letter, *what ? "  " : "", what,
             attention->off ? "  off" : "");
}

static void print_view(FILE *stream, const struct view *view)
{
    fprintf(stream, " %s  layer %d  head ", module_names[view->module], view->layer + 1);
    if (view->head >= 0)
        fprintf(stream, "%d\n", view->head + 1);
    else
        fprintf(stream, "%s\n", view->head == VIEW_MEAN ? "mean" : "max");
}

static void print_states(FILE *stream, const struct beside_result *beside)
{
    static const char *const titles[2] = {"a  ", "b  "};
    const char *texts[2];
    for (int i = 0; i < 2; i++) {
        const struct beside_side *side = &beside->side[i];
        texts[i] = subject_target(side->subject);
        fputs(titles[i], stream);
        display_write(stream, side->name);
        fprintf(stream, "  score %.4f\n", subject_hypothesis(side->subject)->score);
    }
    plain_texts(stream, titles, texts);
}

void plain_beside(struct sink *sink, const struct session *session, const struct result *result)
{
    const struct beside_result *beside = &result->beside;
    FILE *stream = sink->stream;
    struct block blocks[BLOCKS] = {{.difference = false}};
    int count = beside->difference.weights ? BLOCKS : BLOCKS - 1;
    for (int i = 0; i < 2; i++) {
        struct session other = beside_session(session, &beside->side[i]);
        block_fill(&blocks[i], &other, &beside->side[i].attention);
        title_side(&blocks[i], "ab"[i], &beside -> side[i].attention);
    }
    struct session first = beside_session(session, &beside->side[0]);
    if (count == BLOCKS) {
        block_fill(&blocks[2], &first, &beside->difference);
        blocks[2].difference = true;
        snprintf(blocks[2].title, sizeof blocks[2].title, "b - a");
    }
    print_states(stream, beside);
    print_view(stream, &beside->side[0].attention.view);
    bool complete = true;
    for (int i = 0; i < count; i++)
        complete &= blocks[i].rows && blocks[i].columns;
    if (complete)
        draw_blocks(stream, blocks, count);
    if (beside->note)
        display_wrapped(stream, beside->note, "  ", 1, display_columns(stream));
    for (int i = 0; i < count; i++)
        block_free(&blocks[i]);
}
