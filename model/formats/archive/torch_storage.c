#include "model/formats/archive/torch_storage.h"

#include <string.h>

#include "model/text/quote.h"

static const struct torch_type types[] = {
    {"FloatStorage", "F32", STORED_F32, 4},      {"HalfStorage", "F16", STORED_F16, 2},
    {"BFloat16Storage", "BF16", STORED_BF16, 2}, {"DoubleStorage", "F64", STORED_F64, 8},
    {"LongStorage", "I64", STORED_I64, 8},       {"ByteStorage", "U8", STORED_U8, 1},
    {"IntStorage", "I32", STORED_OTHER, 4},      {"ShortStorage", "I16", STORED_OTHER, 2},
    {"CharStorage", "I8", STORED_OTHER, 1},      {"BoolStorage", "BOOL", STORED_OTHER, 1},
};

static const struct torch_type *type_of(const struct pickle_value *class)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (pickle_is(class, "torch", types[i].storage) ||
            pickle_is(class, "torch.cuda", types[i].storage))
            return &types[i];
    return NULL;
}

bool torch_identity_read(const struct pickle_value *value, struct torch_identity *identity,
                         struct status *status)
{
    const struct pickle_value *parts =
        value && value->kind == PICKLE_PERSISTENT ? value->object->arguments : NULL;
    const struct pickle_value *class = pickle_item(parts, 1);
    const char *kind = pickle_text(pickle_item(parts, 0));
    if (!kind || strcmp(kind, "storage") != 0 || !class || class->kind != PICKLE_GLOBAL)
        return status_fail(status, STATUS_INVALID, "not a storage of PyTorch");
    identity->type = type_of(class);
    identity->key = pickle_text(pickle_item(parts, 2));
    identity->view = pickle_item(parts, 5);
    if (!identity->type)
        return status_fail(status, STATUS_INVALID,
                           "%s: a type that is not read here, expected floats",
                           QUOTED(class->object->name));
    if (!identity->key || !pickle_integer(pickle_item(parts, 4), &identity->elements) ||
        identity->elements < 0)
        return status_fail(status, STATUS_INVALID,
                           "a storage without a key and a number of elements, expected both");
    return true;
}
