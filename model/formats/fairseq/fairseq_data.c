/* Finds the data of a training beside its checkpoint: dictionaries and subword models. If the
 * checkpoint does not say so, also finds out which dictionaries are the source's and the target's:
 * since version 0.11, training without --source-lang and --target-lang infers both from the names
 * of its data (fairseq/data/data_utils.py, infer_language_pair) and does not save them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/fairseq/fairseq.h"
#include "model/formats/file_list.h"
#include "model/text/quote.h"

enum { MAX_DICTIONARIES = 100 };

/* Places --------------------------------------------------------------------------------------- */

/* Writes the name of the folder with the training data, the first if there are several; "" if there
 * is none. */
static void data_folder(const struct fs_reader *reader, char name[FS_NAME])
{
    const char *data = fs_text(reader, "data", "");
    size_t length = strcspn(data, ":");
    while (length > 0 && data[length - 1] == '/')
        length--;
    size_t begin = length;
    while (begin > 0 && data[begin - 1] != '/')
        begin--;
    snprintf(name, FS_NAME, "%.*s", length - begin < FS_NAME ? (int)(length - begin) : 0,
             data + begin);
    if (strcmp(name, "..") == 0 || strcmp(name, ".") == 0)
        *name = 0;
}

/* Writes place i, which ends in a slash, or is "" for the checkpoint's folder. Data are beside the
 * checkpoint, in a folder there, or in a folder beside the checkpoints' own:
 * "../data-bin/iwslt14.de-en/". Files directly beside that folder, such as "../codes", may belong
 * to anything. Returns false if there are no more places. */
static bool place_at(const struct fs_reader *reader, size_t i, char place[FS_PLACE])
{
    static const char *const above[] = {"", "../"};
    static const char *const folders[] = {"", "data-bin/", "data/", "bin/", "final_bin/"};
    enum { FOLDERS = sizeof folders / sizeof *folders };
    char data[FS_NAME] = "";
    if (i >= 2 * FOLDERS)
        i++; // skips "../"
    size_t folder = i / 2 % FOLDERS;
    if (i >= 2 * FOLDERS * 2)
        return false;
    if (i % 2)
        data_folder(reader, data);
    snprintf(place, FS_PLACE, "%s%s%s%s", above[i / (2 * FOLDERS)], folders[folder], data,
             *data ? "/" : "");
    return true;
}

bool fs_find_file(const struct fs_reader *reader, const char *name, char place[FS_PLACE])
{
    char folder[FS_PLACE];
    if (!*name || strchr(name, '/') || strlen(name) > FS_NAME)
        return false;
    for (size_t i = 0; place_at(reader, i, folder); i++) {
        int length = snprintf(place, FS_PLACE, "%s%s", folder, name);
        if (length < FS_PLACE && family_has(reader->folder, place))
            return true;
    }
    return false;
}

/* Pairs of languages --------------------------------------------------------------------------- */

/* A place's data files, and the dictionaries among them. */
struct place {
    char name[FS_PLACE];
    struct file_list files;
    char languages[MAX_DICTIONARIES][FS_LANGUAGE]; // (count)
    int64_t rows[MAX_DICTIONARIES];
    int count;
};

static bool is_any(const char *folder, const char *name)
{
    (void)folder;
    (void)name;
    return true;
}

/* Takes the language from "dict.LANGUAGE.txt" if our configuration can have that name. */
static bool language_of(const char *file, char language[FS_LANGUAGE])
{
    static const char begin[] = "dict.", end[] = ".txt";
    size_t length = strlen(file), around = strlen(begin) + strlen(end);
    if (strncmp(file, begin, strlen(begin)) != 0 || !name_ends(file, end) || length <= around ||
        length - around >= FS_LANGUAGE)
        return false;
    snprintf(language, FS_LANGUAGE, "%.*s", (int)(length - around), file + strlen(begin));
    for (const char *at = language; *at; at++)
        if (*at <= ' ' || *at > '~')
            return false;
    return true;
}

/* Returns how many ids a dictionary gives: one per line and four before them. -1: it cannot be
 * read. */
static int64_t count_rows(const char *path)
{
    struct status status;
    struct mapped_file *file = mapped_file_open(path, &status);
    int64_t rows = file ? FS_UNK + 1 : -1;
    const char *at = file ? (const char *)file->data : NULL, *end = at ? at + file->bytes : NULL;
    while (at && at < end) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        rows++;
        at = next ? next + 1 : end;
    }
    mapped_file_close(file);
    return rows;
}

static bool list_dictionaries(const char *folder, struct place *place, struct status *status)
{
    for (size_t i = 0; i < place->files.count && place->count < MAX_DICTIONARIES; i++) {
        if (!language_of(place->files.names[i], place->languages[place->count]))
            continue;
        char *path = family_path(folder, place->files.names[i], status);
        if (!path)
            return false;
        place->rows[place->count++] = count_rows(path);
        free(path);
    }
    return true;
}

static bool list_place(const struct fs_reader *reader, struct place *place)
{
    char *folder = family_path(reader->folder, place->name, reader->status);
    place->count = 0;
    bool good = folder && file_list_read(folder, is_any, &place->files, reader->status) &&
                list_dictionaries(folder, place, reader->status);
    free(folder);
    return good;
}

/* True if two dictionaries have as many rows as the embeddings, which may both have a mask at the
 * end. */
static bool fit(struct fs_reader *reader, const struct place *place, int source, int target)
{
    int64_t more[2] = {fs_rows(reader, 0) - place->rows[source],
                       fs_rows(reader, 1) - place->rows[target]};
    return more[0] == more[1] && (more[0] == 0 || more[0] == 1);
}

/* True if a text contains both languages, joined by a hyphen or underscore, with no letters around
 * them. */
static bool names_pair(const char *text, const char *source, const char *target)
{
    char pair[2 * FS_LANGUAGE + 1];
    for (const char *joint = "-_"; *joint; joint++) {
        snprintf(pair, sizeof pair, "%s%c%s", source, *joint, target);
        for (const char *at = text; (at = strstr(at, pair)); at++) {
            bool begins = at == text || strchr("._-", at[-1]);
            if (begins && strchr("._-", at[strlen(pair)]))
                return true;
        }
    }
    return false;
}

/* True for "train.SOURCE-TARGET.SOURCE.bin" and other names whose second part is the pair. */
static bool file_names_pair(const struct place *place, const char *source, const char *target)
{
    char part[2 * FS_LANGUAGE + 4];
    snprintf(part, sizeof part, ".%s-%s.", source, target);
    for (size_t i = 0; i < place->files.count; i++) {
        const char *dot = strchr(place->files.names[i], '.');
        if (dot && dot > place->files.names[i] && strncmp(dot, part, strlen(part)) == 0)
            return true;
    }
    return false;
}

static bool data_name_pair(const struct fs_reader *reader, const char *source, const char *target)
{
    char data[FS_NAME];
    data_folder(reader, data);
    return names_pair(data, source, target);
}

/* Kinds of evidence for a pair of languages, the strongest first. */
enum evidence { BY_FILES, BY_DATA, BY_ROWS, EVIDENCE_COUNT };

/* Counts the ordered pairs that the evidence supports; the first one becomes the reader's pair. */
static int find_pairs(struct fs_reader *reader, const struct place *place, enum evidence evidence)
{
    int found = 0;
    for (int source = 0; source < place->count; source++)
        for (int target = 0; target < place->count; target++) {
            const char *names[] = {place->languages[source], place->languages[target]};
            if (source == target || !fit(reader, place, source, target) ||
                (evidence == BY_FILES && !file_names_pair(place, names[0], names[1])) ||
                (evidence == BY_DATA && !data_name_pair(reader, names[0], names[1])))
                continue;
            for (int side = 0; side < 2 && found == 0; side++)
                strcpy(reader->pair[side], names[side]);
            found++;
        }
    return found;
}

/* fairseq takes the first file that names a pair; evidence from sizes must allow only one pair. */
static bool infer_from(struct fs_reader *reader, const struct place *place)
{
    for (enum evidence evidence = 0; evidence < EVIDENCE_COUNT; evidence++) {
        int pairs = find_pairs(reader, place, evidence);
        if (pairs == 0)
            continue;
        return evidence == BY_FILES || pairs == 1 ||
               fs_fail(reader,
                       "source_lang and target_lang: not saved, and %d pairs of the dictionaries "
                       "in %s fit its rows, expected a file train.SOURCE-TARGET.* beside them",
                       pairs, *place->name ? QUOTED(place->name) : "its folder");
    }
    return fs_fail(reader,
                   "source_lang and target_lang: not saved, and no two of the dictionaries in %s "
                   "have its rows (%lld and %lld)",
                   *place->name ? QUOTED(place->name) : "its folder", (long long)fs_rows(reader, 0),
                   (long long)fs_rows(reader, 1));
}

/* Infers the pair from the first place with two dictionaries. If there is none, a later reader
 * reports it. */
bool fs_infer_pair(struct fs_reader *reader)
{
    struct place *place = memory_new(1, sizeof *place, reader->status);
    bool good = place != NULL, found = false;
    for (size_t i = 0; good && !found && place_at(reader, i, place->name); i++) {
        good = list_place(reader, place);
        found = good && place->count >= 2;
        good = good && (!found || infer_from(reader, place));
        file_list_free(&place->files);
    }
    free(place);
    return good;
}
