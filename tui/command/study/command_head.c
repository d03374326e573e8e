/* `:head`: one head in detail, over files, the open test set, or the current sentence: what it
 * does, where it looks, which sentences show it, which heads are like it. */
#include <string.h>

#include "report/view.h"
#include "report/view_report.h"
#include "terminal/progress.h"
#include "tui/command/command.h"
#include "tui/command/study/report_align.h"
#include "tui/command/study/report_head.h"
#include "tui/command/study/report_study.h"

static const char *const from_choices[] = {"0", "1", NULL};
enum { SELECTED, SRC, TGT, GOLD, FROM };
static const struct argument arguments[] = {
    [SELECTED] = {.kind = ARGUMENT_SELECTOR},
    [SRC] = {"SRC", .kind = ARGUMENT_FILE, .sources = true},
    [TGT] = {"TGT", .kind = ARGUMENT_FILE, .needs = ARG(SRC)},
    [GOLD] = {"GOLD", .kind = ARGUMENT_FILE, .needs = ARG(TGT)},
    [FROM] = {.keyword = "from",
              .kind = ARGUMENT_CHOICE,
              .choices = from_choices,
              .needs = ARG(GOLD)},
};

/* Running -------------------------------------------------------------------------------------- */

static void release(void *data)
{
    struct head_report *work = data;
    head_card_free(&work->card);
    align_free(&work->align);
}

/* Chooses the named files, or those of the open test set; without either, it is about the
 * sentence. */
static void choose_files(struct head_report *work, const struct argument_values *given)
{
    const struct testset *testset = work->session->testset;
    struct report *report = work->report;
    const char *files[] = {argument_text(given, SRC), argument_text(given, TGT),
                           argument_text(given, GOLD)};
    if (!files[0] && testset) {
        files[0] = testset->path;
        files[1] = testset->reference_path;
    }
    work->card.source = report_copy(report, files[0]);
    work->card.target = report_copy(report, files[1]);
    work->gold = report_copy(report, files[2]);
    work->all_files = work->files = "";
    for (int i = 0; i < COUNT(files) && files[i]; i++) {
        work->all_files =
            report_format(report, "%s %s", work->all_files, report_quoted(report, files[i]));
        work->files = i < 2 ? work->all_files : work->files;
    }
    work->align.gold_from = argument_choice(given, FROM, GOLD_FROM_USUAL);
    if (argument_given(given, FROM))
        work->all_files =
            report_format(report, "%s from %d", work->all_files, work->align.gold_from);
}

static bool choose_head(struct session *session, const struct argument_values *given,
                        struct head_report *work, struct view *view, struct status *status)
{
    if (!view_choose(session, &given->selector, view, status))
        return false;
    if (view->head < 0)
        return status_fail(status, STATUS_INVALID, "expected one head, such as cross 2.7");
    work->card.module = view->module;
    work->card.layer = view->layer;
    work->card.head = view->head;
    work->selector = report_format(work->report, "%s layer %d head %d", module_names[view->module],
                                   view->layer + 1, view->head + 1);
    return true;
}

/* Compares the head with GOLD or, if there is none, with contributions. */
static bool align_head(const struct study_context *context, struct head_report *work,
                       struct status *status)
{
    const char *const files[] = {work->card.source, work->card.target, work->gold};
    const struct saved_state state = states_current(work->session);
    struct align_result *align = &work->align;
    if (!work->card.target || work->card.module != MODULE_CROSS)
        return true;
    for (int i = 0; i < COUNT(files) && files[i]; i++)
        if (!strings_add(&align->files, files[i], strlen(files[i]), status))
            return false;
    align->heads = memory_new(2, sizeof *align->heads, status);
    if (!align->heads)
        return false;
    for (int shifted = 0; shifted < 2; shifted++)
        align->heads[align->head_count++] = (struct align_head){
            .layer = work->card.layer, .head = work->card.head, .shifted = shifted};
    return (work->gold || align_silver_by(&state, METHOD_CONTRIBUTIONS, &align->silver, status)) &&
           align_run(context, align, status);
}

static bool measure_sentence(struct session *session, struct head_report *work,
                             struct status *status)
{
    const struct sentence_pair *pair = session_current(session, status);
    if (!pair)
        return false;
    const struct hypothesis *target = pair_hypothesis(pair);
    const struct walk_sentence sentence = {.state = &session->state,
                                           .watch = &progress_watch,
                                           .text = pair->text,
                                           .source = pair->source,
                                           .ids = target->ids,
                                           .count = target->count};
    report_origin(work->report, session, pair);
    return head_card_add(&sentence, &work->card, status);
}

/* The test set's files are not among the arguments. */
static void keep_files(struct head_report *work)
{
    struct origin *origin = &work->report->origin;
    const char *const files[] = {work->card.source, work->card.target, work->gold};
    origin->files = report_new(work->report, COUNT(files), sizeof *origin->files);
    for (int i = 0; origin->files && i < COUNT(files) && files[i]; i++)
        origin->files[origin->file_count++] = files[i];
}

/* Shards belong to other studies, so none are used here. */
static bool measure_files(struct session *session, struct head_report *work, struct status *status)
{
    struct study_context context = session_study(session, &progress_watch);
    context.shards = NULL;
    work->report->navigation.kind = VIEW_FILE;
    work->report->of_testset = true;
    work->report->origin.state = states_current(session);
    keep_files(work);
    return head_card_run(&context, &work->card, status) && align_head(&context, work, status);
}

static bool run_head(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    struct head_report *work = report_hold(report, sizeof *work, release);
    struct status other;
    if (!work || report_needs_whole(report, session))
        return report_end(report, status);
    *work = (struct head_report){.session = session, .report = report};
    choose_files(work, request->given);
    struct view view;
    bool ok = choose_head(session, request->given, work, &view, status) &&
              (work->card.source ? measure_files : measure_sentence)(session, work, status);
    const bool found = work->card.result && study_found(ok, true, status);
    if (found && !report_head(work, &other)) {
        *status = other;
        return false;
    }
    ok = study_finish(ok, found, report, status);
    if (ok)
        session->view = view;
    return ok;
}

static const struct help_item meanings[] = {
    {"SELECTOR", "the head, such as cross 2.7; by default the one last shown"},
    {"SRC, TGT",
     "what it is measured over: one sentence a line, and translations that are forced; without TGT "
     "the model's own. Without SRC it is the open test set, with its references; where none is "
     "open, the current sentence"},
    {"GOLD, from",
     "word alignments made by hand (:help align), for the error rate of cross-attention; without "
     "them it is measured against contributions, as :align against does"},
    {NULL, NULL},
};
static const struct help_item column_meanings[] = {
    {"places",
     "the mean weight on each place; further left and right are beyond the neighbours. In "
     "cross-attention places are counted as :stats does"},
    {"offsets", "how often the greatest weight of a row is there"},
    {"tokens",
     "the mean weight on end-of-sentence, punctuation, the sentence's rarest token, other tokens "
     "of the same word"},
    {"pos, relations",
     "of a CoNLL-U file (:help gates): the weight on parts of speech; in the encoder also "
     "relations, and how often they are found"},
    {"pairs",
     "tokens and the tokens that their greatest weight is on, by the sum of these weights; the "
     "mean, and how often if more than once. Heads of the decoder and of cross-attention, where "
     "there is no TGT: in the ten sentences that show the head most"},
    {"shown most", "sentences by the measure that goes with the name; Enter opens one"},
    {"nearest", "heads of the module by Jensen-Shannon distance (:help stats); Enter shows one"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "The name and its rule are those of :stats. On the screen Enter leads here from a head's "
    "picture, and in tables of heads from the columns that name one; on a line here it opens what "
    "the line is of.",
    "After Ctrl-C the card is of the sentences before it.",
    "Figures show how often the greatest weight is at each offset.",
    NULL,
};

const struct command command_head = {
    .name = "head",
    .summary = "one head in full: what it does, where it attends, which sentences show it",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .columns = column_meanings,
    .notes = notes,
    .examples = (const char *const[]){STARS, ":head cross 2.7", ":open " TESTSET, ":head enc 1.3",
                                      ":head cross 2.7 " ALIGNED " samples/aligned.pharaoh", NULL},
    .run = run_head,
    .group = GROUP_VIEWS,
    .view = true,
};
