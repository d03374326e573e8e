/* Writes SVG by hand: cairo's SVG has outlines instead of text. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <glib.h>

#include "base/outlet.h"
#include "render/output.h"

#define EMPTY_STROKE "#bfbfbf"
enum { PER_POINT = VECTOR_DPI / 72 };

struct svg {
    const struct figure_output *output;
    FILE *file;
    int clips; // written so far
};

/* Values --------------------------------------------------------------------------------------- */

/* Writes a length of the layout in points, to a thousandth, in any locale. */
static void put_length(FILE *file, double length)
{
    long long thousandths = llround(length * 1000 / PER_POINT);
    char digits[40];
    if (thousandths < 0)
        fputc('-', file);
    thousandths = llabs(thousandths);
    snprintf(digits, sizeof digits, "%lld.%03lld", thousandths / 1000, thousandths % 1000);
    size_t end = strlen(digits);
    while (digits[end - 1] == '0')
        end--;
    end -= digits[end - 1] == '.';
    fwrite(digits, 1, end, file);
}

/* Writes ` NAME="LENGTH"`. */
static void put_attribute(FILE *file, const char *name, double length)
{
    fprintf(file, " %s=\"", name);
    put_length(file, length);
    fputc('"', file);
}

static void put_box(FILE *file, double x, double y, double width, double height)
{
    put_attribute(file, "x", x);
    put_attribute(file, "y", y);
    put_attribute(file, "width", width);
    put_attribute(file, "height", height);
}

static void put_character(FILE *file, const char *at)
{
    gunichar character = g_utf8_get_char(at);
    switch (character) {
    case '&':
        fputs("&amp;", file);
        break;
    case '<':
        fputs("&lt;", file);
        break;
    case '>':
        fputs("&gt;", file);
        break;
    case '"':
        fputs("&quot;", file);
        break;
    case '\r':
        fputs("&#13;", file); // readers would turn it into a line feed
        break;
    default:
        if (outlet_bars(OUTLET_DATA, character))
            fputs(REPLACEMENT, file);
        else
            fwrite(at, 1, (size_t)(g_utf8_next_char(at) - at), file);
    }
}

/* Writes any bytes as content of an element or attribute. The outlet bars all characters that XML
 * 1.0 (section 2.2) does not allow, not even as references. */
static void put_text(FILE *file, const char *raw)
{
    char *text = g_utf8_make_valid(raw, -1);
    for (const char *at = text; *at; at = g_utf8_next_char(at))
        put_character(file, at);
    g_free(text);
}

/* Matrices and bars ---------------------------------------------------------------------------- */

static void put_filled(FILE *file, struct box box, struct rgb colour)
{
    fputs("<rect", file);
    put_box(file, box.x, box.y, box.width, box.height);
    fprintf(file, " fill=\"#%02x%02x%02x\"/>\n", colour.red, colour.green, colour.blue);
}

static void put_stroke(FILE *file, struct box cell, double line)
{
    struct stroke stroke = layout_stroke(cell, line);
    fputs("<line", file);
    put_attribute(file, "x1", stroke.x1);
    put_attribute(file, "y1", stroke.y1);
    put_attribute(file, "x2", stroke.x2);
    put_attribute(file, "y2", stroke.y2);
    put_attribute(file, "stroke-width", line);
    fputs(" stroke=\"" EMPTY_STROKE "\"/>\n", file);
}

/* The line goes around the rectangle, so that it covers none of it. */
static void put_frame(FILE *file, struct box box, double line)
{
    fputs("<rect", file);
    put_box(file, box.x - line / 2, box.y - line / 2, box.width + line, box.height + line);
    put_attribute(file, "stroke-width", line);
    fputs(" fill=\"none\" stroke=\"#000\"/>\n", file);
}

static bool put_matrix(const struct svg *svg, const struct placed_matrix *placed,
                       struct status *status)
{
    const struct figure_matrix *matrix = placed->matrix;
    const struct figure_layout *layout = svg->output->layout;
    for (int r = 0; r < matrix->rows; r++) {
        if (!output_proceed(svg->output->style->watch, 0, status))
            return false;
        struct row_colours colours = layout_row_colours(svg->output->figure, layout, placed, r);
        for (int c = 0; c < matrix->columns; c++) {
            double value = matrix->values[(size_t)r * matrix->columns + c];
            struct box cell = layout_cell(placed, r, c);
            if (isnan(value))
                put_stroke(svg->file, cell, layout->line);
            else
                put_filled(svg->file, cell, row_colour(&colours, value));
        }
    }
    struct box end = layout_cell(placed, matrix->rows, matrix->columns);
    struct box all = {placed->x, placed->y, end.x - placed->x, end.y - placed->y};
    put_frame(svg->file, all, layout->line);
    return true;
}

static void put_bar(const struct svg *svg, const struct placed_bar *bar)
{
    const struct figure_layout *layout = svg->output->layout;
    const struct colormap *map = svg->output->figure->scales[bar->scale].map;
    for (int i = 0; i < COLORMAP_SIZE; i++) {
        double top = floor((double)bar->height * i / COLORMAP_SIZE);
        double end = floor((double)bar->height * (i + 1) / COLORMAP_SIZE);
        double entry = COLORMAP_SIZE - 1 - i + 0.5;
        if (end > top)
            put_filled(svg->file, (struct box){bar->x, bar->y + top, bar->width, end - top},
                       colormap_colour(map, entry / COLORMAP_SIZE));
    }
    put_frame(svg->file, (struct box){bar->x, bar->y, bar->width, bar->height}, layout->line);
    for (int i = 0; i < bar->tick_count; i++) {
        struct box tick = {bar->x + bar->width + layout->line,
                           round(bar->ticks[i] - layout->line / 2.0), layout->tick_length,
                           layout->line};
        put_filled(svg->file, tick, (struct rgb){0, 0, 0});
    }
}

/* Shapes --------------------------------------------------------------------------------------- */

static void put_point(FILE *file, const char *before, double x, double y)
{
    fputs(before, file);
    put_length(file, x);
    fputc(' ', file);
    put_length(file, y);
}

static void put_dashes(FILE *file, const struct placed_shape *shape)
{
    for (int i = 0; i < shape->dash_count; i++) {
        fputs(i ? " " : " stroke-dasharray=\"", file);
        put_length(file, shape->dashes[i]);
    }
    if (!shape->dash_count)
        return;
    fputc('"', file);
    put_attribute(file, "stroke-dashoffset", shape->phase);
}

static void put_path(FILE *file, const struct placed_shape *shape)
{
    put_point(file, "<path d=\"M", shape->x[0], shape->y[0]);
    put_point(file, shape->kind == SHAPE_CURVE ? " C" : " L", shape->x[1], shape->y[1]);
    for (int i = 2; shape->kind == SHAPE_CURVE && i < 4; i++)
        put_point(file, ", ", shape->x[i], shape->y[i]);
    fputc('"', file);
    put_attribute(file, "stroke-width", shape->width);
    put_dashes(file, shape);
    fprintf(file, " fill=\"none\" stroke-linecap=\"round\" stroke=\"#%02x%02x%02x\"/>\n",
            shape->colour.red, shape->colour.green, shape->colour.blue);
}

static void put_dot(FILE *file, const struct placed_shape *shape)
{
    fputs("<circle", file);
    put_attribute(file, "cx", shape->x[0]);
    put_attribute(file, "cy", shape->y[0]);
    put_attribute(file, "r", shape->width / 2);
    fprintf(file, " fill=\"#%02x%02x%02x\"/>\n", shape->colour.red, shape->colour.green,
            shape->colour.blue);
}

static void put_corners(FILE *file, const struct placed_shape *shape)
{
    put_point(file, "<path d=\"M", shape->x[0], shape->y[0]);
    for (int i = 1; i < 4; i++)
        put_point(file, " L", shape->x[i], shape->y[i]);
    fprintf(file, "Z\" fill=\"#%02x%02x%02x\"/>\n", shape->colour.red, shape->colour.green,
            shape->colour.blue);
}

static void put_shape(FILE *file, const struct placed_shape *shape)
{
    if (shape->kind == SHAPE_BOX)
        put_filled(file,
                   (struct box){shape->x[0], shape->y[0], shape->x[1] - shape->x[0],
                                shape->y[1] - shape->y[0]},
                   shape->colour);
    else if (shape->kind == SHAPE_DOT)
        put_dot(file, shape);
    else if (shape->kind == SHAPE_CORNERS)
        put_corners(file, shape);
    else
        put_path(file, shape);
}

/* Text ----------------------------------------------------------------------------------------- */

/* Clips ink that extends beyond the box. */
static void begin_clip(struct svg *svg, const struct box *box)
{
    svg->clips++;
    fprintf(svg->file, "<clipPath id=\"clip%d\"><rect", svg->clips);
    put_box(svg->file, box->x, box->y, box->width, box->height);
    fprintf(svg->file, "/></clipPath><g clip-path=\"url(#clip%d)\">", svg->clips);
}

static void put_turn(FILE *file, double x, double y)
{
    fputs(" transform=\"rotate(-90 ", file);
    put_length(file, x);
    fputc(' ', file);
    put_length(file, y);
    fputs(")\"", file);
}

static void put_text_line(struct svg *svg, const struct placed_text *placed)
{
    struct text_look look;
    FILE *file = svg->file;
    text_look(svg->output->text, placed, &look);
    if (placed->line.clip)
        begin_clip(svg, &placed->box);
    fputs("<text", file);
    put_attribute(file, "x", placed->x);
    put_attribute(file, "y", placed->y);
    put_attribute(file, "font-size", placed->size);
    if (look.advance > 0) {
        put_attribute(file, "textLength", look.advance);
        fputs(" lengthAdjust=\"spacingAndGlyphs\"", file);
    }
    if (strchr(look.families, ','))
        fprintf(file, " font-family=\"%s, sans-serif\"", look.families);
    if (look.leftwards)
        fputs(" direction=\"rtl\" text-anchor=\"end\"", file);
    if (placed->light)
        fputs(" fill=\"#fff\"", file);
    if (placed->upright)
        put_turn(file, placed->x, placed->y);
    fputs(" xml:space=\"preserve\">", file);
    put_text(file, placed->line.text);
    fputs(placed->line.clip ? "</text></g>\n" : "</text>\n", file);
}

/* The document --------------------------------------------------------------------------------- */

static void put_notes(const struct svg *svg)
{
    const struct figure_output *output = svg->output;
    if (output->figure->title && *output->figure->title) {
        fputs("<title>", svg->file);
        put_text(svg->file, output->figure->title);
        fputs("</title>\n", svg->file);
    }
    if (!output->note_count)
        return;
    fputs("<metadata xmlns:a=\"urn:attnscope\">\n", svg->file);
    for (int i = 0; i < output->note_count; i++) {
        fputs("<a:note key=\"", svg->file);
        put_text(svg->file, output->notes[i].key);
        fputs("\">", svg->file);
        put_text(svg->file, output->notes[i].text);
        fputs("</a:note>\n", svg->file);
    }
    fputs("</metadata>\n", svg->file);
}

static void begin_document(const struct svg *svg)
{
    const struct figure_layout *layout = svg->output->layout;
    FILE *file = svg->file;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"",
          file);
    put_length(file, layout->width);
    fputs("pt\" height=\"", file);
    put_length(file, layout->height);
    fputs("pt\" viewBox=\"0 0 ", file);
    put_length(file, layout->width);
    fputc(' ', file);
    put_length(file, layout->height);
    fputs("\" font-family=\"'", file);
    put_text(file, svg->output->style->font);
    fputs("', sans-serif\">\n", file);
    put_notes(svg);
    put_filled(file, (struct box){0, 0, layout->width, layout->height},
               (struct rgb){255, 255, 255});
}

static bool put_document(struct svg *svg, struct status *status)
{
    const struct figure_layout *layout = svg->output->layout;
    begin_document(svg);
    // Each cell covers whole pixels: no viewer shows the paper between two cells.
    fputs("<g shape-rendering=\"crispEdges\">\n", svg->file);
    for (int i = 0; i < layout->matrix_count; i++)
        if (!put_matrix(svg, &layout->matrices[i], status))
            return false;
    for (int i = 0; i < layout->bar_count; i++)
        put_bar(svg, &layout->bars[i]);
    fputs("</g>\n", svg->file);
    for (size_t i = 0; i < layout->shape_count; i++)
        put_shape(svg->file, &layout->shapes[i]);
    for (size_t i = 0; i < layout->text_count; i++) {
        if (!output_proceed(svg->output->style->watch, 0, status))
            return false;
        put_text_line(svg, &layout->texts[i]);
    }
    fputs("</svg>\n", svg->file);
    return true;
}

bool output_svg(const struct figure_output *output, struct status *status)
{
    struct svg svg = {output, output->file, 0};
    if (!put_document(&svg, status))
        return false;
    errno = 0;
    return (fflush(svg.file) == 0 && !ferror(svg.file)) || output_fail_write(errno, status);
}
