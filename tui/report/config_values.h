/* A model's configuration in the JSON of a report. */
#ifndef ATTNSCOPE_CONFIG_VALUES_H
#define ATTNSCOPE_CONFIG_VALUES_H

#include "model/checkpoint/config.h"
#include "tui/report/report.h"

/* Puts every field of the configuration language into the report, with the values that hold for
 * those that the model leaves out. */
void put_config_values(struct report *report, const struct config *config);

#endif
