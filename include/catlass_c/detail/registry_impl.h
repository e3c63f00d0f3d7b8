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

/* One name function per list of types.h. */
#define CATC_CASE_1(e, token) case e: return #token;
#define CATC_CASE_2(e, token, x) case e: return #token;
#define CATC_CASE_3(e, token, x, y) case e: return #token;

const char *catc_type_name(enum catc_type type)
{
    switch ((int)type) { CATC_TYPES(CATC_CASE_2) }
    return "?";
}
const char *catc_layout_name(enum catc_layout layout)
{
    switch ((int)layout) { CATC_LAYOUTS(CATC_CASE_3) }
    return "?";
}
const char *catc_schedule_name(enum catc_schedule schedule)
{
    switch ((int)schedule) { CATC_SCHEDULES(CATC_CASE_1) }
    return "?";
}
const char *catc_skeleton_name(enum catc_skeleton skeleton)
{
    switch ((int)skeleton) { CATC_SKELETONS(CATC_CASE_1) }
    return "?";
}
const char *catc_backend_name(enum catc_backend backend)
{
    switch ((int)backend) { CATC_BACKENDS(CATC_CASE_1) }
    return "?";
}
const char *catc_epi_kind_name(enum catc_epi_kind kind)
{
    switch ((int)kind) { CATC_EPI_KINDS(CATC_CASE_1) }
    return "?";
}
size_t catc_type_size(enum catc_type type)
{
#define CATC_SIZE_CASE(e, token, bytes) case e: return bytes;
    switch ((int)type) { CATC_TYPES(CATC_SIZE_CASE) }
#undef CATC_SIZE_CASE
    return 0;
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

uint64_t catc_gemm_key(enum catc_type a, enum catc_type b, enum catc_type acc, enum catc_type d, enum catc_layout layout,
                       int n_epi, const uint32_t *ops)
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
