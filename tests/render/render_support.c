#include "tests/render/render_support.h"
#include "tests/support/test.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "render/text.h"

/* Examples ------------------------------------------------------------------------------------- */

static const char *const english[] = {"The", "keeper", "of", "the", "lighthouse", "sleeps", "."};
static const char *const japanese[] = {
    "灯台守", "は", "毎晩", "▁船が帰ってくる", "前に", "灯り", "を", "ともします", "。"};
static const char *const arabic[] = {"الحارس", "ينام", "في", "المنارة", "كلَّ", "ليلة", "."};
static const char *const odd[] = {"",
                                  "Wärterhäuschenschlüsselbundanhängersammlung",
                                  "🙂👨‍👩‍👧",
                                  "a\tb\nc",
                                  "\x1b[31mred",
                                  "\xff\xfe\xc3",
                                  "e\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308",
                                  "\u202e",
                                  "नमस्ते",
                                  "ﷺ"};

#define LIST(texts) texts, (int)(sizeof(texts) / sizeof *(texts))

/* What to show, how large, and the kinds of row and column labels. */
struct plan {
    const char *name;
    int grid_rows, grid_columns, rows, columns;
    const char *const *texts;
    int text_count;
    bool every_panel, titles;
};
static const struct plan plans[EXAMPLES] = {
    {"a heatmap", 1, 1, 7, 7, LIST(english), true, true},
    {"60 Japanese tokens", 1, 1, 60, 60, LIST(japanese), true, true},
    {"one token", 1, 1, 1, 1, LIST(japanese), true, true},
    {"Arabic", 1, 1, 7, 14, LIST(arabic), true, false},
    {"labels of all kinds", 1, 1, 10, 10, LIST(odd), true, true},
    {"layers x heads", 6, 8, 60, 60, NULL, 0, false, true},
    {"layers x heads of one token", 6, 8, 1, 1, NULL, 0, false, true},
    {"small labelled grid", 2, 3, 4, 5, LIST(odd), true, true},
    {"three beside each other", 1, 3, 9, 9, LIST(japanese), true, true},
    {"shared rows", 1, 3, 60, 12, LIST(english), false, true},
    {"tokens to heads", 1, 1, 12, 8, LIST(arabic), true, true},
    {"no title", 1, 1, 3, 3, LIST(odd), true, false},
    {"a long row", 1, 1, 1, 60, LIST(japanese), true, true},
};

static float *random_values(int count, unsigned *seed)
{
    float *values = calloc((size_t)count, sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < count; i++) {
        *seed = *seed * 1664525 + 1013904223;
        values[i] = i % 17 == 16 ? NAN : (float)(*seed >> 8) / (1 << 24);
    }
    return values;
}

static void fill_labels(struct example *example, const struct plan *plan)
{
    example->label_count = plan->rows > plan->columns ? plan->rows : plan->columns;
    example->labels = calloc((size_t)example->label_count, sizeof *example->labels);
    for (int i = 0; i < example->label_count; i++) {
        char text[200];
        const char *base = plan->texts[i % plan->text_count];
        snprintf(text, sizeof text, "%s%s", base, i % 11 == 10 ? base : "");
        example->labels[i] = strdup(text);
    }
}

static void fill_panel(struct example *example, const struct plan *plan, int index, unsigned *seed)
{
    struct figure_panel *panel = &example->panels[index];
    const char *const *labels = (const char *const *)example->labels;
    int column = index % plan->grid_columns;
    example->values[index] = random_values(plan->rows * plan->columns, seed);
    *panel = (struct figure_panel){.kind = PANEL_MATRIX,
                                   .title = plan->titles ? "without encoder head 8" : NULL,
                                   .matrix = {.values = example->values[index],
                                              .rows = plan->rows,
                                              .columns = plan->columns,
                                              .scale = plan->grid_columns == 3 && column == 2}};
    if (labels && (plan->every_panel || column == 0))
        panel->matrix.row_labels = labels;
    if (labels)
        panel->matrix.column_labels = labels;
    if (plan->titles && column == 0) {
        panel->matrix.row_title = "target";
        panel->matrix.column_title = "source 原文";
    }
}

static const char **same_titles(const char *text, int count)
{
    const char **titles = calloc((size_t)count, sizeof *titles);
    assert_non_null(titles);
    for (int i = 0; i < count; i++)
        titles[i] = text;
    return titles;
}

void example_open(struct example *example, int index)
{
    const struct plan *plan = &plans[index];
    int count = plan->grid_rows * plan->grid_columns;
    unsigned seed = (unsigned)index;
    *example = (struct example){.name = plan->name};
    example->scales[0] =
        (struct figure_scale){.map = colormap_find("viridis"), .title = "attention weight"};
    example->scales[1] = (struct figure_scale){
        .map = colormap_find("bluered"), .range = RANGE_SYMMETRIC, .title = "difference"};
    example->panels = calloc((size_t)count, sizeof *example->panels);
    if (plan->texts)
        fill_labels(example, plan);
    for (int i = 0; i < count; i++)
        fill_panel(example, plan, i, &seed);
    example->figure = (struct figure){.rows = plan->grid_rows,
                                      .columns = plan->grid_columns,
                                      .panels = example->panels,
                                      .scales = example->scales,
                                      .scale_count = 2};
    if (plan->titles)
        example->figure.title =
            "cross  layer 2/6  head 3/8  of a model whose name is rather long, with "
            "every head of the encoder's first layer off";
    if (plan->titles && count > 1) {
        example->figure.row_titles = example->row_titles = same_titles("layer 1", plan->grid_rows);
        example->figure.column_titles = example->column_titles =
            same_titles("head 1", plan->grid_columns);
    }
}

void example_close(struct example *example)
{
    for (size_t i = 0; i < sizeof example->values / sizeof *example->values; i++)
        free(example->values[i]);
    for (int i = 0; i < example->label_count; i++)
        free(example->labels[i]);
    free(example->labels);
    free(example->row_titles);
    free(example->column_titles);
    free(example->panels);
}

/* Other programs ------------------------------------------------------------------------------- */

char *program_output(const char *const *arguments, size_t *size)
{
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        execvp(arguments[0], (char *const *)arguments);
        _exit(127);
    }
    close(pipes[1]);
    char *text = NULL, buffer[65536];
    FILE *stream = open_memstream(&text, size);
    ssize_t count;
    while ((count = read(pipes[0], buffer, sizeof buffer)) > 0)
        fwrite(buffer, 1, (size_t)count, stream);
    fclose(stream);
    close(pipes[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0)
        fail_msg("%s ended with status %d", arguments[0], status);
    return text;
}

void strip_fill(struct strip *strip, const char *map, enum figure_range range, const float *values,
                int count)
{
    strip->scale = (struct figure_scale){.map = colormap_find(map), .range = range, .most = 1};
    strip->panel = (struct figure_panel){.kind = PANEL_MATRIX,
                                         .matrix = {.values = values, .rows = 1, .columns = count}};
    strip->figure = (struct figure){.rows = 1,
                                    .columns = 1,
                                    .panels = &strip->panel,
                                    .scales = &strip->scale,
                                    .scale_count = 1};
}

struct figure_layout *figure_layout(const struct figure *figure, const struct figure_style *style)
{
    struct status status;
    struct text *text = text_open(style->font, &status);
    assert_non_null(text);
    struct typesetter typesetter = text_typesetter(text);
    struct figure_layout *layout = layout_open(figure, style, &pixel_limits, &typesetter, &status);
    if (!layout)
        fail_msg("%s", status.message);
    text_close(text);
    return layout;
}

/* Pictures ------------------------------------------------------------------------------------- */

void figure_save(const struct figure *figure, const struct figure_style *style,
                 enum figure_format format, const struct figure_note *notes, int note_count,
                 char path[FIGURE_PATH])
{
    struct status status;
    strcpy(path, "/tmp/attnscope-render-XXXXXX");
    int file = mkstemp(path);
    FILE *stream = fdopen(file, "wb");
    assert_non_null(stream);
    if (!figure_write(figure, style, format, notes, note_count, stream, &status))
        fail_msg("%s", status.message);
    assert_int_equal(fclose(stream), 0);
}

/* Reads the pixels of a PNG file with ImageMagick. */
static void read_pixels(struct picture *picture)
{
    char source[sizeof picture->path + 4];
    snprintf(source, sizeof source, "png:%s", picture->path);
    size_t size;
    char *numbers =
        program_output((const char *const[]){"identify", "-format", "%w %h", source, NULL}, &size);
    assert_int_equal(sscanf(numbers, "%d %d", &picture->width, &picture->height), 2);
    free(numbers);
    picture->pixels = (unsigned char *)program_output(
        (const char *const[]){"convert", source, "-depth", "8", "rgb:-", NULL}, &size);
    assert_int_equal(size, (size_t)picture->width * picture->height * 3);
}

struct picture picture_open(const struct figure *figure, const struct figure_style *style,
                            const struct figure_note *notes, int note_count)
{
    struct picture picture;
    figure_save(figure, style, FIGURE_PNG, notes, note_count, picture.path);
    read_pixels(&picture);
    return picture;
}

struct picture picture_render(const struct figure *figure, const struct figure_style *style,
                              enum figure_format format, int dpi)
{
    struct picture picture = {.path = "/tmp/attnscope-render-XXXXXX"};
    char path[FIGURE_PATH], number[20];
    size_t size;
    figure_save(figure, style, format, NULL, 0, path);
    snprintf(number, sizeof number, "%d", dpi);
    const char *const svg[] = {"rsvg-convert", "-d", number, "-p", number, path, NULL};
    const char *const pdf[] = {"pdftocairo", "-png", "-singlefile", "-r", number, path, "-", NULL};
    char *bytes = program_output(format == FIGURE_SVG ? svg : pdf, &size);
    unlink(path);
    FILE *file = fdopen(mkstemp(picture.path), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(bytes);
    read_pixels(&picture);
    return picture;
}

void picture_close(struct picture *picture)
{
    free(picture->pixels);
    unlink(picture->path);
}

unsigned picture_pixel(const struct picture *picture, int x, int y)
{
    const unsigned char *pixel = picture->pixels + ((size_t)y * picture->width + x) * 3;
    return (unsigned)pixel[0] << 16 | (unsigned)pixel[1] << 8 | pixel[2];
}
