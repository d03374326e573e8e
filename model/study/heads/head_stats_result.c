#include "model/study/heads/head_stats_result.h"

#include <stdlib.h>

void head_stats_result_free(struct head_stats_result *result)
{
    head_stats_free(&result->stats);
    for (int m = 0; m < MODULE_COUNT; m++)
        free(result->wanted[m]);
    strings_free(&result->relations);
    *result = (struct head_stats_result){.done = 0};
}

bool head_stats_partial(const struct head_stats_result *result)
{
    return result->done == 0 || result->done < result->lines || result->lines == 0;
}
