/* Views of the sentence at hand: `:attn` and `:importance`. */
#include <string.h>

#include "model/net/quote.h"
#include "tui/command.h"
#include "tui/view.h"

#define IMPORTANCE_SYNTAX "[enc|dec|cross] [layer N]"

/* What the selector says of a view, the rest as last shown. */
static bool choose_view(const struct session *session, const struct selector *selector,
                        struct view *view, struct status *status)
{
    const struct config *config = session_config(session);
    *view = session->view;
    if (selector->module_given)
        view->module = selector->module;
    *view = view_fit(config, *view);
    int layers = module_layers(config, view->module), heads = module_heads(config, view->module);
    int layer = number_list_single(&selector->layers), head = number_list_single(&selector->heads);
    if (selector->layer == PART_ALL || (selector->layer == PART_LIST && !layer))
        return status_fail(status, STATUS_INVALID, "shows one layer: expected layer 1 to %d",
                           layers);
    if (selector->head == PART_LIST && !head)
        return status_fail(status, STATUS_INVALID,
                           "shows one head: expected head 1 to %d, mean or max", heads);
    if (selector->layer == PART_LIST)
        view->layer = layer - 1;
    if (selector->head != PART_ABSENT)
        view->head = selector->head == PART_LIST   ? head - 1
                     : selector->head == PART_MEAN ? VIEW_MEAN
                                                   : VIEW_MAX;
    return true;
}

/* The selector's lists are checked against the module that will be shown. */
bool view_choose(const struct session *session, struct selector *selector, struct view *view,
                 struct status *status)
{
    if (!selector->module_given)
        selector->module = session->view.module;
    return selector_check(selector, session_config(session), status) &&
           choose_view(session, selector, view, status);
}

COMMAND(attn)
{
    struct selection selection;
    struct view view;
    if (!selection_parse(request, HEADS_OR_MERGED, &selection, status))
        return false;
    bool words = selection.count > 0 && strcmp(selection.rest[0], "word") == 0;
    bool ok = view_choose(session, &selection.selector, &view, status);
    if (ok && selection.count > words)
        ok = status_fail(status, STATUS_INVALID, "\"%s\": expected " SELECTOR_SYNTAX " [word]",
                         QUOTED(selection.rest[words]));
    selection_free(&selection);

    const struct subject *subject = ok ? session_subject(session, status) : NULL;
    if (!subject)
        return false;
    result->kind = RESULT_ATTENTION;
    if (!view_attention(session, subject, &view, words, &result->attention, status)) {
        result_free(result);
        return false;
    }
    session->view = view;
    return true;
}

/* The last layer of the module whose heads are mixed by importance, or -1. */
static int last_importance(const struct config *config, enum module module)
{
    int layer = module_layers(config, module) - 1;
    while (layer >= 0 && !config->attention[module][layer].dhicm)
        layer--;
    return layer;
}

/* Module and layer of `:importance`; by default the last layer that has any. */
static bool choose_importance(const struct config *config, const struct selector *selector,
                              enum module *module, int *layer, struct status *status)
{
    *module = selector->module;
    for (int m = 0; !selector->module_given && m < MODULE_COUNT; m++)
        if (last_importance(config, m) >= 0) {
            *module = m;
            break;
        }
    *layer = last_importance(config, *module);
    if (*layer < 0)
        return status_fail(status, STATUS_INVALID,
                           "%s has no head importance: no layer of it combines heads by dhicm",
                           selector->module_given ? module_titles[*module] : "the model");
    int chosen = number_list_single(&selector->layers);
    if (selector->layer == PART_ALL || (selector->layer == PART_LIST && !chosen))
        return status_fail(status, STATUS_INVALID, "shows one layer: expected layer 1 to %d",
                           module_layers(config, *module));
    if (selector->layer == PART_ABSENT)
        return true;
    if (chosen > module_layers(config, *module))
        return status_fail(status, STATUS_INVALID, "layer %d: %s has layers 1 to %d", chosen,
                           module_titles[*module], module_layers(config, *module));
    *layer = chosen - 1;
    if (config->attention[*module][*layer].dhicm)
        return true;
    return status_fail(status, STATUS_INVALID, "layer %d of %s has no head importance", chosen,
                       module_titles[*module]);
}

COMMAND(importance)
{
    struct selection selection;
    enum module module = MODULE_ENCODER;
    int layer = 0;
    if (!selection_parse(request, HEADS_OR_MERGED, &selection, status))
        return false;
    const struct selector *selector = &selection.selector;
    bool ok = true;
    if (selection.count)
        ok = status_fail(status, STATUS_INVALID, "\"%s\": expected " IMPORTANCE_SYNTAX,
                         QUOTED(selection.rest[0]));
    else if (selector->head != PART_ABSENT)
        ok = status_fail(status, STATUS_INVALID,
                         "shows every head of a layer: expected " IMPORTANCE_SYNTAX);
    ok = ok && choose_importance(session_config(session), selector, &module, &layer, status);
    selection_free(&selection);

    const struct subject *subject = ok ? session_subject(session, status) : NULL;
    if (!subject)
        return false;
    result->kind = RESULT_IMPORTANCE;
    if (!view_importance(session, subject, module, layer, &result->importance, status)) {
        result_free(result);
        return false;
    }
    session->view.module = module;
    session->view.layer = layer;
    return true;
}
