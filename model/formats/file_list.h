/* Names of files in a folder, sorted.
 *
 *     struct file_list list;
 *     bool good = file_list_read(folder, is_wanted, &list, status);
 *     ...
 *     file_list_free(&list);
 *
 * Private to model/formats.
 */
#ifndef ATTNSCOPE_FILE_LIST_H
#define ATTNSCOPE_FILE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct file_list {
    char **names; // (count)
    size_t count, capacity;
};

/* Lists the regular files for which `wanted` is true, except hidden ones. An unreadable folder has
 * none. False: out of memory; the list must still be freed. */
bool file_list_read(const char *folder, bool (*wanted)(const char *folder, const char *name),
                    struct file_list *list, struct status *status);
void file_list_free(struct file_list *list);
bool file_list_has(const struct file_list *list, const char *name);

/* The list as messages show it: "a.pt, b.pt and 7 more". */
struct file_list_text {
    char text[240];
};
const char *file_list_show(const struct file_list *list, struct file_list_text *out);

#endif
