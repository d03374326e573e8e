#include "tests/emulated_gpu.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "gpu/loader.h"

struct emulated_gpu emulated_gpu;

int find_emulated_gpu(void **state)
{
    struct status status;
    const char *path = getenv("ATTNSCOPE_TEST_PLUGIN");
    (void)state;
    if (!path || !backend_load(path, &status))
        return -1;
    void *plugin = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    *(void **)&emulated_gpu.set_memory = dlsym(plugin, "cudaemu_set_memory");
    *(void **)&emulated_gpu.get_counts = dlsym(plugin, "cudaemu_get_counts");
    *(void **)&emulated_gpu.reset_counts = dlsym(plugin, "cudaemu_reset_counts");
    *(void **)&emulated_gpu.ready_graphs = dlsym(plugin, "cudaemu_ready_graphs");
    dlclose(plugin); // which stays
    return emulated_gpu.set_memory && emulated_gpu.get_counts && emulated_gpu.reset_counts &&
                   emulated_gpu.ready_graphs
               ? 0
               : -1;
}

struct cudaemu_counts counted(void)
{
    struct cudaemu_counts counts;
    emulated_gpu.get_counts(&counts);
    return counts;
}
