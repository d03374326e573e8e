#include "tui/command/command.h"

const char *report_typed(struct report *report, const struct argument_values *given, int index)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    const struct argument_value *value = &given->each[index];
    for (int i = 0; out && i < value->count; i++)
        fprintf(out, "%s%s", i ? " " : "", value->words[i]);
    return report_written(&writer);
}
