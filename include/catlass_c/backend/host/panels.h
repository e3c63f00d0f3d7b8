/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/panels.h: the sum of products that all matrix instructions end in. A part of backend/host/runtime.h. */

typedef float catc_host_v4 __attribute__((vector_size(16), aligned(4), may_alias));

/* c[rows][n] += a[k][rows] * b[k][n], every element in the order of k. Products of 16-bit floats are exact in fp32, so
 * each step rounds once. 4 x 8 sums stay in registers. */
static inline void catc_host_multiply_panels(float *c, const float *a, const float *b, int rows, int n, int ks)
{
    for (int row = 0; row < rows; row += 4) {
        for (int column = 0; column < n; column += 8) {
            float *at = c + (size_t)row * (size_t)n + column;
            catc_host_v4 s[4][2];
            for (int r = 0; r < 4; r++) {
                s[r][0] = *(const catc_host_v4 *)(at + (size_t)r * (size_t)n);
                s[r][1] = *(const catc_host_v4 *)(at + (size_t)r * (size_t)n + 4);
            }
            for (int k = 0; k < ks; k++) {
                const catc_host_v4 b0 = *(const catc_host_v4 *)(b + k * n + column);
                const catc_host_v4 b1 = *(const catc_host_v4 *)(b + k * n + column + 4);
                for (int r = 0; r < 4; r++) {
                    s[r][0] += a[k * rows + row + r] * b0;
                    s[r][1] += a[k * rows + row + r] * b1;
                }
            }
            for (int r = 0; r < 4; r++) {
                *(catc_host_v4 *)(at + (size_t)r * (size_t)n) = s[r][0];
                *(catc_host_v4 *)(at + (size_t)r * (size_t)n + 4) = s[r][1];
            }
        }
    }
}
