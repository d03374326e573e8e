/* Ablations and prunings as JSON. */
#include <stdlib.h>

#include "tui/display.h"
#include "tui/json.h"

/* A 1-based number, a list of them, or (`every`) null. */
static void put_numbers(struct json_writer *json, const char *key, const int *numbers, int count,
                        bool every)
{
    put_key(json, key);
    if (every) {
        put_null(json);
        return;
    }
    if (count > 1)
        put_array(json);
    for (int i = 0; i < count; i++)
        put_int(json, numbers[i] + 1);
    if (count > 1)
        put_array_end(json);
}

void json_ablation(struct json_writer *json, const struct ablation *ablation)
{
    put_member_string(json, "module", module_names[ablation->module]);
    put_numbers(json, "layer", ablation->layers, ablation->layer_count, ablation->every_layer);
    put_numbers(json, "head", ablation->heads, ablation->head_count, ablation->every_head);
}

static void put_row(struct json_writer *json, const struct ablation *ablation,
                    const struct ablation_score *score)
{
    put_object(json);
    json_ablation(json, ablation);
    put_member_number(json, "score", score->score);
    put_member_number(json, "delta", score->delta);
    put_member_int(json, "differing", score->differing);
    put_member_number(json, "p", score->p);
    put_member_number(json, "p_adjusted", score->p_adjusted);
    put_object_end(json);
}

static void put_signature(struct json_writer *json, const struct result *result)
{
    char *text = NULL;
    size_t size;
    FILE *out = display_have(open_memstream(&text, &size));
    if (out) {
        if (result->kind == RESULT_ABLATE)
            ablate_write_signature(out, &result->ablate);
        else
            prune_write_signature(out, &result->prune);
        fclose(out);
    }
    put_member_string(json, "signature", text ? text : "");
    free(text);
}

void json_ablate(struct json_writer *json, const struct session *session,
                 const struct result *result)
{
    const struct ablate_result *ablate = &result->ablate;
    const char *by = ablate_by_names[ablate->request.by];
    (void)session;
    put_member_number(json, "base", ablate->base);
    put_key(json, "ablations");
    put_array(json);
    for (int i = 0; i < ablate->ablations.count; i++)
        put_row(json, &ablate->ablations.items[i], &ablate->scores[i]);
    put_array_end(json);
    put_key(json, "by");
    if (*by)
        put_string(json, by);
    else
        put_null(json);
    put_signature(json, result);
    json_texts(json, "files", &ablate->request.files);
    put_member_int(json, "sentences", ablate->sentences);
    put_member_bool(json, "partial", ablate_partial(ablate));
    if (!ablate->request.shown)
        return;
    put_member_int(json, "show", ablate->request.shown);
    json_listed(json, &ablate->shown);
}

static void put_step(struct json_writer *json, const struct prune_step *step)
{
    put_object(json);
    put_member_string(json, "module", module_names[step->module]);
    put_member_int(json, "layer", step->layer + 1);
    put_member_int(json, "head", step->head + 1);
    put_member_int(json, "left", step->left);
    put_member_number(json, "score", step->score);
    put_member_number(json, "delta", step->delta);
    put_object_end(json);
}

void json_prune(struct json_writer *json, const struct session *session,
                const struct result *result)
{
    const struct prune_result *prune = &result->prune;
    (void)session;
    put_member_number(json, "base", prune->base);
    put_member_int(json, "heads", prune->heads);
    put_key(json, "steps");
    put_array(json);
    for (int i = 0; i < prune->count; i++)
        put_step(json, &prune->steps[i]);
    put_array_end(json);
    put_member_number(json, "until", prune->request.until);
    put_signature(json, result);
    json_texts(json, "files", &prune->request.files);
    put_member_int(json, "sentences", prune->sentences);
    put_member_bool(json, "partial", prune->partial);
    if (!prune->request.shown)
        return;
    put_member_int(json, "show", prune->request.shown);
    json_listed(json, &prune->shown);
}
