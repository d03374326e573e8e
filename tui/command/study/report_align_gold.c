/* Reports `:align SRC TGT GOLD show N`. */
#include <stdlib.h>

#include "render/figure.h"
#include "report/view_report.h"
#include "tui/command/study/report_align.h"
#include "tui/command/study/report_study.h"

/* The words of both sides and the links. */
struct judged {
    struct strings words[2];
    struct judged_link *links;
    int count;
};

static enum curve_kind kind_of(const struct judged_link *link)
{
    return !link->linked ? CURVE_MISSED : link->possible ? CURVE_RIGHT : CURVE_WRONG;
}

static const char *const kind_names[] = {"right", "wrong", "missed"};

static void release_judged(void *data)
{
    struct judged *judged = data;
    strings_free(&judged->words[0]);
    strings_free(&judged->words[1]);
    free(judged->links);
}

/* Returns NULL if memory runs out. */
static const struct judged *judge(struct report *report, const struct session *session,
                                  const struct align_result *align, struct status *status)
{
    struct judged *out = report_hold(report, sizeof *out, release_judged);
    const int sentence = align->shown - 1;
    for (int side = 0; out && side < 2; side++)
        if (!align_word_texts(&session->state, align, sentence, side, &out->words[side], status))
            return NULL;
    if (out)
        out->links = align_judge(align, sentence, align->best, &out->count, status);
    return out && out->links ? out : NULL;
}

/* Enter shows the weights behind the links; `head` names the head. */
static void add_judged_links(struct report *report, const struct judged *judged, const char *head)
{
    static const struct column columns[] = {
        {.name = "target_word", .key = "target_word", .type = COLUMN_INT},
        {.name = "source_word", .key = "source_word", .type = COLUMN_INT},
        {.all = "target"},
        {.all = "source"},
        {.all = "link"},
        {.key = "gold", .name = "gold", .title = "in GOLD"},
    };
    struct table *table =
        report_table(report, FOR_PEOPLE | FOR_PROGRAMS, "links", columns, COUNT(columns));
    for (int i = 0; i < judged->count; i++) {
        const struct judged_link *link = &judged->links[i];
        table_add(table, value_int(link->target), value_int(link->source),
                  value_text(judged->words[SIDE_TARGET].text[link->target]),
                  value_text(judged->words[SIDE_SOURCE].text[link->source]),
                  value_text(kind_names[kind_of(link)]),
                  value_text(link->sure       ? "sure"
                             : link->possible ? "possible"
                                              : ""));
        table_enter(table, ":align cross %s word", head);
    }
}

static void draw_judged(struct report *report, const struct judged *judged)
{
    const struct strings *source = &judged->words[SIDE_SOURCE],
                         *target = &judged->words[SIDE_TARGET];
    size_t cells = (size_t)source->count * (size_t)target->count;
    float *values = calloc(cells + 1, sizeof *values);
    unsigned char *kinds = report_new(report, cells + 1, 1);
    struct matrix *matrix = report_matrix(report, IN_FIGURE, values);
    report->lacking |= !values;
    for (int i = 0; values && kinds && i < judged->count; i++) {
        const struct judged_link *link = &judged->links[i];
        size_t cell = (size_t)link->target * (size_t)source->count + (size_t)link->source;
        values[cell] = 1;
        kinds[cell] = (unsigned char)kind_of(link);
    }
    matrix->rows = axis_of_names(NULL, "target", (const char *const *)target->text, target->count);
    matrix->columns =
        axis_of_names(NULL, "source", (const char *const *)source->text, source->count);
    matrix->kinds = kinds;
    matrix->style = MATRIX_CURVES;
}

bool report_align_sentence(struct report *report, const struct session *session,
                           const struct strings *words, const struct align_result *align,
                           struct status *status)
{
    int counts[COUNT(kind_names)] = {0};
    if (!align->each[align->shown - 1].words)
        return status_fail(status, STATUS_INVALID, "show: sentence %d is blank, or not aligned",
                           align->shown);
    const struct judged *judged = judge(report, session, align, status);
    if (!judged)
        return !report->lacking ? false : status_no_memory(status);
    for (int i = 0; i < judged->count; i++)
        counts[kind_of(&judged->links[i])]++;
    report->of_testset = true;
    report->navigation.kind = VIEW_FILE;
    report->origin.state = states_current(session);
    report_title(report, "sentence %d of %s  %s", align->shown,
                 report_joined(report, &align->files, ", "),
                 align_head_words(report, align, &align->heads[align->best]));
    report_command(report, "align %s", report_paths(report, words));
    report_json(report, "files", report_files(&align->files));
    report_json(report, "show", value_int(align->shown));
    report_line(report, FOR_PEOPLE, " %d right  %d wrong  %d missed", counts[CURVE_RIGHT],
                counts[CURVE_WRONG], counts[CURVE_MISSED]);
    add_judged_links(report, judged, align_head_words(report, align, &align->heads[align->best]));
    draw_judged(report, judged);
    return true;
}
