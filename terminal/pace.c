#include "terminal/pace.h"

#include "terminal/progress.h"

struct pace pace_begin(const char *what, size_t total, struct status *status)
{
    return (struct pace){.what = what, .total = (double)total, .status = status};
}

bool pace_step(struct pace *pace, size_t numbers)
{
    if (!pace)
        return true;
    // The work before this step is done; it is less than all until pace_end.
    if (!pace->stopped && pace->done < pace->total)
        pace->stopped =
            !watch_proceed(&progress_watch, pace->what, pace->done, pace->total, pace->status);
    pace->done += (double)numbers;
    return !pace->stopped;
}

bool pace_end(const struct pace *pace, bool ok)
{
    struct status other;
    if (pace->stopped)
        return false;
    return watch_proceed(&progress_watch, pace->what, pace->total, pace->total,
                         ok ? pace->status : &other) &&
           ok;
}
