#include "tui/program/convert.h"

#include "model/checkpoint/convert.h"
#include "tui/session/loaded.h"
#include "tui/session/replace.h"
#include "tui/terminal/interrupt.h"

static void tell(struct report *report, const struct loaded *loaded, const char *path)
{
    const struct contents *contents = loaded->checkpoint->contents;
    report->name = "convert";
    report_json(report, "from", value_text(report_copy(report, loaded->path)));
    report_json(report, "format", value_text(contents->family));
    report_json(report, "sha256", value_text(report_copy(report, loaded->digests.whole)));
    report_json(report, "file", value_text(report_copy(report, path)));
    report_line(report, FOR_PEOPLE, "wrote %s: %s, from %d file%s", path, contents->family,
                contents->file_count, contents->file_count == 1 ? "" : "s");
}

bool convert_model(const char *model, const struct tokenizer_files *tokenizers, const char *path,
                   bool keep_files, struct report *report, struct status *status)
{
    // Replacing files is a rule of the session, and nothing else of one is needed here.
    const struct session rule = {.keep_files = keep_files};
    struct loaded *loaded = NULL;
    *report = (struct report){0};
    interrupt_hold(true);
    bool ok = replace_file(&rule, path, status) &&
              (loaded = loaded_open(model, tokenizers, status)) != NULL &&
              loaded_digests(loaded, status) &&
              checkpoint_convert(loaded->checkpoint, &loaded->digests, path, status);
    interrupt_hold(false);
    if (ok) {
        tell(report, loaded, path);
        ok = report_end(report, status);
    }
    loaded_close(loaded);
    return ok;
}
