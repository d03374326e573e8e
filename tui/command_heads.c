/* Heads off and on, their masks and patterns. */
#include <limits.h>
#include <string.h>

#include "model/net/quote.h"
#include "tui/arguments.h"
#include "tui/command.h"

#define MASK_SYNTAX "global, local W, forward or backward"
#define PATTERN_SYNTAX                                                                             \
    "current, previous, next, left_context, right_context, sentence_end, sentence_start or last"
#define HEADS_EXAMPLE "such as head 8 or dec layer 1 head 2-3"

/* Calls `change` for every selected head of a copy of the dials; makes the copy the session's. Without
 * a layer every layer, without a head every head is meant. */
struct dial_change {
    /* False: this head cannot be changed so. */
    bool (*change)(const struct dial_change *self, const struct config *config,
                   const struct place *place, struct dials *dials, struct status *status);
    struct head head; // of mask and pattern: what the head becomes
    float gain;       // of disable and enable
};

static bool change_selected(const struct config *config, const struct selector *selector,
                            const struct dial_change *change, struct dials *dials,
                            struct dials_result *out, struct status *status)
{
    enum module module = selector->module;
    int layers = dials->layers[module], heads = dials->count[module];
    out->changed = memory_new((size_t)layers * heads, sizeof *out->changed, status);
    if (!out->changed)
        return false;
    for (int layer = 0; layer < layers; layer++)
        for (int head = 0; head < heads; head++) {
            struct place place = {module, layer, head};
            if (!selector_has_layer(selector, layer) || !selector_has_head(selector, head))
                continue;
            if (!change->change(change, config, &place, dials, status))
                return false;
            out->changed[out->count++] = place;
        }
    return true;
}

/* Runs a change from a copy of the dials to the session's new state. `dials` is taken. */
static bool commit(struct session *session, struct dials *dials, struct result *result,
                   struct status *status)
{
    if (session_change_dials(session, dials, &result->dials.before, status))
        return true;
    result_free(result);
    return false;
}

static bool change_dials(struct session *session, const struct selector *selector,
                         const struct dial_change *change, struct result *result,
                         struct status *status)
{
    if (!selector_check(selector, session_config(session), status))
        return false;
    struct dials *dials = dials_copy(session->state.dials, status);
    if (!dials)
        return false;
    result->kind = RESULT_DIALS;
    if (change_selected(session_config(session), selector, change, dials, &result->dials, status))
        return commit(session, dials, result, status);
    dials_free(dials);
    result_free(result);
    return false;
}

static bool set_gain(const struct dial_change *self, const struct config *config,
                     const struct place *place, struct dials *dials, struct status *status)
{
    (void)config;
    (void)status;
    *dials_gain(dials, place->module, place->layer, place->head) = self->gain;
    return true;
}

/* `:disable` and `:enable`: nothing but a selector. */
static bool change_gains(struct session *session, const struct request *request, float gain,
                         struct result *result, struct status *status)
{
    struct selection selection;
    struct dial_change change = {.change = set_gain, .gain = gain};
    if (!selection_parse(request, HEADS_SINGLE, &selection, status))
        return false;
    bool ok = true;
    if (selection.count)
        ok = status_fail(status, STATUS_INVALID, "\"%s\": expected " SELECTOR_SINGLE_SYNTAX,
                         QUOTED(selection.rest[0]));
    else if (gain == 0 && selector_empty(&selection.selector))
        ok =
            status_fail(status, STATUS_INVALID, "expected the heads to switch off, " HEADS_EXAMPLE);
    ok = ok && change_dials(session, &selection.selector, &change, result, status);
    selection_free(&selection);
    return ok;
}

COMMAND(disable)
{
    return change_gains(session, request, 0, result, status);
}

static bool enable_all(struct session *session, struct result *result, struct status *status)
{
    struct dials *dials = dials_copy(session->state.dials, status);
    if (!dials)
        return false;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < dials->layers[m] * dials->count[m]; i++)
            dials->gains[m][i] = 1;
    result->kind = RESULT_DIALS;
    return commit(session, dials, result, status);
}

COMMAND(enable)
{
    if (request->words.count == 0)
        return enable_all(session, result, status);
    return change_gains(session, request, 1, result, status);
}

COMMAND(disabled)
{
    (void)session;
    if (!no_more_words(request, 0, status))
        return false;
    result->kind = RESULT_DIALS;
    result->dials.asked = true;
    return true;
}

/* Masks --------------------------------------------------------------------------------------- */

static bool set_head(const struct dial_change *self, const struct config *config,
                     const struct place *place, struct dials *dials, struct status *status)
{
    return dials_set_head(dials, config, place->module, place->layer, place->head, self->head,
                          status);
}

static bool parse_mask(const struct selection *selection, struct head *head, struct status *status)
{
    const char *name = selection->count ? selection->rest[0] : "";
    int used = 0;
    *head = (struct head){.energy = ENERGY_LEARNED};
    for (int mask = MASK_GLOBAL; mask <= MASK_BACKWARD; mask++)
        if (strcmp(name, mask_names[mask]) == 0) {
            head->mask = (uint8_t)mask;
            used = 1;
        }
    if (used && head->mask == MASK_LOCAL) {
        if (selection->count < 2)
            return status_fail(status, STATUS_INVALID,
                               "local: expected its window, such as local 2");
        int window;
        if (!parse_int("local", selection->rest[1], 0, INT_MAX, &window, status))
            return false;
        head->window = window;
        used = 2;
    }
    if (used && used == selection->count)
        return true;
    if (!selection->count)
        return status_fail(status, STATUS_INVALID, "expected " MASK_SYNTAX " after the heads");
    return status_fail(status, STATUS_INVALID, "\"%s\": expected %s", QUOTED(selection->rest[used]),
                       used ? "nothing more" : MASK_SYNTAX);
}

COMMAND(mask)
{
    struct selection selection;
    struct dial_change change = {.change = set_head};
    if (!selection_parse(request, HEADS_SINGLE, &selection, status))
        return false;
    bool ok = parse_mask(&selection, &change.head, status);
    if (ok && selector_empty(&selection.selector))
        ok = status_fail(status, STATUS_INVALID, "expected the heads to mask, " HEADS_EXAMPLE);
    ok = ok && change_dials(session, &selection.selector, &change, result, status);
    selection_free(&selection);
    return ok;
}

/* Patterns ------------------------------------------------------------------------------------ */

static bool parse_pattern(const struct selection *selection, struct head *head,
                          struct status *status)
{
    const char *name = selection->count ? selection->rest[0] : "";
    int used = 0;
    *head = (struct head){.energy = ENERGY_FIXED};
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++)
        if (strcmp(name, pattern_names[pattern]) == 0) {
            head->pattern = (uint8_t)pattern;
            used = 1;
        }
    if (!selection->count)
        return status_fail(status, STATUS_INVALID, "expected " PATTERN_SYNTAX " after the heads");
    if (!used)
        return status_fail(status, STATUS_INVALID, "\"%s\": expected " PATTERN_SYNTAX,
                           QUOTED(name));
    if (selection->count > 1 && strcmp(selection->rest[1], "word") == 0) {
        head->unit = UNIT_WORD;
        used = 2;
    }
    return used == selection->count ||
           status_fail(status, STATUS_INVALID, "\"%s\": expected nothing but word after a pattern",
                       QUOTED(selection->rest[used]));
}

COMMAND(pattern)
{
    struct selection selection;
    struct dial_change change = {.change = set_head};
    if (!selection_parse(request, HEADS_SINGLE, &selection, status))
        return false;
    bool ok = parse_pattern(&selection, &change.head, status);
    if (ok && selector_empty(&selection.selector))
        ok = status_fail(status, STATUS_INVALID, "expected the heads to replace, " HEADS_EXAMPLE);
    ok = ok && change_dials(session, &selection.selector, &change, result, status);
    selection_free(&selection);
    return ok;
}

/* Back to what the checkpoint says, heads switched off included. */
COMMAND(reset)
{
    if (!no_more_words(request, 0, status))
        return false;
    struct dials *dials = dials_copy(model_dials(session->state.model), status);
    if (!dials)
        return false;
    result->kind = RESULT_DIALS;
    return commit(session, dials, result, status);
}
