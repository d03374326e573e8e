#include "model/study/heads/head_stats_adder.h"

#include <stdlib.h>

#include "base/thread.h"

/* A sentence to add. There are two slots, so that one is filled while the other is added. */
struct slot {
    struct attended_sentence tokens;
    struct attended attended;
    struct capture capture;
};

struct adder {
    struct head_stats_result *result;
    struct slot slots[2];
    int turn; // the slot to fill next
    bool threaded;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    /* Guarded by the mutex. */
    struct slot *full; // the slot being added, or about to be; NULL: none
    bool quit, failed;
    struct status status;
};

static void add_slot(struct adder *adder, struct slot *slot, bool *failed, struct status *status)
{
    *failed = !head_stats_add(&adder->result->stats, &slot->attended, status);
    capture_free(&slot->capture);
    if (!*failed)
        adder->result->done = slot->attended.number;
}

static void *run(void *context)
{
    struct adder *adder = context;
    pthread_mutex_lock(&adder->mutex);
    while (!adder->quit || adder->full) {
        if (!adder->full) {
            pthread_cond_wait(&adder->changed, &adder->mutex);
            continue;
        }
        struct slot *slot = adder->full;
        struct status status;
        bool failed;
        pthread_mutex_unlock(&adder->mutex);
        add_slot(adder, slot, &failed, &status);
        pthread_mutex_lock(&adder->mutex);
        if (failed)
            adder->status = status;
        adder->failed |= failed;
        adder->full = NULL;
        pthread_cond_broadcast(&adder->changed);
    }
    pthread_mutex_unlock(&adder->mutex);
    return NULL;
}

struct adder *adder_open(struct head_stats_result *result, struct status *status)
{
    struct adder *adder = memory_new(1, sizeof *adder, status);
    if (!adder)
        return NULL;
    adder->result = result;
    pthread_mutex_init(&adder->mutex, NULL);
    pthread_cond_init(&adder->changed, NULL);
    adder->threaded = thread_start(&adder->thread, run, adder) == 0;
    return adder;
}

void adder_close(struct adder *adder)
{
    if (!adder)
        return;
    if (adder->threaded) {
        pthread_mutex_lock(&adder->mutex);
        adder->quit = true;
        pthread_cond_broadcast(&adder->changed);
        pthread_mutex_unlock(&adder->mutex);
        pthread_join(adder->thread, NULL);
    }
    pthread_cond_destroy(&adder->changed);
    pthread_mutex_destroy(&adder->mutex);
    for (int i = 0; i < 2; i++)
        attended_free(&adder->slots[i].tokens);
    free(adder);
}

bool adder_finish(struct adder *adder, struct status *status)
{
    pthread_mutex_lock(&adder->mutex);
    while (adder->full)
        pthread_cond_wait(&adder->changed, &adder->mutex);
    bool failed = adder->failed;
    if (failed)
        *status = adder->status;
    pthread_mutex_unlock(&adder->mutex);
    return !failed;
}

static bool hand_over(struct adder *adder, struct slot *slot, struct status *status)
{
    bool failed;
    if (!adder->threaded) {
        add_slot(adder, slot, &failed, status);
        return !failed;
    }
    if (!adder_finish(adder, status)) {
        capture_free(&slot->capture);
        return false;
    }
    pthread_mutex_lock(&adder->mutex);
    adder->full = slot;
    pthread_cond_broadcast(&adder->changed);
    pthread_mutex_unlock(&adder->mutex);
    return true;
}

bool adder_take(struct adder *adder, const struct checkpoint *checkpoint,
                const struct forced_sentence *forced, struct capture *capture,
                struct status *status)
{
    struct slot *slot = &adder->slots[adder->turn];
    adder->turn = 1 - adder->turn;
    slot->capture = *capture;
    *capture = (struct capture){0};
    if (!attended_fill(checkpoint, forced, &slot->tokens, &slot->attended, status)) {
        capture_free(&slot->capture);
        return false;
    }
    slot->attended.capture = &slot->capture;
    return hand_over(adder, slot, status);
}
