/* Frames for terminals on which the program writes ASCII only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/screen/frame/frame.h"
#include "tui/screen/sheet/sheet_build.h"

#define CONTINUES "\xc2\xb7" // ·, before a token that continues a word

/* The program's own labels in ASCII: a text that begins with that sign, or parts of it that do (a
 * cell of a table: "read 0.20  ·s 0.13"). A token that is the same sign cannot be told from it and
 * is rewritten too. */
static char *in_ascii(const char *text)
{
    char *ascii = NULL;
    size_t size, bytes = strlen(CONTINUES);
    FILE *out = open_memstream(&ascii, &size);
    for (bool begins = true; out && *text; text++) {
        bool sign = begins && strncmp(text, CONTINUES, bytes) == 0;
        begins = text[0] == ' ' && (begins || text[1] == ' ');
        fputc(sign ? '-' : *text, out);
        text += sign ? bytes - 1 : 0;
    }
    if (out && fclose(out) == 0)
        return ascii;
    free(ascii);
    return NULL;
}

static const char *label_in_ascii(struct report *report, const char *label)
{
    return report_take_text(report, in_ascii(label));
}

static bool cell_in_ascii(char **text, struct status *status)
{
    char *ascii = *text ? in_ascii(*text) : NULL;
    if (*text && !ascii)
        return status_no_memory(status);
    free(*text);
    *text = ascii;
    return true;
}

static bool sheet_in_ascii(struct sheet *sheet, struct status *status)
{
    for (long i = 0; i < (long)sheet->row_count * sheet->column_count; i++)
        if (!cell_in_ascii(&sheet->cells[i].text, status))
            return false;
    sheet_end(sheet);
    return true;
}

static bool picture_in_ascii(struct frame *frame, struct status *status)
{
    const struct figure *figure = &frame->drawing.figure;
    if (frame_navigation(frame)->kind == VIEW_HEADS)
        return true; // has no labels, and perhaps no values any more
    if (!report_relabel(&frame->report, label_in_ascii, status))
        return false;
    for (int i = 0; i < figure->rows * figure->columns; i++) {
        const char *title = frame->drawing.panels[i].title;
        if (title && strcmp(title, "b \xe2\x88\x92 a") == 0)
            frame->drawing.panels[i].title = "b - a";
    }
    // Labels have other sizes.
    picture_free(&frame->picture);
    return picture_make(&frame->picture, figure, status);
}

bool frame_in_ascii(struct frame *frame, struct status *status)
{
    return (!frame->drawn || picture_in_ascii(frame, status)) &&
           (!frame->listed || sheet_in_ascii(&frame->sheet, status));
}
