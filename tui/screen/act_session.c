/* What keys do besides views and heads: the prompt, search, help, copying. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/base64.h>

#include "model/net/new_file.h"
#include "tui/own_files.h"
#include "tui/screen/act.h"
#include "tui/tables.h"

void act_command(struct screen *screen, int key, int count)
{
    (void)count;
    screen_type(screen, key == ':' ? ":" : "", -1);
}

/* What is on the screen, which need not be the command last given. The name may be changed before its ending, which
 * says what is written. */
void act_export(struct screen *screen, int key, int count)
{
    static const char begin[] = ":export figure.png";
    const char *command = screen->frame->command;
    char *text = NULL;
    (void)key;
    (void)count;
    if (asprintf(&text, "%s%s%s", begin, command ? " " : "", command ? command : "") < 0)
        return;
    screen_type(screen, text, (int)(sizeof begin - sizeof ".png"));
    free(text);
}

void act_search(struct screen *screen, int key, int count)
{
    (void)count;
    screen_type_search(screen, key == '\\');
}

void act_search_again(struct screen *screen, int key, int count)
{
    bool backward = screen->searched_backward != (key == 'N');
    if (!screen->search) {
        screen_say(screen, true, "nothing was searched for yet: / asks");
        return;
    }
    for (int i = 0; i < (count ? count : 1) && i < 1000; i++)
        screen_look_for(screen, backward);
}

void act_help(struct screen *screen, int key, int count)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    (void)key;
    (void)count;
    if (!stream)
        return;
    bindings_write(stream, screen_place(screen), screen->look.ascii, screen->canvas.columns - 2);
    if (fclose(stream) == 0)
        screen_show_page(screen, "keys", text);
    else
        free(text);
}

void act_back(struct screen *screen, int key, int count)
{
    (void)count;
    screen_say(screen, false, "%s", "");
    if (worker_waiting(screen->worker) > 0) {
        screen->stopped = true;
        worker_stop(screen->worker);
        return;
    }
    if (screen->frame->drawn && screen_place(screen) == IN_SHEET) {
        act_table(screen, key, 0);
        return;
    }
    if (screen_uncover(screen))
        return;
    if (screen->frame->result.kind == RESULT_BESIDE) {
        act_beside(screen, 'b', 0);
    } else if (screen_place(screen) & (IN_PICTURES & ~IN_MATRIX)) {
        struct view view = screen->frame->view;
        act_show(screen, &view);
    } else if (!screen_return(screen) && key == 'q') {
        screen_say(screen, false, ":q or Ctrl-D ends the session");
    }
}

void act_refresh(struct screen *screen, int key, int count)
{
    (void)screen;
    (void)key;
    (void)count;
    surface_refresh();
}

void act_quit(struct screen *screen, int key, int count)
{
    (void)key;
    (void)count;
    screen->quit = true;
}

/* Copying ----------------------------------------------------------------------------------------- */

/* Terminals take no more than some 75,000 bytes. */
enum { CLIPBOARD_MOST = 74000 };

/* OSC 52: the terminal's own clipboard, also through ssh. */
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

/* Terminals may refuse, and never say whether they took it: the file is there in any case. */
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
        const char *cell = sheet_text(&screen->frame->sheet, &screen->places.sheet);
        if (cell)
            copy(screen, "this cell", cell, strlen(cell));
        return;
    }
    double value = picture_value(&screen->frame->picture, screen_spot(screen));
    snprintf(text, sizeof text, "%.9g", value);
    if (isnan(value))
        screen_say(screen, false, "there is no value here");
    else
        copy(screen, text, text, strlen(text));
}

/* More would hold the screen up. */
static bool is_too_much(const struct result *view)
{
    enum { MOST_COPIED = 1 << 18 }; // numbers
    return view_numbers(view) > MOST_COPIED;
}

void act_copy_matrix(struct screen *screen, int key, int count)
{
    struct status status;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    (void)key;
    (void)count;
    if (!stream)
        return;
    if (is_too_much(&screen->frame->result)) {
        fclose(stream);
        free(text);
        screen_say(screen, true, "too many numbers to copy: `:export FILE.tsv` writes them");
        return;
    }
    bool ok = table_write(stream, TABLE_TSV, &screen->frame->result, NULL, &status);
    if (fclose(stream) == 0 && ok)
        copy(screen, screen->frame->command, text, size);
    else
        screen_say(screen, true, "%s", ok ? "out of memory" : status.message);
    free(text);
}
