/* The importance of heads by gradients (Michel, Levy and Neubig 2019, "Are sixteen heads really
 * better than one?", section 4): I_h = E_x |∂L(x)/∂g_h|, where g_h is the gain of head h
 * (head_settings.h) and L(x) the log-probability of a given translation, summed over its tokens.
 * Expectations are means over the sentences of a file.
 *
 * On the CPU one backward pass (model/net/backward/gradient.h) computes the derivatives of all
 * heads of a sentence. On a device without backward passes, such as a GPU, they are central
 * differences at the gain ± GRADIENT_STEP, with all heads of a sentence in one batch: two scores
 * per head instead of a translation of the whole file without it.
 *
 *     fill in `heads`; head_gradients_run; head_gradients_free
 */
#ifndef ATTNSCOPE_HEAD_GRADIENTS_H
#define ATTNSCOPE_HEAD_GRADIENTS_H

#include "model/study/study_context.h"
#include "model/text/lines.h"

/* The gain step of central differences. Near the kink of a ReLU the error falls with the step, not
 * with its square; below this step the rounding of float32 grows instead. In the trained samples
 * derivatives are up to 1.3; errors are 0.0006 on average and at most 0.006. */
#define GRADIENT_STEP 0x1p-9f

struct head_gradient {
    enum module module;
    int layer, head;   // 0-based; the head's gain is 1
    double importance; // I_h
    double normalized; // I_h divided by the Euclidean norm over the listed heads of its module's
                       // layer, as in the paper for comparing layers; 0 if all are 0
    double mean;       // E_x ∂L(x)/∂g_h: above 0 if the head helps
};

struct head_gradients {
    struct head_gradient *heads; // (count); owned
    int count;
    int lines, sentences; // lines of the file; lines done, of which blank ones count in no mean
    int taken;            // lines done that are not blank
    bool differences;     // use central differences even if the device computes derivatives
};

/* Computes the importances over lines and their translations. `path` is the file of the sources;
 * messages begin with path and line. After a stop (STATUS_CANCELLED) the importances over the
 * sentences done are valid if `taken` is not 0. A shard produces none. */
bool head_gradients_run(const struct study_context *context, const char *path,
                        const struct lines *sources, const struct lines *targets,
                        struct head_gradients *gradients, struct status *status);
void head_gradients_free(struct head_gradients *gradients); // leaves it empty

#endif
