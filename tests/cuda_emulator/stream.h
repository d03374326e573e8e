/* Streams: the work given to them, and when it is done. */
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
    bool blocking;          // waits for the default stream, and vice versa
    int device;             // the current device of the thread that created it
};

namespace cudaemu
{

/* There is only one GPU: each call locks it. */
extern std::recursive_mutex device_mutex;
using device_lock = std::lock_guard<std::recursive_mutex>;

extern cudaemu_counts counts;
extern bool eager;

/* Returns the device chosen for this thread by cudaSetDevice. */
int current_device(void);
int compute_major(void); // of every GPU

/* Returns the error of a call, for cudaGetLastError too: `error`, or that a fault has happened. */
cudaError_t result(cudaError_t error);

enum class work_kind { kernel, copy, graph, mark };

/* Returns the tape for the stream's work, or null after an error, which has been passed to
 * `result`. Call `given` after adding the work. */
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

CUstream_st *stream_of(cudaStream_t stream); // null: the default stream
bool is_stream(cudaStream_t stream);

/* True if some stream is capturing: its capture is then spoilt, and the error has been passed to
 * `result`. */
bool spoils_capture(void);
bool is_capturing(cudaStream_t stream);

void drain(CUstream_st *stream); // does all its work
void drain_blocking(void);       // the work of the default stream and of those that wait for it
void drain_all(void);
void drain_until(CUstream_st *stream, const bool &done);

} // namespace cudaemu

#endif
