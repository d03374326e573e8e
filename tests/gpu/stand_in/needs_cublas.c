/* A plug-in that cannot be loaded before the library beside it is. */
#include "gpu/backend.h"

int cublas_stand_in(void);

extern const struct backend attnscope_backend;
const struct backend attnscope_backend = {.version = BACKEND_VERSION};

/* What makes the linker note that the library is needed. */
int needs_cublas(void);

int needs_cublas(void)
{
    return cublas_stand_in();
}
