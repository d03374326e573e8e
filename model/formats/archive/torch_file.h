/* Files written by torch.save: a pickle of values and, outside it, the storages of its tensors.
 * Reads both layouts, the zip archive of PyTorch 1.6 and later and the earlier stream, and executes
 * neither (pickle.h).
 *
 *     struct torch_file *torch = torch_file_open(mapped, status);
 *     const struct pickle_value *root = torch_root(torch);
 *     int64_t layers = pickle_integer_of(pickle_get(root, "args"), "encoder_layers", 6);
 *     const struct stored_tensor *tensors = torch_tensors(torch, pickle_get(root, "model"), &count,
 *     status); ...
 *     torch_file_close(torch);
 *
 * PyTorch defines the layouts in torch/serialization.py, and the functions that build tensors in
 * torch/_utils.py.
 */
#ifndef ATTNSCOPE_TORCH_FILE_H
#define ATTNSCOPE_TORCH_FILE_H

#include "model/formats/archive/pickle.h"
#include "model/formats/mapped_file.h"
#include "model/formats/safetensors.h"

/* True if a file that begins with these 16 bytes may have either layout. */
bool torch_begins(const unsigned char *head);

/* The mapped file outlives it. NULL on failure; messages do not name the path. */
struct torch_file *torch_file_open(const struct mapped_file *file, struct status *status);
void torch_file_close(struct torch_file *torch); // NULL: nothing

const struct pickle_value *torch_root(const struct torch_file *torch);

/* True if the value is a tensor or a parameter. */
bool torch_is_tensor(const struct pickle_value *value);

/* All tensors of a dict or record, sorted by name as in safetensors_tensor; skips other members.
 * They live as long as the torch file. NULL on failure, or if there is no such dict. Messages begin
 * with the tensor's name. */
const struct stored_tensor *torch_tensors(struct torch_file *torch, const struct pickle_value *dict,
                                          int *count, struct status *status);

#endif
