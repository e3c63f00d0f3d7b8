/* SPDX-License-Identifier: Apache-2.0
 *
 * abi.h: the layout of the public structs as data, so that a binding from another language builds its structs from the
 * library that it has loaded, and no second copy of a header goes stale. codegen/catlass_c/library.py is such a binding. */
#ifndef CATC_ABI_H
#define CATC_ABI_H

#include "catlass_c/base.h"

CATC_EXTERN_C_BEGIN

/* One field of a struct. The fields of a struct stand together, in the order of their offsets, and end with an entry with
 * the name "" for the struct itself (offset 0, size of the whole). A struct that another one holds comes before it. */
struct catc_field {
    const char *structure; /* "catc_gemm_args" */
    const char *name;      /* "lda" */
    const char *type;      /* as in C: "int64_t", "enum catc_type", "const void *", "struct catc_epi"; of an array, that
                              of one element */
    int offset, size;      /* bytes; of an array, those of all its elements */
};

/* Every field of struct catc_device, catc_epi, catc_epi_position, catc_gemm_instance, catc_gemm_args and
 * catc_gemm_plan. */
CATC_API const struct catc_field *catc_abi_fields(int *count);

CATC_EXTERN_C_END

#endif /* CATC_ABI_H */
