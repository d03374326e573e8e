/* Where threads meet: collectives of a warp's lanes, and the barrier of a block. */
#include "scheduler.h"

#include <stdio.h>
#include <string.h>

#include "emulator.h"
#include "fault.h"

namespace cudaemu
{

static const char *const NAMES[] = {"__syncwarp",       "__shfl_sync",     "__shfl_up_sync",
                                    "__shfl_down_sync", "__shfl_xor_sync", "__ballot_sync"};

static const char *file_of(place at)
{
    const char *slash = strrchr(at.file, '/');
    return slash ? slash + 1 : at.file;
}

/* Returns a description of where a thread is. */
static const char *whereabouts(const thread &thread, char (&text)[160])
{
    if (thread.state == state::in_warp)
        snprintf(text, sizeof text, "waits in %s at %s:%d with mask 0x%08x",
                 NAMES[(int)thread.what], file_of(thread.at), thread.at.line, thread.mask);
    else if (thread.state == state::at_barrier)
        snprintf(text, sizeof text, "waits in __syncthreads at %s:%d", file_of(thread.at),
                 thread.at.line);
    else
        snprintf(text, sizeof text, "has left the kernel");
    return text;
}

static unsigned warp_of(const thread &thread)
{
    return thread.number / LANES;
}

static uint32_t bit_of(const thread &thread)
{
    return 1u << thread.number % LANES;
}

static thread &lane_of(unsigned warp, unsigned lane)
{
    return running.threads[warp * LANES + lane];
}

[[noreturn, gnu::noinline]] static void refuse(const thread &self, unsigned lane)
{
    char text[160];
    const thread &other = lane_of(warp_of(self), lane);
    kernel_fault("%s at %s:%d with mask 0x%08x: lane %u, with which it shares lanes, %s",
                 NAMES[(int)self.what], file_of(self.at), self.at.line, self.mask, lane,
                 whereabouts(other, text));
}

static bool same_place(place a, place b)
{
    return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0);
}

/* Waiting lanes must wait in the same collective, or in one that does not involve this lane. */
static bool check_against(const thread &self, unsigned lane)
{
    const thread &other = lane_of(warp_of(self), lane);
    bool same = other.mask == self.mask && other.what == self.what && same_place(other.at, self.at);
    if (!same && (other.mask & self.mask) != 0)
        refuse(self, lane);
    return same;
}

[[noreturn, gnu::noinline]] static void refuse_call(const thread &self)
{
    if (!(self.mask & bit_of(self)))
        kernel_fault("%s at %s:%d: mask 0x%08x does not name the lane %u that calls",
                     NAMES[(int)self.what], file_of(self.at), self.at.line, self.mask,
                     self.number % LANES);
    kernel_fault("%s at %s:%d: width %d, expected a power of two up to 32", NAMES[(int)self.what],
                 file_of(self.at), self.at.line, self.width);
}

[[noreturn, gnu::noinline]] static void refuse_missing(const thread &self, unsigned lane)
{
    kernel_fault("%s at %s:%d: mask 0x%08x names lane %u, which %s", NAMES[(int)self.what],
                 file_of(self.at), self.at.line, self.mask, lane,
                 running.size - warp_of(self) * LANES <= lane ? "the block does not have"
                                                              : "has left the kernel");
}

static bool is_width(int width)
{
    return width >= 1 && width <= LANES && (width & (width - 1)) == 0;
}

static void check_arrival(const thread &self)
{
    unsigned warp = warp_of(self);
    if (!(self.mask & bit_of(self)) || !is_width(self.width))
        refuse_call(self);
    uint32_t missing = self.mask & running.gone[warp];
    if (missing)
        refuse_missing(self, (unsigned)__builtin_ctz(missing));
    // Waiting lanes agree with each other, so checking one of the same group is enough.
    for (uint32_t rest = running.waiting[warp]; rest; rest &= rest - 1)
        if (check_against(self, (unsigned)__builtin_ctz(rest)))
            break;
}

/* Returns the lane that a shuffle reads from, as the CUDA C++ programming guide defines it. */
static int source_of(int lane, collective what, int operand, int width)
{
    int segment = lane & ~(width - 1), from = lane;
    if (what == collective::shuffle)
        return segment + (operand & (width - 1));
    if (what == collective::up)
        from = lane - operand;
    else if (what == collective::down)
        from = lane + operand;
    else if (what == collective::exchange)
        from = lane ^ operand;
    if (what == collective::exchange ? from >= segment + width
                                     : from < segment || from >= segment + width)
        return lane;
    return from;
}

[[noreturn, gnu::noinline]] static void refuse_read(thread &self, int source)
{
    running.current = &self; // names the thread at fault
    kernel_fault("%s at %s:%d: it reads lane %d, which mask 0x%08x does not name",
                 NAMES[(int)self.what], file_of(self.at), self.at.line, source, self.mask);
}

static uint32_t read_lane(thread &self)
{
    int source = source_of((int)(self.number % LANES), self.what, self.operand, self.width);
    if (source < 0 || source >= LANES || !(self.mask >> source & 1))
        refuse_read(self, source);
    return lane_of(warp_of(self), (unsigned)source).value;
}

static uint32_t vote(unsigned warp, uint32_t mask)
{
    uint32_t ballot = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        ballot |= lane_of(warp, lane).value << lane;
    }
    return ballot;
}

/* Orders everything before the collective in these lanes before everything after it. */
static void pass_sync(unsigned warp, uint32_t mask)
{
    unsigned most = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const unsigned syncs = lane_of(warp, (unsigned)__builtin_ctz(rest)).syncs;
        most = syncs > most ? syncs : most;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        lane_of(warp, (unsigned)__builtin_ctz(rest)).syncs = most + 1;
}

/* Once all lanes have arrived: gives each its result and resumes it. */
[[gnu::noinline]] static void complete(unsigned warp, uint32_t mask, collective what)
{
    uint32_t ballot = what == collective::ballot ? vote(warp, mask) : 0;
    for (uint32_t rest = mask; rest && what != collective::sync; rest &= rest - 1) {
        thread &lane = lane_of(warp, (unsigned)__builtin_ctz(rest));
        lane.result = what == collective::ballot ? ballot : read_lane(lane);
    }
    if (what == collective::sync)
        pass_sync(warp, mask);
    running.waiting[warp] &= ~mask;
    if (mask == ~0u)
        return wake_all(&lane_of(warp, 0), LANES);
    for (unsigned i = 0; i < LANES; i++) {
        unsigned lane = current_order() == CUDAEMU_REVERSE ? i : LANES - 1 - i;
        if (mask >> lane & 1)
            wake(&lane_of(warp, lane));
    }
}

static uint32_t meet_some(thread &self, place at, collective what, uint32_t mask, uint32_t value,
                          int operand, int width)
{
    unsigned warp = warp_of(self);
    self.what = what;
    self.mask = mask;
    self.value = value;
    self.operand = operand;
    self.width = width;
    self.at = at;
    check_arrival(self);
    self.state = state::in_warp;
    running.waiting[warp] |= bit_of(self);
    if ((running.waiting[warp] & mask) == mask)
        complete(warp, mask, what);
    wait();
    return self.result;
}

/* Copies the meeting into the threads that wait in it, for the report of a fault. */
static void describe_meeting(unsigned warp)
{
    const meeting &met = running.meetings[warp];
    for (uint32_t rest = met.begun ? running.waiting[warp] : 0; rest; rest &= rest - 1) {
        thread &lane = lane_of(warp, (unsigned)__builtin_ctz(rest));
        lane.state = state::in_warp;
        lane.what = met.what;
        lane.mask = ~0u;
        lane.at = met.at;
    }
}

[[gnu::noinline]] static void complete_meeting(unsigned warp)
{
    meeting &met = running.meetings[warp];
    uint32_t *values = met.values[met.odd], ballot = 0;
    if (met.what == collective::sync)
        pass_sync(warp, ~0u);
    for (unsigned i = 0; i < LANES && met.what == collective::ballot; i++)
        ballot |= values[i] << i;
    if (met.what == collective::ballot)
        values[0] = ballot;
    met.odd ^= 1;
    met.begun = false;
    running.waiting[warp] = 0;
    wake_all(&lane_of(warp, 0), LANES);
}

/* Does what meet_some does, but faster: nearly every collective is of all lanes. */
static uint32_t meet_all(thread &self, place at, collective what, uint32_t value, int operand,
                         int width)
{
    unsigned warp = warp_of(self);
    int lane = (int)(self.number % LANES);
    meeting &met = running.meetings[warp];
    uint32_t *values = met.values[met.odd];
    if (!met.begun) {
        met.begun = true;
        met.at = at;
        met.what = what;
    }
    values[lane] = value;
    running.waiting[warp] |= bit_of(self);
    if (running.waiting[warp] == ~0u)
        complete_meeting(warp);
    wait();
    if (what == collective::sync || what == collective::ballot)
        return values[0];
    int source = source_of(lane, what, operand, width);
    if (source < 0 || source >= LANES) {
        self.what = what;
        self.at = at;
        self.mask = ~0u;
        refuse_read(self, source);
    }
    return values[source];
}

uint32_t meet(place at, collective what, uint32_t mask, uint32_t value, int operand, int width)
{
    thread &self = *running.current;
    unsigned warp = warp_of(self);
    const meeting &met = running.meetings[warp];
    bool joins = met.begun ? met.what == what && same_place(met.at, at)
                           : running.waiting[warp] == 0 && running.gone[warp] == 0;
    if (mask == ~0u && joins && is_width(width))
        return meet_all(self, at, what, value, operand, width);
    describe_meeting(warp);
    return meet_some(self, at, what, mask, value, operand, width);
}

void leave_warp(const thread &self)
{
    unsigned warp = warp_of(self);
    running.gone[warp] |= bit_of(self);
    describe_meeting(warp);
    for (uint32_t rest = running.waiting[warp]; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        const thread &other = lane_of(warp, lane);
        char text[160];
        if (other.mask & bit_of(self))
            kernel_fault("it leaves the kernel, but lane %u %s, which names it", lane,
                         whereabouts(other, text));
    }
}

static void check_barrier(const thread &self)
{
    for (unsigned i = 0; i < running.size; i++) {
        const thread &other = running.threads[i];
        char text[160];
        if (other.state == state::returned)
            kernel_fault("__syncthreads at %s:%d: thread (%u, %u, %u) has left the kernel",
                         file_of(self.at), self.at.line, other.index.x, other.index.y,
                         other.index.z);
        if (other.state != state::at_barrier || same_place(other.at, self.at))
            continue;
        kernel_fault("__syncthreads at %s:%d: thread (%u, %u, %u) %s", file_of(self.at),
                     self.at.line, other.index.x, other.index.y, other.index.z,
                     whereabouts(other, text));
    }
}

void wait_for_block(place at)
{
    thread &self = *running.current;
    self.at = at;
    if (running.returned > 0 || running.at_barrier == running.size - 1)
        check_barrier(self); // each time would take the square of the block's size
    self.state = state::at_barrier;
    if (++running.at_barrier == running.size) {
        running.at_barrier = 0;
        running.barriers++;
        wake_all(running.threads, running.size);
    }
    wait();
}

/* Some threads wait in a warp: if all waited at barriers, they would have been resumed or
 * reported. */
void report_deadlock(void)
{
    for (unsigned warp = 0; warp < THREADS_MOST / LANES; warp++)
        describe_meeting(warp);
    for (unsigned i = 0; i < running.size; i++) {
        thread &self = running.threads[i];
        uint32_t missing =
            self.state == state::in_warp ? self.mask & ~running.waiting[warp_of(self)] : 0;
        if (!missing)
            continue;
        unsigned lane = (unsigned)__builtin_ctz(missing);
        char text[160];
        running.current = &self;
        note_fault("%s at %s:%d: mask 0x%08x names lane %u, which never arrives: it %s",
                   NAMES[(int)self.what], file_of(self.at), self.at.line, self.mask, lane,
                   whereabouts(lane_of(warp_of(self), lane), text));
        return;
    }
    note_fault("the threads of the block wait for each other");
}

} // namespace cudaemu
