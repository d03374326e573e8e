#include "tests/tui/command/ablate_support.h"
#include "tests/support/test.h"

#include "session/selector.h"

const char *const ablate_sources[ABLATE_SENTENCES] = {"the dog", "a small old cat sees the river .",
                                                      "",        "he sees a dog",
                                                      "the cat", "she is old and small"};
static const char references[] =
    "der Hund\neine kleine alte Katze sieht den Fluss .\n\ner sieht einen Hund\nKatze\n"
    "sie ist alt und klein\n";

void ablate_open(struct scored *scored, const char *model)
{
    char text[400] = "";
    for (int i = 0; i < ABLATE_SENTENCES; i++)
        strcat(strcat(text, ablate_sources[i]), "\n");
    scored_open(scored, model, text, references);
}

struct report ablate_line(struct scored *scored, const char *rest)
{
    return bench_run(&scored->bench, scored_line(scored, ":ablate", rest));
}

const char *ablate_row_text(const struct ablation *ablation)
{
    static char text[200];
    FILE *out = fmemopen(text, sizeof text, "w");
    ablation_write(out, ablation);
    fclose(out);
    return text;
}

char **ablate_texts(const struct scored *scored, const struct ablation *ablation)
{
    const struct session *session = scored->bench.session;
    struct status status;
    char **texts = NULL;
    struct head_settings *head_settings =
        ablation_head_settings(session->state.head_settings, ablation, &status);
    assert_non_null(head_settings);
    const struct translated *made;
    for (int i = 0; !texts && (made = cache_translations_at(&session->cache, i)); i++)
        if (head_settings_equal(made->head_settings, head_settings))
            texts = made->texts;
    head_settings_free(head_settings);
    assert_non_null(texts);
    return texts;
}
