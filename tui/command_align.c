/* `:align`: source and translation of the sentence at hand, joined by cross-attention. */
#include <stdlib.h>
#include <string.h>

#include "model/net/quote.h"
#include "tui/command.h"
#include "tui/view.h"
#include "tui/words.h"

#define ALIGN_SYNTAX "[cross] [layer N] [head N|mean|max] [word]"

/* Tokens of the chosen translation, and their words. */
struct outputs {
    const char **texts;
    int *ids, *words; // those of the start tokens are before them
};

static void outputs_free(struct outputs *outputs)
{
    free(outputs->texts);
    free(outputs->ids);
    free(outputs->words);
}

/* Words begin where they do among the decoder's inputs, which lack the last token only. */
static bool outputs_list(const struct subject *subject, struct outputs *outputs,
                         struct token_list *list, struct status *status)
{
    const struct checkpoint *checkpoint = subject->checkpoint;
    const struct hypothesis *chosen = subject_hypothesis(subject);
    int start = checkpoint->config->start.count, count = start + chosen->count;
    outputs->texts = memory_new(count, sizeof *outputs->texts, status);
    outputs->ids = memory_new(count, sizeof *outputs->ids, status);
    outputs->words = memory_new(count, sizeof *outputs->words, status);
    if (!outputs->texts || !outputs->ids || !outputs->words)
        return false;
    for (int i = 0; i < count; i++) {
        int id = i < start ? checkpoint->config->start.ids[i] : chosen->ids[i - start];
        outputs->ids[i] = id;
        outputs->texts[i] = vocabulary_piece(checkpoint->vocabulary[SIDE_TARGET], id);
    }
    number_target_words(checkpoint, outputs->ids, count, outputs->words);
    *list = (struct token_list){SIDE_TARGET, outputs->texts + start, outputs->ids + start,
                                outputs->words + start, chosen->count};
    return true;
}

static bool label(const struct checkpoint *checkpoint, const struct token_list *rows,
                  const struct token_list *columns, struct attention_result *out,
                  struct status *status)
{
    if (out->words)
        return words_merge(checkpoint, rows, columns, 1, &out->rows, &out->columns, &out->weights,
                           status);
    return labels_of_tokens(rows, &out->rows, status) &&
           labels_of_tokens(columns, &out->columns, status);
}

bool view_alignment(const struct session *session, const struct subject *subject,
                    const struct view *view, bool words, struct attention_result *out,
                    struct status *status)
{
    const struct checkpoint *checkpoint = session->loaded->checkpoint;
    struct token_list rows, columns = subject_columns(subject, MODULE_CROSS);
    struct outputs outputs = {0};
    // With the weights of the last start token the first one is chosen.
    size_t before = (size_t)(checkpoint->config->start.count - 1) * columns.count;
    out->words = words;
    bool ok = outputs_list(subject, &outputs, &rows, status) &&
              view_matrix(session, subject, view, out, status);
    if (ok) {
        memmove(out->weights, out->weights + before,
                (size_t)rows.count * columns.count * sizeof *out->weights);
        ok = label(checkpoint, &rows, &columns, out, status);
    }
    outputs_free(&outputs);
    return ok;
}

/* What is not said is as last shown of cross-attention; before there was any, the heads' mean in the last layer
 * but one. */
static bool choose(const struct session *session, struct selector *selector, struct view *view,
                   struct status *status)
{
    if (selector->module_given && selector->module != MODULE_CROSS)
        return status_fail(
            status, STATUS_INVALID,
            "source and translation meet in cross-attention: expected " ALIGN_SYNTAX);
    selector->module = MODULE_CROSS;
    selector->module_given = true;
    if (!view_choose(session, selector, view, status))
        return false;
    if (session->view.module == MODULE_CROSS)
        return true;
    int layers = module_layers(session_config(session), MODULE_CROSS);
    if (selector->layer == PART_ABSENT)
        view->layer = layers > 1 ? layers - 2 : 0;
    if (selector->head == PART_ABSENT)
        view->head = VIEW_MEAN;
    return true;
}

COMMAND(align)
{
    struct selection selection;
    struct view view;
    if (!selection_parse(request, HEADS_OR_MERGED, &selection, status))
        return false;
    bool words = selection.count > 0 && strcmp(selection.rest[0], "word") == 0;
    bool ok = choose(session, &selection.selector, &view, status);
    if (ok && selection.count > words)
        ok = status_fail(status, STATUS_INVALID, "\"%s\": expected " ALIGN_SYNTAX,
                         QUOTED(selection.rest[words]));
    selection_free(&selection);

    const struct subject *subject = ok ? session_subject(session, status) : NULL;
    if (!subject)
        return false;
    result->kind = RESULT_ALIGNMENT;
    if (!view_alignment(session, subject, &view, words, &result->attention, status)) {
        result_free(result);
        return false;
    }
    session->view = view;
    return true;
}
