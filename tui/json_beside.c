/* Two states side by side as JSON. */
#include "tui/json.h"

static void write_matrix(struct json_writer *json, const struct attention_result *attention)
{
    const struct pieces *rows = &attention->rows.texts, *columns = &attention->columns.texts;
    json_texts(json, "rows", rows);
    json_texts(json, "columns", columns);
    put_key(json, "weights");
    put_matrix(json, attention->weights, rows->count, columns->count);
}

static void write_side(struct json_writer *json, const struct session *session, const char *key,
                       const struct beside_side *side)
{
    struct session other = beside_session(session, side);
    const struct hypothesis *hypothesis = subject_hypothesis(side->subject);
    put_key(json, key);
    put_object(json);
    put_member_string(json, "state", side->name);
    put_member_string(json, "model", side->loaded->path);
    put_member_string(json, "text", subject_target(side->subject));
    put_key(json, "tokens");
    json_tokens(json, &other, hypothesis);
    put_member_number(json, "score", hypothesis->score);
    write_matrix(json, &side->attention);
    put_object_end(json);
}

void json_beside(struct json_writer *json, const struct session *session,
                 const struct result *result)
{
    const struct beside_result *beside = &result->beside;
    const struct view *view = &beside->side[0].attention.view;
    put_member_string(json, "module", module_names[view->module]);
    put_member_int(json, "layer", view->layer + 1);
    json_head_number(json, view->head);
    write_side(json, session, "a", &beside->side[0]);
    write_side(json, session, "b", &beside->side[1]);
    put_key(json, "difference");
    if (beside->difference.weights) {
        put_object(json);
        put_member_bool(json, "forced", beside->forced);
        write_matrix(json, &beside->difference);
        put_object_end(json);
    } else {
        put_null(json);
    }
    put_key(json, "note");
    if (beside->note)
        put_string(json, beside->note);
    else
        put_null(json);
}
