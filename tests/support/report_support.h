/* Fields of reports by their JSON keys, for tests. Every function fails the running test if the
 * field does not exist or has another type. */
#ifndef ATTNSCOPE_TESTS_REPORT_SUPPORT_H
#define ATTNSCOPE_TESTS_REPORT_SUPPORT_H

#include "report/report.h"

const struct value *report_says(const struct report *result, const char *key);
const char *report_text(const struct report *result, const char *key);
int report_int(const struct report *result, const char *key);
double report_real(const struct report *result, const char *key);
/* The number of values in a list, and one of them that is a text. */
int report_count(const struct report *result, const char *key);
const char *report_text_at(const struct report *result, const char *key, int index);

/* Fails unless the command is `name` and it reported something. */
void assert_reports(const struct report *result, const char *name);

#endif
