/* `--convert FILE`: writes a model of any family in our own format. */
#ifndef ATTNSCOPE_PROGRAM_CONVERT_H
#define ATTNSCOPE_PROGRAM_CONVERT_H

#include "tui/report/report.h"

/* Opens the model without a device, writes it to `path`, and says so. keep_files: an existing file is an error. Ctrl-C stops
 * it and leaves no file. Messages begin with a path. */
bool convert_model(const char *model, const struct tokenizer_files *tokenizers, const char *path,
                   bool keep_files, struct report *report, struct status *status);

#endif
