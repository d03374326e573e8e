/* Timing in rounds: the median of several and how far they lie apart. */
#ifndef ATTNSCOPE_ROUNDS_H
#define ATTNSCOPE_ROUNDS_H

struct rounds {
    int count;            // 1 … ROUNDS_MOST
    double least_seconds; // of a round: shorter runs are repeated
};
enum { ROUNDS_MOST = 16 };

struct timing {
    double median, least, most; // seconds of one run
};

/* Runs `run` once to warm up, and then in rounds. `run` must return only when its work is done. */
struct timing rounds_time(const struct rounds *rounds, void (*run)(void *context), void *context);

#endif
