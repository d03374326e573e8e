/* Streams: what they have been given, and when it is done. */
#ifndef CUDA_EMULATOR_STREAM_H
#define CUDA_EMULATOR_STREAM_H

#include <mutex>

#include "cuda_runtime.h"
#include "emulator.h"
#include "tape.h"

struct CUstream_st {
    cudaemu::tape work;     // given and not done
    cudaemu::tape captured; // since cudaStreamBeginCapture
    bool capturing, spoilt; // spoilt: the capture ended with an error
    bool blocking;          // waits for the default stream, and it for this one
    int device;             // the current one of the thread that made it
};

namespace cudaemu
{

/* The GPU is one: a call holds it. */
extern std::recursive_mutex device_mutex;
using device_lock = std::lock_guard<std::recursive_mutex>;

extern cudaemu_counts counts;
extern bool eager;

/* What cudaSetDevice chose for this thread. */
int current_device(void);
int compute_major(void); // of every GPU

/* What a call returns, and cudaGetLastError after it: `error`, or that a fault has happened. */
cudaError_t result(cudaError_t error);

enum class work_kind { kernel, copy, graph, mark };

/* Where work for the stream is put: null after an error, which `result` has been told. When it has
 * been put there, `given`. */
tape *accept(cudaStream_t stream, work_kind kind);
cudaError_t given(cudaStream_t stream);

template <class T> cudaError_t give(cudaStream_t stream, work_kind kind, const T &work)
{
    tape *tape = accept(stream, kind);
    if (!tape)
        return cudaPeekAtLastError();
    tape->add(work);
    return given(stream);
}

CUstream_st *stream_of(cudaStream_t stream); // null: the default one
bool is_stream(cudaStream_t stream);

/* True if some stream captures: then it is spoilt, and `result` has been told. */
bool spoils_capture(void);
bool is_capturing(cudaStream_t stream);

void drain(CUstream_st *stream); // does all its work
void drain_blocking(void);       // of the default stream and those that wait for it
void drain_all(void);
void drain_until(CUstream_st *stream, const bool &done);

} // namespace cudaemu

#endif
