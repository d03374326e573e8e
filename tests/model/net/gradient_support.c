#include "tests/model/net/gradient_support.h"

#include "tests/support/packed.h"
#include "tests/support/test.h"

void subject_of(struct golden *golden, const json_t *given, struct subject *subject)
{
    struct status status;
    *subject = (struct subject){.golden = golden};
    const json_t *ids = json_object_get(given, "target_ids");
    subject->count = (int)json_array_size(ids);
    subject->target = calloc((size_t)subject->count, sizeof *subject->target);
    for (int t = 0; t < subject->count; t++)
        subject->target[t] = (int)json_integer_value(json_array_get(ids, (size_t)t));
    subject->settings = golden_head_settings(golden, given);
    if (!sentence_encode(golden->checkpoint, json_string_value(json_object_get(given, "source")),
                         &subject->source, &status))
        fail_msg("%s: %s", golden->name, status.message);
}

void subject_open(const char *name, const json_t *record, const char *isa, int threads,
                  struct subject *subject)
{
    struct golden *golden = golden_open(name, isa, threads);
    const json_int_t number = json_integer_value(json_object_get(record, "case"));
    subject_of(golden, json_array_get(golden->cases, (size_t)number), subject);
}

void subject_close(struct subject *subject)
{
    head_settings_free(subject->settings);
    sentence_free(&subject->source);
    free(subject->target);
    golden_close(subject->golden);
}

void everything_open(const struct config *config, const json_t *terms, struct everything *all)
{
    const json_t *term;
    size_t t;
    *all = (struct everything){.terms = calloc(json_array_size(terms), sizeof *all->terms)};
    json_array_foreach(terms, t, term) all->terms[t] =
        (struct gradient_term){(int)json_integer_value(json_array_get(term, 0)),
                               (int)json_integer_value(json_array_get(term, 1)),
                               (float)json_number_value(json_array_get(term, 2))};
    all->request = (struct gradient_request){.terms = all->terms,
                                             .count = (int)json_array_size(terms),
                                             .embeddings = true,
                                             .states = true,
                                             .gains = true};
    for (int m = 0; m < MODULE_COUNT; m++) {
        int count = module_layers(config, m) * module_heads(config, m);
        all->wanted[m] = malloc((size_t)count);
        memset(all->wanted[m], true, (size_t)count);
        all->request.weights[m] = all->request.head_outputs[m] = all->wanted[m];
    }
}

void everything_close(struct everything *all)
{
    for (int m = 0; m < MODULE_COUNT; m++)
        free(all->wanted[m]);
    free(all->terms);
}

void subject_run(const struct subject *subject, const struct gradient_request *request,
                 struct gradients *out)
{
    struct status status;
    if (!gradient_run(subject->golden->model, &subject->source, subject->target, subject->count,
                      subject->settings, request, out, &status))
        fail_msg("%s: %s", subject->golden->name, status.message);
}

json_t *read_derivatives(void)
{
    return packed_json_load("tests/golden/derivatives.json.gz");
}
