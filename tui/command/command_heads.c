/* Heads off and on, their masks and patterns. */
#include <limits.h>
#include <string.h>

#include "model/text/quote.h"
#include "tui/command/command.h"
#include "tui/report/head_values.h"
#include "tui/text/arguments.h"

#define MASK_SYNTAX "global, local W, forward or backward"
#define PATTERN_SYNTAX                                                                             \
    "current, previous, next, left_context, right_context, sentence_end, sentence_start or last"
#define HEADS_EXAMPLE "such as head 8 or dec layer 1 head 2-3"

/* What heads do now -------------------------------------------------------------------------------- */

static void report_heads_line(struct report *report, unsigned in, const char *title,
                              const char *heads)
{
    if (*heads)
        report_line(report, in, "%s: %s", title, heads);
}

static void report_heads(struct report *report, unsigned in, const struct session *session)
{
    const char *off = report_heads_off(report, session);
    const char *changed = report_heads_changed(report, session);
    report_json(report, "disabled", heads_off_value(report, session));
    report_json(report, "changed", heads_changed_value(report, session));
    if (!*off && !*changed)
        report_line(report, in, "all heads are on and as the checkpoint has them");
    report_heads_line(report, in, "off", off);
    report_heads_line(report, in, "changed", changed);
}

/* Changes ------------------------------------------------------------------------------------------ */

/* A head of a layer; 0-based. */
struct place {
    enum module module;
    int layer, head;
};

/* Calls `change` for every selected head of a copy of the head_settings; makes the copy the session's. Without
 * a layer every layer, without a head every head is meant. */
struct head_change {
    /* False: this head cannot be changed so. */
    bool (*change)(const struct head_change *self, const struct config *config,
                   const struct place *place, struct head_settings *head_settings,
                   struct status *status);
    struct head head; // of mask and pattern: what the head becomes
    float gain;       // of disable and enable
};

static bool change_selected(const struct config *config, const struct selector *selector,
                            const struct head_change *change, struct head_settings *head_settings,
                            struct status *status)
{
    enum module module = selector->module;
    int layers = head_settings->layers[module], heads = head_settings->count[module];
    for (int layer = 0; layer < layers; layer++)
        for (int head = 0; head < heads; head++) {
            struct place place = {module, layer, head};
            if (!selector_has_layer(selector, layer) || !selector_has_head(selector, head))
                continue;
            if (!change->change(change, config, &place, head_settings, status))
                return false;
        }
    return true;
}

/* Makes a copy of the settings, which is taken, the session's; reports what came of it. */
static bool commit(struct session *session, struct head_settings *head_settings,
                   struct report *report, struct status *status)
{
    struct sentence_pair *before = NULL;
    if (!session_change_head_settings(session, head_settings, &before, status))
        return false;
    report_heads(report, FOR_PEOPLE, session);
    report_change(report, session, before);
    return report_end(report, status);
}

static bool change_head_settings(struct session *session, const struct selector *selector,
                                 const struct head_change *change, struct report *report,
                                 struct status *status)
{
    if (!selector_check(selector, session_config(session), status))
        return false;
    struct head_settings *head_settings = head_settings_copy(session->state.head_settings, status);
    if (!head_settings)
        return false;
    if (change_selected(session_config(session), selector, change, head_settings, status))
        return commit(session, head_settings, report, status);
    head_settings_free(head_settings);
    return false;
}

static bool set_gain(const struct head_change *self, const struct config *config,
                     const struct place *place, struct head_settings *head_settings,
                     struct status *status)
{
    (void)config;
    (void)status;
    *head_settings_gain(head_settings, place->module, place->layer, place->head) = self->gain;
    return true;
}

/* `:disable` and `:enable`: nothing but a selector. */
static bool change_gains(struct session *session, const struct request *request, float gain,
                         struct report *report, struct status *status)
{
    struct selection selection;
    struct head_change change = {.change = set_gain, .gain = gain};
    if (!selection_parse(request, HEADS_SINGLE, &selection, status))
        return false;
    bool ok = true;
    if (selection.count)
        ok = status_fail(status, STATUS_INVALID, "\"%s\": expected " SELECTOR_SINGLE_SYNTAX,
                         QUOTED(selection.rest[0]));
    else if (gain == 0 && selector_empty(&selection.selector))
        ok =
            status_fail(status, STATUS_INVALID, "expected the heads to switch off, " HEADS_EXAMPLE);
    ok = ok && change_head_settings(session, &selection.selector, &change, report, status);
    selection_free(&selection);
    return ok;
}

COMMAND(disable)
{
    return change_gains(session, request, 0, report, status);
}

static bool enable_all(struct session *session, struct report *report, struct status *status)
{
    struct head_settings *head_settings = head_settings_copy(session->state.head_settings, status);
    if (!head_settings)
        return false;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < head_settings->layers[m] * head_settings->count[m]; i++)
            head_settings->gains[m][i] = 1;
    return commit(session, head_settings, report, status);
}

COMMAND(enable)
{
    if (request->words.count == 0)
        return enable_all(session, report, status);
    return change_gains(session, request, 1, report, status);
}

COMMAND(disabled)
{
    if (!no_more_words(request, 0, status))
        return false;
    report_heads(report, FOR_PEOPLE, session);
    return report_end(report, status);
}

/* Masks --------------------------------------------------------------------------------------- */

static bool set_head(const struct head_change *self, const struct config *config,
                     const struct place *place, struct head_settings *head_settings,
                     struct status *status)
{
    return head_settings_set_head(head_settings, config, place->module, place->layer, place->head,
                                  self->head, status);
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
    return used ? status_fail(status, STATUS_INVALID, "\"%s\": unexpected argument",
                              QUOTED(selection->rest[used]))
                : status_fail(status, STATUS_INVALID, "\"%s\": expected " MASK_SYNTAX,
                              QUOTED(selection->rest[used]));
}

COMMAND(mask)
{
    struct selection selection;
    struct head_change change = {.change = set_head};
    if (!selection_parse(request, HEADS_SINGLE, &selection, status))
        return false;
    bool ok = parse_mask(&selection, &change.head, status);
    if (ok && selector_empty(&selection.selector))
        ok = status_fail(status, STATUS_INVALID, "expected the heads to mask, " HEADS_EXAMPLE);
    ok = ok && change_head_settings(session, &selection.selector, &change, report, status);
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
    struct head_change change = {.change = set_head};
    if (!selection_parse(request, HEADS_SINGLE, &selection, status))
        return false;
    bool ok = parse_pattern(&selection, &change.head, status);
    if (ok && selector_empty(&selection.selector))
        ok = status_fail(status, STATUS_INVALID, "expected the heads to replace, " HEADS_EXAMPLE);
    ok = ok && change_head_settings(session, &selection.selector, &change, report, status);
    selection_free(&selection);
    return ok;
}

/* Back to what the checkpoint says, heads switched off included. */
COMMAND(reset)
{
    if (!no_more_words(request, 0, status))
        return false;
    struct head_settings *head_settings =
        head_settings_copy(model_head_settings(session->state.model), status);
    if (!head_settings)
        return false;
    return commit(session, head_settings, report, status);
}
