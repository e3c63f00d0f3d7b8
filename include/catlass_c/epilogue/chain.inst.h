/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/chain.inst.h: for the instance being compiled, the struct of operands of one segment of CATC_I_VEC elements
 * and the function that applies the chain to one value of it. */
#ifndef CATC_I_VEC
#error "chain.inst.h: define CATC_I_VEC, the elements of a segment"
#endif

CATC_P_EPI_LIST(CATC_EPI_PROVE)

struct CATC_LOCAL(operands) {
    CATC_P_EPI_LIST(CATC_EPI_FIELD)
    int none_; /* a struct needs a member, also for an empty chain */
};

/* x: alpha * acc + beta * C of element j of the segment; row and column are the caller's D. */
CATC_DEVICE float CATC_LOCAL(chain)(float x, struct CATC_LOCAL(operands) * o, int j, int64_t row, int64_t column)
{
    (void)o, (void)j, (void)row, (void)column;
    CATC_P_EPI_LIST(CATC_EPI_STEP)
    return x;
}

CATC_DEVICE void CATC_LOCAL(chain_begin)(const struct catc_gemm_params *p, struct CATC_LOCAL(operands) * o)
{
    (void)p;
    o->none_ = 0;
    CATC_P_EPI_LIST(CATC_EPI_BEGIN)
}

CATC_DEVICE void CATC_LOCAL(chain_end)(const struct catc_gemm_params *p, struct CATC_LOCAL(operands) * o, int64_t batch)
{
    (void)p, (void)o, (void)batch;
    CATC_P_EPI_LIST(CATC_EPI_END)
}
