#include "tui/report/head_values.h"

#include "tui/session/head_description.h"

typedef bool head_test(const struct session *, enum module, int, int);

static void put_place(struct report *report, enum module module, int layer, int head)
{
    report_json(report, "module", value_text(module_names[module]));
    report_json(report, "layer", value_int(layer + 1));
    report_json(report, "head", value_int(head + 1));
}

/* As in the configuration: {"local": 2}, or a name. */
static struct value mask_value(struct report *report, const struct head *head)
{
    if (head->mask != MASK_LOCAL)
        return value_text(mask_names[head->mask]);
    struct group *local = report_object(report);
    report_json(report, "local", value_int(head->window));
    report_group_end(report);
    return value_object(&local->blocks);
}

static void put_head(struct report *report, const struct head *head)
{
    bool fixed = head->energy == ENERGY_FIXED;
    report_json(report, "energy", value_text(fixed ? "fixed" : "learned"));
    if (fixed) {
        report_json(report, "pattern", value_text(pattern_names[head->pattern]));
        report_json(report, "unit", value_text(head->unit == UNIT_WORD ? "word" : "token"));
    } else {
        report_json(report, "mask", mask_value(report, head));
    }
}

static struct value place_value(struct report *report, const struct session *session,
                                enum module module, int layer, int head, bool detail)
{
    struct group *object = report_object(report);
    put_place(report, module, layer, head);
    if (detail)
        put_head(report, head_settings_head(session->state.head_settings, module, layer, head));
    report_group_end(report);
    return value_object(&object->blocks);
}

/* The heads for which `chosen` holds. */
static struct value list_heads(struct report *report, const struct session *session,
                               head_test *chosen, bool detail)
{
    const struct head_settings *settings = session->state.head_settings;
    size_t most = 0;
    int count = 0;
    for (int m = 0; m < MODULE_COUNT; m++)
        most += (size_t)settings->layers[m] * (size_t)settings->count[m];
    struct value *list = report_new(report, most, sizeof *list);
    for (int m = 0; list && m < MODULE_COUNT; m++)
        for (int layer = 0; layer < settings->layers[m]; layer++)
            for (int head = 0; head < settings->count[m]; head++)
                if (chosen(session, m, layer, head))
                    list[count++] = place_value(report, session, m, layer, head, detail);
    return value_list(list, count);
}

struct value heads_off_value(struct report *report, const struct session *session)
{
    return list_heads(report, session, head_off, false);
}

struct value heads_changed_value(struct report *report, const struct session *session)
{
    return list_heads(report, session, head_changed, true);
}

struct value search_value(struct report *report, const struct session *session)
{
    const struct config *config = session_config(session);
    const struct search_options *search = &session->state.search;
    struct group *object = report_object(report);
    report_json(report, "beam", value_int(search->beam));
    report_group(report, IN_JSON, "length_penalty");
    report_json(report, "kind", value_text(penalty_names[search->penalty]));
    report_json(report, "alpha", value_real(search->alpha));
    if (search->offset) // exports that were made without it are made again to the byte
        report_json(report, "offset", value_int(search->offset));
    report_group_end(report);
    report_group(report, IN_JSON, "max_length");
    report_json(report, "factor", value_real(search->factor));
    report_json(report, "plus", value_int(search->plus));
    report_group_end(report);
    if (search->min_length) // likewise
        report_json(report, "min_length", value_int(search->min_length));
    if (search->at_limit != LIMIT_FORCED)
        report_json(report, "limit", value_text(limit_names[search->at_limit]));
    if (search->endings != ENDINGS_BEST)
        report_json(report, "endings", value_text(endings_names[search->endings]));
    if (config->languages.count)
        for (int side = 0; side < 2; side++)
            report_json(report, side == SIDE_SOURCE ? "source_language" : "target_language",
                        value_text(language_pair_name(config, &search->languages, side)));
    report_group_end(report);
    return value_object(&object->blocks);
}
