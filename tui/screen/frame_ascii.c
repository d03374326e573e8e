/* Frames for terminals that must get nothing but ASCII of ours. */
#include <stdlib.h>
#include <string.h>

#include "tui/screen/frame.h"
#include "tui/screen/own.h"
#include "tui/screen/sheet_build.h"

/* Labels that are ours. A token that is that very sign is taken for one. */
static bool label_in_ascii(char **label, struct status *status)
{
    static const struct look ascii = {.ascii = true};
    static const char *const ours[] = {"\xe2\x8f\x8e" /* ⏎ */, FIGURES_DIFFERENCE};
    for (size_t i = 0; *label && i < sizeof ours / sizeof *ours; i++) {
        if (strcmp(*label, ours[i]) != 0)
            continue;
        char *own = own_text(&ascii, *label);
        if (!own)
            return status_fail(status, STATUS_MEMORY, "out of memory");
        // In its place where that does: titles of panels are the same texts.
        if (strlen(own) <= strlen(*label)) {
            strcpy(*label, own);
            free(own);
        } else {
            free(*label);
            *label = own;
        }
        break;
    }
    return true;
}

static bool sheet_in_ascii(struct sheet *sheet, struct status *status)
{
    for (long i = 0; i < (long)sheet->row_count * sheet->column_count; i++)
        if (!label_in_ascii(&sheet->cells[i].text, status))
            return false;
    sheet_end(sheet);
    return true;
}

static bool picture_in_ascii(struct frame *frame, struct status *status)
{
    struct drawing *drawing = &frame->drawing;
    if (frame->result.kind == RESULT_HEADS)
        return true; // has no labels, and perhaps no values any more
    for (int t = 0; t < drawing->text_count; t++)
        for (int i = 0; i < drawing->texts[t].count; i++)
            if (!label_in_ascii(&drawing->texts[t].texts[i], status))
                return false;
    // Labels have other sizes.
    picture_free(&frame->picture);
    return picture_make(&frame->picture, &drawing->figure, status);
}

bool frame_in_ascii(struct frame *frame, struct status *status)
{
    return (!frame->drawn || picture_in_ascii(frame, status)) &&
           (!frame->listed || sheet_in_ascii(&frame->sheet, status));
}
