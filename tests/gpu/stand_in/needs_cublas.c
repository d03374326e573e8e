/* A plug-in that can be loaded only after the library beside it. */
#include "gpu/backend.h"

int cublas_stand_in(void);

extern const struct backend attnscope_backend;
const struct backend attnscope_backend = {.version = BACKEND_VERSION};

/* A call that makes the linker record that the library is needed. */
int needs_cublas(void);

int needs_cublas(void)
{
    return cublas_stand_in();
}
