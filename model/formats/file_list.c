#include "model/formats/file_list.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/family.h"
#include "model/text/quote.h"

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_name(struct file_list *list, const char *name, struct status *status)
{
    if (!memory_grow((void **)&list->names, &list->capacity, list->count + 1, sizeof *list->names,
                     status))
        return false;
    list->names[list->count] = strdup(name);
    return list->names[list->count++] || status_no_memory(status);
}

bool file_list_read(const char *folder, bool (*wanted)(const char *folder, const char *name),
                    struct file_list *list, struct status *status)
{
    DIR *files = opendir(folder);
    bool good = true;
    *list = (struct file_list){0};
    for (struct dirent *entry; files && good && (entry = readdir(files));)
        if (entry->d_name[0] != '.' && family_has(folder, entry->d_name) &&
            wanted(folder, entry->d_name))
            good = add_name(list, entry->d_name, status);
    if (files)
        closedir(files);
    if (good && list->count)
        qsort(list->names, list->count, sizeof *list->names, by_text);
    return good;
}

void file_list_free(struct file_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
}

bool file_list_has(const struct file_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0)
            return true;
    return false;
}

const char *file_list_show(const struct file_list *list, struct file_list_text *out)
{
    enum { REST = sizeof " and 18446744073709551615 more" };
    size_t length = 0;
    *out->text = '\0';
    for (size_t i = 0; i < list->count; i++) {
        char name[sizeof out->text];
        size_t bytes =
            (size_t)snprintf(name, sizeof name, "%s%s", i ? ", " : "", QUOTED(list->names[i]));
        if (length + bytes + REST > sizeof out->text) {
            snprintf(out->text + length, sizeof out->text - length, " and %zu more",
                     list->count - i);
            break;
        }
        memcpy(out->text + length, name, bytes + 1);
        length += bytes;
    }
    return out->text;
}
