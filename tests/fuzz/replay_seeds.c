/* Runs a fuzz target on files: those named, and all in the folders named. It takes the place of
 * libFuzzer's own program, which not every compiler has. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

static int replayed;

static void replay_file(const char *path)
{
    char *data = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "rb"), *copy = open_memstream(&data, &size);
    fuzz_check(file && copy, path);
    for (int byte; (byte = getc(file)) != EOF;)
        putc(byte, copy);
    fclose(file);
    fuzz_check(fclose(copy) == 0, "out of memory");
    /* Exactly as large as the input, so that reading beyond its end is detected. */
    uint8_t *input = malloc(size ? size : 1);
    fuzz_check(input != NULL, "out of memory");
    memcpy(input, data, size);
    free(data);
    LLVMFuzzerTestOneInput(input, size);
    free(input);
    replayed++;
}

static void replay(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return;
    if (!S_ISDIR(about.st_mode)) {
        replay_file(path);
        return;
    }
    struct dirent **names;
    int count = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char inner[1024];
        snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.')
            replay(inner);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
}

int main(int count, char **paths)
{
    for (int i = 1; i < count; i++)
        replay(paths[i]);
    fuzz_check(replayed > 0, "no seeds");
    printf("%d seeds\n", replayed);
    return 0;
}
