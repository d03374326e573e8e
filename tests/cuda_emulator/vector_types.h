/* CUDA's vector types, with CUDA's alignments: a misaligned vector load is undefined on both sides,
 * and UndefinedBehaviorSanitizer reports it here. */
#ifndef CUDA_EMULATOR_VECTOR_TYPES_H
#define CUDA_EMULATOR_VECTOR_TYPES_H

#define CUDAEMU_VECTORS(name, element)                                                             \
    struct name##1                                                                                 \
    {                                                                                              \
        element x;                                                                                 \
    };                                                                                             \
    struct alignas(2 * sizeof(element)) name##2                                                    \
    {                                                                                              \
        element x, y;                                                                              \
    };                                                                                             \
    struct name##3                                                                                 \
    {                                                                                              \
        element x, y, z;                                                                           \
    };                                                                                             \
    struct alignas(4 * sizeof(element) < 16 ? 4 * sizeof(element) : 16) name##4                    \
    {                                                                                              \
        element x, y, z, w;                                                                        \
    };                                                                                             \
    static inline name##1 make_##name##1(element x)                                                \
    {                                                                                              \
        return {x};                                                                                \
    }                                                                                              \
    static inline name##2 make_##name##2(element x, element y)                                     \
    {                                                                                              \
        return {x, y};                                                                             \
    }                                                                                              \
    static inline name##3 make_##name##3(element x, element y, element z)                          \
    {                                                                                              \
        return {x, y, z};                                                                          \
    }                                                                                              \
    static inline name##4 make_##name##4(element x, element y, element z, element w)               \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }

CUDAEMU_VECTORS(char, signed char)
CUDAEMU_VECTORS(uchar, unsigned char)
CUDAEMU_VECTORS(short, short)
CUDAEMU_VECTORS(ushort, unsigned short)
CUDAEMU_VECTORS(int, int)
CUDAEMU_VECTORS(uint, unsigned)
CUDAEMU_VECTORS(longlong, long long)
CUDAEMU_VECTORS(ulonglong, unsigned long long)
CUDAEMU_VECTORS(float, float)
CUDAEMU_VECTORS(double, double)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};

#endif
