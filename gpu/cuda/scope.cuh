/* Scopes: what an operation does, recorded once and replayed. */
#ifndef ATTNSCOPE_CUDA_SCOPE_CUH
#define ATTNSCOPE_CUDA_SCOPE_CUH

#include "gpu/cuda/device.cuh"

struct scopes *scopes_open(struct status *status);
void scopes_close(struct scopes *scopes); // NULL: nothing

/* Drops all that was recorded: it names memory that is about to be given back. */
void scopes_forget(struct scopes *scopes);

#endif
