/* Writes a picture to a terminal. */
#include <chafa.h>
#include <nettle/base64.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "render/png_file.h"
#include "terminal/graphics.h"
#include "terminal/graphics_sequences.h"

/* A PNG as sixels or half blocks (libchafa). Inside graphics*.c. */

/* Draws and prints the picture. Takes the configuration. */
static char *print(ChafaCanvasConfig *config, ChafaTermInfo *terminal, const struct pixels *pixels,
                   struct status *status)
{
    ChafaCanvas *canvas = chafa_canvas_new(config);
    chafa_canvas_config_unref(config);
    chafa_canvas_draw_all_pixels(canvas, CHAFA_PIXEL_RGBA8_UNASSOCIATED, pixels->values,
                                 pixels->width, pixels->height, pixels->width * 4);
    GString *printed = chafa_canvas_print(canvas, terminal);
    char *text = strndup(printed->str, printed->len);
    g_string_free(printed, TRUE);
    chafa_canvas_unref(canvas);
    if (!text)
        status_no_memory(status);
    return text;
}

/* A cell is one pixel here, so the picture has exactly the wanted size. */
static char *cells_sixel(const struct pixels *pixels, int width, int height, struct status *status)
{
    ChafaTermInfo *terminal = chafa_term_info_new();
    chafa_term_info_set_seq(terminal, CHAFA_TERM_SEQ_BEGIN_SIXELS, "\033P%1;%2;%3q", NULL);
    chafa_term_info_set_seq(terminal, CHAFA_TERM_SEQ_END_SIXELS, "\033\\", NULL);
    ChafaCanvasConfig *config = chafa_canvas_config_new();
    chafa_canvas_config_set_geometry(config, width, height);
    chafa_canvas_config_set_cell_geometry(config, 1, 1);
    chafa_canvas_config_set_pixel_mode(config, CHAFA_PIXEL_MODE_SIXELS);
    chafa_canvas_config_set_canvas_mode(config, CHAFA_CANVAS_MODE_TRUECOLOR);
    char *text = print(config, terminal, pixels, status);
    chafa_term_info_unref(terminal);
    return text;
}

/* Returns the number of colours of the terminal, as chafa finds it in the environment. */
static ChafaCanvasMode mode_of(const ChafaTermInfo *terminal)
{
    const char *none = getenv("NO_COLOR");
    if (none && *none)
        return CHAFA_CANVAS_MODE_FGBG;
    return chafa_term_info_have_seq(terminal, CHAFA_TERM_SEQ_SET_COLOR_FGBG_DIRECT)
               ? CHAFA_CANVAS_MODE_TRUECOLOR
           : chafa_term_info_have_seq(terminal, CHAFA_TERM_SEQ_SET_COLOR_FGBG_256)
               ? CHAFA_CANVAS_MODE_INDEXED_240
           : chafa_term_info_have_seq(terminal, CHAFA_TERM_SEQ_SET_COLOR_FGBG_16)
               ? CHAFA_CANVAS_MODE_INDEXED_16
           : chafa_term_info_have_seq(terminal, CHAFA_TERM_SEQ_SET_COLOR_FGBG_8)
               ? CHAFA_CANVAS_MODE_INDEXED_8
               : CHAFA_CANVAS_MODE_FGBG;
}

static char *cells_blocks(const struct pixels *pixels, int columns, int rows, struct status *status)
{
    char **environment = g_get_environ();
    ChafaTermInfo *terminal = chafa_term_db_detect(chafa_term_db_get_default(), environment);
    ChafaCanvasConfig *config = chafa_canvas_config_new();
    ChafaSymbolMap *symbols = chafa_symbol_map_new();
    chafa_symbol_map_add_by_tags(symbols, CHAFA_SYMBOL_TAG_VHALF | CHAFA_SYMBOL_TAG_SPACE);
    chafa_canvas_config_set_symbol_map(config, symbols);
    chafa_canvas_config_set_geometry(config, columns, rows);
    chafa_canvas_config_set_pixel_mode(config, CHAFA_PIXEL_MODE_SYMBOLS);
    chafa_canvas_config_set_canvas_mode(config, mode_of(terminal));
    char *text = print(config, terminal, pixels, status);
    chafa_symbol_map_unref(symbols);
    chafa_term_info_unref(terminal);
    g_strfreev(environment);
    return text;
}

/* kitty limits a chunk to so much base64; CHUNK_BYTES encode to that. */
enum { CHUNK_TEXT = 4096, CHUNK_BYTES = CHUNK_TEXT / 4 * 3 };
#define IMAGE_ID "9417"

/* The size of the picture on the terminal: the picture's, or as large as fits. */
struct fit {
    int width, height; // pixels
    int columns, rows; // cells covered
    bool shrunk, tall; // tall: limited by the rows
};

static int divide_up(int a, int b)
{
    return (a + b - 1) / b;
}

static struct fit fit_in(const struct graphics_terminal *terminal, int rows,
                         const struct pixels *pixels)
{
    int most_width = terminal->columns * terminal->cell_width;
    int most_height = rows * terminal->cell_height;
    double across = (double)most_width / pixels->width, down = (double)most_height / pixels->height;
    struct fit fit = {.shrunk = across < 1 || down < 1, .tall = down < across};
    double scale = fit.shrunk ? (fit.tall ? down : across) : 1;
    fit.width = (int)(pixels->width * scale + 0.5);
    fit.height = (int)(pixels->height * scale + 0.5);
    fit.width = fit.width > 1 ? fit.width : 1;
    fit.height = fit.height > 1 ? fit.height : 1;
    fit.columns = divide_up(fit.width, terminal->cell_width);
    fit.rows = divide_up(fit.height, terminal->cell_height);
    fit.columns = fit.columns < terminal->columns ? fit.columns : terminal->columns;
    fit.rows = fit.rows < rows ? fit.rows : rows;
    return fit;
}

static size_t encode(char text[CHUNK_TEXT + 1], const uint8_t *bytes, size_t count)
{
    base64_encode_raw(text, count, bytes);
    size_t length = BASE64_ENCODE_RAW_LENGTH(count);
    text[length] = '\0';
    return length;
}

/* Formatted sequences -------------------------------------------------------------------------- */

/* A picture is split into sequences of this size, which tmux accepts. */
struct sequence {
    char text[CHUNK_TEXT + 256];
    size_t length;
};

static void put(struct sequence *sequence, const char *text)
{
    size_t length = strlen(text);
    memcpy(sequence->text + sequence->length, text, length + 1);
    sequence->length += length;
}

static void put_number(struct sequence *sequence, const char *before, int number)
{
    char text[64];
    snprintf(text, sizeof text, "%s%d", before, number);
    put(sequence, text);
}

static void put_base64(struct sequence *sequence, const uint8_t *bytes, size_t count)
{
    sequence->length += encode(sequence->text + sequence->length, bytes, count);
}

static void send(const struct graphics_terminal *terminal, const struct sequence *sequence,
                 FILE *stream)
{
    graphics_send(stream, terminal->tmux, sequence->text, sequence->length);
}

/* kitty: a=T shows what is transmitted, f=100 is PNG, q=2 asks for no answer, C=1 leaves the
 * cursor. */
static void write_kitty(const struct graphics_terminal *terminal, const struct fit *fit,
                        const uint8_t *png, size_t bytes, FILE *stream)
{
    for (size_t at = 0; at < bytes; at += CHUNK_BYTES) {
        size_t count = bytes - at < CHUNK_BYTES ? bytes - at : CHUNK_BYTES;
        struct sequence sequence = {.length = 0};
        put(&sequence, at == 0 ? "\033_Ga=T,f=100,t=d,i=" IMAGE_ID ",q=2,C=1," : "\033_Gq=2,");
        if (at == 0 && fit->shrunk)
            put_number(&sequence, fit->tall ? "r=" : "c=", fit->tall ? fit->rows : fit->columns);
        if (at == 0 && fit->shrunk)
            put(&sequence, ",");
        put_number(&sequence, "m=", at + count < bytes);
        put(&sequence, ";");
        put_base64(&sequence, png + at, count);
        put(&sequence, "\033\\");
        send(terminal, &sequence, stream);
    }
}

static void put_iterm_arguments(struct sequence *sequence, const struct fit *fit, size_t bytes)
{
    put_number(sequence, "inline=1;size=", (int)bytes);
    put(sequence, ";preserveAspectRatio=1");
    if (fit->shrunk)
        put_number(sequence,
                   fit->tall ? ";height=" : ";width=", fit->tall ? fit->rows : fit->columns);
}

/* Writes one sequence; or, as tmux limits their length, iTerm2's file in several parts. */
static void write_iterm(const struct graphics_terminal *terminal, const struct fit *fit,
                        const uint8_t *png, size_t bytes, FILE *stream)
{
    bool parts = terminal->tmux;
    struct sequence begin = {.length = 0};
    put(&begin, parts ? "\033]1337;MultipartFile=" : "\033]1337;File=");
    put_iterm_arguments(&begin, fit, bytes);
    put(&begin, parts ? "\a" : ":");
    send(terminal, &begin, stream);
    for (size_t at = 0; at < bytes; at += CHUNK_BYTES) {
        size_t count = bytes - at < CHUNK_BYTES ? bytes - at : CHUNK_BYTES;
        struct sequence part = {.length = 0};
        put(&part, parts ? "\033]1337;FilePart=" : "");
        put_base64(&part, png + at, count);
        put(&part, parts ? "\a" : "");
        send(terminal, &part, stream);
    }
    struct sequence end = {.length = 0};
    put(&end, parts ? "\033]1337;FileEnd\a" : "\a");
    send(terminal, &end, stream);
}

/* Pictures drawn here -------------------------------------------------------------------------- */

static bool write_sixel(const struct graphics_terminal *terminal, const struct fit *fit,
                        const struct pixels *pixels, FILE *stream, struct status *status)
{
    char *text = cells_sixel(pixels, fit->width, fit->height, status);
    if (!text)
        return false;
    size_t length = strlen(text);
    bool ok = !terminal->tmux || length <= GRAPHICS_TMUX_MOST ||
              status_fail(status, STATUS_INVALID,
                          "the picture is too large to pass through tmux: `:set graphics blocks` "
                          "draws it in half blocks");
    if (ok)
        graphics_send(stream, terminal->tmux, text, length);
    free(text);
    return ok;
}

/* Every line begins below the first one's start. */
static bool write_blocks(const struct fit *fit, const struct pixels *pixels, FILE *stream,
                         struct status *status)
{
    char *text = cells_blocks(pixels, fit->columns, fit->rows, status);
    if (!text)
        return false;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        fwrite(line, 1, length, stream);
        line += length;
        if (*line && *++line)
            fputs("\033[0m\r\n", stream);
    }
    fputs("\033[0m", stream);
    free(text);
    return true;
}

static bool write_pixels(const struct graphics_terminal *terminal, const struct fit *fit,
                         const void *png, size_t bytes, FILE *stream, struct status *status)
{
    struct pixels pixels;
    if (!pixels_read(&pixels, png, bytes, status))
        return false;
    bool ok = terminal->kind == GRAPHICS_SIXEL ? write_sixel(terminal, fit, &pixels, stream, status)
                                               : write_blocks(fit, &pixels, stream, status);
    pixels_free(&pixels);
    return ok;
}

/* Writing -------------------------------------------------------------------------------------- */

/* Makes room by scrolling, as text would: at the bottom, pictures scroll only in some terminals.
 * The cursor is saved before the picture. ICH makes tmux move the terminal's cursor to its own. */
static void make_room(const struct graphics_terminal *terminal, int rows, FILE *stream)
{
    for (int i = 0; i < rows; i++)
        fputs("\r\n", stream);
    fprintf(stream, "\033[%dA\0337%s", rows, terminal->tmux ? "\033[@" : "");
}

bool graphics_write(const struct graphics_terminal *terminal, int rows, const void *png,
                    size_t bytes, FILE *stream, struct status *status)
{
    struct pixels size;
    bool ok = true;
    if (!pixels_size(&size, png, bytes, status))
        return false;
    struct fit fit = fit_in(terminal, rows, &size);
    make_room(terminal, fit.rows, stream);
    if (terminal->kind == GRAPHICS_KITTY)
        write_kitty(terminal, &fit, png, bytes, stream);
    else if (terminal->kind == GRAPHICS_ITERM)
        write_iterm(terminal, &fit, png, bytes, stream);
    else
        ok = write_pixels(terminal, &fit, png, bytes, stream, status);
    fprintf(stream, "\0338\033[%dB", fit.rows);
    return ok;
}

void graphics_remove(const struct graphics_terminal *terminal, FILE *stream)
{
    static const char removal[] = "\033_Ga=d,d=I,i=" IMAGE_ID ",q=2\033\\";
    if (terminal->kind == GRAPHICS_KITTY)
        graphics_send(stream, terminal->tmux, removal, sizeof removal - 1);
}
