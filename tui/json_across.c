/* Scores in several states as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tui/json.h"

static void put_signature(struct json_writer *json, const struct study_result *study)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        study_write_signature(out, study, STUDY_BLEU, false);
        fclose(out);
    }
    put_member_string(json, "signature", text ? text : "");
    free(text);
}

static void put_value(struct json_writer *json, double value)
{
    if (isnan(value))
        put_null(json);
    else
        put_number(json, value);
}

static void put_states(struct json_writer *json, const struct across_result *across)
{
    struct across_row all = across_row(across, across_groups(across));
    put_key(json, "states");
    put_array(json);
    for (int s = 0; s < across->done; s++) {
        put_object(json);
        put_member_string(json, "state", across->names.text[s]);
        put_key(json, across->studies ? "score" : "accuracy");
        put_value(json, all.values[s]);
        put_object_end(json);
    }
    put_array_end(json);
    put_member_int(json, across->studies ? "sentences" : "decisions", all.size);
}

static void put_group(struct json_writer *json, const struct across_result *across, int group)
{
    struct across_row row = across_row(across, group);
    put_object(json);
    put_member_string(json, "by", row.by);
    put_member_string(json, "name", row.name);
    put_member_int(json, across->studies ? "sentences" : "decisions", row.size);
    put_key(json, across->studies ? "scores" : "accuracies");
    put_array(json);
    for (int s = 0; s < across->done; s++)
        put_value(json, row.values[s]);
    put_array_end(json);
    put_object_end(json);
}

void json_across(struct json_writer *json, const struct session *session,
                 const struct result *result)
{
    const struct across_result *across = &result->across;
    const struct study_result *study = across->studies;
    (void)session;
    put_member_string(json, "name", across_measure(across));
    if (study) {
        put_signature(json, study);
        put_member_string(json, "by", study->request.of_source ? "source" : "reference");
    } else {
        put_member_string(json, "normalize",
                          contrast_normalize_names[across->contrasts[0].normalize]);
    }
    json_texts(json, "files", study ? &study->request.files : &across->contrasts[0].request.files);
    put_member_bool(json, "partial", across->done < across->names.count);
    put_states(json, across);
    put_key(json, "groups");
    put_array(json);
    for (int i = 0; i < across_groups(across); i++)
        put_group(json, across, i);
    put_array_end(json);
}
