/* Writes files as torch.save of PyTorch 1.6 and later does, for tests: a zip archive of a pickle
 * and the tensors' data.
 *
 *     struct torch_writer *writer = torch_writer_open();
 *     torch_begin_dict(writer);
 *     torch_text(writer, "opt");
 *     torch_begin_namespace(writer);
 *     torch_text(writer, "heads"), torch_integer(writer, 8);
 *     torch_end_namespace(writer);
 *     torch_end_dict(writer);
 *     torch_writer_close(writer, path);
 *
 * Every function fails the running test if something is wrong.
 */
#ifndef ATTNSCOPE_TESTS_TORCH_WRITER_H
#define ATTNSCOPE_TESTS_TORCH_WRITER_H

#include "model/formats/safetensors.h"

struct torch_writer *torch_writer_open(void);
void torch_writer_close(struct torch_writer *writer, const char *path);

/* Values. Inside a dict or namespace, keys and values alternate. */
void torch_text(struct torch_writer *writer, const char *text);
void torch_integer(struct torch_writer *writer, int value);
void torch_real(struct torch_writer *writer, double value);
void torch_flag(struct torch_writer *writer, bool value);
void torch_begin_list(struct torch_writer *writer);
void torch_end_list(struct torch_writer *writer);
void torch_begin_dict(struct torch_writer *writer);
void torch_end_dict(struct torch_writer *writer);
void torch_begin_namespace(struct torch_writer *writer); // argparse.Namespace
void torch_end_namespace(struct torch_writer *writer);
/* A tensor with its own storage, F32 or F16; the data must live until the writer is closed. */
void torch_tensor_of(struct torch_writer *writer, const struct stored_tensor *tensor);

#endif
