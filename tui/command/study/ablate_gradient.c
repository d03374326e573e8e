#include "tui/command/study/ablate_gradient.h"

#include <stdlib.h>

#include "model/study/head_gradients.h"
#include "model/text/parallel.h"
#include "tui/command/study/report_ablation.h"
#include "tui/command/study/report_study.h"
#include "tui/terminal/progress.h"

/* Words ---------------------------------------------------------------------------------------- */

/* Heads that are on, one in each ablation. */
static bool drop_heads_off(const struct session *session, struct ablation_list *list,
                           struct status *status)
{
    for (int i = list->count - 1; i >= 0; i--) {
        const struct ablation *one = &list->items[i];
        if (*head_settings_gain(session->state.head_settings, one->module, one->layers[0],
                                one->heads[0]) == 0)
            ablation_list_remove(list, i);
    }
    return list->count || status_fail(status, STATUS_INVALID, "all selected heads are off");
}

/* On failure nothing needs to be freed. */
static bool parse(const struct session *session, const struct argument_values *given,
                  const struct ablate_places *places, struct ablate_words *out,
                  struct ablation_list *list, struct status *status)
{
    if (!ablate_words_read(given, places, out, status))
        return false;
    out->by = ABLATE_LAYER_HEAD;
    if (ablate_words_select(out, session_config(session), list, status)) {
        if (drop_heads_off(session, list, status))
            return true;
        ablation_list_free(list);
    }
    ablate_words_free(out);
    return false;
}

/* Report --------------------------------------------------------------------------------------- */

struct gradient_work {
    struct ablate_words words;
    struct ablation_list list;
    struct parallel files;
    struct head_gradients gradients;
};

static void work_release(void *data)
{
    struct gradient_work *work = data;
    ablate_words_free(&work->words);
    ablation_list_free(&work->list);
    parallel_free(&work->files);
    head_gradients_free(&work->gradients);
}

/* Enter measures in BLEU what the head contributes. */
static void add_heads(struct report *report, const struct session *session,
                      const struct gradient_work *work)
{
    static const struct column columns[] = {
        {.name = "head_number", .title = "row", .type = COLUMN_INT},
        ABLATION_COLUMNS,
        {.key = "importance",
         .name = "importance",
         .title = "importance",
         .type = COLUMN_REAL,
         .digits = 4},
        {.key = "normalized",
         .name = "normalized",
         .title = "in layer",
         .type = COLUMN_REAL,
         .digits = 4},
        {.key = "mean", .name = "mean", .title = "mean", .type = COLUMN_SIGNED, .digits = 4},
    };
    const char *files = report_paths(report, &work->words.files);
    struct table *table =
        report_table(report, FOR_PEOPLE | FOR_PROGRAMS, "heads", columns, COUNT(columns));
    for (int i = 0; i < work->gradients.count; i++) {
        const struct head_gradient *head = &work->gradients.heads[i];
        table_row(table);
        table_put(table, value_int(i + 1));
        table_put_ablation(table, session, &work->list.items[i]);
        table_put(table, value_real(head->importance));
        table_put(table, value_real(head->normalized));
        table_put(table, value_real(head->mean));
        table_enter(table, ":ablate %s %s layer %d head %d", files, module_names[head->module],
                    head->layer + 1, head->head + 1);
    }
}

static void add_plot(struct report *report, const struct session *session,
                     const struct gradient_work *work)
{
    struct plot *plot =
        report_ablation_plot(report, session, &work->list, work->list.count, ABLATE_LAYER_HEAD);
    for (int i = 0; plot->values && i < work->list.count; i++)
        plot->values[i] = (float)work->gradients.heads[i].importance;
    plot->title = "Importance of each head by gradient";
    plot->x_title = "head (layer.head)";
    plot->y_title = "mean |∂ log p / ∂ gain|";
}

static void report_gradients(struct report *report, const struct session *session,
                             const struct gradient_work *work)
{
    const struct head_gradients *gradients = &work->gradients;
    const struct strings *files = &work->words.files;
    const char *heads = ablation_words(report, ABLATE_SELECTED, &work->words.selectors->words);
    report_title(report, "importance of heads in %s by gradient%s",
                 report_joined(report, files, ", "), heads);
    report_command(report, "ablate %s by gradient%s", report_paths(report, files), heads);
    report_json(report, "by", value_text("gradient"));
    report_json(report, "files", report_files(files));
    report_sentences(report, gradients->sentences, gradients->lines);
    add_heads(report, session, work);
    add_plot(report, session, work);
}

/* Running -------------------------------------------------------------------------------------- */

static bool fill_heads(struct gradient_work *work, struct status *status)
{
    struct head_gradients *out = &work->gradients;
    out->count = work->list.count;
    out->heads = memory_new((size_t)out->count, sizeof *out->heads, status);
    for (int i = 0; out->heads && i < out->count; i++)
        out->heads[i] = (struct head_gradient){.module = work->list.items[i].module,
                                               .layer = work->list.items[i].layers[0],
                                               .head = work->list.items[i].heads[0]};
    return out->heads != NULL;
}

static bool compute(struct session *session, struct gradient_work *work, struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    const char *path = work->words.files.text[0];
    return head_gradients_run(&context, path, &work->files.lines[0], &work->files.lines[1],
                              &work->gradients, status);
}

bool ablate_by_gradient(struct session *session, const struct argument_values *given,
                        const struct ablate_places *places, struct report *report,
                        struct status *status)
{
    struct gradient_work *work = report_hold(report, sizeof *work, work_release);
    report_is_of_current(report, session);
    bool ok = work && parse(session, given, places, &work->words, &work->list, status) &&
              parallel_read(&work->words.files, &progress_watch, &work->files, status) &&
              fill_heads(work, status) && compute(session, work, status);
    if (shards_divided(session->shards))
        return study_finish(ok, false, report, status);
    bool found = ok || (work && status->code == STATUS_CANCELLED && work->gradients.taken > 0);
    if (found)
        report_gradients(report, session, work);
    return study_finish(ok, found, report, status);
}
