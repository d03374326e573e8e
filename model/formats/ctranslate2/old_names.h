/* Names of variables of the first revision of CTranslate2's specification, which are those of
 * OpenNMT-tf. */
#ifndef ATTNSCOPE_CTRANSLATE2_OLD_NAMES_H
#define ATTNSCOPE_CTRANSLATE2_OLD_NAMES_H

#include "base/status.h"

/* "transformer/encoder/layer_0/multi_head/conv1d/kernel:0" becomes
 * "encoder/layer_0/self_attention/linear_0/weight" (map_v1_variable_name in CTranslate2's
 * src/models/transformer.cc). *name is freed and replaced; on failure it is left as it is. False:
 * out of memory. */
bool ct2_rename_old(char **name, struct status *status);

#endif
