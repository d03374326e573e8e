/* `:export FILE.png`: colours and notes of figures, read back by other software (ImageMagick,
 * sha256sum) and from the format's own description. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "render/colormap.h"
#include "tests/export_support.h"

/* What a shell command prints, without its last line break. */
static char *output_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *output_of(const char *format, ...)
{
    char command[1000], *text = NULL;
    size_t size, count;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    FILE *pipe = popen(command, "r"), *out = open_memstream(&text, &size);
    char buffer[65536];
    while ((count = fread(buffer, 1, sizeof buffer, pipe)) > 0)
        fwrite(buffer, 1, count, out);
    fclose(out);
    if (pclose(pipe) != 0)
        fail_msg("\"%s\" failed", command);
    if (size && text[size - 1] == '\n')
        text[size - 1] = '\0';
    return text;
}

/* Pictures --------------------------------------------------------------------------------------- */

struct picture {
    struct rgb *pixels; // (height, width)
    int width, height;
};

static struct picture read_picture(const char *name)
{
    struct picture picture;
    char *size = output_of("identify -format '%%w %%h' %s", export_path(name));
    assert_int_equal(sscanf(size, "%d %d", &picture.width, &picture.height), 2);
    free(size);
    picture.pixels =
        (struct rgb *)output_of("convert %s -depth 8 rgb:- && echo", export_path(name));
    unlink(export_path(name));
    return picture;
}

static struct rgb pixel_at(const struct picture *picture, int x, int y)
{
    return picture->pixels[(size_t)y * picture->width + x];
}

static bool is_black(struct rgb pixel)
{
    return pixel.red == 0 && pixel.green == 0 && pixel.blue == 0;
}

/* The inside of a frame. */
struct frame {
    int left, top, right, bottom; // the last two are outside
};

/* Length of the black run that begins at a pixel, to the right or downwards. */
static int run_of(const struct picture *picture, int x, int y, int dx, int dy)
{
    int length = 0;
    while (x < picture->width && y < picture->height && is_black(pixel_at(picture, x, y))) {
        x += dx;
        y += dy;
        length++;
    }
    return length;
}

/* Frames are the black lines that are longer than any letter is: each begins at the top left corner of its
 * frame. From left to right, then downwards; bars have one too, and are narrow. */
static int find_frames(const struct picture *picture, int least, struct frame *frames, int most)
{
    int count = 0;
    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < picture->width; x++) {
            if (!is_black(pixel_at(picture, x, y)) ||
                (x > 0 && is_black(pixel_at(picture, x - 1, y))) ||
                (y > 0 && is_black(pixel_at(picture, x, y - 1))))
                continue;
            int across = run_of(picture, x, y, 1, 0), down = run_of(picture, x, y, 0, 1);
            if (across < least || down < least)
                continue;
            int line = 0;
            while (is_black(pixel_at(picture, x + line, y + line)))
                line++;
            assert_true(count < most);
            frames[count++] =
                (struct frame){x + line, y + line, x + across - line, y + down - line};
        }
    return count;
}

static bool same_colour(struct rgb a, struct rgb b)
{
    return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

/* The centre of every cell has the colour of its weight on a scale from 0 to `most`. */
static void check_cells(const struct picture *picture, const struct frame *frame,
                        const char *map_name, const float *weights, int rows, int columns,
                        double most)
{
    const struct colormap *map = colormap_find(map_name);
    double width = (double)(frame->right - frame->left) / columns;
    double height = (double)(frame->bottom - frame->top) / rows;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            struct rgb is = pixel_at(picture, frame->left + (int)((c + 0.5) * width),
                                     frame->top + (int)((r + 0.5) * height));
            double t = weights[(size_t)r * columns + c] / most;
            // Rounding may put a weight that lies between two colours on either side.
            if (!same_colour(is, colormap_colour(map, t - 1e-6)) &&
                !same_colour(is, colormap_colour(map, t + 1e-6)))
                fail_msg("%s: cell %d, %d of weight %g is #%02x%02x%02x", map_name, r, c,
                         weights[(size_t)r * columns + c], is.red, is.green, is.blue);
        }
}

static double greatest(const float *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, values[i]);
    return most;
}

/* Tests ------------------------------------------------------------------------------------------ */

static void cells_have_the_colours_of_the_references_weights(void **unused)
{
    static const char *const maps[] = {"viridis", "magma", "cividis", "blues", "grey"};
    struct bench bench = bench_open("vanilla_post");
    char line[4096];
    const json_t *given = json_array_get(bench.cases, 1);
    (void)unused;
    snprintf(line, sizeof line, " %s", text_of(given, "source"));
    bench_run_quietly(&bench, line);
    snprintf(line, sizeof line, ":force %s", text_of(given, "target"));
    bench_run_quietly(&bench, line);
    bench_run_quietly(&bench, ":attn cross layer 2 head 3");
    bench_run_quietly(&bench, ":set figure.dpi 100");
    int m = bench.session->subject->inputs.count, n = bench.session->subject->source.count;
    struct result shown = bench_run(&bench, ":attn");
    // Within 1e-5 of the reference; between that and the colour lies the rounding of 1/256 alone.
    assert_close(shown.attention.weights, bench_expected(&bench, 1, "cross.1.weights") + 2 * m * n,
                 (size_t)m * n, 1e-5, "weights");
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
        check_cells(&picture, &frame, maps[i], shown.attention.weights, m, n,
                    greatest(shown.attention.weights, (size_t)m * n));
        free(picture.pixels);
    }
    result_free(&shown);
    bench_close(&bench);
}

static void every_panel_of_a_grid_has_its_head(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    struct frame frames[9];
    (void)unused;
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":force der Hund");
    bench_run_quietly(&bench, ":set figure.dpi 100");
    struct result shown = bench_run(&bench, ":heads cross");
    const struct heads_result *heads = &shown.heads;
    int m = heads->rows.texts.count, n = heads->columns.texts.count;
    double most = greatest(heads->weights, (size_t)8 * m * n);
    export_view(&bench, "h.png", "");
    struct picture picture = read_picture("h.png");
    int count = find_frames(&picture, 30, frames, 9), panel = 0;
    for (int i = 0; i < count; i++) {
        if (frames[i].right - frames[i].left < 30 || panel == 8)
            continue; // a colour bar
        check_cells(&picture, &frames[i], "viridis", heads->weights + (size_t)panel++ * m * n, m, n,
                    most);
    }
    assert_int_equal(panel, 8);
    free(picture.pixels);
    result_free(&shown);
    bench_close(&bench);
}

/* The text of a tEXt or iTXt chunk, as the PNG specification has them. */
static char *note_of(const char *content, size_t bytes, const char *key)
{
    char *found = NULL;
    const unsigned char *chunk = (const unsigned char *)content + 8;
    while (!found && memcmp(chunk + 4, "IEND", 4) != 0) {
        size_t length = (size_t)chunk[0] << 24 | chunk[1] << 16 | chunk[2] << 8 | chunk[3];
        const char *data = (const char *)chunk + 8, *text = data + strlen(data) + 1;
        bool international = memcmp(chunk + 4, "iTXt", 4) == 0;
        if (international) {
            assert_true(text[0] == 0 && text[1] == 0); // not compressed
            text += 2;                                 // then language and translated key
            text += strlen(text) + 1;
            text += strlen(text) + 1;
        }
        if ((international || memcmp(chunk + 4, "tEXt", 4) == 0) && strcmp(data, key) == 0)
            found = strndup(text, data + length - text);
        chunk += 12 + length;
        assert_true((size_t)((const char *)chunk - content) < bytes);
    }
    if (!found)
        fail_msg("no note \"%s\"", key);
    return found;
}

static void check_note(const char *content, size_t bytes, const char *key, const char *wanted)
{
    char *is = note_of(content, bytes, key);
    if (strcmp(is, wanted) != 0)
        fail_msg("%s is \"%s\", expected \"%s\"", key, is, wanted);
    free(is);
}

static void figures_say_how_they_were_made(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    bench_run_quietly(&bench, "the dog sees a 猫");
    bench_run_quietly(&bench, ":disable layer 1 head 2");
    bench_run_quietly(&bench, ":attn cross");
    export_view(&bench, "n.png", "");
    size_t bytes;
    char *content = export_read("n.png", &bytes);
    char *sum = output_of("sha256sum < tests/golden/vanilla_post.bin");
    sum[64] = '\0';
    check_note(content, bytes, "checkpoint_sha256", sum);
    check_note(content, bytes, "checkpoint", "tests/golden/vanilla_post.bin");
    check_note(content, bytes, "source", "the dog sees a 猫");
    check_note(content, bytes, "target", bench.session->subject->texts[0]);
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

static void settings_decide_how_large(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
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
    bench_refuse(&bench, ":set figure.width -1", "expected a number");
    bench_close(&bench);
}

/* Every choice of the setting is a map. */
static void colour_maps_that_can_be_chosen_are_there(void **unused)
{
    (void)unused;
    for (int i = 0; figure_colormaps[i]; i++) {
        const struct colormap *map = colormap_find(figure_colormaps[i]);
        assert_non_null(map);
        assert_false(map->diverging);
    }
}

/* All views can be drawn, with labels that no font of one script has, and many of them; nothing touches the
 * edge of the page. */
static void all_views_are_drawn_within_the_page(void **unused)
{
    static const struct {
        const char *model, *view;
    } cases[] = {{"mixture_decoder", ":attn"},      {"mixture_decoder", ":heads dec"},
                 {"mixture_decoder", ":token 2"},   {"mixture_decoder", ":token 2 cross"},
                 {"mixture_decoder", ":gates"},     {"mixture_decoder", ":importance"},
                 {"vanilla_post", ":attn cross"},   {"vanilla_post", ":heads"},
                 {"vanilla_post", ":attn enc word"}};
    (void)unused;
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
