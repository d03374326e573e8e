#include "tests/report/output/export_support.h"
#include "tests/support/report_support.h"
#include "tests/support/test.h"

#include <unistd.h>

static char folder[] = "/tmp/attnscope-export-XXXXXX";

int export_open(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

int export_close(void **state)
{
    return rmdir(folder);
}

const char *export_path(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s%s%s", folder, *name ? "/" : "", name);
    return path;
}

void export_view(struct bench *bench, const char *name, const char *view)
{
    char line[400];
    snprintf(line, sizeof line, ":export %s %s", export_path(name), view);
    struct report result = bench_run(bench, line);
    assert_reports(&result, "export");
    assert_string_equal(report_text(&result, "file"), export_path(name));
    report_free(&result);
}

char *export_read(const char *name, size_t *bytes)
{
    char *content = NULL, buffer[65536];
    FILE *file = fopen(export_path(name), "rb");
    if (!file) {
        fail_msg("%s is not there", export_path(name));
        return NULL;
    }
    FILE *out = open_memstream(&content, bytes);
    for (size_t count; (count = fread(buffer, 1, sizeof buffer, file)) > 0;)
        fwrite(buffer, 1, count, out);
    fclose(file);
    fclose(out);
    unlink(export_path(name));
    return content;
}

json_t *export_json(struct bench *bench, const char *view)
{
    size_t bytes;
    export_view(bench, "v.json", view);
    char *content = export_read("v.json", &bytes);
    json_t *object = json_loads(content, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    free(content);
    return object;
}

const char *export_command(const json_t *object)
{
    return text_of(json_object_get(object, "provenance"), "command");
}
