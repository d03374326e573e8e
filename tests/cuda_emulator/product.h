/* A product of cuBLAS as work for a stream: of column-major matrices, c = f(alpha op(a) op(b) +
 * beta c + bias). */
#ifndef CUDA_EMULATOR_PRODUCT_H
#define CUDA_EMULATOR_PRODUCT_H

#include "cublas_v2.h"
#include "stream.h"

namespace cudaemu
{

struct operand {
    char *memory;
    cudaDataType type;
    bool transposed; // as it lies: rows and columns change places
    int ld;
    long long stride; // in elements, from one of the batch to the next
    int rows, columns;

    size_t element() const
    {
        return type == CUDA_R_32F ? 4 : 2;
    }
};

enum class epilogue { none, relu, gelu };

struct product {
    operand a, b, c; // c of (m, n), a of (m, k), b of (k, n)
    int k, batch;
    float alpha, beta;
    bool tf32;
    const void *bias; // (m) of the type of c, of device memory, or null
    epilogue after;

    void operator()() const;
};

/* Checks it as cuBLAS does, and more (cublas_v2.h), and gives it to the stream. */
cublasStatus_t give_product(const product &work, cudaStream_t stream, const void *workspace);

} // namespace cudaemu

#endif
