/* The CUDA emulator: results of correct kernels, in every order of threads. */
#include <math.h>

#include <vector>

#include <kernel.h>

#include "tests/gpu/cuda/emulator_support.h"

static const struct {
    enum cudaemu_order order;
    uint64_t seed;
} ORDERS[] = {{CUDAEMU_FORWARD, 0}, {CUDAEMU_REVERSE, 0}, {CUDAEMU_RANDOM, 1}, {CUDAEMU_RANDOM, 2}};

template <class T> static T *uploaded(const std::vector<T> &host)
{
    T *device;
    expect_success(cudaMalloc(&device, host.size() * sizeof(T)));
    expect_success(
        cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <class T> static std::vector<T> downloaded(const T *device, size_t count)
{
    std::vector<T> host(count);
    expect_success(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

/* Returns multiples of 1/64 in [-1, 1], so that sums and products of some are exact. */
static std::vector<float> numbers(size_t count, unsigned seed)
{
    std::vector<float> values(count);
    for (float &value : values) {
        seed = seed * 1664525 + 1013904223;
        value = (float)((int)(seed >> 16) % 65) / 64 * ((seed >> 8) % 2 ? 1 : -1);
    }
    return values;
}

template <int BLOCK> static __global__ void saxpy(float *y, const float *x, float a, int n)
{
    int i = (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (i < n)
        y[i] = a * x[i] + y[i];
}

static void every_thread_of_every_block_runs_once(void **)
{
    for (int n : {1, 3, 17, 33, 129, 1000})
        for (auto &order : ORDERS) {
            cudaemu_set_order(order.order, order.seed);
            std::vector<float> x = numbers((size_t)n, 1), y = numbers((size_t)n, 2);
            float *dx = uploaded(x), *dy = uploaded(y);
            LAUNCH(saxpy<32>, (n + 31) / 32, 32, 0, nullptr, dy, dx, 2.0f, n);
            LAUNCH(saxpy<256>, (n + 255) / 256, 256, 0, nullptr, dy, dx, 1.0f, n);
            expect_success(cudaGetLastError());
            std::vector<float> got = downloaded(dy, (size_t)n);
            for (int i = 0; i < n; i++)
                if (got[(size_t)i] != y[(size_t)i] + 3 * x[(size_t)i])
                    fail_msg("n %d, order %d: y[%d]", n, order.order, i);
            expect_success(cudaFree(dx));
            expect_success(cudaFree(dy));
        }
}

/* Sums n values with one block: within warps by shuffles, across warps in shared memory. */
template <int BLOCK> static __global__ void reduce(float *sum, const float *x, int n)
{
    SHARED(float, parts, BLOCK / 32);
    float value = 0;
    for (int i = (int)threadIdx.x; i < n; i += BLOCK)
        value += x[i];
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < BLOCK / 32; warp++)
            value += parts[warp];
        sum[blockIdx.x] = value;
    }
}

static void a_block_reduces_with_shuffles_and_shared_memory(void **)
{
    for (int n : {1, 31, 33, 129, 2000})
        for (auto &order : ORDERS) {
            cudaemu_set_order(order.order, order.seed);
            std::vector<float> x = numbers((size_t)n, 3);
            double wanted = 0;
            for (float value : x)
                wanted += value;
            float *dx = uploaded(x), *sums;
            expect_success(cudaMalloc(&sums, 2 * sizeof *sums));
            LAUNCH(reduce<32>, 1, 32, 0, nullptr, sums, dx, n);
            LAUNCH(reduce<1024>, 1, dim3(1024, 1, 1), 0, nullptr, sums + 1, dx, n);
            std::vector<float> got = downloaded(sums, 2);
            assert_true(got[0] == wanted && got[1] == wanted);
            expect_success(cudaFree(dx));
            expect_success(cudaFree(sums));
        }
}

static __global__ void shuffles(int *out, int width)
{
    int lane = (int)threadIdx.x;
    out[lane] = __shfl_sync(0xffffffff, lane, 5, width);
    out[32 + lane] = __shfl_up_sync(0xffffffff, lane, 3, width);
    out[64 + lane] = __shfl_down_sync(0xffffffff, lane, 3, width);
    out[96 + lane] = __shfl_xor_sync(0xffffffff, lane, 9, width);
}

/* See the programming guide, section "Warp shuffle functions". */
static void shuffles_read_the_lanes_that_the_guide_says(void **)
{
    int *out;
    expect_success(cudaMalloc(&out, 128 * sizeof *out));
    for (int width : {2, 8, 32}) {
        LAUNCH(shuffles, 1, 32, 0, nullptr, out, width);
        std::vector<int> got = downloaded(out, 128);
        for (int lane = 0; lane < 32; lane++) {
            int first = lane / width * width, other = lane ^ 9;
            size_t at = (size_t)lane;
            assert_int_equal(got[at], first + 5 % width);
            assert_int_equal(got[32 + at], lane - 3 >= first ? lane - 3 : lane);
            assert_int_equal(got[64 + at], lane + 3 < first + width ? lane + 3 : lane);
            assert_int_equal(got[96 + at], other < first + width ? other : lane);
        }
    }
    expect_success(cudaFree(out));
}

/* Odd and even lanes take different branches, each with its own mask. */
static __global__ void parted(unsigned *out)
{
    unsigned lane = threadIdx.x;
    if (lane % 2) {
        out[lane] = __ballot_sync(0xaaaaaaaa, lane < 8);
        __syncwarp(0xaaaaaaaa);
    } else {
        out[lane] = __shfl_sync(0x55555555, lane, 4) + __ballot_sync(0x55555555, lane >= 30);
    }
}

static void parts_of_a_warp_go_different_ways(void **)
{
    for (auto &order : ORDERS) {
        cudaemu_set_order(order.order, order.seed);
        unsigned *out;
        expect_success(cudaMalloc(&out, 32 * sizeof *out));
        LAUNCH(parted, 1, 32, 0, nullptr, out);
        std::vector<unsigned> got = downloaded(out, 32);
        for (size_t lane = 0; lane < 32; lane++)
            assert_int_equal(got[lane], lane % 2 ? 0xaa : 4 + 0x40000000u);
        expect_success(cudaFree(out));
    }
}

/* Reverses each row of a matrix in shared memory, whose size the launch sets; counts rows. */
static __global__ void reversed(float *x, int columns, int *rows)
{
    SHARED_CURSOR;
    SHARED(int, padding, 3);
    SHARED_DYNAMIC(float, row, columns);
    SHARED_DYNAMIC(float4, more, 2);
    float *mine = x + (size_t)blockIdx.x * (size_t)columns;
    for (int i = (int)threadIdx.x; i < columns; i += (int)blockDim.x)
        row[i] = mine[i];
    if (threadIdx.x < 2)
        more[threadIdx.x] = make_float4(1, 2, 3, 4);
    padding[threadIdx.x % 3] = 0;
    __syncthreads();
    for (int i = (int)threadIdx.x; i < columns; i += (int)blockDim.x)
        mine[i] = row[columns - 1 - i];
    if (threadIdx.x == 0)
        atomicAdd(rows, 1);
    atomicMax(rows + 1, (int)(blockIdx.x * blockDim.x + threadIdx.x));
}

static void shared_memory_of_the_launch_is_dealt_out(void **)
{
    const int columns = 20000; // more than 48 KB
    size_t bytes = SHARED_BYTES(float, columns) + SHARED_BYTES(float4, 2);
    std::vector<float> x = numbers(3 * columns, 5);
    float *dx = uploaded(x);
    int *rows = uploaded(std::vector<int>{0, 0});
    LAUNCH(reversed, 3, 64, bytes, nullptr, dx, columns, rows);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    expect_success(
        cudaFuncSetAttribute(reversed, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    LAUNCH(reversed, 3, 64, bytes, nullptr, dx, columns, rows);
    std::vector<float> got = downloaded(dx, x.size());
    for (size_t i = 0; i < x.size(); i++)
        assert_true(got[i] == x[i / columns * columns + columns - 1 - i % columns]);
    std::vector<int> counted = downloaded(rows, 2);
    assert_int_equal(counted[0], 3);
    assert_int_equal(counted[1], 3 * 64 - 1);
    assert_int_equal(cudaFuncSetAttribute(reversed, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          (227 << 10) + 1),
                     cudaErrorInvalidValue);
    cudaGetLastError();
    expect_success(cudaFree(dx));
    expect_success(cudaFree(rows));
}

static __global__ void triple(float4 *x, int n)
{
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) {
        float4 four = __ldg(&x[i]);
        x[i] = make_float4(3 * four.x, 3 * four.y, 3 * four.z, 3 * four.w);
    }
}

static void a_graph_replays_on_what_the_memory_holds_now(void **)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    struct cudaemu_counts counts;
    float *x = uploaded(std::vector<float>(8, 1.0f));
    expect_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cudaemu_reset_counts();
    expect_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    LAUNCH(triple, 1, 32, 0, stream, (float4 *)x, 2);
    LAUNCH(triple, 1, 32, 0, stream, (float4 *)x, 1);
    expect_success(cudaStreamEndCapture(stream, &graph));
    expect_success(cudaGraphInstantiate(&exec, graph));
    expect_success(cudaGraphDestroy(graph));
    assert_true(downloaded(x, 8) == std::vector<float>(8, 1.0f));
    for (float base : {2.0f, 5.0f}) {
        expect_success(
            cudaMemcpy(x, std::vector<float>(8, base).data(), 32, cudaMemcpyHostToDevice));
        expect_success(cudaGraphLaunch(exec, stream));
        expect_success(cudaStreamSynchronize(stream));
        float once = 3 * base, twice = 9 * base;
        assert_true(downloaded(x, 8) ==
                    (std::vector<float>{twice, twice, twice, twice, once, once, once, once}));
    }
    cudaemu_get_counts(&counts);
    assert_int_equal(counts.launches, 0);
    assert_int_equal(counts.graph_launches, 2);
    assert_int_equal(counts.kernels, 4);
    LAUNCH(triple, 1, 32, 0, stream, (float4 *)x, 1);
    cudaemu_get_counts(&counts);
    assert_int_equal(counts.launches, 1);
    expect_success(cudaGraphExecDestroy(exec));
    expect_success(cudaStreamDestroy(stream));
    expect_success(cudaFree(x));
}

static void work_is_done_when_the_host_waits_and_not_before(void **)
{
    cudaStream_t stream, other;
    cudaEvent_t event;
    float *x = uploaded(std::vector<float>(4, 1.0f)), *seen;
    expect_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    expect_success(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    expect_success(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    expect_success(cudaMallocHost(&seen, sizeof *seen));
    *seen = 0;
    LAUNCH(triple, 1, 32, 0, stream, (float4 *)x, 1);
    expect_success(cudaEventRecord(event, stream));
    expect_success(cudaStreamWaitEvent(other, event));
    expect_success(cudaMemcpyAsync(seen, x, sizeof *seen, cudaMemcpyDeviceToHost, other));
    assert_true(*seen == 0);
    assert_int_equal(cudaStreamQuery(other), cudaErrorNotReady);
    expect_success(cudaStreamSynchronize(other));
    assert_true(*seen == 3);
    expect_success(cudaEventQuery(event));
    expect_success(cudaFreeHost(seen));
    expect_success(cudaEventDestroy(event));
    expect_success(cudaStreamDestroy(other));
    expect_success(cudaStreamDestroy(stream));
    expect_success(cudaFree(x));
}

static void events_measure_time(void **)
{
    cudaEvent_t begin, end;
    float milliseconds = -1, *x = uploaded(std::vector<float>(4, 1.0f));
    expect_success(cudaEventCreate(&begin));
    expect_success(cudaEventCreate(&end));
    expect_success(cudaEventRecord(begin));
    LAUNCH(triple, 1, 32, 0, nullptr, (float4 *)x, 1);
    expect_success(cudaEventRecord(end));
    expect_success(cudaEventSynchronize(end));
    expect_success(cudaEventElapsedTime(&milliseconds, begin, end));
    assert_true(milliseconds > 0);
    expect_success(cudaEventDestroy(begin));
    expect_success(cudaEventDestroy(end));
    expect_success(cudaFree(x));
}

static void new_memory_holds_nan_and_has_an_end(void **)
{
    size_t left, total, after;
    float *x;
    void *none;
    expect_success(cudaMemGetInfo(&left, &total));
    expect_success(cudaMalloc(&x, 17 * sizeof *x));
    for (float value : downloaded(x, 17))
        assert_true(isnan(value));
    expect_success(cudaMemGetInfo(&after, &total));
    assert_true(after < left && after + 17 * sizeof *x <= left);
    assert_int_equal(cudaMalloc(&none, after + 1), cudaErrorMemoryAllocation);
    assert_null(none);
    assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    expect_success(cudaFree(x));
    expect_success(cudaMemGetInfo(&after, &total));
    assert_int_equal(after, left);
    assert_int_equal(cudaFree(x), cudaErrorInvalidValue);
    cudaGetLastError();
}

static void bfloat16_rounds_to_the_nearest_even(void **)
{
    static const struct {
        unsigned value;
        unsigned short wanted;
    } cases[] = {
        {0x3f800000, 0x3f80}, {0x3f808000, 0x3f80}, {0x3f808001, 0x3f81}, {0x3f818000, 0x3f82},
        {0x3f817fff, 0x3f81}, {0x80000000, 0x8000}, {0x7f7fffff, 0x7f80}, {0x7f800000, 0x7f80},
        {0xffc12345, 0x7fff}, {0x00000001, 0x0000},
    };
    for (auto &one : cases)
        assert_int_equal(__bfloat16_as_ushort(__float2bfloat16_rn(__uint_as_float(one.value))),
                         one.wanted);
    assert_true(__bfloat162float(__ushort_as_bfloat16(0xc040)) == -3.0f);
}

static void a_missing_gpu_or_driver_is_told(void **)
{
    int count = -1;
    cudaemu_set_devices(0);
    assert_int_equal(cudaGetDeviceCount(&count), cudaErrorNoDevice);
    assert_int_equal(count, 0);
    cudaemu_set_devices(1);
    cudaemu_set_driver(12080);
    assert_int_equal(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
    cudaemu_set_driver(13000);
    assert_int_equal(cudaSetDevice(1), cudaErrorInvalidDevice);
    expect_success(cudaSetDevice(0));
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_of_every_block_runs_once),
        cmocka_unit_test(a_block_reduces_with_shuffles_and_shared_memory),
        cmocka_unit_test(shuffles_read_the_lanes_that_the_guide_says),
        cmocka_unit_test(parts_of_a_warp_go_different_ways),
        cmocka_unit_test(shared_memory_of_the_launch_is_dealt_out),
        cmocka_unit_test(a_graph_replays_on_what_the_memory_holds_now),
        cmocka_unit_test(work_is_done_when_the_host_waits_and_not_before),
        cmocka_unit_test(events_measure_time),
        cmocka_unit_test(new_memory_holds_nan_and_has_an_end),
        cmocka_unit_test(bfloat16_rounds_to_the_nearest_even),
        cmocka_unit_test(a_missing_gpu_or_driver_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
