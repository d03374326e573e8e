/* Rows and columns of a report's matrices. */
#include "tui/report/display_label.h"
#include "tui/report/report_memory.h"

struct axis report_axis(struct report *report, const struct loaded *loaded, const char *key,
                        const struct labels *labels, bool words)
{
    int count = labels->texts.count;
    struct axis axis = {.key = key, .title = labels_title(labels), .count = count};
    const char **texts = report_new(report, (size_t)count, sizeof *texts);
    const char **shown = report_new(report, (size_t)count, sizeof *shown);
    for (int i = 0; texts && shown && i < count; i++) {
        texts[i] = report_copy(report, labels->texts.text[i]);
        shown[i] = report_take_text(
            report, display_label(loaded->checkpoint, labels->side, words, labels->texts.text[i]));
    }
    axis.texts = texts;
    axis.labels = shown;
    return axis;
}

/* Labels are ours (report_axis): only whoever reads them gets them as constants. */
static void relabel(struct report *report, const struct axis *axis, label_change *other)
{
    const char **labels = (const char **)axis->labels;
    for (int i = 0; labels && i < axis->count; i++)
        labels[i] = other(report, labels[i]);
}

static void relabel_in(struct report *report, const struct blocks *blocks, label_change *other)
{
    for (int i = 0; i < blocks->count; i++) {
        const struct block *block = &blocks->blocks[i];
        if (block->kind == BLOCK_GROUP)
            relabel_in(report, &block->group->blocks, other);
        if (block->kind != BLOCK_MATRIX)
            continue;
        relabel(report, &block->matrix->rows, other);
        relabel(report, &block->matrix->columns, other);
    }
}

bool report_relabel(struct report *report, label_change *other, struct status *status)
{
    relabel_in(report, &report->blocks, other);
    return !report->lacking || status_no_memory(status);
}

struct axis report_numbers_axis(struct report *report, const char *title, int count)
{
    struct axis axis = {.title = title, .count = count};
    const char **texts = report_new(report, (size_t)count, sizeof *texts);
    for (int i = 0; texts && i < count; i++)
        texts[i] = report_format(report, "%d", i + 1);
    axis.texts = axis.labels = texts;
    return axis;
}
