/* The program's command line, one word a line. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tui/program/options.h"

enum { MOST = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text, *words[MOST + 2] = {"attnscope"};
    struct status status = {0};
    struct options options = {0};
    int count = 1;
    if (!text)
        return 0;
    for (char *word; count <= MOST && (word = strsep(&rest, "\n"));)
        words[count++] = word;
    optind = 0; // resets getopt
    if (!options_parse(count, words, &options, &status))
        fuzz_refused(&status);
    options_free(&options);
    free(text);
    return 0;
}
