/* A decoding step is the same calls every time: a search whose recorded steps are replayed without
 * the model's code finds, to the bit, what the search that runs it finds. */
#include <jansson.h>

#include "tests/model/net/engine_support.h"
#include "tests/support/test.h"

enum { OPERATIONS_MAX = 1000, RECORDINGS_MAX = 200, SENTENCES = 24 };

/* An operation with its arguments; run calls it. */
struct operation {
    void (*run)(struct device *device, const struct operation *operation);
    int count;                 // of products
    struct search_state state; // of `advance`, whose numbers a recorded step keeps
    union {
        struct embed_args embed;
        struct linear_args linear[LINEAR_MOST];
        struct move_args gather, scatter;
        struct add_args add;
        struct norm_args norm;
        struct mean_args mean;
        struct prefix_mean_args prefix_mean;
        struct recurrence_args recurrence;
        struct rotate_args rotate;
        struct gate_args gate;
        struct word_args words;
        struct attention_args attention;
        struct mix_args mix_heads;
        struct logprob_args logprob;
        struct select_args select;
        struct advance_args advance;
    };
};

struct recording {
    uint64_t key;
    int count;
    struct operation *operations; // (count)
};

static struct recording recordings[RECORDINGS_MAX];
static struct recording *open_recording; // the one being made
static int recording_count, replays;

static void keep(struct device *device, const struct operation *operation)
{
    operation->run(device, operation);
    if (!open_recording)
        return;
    assert_true(open_recording->count < OPERATIONS_MAX);
    open_recording->operations[open_recording->count++] = *operation;
}

#define OPERATION(name, type)                                                                      \
    static void run_##name(struct device *device, const struct operation *operation)               \
    {                                                                                              \
        cpu_backend.name(device, &operation->name);                                                \
    }                                                                                              \
    static void keep_##name(struct device *device, const struct type *args)                        \
    {                                                                                              \
        struct operation operation = {.run = run_##name};                                          \
        operation.name = *args;                                                                    \
        keep(device, &operation);                                                                  \
    }

OPERATION(embed, embed_args)
OPERATION(gather, move_args)
OPERATION(scatter, move_args)
OPERATION(add, add_args)
OPERATION(norm, norm_args)
OPERATION(mean, mean_args)
OPERATION(prefix_mean, prefix_mean_args)
OPERATION(recurrence, recurrence_args)
OPERATION(rotate, rotate_args)
OPERATION(gate, gate_args)
OPERATION(words, word_args)
OPERATION(attention, attention_args)
OPERATION(mix_heads, mix_args)
OPERATION(logprob, logprob_args)
OPERATION(select, select_args)

static void run_advance(struct device *device, const struct operation *operation)
{
    struct advance_args args = operation->advance;
    args.state = &operation->state;
    cpu_backend.advance(device, &args);
}

static void keep_advance(struct device *device, const struct advance_args *args)
{
    struct operation operation = {.run = run_advance, .state = *args->state};
    operation.advance = *args;
    keep(device, &operation);
}

static void run_linear(struct device *device, const struct operation *operation)
{
    cpu_backend.linear(device, operation->linear, operation->count);
}

static void keep_linear(struct device *device, const struct linear_args *args, int count)
{
    struct operation operation = {.run = run_linear, .count = count};
    memcpy(operation.linear, args, (size_t)count * sizeof *args);
    keep(device, &operation);
}

static struct recording *recording_of(uint64_t key)
{
    for (int i = 0; i < recording_count; i++)
        if (recordings[i].key == key)
            return &recordings[i];
    return NULL;
}

static void replaying_scope(struct device *device, const struct scope_args *args)
{
    if (args->key == 0) {
        args->body(args->context);
        return;
    }
    const struct recording *known = recording_of(args->key);
    for (int i = 0; known && i < known->count; i++)
        known->operations[i].run(device, &known->operations[i]);
    replays += known != NULL;
    if (known)
        return;
    assert_true(recording_count < RECORDINGS_MAX);
    open_recording = &recordings[recording_count++];
    *open_recording = (struct recording){
        .key = args->key, .operations = calloc(OPERATIONS_MAX, sizeof(struct operation))};
    args->body(args->context);
    open_recording = NULL;
}

/* What a recorded step would not bring along. */
static void outside_put(struct device *device, struct tensor tensor, const void *host, size_t bytes)
{
    assert_null(open_recording);
    cpu_backend.put(device, tensor, host, bytes);
}

static void outside_get(struct device *device, void *host, struct tensor tensor, size_t bytes)
{
    assert_null(open_recording);
    cpu_backend.get(device, host, tensor, bytes);
}

static struct backend replaying_backend(void)
{
    struct backend backend = cpu_backend;
    backend.records = true;
    backend.scope = replaying_scope;
    backend.put = outside_put;
    backend.get = outside_get;
    backend.embed = keep_embed;
    backend.linear = keep_linear;
    backend.gather = keep_gather;
    backend.scatter = keep_scatter;
    backend.add = keep_add;
    backend.norm = keep_norm;
    backend.mean = keep_mean;
    backend.prefix_mean = keep_prefix_mean;
    backend.recurrence = keep_recurrence;
    backend.rotate = keep_rotate;
    backend.gate = keep_gate;
    backend.words = keep_words;
    backend.attention = keep_attention;
    backend.mix_heads = keep_mix_heads;
    backend.logprob = keep_logprob;
    backend.select = keep_select;
    backend.advance = keep_advance;
    return backend;
}

static void forget_recordings(void)
{
    for (int i = 0; i < recording_count; i++)
        free(recordings[i].operations);
    recording_count = replays = 0;
}

/* Searches all sentences of the cases, again and again, under two settings of the heads. */
static void search(const struct golden *golden, struct model *model, int batch, bool changed,
                   struct search_job *jobs, struct sentence *sentences)
{
    struct search_options options = search_defaults(golden->checkpoint->config);
    struct status status;
    options.batch = batch;
    struct head_settings *head_settings =
        head_settings_copy(model_head_settings(golden->model), &status);
    for (int m = 0; m < MODULE_COUNT; m++)
        *head_settings_gain(head_settings, m, 0, 0) = 0;
    for (int i = 0; i < SENTENCES; i++)
        jobs[i] = (struct search_job){.source = &sentences[i],
                                      .head_settings = changed && i % 2 ? head_settings : NULL};
    if (!search_run(model, jobs, SENTENCES, &options, NULL, &status))
        fail_msg("%s: %s", golden->name, status.message);
    head_settings_free(head_settings);
}

static void expect_same(const struct golden *golden, const struct translation *a,
                        const struct translation *b)
{
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        const struct hypothesis *x = &a->hypotheses[i], *y = &b->hypotheses[i];
        if (x->count != y->count ||
            memcmp(x->ids, y->ids, (size_t)x->count * sizeof *x->ids) != 0 ||
            memcmp(x->logprobs, y->logprobs, (size_t)x->count * sizeof *x->logprobs) != 0 ||
            memcmp(&x->score, &y->score, sizeof x->score) != 0)
            fail_msg("%s: hypothesis %d differs where steps are replayed", golden->name, i + 1);
    }
}

static void expect_replayed(const struct golden *golden, struct model *replaying, int batch,
                            bool changed, struct sentence *sentences)
{
    struct search_job plain[SENTENCES], replayed[SENTENCES];
    search(golden, golden->model, batch, changed, plain, sentences);
    search(golden, replaying, batch, changed, replayed, sentences);
    for (int i = 0; i < SENTENCES; i++) {
        expect_same(golden, &plain[i].result, &replayed[i].result);
        translation_free(&plain[i].result);
        translation_free(&replayed[i].result);
    }
}

static void encode_sentences(const struct golden *golden, struct sentence *sentences)
{
    struct status status;
    size_t cases = json_array_size(golden->cases);
    for (size_t i = 0; i < SENTENCES; i++) {
        const json_t *given = json_array_get(golden->cases, i % cases);
        const char *source = json_string_value(json_object_get(given, "source"));
        if (!sentence_encode(golden->checkpoint, source, &sentences[i], &status))
            fail_msg("%s", status.message);
    }
}

static void search_one(const struct golden *golden, struct model *model, struct search_job *job,
                       const struct sentence *sentence, enum endings endings)
{
    struct search_options options = search_defaults(golden->checkpoint->config);
    struct status status;
    options.beam = 2;
    options.batch = 1;
    options.endings = endings;
    options.min_length = ENDINGS_COUNT - 1 - (int)endings;
    *job = (struct search_job){.source = sentence};
    if (!search_run(model, job, 1, &options, NULL, &status))
        fail_msg("%s: %s", golden->name, status.message);
}

/* Three at once, which is no multiple of the beam. */
static void force_three(const struct golden *golden, struct model *model,
                        const struct search_job *found)
{
    enum { FORCED = 3 };
    const struct hypothesis *best = &found->result.hypotheses[0];
    struct score_job jobs[FORCED];
    struct status status;
    for (int i = 0; i < FORCED; i++) {
        jobs[i] =
            (struct score_job){.source = found->source, .target = best->ids, .count = best->count};
        jobs[i].logprobs = calloc((size_t)best->count, sizeof(float));
    }
    if (!score_run(model, jobs, FORCED, FORCED, &status))
        fail_msg("%s: %s", golden->name, status.message);
    for (int i = 0; i < FORCED; i++)
        free(jobs[i].logprobs);
}

/* What records keeps its buffers as large as they have been. */
static void expect_same_after_a_forced_pass(const struct golden *golden, struct model *replaying,
                                            const struct sentence *sentence)
{
    struct search_job before, after;
    search_one(golden, golden->model, &before, sentence, ENDINGS_BEST);
    search_one(golden, replaying, &after, sentence, ENDINGS_BEST);
    translation_free(&after.result);
    force_three(golden, replaying, &before);
    search_one(golden, replaying, &after, sentence, ENDINGS_BEST);
    expect_same(golden, &before.result, &after.result);
    translation_free(&before.result);
    translation_free(&after.result);
}

static void expect_same_by_other_rules(const struct golden *golden, struct model *replaying,
                                       const struct sentence *sentence)
{
    for (enum endings endings = 0; endings < ENDINGS_COUNT; endings++) {
        struct search_job plain, replayed;
        search_one(golden, golden->model, &plain, sentence, endings);
        search_one(golden, replaying, &replayed, sentence, endings);
        expect_same(golden, &plain.result, &replayed.result);
        translation_free(&plain.result);
        translation_free(&replayed.result);
    }
}

static void check_model(const char *name)
{
    static const int batches[] = {1, 7, 24, 1};
    struct status status;
    struct sentence sentences[SENTENCES] = {0};
    struct golden *golden = golden_open(name, "cpu", 2);
    struct backend backend = replaying_backend();
    struct model *replaying = model_open(golden->checkpoint, &backend, golden->device, &status);
    if (!replaying)
        fail_msg("%s: %s", name, status.message);
    encode_sentences(golden, sentences);
    expect_same_after_a_forced_pass(golden, replaying, &sentences[0]);
    expect_same_by_other_rules(golden, replaying, &sentences[0]);
    for (int i = 0; i < 4; i++)
        expect_replayed(golden, replaying, batches[i], i % 2, sentences);
    // The decoder of a model that ends at once takes no second step.
    if (replays < recording_count && recording_count > 0 && strcmp(name, "ends_at_once") != 0)
        fail_msg("%s: %d recordings, %d replays", name, recording_count, replays);
    forget_recordings();
    for (int i = 0; i < SENTENCES; i++)
        sentence_free(&sentences[i]);
    model_close(replaying);
    golden_close(golden);
}

static void replayed_steps_find_the_same_to_the_bit(void **state)
{
    int count;
    char **names = golden_names(&count);
    for (int i = 0; i < count; i++)
        check_model(names[i]);
    golden_names_free(names, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replayed_steps_find_the_same_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
