#include "tui/screen/action/act.h"

#include <math.h>
#include <nettle/base64.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "model/formats/new_file.h"
#include "report/output/export.h"
#include "report/output/report_forms.h"
#include "session/selector.h"
#include "terminal/own_files.h"
#include "terminal/text/display.h"
#include "tui/manual/key_table.h"
#include "tui/screen/action/typing.h"
#include "tui/screen/canvas/surface.h"
#include "tui/screen/state/state.h"

/* Actions on the session as a whole: the prompt, search, help, leaving. */

static void act_prompt(struct screen *screen)
{
    typing_begin_prompt(screen);
}

static void act_command(struct screen *screen)
{
    typing_begin_command(screen, ":", -1);
}

/* Papers take PDF. While a command runs, the settings must not be read. */
static const char *figure_ending(struct screen *screen)
{
    const struct frame *frame = screen->frame;
    if (frame->kind == FRAME_SHEET && !view_format_find("png")->can(&frame->report))
        return ".csv";
    const struct session *session = worker_borrow(screen->worker);
    int preset = session ? session->settings.figure.preset : PRESET_NONE;
    if (session)
        worker_give_back(screen->worker);
    return preset == PRESET_ACL_COLUMN || preset == PRESET_ACL_PAGE ? ".pdf" : ".png";
}

/* Lists of states or settings, information and help are no views. */
static bool can_export(const struct frame *frame)
{
    return frame->kind == FRAME_PICTURE || frame->kind == FRAME_EMPTY || frame->command;
}

/* Exports what is shown, which need not be the last command's result. The cursor starts before the
 * ending, which selects the format. */
static void act_export(struct screen *screen)
{
    static const char begin[] = ":export figure";
    const char *command = screen->frame->command;
    char *text = NULL;
    if (!can_export(screen->frame)) {
        screen_say(screen, true, "what is shown cannot be exported");
        return;
    }
    if (asprintf(&text, "%s%s%s%s", begin, figure_ending(screen), command ? " " : "",
                 command ? command : "") < 0)
        return;
    typing_begin_command(screen, text, (int)strlen(begin));
    free(text);
}

static void act_search(struct screen *screen)
{
    typing_begin_search(screen, screen->key == '\\');
}

static void act_search_again(struct screen *screen)
{
    bool backward = screen->search.backward != (screen->key == 'N');
    if (!screen->search.text) {
        screen_say(screen, true, "nothing was searched for yet: / asks");
        return;
    }
    for (int i = 0; i < act_times(screen) && i < 1000; i++)
        act_find(screen, backward);
}

/* True if heads are shown: gates belong to layers, and what combines layers belongs to none. */
static bool shows_heads(const struct frame *frame)
{
    const struct navigation *at = frame_navigation(frame);
    return at->kind != VIEW_NONE && at->kind != VIEW_GATES && at->kind != VIEW_FILE &&
           !(at->kind == VIEW_HEAD && at->view.head == VIEW_TOGETHER);
}

bool act_works(const struct screen *screen, const struct key_entry *key)
{
    switch (key->action) {
    case ACTION_TOGGLE:
        return shows_heads(screen->frame);
    case ACTION_WORDS:
        return act_has_words(screen->frame);
    case ACTION_TABLE:
        return act_has_table(screen->frame);
    case ACTION_BESIDE:
        return screen->frame->drawn || frame_navigation(screen->frame)->kind == VIEW_BESIDE_HEADS;
    case ACTION_SENTENCE:
        return screen->frame->sentences > 0;
    case ACTION_EXPORT:
        return can_export(screen->frame);
    default:
        return true;
    }
}

static bool works_here(const void *data, const struct key_entry *key)
{
    return act_works(data, key);
}

static void write_waiting(const struct screen *screen, FILE *stream)
{
    char *lines = screen->work.waiting ? worker_queue(screen->worker) : NULL;
    if (lines)
        fprintf(stream, "waiting for the command that runs\n%s\n", lines);
    free(lines);
}

static void act_help(struct screen *screen)
{
    struct written written;
    FILE *stream = written_open(&written);
    if (!stream)
        return;
    worker_look(screen->worker, &screen->work);
    write_waiting(screen, stream);
    key_table_write(stream, &(struct key_view){screen_context(screen), works_here, screen,
                                               screen_waiting(screen), screen->style.ascii,
                                               screen->canvas.columns - 2});
    char *text = written_close(&written);
    if (text)
        shown_show_text(screen, "keys", text);
}

/* Leaves what is shown for what it covers or was opened from. */
static void act_back(struct screen *screen)
{
    screen_say(screen, false, "%s", "");
    if (screen->frame->drawn && screen_context(screen) == IN_SHEET) {
        act_table(screen);
        return;
    }
    if (shown_comes_home(screen) && worker_waiting(screen->worker) == 0) {
        screen->covered.frames[0]->away = false; // if this fails, the next attempt uncovers it
        request_command(screen, ":back");
        return;
    }
    if (shown_uncover(screen))
        return;
    // An attribution is not another view of a head: a row of a table opened it, or a command.
    if (frame_navigation(screen->frame)->kind == VIEW_NONE && shown_return(screen))
        return;
    if (frame_navigation(screen->frame)->kind == VIEW_BESIDE) {
        if (!shown_return(screen))
            act_beside(screen);
    } else if (screen_context(screen) & (IN_PICTURES & ~IN_MATRIX)) {
        struct view view = screen->frame->view;
        act_show(screen, &view);
    } else if (!shown_return(screen) && screen->key == 'q') {
        screen_say(screen, false, ":q or Ctrl-D ends the session");
    }
}

static void act_escape(struct screen *screen)
{
    screen_say(screen, false, "%s", "");
    if (!request_drop(screen) && !request_stop(screen))
        act_back(screen);
}

static void act_refresh(struct screen *screen)
{
    (void)screen;
    surface_refresh();
}

static void act_quit(struct screen *screen)
{
    request_quit(screen, false);
}

/* Switching heads off and on, and undoing changes of the state. */

/* True if the head will be off once everything asked for is done. */
static bool will_be_off(const struct screen *screen, enum module module, int layer, int head)
{
    const struct head_map *map = &screen->frame->maps[module];
    bool now = map->marks[layer * map->heads + head] & MARK_OFF;
    return pending_off(&screen->pending, module, layer, head, now);
}

static void toggle_head(struct screen *screen, enum module module, int layer, int head)
{
    bool off = !will_be_off(screen, module, layer, head);
    pending_add_switch(&screen->pending, (struct head_switch){module, layer, head, off});
    request_command(screen, ":%s %s layer %d head %d", off ? "disable" : "enable",
                    module_names[module], layer + 1, head + 1);
}

/* If mean or maximum is shown, all heads of the layer are switched. */
static void toggle_layer(struct screen *screen, enum module module, int layer)
{
    const struct head_map *map = &screen->frame->maps[module];
    bool all_off = true;
    for (int h = 0; h < map->heads; h++)
        all_off &= will_be_off(screen, module, layer, h);
    pending_add_switch(&screen->pending, (struct head_switch){module, layer, -1, !all_off});
    request_command(screen, ":%s %s layer %d", all_off ? "enable" : "disable", module_names[module],
                    layer + 1);
}

static void act_toggle(struct screen *screen)
{
    const struct frame *frame = screen->frame;
    const struct navigation *at = frame_navigation(frame);
    struct view view = requested_view(screen, frame->view);
    if (at->kind == VIEW_IMPORTANCE) {
        view.module = at->view.module;
        view.layer = at->view.layer;
        view.head = screen_cursor(screen)->column;
    } else {
        act_head_at_cursor(screen, &view);
    }
    if (screen->count)
        view.head = screen->count - 1;
    if (!shows_heads(frame))
        screen_say(screen, true, "no head is chosen here: expected a view of one, or of all");
    else if (view.head >= frame->maps[view.module].heads)
        screen_say(screen, true, "expected head 1 to %d", frame->maps[view.module].heads);
    else if (view.head < 0)
        toggle_layer(screen, view.module, view.layer);
    else
        toggle_head(screen, view.module, view.layer, view.head);
}

static void act_clear(struct screen *screen)
{
    pending_add_switch(&screen->pending, (struct head_switch){.layer = -1});
    request_command(screen, ":enable");
}

/* Sent as one request, so that the states in between are not shown. */
static void repeat(struct screen *screen, const char *command)
{
    pending_forget_switches(&screen->pending);
    // A study's table stays below the sentence that is shown.
    screen->pending.from_table =
        screen->frame->kind == FRAME_SHEET && screen->frame->report.of_testset;
    screen->pending.opens = false;
    screen->pending.table_from = 0;
    struct written written;
    FILE *stream = written_open(&written);
    if (!stream)
        return;
    for (int i = 0; i < act_times(screen) && i < 100; i++)
        fprintf(stream, "%s\n", command);
    char *lines = written_close(&written);
    if (lines)
        request_command(screen, "%s", lines);
    free(lines);
}

static void act_undo(struct screen *screen)
{
    repeat(screen, ":undo");
}

static void act_redo(struct screen *screen)
{
    repeat(screen, ":redo");
}

/* Copying to the terminal's clipboard and to a file. */

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

static void act_copy_value(struct screen *screen)
{
    char text[400];
    if (screen->frame->kind == FRAME_SHEET) {
        const char *cell = sheet_text(&screen->frame->sheet, &screen->cursors.sheet);
        char *clean = cell ? display_clean_for(OUTLET_PASTED, cell) : NULL;
        if (clean)
            copy(screen, "this cell", clean, strlen(clean));
        free(clean);
        return;
    }
    double value = picture_value(&screen->frame->picture, screen_cursor(screen));
    snprintf(text, sizeof text, "%.9g", value);
    if (isnan(value))
        screen_say(screen, false, "no value here");
    else
        copy(screen, text, text, strlen(text));
}

/* Copying more numbers would make the screen wait. */
static bool is_too_much(const struct report *view)
{
    enum { MOST_COPIED = 1 << 18 }; // numbers
    return report_numbers(view) > MOST_COPIED;
}

static void act_copy_matrix(struct screen *screen)
{
    struct written written;
    if (is_too_much(&screen->frame->report)) {
        screen_say(screen, true, "too many numbers to copy: `:export FILE.tsv` writes them");
        return;
    }
    FILE *stream = written_open(&written);
    if (stream)
        table_report(stream, TABLE_PASTED, &screen->frame->report, NULL);
    char *text = stream ? written_close(&written) : NULL;
    if (text)
        copy(screen, screen->frame->command, text, written.size);
    else
        screen_say(screen, true, "out of memory");
    free(text);
}

/* What a key does: calls a function or runs a command. */
static const struct {
    act *run;
    const char *command;
} actions[] = {
    [ACTION_PROMPT] = {act_prompt, NULL},
    [ACTION_COMMAND] = {act_command, NULL},
    [ACTION_HEAD] = {act_head, NULL},
    [ACTION_LAYER] = {act_layer, NULL},
    [ACTION_TOKEN_STEP] = {act_token_step, NULL},
    [ACTION_OTHER] = {act_other, NULL},
    [ACTION_MODULE] = {act_module, NULL},
    [ACTION_CELL] = {act_cell, NULL},
    [ACTION_ARROW_CELL] = {act_cell, NULL},
    [ACTION_PAGE] = {act_page, NULL},
    [ACTION_LINE_END] = {act_line_end, NULL},
    [ACTION_LAST_ROW] = {act_last, NULL},
    [ACTION_OPEN] = {act_open, NULL},
    [ACTION_OVERVIEW] = {act_overview, NULL},
    [ACTION_WORDS] = {act_words, NULL},
    [ACTION_MERGED] = {act_merged, NULL},
    [ACTION_METHOD] = {act_method, NULL},
    [ACTION_TOKEN] = {act_token, NULL},
    [ACTION_IMPORTANCE] = {NULL, ":importance"},
    [ACTION_GATES] = {NULL, ":gates"},
    [ACTION_TOGGLE] = {act_toggle, NULL},
    [ACTION_ENABLE_ALL] = {act_clear, NULL},
    [ACTION_UNDO] = {act_undo, NULL},
    [ACTION_REDO] = {act_redo, NULL},
    [ACTION_BESIDE] = {act_beside, NULL},
    [ACTION_STATES] = {NULL, ":state"},
    [ACTION_HYPOTHESES] = {NULL, ":hypothesis"},
    [ACTION_HYPOTHESIS] = {act_hypothesis, NULL},
    [ACTION_SENTENCE] = {act_sentence, NULL},
    [ACTION_INFO] = {NULL, ":info"},
    [ACTION_TABLE] = {act_table, NULL},
    [ACTION_SIDE] = {act_side, NULL},
    [ACTION_WHOLE] = {act_whole, NULL},
    [ACTION_SORT] = {act_sort, NULL},
    [ACTION_EXPORT] = {act_export, NULL},
    [ACTION_COPY_VALUE] = {act_copy_value, NULL},
    [ACTION_COPY_MATRIX] = {act_copy_matrix, NULL},
    [ACTION_SEARCH] = {act_search, NULL},
    [ACTION_SEARCH_AGAIN] = {act_search_again, NULL},
    [ACTION_HELP] = {act_help, NULL},
    [ACTION_BACK] = {act_back, NULL},
    [ACTION_ESCAPE] = {act_escape, NULL},
    [ACTION_REFRESH] = {act_refresh, NULL},
    [ACTION_QUIT] = {act_quit, NULL},
};
_Static_assert(sizeof actions / sizeof *actions == ACTION_COUNT, "every action has a function");

/* True if the key is a digit of a count; 0 only counts after another digit. */
static bool add_to_count(struct key_prefix *prefix, int key)
{
    enum { MOST_COUNT = 10000 };
    bool digit = (key >= '1' && key <= '9') || (key == '0' && prefix->count);
    if (digit && prefix->count < MOST_COUNT)
        prefix->count = 10 * prefix->count + key - '0';
    return digit;
}

static void run(struct screen *screen)
{
    const struct key_entry *entry = key_find(screen->key, screen_context(screen));
    if (!entry) {
        screen_say(screen, false, "key not bound in this view; press ? for help");
        return;
    }
    // The key's message replaces the last one.
    if (entry->action != ACTION_HELP)
        screen_say(screen, false, "%s", "");
    if (actions[entry->action].run)
        actions[entry->action].run(screen);
    else
        request_command(screen, "%s", actions[entry->action].command);
}

void act_press(struct screen *screen, int key)
{
    struct key_prefix *prefix = &screen->prefix;
    if (add_to_count(prefix, key))
        return;
    bool second_g = key == 'g' && prefix->g, second_z = (key == 'Z' || key == 'Q') && prefix->z;
    prefix->g = key == 'g' && !second_g;
    prefix->z = key == 'Z' && !second_z;
    if (prefix->g || prefix->z)
        return; // the count is kept for the second key
    screen->key = key;
    screen->count = prefix->count;
    prefix->count = 0;
    if (second_g)
        act_first(screen);
    else if (second_z)
        act_quit(screen);
    else
        run(screen);
}
