#include "tests/support/held_support.h"
#include "tests/support/test.h"

#include "report/report_memory.h"
#include "tui/command/study/report_study.h"

static void *held(const struct report *result, void (*release)(void *data))
{
    void *data = report_held(result, release);
    assert_non_null(data);
    return data;
}

struct study_result *held_study(const struct report *result)
{
    return held(result, study_release);
}

struct ablate_result *held_ablate(const struct report *result)
{
    return held(result, ablate_release);
}

struct prune_result *held_prune(const struct report *result)
{
    return held(result, prune_release);
}

struct several_states *held_several(const struct report *result)
{
    return held(result, several_states_release);
}
