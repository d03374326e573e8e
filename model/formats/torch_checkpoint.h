/* Families whose model is one checkpoint of PyTorch: which file of a folder it is, and whether it is one of the family's.
 * Inside model/formats.
 */
#ifndef ATTNSCOPE_TORCH_CHECKPOINT_H
#define ATTNSCOPE_TORCH_CHECKPOINT_H

#include "model/formats/family.h"

/* In a folder the checkpoint is the first of these names that is there, or else the only file with this ending. */
struct torch_checkpoint {
    const char *names[5];                           // NULL at the end
    const char *ending;                             // ".pt"; NULL: none
    bool (*holds)(const struct pickle_value *root); // whether the family can read what is in it
};

/* The name of the checkpoint in the candidate's folder: the candidate itself if it is a file. The caller frees it. NULL: none,
 * or out of memory. */
char *torch_checkpoint_name(const struct torch_checkpoint *kind, const struct candidate *candidate);

/* Whether the candidate is a checkpoint of this kind, or a folder with one. */
bool torch_checkpoint_recognise(const struct torch_checkpoint *kind,
                                const struct candidate *candidate);

/* The first file of the folder, by name, with one of these endings (NULL at the end), and how many there are; hidden files
 * do not count. The caller frees it. */
char *torch_checkpoint_first(const char *folder, const char *const *endings, int *count);

#endif
