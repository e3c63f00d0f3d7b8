/* SPDX-License-Identifier: Apache-2.0
 *
 * detail/registry_impl.h: names, ids and keys. Implementation only. */
#ifndef CATC_DETAIL_REGISTRY_IMPL_H
#define CATC_DETAIL_REGISTRY_IMPL_H

#include "catlass_c/detail/message.h"
#include "catlass_c/registry.h"

const char *catc_status_name(enum catc_status status)
{
    switch (status) {
    case CATC_OK: return "CATC_OK";
    case CATC_INVALID_ARGUMENT: return "CATC_INVALID_ARGUMENT";
    case CATC_MISALIGNED: return "CATC_MISALIGNED";
    case CATC_NOT_SUPPORTED: return "CATC_NOT_SUPPORTED";
    case CATC_WORKSPACE_TOO_SMALL: return "CATC_WORKSPACE_TOO_SMALL";
    case CATC_ARCH_MISMATCH: return "CATC_ARCH_MISMATCH";
    case CATC_CUDA_FAILURE: return "CATC_CUDA_FAILURE";
    case CATC_NO_DEVICE: return "CATC_NO_DEVICE";
    case CATC_HOST_FAILURE: return "CATC_HOST_FAILURE";
    case CATC_BACKEND_NOT_BUILT: return "CATC_BACKEND_NOT_BUILT";
    }
    return "unknown status";
}

const char *catc_last_message(void)
{
    return catc_sentence_;
}

const char *catc_version(void)
{
    return CATC_VERSION_STRING;
}

/* The lists of types.h as tables; index 0 is "not given". */
#define CATC_NAME_1(e, token) #token,
#define CATC_NAME_2(e, token, x) #token,
#define CATC_NAME_3(e, token, x, y) #token,
#define CATC_BYTES(e, token, bytes) bytes,

static const char *catc_name_(const char *const *names, int end, int value)
{
    return value > 0 && value < end ? names[value] : "?";
}

const char *catc_type_name(enum catc_type type)
{
    static const char *const names[] = {"", CATC_TYPES(CATC_NAME_2)};
    return catc_name_(names, CATC_TYPE_END, (int)type);
}
const char *catc_layout_name(enum catc_layout layout)
{
    static const char *const names[] = {"", CATC_LAYOUTS(CATC_NAME_3)};
    return catc_name_(names, CATC_LAYOUT_END, (int)layout);
}
const char *catc_schedule_name(enum catc_schedule schedule)
{
    static const char *const names[] = {"", CATC_SCHEDULES(CATC_NAME_1)};
    return catc_name_(names, CATC_SCHEDULE_END, (int)schedule);
}
const char *catc_skeleton_name(enum catc_skeleton skeleton)
{
    static const char *const names[] = {"", CATC_SKELETONS(CATC_NAME_1)};
    return catc_name_(names, CATC_SKELETON_END, (int)skeleton);
}
const char *catc_backend_name(enum catc_backend backend)
{
    static const char *const names[] = {"", CATC_BACKENDS(CATC_NAME_1)};
    return catc_name_(names, CATC_BACKEND_END, (int)backend);
}
const char *catc_epi_kind_name(enum catc_epi_kind kind)
{
    static const char *const names[] = {"", CATC_EPI_KINDS(CATC_NAME_1)};
    return catc_name_(names, CATC_EPI_KIND_END, (int)kind);
}
size_t catc_type_size(enum catc_type type)
{
    static const unsigned char bytes[] = {0, CATC_TYPES(CATC_BYTES)};
    return (int)type > 0 && (int)type < CATC_TYPE_END ? bytes[(int)type] : 0;
}

/* FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ */
uint32_t catc_op_id(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; ++name) {
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    }
    return hash;
}

static uint64_t catc_fnv64_(uint64_t hash, const char *text)
{
    for (; *text; ++text) {
        hash = (hash ^ (unsigned char)*text) * 1099511628211ull;
    }
    return hash;
}

uint64_t catc_gemm_key(enum catc_type a, enum catc_type b, enum catc_type acc, enum catc_type d,
                       enum catc_layout layout, int n_epi, const uint32_t *ops)
{
    uint64_t hash = 14695981039346656037ull;
    const char *const part[] = {catc_type_name(a), catc_type_name(b), catc_type_name(acc), catc_type_name(d),
                                catc_layout_name(layout)};
    for (int i = 0; i < 5; ++i) {
        hash = catc_fnv64_(hash, i ? "," : "");
        hash = catc_fnv64_(hash, part[i]);
    }
    for (int i = 0; i < n_epi; ++i) {
        char id[10] = ",00000000";
        for (int digit = 0; digit < 8; ++digit) {
            id[8 - digit] = "0123456789abcdef"[ops[i] >> 4 * digit & 15u];
        }
        hash = catc_fnv64_(hash, id);
    }
    return hash;
}

#endif /* CATC_DETAIL_REGISTRY_IMPL_H */
