#include "report/report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/comparison.h"
#include "report/labels.h"
#include "report/report_memory.h"

void report_free(struct report *report)
{
    report_memory_free(report);
    pair_free(report->before);
    *report = (struct report){0};
}

void pair_release(void *pair)
{
    pair_free(pair);
}

bool report_end(struct report *report, struct status *status)
{
    if (!report->lacking)
        return true;
    report_free(report);
    return status_no_memory(status);
}

/* Blocks --------------------------------------------------------------------------------------- */

struct block *report_add_block(struct report *report, enum block_kind kind, unsigned in)
{
    struct blocks *blocks = report->open ? &report->open->blocks : &report->blocks;
    struct block *list = report_grow(report, blocks->blocks, (size_t)blocks->count,
                                     &blocks->capacity, sizeof *blocks->blocks);
    if (!list)
        return NULL;
    blocks->blocks = list;
    struct block *block = &list[blocks->count++];
    *block = (struct block){.kind = kind, .in = in};
    return block;
}

void report_title(struct report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report->title = report_format_list(report, format, arguments);
    va_end(arguments);
}

void report_command(struct report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report->command = report_format_list(report, format, arguments);
    va_end(arguments);
}

void report_field(struct report *report, unsigned in, const char *key, const char *title,
                  struct value value)
{
    struct block *block = report_add_block(report, BLOCK_FIELD, in);
    if (block)
        block->field = (struct field){key, title, value};
}

struct value report_floats(struct report *report, const float *values, int count)
{
    struct array *array = report_new(report, 1, sizeof *array);
    if (array)
        *array = (struct array){.values = values, .dimensions = 1, .shape = {(size_t)count}};
    return array ? value_array(array) : value_null();
}

void report_json(struct report *report, const char *key, struct value value)
{
    report_field(report, IN_JSON, key, NULL, value);
}

void report_line(struct report *report, unsigned in, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct block *block = report_add_block(report, BLOCK_LINE, in);
    if (block)
        block->remark = (struct remark){.text = report_format_list(report, format, arguments)};
    va_end(arguments);
}

const char *report_partial_words(struct report *report, int done, int of, const char *unit)
{
    if (of && done >= of)
        return "";
    return of ? report_format(report, "partial: the first %d of %d %s", done, of, unit)
              : report_format(report, "partial: the first %d %s", done, unit);
}

void report_partial(struct report *report, unsigned in, int done, int of, const char *unit)
{
    if (!of || done < of)
        report_line(report, in, " %s", report_partial_words(report, done, of, unit));
}

void report_sentences(struct report *report, int done, int of)
{
    report_json(report, "sentences", value_int(done));
    report_json(report, "partial", value_bool(done < of));
    report_partial(report, FOR_PEOPLE, done, of, "sentences");
}

void report_warn(struct report *report, const char *format, ...)
{
    va_list arguments;
    if (report->warning_count == WARNINGS_MOST)
        return;
    va_start(arguments, format);
    const char *text = report_format_list(report, format, arguments);
    va_end(arguments);
    report->warnings[report->warning_count++] = text;
    report_line(report, IN_SCREEN, "%s", text);
}

void report_warnings(struct report *report, const struct report *view)
{
    for (int i = 0; i < view->warning_count; i++)
        report_warn(report, "%s", view->warnings[i]);
}

static void release_comparison(void *comparison)
{
    comparison_free(comparison);
}

const struct comparison *report_comparison(struct report *report, unsigned in,
                                           const char *const titles[2],
                                           const struct sentence_pair *const pairs[2])
{
    struct status unused;
    struct comparison *comparison = report_hold(report, sizeof *comparison, release_comparison);
    struct block *block = comparison ? report_add_block(report, BLOCK_COMPARISON, in) : NULL;
    if (!block)
        return NULL;
    block->comparison = comparison;
    if (comparison_of_pairs(comparison, titles, pairs, &unused))
        return comparison;
    report->lacking = true;
    return NULL;
}

void report_token_changes(struct report *report, unsigned in, const struct comparison *comparison)
{
    struct block *block = report_add_block(report, BLOCK_TOKENS, in);
    if (block)
        block->comparison = comparison;
}

void report_paragraph(struct report *report, unsigned in, const char *text)
{
    struct block *block = report_add_block(report, BLOCK_LINE, in);
    if (block)
        block->remark = (struct remark){.text = report_copy(report, text), .filled = true};
}

static struct group *open_group(struct report *report, struct group *group, const char *key)
{
    group->key = key;
    group->around = report->open;
    report->open = group;
    return group;
}

struct group *report_object(struct report *report)
{
    struct group *group = report_new(report, 1, sizeof *group);
    if (!group)
        group = &report->spare.group;
    *group = (struct group){.key = NULL};
    return open_group(report, group, NULL);
}

struct group *report_group(struct report *report, unsigned in, const char *key)
{
    struct group *group = report_new(report, 1, sizeof *group);
    struct block *block = group ? report_add_block(report, BLOCK_GROUP, in) : NULL;
    if (!block) {
        group = &report->spare.group;
        *group = (struct group){.key = NULL};
    } else {
        block->group = group;
    }
    return open_group(report, group, key);
}

void report_group_end(struct report *report)
{
    report->open = report->open->around;
}

struct matrix *report_matrix(struct report *report, unsigned in, float *values)
{
    report_keep(report, values, free);
    struct matrix *matrix = report_new(report, 1, sizeof *matrix);
    struct block *block = matrix ? report_add_block(report, BLOCK_MATRIX, in) : NULL;
    if (!block)
        return &report->spare.matrix;
    block->matrix = matrix;
    matrix->values = values;
    return matrix;
}

struct plot *report_plot(struct report *report, unsigned in, enum plot_kind kind, int series,
                         int points)
{
    struct plot *plot = report_new(report, 1, sizeof *plot);
    struct block *block = plot ? report_add_block(report, BLOCK_PLOT, in) : NULL;
    plot = block ? plot : &report->spare.plot;
    *plot = (struct plot){
        .kind = kind, .series_count = series, .points = points, .mean = NAN, .mean_name = NULL};
    plot->values = report_new(report, (size_t)series * (size_t)points, sizeof *plot->values);
    for (int i = 0; plot->values && i < series * points; i++)
        plot->values[i] = NAN;
    for (int s = 0; s < series; s++)
        plot->colours[s] = s;
    if (block)
        block->plot = plot;
    return plot;
}

struct alignments *report_alignments(struct report *report, unsigned in, const char *key)
{
    struct alignments *alignments = report_new(report, 1, sizeof *alignments);
    struct block *block = alignments ? report_add_block(report, BLOCK_ALIGNMENTS, in) : NULL;
    alignments = block ? alignments : &report->spare.alignments;
    *alignments = (struct alignments){.key = key};
    if (block)
        block->alignments = alignments;
    return alignments;
}

/* Asking --------------------------------------------------------------------------------------- */

static const struct block *find_in(const struct blocks *blocks, enum block_kind kind, unsigned in)
{
    for (int i = 0; i < blocks->count; i++) {
        const struct block *block = &blocks->blocks[i];
        if (!(block->in & in))
            continue;
        const struct block *found = block->kind == kind ? block
                                    : block->kind == BLOCK_GROUP
                                        ? find_in(&block->group->blocks, kind, in)
                                        : NULL;
        if (found)
            return found;
    }
    return NULL;
}

const struct block *report_find(const struct report *report, enum block_kind kind, unsigned in)
{
    return find_in(&report->blocks, kind, in);
}

bool report_pictured(const struct report *report)
{
    const struct block *matrix = report_find(report, BLOCK_MATRIX, IN_SCREEN);
    return report_find(report, BLOCK_PLOT, IN_SCREEN) ||
           (matrix && matrix->matrix->style != MATRIX_CURVES);
}

const struct table *report_sheet(const struct report *report)
{
    const struct table *sheet = NULL;
    for (int i = 0; i < report->blocks.count; i++) {
        const struct block *block = &report->blocks.blocks[i];
        if (block->kind == BLOCK_TABLE && (block->in & IN_SCREEN) &&
            block->table->style != TABLE_LIST)
            sheet = block->table;
    }
    return sheet;
}

size_t matrix_count(const struct matrix *matrix)
{
    size_t places = matrix->grid ? (size_t)matrix->grid->layer_count * matrix->grid->head_count : 1;
    return places * (size_t)matrix->rows.count * (size_t)matrix->columns.count;
}

struct array matrix_array(const struct matrix *matrix)
{
    size_t rows = (size_t)matrix->rows.count, columns = (size_t)matrix->columns.count;
    if (!matrix->grid)
        return (struct array){.values = matrix->values, .dimensions = 2, .shape = {rows, columns}};
    size_t layers = (size_t)matrix->grid->layer_count, heads = (size_t)matrix->grid->head_count;
    return (struct array){
        .values = matrix->values, .dimensions = 4, .shape = {layers, heads, rows, columns}};
}

static size_t numbers_in(const struct blocks *blocks)
{
    size_t numbers = 0;
    for (int i = 0; i < blocks->count; i++) {
        const struct block *block = &blocks->blocks[i];
        if (!(block->in & FOR_PROGRAMS))
            continue;
        if (block->kind == BLOCK_MATRIX)
            numbers += matrix_count(block->matrix);
        else if (block->kind == BLOCK_TABLE)
            numbers += (size_t)block->table->row_count;
        else if (block->kind == BLOCK_GROUP)
            numbers += numbers_in(&block->group->blocks);
    }
    return numbers;
}

size_t report_numbers(const struct report *report)
{
    return numbers_in(&report->blocks);
}

static void drop_in(struct report *report, const struct blocks *blocks)
{
    for (int i = 0; i < blocks->count; i++) {
        const struct block *block = &blocks->blocks[i];
        if (block->kind == BLOCK_GROUP)
            drop_in(report, &block->group->blocks);
        if (block->kind != BLOCK_MATRIX)
            continue;
        report_let_go(report, block->matrix->values);
        block->matrix->values = NULL;
    }
}

void report_drop_values(struct report *report)
{
    drop_in(report, &report->blocks);
}

/* Axes of a report's matrices. */

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

/* The labels belong to the report (report_axis); they are const only to its readers. */
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

struct axis axis_of_names(const char *key, const char *title, const char *const *names, int count)
{
    return (struct axis){
        .key = key, .title = title, .count = count, .texts = names, .labels = names};
}

const char *report_head_name(struct report *report, const char *module, int layer, int head)
{
    const char *before = module ? report_format(report, "%s ", module) : "";
    return head < 0 ? report_format(report, "%s%d", before, layer + 1)
                    : report_format(report, "%s%d.%d", before, layer + 1, head + 1);
}

struct axis report_numbers_axis(struct report *report, const char *title, int count)
{
    const char **texts = report_new(report, (size_t)count, sizeof *texts);
    for (int i = 0; texts && i < count; i++)
        texts[i] = report_format(report, "%d", i + 1);
    return axis_of_names(NULL, title, texts, count);
}
