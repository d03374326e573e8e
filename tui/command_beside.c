/* `:beside`: the sentence at hand and the current view in two states, and what sets them apart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/quote.h"
#include "tui/command.h"
#include "tui/view.h"

/* What the current state would show. */
static struct view view_here(const struct session *session)
{
    return view_fit(session_config(session), session->view);
}

/* The view must exist in the model as it is: what stands side by side is the same head. */
static bool check_view(const struct config *config, const char *name, const struct view *view,
                       struct status *status)
{
    int layers = module_layers(config, view->module), heads = module_heads(config, view->module);
    if (view->layer >= layers)
        return status_fail(status, STATUS_INVALID, "layer %d: %s of \"%s\" has layers 1 to %d",
                           view->layer + 1, module_titles[view->module], QUOTED(name), layers);
    return view->head < heads ||
           status_fail(status, STATUS_INVALID, "head %d: %s of \"%s\" has heads 1 to %d",
                       view->head + 1, module_titles[view->module], QUOTED(name), heads);
}

static bool capture(const struct session *session, const struct saved_state *state,
                    struct subject *subject, const struct view *view, struct attention_result *out,
                    struct status *status)
{
    struct session other = session_under(session, state, subject);
    return view_attention(&other, subject, view, false, out, status);
}

/* The sentence at hand in another state; in the one it was made in, with the hypothesis looked at. */
static struct subject *subject_in(const struct session *session, const struct saved_state *state,
                                  struct status *status)
{
    struct state parts = saved_state_parts(state);
    struct subject *subject = subject_again(&parts, session->subject, status);
    if (!subject || !subject_holds(session->subject, &parts) || !session->subject->chosen ||
        subject_choose(subject, session->subject->chosen, status))
        return subject;
    subject_free(subject);
    return NULL;
}

static bool fill_side(const struct session *session, const struct saved_state *state,
                      struct beside_result *beside, int side, struct status *status)
{
    struct beside_side *out = &beside->side[side];
    struct view view = view_here(session);
    out->loaded = state->loaded;
    out->name = copy_text(state->name, status);
    out->subject = out->name ? subject_in(session, state, status) : NULL;
    return out->subject && capture(session, state, out->subject, &view, &out->attention, status);
}

static bool copy_labels(const struct labels *from, struct labels *to, struct status *status)
{
    to->side = from->side;
    for (int i = 0; i < from->texts.count; i++)
        if (!pieces_add(&to->texts, from->texts.text[i], strlen(from->texts.text[i]), status))
            return false;
    return true;
}

/* b's weights minus a's, which are over the same tokens. */
static bool subtract(const struct attention_result *a, const struct attention_result *b,
                     struct attention_result *out, struct status *status)
{
    size_t cells = (size_t)a->rows.texts.count * a->columns.texts.count;
    out->view = a->view;
    out->weights = memory_new(cells, sizeof *out->weights, status);
    if (!out->weights || !copy_labels(&a->rows, &out->rows, status) ||
        !copy_labels(&a->columns, &out->columns, status))
        return false;
    for (size_t i = 0; i < cells; i++)
        out->weights[i] = b->weights[i] - a->weights[i];
    return true;
}

static bool note(struct beside_result *beside, struct status *status, const char *what,
                 const char *why)
{
    if (asprintf(&beside->note, "%s%s", what, why) >= 0)
        return true;
    beside->note = NULL;
    return status_fail(status, STATUS_MEMORY, "out of memory");
}

/* Over the translation of a, decoded again in b's state: where the two translations differ. */
static bool compare_forced(const struct session *session, const struct saved_state *b,
                           struct beside_result *beside, struct status *status)
{
    const struct attention_result *of_a = &beside->side[0].attention;
    struct attention_result of_b = {0};
    struct state parts = saved_state_parts(b);
    struct view view = view_here(session);
    struct status why;
    struct subject *forced = subject_force_like(&parts, beside->side[0].subject, &why);
    if (!forced && why.code == STATUS_INVALID)
        return note(beside, status, "no difference: ", why.message);
    if (!forced) {
        *status = why;
        return false;
    }
    bool ok = capture(session, b, forced, &view, &of_b, status);
    if (ok && !labels_equal(&of_a->rows, &of_b.rows))
        ok = note(beside, status, "no difference: the decoders begin with other tokens", "");
    else if (ok)
        ok = subtract(of_a, &of_b, &beside->difference, status) &&
             note(beside, status, "the difference is over the translation of a, forced in b", "");
    beside->forced = beside->difference.weights != NULL;
    subject_free(forced);
    attention_result_free(&of_b);
    return ok;
}

static bool compare(const struct session *session, const struct saved_state *b,
                    struct beside_result *beside, struct status *status)
{
    const struct attention_result *of_a = &beside->side[0].attention,
                                  *of_b = &beside->side[1].attention;
    if (of_a->columns.side == SIDE_SOURCE && !labels_equal(&of_a->columns, &of_b->columns))
        return note(beside, status, "no difference: the models cut the source into other tokens",
                    "");
    if (labels_equal(&of_a->rows, &of_b->rows))
        return subtract(of_a, of_b, &beside->difference, status);
    return compare_forced(session, b, beside, status);
}

/* The two states; b is the current one unless given. */
static bool find_states(const struct session *session, const struct request *request,
                        struct saved_state states[2], struct status *status)
{
    const struct pieces *words = &request->words;
    if (words->count == 0)
        return status_fail(status, STATUS_INVALID,
                           "expected A [B], two states: `:state` lists them");
    states[1] = states_current(session);
    for (int i = 0; i < words->count && i < 2; i++)
        if (!states_find(session, words->text[i], &states[i], status))
            return false;
    struct view view = view_here(session);
    for (int i = 0; i < 2; i++)
        if (!check_view(states[i].loaded->checkpoint->config, states[i].name, &view, status))
            return false;
    return no_more_words(request, 2, status);
}

COMMAND(beside)
{
    struct saved_state states[2];
    if (!find_states(session, request, states, status) || !session_subject(session, status))
        return false;
    result->kind = RESULT_BESIDE;
    struct beside_result *beside = &result->beside;
    if (fill_side(session, &states[0], beside, 0, status) &&
        fill_side(session, &states[1], beside, 1, status) &&
        compare(session, &states[1], beside, status))
        return true;
    result_free(result);
    return false;
}
