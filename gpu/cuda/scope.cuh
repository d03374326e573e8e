/* Scopes: operations recorded once and replayed. */
#ifndef ATTNSCOPE_CUDA_SCOPE_CUH
#define ATTNSCOPE_CUDA_SCOPE_CUH

#include "gpu/cuda/device.cuh"

struct scopes *scopes_open(struct status *status);
void scopes_close(struct scopes *scopes); // NULL: nothing

/* Drops all recordings, which refer to memory that is about to be freed. */
void scopes_forget(struct scopes *scopes);

#endif
