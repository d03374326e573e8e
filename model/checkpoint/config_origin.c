#include "model/checkpoint/config_origin.h"

#include <stdlib.h>

#define MEMBER(type, member) .offset = offsetof(struct type, member)
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const struct config_field origin_fields[] = {
    {"family", FIELD_STRING, MEMBER(model_origin, family)},
    {"files", .kind = FIELD_ANY},
};

static const struct config_field file_fields[] = {
    {"name", FIELD_STRING, MEMBER(model_file, name)},
    {"sha256", FIELD_STRING, MEMBER(model_file, sha256)},
};

bool model_origin_read(const json_t *json, const struct place *place, struct model_origin *origin,
                       struct status *status)
{
    const struct place files_place = {place, "files", 0};
    if (!json)
        return true;
    if (!fields_read(json, place, origin_fields, COUNT(origin_fields), origin, status))
        return false;
    const json_t *files = json_object_get(json, "files");
    size_t count = json_array_size(files);
    if (!json_is_array(files) || count > INT32_MAX)
        return value_fail(files, &files_place, "a list of files", status);
    origin->files = memory_new(count, sizeof *origin->files, status);
    if (!origin->files)
        return false;
    origin->file_count = (int)count; // the names that are not read yet are NULL
    for (int i = 0; i < origin->file_count; i++) {
        const struct place at = {&files_place, NULL, i};
        if (!fields_read(json_array_get(files, (size_t)i), &at, file_fields, COUNT(file_fields),
                         &origin->files[i], status))
            return false;
    }
    return true;
}

void model_origin_free(struct model_origin *origin)
{
    for (int i = 0; i < origin->file_count; i++) {
        free(origin->files[i].name);
        free(origin->files[i].sha256);
    }
    free(origin->files);
    free(origin->family);
    *origin = (struct model_origin){0};
}

bool left_out_read(const json_t *json, const struct place *place, char ***texts,
                   struct status *status)
{
    static const struct config_field text = {.kind = FIELD_STRING};
    const size_t count = json_array_size(json);
    if (!json)
        return true;
    if (!json_is_array(json) || count >= INT32_MAX)
        return value_fail(json, place, "a list of texts", status);
    *texts = memory_new(count + 1, sizeof **texts, status);
    for (size_t i = 0; *texts && i < count; i++) {
        const struct place at = {place, NULL, (int)i};
        if (!field_value(json_array_get(json, i), &at, &text, &(*texts)[i], status))
            return false;
    }
    return *texts != NULL;
}

void left_out_free(char **texts)
{
    for (char **text = texts; text && *text; text++)
        free(*text);
    free(texts);
}
