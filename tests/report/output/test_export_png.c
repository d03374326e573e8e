/* `:export FILE.png`: colours and notes of figures, read back by other software (ImageMagick,
 * sha256sum) and from the format's own description. */
#include <math.h>
#include <unistd.h>

#include "tests/render/picture_support.h"
#include "tests/report/output/export_support.h"
#include "tests/support/test.h"

static double greatest(const float *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, values[i]);
    return most;
}

/* Tests ---------------------------------------------------------------------------------------- */

static void cells_have_the_colours_of_the_references_weights(void **state)
{
    static const char *const maps[] = {"viridis", "magma", "cividis", "blues", "grey"};
    struct bench bench = bench_open("vanilla_post");
    char line[4096];
    const json_t *given = json_array_get(bench.cases, 1);
    snprintf(line, sizeof line, " %s", text_of(given, "source"));
    bench_run_quietly(&bench, line);
    snprintf(line, sizeof line, ":force %s", text_of(given, "target"));
    bench_run_quietly(&bench, line);
    bench_run_quietly(&bench, ":attn cross layer 2 head 3");
    bench_run_quietly(&bench, ":set figure.dpi 100");
    int m = bench.session->current->inputs.count, n = bench.session->current->source.count;
    struct report shown = bench_run(&bench, ":attn");
    // Within 1e-5 of the reference; between that and the colour lies the rounding of 1/256 alone.
    assert_close(bench_matrix(&shown)->values,
                 bench_expected(&bench, 1, "cross.1.weights") + 2 * m * n, (size_t)m * n, 1e-5,
                 "weights");
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        struct frame frames[9];
        snprintf(line, sizeof line, ":set figure.colormap %s", maps[i]);
        bench_run_quietly(&bench, line);
        export_view(&bench, "a.png", "");
        struct picture picture = read_picture("a.png");
        // The darkest of magma is black itself: the frame is looked for in the other maps.
        static struct frame frame;
        if (strcmp(maps[i], "viridis") == 0) {
            assert_true(find_frames(&picture, 40, frames, 9) >= 1);
            frame = frames[0];
        }
        check_cells(&picture, &frame, maps[i], bench_matrix(&shown)->values, m, n, 0,
                    greatest(bench_matrix(&shown)->values, (size_t)m * n));
        free(picture.pixels);
    }
    report_free(&shown);
    bench_close(&bench);
}

static void every_panel_of_a_grid_has_its_head(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    struct frame frames[9];
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":force der Hund");
    bench_run_quietly(&bench, ":set figure.dpi 100");
    struct report shown = bench_run(&bench, ":heads cross");
    const struct matrix *heads = bench_matrix(&shown);
    int m = heads->rows.count, n = heads->columns.count;
    double most = greatest(heads->values, (size_t)8 * m * n);
    export_view(&bench, "h.png", "");
    struct picture picture = read_picture("h.png");
    int count = find_frames(&picture, 30, frames, 9), panel = 0;
    for (int i = 0; i < count; i++) {
        if (frames[i].right - frames[i].left < 30 || panel == 8)
            continue; // a colour bar
        check_cells(&picture, &frames[i], "viridis", heads->values + (size_t)panel++ * m * n, m, n,
                    0, most);
    }
    assert_int_equal(panel, 8);
    free(picture.pixels);
    report_free(&shown);
    bench_close(&bench);
}

static void check_note(const char *content, size_t bytes, const char *key, const char *wanted)
{
    char *is = note_of(content, bytes, key);
    if (strcmp(is, wanted) != 0)
        fail_msg("%s is \"%s\", expected \"%s\"", key, is, wanted);
    free(is);
}

static void figures_say_how_they_were_made(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees a 猫");
    bench_run_quietly(&bench, ":disable enc layer 1 head 2");
    bench_run_quietly(&bench, ":attn cross");
    export_view(&bench, "n.png", "");
    size_t bytes;
    char *content = export_read("n.png", &bytes);
    char *sum = output_of("sha256sum < tests/golden/vanilla_post.bin");
    sum[64] = '\0';
    check_note(content, bytes, "checkpoint_sha256", sum);
    check_note(content, bytes, "checkpoint", "vanilla_post.bin");
    check_note(content, bytes, "source", "the dog sees a 猫");
    check_note(content, bytes, "target", bench.session->current->texts[0]);
    check_note(content, bytes, "forced", "false");
    check_note(content, bytes, "command", ":attn cross layer 1 head 1");
    check_note(content, bytes, "disabled", "[{\"module\":\"encoder\",\"layer\":1,\"head\":2}]");
    check_note(content, bytes, "changed", "[]");
    char *search = note_of(content, bytes, "search"), *program = note_of(content, bytes, "program");
    assert_non_null(strstr(search, "\"beam\":5"));
    assert_int_equal(strncmp(program, "attnscope ", 10), 0);
    free(search);
    free(program);
    free(sum);
    free(content);
    bench_close(&bench);
}

static void settings_decide_how_large(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog");
    bench_run_quietly(&bench, ":attn");
    bench_run_quietly(&bench, ":set figure.dpi 100");
    export_view(&bench, "a.png", "");
    bench_run_quietly(&bench, ":set figure.dpi 200");
    export_view(&bench, "b.png", "");
    bench_run_quietly(&bench, ":set figure.width 127");
    export_view(&bench, "c.png", "");
    struct picture a = read_picture("a.png"), b = read_picture("b.png"), c = read_picture("c.png");
    assert_true(fabs((double)b.width / a.width - 2) < 0.05);
    assert_int_equal(c.width, 1000); // 127 mm are 5 inches
    free(a.pixels);
    free(b.pixels);
    free(c.pixels);
    bench_refuse(&bench, ":set figure.dpi 29", "from 30 to 2400");
    bench_refuse(&bench, ":set figure.colormap rainbow", "expected one of viridis, magma");
    bench_refuse(&bench, ":set figure.width -1", "expected a length");
    bench_close(&bench);
}

/* Every choice of the setting is a map. */
static void colour_maps_that_can_be_chosen_are_there(void **state)
{
    for (int i = 0; figure_colormaps[i]; i++) {
        const struct colormap *map = colormap_find(figure_colormaps[i]);
        assert_non_null(map);
    }
}

/* All views can be drawn, with labels that no font of one script has, and many of them; nothing
 * touches the edge of the page. */
static void all_views_are_drawn_within_the_page(void **state)
{
    static const struct {
        const char *model, *view;
    } cases[] = {{"mixture_decoder", ":attn"},      {"mixture_decoder", ":heads dec"},
                 {"mixture_decoder", ":token 2"},   {"mixture_decoder", ":token 2 cross"},
                 {"mixture_decoder", ":gates"},     {"mixture_decoder", ":importance"},
                 {"vanilla_post", ":attn cross"},   {"vanilla_post", ":heads"},
                 {"vanilla_post", ":attn enc word"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench = bench_open(cases[i].model);
        char text[2000] = "";
        for (int word = 0; word < 59; word++)
            strcat(text, word % 3 == 0 ? "小さな猫 " : word % 3 == 1 ? "庭で " : "眠っている ");
        bench_run_quietly(&bench, i % 2 ? text : "小さな 猫 が 庭 で 眠っ て いる 。");
        bench_run_quietly(&bench, cases[i].view);
        bench_run_quietly(&bench, ":set figure.dpi 60");
        export_view(&bench, "w.png", "");
        struct picture picture = read_picture("w.png");
        for (int x = 0; x < picture.width; x++)
            for (int edge = 0; edge < 2; edge++) {
                struct rgb pixel = pixel_at(&picture, x, edge ? picture.height - 1 : 0);
                if (!same_colour(pixel, (struct rgb){255, 255, 255}))
                    fail_msg("%s: something at %d of the %s edge", cases[i].view, x,
                             edge ? "lower" : "upper");
            }
        free(picture.pixels);
        bench_close(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_have_the_colours_of_the_references_weights),
        cmocka_unit_test(every_panel_of_a_grid_has_its_head),
        cmocka_unit_test(figures_say_how_they_were_made),
        cmocka_unit_test(settings_decide_how_large),
        cmocka_unit_test(colour_maps_that_can_be_chosen_are_there),
        cmocka_unit_test(all_views_are_drawn_within_the_page),
    };
    return cmocka_run_group_tests(tests, export_open, export_close);
}
