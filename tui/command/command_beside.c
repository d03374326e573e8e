/* `:beside`: the current sentence and the current view in two states, and what sets them apart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "tui/command/beside_heads.h"
#include "tui/command/command.h"
#include "tui/command/report_beside.h"

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

/* The current sentence in another state; in the one it was made in, with the hypothesis looked at. */
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
        if (!pieces_add(&to->texts, from->texts.text[i], strlen(from->texts.text[i]), status))
            return false;
    return true;
}

/* b's weights minus a's, which are over the same tokens. */
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

/* Over the translation of a, decoded again in b's state: where the two translations differ. */
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
        ok = subtract(of_a, &of_b, &beside->difference, status) &&
             note(beside, status, "b \xe2\x88\x92 a: both models forced to a's translation", "");
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

/* Arguments -------------------------------------------------------------------------------------- */

#define BESIDE_SYNTAX "A [B] [heads] [SELECTOR] [word]"

/* What the command line says. */
struct arguments_of {
    struct saved_state states[2];
    bool heads, words;
    struct request after; // what stands after A; its list of words is owned, they are borrowed
    struct selection selection; // of it
};

/* B, if it stands there, and the words after it; b is the current state unless given. */
static bool read_rest(const struct session *session, struct arguments_of *out,
                      struct status *status)
{
    const struct selection *selection = &out->selection;
    int at = 0;
    out->states[1] = states_current(session);
    if (selection->count && strcmp(selection->rest[0], "word") != 0 &&
        !states_find(session, selection->rest[at++], &out->states[1], status))
        return false;
    out->words = at < selection->count && strcmp(selection->rest[at], "word") == 0;
    at += out->words;
    return at == selection->count ||
           status_fail(status, STATUS_INVALID,
                       "\"%s\": unexpected argument, expected " BESIDE_SYNTAX,
                       QUOTED(selection->rest[at]));
}

/* Whether the word means all heads; before a list it is a part of the selector. */
static bool means_all_heads(const struct pieces *words, int index)
{
    const char *next = index + 1 < words->count ? words->text[index + 1] : "";
    bool list = (*next >= '0' && *next <= '9') || merged_named(next);
    return strcmp(words->text[index], "heads") == 0 && !list;
}

/* Takes the words after A, without the one that means all heads. */
static bool take_words(const struct pieces *words, struct arguments_of *out, struct status *status)
{
    out->after.words =
        (struct pieces){.text = memory_new((size_t)words->count, sizeof *words->text, status)};
    for (int i = 1; out->after.words.text && i < words->count; i++) {
        if (!out->heads && means_all_heads(words, i))
            out->heads = true;
        else
            out->after.words.text[out->after.words.count++] = words->text[i];
    }
    return out->after.words.text != NULL;
}

static void free_arguments(struct arguments_of *arguments)
{
    selection_free(&arguments->selection);
    free(arguments->after.words.text);
}

/* Freed with free_arguments unless this fails. */
static bool read_arguments(const struct session *session, const struct request *request,
                           struct arguments_of *out, struct status *status)
{
    const struct pieces *words = &request->words;
    *out = (struct arguments_of){.after = *request};
    if (words->count == 0)
        return status_fail(status, STATUS_INVALID,
                           "expected A [B], two states: `:state` lists them");
    if (!states_find(session, words->text[0], &out->states[0], status) ||
        !take_words(words, out, status))
        return false;
    if (!selection_parse(&out->after, out->heads ? HEADS_SINGLE : HEADS_OR_MERGED, &out->selection,
                         status)) {
        free(out->after.words.text);
        return false;
    }
    if (read_rest(session, out, status))
        return true;
    free_arguments(out);
    return false;
}

/* The words that select heads, each after a blank. */
static const char *selecting_words(struct report *report, const struct arguments_of *arguments)
{
    const char *text = "";
    int rest = 0;
    for (int i = 0; i < arguments->after.words.count; i++) {
        const char *word = arguments->after.words.text[i];
        if (rest < arguments->selection.count && arguments->selection.rest[rest] == word)
            rest++;
        else
            text = report_format(report, "%s %s", text, word);
    }
    return text;
}

/* The command ------------------------------------------------------------------------------------ */

static bool compare_head(const struct session *session, const struct arguments_of *arguments,
                         const struct view *view, struct report *report, struct status *status)
{
    struct beside beside = {.forced = false};
    const struct saved_state *states = arguments->states;
    for (int i = 0; i < 2; i++)
        if (!check_view(states[i].loaded->checkpoint->config, states[i].name, view, status))
            return false;
    bool ok = fill_side(session, &states[0], &beside, 0, status) &&
              fill_side(session, &states[1], &beside, 1, status);
    for (int i = 0; ok && i < 2; i++)
        ok = capture(session, &states[i], beside.side[i].pair, view, arguments->words,
                     &beside.side[i].attention, status);
    ok = ok && compare(session, &states[1], &beside, status) &&
         report_beside(report, session, &beside, status);
    beside_free(&beside);
    return ok;
}

static bool compare_heads(const struct session *session, const struct arguments_of *arguments,
                          struct report *report, struct status *status)
{
    struct beside beside = {.forced = false};
    struct head_changes changes = {.words = arguments->words};
    bool ok = fill_side(session, &arguments->states[0], &beside, 0, status) &&
              fill_side(session, &arguments->states[1], &beside, 1, status) &&
              head_changes_find(session, arguments->states, &beside, &arguments->selection.selector,
                                &changes, report, status) &&
              report_beside_heads(report, session, &beside, &changes,
                                  selecting_words(report, arguments), status);
    free(changes.heads);
    beside_free(&beside);
    return ok;
}

/* The head shown last in the current state, or the one that is selected. */
static bool choose_view(const struct session *session, struct arguments_of *arguments,
                        struct view *view, struct status *status)
{
    *view = view_here(session);
    return selector_empty(&arguments->selection.selector) ||
           view_choose(session, &arguments->selection.selector, view, status);
}

COMMAND(beside)
{
    struct arguments_of arguments;
    struct view view;
    if (!read_arguments(session, request, &arguments, status))
        return false;
    bool ok = session_current(session, status) != NULL;
    if (ok && arguments.heads) {
        ok = compare_heads(session, &arguments, report, status);
    } else if (ok) {
        ok = choose_view(session, &arguments, &view, status) &&
             compare_head(session, &arguments, &view, report, status);
        if (ok && !selector_empty(&arguments.selection.selector))
            session->view = view;
    }
    free_arguments(&arguments);
    return ok;
}
