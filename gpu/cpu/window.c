#include "gpu/cpu/window.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "gpu/cpu/ops.h"
#include "gpu/cpu/weight.h"

/* Rows for every thread, on average, from which on a scope has windows. With fewer, the threads share the columns of
 * every product, so that each reads a part of the weights only, and wait for one another after each: where weights come
 * from a cache rather than from memory, reading them all takes less time than that. */
enum { LEAST_ROWS = 16, LEAST_ROWS_CACHED = 4 };

/* A thread, and its window of the present scope. */
struct member {
    struct device *own;
    double speed;   // of late, 1: as fast as all are on average
    double seconds; // from the scope's beginning to this window's end
    int begin;
};

struct windows {
    struct device *device;
    size_t cached_bytes; // of weights that come from a cache
    int count;
    struct member member[]; // (count + 1): the last has a begin alone, where all end
};

/* Where the calling thread is. */
struct window {
    const struct device *of; // NULL: in none
    struct device *device;
    int begin, rows;
};

static _Thread_local struct window here;

static void own_close(struct device *own)
{
    if (!own)
        return;
    pool_close(own->pool);
    memory_aligned_free(own->scratch, own->scratch_size);
    free(own);
}

static struct device *own_open(struct device *device, struct status *status)
{
    struct device *own = memory_new(1, sizeof *own, status);
    if (!own)
        return NULL;
    own->isa = device->isa;
    own->kernels = device->kernels;
    own->gemm = device->gemm;
    own->cancel = device->cancel;
    own->pool = pool_open(1, status);
    if (own->pool)
        return own;
    free(own);
    return NULL;
}

/* The cache that threads share, as far as that was tried: with 30 MB of weights windows of few rows were faster, with
 * 120 MB slower. */
static size_t cached_bytes(void)
{
    const long unknown = 8 << 20, most = 32 << 20;
    long size = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    size = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return (size_t)(size <= 0 ? unknown : size < most ? size : most);
}

struct windows *windows_open(struct device *device, struct status *status)
{
    const int threads = pool_threads(device->pool);
    struct windows *windows =
        memory_new(1, sizeof *windows + (size_t)(threads + 1) * sizeof *windows->member, status);
    if (!windows)
        return NULL;
    windows->device = device;
    windows->cached_bytes = cached_bytes();
    for (; threads > 1 && windows->count < threads; windows->count++) {
        struct member *member = &windows->member[windows->count];
        *member = (struct member){.own = own_open(device, status), .speed = 1};
        if (!member->own) {
            windows_close(windows);
            return NULL;
        }
    }
    return windows;
}

void windows_close(struct windows *windows)
{
    for (int i = 0; windows && i < windows->count; i++)
        own_close(windows->member[i].own);
    free(windows);
}

/* Scopes */

struct scope_run {
    struct windows *windows;
    const struct scope_args *args;
    double begin; // seconds
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The beginning of a group that is nearest to a row. */
static int group_near(const struct scope_args *args, int row)
{
    int group = 0;
    if (!args->groups)
        return (row + args->width / 2) / args->width * args->width;
    while (args->groups[group] < row)
        group++;
    if (group > 0 && row - args->groups[group - 1] < args->groups[group] - row)
        group--;
    return args->groups[group];
}

/* How much of a scope is a thread's, beside the others. */
typedef double share(const struct member *member);

static double by_speed(const struct member *member)
{
    return member->speed;
}

static double equally(const struct member *member)
{
    (void)member;
    return 1;
}

static double share_total(const struct windows *windows, share *share_of)
{
    double total = 0;
    for (int i = 0; i < windows->count; i++)
        total += share_of(&windows->member[i]);
    return total;
}

static int window_rows(const struct member *member)
{
    return member[1].begin - member->begin;
}

/* Whole groups for every thread, of about its share of the rows. Whether that comes out even: a long sentence or a wide
 * beam may be most of a scope. */
static bool rows_share_out(struct windows *windows, const struct scope_args *args, share *share_of)
{
    const double total = share_total(windows, share_of);
    double before = 0;
    bool even = true;
    for (int i = 0; i < windows->count; before += share_of(&windows->member[i++]))
        windows->member[i].begin = group_near(args, (int)(args->rows * (before / total)));
    windows->member[windows->count].begin = args->rows;
    for (int i = 0; i < windows->count; i++) {
        const struct member *member = &windows->member[i];
        const int rows = window_rows(member);
        even = even && rows > 0 && rows <= 1.25 * args->rows * (share_of(member) / total);
    }
    return even;
}

/* The longer windows are, the more they count: what short ones take depends on who was woken late. */
static void speeds_learn(struct windows *windows)
{
    const double most = 0.5, slowest = 0.25;
    const double as_all_before = 5e-3; // seconds of a window that counts as much as those before it
    double total = 0, seconds = 0;
    for (int i = 0; i < windows->count; i++) {
        total += window_rows(&windows->member[i]) / windows->member[i].seconds;
        seconds += windows->member[i].seconds / windows->count;
    }
    const double newest = fmin(most, seconds / (seconds + as_all_before));
    for (int i = 0; i < windows->count; i++) {
        struct member *member = &windows->member[i];
        const double rate = window_rows(member) / member->seconds / (total / windows->count);
        member->speed += newest * (fmax(rate, slowest) - member->speed);
    }
}

/* By speed, as other programs slow down one core more than another, and who is done first would wait. Speeds may not
 * fit whole groups, or be of long ago: then equally. */
static bool windows_share_out(struct windows *windows, const struct scope_args *args)
{
    const bool cached = windows->device->weight_bytes <= windows->cached_bytes;
    const int least = cached ? LEAST_ROWS_CACHED : LEAST_ROWS;
    if (windows->count == 0 || args->rows < least * windows->count)
        return false;
    return rows_share_out(windows, args, by_speed) || rows_share_out(windows, args, equally);
}

static void window_run(void *context, int index)
{
    const struct scope_run *run = context;
    struct windows *windows = run->windows;
    struct member *member = &windows->member[index];
    here = (struct window){.of = windows->device,
                           .device = windows->member[pool_self(windows->device->pool)].own,
                           .begin = member->begin,
                           .rows = window_rows(member)};
    run->args->body(run->args->context);
    here = (struct window){0};
    member->seconds = fmax(now() - run->begin, 1e-9);
}

static void failures_collect(struct windows *windows)
{
    for (int i = 0; i < windows->count; i++) {
        struct device *own = windows->member[i].own, *device = windows->device;
        if (own->failed && !device->failed)
            device->failure = own->failure;
        device->failed |= own->failed;
        own->failed = false;
    }
}

void cpu_scope(struct device *device, const struct scope_args *args)
{
    struct windows *windows = device->windows;
    if (!windows_share_out(windows, args)) {
        args->body(args->context);
        return;
    }
    struct scope_run run = {windows, args, now()};
    pool_run(device->pool, windows->count, POOL_HEAVY, window_run, &run);
    if (!cancelled(device))
        speeds_learn(windows);
    failures_collect(windows);
}

/* Operations */

/* A tensor's rows of the window, `elements` of 4 bytes each. */
static struct tensor mine(struct tensor tensor, int elements)
{
    return tensor_present(tensor)
               ? tensor_at(tensor, (size_t)here.begin * (size_t)elements * sizeof(float))
               : tensor;
}

static struct row_args my_rows(struct row_args rows)
{
    rows.rows = here.rows;
    rows.lane = mine(rows.lane, 1);
    rows.pos = mine(rows.pos, 1);
    rows.slot = mine(rows.slot, 1);
    return rows;
}

static bool inside(const struct device *device)
{
    return here.of == device;
}

void window_embed(struct device *device, const struct embed_args *args)
{
    struct embed_args part = *args;
    if (!inside(device)) {
        cpu_embed(device, args);
        return;
    }
    part.rows = here.rows;
    part.y = mine(args->y, args->table->k);
    part.ids = mine(args->ids, 1);
    part.pos = mine(args->pos, 1);
    cpu_embed(here.device, &part);
}

static struct linear_args my_product(const struct linear_args *args)
{
    struct linear_args part = *args;
    part.rows = here.rows;
    part.y = mine(args->y, args->ldy);
    part.x = mine(args->x, args->ldx);
    part.slot = mine(args->slot, 1);
    return part;
}

void window_linear(struct device *device, const struct linear_args *args, int count)
{
    struct linear_args parts[LINEAR_MOST];
    if (!inside(device)) {
        cpu_linear(device, args, count);
        return;
    }
    for (int i = 0; i < count; i++)
        parts[i] = my_product(&args[i]);
    cpu_linear(here.device, parts, count);
}

void window_gather(struct device *device, const struct move_args *args)
{
    struct move_args part = *args;
    if (!inside(device)) {
        cpu_gather(device, args);
        return;
    }
    part.rows = here.rows;
    part.y = mine(args->y, args->ldy);
    part.x = tensor_present(args->index) ? args->x : mine(args->x, args->ldx);
    part.index = mine(args->index, 1);
    cpu_gather(here.device, &part);
}

void window_scatter(struct device *device, const struct move_args *args)
{
    struct move_args part = *args;
    if (!inside(device)) {
        cpu_scatter(device, args);
        return;
    }
    part.rows = here.rows;
    part.y = tensor_present(args->index) ? args->y : mine(args->y, args->ldy);
    part.x = mine(args->x, args->ldx);
    part.index = mine(args->index, 1);
    cpu_scatter(here.device, &part);
}

void window_norm(struct device *device, const struct norm_args *args)
{
    struct norm_args part = *args;
    if (!inside(device)) {
        cpu_norm(device, args);
        return;
    }
    part.rows = here.rows;
    part.y = mine(args->y, args->ldy);
    part.sum = mine(args->sum, args->columns);
    part.x = mine(args->x, args->columns);
    part.residual = mine(args->residual, args->ldresidual);
    cpu_norm(here.device, &part);
}

void window_prefix_mean(struct device *device, const struct prefix_mean_args *args)
{
    struct prefix_mean_args part = *args;
    if (!inside(device)) {
        cpu_prefix_mean(device, args);
        return;
    }
    part.rows = my_rows(args->rows);
    part.y = mine(args->y, args->ldy);
    part.x = mine(args->x, args->ldx);
    cpu_prefix_mean(here.device, &part);
}

void window_gate(struct device *device, const struct gate_args *args)
{
    struct gate_args part = *args;
    if (!inside(device)) {
        cpu_gate(device, args);
        return;
    }
    part.rows = here.rows;
    part.q = mine(args->q, args->ldq);
    part.cu = mine(args->cu, args->ldcu);
    part.lambda = mine(args->lambda, args->scope == GATE_HEAD ? args->heads : 1);
    cpu_gate(here.device, &part);
}

void window_words(struct device *device, const struct word_args *args)
{
    struct word_args part = *args;
    if (!inside(device)) {
        cpu_words(device, args);
        return;
    }
    part.rows = my_rows(args->rows);
    part.ids = mine(args->ids, 1);
    part.row_word = mine(args->row_word, 1);
    cpu_words(here.device, &part);
}

void window_attention(struct device *device, const struct attention_args *args)
{
    struct attention_args part = *args;
    if (!inside(device)) {
        cpu_attention(device, args);
        return;
    }
    part.rows = my_rows(args->rows);
    part.o = mine(args->o, args->heads * args->head_dim);
    part.q = mine(args->q, args->ldq);
    part.begin = mine(args->begin, 1);
    part.end = mine(args->end, 1);
    part.position = mine(args->position, 1);
    part.variant = mine(args->variant, 1);
    part.row_word = mine(args->row_word, 1);
    cpu_attention(here.device, &part);
}

void window_mix_heads(struct device *device, const struct mix_args *args)
{
    struct mix_args part = *args;
    if (!inside(device)) {
        cpu_mix_heads(device, args);
        return;
    }
    part.rows = here.rows;
    part.y = mine(args->y, args->head_dim);
    part.o = mine(args->o, args->heads * args->head_dim);
    part.s = mine(args->s, args->head_dim);
    part.importance = mine(args->importance, args->heads);
    part.variant = mine(args->variant, 1);
    cpu_mix_heads(here.device, &part);
}

void window_logprob(struct device *device, const struct logprob_args *args)
{
    if (!inside(device)) {
        cpu_logprob(device, args);
        return;
    }
    const struct logprob_args part = logprob_rows(args, here.begin, here.rows);
    cpu_logprob(here.device, &part);
}

void window_select(struct device *device, const struct select_args *args)
{
    if (inside(device))
        cpu_select_rows(here.device, args, here.begin, here.begin + here.rows);
    else
        cpu_select_rows(device, args, 0, args->rows);
}

void window_advance(struct device *device, const struct advance_args *args)
{
    struct advance_args part = *args;
    if (!inside(device)) {
        cpu_advance(device, args);
        return;
    }
    part.rows = here.rows;
    part.row_lane = mine(args->row_lane, 1);
    part.top_id = mine(args->top_id, args->tops);
    part.top_lp = mine(args->top_lp, args->tops);
    part.eos_lp = mine(args->eos_lp, 1);
    cpu_advance(here.device, &part);
}
