#include "tests/tui/program/made_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/cli_support.h"

static const char *const made[MADE] = {"made.scope",       "made.png", "made.svg", "made.npy",
                                       "made.safetensors", "made.csv", "made.npz", "made.pdf"};

void remove_made(void)
{
    for (int i = 0; i < MADE; i++)
        unlink(made[i]);
}

void write_made(void)
{
    for (int i = 0; i < MADE; i++)
        cli_write(made[i], "what was there before");
}

void read_made(struct made_file files[MADE])
{
    for (int i = 0; i < MADE; i++)
        files[i].bytes = cli_read(made[i], &files[i].size);
}

void free_made(struct made_file files[MADE])
{
    for (int i = 0; i < MADE; i++)
        free(files[i].bytes);
}

const char *find_other(const struct made_file is[MADE], const struct made_file wanted[MADE])
{
    for (int i = 0; i < MADE; i++)
        if (is[i].size != wanted[i].size || memcmp(is[i].bytes, wanted[i].bytes, is[i].size) != 0)
            return made[i];
    return NULL;
}
