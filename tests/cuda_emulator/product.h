/* A product of cuBLAS as work for a stream, of column-major matrices: c = f(alpha op(a) op(b) +
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
    bool transposed; // as stored; rows and columns are swapped when it is used
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
    operand a, b, c; // c is (m, n), a (m, k), b (k, n)
    int k, batch;
    float alpha, beta;
    bool tf32;
    const void *bias; // (m), of c's type, in device memory; or null
    epilogue after;

    void operator()() const;
};

/* Checks the product as cuBLAS does, more strictly (cublas_v2.h), and gives it to the stream. */
cublasStatus_t give_product(const product &work, cudaStream_t stream, const void *workspace);

} // namespace cudaemu

#endif
