/* Reports as sheets: the last table that is part of the screen, with fields and lines as notes. */
#ifndef ATTNSCOPE_SHEET_REPORT_H
#define ATTNSCOPE_SHEET_REPORT_H

#include "tui/report/report.h"
#include "tui/screen/sheet/sheet.h"

bool sheet_of_report(struct sheet *sheet, const struct report *report, struct status *status);

#endif
