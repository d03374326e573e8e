/* Exports every head of a sentence, each as a file in one folder. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/text/quote.h"
#include "report/output/export.h"

#include "report/view_report.h"
#include "session/replace.h"
#include "terminal/progress.h"

/* An export's folder and its content. */
struct folder {
    const struct session *session;
    const struct sentence_pair *pair;
    const struct view_format *format;
    const char *path;
    int heads, written; // in all, and so far
    struct figure_missing *missing;
};

static bool fail_memory(struct status *status)
{
    return status_no_memory(status);
}

static int count_digits(int number)
{
    return number < 10 ? 1 : 1 + count_digits(number / 10);
}

/* "FOLDER/encoder-layer1-head08.png": numbers are padded to the widest, so that names sort as heads
 * do. */
static char *name_file(const struct folder *folder, enum module module, int layer, int head)
{
    const struct head_settings *head_settings = folder->session->state.head_settings;
    const char *slash = folder->path[strlen(folder->path) - 1] == '/' ? "" : "/";
    char *name = NULL;
    if (asprintf(&name, "%s%s%s-layer%0*d-head%0*d.%s", folder->path, slash, module_names[module],
                 count_digits(head_settings->layers[module]), layer + 1,
                 count_digits(head_settings->count[module]), head + 1, folder->format->name) < 0)
        return NULL;
    return name;
}

/* Calls `each` for every head until it fails. */
static bool walk_heads(struct folder *folder,
                       bool (*each)(struct folder *, enum module, int, int, void *), void *context)
{
    const struct head_settings *head_settings = folder->session->state.head_settings;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < head_settings->layers[m] * head_settings->count[m]; i++)
            if (!each(folder, m, i / head_settings->count[m], i % head_settings->count[m], context))
                return false;
    return true;
}

static bool count_existing(struct folder *folder, enum module module, int layer, int head,
                           void *existing)
{
    char *path = name_file(folder, module, layer, head);
    folder->heads++;
    *(int *)existing += path && access(path, F_OK) == 0;
    free(path);
    return path != NULL;
}

static bool make_folder(const char *path, struct status *status)
{
    struct stat about;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &about) == 0))
        return true;
    return status_fail(status, STATUS_IO, "%s: cannot be made: %s", QUOTED_PATH(path),
                       strerror(errno));
}

/* Asks only if files would be replaced; makes the folder. */
static bool prepare(struct folder *folder, struct status *status)
{
    int existing = 0;
    if (!walk_heads(folder, count_existing, &existing))
        return fail_memory(status);
    return replace_files(folder->session, folder->path, existing, status) &&
           make_folder(folder->path, status);
}

/* Captures all heads of a layer, freed with heads_view_free also on failure. */
static bool capture_layer(const struct folder *folder, enum module module, int layer,
                          struct heads_view *heads, struct status *status)
{
    struct head_grid *grid = &heads->grid;
    int count = folder->session->state.head_settings->count[module];
    grid->module = module;
    grid->layers = memory_new(1, sizeof *grid->layers, status);
    grid->heads = memory_new(count, sizeof *grid->heads, status);
    if (!grid->layers || !grid->heads)
        return false;
    grid->layer_count = 1;
    grid->layers[0] = layer;
    for (int h = 0; h < count; h++)
        grid->heads[grid->head_count++] = h;
    return view_heads(folder->session, folder->pair, false, heads, status);
}

/* Returns one of the heads, borrowed. */
static struct attention_view pick_head(const struct folder *folder, const struct heads_view *heads,
                                       int head)
{
    const struct head_settings *head_settings = folder->session->state.head_settings;
    enum module module = heads->grid.module;
    int layer = heads->grid.layers[0];
    size_t cells = (size_t)heads->rows.texts.count * heads->columns.texts.count;
    return (struct attention_view){.view = {.module = module, .layer = layer, .head = head},
                                   .rows = heads->rows,
                                   .columns = heads->columns,
                                   .weights = heads->weights + head * cells,
                                   .head = *head_settings_head(head_settings, module, layer, head),
                                   .off = *head_settings_gain(head_settings, module, layer, head) ==
                                          0};
}

/* Writes what `:attn` shows. */
static bool write_head(struct folder *folder, const struct heads_view *heads, int head,
                       struct status *status)
{
    const struct attention_view attention = pick_head(folder, heads, head);
    struct report view = {.name = "attn"};
    report_attention(&view, folder->session, folder->pair, &attention);
    char *path = name_file(folder, heads->grid.module, heads->grid.layers[0], head);
    bool ok = path ? report_end(&view, status) &&
                         export_write(folder->session, folder->format, &view, view.command, path,
                                      folder->missing, status)
                   : fail_memory(status);
    folder->written += ok;
    free(path);
    report_free(&view);
    return ok;
}

static bool write_layer(struct folder *folder, enum module module, int layer,
                        struct progress *progress, struct status *status)
{
    struct heads_view heads = {.words = false};
    bool ok = capture_layer(folder, module, layer, &heads, status);
    for (int h = 0; ok && h < heads.grid.head_count; h++) {
        ok = write_head(folder, &heads, h, status);
        progress->count = folder->written;
        progress->done = (double)folder->written;
        progress_draw(progress);
    }
    heads_view_free(&heads);
    return ok;
}

bool export_heads(const struct session *session, const struct sentence_pair *pair,
                  const struct view_format *format, const char *path, int *files,
                  struct figure_missing *missing, struct status *status)
{
    struct folder folder = {session, pair, format, path, 0, 0, missing};
    struct progress progress;
    *files = 0;
    if (!prepare(&folder, status))
        return false;
    progress_begin(&progress, "writing", "files", folder.heads);
    bool ok = true;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int layer = 0; ok && layer < session->state.head_settings->layers[m]; layer++)
            ok = write_layer(&folder, m, layer, &progress, status);
    progress_end(&progress);
    *files = folder.written;
    // The message tells whoever finds the folder that it is not complete.
    return ok || status_prefix(status, "%d of %d files written", folder.written, folder.heads);
}
