#include "tui/screen/action/act_copy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/base64.h>

#include "model/formats/new_file.h"
#include "tui/output/report_table.h"
#include "tui/screen/canvas/surface.h"
#include "tui/terminal/own_files.h"

/* Terminals refuse more than about 75,000 bytes. */
enum { CLIPBOARD_MOST = 74000 };

/* OSC 52 sets the clipboard of the user's terminal, also through ssh. */
static bool to_clipboard(const char *text, size_t bytes)
{
    size_t encoded = BASE64_ENCODE_RAW_LENGTH(bytes);
    char *sequence = encoded <= CLIPBOARD_MOST ? malloc(encoded + 16) : NULL;
    if (!sequence)
        return false;
    int begin = sprintf(sequence, "\033]52;c;");
    base64_encode_raw(sequence + begin, bytes, (const uint8_t *)text);
    sequence[begin + encoded] = '\a';
    surface_send(sequence, begin + encoded + 1);
    free(sequence);
    return true;
}

/* A terminal does not say whether it accepted the text, so a file gets it too. */
static bool to_file(const char *path, const char *text, size_t bytes, struct status *status)
{
    struct new_file file;
    if (!new_file_open(&file, path, status))
        return false;
    fwrite(text, 1, bytes, file.stream);
    return new_file_close(&file, true, status);
}

static void copy(struct screen *screen, const char *what, const char *text, size_t bytes)
{
    struct status status;
    char *path = own_file_path("copied.tsv");
    bool taken = to_clipboard(text, bytes);
    if (!path)
        screen_say(screen, !taken, "%s: %s", what,
                   taken ? "copied to the terminal's clipboard" : "no place to copy it to");
    else if (!to_file(path, text, bytes, &status))
        screen_say(screen, true, "%s", status.message);
    else
        screen_say(screen, false, "%s: copied to %s%s", what, taken ? "the clipboard and " : "",
                   path);
    free(path);
}

void act_copy_value(struct screen *screen, int key, int count)
{
    char text[400];
    (void)key;
    (void)count;
    if (screen->frame->kind == FRAME_SHEET) {
        const char *cell = sheet_text(&screen->frame->sheet, &screen->cursors.sheet);
        if (cell)
            copy(screen, "this cell", cell, strlen(cell));
        return;
    }
    double value = picture_value(&screen->frame->picture, screen_cursor(screen));
    snprintf(text, sizeof text, "%.9g", value);
    if (isnan(value))
        screen_say(screen, false, "there is no value here");
    else
        copy(screen, text, text, strlen(text));
}

/* More numbers would make the screen wait. */
static bool is_too_much(const struct report *view)
{
    enum { MOST_COPIED = 1 << 18 }; // numbers
    return report_numbers(view) > MOST_COPIED;
}

void act_copy_matrix(struct screen *screen, int key, int count)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    (void)key;
    (void)count;
    if (!stream)
        return;
    if (is_too_much(&screen->frame->report)) {
        fclose(stream);
        free(text);
        screen_say(screen, true, "too many numbers to copy: `:export FILE.tsv` writes them");
        return;
    }
    table_report(stream, TABLE_TSV, &screen->frame->report, NULL);
    if (fclose(stream) == 0)
        copy(screen, screen->frame->command, text, size);
    else
        screen_say(screen, true, "out of memory");
    free(text);
}
