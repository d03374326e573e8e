/* Exports all that the model computes for the current sentence as a safetensors file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "model/formats/safetensors.h"
#include "report/output/export.h"
#include "terminal/interrupt.h"
#include "terminal/progress.h"

/* The tensors being written. */
struct export
{
    const struct session *session;
    const struct sentence_pair *pair;
    const struct capture *capture;
    struct safetensors_writer *writer;
    int tensors;
};

static bool add_tensor(struct export *export, const char *name, const float *data, int dimensions,
                       const int64_t *shape, struct status *status)
{
    export->tensors++;
    return safetensors_add(export->writer, name, data, dimensions, shape, status);
}

/* Adds a layer's matrices, one after the other: [H, rows, columns]. */
static bool add_weights(struct export *export, enum module module, int layer, struct status *status)
{
    const struct session *session = export->session;
    int heads = session->state.head_settings->count[module];
    int64_t rows = pair_rows(export->pair, module).count;
    int64_t columns = pair_columns(export->pair, module).count;
    float *const *matrices = export->capture->weights[module] + layer * heads;
    size_t cells = (size_t)(rows * columns);
    float *all = memory_new(cells * heads, sizeof *all, status);
    if (!all)
        return false;
    for (int h = 0; cells && h < heads; h++)
        memcpy(all + h * cells, matrices[h], cells * sizeof *all);
    char name[64];
    snprintf(name, sizeof name, "%s.%d.weights", module_names[module], layer);
    bool ok = add_tensor(export, name, all, 3, (int64_t[]){heads, rows, columns}, status);
    free(all);
    return ok;
}

static bool add_importance(struct export *export, enum module module, int layer,
                           struct status *status)
{
    float **layers = export->capture->importance[module];
    if (!layers || !layers[layer])
        return true;
    int64_t shape[] = {pair_rows(export->pair, module).count,
                       export->session->state.head_settings->count[module]};
    char name[64];
    snprintf(name, sizeof name, "%s.%d.importance", module_names[module], layer);
    return add_tensor(export, name, layers[layer], 2, shape, status);
}

/* Adds [rows], or [rows, learned heads] if every head has a gate. */
static bool add_gate(struct export *export, enum module module, int layer, int side,
                     struct status *status)
{
    const struct config *config = session_config(export->session);
    float **layers = export->capture->gates[module][side];
    if (!layers || !layers[layer])
        return true;
    bool by_head = config->attention[module][layer].gate == GATE_HEAD;
    int64_t shape[] = {pair_rows(export->pair, module).count, learned_heads(config, module, layer)};
    char name[64];
    snprintf(name, sizeof name, "%s.%d.gate_%c", module_names[module], layer,
             side == SIDE_Q ? 'q' : 'k');
    return add_tensor(export, name, layers[layer], by_head ? 2 : 1, shape, status);
}

static bool add_layer(struct export *export, enum module module, int layer, struct status *status)
{
    return add_weights(export, module, layer, status) &&
           add_importance(export, module, layer, status) &&
           add_gate(export, module, layer, SIDE_Q, status) &&
           add_gate(export, module, layer, SIDE_K, status);
}

static bool add_tensors(struct export *export, struct status *status)
{
    const struct checkpoint *checkpoint = export->session->loaded->checkpoint;
    int64_t states[] = {export->pair->source.count, checkpoint->config->d_model};
    int64_t logprobs[] = {export->pair->inputs.count,
                          vocabulary_size(checkpoint->vocabulary[SIDE_TARGET])};
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int layer = 0; layer < export->session->state.head_settings->layers[m]; layer++)
            if (!interrupt_check(status) || !add_layer(export, m, layer, status))
                return false;
    return add_tensor(export, "encoder.output", export->capture->encoder_output, 2, states,
                      status) &&
           add_tensor(export, "logprobs", export->capture->logprobs, 2, logprobs, status);
}

/* Metadata ------------------------------------------------------------------------------------- */

/* Adds the JSON that `write` writes. */
static bool add_json(struct export *export, const char *key,
                     void (*write)(struct json_writer *, const struct export *),
                     struct status *status)
{
    struct written written;
    struct json_writer json = {.stream = written_open(&written)};
    if (!json.stream)
        return status_no_memory(status);
    write(&json, export);
    char *text = written_close(&written);
    bool ok = text ? safetensors_add_metadata(export->writer, key, text, status)
                   : status_no_memory(status);
    free(text);
    return ok;
}

static void write_source_tokens(struct json_writer *json, const struct export *export)
{
    const struct sentence *source = &export->pair->source;
    put_strings(json, (const char *const *)source->pieces.text, source->count);
}

static void write_source_ids(struct json_writer *json, const struct export *export)
{
    put_ints(json, export->pair->source.ids, export->pair->source.count);
}

static void write_target_tokens(struct json_writer *json, const struct export *export)
{
    const struct hypothesis *chosen = pair_hypothesis(export->pair);
    const struct vocabulary *vocabulary =
        export->session->loaded->checkpoint->vocabulary[SIDE_TARGET];
    put_array(json);
    for (int i = 0; i < chosen->count; i++)
        put_string(json, vocabulary_piece(vocabulary, chosen->ids[i]));
    put_array_end(json);
}

static void write_target_ids(struct json_writer *json, const struct export *export)
{
    const struct hypothesis *chosen = pair_hypothesis(export->pair);
    put_ints(json, chosen->ids, chosen->count);
}

static void write_input_tokens(struct json_writer *json, const struct export *export)
{
    put_strings(json, export->pair->inputs.texts, export->pair->inputs.count);
}

static void write_input_ids(struct json_writer *json, const struct export *export)
{
    put_ints(json, export->pair->inputs.ids, export->pair->inputs.count);
}

static bool add_provenance(struct export *export, const struct provenance *provenance,
                           struct status *status)
{
    for (int i = 0; i < provenance->count; i++)
        if (!safetensors_add_metadata(export->writer, provenance->notes[i].key,
                                      provenance->notes[i].text, status))
            return false;
    return true;
}

static bool add_metadata(struct export *export, struct status *status)
{
    static const struct {
        const char *key;
        void (*write)(struct json_writer *, const struct export *);
    } parts[] = {
        {"source_tokens", write_source_tokens}, {"source_ids", write_source_ids},
        {"target_tokens", write_target_tokens}, {"target_ids", write_target_ids},
        {"input_tokens", write_input_tokens},   {"input_ids", write_input_ids},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!add_json(export, parts[i].key, parts[i].write, status))
            return false;
    return true;
}

/* The file ------------------------------------------------------------------------------------- */

static bool write_file(struct export *export, FILE *stream, const struct provenance *provenance,
                       struct status *status)
{
    export->writer = safetensors_writer_open(status);
    if (!export->writer)
        return false;
    bool ok = add_tensors(export, status) && add_metadata(export, status) &&
              add_provenance(export, provenance, status) && interrupt_check(status) &&
              safetensors_write_stream(export->writer, stream, &progress_watch, status);
    safetensors_writer_close(export->writer);
    return ok;
}

/* Captures every matrix of every module. */
static bool capture_all(const struct session *session, const struct sentence_pair *pair,
                        struct capture *capture, struct status *status)
{
    const struct head_settings *head_settings = session->state.head_settings;
    struct capture_request request = {
        .importance = true, .gates = true, .encoder_output = true, .logprobs = true};
    size_t most = 0;
    for (int m = 0; m < MODULE_COUNT; m++) {
        size_t heads = (size_t)head_settings->layers[m] * head_settings->count[m];
        most = heads > most ? heads : most;
    }
    bool *every = memory_new(most, sizeof *every, status);
    if (!every)
        return false;
    for (size_t i = 0; i < most; i++)
        every[i] = true;
    for (int m = 0; m < MODULE_COUNT; m++)
        request.weights[m] = every;
    bool ok = pair_capture(&session->state, pair, &request, capture, status);
    free(every);
    return ok;
}

bool export_tensors(const struct session *session, const struct sentence_pair *pair, FILE *stream,
                    const struct provenance *provenance, int *tensors, struct status *status)
{
    struct capture capture;
    if (!capture_all(session, pair, &capture, status))
        return false;
    struct export export = {session, pair, &capture, NULL, 0};
    bool ok = write_file(&export, stream, provenance, status);
    capture_free(&capture);
    *tensors = export.tensors;
    return ok;
}
