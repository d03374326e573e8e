/* The order of heads by how alike they are. */
#ifndef ATTNSCOPE_HEAD_CLUSTER_H
#define ATTNSCOPE_HEAD_CLUSTER_H

#include "base/status.h"

/* Agglomerative clustering by average linkage (UPGMA): the two clusters with the least mean
 * distance between their members are joined until one is left; of equally distant ones those that
 * come first. order: (count): the leaves of the tree from left to right, the cluster with the lower
 * first member left of the other. distances: (count, count), symmetric; NaN is further than
 * everything. */
bool cluster_order(const double *distances, int count, int *order, struct status *status);

#endif
