/* SPDX-License-Identifier: Apache-2.0
 *
 * check/gemm_given.inst.h: the parameters that every GEMM skeleton needs; a missing one is an error that names it. */
#ifndef CATC_P_NAME
#error "CATC_P_NAME is missing"
#endif
#ifndef CATC_P_NAME_STRING
#error "CATC_P_NAME_STRING is missing"
#endif
#ifndef CATC_P_SOURCE
#error "CATC_P_SOURCE is missing"
#endif
#ifndef CATC_P_TYPE_A
#error "CATC_P_TYPE_A is missing"
#endif
#ifndef CATC_P_TYPE_B
#error "CATC_P_TYPE_B is missing"
#endif
#ifndef CATC_P_TYPE_ACC
#error "CATC_P_TYPE_ACC is missing"
#endif
#ifndef CATC_P_TYPE_D
#error "CATC_P_TYPE_D is missing"
#endif
#ifndef CATC_P_LAYOUT
#error "CATC_P_LAYOUT is missing"
#endif
#ifndef CATC_P_TILE_M
#error "CATC_P_TILE_M is missing"
#endif
#ifndef CATC_P_TILE_N
#error "CATC_P_TILE_N is missing"
#endif
#ifndef CATC_P_TILE_K
#error "CATC_P_TILE_K is missing"
#endif
#ifndef CATC_P_STAGES
#error "CATC_P_STAGES is missing"
#endif
#ifndef CATC_P_SCHEDULE
#error "CATC_P_SCHEDULE is missing"
#endif
#ifndef CATC_P_SWAP
#error "CATC_P_SWAP is missing"
#endif
#ifndef CATC_P_MIN_BLOCKS
#error "CATC_P_MIN_BLOCKS is missing"
#endif
#ifndef CATC_P_N_EPI
#error "CATC_P_N_EPI is missing"
#endif
#ifndef CATC_P_EPI_LIST
#error "CATC_P_EPI_LIST is missing"
#endif
