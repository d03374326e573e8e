/* Scopes: what an operation does, recorded once and replayed. */
#ifndef ATTNSCOPE_CUDA_SCOPE_CUH
#define ATTNSCOPE_CUDA_SCOPE_CUH

#include "gpu/cuda/device.cuh"

struct scopes *scopes_open(struct status *status);
void scopes_close(struct scopes *scopes); // NULL: nothing

/* Once, when the device is opened: with ATTNSCOPE_CUDA_GRAPHS=0 scopes are run operation by operation. */
void scopes_switch(struct device *device);

/* Drops all that was recorded: it names memory that is about to be given back. */
void scopes_forget(struct scopes *scopes);

#endif
