/* A command's file, which gets its path after its report is complete. */
#include <stdlib.h>

#include "tui/output/export.h"
#include "tui/report/report_memory.h"

struct staged_file {
    struct new_file file;
    bool open;
};

static void discard(void *data)
{
    struct staged_file *staged = data;
    struct status status;
    if (staged->open)
        new_file_close(&staged->file, false, &status);
    staged->open = false;
}

struct new_file *export_file_open(struct report *report, const char *path, struct status *status)
{
    const char *kept = report_copy(report, path);
    struct staged_file *staged = report_hold(report, sizeof *staged, discard);
    if (!staged) {
        status_no_memory(status);
        return NULL;
    }
    staged->open = new_file_open(&staged->file, kept, status);
    return staged->open ? &staged->file : NULL;
}

bool export_file_place(struct report *report, struct status *status)
{
    struct staged_file *staged = report_held(report, discard);
    if (!staged || !staged->open)
        return true;
    staged->open = false;
    return new_file_close(&staged->file, true, status);
}
