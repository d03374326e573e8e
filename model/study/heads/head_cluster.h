/* Orders heads by similarity. */
#ifndef ATTNSCOPE_HEAD_CLUSTER_H
#define ATTNSCOPE_HEAD_CLUSTER_H

#include "base/status.h"

/* Agglomerative clustering by average linkage (UPGMA): joins the two clusters with the least mean
 * distance between their members (the first of equals) until one is left. order: (count): the
 * leaves of the tree from left to right, with the cluster that has the lower first member on the
 * left. distances: (count, count), symmetric; NaN is larger than everything. */
bool cluster_order(const double *distances, int count, int *order, struct status *status);

#endif
