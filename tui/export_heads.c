/* Every head of a sentence, each as a file of a folder. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/net/quote.h"
#include "tui/export.h"
#include "tui/progress.h"
#include "tui/replace.h"
#include "tui/titles.h"
#include "tui/view.h"

/* What is written where. */
struct folder {
    const struct session *session;
    const struct subject *subject;
    const struct view_format *format;
    const char *path;
    int heads, written; // in all, and so far
};

static bool fail_memory(struct status *status)
{
    return status_fail(status, STATUS_MEMORY, "out of memory");
}

static int count_digits(int number)
{
    return number < 10 ? 1 : 1 + count_digits(number / 10);
}

/* "FOLDER/encoder-layer1-head08.png": numbers are as wide as the greatest, so that names sort as heads do. */
static char *name_file(const struct folder *folder, enum module module, int layer, int head)
{
    const struct dials *dials = folder->session->state.dials;
    const char *slash = folder->path[strlen(folder->path) - 1] == '/' ? "" : "/";
    char *name = NULL;
    if (asprintf(&name, "%s%s%s-layer%0*d-head%0*d.%s", folder->path, slash, module_names[module],
                 count_digits(dials->layers[module]), layer + 1, count_digits(dials->count[module]),
                 head + 1, folder->format->name) < 0)
        return NULL;
    return name;
}

/* Calls `each` for every head until it fails. */
static bool walk_heads(struct folder *folder,
                       bool (*each)(struct folder *, enum module, int, int, void *), void *context)
{
    const struct dials *dials = folder->session->state.dials;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < dials->layers[m] * dials->count[m]; i++)
            if (!each(folder, m, i / dials->count[m], i % dials->count[m], context))
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

/* Whoever has nothing to lose is not asked; an empty folder is made for what comes. */
static bool prepare(struct folder *folder, struct status *status)
{
    int existing = 0;
    if (!walk_heads(folder, count_existing, &existing))
        return fail_memory(status);
    return replace_files(folder->session, folder->path, existing, status) &&
           make_folder(folder->path, status);
}

/* All heads of a layer, freed with result_free in either case. */
static bool capture_layer(const struct folder *folder, enum module module, int layer,
                          struct result *result, struct status *status)
{
    struct head_grid *grid = &result->heads.grid;
    int count = folder->session->state.dials->count[module];
    result->kind = RESULT_HEADS;
    grid->module = module;
    grid->layers = memory_new(1, sizeof *grid->layers, status);
    grid->heads = memory_new(count, sizeof *grid->heads, status);
    if (!grid->layers || !grid->heads)
        return false;
    grid->layer_count = 1;
    grid->layers[0] = layer;
    for (int h = 0; h < count; h++)
        grid->heads[grid->head_count++] = h;
    return view_heads(folder->session, folder->subject, false, &result->heads, status);
}

/* One of them as `:attn` has it; it borrows. */
static struct result pick_head(const struct folder *folder, const struct heads_result *heads,
                               int head)
{
    const struct dials *dials = folder->session->state.dials;
    enum module module = heads->grid.module;
    int layer = heads->grid.layers[0];
    size_t cells = (size_t)heads->rows.texts.count * heads->columns.texts.count;
    return (struct result){.kind = RESULT_ATTENTION,
                           .attention = {.view = {module, layer, head},
                                         .rows = heads->rows,
                                         .columns = heads->columns,
                                         .weights = heads->weights + head * cells,
                                         .head = *dials_head(dials, module, layer, head),
                                         .off = *dials_gain(dials, module, layer, head) == 0}};
}

static bool write_head(struct folder *folder, const struct heads_result *heads, int head,
                       struct status *status)
{
    const struct result view = pick_head(folder, heads, head);
    char *path = name_file(folder, heads->grid.module, heads->grid.layers[0], head);
    char *command = path ? view_command(&view, status) : NULL;
    bool ok = path ? command &&
                         export_write(folder->session, folder->format, &view, command, path, status)
                   : fail_memory(status);
    folder->written += ok;
    free(path);
    free(command);
    return ok;
}

static bool write_layer(struct folder *folder, enum module module, int layer,
                        struct progress *progress, struct status *status)
{
    struct result result = {.kind = RESULT_NONE};
    bool ok = capture_layer(folder, module, layer, &result, status);
    for (int h = 0; ok && h < result.heads.grid.head_count; h++) {
        ok = write_head(folder, &result.heads, h, status);
        progress->done = progress->count = folder->written;
        progress_draw(progress);
    }
    result_free(&result);
    return ok;
}

bool export_heads(const struct session *session, const struct subject *subject,
                  const struct view_format *format, const char *path, int *files,
                  struct status *status)
{
    struct folder folder = {session, subject, format, path, 0, 0};
    struct progress progress;
    *files = 0;
    if (!prepare(&folder, status))
        return false;
    progress_begin(&progress, "writing", "files", folder.heads);
    bool ok = true;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int layer = 0; ok && layer < session->state.dials->layers[m]; layer++)
            ok = write_layer(&folder, m, layer, &progress, status);
    progress_end(&progress);
    *files = folder.written;
    // Whoever finds the folder is to know that it is not all.
    return ok || status_prefix(status, "%d of %d files written", folder.written, folder.heads);
}
