/* Reports as JSON: blocks become members of the object that is open. */
#ifndef ATTNSCOPE_REPORT_JSON_H
#define ATTNSCOPE_REPORT_JSON_H

#include "tui/output/json_writer.h"
#include "tui/report/report.h"

/* One value. */
void json_value(struct json_writer *json, const struct value *value);
void json_report(struct json_writer *json, const struct report *report);

#endif
