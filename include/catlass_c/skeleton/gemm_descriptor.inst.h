/* SPDX-License-Identifier: Apache-2.0
 *
 * skeleton/gemm_descriptor.inst.h: the descriptor of a GEMM instance, from the parameters its kernel was compiled with,
 * so that the two cannot disagree. Include with CATC_D_SKELETON, CATC_D_WARP, CATC_D_THREAD, CATC_D_CLUSTER. */
CATC_EXTERN_C_BEGIN
extern CATC_HIDDEN const struct catc_gemm_instance CATC_SYMBOL_INSTANCE;
CATC_EXTERN_C_END

const struct catc_gemm_instance CATC_SYMBOL_INSTANCE = {
    CATC_P_NAME_STRING,
    CATC_P_SOURCE,
    CATC_D_SKELETON,
    CATC_SYMBOL_BACKEND,
    (enum catc_type)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_A),
    (enum catc_type)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_B),
    (enum catc_type)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_ACC),
    (enum catc_type)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_D),
    (enum catc_layout)CATC_PASTE(CATC_LAYOUT_, CATC_P_LAYOUT),
    CATC_P_TILE_M,
    CATC_P_TILE_N,
    CATC_P_TILE_K,
    CATC_D_WARP,
    CATC_D_THREAD,
    CATC_D_CLUSTER,
    CATC_P_STAGES,
    (enum catc_schedule)CATC_PASTE(CATC_SCHEDULE_, CATC_P_SCHEDULE),
    CATC_P_SWAP,
    CATC_C_THREADS,
    CATC_P_MIN_BLOCKS,
    CATC_C_REGS_PER_THREAD,
    CATC_C_SMEM_BYTES,
    CATC_C_ALIGN_A,
    CATC_C_ALIGN_B,
    CATC_C_ALIGN_C,
    CATC_C_ALIGN_D,
    {CATC_TARGETS},
    CATC_P_N_EPI,
    {CATC_P_EPI_LIST(CATC_EPI_DESCRIBE){NULL, CATC_EPI_KIND_NOT_GIVEN, CATC_TYPE_NOT_GIVEN}},
    (catc_kernel_fn)CATC_SYMBOL,
};

#undef CATC_SYMBOL
#undef CATC_SYMBOL_INSTANCE
#undef CATC_SYMBOL_SUFFIX
#undef CATC_SYMBOL_BACKEND
#undef CATC_D_SKELETON
#undef CATC_D_WARP
#undef CATC_D_THREAD
#undef CATC_D_CLUSTER
