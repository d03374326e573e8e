/* Capturing for methods of attribution. */
#include <math.h>
#include <stdlib.h>

#include "model/attribution/attribute.h"
#include "tui/report/view.h"
#include "tui/terminal/progress.h"

/* The mean share of the source in the rows that predict a token of the translation; rows of zeros
 * have none. */
static double mean_source_share(const struct captured *captured, const struct attention_view *view)
{
    enum module module = view->view.module;
    int rows = captured_rows(captured, module), columns = captured_columns(captured, module);
    double total = 0;
    int count = 0;
    for (int i = captured->config->start.count - 1; i < rows; i++) {
        double own = 0;
        for (int j = 0; j < columns; j++)
            own += view->weights[i * columns + j];
        if (!(own + view->rest[i] > 0))
            continue;
        total += module == MODULE_CROSS ? own : view->rest[i];
        count++;
    }
    return count ? total / count : NAN;
}

bool view_method(const struct session *session, const struct sentence_pair *pair,
                 const struct view *view, struct attention_view *out, struct status *status)
{
    const struct config *config = session_config(session);
    struct attribution_request request = {
        .method = view->as, .module = view->module, .first = view->layer, .last = view->layer};
    struct capture capture;
    if (!method_check(view->as, config, view->module, status) ||
        !attribution_request(&request, config, status))
        return false;
    bool ok = pair_capture(&session->state, pair, &request.capture, &capture, status);
    attribution_free(&request);
    if (!ok)
        return false;
    const struct captured captured = {config, session->state.head_settings, &capture};
    size_t rows = (size_t)captured_rows(&captured, view->module),
           cells = rows * (size_t)captured_columns(&captured, view->module);
    out->weights = memory_new(cells, sizeof *out->weights, status);
    out->rest = memory_new(rows, sizeof *out->rest, status);
    ok = out->weights && out->rest &&
         attribution_matrix(&captured, view->as, view->module, view->layer, view->head,
                            &progress_watch, out->weights, out->rest, status);
    if (ok && method_table[view->as].joint && view->module != MODULE_ENCODER)
        out->source_share = mean_source_share(&captured, out);
    capture_free(&capture);
    return ok;
}
