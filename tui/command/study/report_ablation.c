#include "tui/command/study/report_ablation.h"

#include "session/head_description.h"
#include "tui/command/study/report_study.h"

/* Cells ---------------------------------------------------------------------------------------- */

static const char *ranges(struct report *report, const int *numbers, int count)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        number_list_write(out, numbers, count);
    return report_written(&writer);
}

/* Returns numbers from 1 on: a number, or a list of them. */
static struct value numbers_of(struct report *report, const int *numbers, int count)
{
    if (count == 1)
        return value_int(numbers[0] + 1);
    int *copy = report_new(report, (size_t)count, sizeof *copy);
    for (int i = 0; copy && i < count; i++)
        copy[i] = numbers[i] + 1;
    return copy ? value_ints(copy, count) : value_null();
}

/* Several numbers are sorted by the first; "all" comes before. */
static void put_numbers(struct table *table, const int *numbers, int count, bool every)
{
    if (every) {
        table_put(table, value_shown(table->report, value_null(), "all", 0), value_null());
        return;
    }
    const char *text = ranges(table->report, numbers, count);
    table_put(
        table,
        value_shown(table->report, numbers_of(table->report, numbers, count), text, numbers[0] + 1),
        count == 1 ? value_int(numbers[0] + 1) : value_text(text));
}

/* Writes the name of a single head's kind in the layers where it is off; "" if it has none, or
 * there are several heads. */
static void kind_of(const struct session *session, const struct ablation *ablation,
                    char kind[HEAD_KIND_BYTES])
{
    *kind = '\0';
    if (ablation->head_count == 1 && !ablation->every_head)
        describe_kind_in_layers(session, ablation->module, ablation->layers, ablation->layer_count,
                                ablation->heads[0], kind);
}

/* Returns "encoder head 2 (previous)". */
static const char *off_words(struct report *report, const struct session *session,
                             const struct ablation *ablation)
{
    char kind[HEAD_KIND_BYTES];
    const char *text = report_take_text(report, ablation_text(ablation));
    kind_of(session, ablation, kind);
    return *kind ? report_format(report, "%s (%s)", text, kind) : text;
}

void table_put_ablation(struct table *table, const struct session *session,
                        const struct ablation *ablation, const struct strings *files)
{
    const struct strings pair = {.text = files ? files->text : NULL, .count = files ? 2 : 0};
    if (ablation->layer_count == 1 && ablation->head_count == 1)
        table_enter_head(table, module_names[ablation->module], ablation->layers[0],
                         ablation->heads[0], report_paths(table->report, &pair));
    table_put(table, value_text(module_names[ablation->module]));
    put_numbers(table, ablation->layers, ablation->layer_count, ablation->every_layer);
    put_numbers(table, ablation->heads, ablation->head_count, ablation->every_head);
    table_put(table, value_text(off_words(table->report, session, ablation)));
}

/* Words ---------------------------------------------------------------------------------------- */

const char *ablation_words(struct report *report, enum ablate_by by, const struct strings *words)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out && by != ABLATE_SELECTED)
        fprintf(out, " by %s", ablate_by_names[by]);
    for (int i = 0; out && i < words->count; i++)
        fprintf(out, " %s", words->text[i]);
    return report_written(&writer);
}

/* Figures -------------------------------------------------------------------------------------- */

static bool same_module(const struct ablation_list *list)
{
    for (int i = 1; i < list->count; i++)
        if (list->items[i].module != list->items[0].module)
            return false;
    return true;
}

/* Returns "8", "2 previous" or "2.8"; "decoder 2.8" if modules differ; for selectors, their
 * text. */
static const char *label_of(struct report *report, const struct session *session,
                            const struct ablation_list *list, int number, enum ablate_by by)
{
    const struct ablation *one = &list->items[number];
    const char *module = same_module(list) ? NULL : module_names[one->module];
    char kind[HEAD_KIND_BYTES];
    switch (by) {
    case ABLATE_HEAD:
        kind_of(session, one, kind);
        return report_format(report, "%s%s%s", report_head_name(report, module, one->heads[0], -1),
                             *kind ? " " : "", kind);
    case ABLATE_LAYER:
        return report_head_name(report, module, one->layers[0], -1);
    case ABLATE_LAYER_HEAD:
        return report_head_name(report, module, one->layers[0], one->heads[0]);
    case ABLATE_SELECTED:
        break;
    }
    return report_take_text(report, ablation_text(one));
}

const char *report_ablation_title(struct report *report, const char *measure,
                                  const struct ablation_list *list, enum ablate_by by)
{
    static const char *const without[] = {"some heads", "each head", "each layer", "each head"};
    const bool named = by != ABLATE_SELECTED && list->count && same_module(list);
    return report_format(report, "%s without %s%s%s", measure, without[by], named ? ", " : "",
                         named ? module_names[list->items[0].module] : "");
}

struct plot *report_ablation_plot(struct report *report, const struct session *session,
                                  const struct ablation_list *list, int count, enum ablate_by by)
{
    static const char *const titles[] = {"disabled heads", "disabled head (all layers)",
                                         "disabled layer", "disabled head (layer.head)"};
    struct plot *plot = report_plot(report, IN_FIGURE, PLOT_BARS, 1, count);
    const char **labels = report_new(report, (size_t)count, sizeof *labels);
    for (int i = 0; labels && i < count; i++)
        labels[i] = label_of(report, session, list, i, by);
    plot->labels = labels;
    plot->x_title = titles[by];
    return plot;
}

void report_ablation_marks(struct report *report, struct plot *plot, const char *test,
                           double (*p)(const void *result, int number), const void *result)
{
    const char **marks = report_new(report, (size_t)plot->points, sizeof *marks);
    int count = 0;
    for (int i = 0; marks && i < plot->points; i++) {
        bool significant = p(result, i) < SIGNIFICANT;
        marks[i] = significant ? "*" : "";
        count += significant;
    }
    if (count == 0)
        return;
    plot->marks = marks;
    plot->note =
        report_format(report, "* p < %g (%s, adjusted by Holm's method)", SIGNIFICANT, test);
}

/* The request ---------------------------------------------------------------------------------- */

const char *const ablate_choices[] = {"head", "layer", "layer,head", "gradient", NULL};

bool ablate_words_read(const struct argument_values *given, const struct ablate_places *places,
                       struct ablate_words *out, struct status *status)
{
    const int by = argument_choice(given, places->by, -1);
    *out = (struct ablate_words){.selectors = &given->selectors,
                                 .shown = argument_integer(given, places->show, 0)};
    if (by >= 0 && by < ABLATE_CHOICE_GRADIENT)
        out->by = (enum ablate_by)(ABLATE_HEAD + by);
    else if (!argument_given(given, places->selectors))
        out->by = ABLATE_HEAD;
    if (arguments_copy(given, places->first_file, places->last_file, &out->files, status))
        return true;
    ablate_words_free(out);
    return false;
}

void ablate_words_free(struct ablate_words *words)
{
    strings_free(&words->files);
    *words = (struct ablate_words){.shown = 0};
}

bool ablate_words_select(const struct ablate_words *words, const struct config *config,
                         struct ablation_list *out, struct status *status)
{
    if (!ablation_list_select(words->selectors, words->by, config, out, status))
        return false;
    if (words->shown <= out->count)
        return true;
    status_fail(status, STATUS_INVALID, "show %d: expected 1 to %d", words->shown, out->count);
    ablation_list_free(out);
    return false;
}
