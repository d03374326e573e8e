#include "render/output.h"

#include <string.h>

bool output_proceed(const struct watch *watch, double share, struct status *status)
{
    return watch_proceed(watch, "drawing", share, 1, status);
}

bool output_fail_write(int code, struct status *status)
{
    return status_fail(status, STATUS_IO, "cannot write the picture: %s", strerror(code));
}
