/* What reports say, for tests: their fields by the keys that they have in JSON. Every function
 * fails the running test where there is no such field, or it is something else. */
#ifndef ATTNSCOPE_TESTS_REPORT_SUPPORT_H
#define ATTNSCOPE_TESTS_REPORT_SUPPORT_H

#include "report/report.h"

const struct value *report_says(const struct report *result, const char *key);
const char *report_text(const struct report *result, const char *key);
int report_int(const struct report *result, const char *key);
double report_real(const struct report *result, const char *key);
/* How many values a list has, and one of them that is a text. */
int report_count(const struct report *result, const char *key);
const char *report_text_at(const struct report *result, const char *key, int index);

/* Fails unless the command is `name` and it reported something. */
void assert_reports(const struct report *result, const char *name);

#endif
