#include "model/study/heads/head_cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FURTHEST 1e9 // replaces NaN; finite, so that means of it can be compared

/* Clusters are lists of members; a joined cluster keeps the lower place of the two. */
struct clusters {
    int count;
    double *distances; // (count, count) between clusters
    int *sizes;        // (count); 0: joined to another
    int *next, *last;  // (count): the member after each, -1 at the end; each cluster's last member
};

static double *between(const struct clusters *clusters, int a, int b)
{
    return &clusters->distances[(size_t)a * (size_t)clusters->count + (size_t)b];
}

static void find_nearest(const struct clusters *clusters, int *a, int *b)
{
    double least = INFINITY;
    *a = *b = -1;
    for (int i = 0; i < clusters->count; i++)
        for (int j = i + 1; clusters->sizes[i] && j < clusters->count; j++)
            if (clusters->sizes[j] && (*a < 0 || *between(clusters, i, j) < least)) {
                least = *between(clusters, i, j);
                *a = i;
                *b = j;
            }
}

static void join(struct clusters *clusters, int a, int b)
{
    const double sizes[] = {clusters->sizes[a], clusters->sizes[b]};
    for (int i = 0; i < clusters->count; i++) {
        double mean = (sizes[0] * *between(clusters, a, i) + sizes[1] * *between(clusters, b, i)) /
                      (sizes[0] + sizes[1]);
        *between(clusters, a, i) = *between(clusters, i, a) = mean;
    }
    clusters->next[clusters->last[a]] = b;
    clusters->last[a] = clusters->last[b];
    clusters->sizes[a] += clusters->sizes[b];
    clusters->sizes[b] = 0;
}

static bool open_clusters(struct clusters *clusters, const double *distances, struct status *status)
{
    const size_t count = (size_t)clusters->count;
    clusters->distances = memory_new(count * count, sizeof *clusters->distances, status);
    clusters->sizes = memory_new(count, sizeof *clusters->sizes, status);
    clusters->next = memory_new(count, sizeof *clusters->next, status);
    clusters->last = memory_new(count, sizeof *clusters->last, status);
    if (!clusters->distances || !clusters->sizes || !clusters->next || !clusters->last)
        return false;
    for (size_t i = 0; i < count * count; i++)
        clusters->distances[i] = isnan(distances[i]) ? FURTHEST : distances[i];
    for (int i = 0; i < clusters->count; i++) {
        clusters->sizes[i] = 1;
        clusters->next[i] = -1;
        clusters->last[i] = i;
    }
    return true;
}

bool cluster_order(const double *distances, int count, int *order, struct status *status)
{
    struct clusters clusters = {.count = count};
    bool ok = open_clusters(&clusters, distances, status);
    for (int left = count; ok && left > 1; left--) {
        int a, b;
        find_nearest(&clusters, &a, &b);
        join(&clusters, a, b);
    }
    for (int at = 0, i = 0; ok && i < count; i++, at = clusters.next[at])
        order[i] = at;
    free(clusters.distances);
    free(clusters.sizes);
    free(clusters.next);
    free(clusters.last);
    return ok;
}
