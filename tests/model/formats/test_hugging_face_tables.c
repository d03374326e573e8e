/* The embedding tables that a Hugging Face file may hold, once or several times: which one each
 * side and the output use; and names without a prefix. Expected values are the parameters after
 * from_pretrained of transformers 5.24 on the same files, except for those that it would initialise
 * at random. */
#include <unistd.h>

#include "model/checkpoint/checkpoint.h"
#include "tests/model/formats/open_support.h"
#include "tests/support/test.h"

enum { TABLES = 4, MOST = 64 * 64 };
static const char *const names[TABLES] = {"shared.weight", "encoder.embed_tokens.weight",
                                          "decoder.embed_tokens.weight", "lm_head.weight"};

/* Every value of a table is its number; 0: the file has no such table. Those of the model: of the
 * source, the target and the output. */
static const struct tables {
    int stored[TABLES];
    int used[3];
} tied[] =
    {
        {{1, 0, 0, 0}, {1, 1, 1}}, {{1, 1, 1, 1}, {1, 1, 1}}, // as pytorch_model.bin has them
        {{1, 2, 0, 0}, {2, 1, 1}}, {{1, 0, 3, 0}, {1, 3, 1}}, {{1, 0, 0, 4}, {1, 1, 4}},
        {{1, 2, 3, 0}, {2, 3, 1}}, {{1, 0, 3, 4}, {1, 3, 4}}, {{1, 2, 3, 4}, {2, 3, 4}},
        {{1, 2, 2, 2}, {2, 2, 2}}, {{0, 2, 0, 0}, {2, 2, 2}}, {{0, 0, 3, 0}, {3, 3, 3}},
},
  untied[] = {
      {{1, 2, 3, 4}, {2, 3, 4}},
      {{1, 1, 1, 4}, {1, 1, 4}},
      {{1, 2, 3, 1}, {2, 3, 1}},
      {{1, 0, 0, 4}, {1, 1, 4}}, // as version 4 writes it
};

/* A golden folder whose file is written anew: with other tables, and every other tensor. */
struct model {
    const char *golden, *prefix; // of names in the file
    bool tied, keeps_prefix;
};

static void add_tables(struct safetensors_writer *writer, const struct model *model,
                       const struct stored_tensor *like, const int stored[TABLES])
{
    static float values[MOST];
    struct status status;
    char name[100];
    assert_true(like->elements <= MOST);
    for (int table = 0; table < TABLES; table++) {
        bool prefixed = strcmp(names[table], "lm_head.weight") != 0 && model->keeps_prefix;
        snprintf(name, sizeof name, "%s%s", prefixed ? model->prefix : "", names[table]);
        for (int64_t i = 0; i < like->elements; i++)
            values[i] = (float)stored[table];
        if (stored[table])
            assert_true(safetensors_add(writer, name, values, 2, like->shape, &status));
    }
}

static bool is_table(const char *name)
{
    for (int table = 0; table < TABLES; table++) {
        size_t length = strlen(name), end = strlen(names[table]);
        if (length >= end && strcmp(name + length - end, names[table]) == 0)
            return true;
    }
    return false;
}

static void write_weights(const struct model *model, const int stored[TABLES])
{
    char path[256];
    struct status status;
    snprintf(path, sizeof path, "tests/golden/formats/%s/model.safetensors", model->golden);
    struct safetensors *from = safetensors_open(path, &status);
    struct safetensors_writer *writer = safetensors_writer_open(&status);
    assert_non_null(from);
    snprintf(path, sizeof path, "%sshared.weight", model->prefix);
    add_tables(writer, model, safetensors_find(from, path), stored);
    for (int i = 0; i < safetensors_count(from); i++) {
        struct stored_tensor tensor = *safetensors_tensor(from, i);
        if (!model->keeps_prefix && strncmp(tensor.name, model->prefix, strlen(model->prefix)) == 0)
            tensor.name += strlen(model->prefix);
        if (!is_table(tensor.name))
            assert_true(safetensors_borrow(writer, &tensor, &status));
    }
    if (!safetensors_write(writer, NULL, path_of("model.safetensors"), &status))
        fail_msg("%s", status.message);
    safetensors_writer_close(writer);
    safetensors_close(from);
}

/* The configuration has no tie_word_embeddings, or it is false. */
static void write_texts(const struct model *model)
{
    char command[800];
    snprintf(command, sizeof command,
             "cp tests/golden/formats/%s/*.json %s && sed -i '/tie_word_embeddings/d; s/^{/{%s/' "
             "%s/config.json",
             model->golden, folder, model->tied ? "" : "\"tie_word_embeddings\": false,", folder);
    assert_int_equal(system(command), 0);
}

/* The value that the table has everywhere. */
static int number_of(const struct stored_tensor *table)
{
    float value;
    memcpy(&value, table->data, sizeof value);
    return (int)value;
}

static struct checkpoint *open_model(const struct model *model, const int stored[TABLES],
                                     struct status *status)
{
    char command[300];
    write_texts(model);
    write_weights(model, stored);
    struct checkpoint *checkpoint = checkpoint_open(folder, status);
    snprintf(command, sizeof command, "rm %s/*", folder);
    assert_int_equal(system(command), 0);
    return checkpoint;
}

static void check(const struct model *model, const struct tables *tables)
{
    static const char *const ours[] = {"source_embedding.weight", "target_embedding.weight",
                                       "output.weight"};
    struct status status = {0};
    int used[3], last = -1;
    const int *stored = tables->stored;
    struct checkpoint *checkpoint = open_model(model, stored, &status);
    if (!checkpoint)
        fail_msg("%s: %s", model->golden, status.message);
    for (int i = 0; i < 3; i++) {
        const struct stored_tensor *table = checkpoint_tensor(checkpoint, "%s", ours[i]);
        used[i] = last = table ? number_of(table) : last; // it is tied
    }
    if (memcmp(used, tables->used, sizeof used) != 0)
        fail_msg("%s, tables %d %d %d %d: %d %d %d, expected %d %d %d", model->golden, stored[0],
                 stored[1], stored[2], stored[3], used[0], used[1], used[2], tables->used[0],
                 tables->used[1], tables->used[2]);
    checkpoint_close(checkpoint);
}

static void sides_and_output_take_the_tables_of_transformers(void **state)
{
    static const char *const goldens[][2] = {
        {"hf-bart", "model."}, {"hf-pegasus", "model."}, {"hf-marian", "model."}, {"hf-t5", ""}};
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        struct model model = {goldens[i][0], goldens[i][1], true, true};
        for (size_t j = 0; j < sizeof tied / sizeof *tied; j++)
            check(&model, &tied[j]);
        model.tied = false;
        for (size_t j = 0; j < sizeof untied / sizeof *untied; j++)
            check(&model, &untied[j]);
    }
}

/* BartModel.save_pretrained, and of the others: the output is tied. */
static void a_model_saved_without_its_output_opens(void **state)
{
    static const char *const goldens[] = {"hf-bart", "hf-pegasus", "hf-marian"};
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        const struct model model = {goldens[i], "model.", true, false};
        check(&model, &tied[0]);
    }
}

static void a_table_that_is_nowhere_is_named(void **state)
{
    static const struct {
        bool tied;
        int stored[TABLES];
        const char *missing;
    } cases[] = {
        {true, {0}, "model.shared.weight: missing in the weights (every bart model has it)"},
        {true, {0, 2, 3, 0}, "lm_head.weight: missing in the weights (every bart model has it)"},
        {false, {1}, "lm_head.weight: missing in the weights (every bart model has it)"},
        {false, {1, 2, 3}, "lm_head.weight: missing in the weights (every bart model has it)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct model model = {"hf-bart", "model.", cases[i].tied, true};
        struct status status = {0};
        struct checkpoint *checkpoint = open_model(&model, cases[i].stored, &status);
        if (checkpoint || !strstr(status.message, cases[i].missing))
            fail_msg("%s, expected %s", checkpoint ? "opened" : status.message, cases[i].missing);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_and_output_take_the_tables_of_transformers),
        cmocka_unit_test(a_model_saved_without_its_output_opens),
        cmocka_unit_test(a_table_that_is_nowhere_is_named),
    };
    return cmocka_run_group_tests(tests, open_make_folder, open_remove_folder);
}
