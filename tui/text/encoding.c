#include "tui/text/encoding.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

void encoding_choose(void)
{
    const char *all = getenv("LC_ALL");
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
        return;
    setenv(all && *all ? "LC_ALL" : "LC_CTYPE", "C.UTF-8", 1);
    setlocale(LC_CTYPE, "");
}
