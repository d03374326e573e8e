/* `:export` of two states side by side. Expected values come from each state by itself, through
 * `:attn`. */
#include <math.h>
#include <unistd.h>

#include "report/output/figures.h"
#include "tests/render/picture_support.h"
#include "tests/report/output/export_data_support.h"
#include "tests/support/test.h"

#define GOLDEN(name) "tests/golden/" name ".bin"

static size_t cells_of(const struct matrix *attention)
{
    return (size_t)attention->rows.count * attention->columns.count;
}

/* b's weights minus a's, freed with free(). */
static float *subtract(const struct matrix *a, const struct matrix *b)
{
    float *difference = calloc(cells_of(a), sizeof *difference);
    assert_int_equal(cells_of(a), cells_of(b));
    for (size_t i = 0; i < cells_of(a); i++)
        difference[i] = b->values[i] - a->values[i];
    return difference;
}

static bool all_zero(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] != 0)
            return false;
    return true;
}

/* Values that are the same whatever the translation -------------------------------------------- */

static void check_json(const json_t *object, const struct matrix *wanted, const float *values)
{
    const json_t *rows = json_object_get(object, "weights");
    int columns = wanted->columns.count;
    assert_int_equal(json_array_size(rows), wanted->rows.count);
    for (int r = 0; r < wanted->rows.count; r++)
        for (int c = 0; c < columns; c++) {
            double is = json_number_value(json_array_get(json_array_get(rows, r), c));
            assert_true((float)is == values[r * columns + c]);
        }
}

/* Takes the lines of one matrix. */
static char **check_lines(char **line, const char *name, const struct matrix *wanted,
                          const float *values)
{
    for (int r = 0; r < wanted->rows.count; r++)
        for (int c = 0; c < wanted->columns.count; c++, line += 6) {
            assert_string_equal(line[0], name);
            assert_int_equal(atoi(line[1]), r + 1);
            assert_int_equal(atoi(line[2]), c + 1);
            assert_true(strtof(line[3], NULL) == *values++);
            assert_string_equal(line[4], wanted->rows.texts[r]);
            assert_string_equal(line[5], wanted->columns.texts[c]);
        }
    return line;
}

static void check_table(const char *name, char *(*take)(char *, char **, char *),
                        const struct matrix *a, const struct matrix *b, const struct matrix *over,
                        const float *difference)
{
    static const char *const titles[] = {"matrix", "row",      "column",
                                         "weight", "row_text", "column_text"};
    struct cells cells = read_table(name, take);
    assert_int_equal(cells.columns, 6);
    for (int i = 0; i < 6; i++)
        assert_string_equal(cells.text[i], titles[i]);
    char **line = check_lines(cells.text + 6, "a", a, a->values);
    line = check_lines(line, "b", b, b->values);
    if (difference)
        line = check_lines(line, "difference", over, difference);
    assert_int_equal(line - cells.text, cells.count);
    free(cells.content);
}

static void data_are_the_weights_of_each_state(void **state)
{
    static const struct {
        const char *view, *change;
        bool same; // the change does not reach the view
    } cases[] = {
        {":attn enc layer 2 head 3", ":mask enc head 3 local 1", false},
        // A head that is off still has its weights.
        {":attn enc layer 1 head 2", ":disable enc layer 1 head 2", true},
        {":attn enc layer 2 head 2", ":disable enc head 2", false},
        // Of all heads, those that are off among them.
        {":attn cross layer 2 head mean", ":disable cross head 1-3", false},
        {":attn dec layer 2 head max", ":disable enc head 1-3", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench = bench_open("vanilla_post");
        bench_run_quietly(&bench, "the dog, sees a \"cat\"");
        bench_run_quietly(&bench, ":force der Hund sieht");
        struct report a = bench_run(&bench, cases[i].view);
        bench_run_quietly(&bench, cases[i].change);
        struct report b = bench_run(&bench, ":attn");
        float *difference = subtract(bench_matrix(&a), bench_matrix(&b));
        assert_int_equal(all_zero(difference, cells_of(bench_matrix(&a))), cases[i].same);

        bench_run_quietly(&bench, ":beside before");
        export_view(&bench, "b.npy", "");
        struct npy_read array = read_npy("b.npy");
        size_t cells = cells_of(bench_matrix(&a));
        assert_int_equal(array.dimensions, 3);
        assert_int_equal(array.shape[0], 3);
        assert_int_equal(array.shape[1], bench_matrix(&a)->rows.count);
        assert_int_equal(array.shape[2], bench_matrix(&a)->columns.count);
        assert_memory_equal(array.values, bench_matrix(&a)->values, cells * sizeof(float));
        assert_memory_equal(array.values + cells, bench_matrix(&b)->values, cells * sizeof(float));
        assert_memory_equal(array.values + 2 * cells, difference, cells * sizeof(float));
        free(array.content);

        export_view(&bench, "b.csv", "");
        check_table("b.csv", take_csv, bench_matrix(&a), bench_matrix(&b), bench_matrix(&a),
                    difference);
        export_view(&bench, "b.tsv", "beside before current");
        check_table("b.tsv", take_tsv, bench_matrix(&a), bench_matrix(&b), bench_matrix(&a),
                    difference);
        json_t *object = export_json(&bench, "");
        assert_string_equal(export_command(object), ":beside before current");
        check_json(json_object_get(object, "a"), bench_matrix(&a), bench_matrix(&a)->values);
        check_json(json_object_get(object, "b"), bench_matrix(&b), bench_matrix(&b)->values);
        check_json(json_object_get(object, "difference"), bench_matrix(&a), difference);
        json_decref(object);
        free(difference);
        report_free(&a);
        report_free(&b);
        bench_close(&bench);
    }
}

/* Other tokens --------------------------------------------------------------------------------- */

/* Two states with other translations, and what the difference is made of. */
struct pair {
    struct bench bench;
    struct report a, b, forced; // forced: a's translation in b
    float *difference;
};

static struct pair pair_open(void)
{
    struct pair pair = {.bench = bench_open("vanilla_post")};
    struct bench *bench = &pair.bench;
    char force[300];
    bench_run_quietly(bench, bench_source(bench, 8));
    pair.a = bench_run(bench, ":attn cross layer 1 head 2");
    snprintf(force, sizeof force, ":force %s", bench->session->current->texts[0]);
    char *source = strdup(bench->session->current->text);
    bench_run_quietly(bench, ":disable dec");
    pair.b = bench_run(bench, ":attn");
    bench_run_quietly(bench, force);
    pair.forced = bench_run(bench, ":attn");
    bench_run_quietly(bench, source);
    pair.difference = subtract(bench_matrix(&pair.a), bench_matrix(&pair.forced));
    // Otherwise these tests would not show what they are for.
    assert_int_not_equal(bench_matrix(&pair.a)->rows.count, bench_matrix(&pair.b)->rows.count);
    assert_false(all_zero(pair.difference, cells_of(bench_matrix(&pair.a))));
    bench_run_quietly(bench, ":beside before");
    free(source);
    return pair;
}

static void pair_close(struct pair *pair)
{
    free(pair->difference);
    report_free(&pair->a);
    report_free(&pair->b);
    report_free(&pair->forced);
    bench_close(&pair->bench);
}

static void other_translations_are_tables_but_no_array(void **state)
{
    struct pair pair = pair_open();
    char line[300];
    snprintf(line, sizeof line, ":export %s", export_path("b.npy"));
    bench_refuse(
        &pair.bench, line,
        "a and b have different tokens; .npy holds one shape: expected .npz, .csv or .png");
    assert_int_equal(access(export_path("b.npy"), F_OK), -1);
    export_view(&pair.bench, "b.csv", "");
    check_table("b.csv", take_csv, bench_matrix(&pair.a), bench_matrix(&pair.b),
                bench_matrix(&pair.a), pair.difference);
    pair_close(&pair);
}

static void models_with_other_tokens_have_no_difference(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    char line[300];
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":load " GOLDEN("moses_bpe"));
    struct report b = bench_run(&bench, ":attn enc layer 1 head 2");
    bench_run_quietly(&bench, ":model vanilla");
    struct report a = bench_run(&bench, ":attn");
    snprintf(line, sizeof line, ":export %s beside current moses", export_path("b.npy"));
    bench_refuse(&bench, line, "a and b have different tokens");
    export_view(&bench, "b.csv", "beside current moses");
    check_table("b.csv", take_csv, bench_matrix(&a), bench_matrix(&b), NULL, NULL);
    bench_run_quietly(&bench, ":set figure.dpi 100");
    export_view(&bench, "b.png", "beside current moses");
    struct picture picture = read_picture("b.png");
    struct frame frames[4];
    assert_int_equal(find_frames(&picture, 30, frames, 4), 2);
    free(picture.pixels);
    report_free(&a);
    report_free(&b);
    bench_close(&bench);
}

/* Figures -------------------------------------------------------------------------------------- */

static double magnitude(const float *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

static void check_panel(const struct picture *picture, const struct frame *frame, const char *map,
                        const struct matrix *over, const float *values, double least, double most)
{
    check_cells(picture, frame, map, values, over->rows.count, over->columns.count, least, most);
}

/* Two panels on one scale, the difference on a scale of its own whose middle is 0. */
static void panels_have_the_colours_of_their_scales(void **state)
{
    struct pair pair = pair_open();
    const struct matrix *a = bench_matrix(&pair.a), *b = bench_matrix(&pair.b);
    double most = fmax(magnitude(a->values, cells_of(a)), magnitude(b->values, cells_of(b)));
    double apart = magnitude(pair.difference, cells_of(a));
    struct frame frames[4];
    bench_run_quietly(&pair.bench, ":set figure.dpi 100");
    bench_run_quietly(&pair.bench, ":set figure.colormap cividis");
    export_view(&pair.bench, "b.png", "");
    struct picture picture = read_picture("b.png");
    assert_int_equal(find_frames(&picture, 30, frames, 4), 3);
    check_panel(&picture, &frames[0], "cividis", a, a->values, 0, most);
    check_panel(&picture, &frames[1], "cividis", b, b->values, 0, most);
    check_panel(&picture, &frames[2], "bluered", a, pair.difference, -apart, apart);
    free(picture.pixels);
    pair_close(&pair);
}

/* Exporting changes no state: `before` stays what it was, and so does the picture. */
static void exporting_again_gives_the_same(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    size_t sizes[2];
    char *files[2];
    bench_run_quietly(&bench, ":mask enc head 3,4 local 2");
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":attn layer 2 head 3");
    struct report shown = bench_run(&bench, ":beside before");
    const struct matrix *before = bench_matrix_of(&shown, "a"), *now = bench_matrix_of(&shown, "b");
    bench_run_quietly(&bench, ":set figure.dpi 60");
    for (int i = 0; i < 2; i++) {
        export_view(&bench, "b.png", "");
        files[i] = export_read("b.png", &sizes[i]);
        json_t *object = export_json(&bench, "attn cross layer 1 head 1");
        json_decref(object);
        object = export_json(&bench, "");
        check_json(json_object_get(object, "a"), before, before->values);
        check_json(json_object_get(object, "b"), now, now->values);
        json_decref(object);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(files[0], files[1], sizes[0]);
    // Then `before` is the state with masks, and the current one has none.
    bench_run_quietly(&bench, ":reset");
    json_t *object = export_json(&bench, "");
    check_json(json_object_get(object, "a"), now, now->values);
    check_json(json_object_get(object, "b"), before, before->values);
    json_decref(object);
    free(files[0]);
    free(files[1]);
    report_free(&shown);
    bench_close(&bench);
}

/* Notes ---------------------------------------------------------------------------------------- */

static void check_side(const json_t *side, const char *state, const char *path)
{
    char *sum = output_of("sha256sum < %s", path);
    sum[64] = '\0';
    assert_string_equal(text_of(side, "state"), state);
    assert_string_equal(text_of(side, "checkpoint"), strrchr(path, '/') + 1);
    assert_string_equal(text_of(side, "checkpoint_sha256"), sum);
    free(sum);
}

static void notes_describe_both_states(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    const char *const targets[] = {"a", "b"};
    size_t bytes;
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":load " GOLDEN("asymmetric"));
    bench_run_quietly(&bench, ":mask enc layer 2 head 1 local 3");
    bench_run_quietly(&bench, ":disable enc layer 1 head 3");
    bench_run_quietly(&bench, ":set beam 3");
    bench_run_quietly(&bench, ":hypothesis 2");
    bench_run_quietly(&bench, ":attn enc layer 2 head 1");
    bench_run_quietly(&bench, ":set figure.dpi 60");
    struct report shown = bench_run(&bench, ":beside vanilla");
    json_t *object = export_json(&bench, "");
    const json_t *how = json_object_get(object, "provenance");
    const json_t *a = json_object_get(how, "a"), *b = json_object_get(how, "b");
    assert_string_equal(text_of(how, "command"), ":beside vanilla_post.bin current");
    assert_string_equal(text_of(how, "view"), "attn encoder layer 2 head 1");
    assert_string_equal(text_of(how, "source"), "the dog sees a cat");
    assert_null(json_object_get(how, "checkpoint"));
    check_side(a, "vanilla_post.bin", GOLDEN("vanilla_post"));
    check_side(b, "current", GOLDEN("asymmetric"));
    assert_string_equal(text_of(a, "target"), bench_value(&shown, "a", "text")->text);
    assert_string_equal(text_of(b, "target"), bench_value(&shown, "b", "text")->text);
    assert_int_equal(number_of(a, "hypothesis"), 1);
    assert_int_equal(number_of(b, "hypothesis"), 2);
    assert_int_equal(number_of(json_object_get(a, "search"), "beam"), 5);
    assert_int_equal(number_of(json_object_get(b, "search"), "beam"), 3);
    assert_int_equal(json_array_size(json_object_get(a, "disabled")), 0);
    assert_int_equal(json_array_size(json_object_get(a, "changed")), 0);
    json_t *off = json_loads("[{\"module\":\"encoder\",\"layer\":1,\"head\":3}]", 0, NULL);
    assert_true(json_equal(json_object_get(b, "disabled"), off));
    const json_t *changed = json_array_get(json_object_get(b, "changed"), 0);
    assert_int_equal(number_of(changed, "layer"), 2);
    assert_int_equal(number_of(json_object_get(changed, "mask"), "local"), 3);
    export_view(&bench, "b.png", "");
    char *content = export_read("b.png", &bytes);
    for (int i = 0; i < 2; i++) {
        char *note = note_of(content, bytes, targets[i]);
        json_t *side = json_loads(note, JSON_REJECT_DUPLICATES, NULL);
        assert_true(side && json_equal(side, i ? b : a));
        json_decref(side);
        free(note);
    }
    free(content);
    json_decref(off);
    json_decref(object);
    report_free(&shown);
    bench_close(&bench);
}

/* In every format that has notes. */
static void notes_number_the_hypothesis(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    size_t bytes;
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":hypothesis 3");
    bench_run_quietly(&bench, ":set figure.dpi 60");
    json_t *object = export_json(&bench, "attn cross");
    const json_t *how = json_object_get(object, "provenance");
    assert_int_equal(number_of(how, "hypothesis"), 3);
    assert_string_equal(text_of(how, "target"), bench.session->current->texts[2]);
    export_view(&bench, "h.png", "attn cross");
    char *content = export_read("h.png", &bytes), *note = note_of(content, bytes, "hypothesis");
    assert_string_equal(note, "3");
    free(note);
    free(content);
    // The header is JSON after its length.
    export_view(&bench, "h.safetensors", "");
    content = export_read("h.safetensors", &bytes);
    json_t *header = json_loads(content + 8, JSON_DISABLE_EOF_CHECK, NULL);
    assert_string_equal(text_of(json_object_get(header, "__metadata__"), "hypothesis"), "3");
    json_decref(header);
    free(content);
    json_decref(object);
    bench_close(&bench);
}

/* In a paper's column three matrices would be too narrow side by side. A given height leaves no
 * room below. */
static void narrow_figures_have_the_matrices_below_each_other(void **state)
{
    static const struct {
        double width, height;
        int rows;
    } pages[] = {{0, 0, 1}, {200, 0, 1}, {50, 0, 3}, {50, 40, 1}};
    struct bench bench = bench_open("vanilla_post");
    struct status status;
    bench_run_quietly(&bench, "the dog sees a small old cat .");
    bench_run_quietly(&bench, ":disable enc head 1");
    struct report report = bench_run(&bench, ":beside before enc layer 2 head 2");
    for (int i = 0; i < COUNT(pages); i++) {
        struct figure_settings settings = bench.session->settings.figure;
        struct drawing drawing;
        settings.width = pages[i].width;
        settings.height = pages[i].height;
        assert_true(drawing_of_report(&drawing, &report, &settings, &status));
        assert_int_equal(drawing.figure.rows, pages[i].rows);
        assert_int_equal(drawing.figure.rows * drawing.figure.columns, 3);
        drawing_free(&drawing);
    }
    report_free(&report);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_are_the_weights_of_each_state),
        cmocka_unit_test(other_translations_are_tables_but_no_array),
        cmocka_unit_test(models_with_other_tokens_have_no_difference),
        cmocka_unit_test(panels_have_the_colours_of_their_scales),
        cmocka_unit_test(narrow_figures_have_the_matrices_below_each_other),
        cmocka_unit_test(exporting_again_gives_the_same),
        cmocka_unit_test(notes_describe_both_states),
        cmocka_unit_test(notes_number_the_hypothesis),
    };
    return cmocka_run_group_tests(tests, export_open, export_close);
}
