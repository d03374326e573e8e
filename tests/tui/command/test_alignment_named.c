/* Heads that a model names for alignment: CTranslate2 models that name them, and what `:align`
 * begins with then. */
#include <unistd.h>

#include "tests/support/commands_support.h"
#include "tests/support/test.h"

#define FROM "tests/golden/formats/ct2-marian/"

static char folder[] = "/tmp/attnscope-aligned-XXXXXX";

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char path[128];
    static const char *const names[] = {"model.bin", "config.json", "shared_vocabulary.json"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

/* A scalar of model.bin: name, rank, type, and the four bytes that count its own. */
static void set_scalar(char *bytes, size_t count, const char *name, int16_t value)
{
    char *place = memmem(bytes, count, name, strlen(name) + 1);
    assert_non_null(place);
    memcpy(place + strlen(name) + 1 + 1 + 1 + 4, &value, sizeof value);
}

/* The golden model, with other heads named. */
static void write_model(int layer, int heads)
{
    static const char *const names[] = {"model.bin", "config.json", "shared_vocabulary.json"};
    static char bytes[1 << 17];
    for (int i = 0; i < 3; i++) {
        char path[128];
        snprintf(path, sizeof path, FROM "%s", names[i]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t count = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        if (i == 0) {
            set_scalar(bytes, count, "decoder/alignment_layer", (int16_t)layer);
            set_scalar(bytes, count, "decoder/alignment_heads", (int16_t)heads);
        }
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, count, file), count);
        assert_int_equal(fclose(file), 0);
    }
}

/* Layer and head, from 1, that a command shows; 0: the mean of the heads. */
static void check_shown(struct bench *bench, const char *line, int layer, int head)
{
    struct report result = bench_run(bench, line);
    const struct value *shown = bench_value(&result, NULL, "head");
    assert_int_equal(bench_value(&result, NULL, "layer")->integer, layer);
    if (head)
        assert_int_equal(shown->integer, head);
    else
        assert_string_equal(shown->text, "mean");
    report_free(&result);
}

static void the_heads_that_a_model_names_come_first(void **state)
{
    /* As the file has them, layer and head that `:align` shows, and the latter for the other layer.
     * The golden model has two layers of four heads. */
    static const struct {
        int layer, heads, shown_layer, shown_head;
    } cases[] = {
        {-1, 1, 2, 0}, // what every converted model has: it names none
        {-1, 0, 2, 0}, {0, 1, 1, 1}, {1, 1, 2, 1}, {-2, 1, 1, 1}, {0, 0, 1, 0}, {0, 2, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_model(cases[i].layer, cases[i].heads);
        struct bench bench = bench_open_model(folder);
        const struct config *config = bench.session->loaded->checkpoint->config;
        bool named = cases[i].layer != -1 || cases[i].heads > 1;
        int heads = cases[i].heads ? cases[i].heads : 4;
        assert_int_equal(config->alignment.heads.count, named ? heads : 0);
        bench_run_quietly(
            &bench,
            vocabulary_piece(bench.session->loaded->checkpoint->vocabulary[SIDE_SOURCE], 5));
        check_shown(&bench, ":align", cases[i].shown_layer, cases[i].shown_head);
        bench_run_quietly(&bench, ":heads enc");
        check_shown(&bench, ":align layer 1", 1,
                    cases[i].shown_layer == 1 ? cases[i].shown_head : 0);
        bench_run_quietly(&bench, ":heads enc");
        check_shown(&bench, ":align head 3", cases[i].shown_layer, 3);
        bench_close(&bench);
    }
}

static void layers_and_heads_that_are_not_there_are_refused(void **state)
{
    static const struct {
        int layer, heads;
        const char *says;
    } cases[] = {
        {2, 1, "decoder/alignment_layer: and alignment_heads: not a layer"},
        {-3, 1, "decoder/alignment_layer: and alignment_heads: not a layer"},
        {0, 5, "decoder/alignment_layer: and alignment_heads: not a layer"},
        {0, -1, "decoder/alignment_layer: and alignment_heads: not a layer"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status status = {0};
        write_model(cases[i].layer, cases[i].heads);
        assert_null(checkpoint_open(folder, &status));
        if (!strstr(status.message, cases[i].says))
            fail_msg("\"%s\" does not say \"%s\"", status.message, cases[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heads_that_a_model_names_come_first),
        cmocka_unit_test(layers_and_heads_that_are_not_there_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
