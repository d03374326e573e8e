#include "tui/output/figure_parts.h"

#include <limits.h>
#include <stdlib.h>

#include "tui/report/display_label.h"
#include "tui/report/labels.h"

const char *const *drawing_keep(struct drawing *drawing, char **owned, int count,
                                struct status *status)
{
    if (!owned) {
        status_no_memory(status);
        return NULL;
    }
    drawing->texts[drawing->text_count].texts = owned;
    drawing->texts[drawing->text_count++].count = count;
    return (const char *const *)owned;
}

const char *const *drawing_names(struct drawing *drawing, int count,
                                 void (*name)(const void *view, int i, char *text, size_t size),
                                 const void *view, struct status *status)
{
    char **names = calloc((size_t)count + 1, sizeof *names);
    for (int i = 0; names && i < count; i++) {
        char text[NAME_MAX + 8];
        name(view, i, text, sizeof text);
        names[i] = copy_text(text, status);
        if (!names[i]) {
            display_labels_free(names, i);
            return NULL;
        }
    }
    return drawing_keep(drawing, names, count, status);
}

struct figure_panel *drawing_panels(struct drawing *drawing, int rows, int columns,
                                    struct status *status)
{
    drawing->panels = memory_new((size_t)rows * columns, sizeof *drawing->panels, status);
    drawing->figure.rows = rows;
    drawing->figure.columns = columns;
    drawing->figure.panels = drawing->panels;
    return drawing->panels;
}
