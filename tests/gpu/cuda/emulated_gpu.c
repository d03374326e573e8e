#include "tests/gpu/cuda/emulated_gpu.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "gpu/loader.h"

struct emulator emulator;

int emulator_seek(void **state)
{
    struct status status;
    const char *path = getenv("ATTNSCOPE_TEST_PLUGIN");
    if (!path || !backend_load(path, &status))
        return -1;
    void *plugin = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    *(void **)&emulator.set_memory = dlsym(plugin, "cudaemu_set_memory");
    *(void **)&emulator.set_devices = dlsym(plugin, "cudaemu_set_devices");
    *(void **)&emulator.set_busy = dlsym(plugin, "cudaemu_set_busy");
    *(void **)&emulator.set_driver = dlsym(plugin, "cudaemu_set_driver");
    *(void **)&emulator.set_major = dlsym(plugin, "cudaemu_set_major");
    *(void **)&emulator.set_eager = dlsym(plugin, "cudaemu_set_eager");
    *(void **)&emulator.on_launch = dlsym(plugin, "cudaemu_on_launch");
    *(void **)&emulator.refuse_graphs = dlsym(plugin, "cudaemu_refuse_graphs");
    *(void **)&emulator.refuse_epilogues = dlsym(plugin, "cudaemu_refuse_epilogues");
    *(void **)&emulator.lose_after = dlsym(plugin, "cudaemu_lose_after");
    *(void **)&emulator.on_fault = dlsym(plugin, "cudaemu_on_fault");
    *(void **)&emulator.get_counts = dlsym(plugin, "cudaemu_get_counts");
    *(void **)&emulator.ready_graphs = dlsym(plugin, "cudaemu_ready_graphs");
    *(void **)&emulator.reset_counts = dlsym(plugin, "cudaemu_reset_counts");
    dlclose(plugin); // the plug-in stays loaded
    return 0;
}

int emulator_find(void **state)
{
    return emulator_seek(state) == 0 && emulator.ready_graphs ? 0 : -1;
}

struct cudaemu_counts counted(void)
{
    struct cudaemu_counts counts;
    emulator.get_counts(&counts);
    return counts;
}
