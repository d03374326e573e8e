/* `:beside`: the current sentence and view in two states, and how they differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "tui/command/beside.h"
#include "tui/command/command.h"

/* Returns the view that the current state would show. */
static struct view view_here(const struct session *session)
{
    return view_fit(session_config(session), session->view);
}

/* The view must exist in the model unchanged: both sides must show the same head. */
static bool check_view(const struct config *config, const char *name, const struct view *view,
                       struct status *status)
{
    int layers = module_layers(config, view->module), heads = module_heads(config, view->module);
    if (layers == 0)
        return status_fail(status, STATUS_INVALID, "%s of \"%s\" has no self-attention",
                           module_titles[view->module], QUOTED(name));
    if (view->layer >= layers)
        return status_fail(status, STATUS_INVALID, "layer %d: %s of \"%s\" has layers 1 to %d",
                           view->layer + 1, module_titles[view->module], QUOTED(name), layers);
    if (view->head == VIEW_WEIGHTED && !layer_has_importance(config, view->module, view->layer))
        return status_fail(
            status, STATUS_INVALID,
            "head importance: layer %d of %s of \"%s\" does not combine its heads by dhicm",
            view->layer + 1, module_titles[view->module], QUOTED(name));
    return view->head < heads ||
           status_fail(status, STATUS_INVALID, "head %d: %s of \"%s\" has heads 1 to %d",
                       view->head + 1, module_titles[view->module], QUOTED(name), heads);
}

static bool capture(const struct session *session, const struct saved_state *state,
                    struct sentence_pair *pair, const struct view *view, bool words,
                    struct attention_view *out, struct status *status)
{
    struct session other = session_under(session, state, pair);
    return view_attention(&other, pair, view, words, out, status);
}

/* Returns the current sentence in another state; in the state it was made in, also with the current
 * hypothesis. */
static struct sentence_pair *pair_in(const struct session *session, const struct saved_state *state,
                                     struct status *status)
{
    struct state parts = saved_state_parts(state);
    struct sentence_pair *pair = pair_again(&parts, session->current, status);
    if (!pair || !pair_holds(session->current, &parts) || !session->current->chosen ||
        pair_choose(pair, session->current->chosen, status))
        return pair;
    pair_free(pair);
    return NULL;
}

static bool fill_side(const struct session *session, const struct saved_state *state,
                      struct beside *beside, int side, struct status *status)
{
    struct beside_side *out = &beside->side[side];
    out->loaded = state->loaded;
    out->name = copy_text(state->name, status);
    out->pair = out->name ? pair_in(session, state, status) : NULL;
    return out->pair != NULL;
}

static bool copy_labels(const struct labels *from, struct labels *to, struct status *status)
{
    to->side = from->side;
    to->role = from->role;
    to->words = from->words;
    for (int i = 0; i < from->texts.count; i++)
        if (!strings_add(&to->texts, from->texts.text[i], strlen(from->texts.text[i]), status))
            return false;
    return true;
}

/* Subtracts a's weights from b's, which must be over the same tokens. */
static bool subtract(const struct attention_view *a, const struct attention_view *b,
                     struct attention_view *out, struct status *status)
{
    size_t cells = (size_t)a->rows.texts.count * a->columns.texts.count;
    out->view = a->view;
    out->words = a->words;
    out->weights = memory_new(cells, sizeof *out->weights, status);
    if (!out->weights || !copy_labels(&a->rows, &out->rows, status) ||
        !copy_labels(&a->columns, &out->columns, status))
        return false;
    for (size_t i = 0; i < cells; i++)
        out->weights[i] = b->weights[i] - a->weights[i];
    return true;
}

static bool note(struct beside *beside, struct status *status, const char *what, const char *why)
{
    if (asprintf(&beside->note, "%s%s", what, why) >= 0)
        return true;
    beside->note = NULL;
    return status_no_memory(status);
}

/* If the translations differ, compares over a's, decoded again in b's state. */
static bool compare_forced(const struct session *session, const struct saved_state *b,
                           struct beside *beside, struct status *status)
{
    const struct attention_view *of_a = &beside->side[0].attention;
    struct attention_view of_b = {0};
    struct state parts = saved_state_parts(b);
    struct status why;
    struct sentence_pair *forced = pair_force_like(&parts, beside->side[0].pair, &why);
    if (!forced && why.code == STATUS_INVALID)
        return note(beside, status, "no difference: ", why.message);
    if (!forced) {
        *status = why;
        return false;
    }
    bool ok = capture(session, b, forced, &of_a->view, of_a->words, &of_b, status);
    if (ok && !labels_equal(&of_a->rows, &of_b.rows))
        ok = note(beside, status, "no difference: the decoders begin with other tokens", "");
    else if (ok)
        ok = subtract(of_a, &of_b, &beside->difference, status);
    beside->forced = beside->difference.weights != NULL;
    pair_free(forced);
    attention_view_free(&of_b);
    return ok;
}

static bool compare(const struct session *session, const struct saved_state *b,
                    struct beside *beside, struct status *status)
{
    const struct attention_view *of_a = &beside->side[0].attention,
                                *of_b = &beside->side[1].attention;
    if (of_a->columns.side == SIDE_SOURCE && !labels_equal(&of_a->columns, &of_b->columns))
        return note(beside, status, "no difference: the models cut the source into other tokens",
                    "");
    if (labels_equal(&of_a->rows, &of_b->rows))
        return subtract(of_a, of_b, &beside->difference, status);
    return compare_forced(session, b, beside, status);
}

/* Arguments ------------------------------------------------------------------------------------ */

enum { A, B, ALL_HEADS, SELECTED, WORD };
static const struct argument arguments[] = {
    [A] = {"A", .kind = ARGUMENT_STATE, .required = true, .verbatim = true,
           .expected = "A [B], two states: `:state` lists them"},
    [B] = {"B", .kind = ARGUMENT_STATE},
    [ALL_HEADS] = {.keyword = "heads", .kind = ARGUMENT_FLAG, .anywhere = true},
    [SELECTED] = {.kind = ARGUMENT_SELECTOR, .heads = HEADS_OR_MERGED},
    [WORD] = {.keyword = "word", .kind = ARGUMENT_FLAG},
};

/* Finds the states; b is the current one unless given. */
static bool find_states(const struct session *session, const struct argument_values *given,
                        struct saved_state states[2], struct status *status)
{
    const char *b = argument_text(given, B);
    states[1] = states_current(session);
    return states_find(session, argument_text(given, A), &states[0], status) &&
           (!b || states_find(session, b, &states[1], status));
}

/* All heads means single heads, without merging or methods. */
static bool check_selector(const struct argument_values *given, struct status *status)
{
    const struct selector *selector = &given->selector;
    const struct merged_heads *merged = merged_by(selector->head);
    if (!argument_given(given, ALL_HEADS))
        return true;
    if (selector->method_given)
        return status_fail(status, STATUS_INVALID, "as %s: unexpected with heads",
                           method_table[selector->method].name);
    return !merged ||
           status_fail(status, STATUS_INVALID,
                       "head %s: expected LIST, single heads such as 8 or 2-3", merged->name);
}

/* The command ---------------------------------------------------------------------------------- */

/* Names the sides; after a change, as the screen names both translations. */
static void name_sides(const struct session *session, const struct saved_state states[2],
                       struct beside *beside)
{
    bool change = strcmp(states[0].name, STATE_BEFORE) == 0 &&
                  strcmp(states[1].name, states_current(session).name) == 0;
    beside->names[0] = change ? "before" : "a";
    beside->names[1] = change ? "after" : "b";
}

static bool compare_head(const struct session *session, const struct saved_state states[2],
                         const struct view *view, bool words, struct report *report,
                         struct status *status)
{
    struct beside beside = {.forced = false};
    name_sides(session, states, &beside);
    for (int i = 0; i < 2; i++)
        if (!check_view(states[i].loaded->checkpoint->config, states[i].name, view, status))
            return false;
    bool ok = fill_side(session, &states[0], &beside, 0, status) &&
              fill_side(session, &states[1], &beside, 1, status);
    for (int i = 0; ok && i < 2; i++)
        ok = capture(session, &states[i], beside.side[i].pair, view, words,
                     &beside.side[i].attention, status);
    ok = ok && compare(session, &states[1], &beside, status) &&
         report_beside(report, session, &beside, status);
    beside_free(&beside);
    return ok;
}

static bool compare_heads(const struct session *session, const struct argument_values *given,
                          const struct saved_state states[2], struct report *report,
                          struct status *status)
{
    struct beside beside = {.forced = false};
    name_sides(session, states, &beside);
    struct head_changes changes = {.words = argument_given(given, WORD)};
    const char *typed = report_typed(report, given, SELECTED);
    bool ok =
        fill_side(session, &states[0], &beside, 0, status) &&
        fill_side(session, &states[1], &beside, 1, status) &&
        head_changes_find(session, states, &beside, &given->selector, &changes, report, status) &&
        report_beside_heads(report, session, &beside, &changes,
                            *typed ? report_format(report, " %s", typed) : "", status);
    free(changes.heads);
    beside_free(&beside);
    return ok;
}

/* Chooses the head shown last in the current state, or the selected one. */
static bool choose_view(const struct session *session, const struct selector *selector,
                        struct view *view, struct status *status)
{
    *view = view_here(session);
    return selector_empty(selector) || view_choose(session, selector, view, status);
}

static bool run_beside(struct session *session, const struct request *request,
                       struct report *report, struct status *status)
{
    const struct argument_values *given = request->given;
    struct saved_state states[2];
    struct view view;
    if (!find_states(session, given, states, status) || !check_selector(given, status) ||
        !session_current(session, status))
        return false;
    if (argument_given(given, ALL_HEADS))
        return compare_heads(session, given, states, report, status);
    bool ok = choose_view(session, &given->selector, &view, status) &&
              compare_head(session, states, &view, argument_given(given, WORD), report, status);
    if (ok && !selector_empty(&given->selector))
        session->view = view;
    return ok;
}

static const struct help_item meanings[] = {
    {"A, B", "states (:help state); without B, the current state is taken"},
    {"SELECTOR", "the attention (:help selector); by default the head shown last"},
    {"heads",
     "all heads, or those selected, ordered by how much their attention changed. Both models are "
     "forced to A's translation"},
    WORD_ITEM,
    {NULL, NULL},
};
static const struct help_item column_meanings[] = {
    {"how much",
     "the total variation distance of a row (half the sum of its absolute differences, from 0 to "
     "1), as the mean over the rows. Heads without any difference are one row, \"identical\""},
    {"biggest cell", "the greatest difference b - a of a weight, and its row and column"},
    {"off in state", "the states in which the head is off"},
    {NULL, NULL},
};
static const char *const notes[] = {
    COMPARED_NOTE,
    "Without heads: one head in each state over its own translation. The difference is b - a; if "
    "the translations differ, both models are forced to A's translation for it. Mean and maximum "
    "are over all heads in each state; a head that is off is shown as it would attend.",
    "Below the translations stand the log-probabilities of their tokens; those that moved, after "
    "the "
    "same tokens, in brackets.",
    "Figures of heads: bars of those that changed. Of one head: the matrices side by side, or "
    "below "
    "each other where figure.width is too small for that.",
    NULL,
};

const struct command command_beside = {
    .name = "beside",
    .summary = "two states side by side, with their difference",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .columns = column_meanings,
    .notes = notes,
    .examples = (const char *const[]){STARS, ":disable cross layer 2 head 1-4", ":beside before",
                                      ":beside en-de current", NULL},
    .run = run_beside,
    .group = GROUP_VIEWS,
    .view = true,
};
