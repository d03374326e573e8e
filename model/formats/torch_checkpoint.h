/* Families whose model is one PyTorch checkpoint: finds it in a folder and decides if it belongs to
 * the family. Private to model/formats.
 *
 * Checkpoints are the files named *.pt, *.pth, *.ckpt or *.th, and PyTorch files named *.bin,
 * *.tar, *.model or *.pkl, except those of training and preprocessing beside them (optimizers,
 * data). Of several, the model is the one whose name ranks first:
 *
 *     model.pt                                as models are published
 *     checkpoint_best.pt, best.ckpt; *best*   the best in validation
 *     *avg*, *average*                        an average of several
 *     *last*, *latest*, *final*
 *     checkpoint.pt
 *     model_step_20000.pt, checkpoint12.pt    the greatest number, if names differ only in it
 *     any other
 *
 * If two rank first, none is the model: the user must name one.
 */
#ifndef ATTNSCOPE_TORCH_CHECKPOINT_H
#define ATTNSCOPE_TORCH_CHECKPOINT_H

#include "model/formats/family.h"
#include "model/formats/file_list.h"

/* Lists the checkpoints of a folder. The caller frees the list, also on failure. */
bool torch_checkpoint_list(const char *folder, struct file_list *list, struct status *status);
/* The one in the list that is the model, or NULL. */
const char *torch_checkpoint_choose(const struct file_list *list);

/* The name of the checkpoint in the candidate's folder: the candidate itself if it is a file. The
 * caller frees it. NULL: none, or out of memory. */
char *torch_checkpoint_name(const struct candidate *candidate);
/* True if the candidate is a checkpoint that satisfies `holds`, or a folder with one. */
bool torch_checkpoint_recognise(const struct candidate *candidate,
                                bool (*holds)(const struct pickle_value *root));

#endif
