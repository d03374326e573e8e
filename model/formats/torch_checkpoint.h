/* Families whose model is one checkpoint of PyTorch: which file of a folder it is, and whether it
 * is one of the family's. Inside model/formats.
 *
 * Checkpoints are the files called *.pt, *.pth, *.ckpt or *.th, and files of PyTorch called *.bin,
 * *.tar, *.model or *.pkl, without what training and preprocessing keep beside them (optimizers,
 * data). Of several, the model is the one whose name ranks first:
 *
 *     model.pt                                as models are published
 *     checkpoint_best.pt, best.ckpt; *best*   the best in validation
 *     *avg*, *average*                        an average of several
 *     *last*, *latest*, *final*
 *     checkpoint.pt
 *     model_step_20000.pt, checkpoint12.pt    the greatest number, of names that differ in it alone
 *     any other
 *
 * Where two rank alike, none is the model: the user has to name one.
 */
#ifndef ATTNSCOPE_TORCH_CHECKPOINT_H
#define ATTNSCOPE_TORCH_CHECKPOINT_H

#include "model/formats/family.h"
#include "model/formats/file_list.h"

/* The checkpoints of a folder. The caller frees the list, also on failure. */
bool torch_checkpoint_list(const char *folder, struct file_list *list, struct status *status);
/* The one of the list that is the model, or NULL. */
const char *torch_checkpoint_choose(const struct file_list *list);

/* The name of the checkpoint in the candidate's folder: the candidate itself if it is a file. The
 * caller frees it. NULL: none, or out of memory. */
char *torch_checkpoint_name(const struct candidate *candidate);
/* True if the candidate is a checkpoint that `holds` knows, or a folder with one. */
bool torch_checkpoint_recognise(const struct candidate *candidate,
                                bool (*holds)(const struct pickle_value *root));

#endif
