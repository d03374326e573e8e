#include "tui/terminal/graphics_cells.h"

#include <stdlib.h>
#include <string.h>

#include <chafa.h>

/* Draws and prints; takes the configuration. */
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

/* Cells of one pixel: the picture has exactly the size that is wanted. */
char *cells_sixel(const struct pixels *pixels, int width, int height, struct status *status)
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

/* How many colours the terminal has, as chafa finds them in the environment. */
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

char *cells_blocks(const struct pixels *pixels, int columns, int rows, struct status *status)
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
