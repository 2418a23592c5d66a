// Convolutions with 3 x 3 kernels by fewer multiplications (Winograd's minimal filtering), for a network in use.
//
// F(t, 3) makes t neighbouring results of a filter with three taps from t + 2 inputs by t + 2 multiplications: inputs and
// filter are each turned into their values at t + 2 points, multiplied point by point, and turned back. Along the tape
// and across the width it makes a tile of H x W cells by (H + 2)(W + 2) products with an m x m matrix instead of 9 H W.
#pragma once
#include "conv.h"

namespace ngpu {

// The three maps of F(t, 3); `filter` has a row of three for each point.
template <int T> struct Filtering;

template <> struct Filtering<2> {  // at 0, 1, -1 and infinity
    static constexpr double filter[4][3] = {{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}};
    template <class X> static INLINE void input(const X* d, X* v) {
        v[0] = d[0] - d[2];
        v[1] = d[1] + d[2];
        v[2] = d[2] - d[1];
        v[3] = d[1] - d[3];
    }
    template <class X> static INLINE void output(const X* p, X* y) {
        y[0] = (p[0] + p[1]) + p[2];
        y[1] = (p[1] - p[2]) - p[3];
    }
};

template <> struct Filtering<4> {  // at 0, 1, -1, 2, -2 and infinity
    static constexpr double filter[6][3] = {{1. / 4, 0, 0},           {-1. / 6, -1. / 6, -1. / 6},
                                            {-1. / 6, 1. / 6, -1. / 6}, {1. / 24, 1. / 12, 1. / 6},
                                            {1. / 24, -1. / 12, 1. / 6}, {0, 0, 1}};
    template <class X> static INLINE void input(const X* d, X* v) {
        const X even = d[4] - 4.0f * d[2], odd = d[3] - 4.0f * d[1];
        const X even2 = d[4] - d[2], odd2 = 2.0f * (d[3] - d[1]);
        v[0] = 4.0f * (d[0] - d[2]) + even2;
        v[1] = even + odd;
        v[2] = even - odd;
        v[3] = even2 + odd2;
        v[4] = even2 - odd2;
        v[5] = 4.0f * (d[1] - d[3]) + (d[5] - d[3]);
    }
    template <class X> static INLINE void output(const X* p, X* y) {
        const X sum = p[1] + p[2], difference = p[1] - p[2], sum2 = p[3] + p[4], difference2 = p[3] - p[4];
        y[0] = (p[0] + sum) + sum2;
        y[1] = difference + 2.0f * difference2;
        y[2] = sum + 4.0f * sum2;
        y[3] = (difference + 8.0f * difference2) + p[5];
    }
};

// Tiles whose products are made together.
constexpr int tiles_at_once = 8;

template <int V, int H, int W> struct Winograd {
    static constexpr int down = H + 2, across = W + 2, points = down * across;

    // Floats of a kernel bank at all points, and of what a thread works in.
    static int64_t kernel_floats(int m) { return (int64_t)points * m * m; }
    static int64_t scratch_floats(int m) { return (int64_t)(2 * points * tiles_at_once + across) * m; }

    // A bank U (3 across, 3 along, m, m) at each point, in panels of columns: (points, panels, m, columns).
    static void pack(const float* U, int m, float* to) {
        std::vector<double> sums(m);
        for (int a = 0; a < down; ++a)
            for (int b = 0; b < across; ++b)
                for_panels<V>(m, [&](int column, int vectors) {
                    const int columns = vectors * V;
                    for (int k = 0; k < m; ++k, to += columns) {
                        std::fill_n(sums.begin(), columns, 0.0);
                        for (int tap = 0; tap < 9; ++tap) {
                            const double share = Filtering<H>::filter[a][tap % 3] * Filtering<W>::filter[b][tap / 3];
                            const float* from = U + ((int64_t)tap * m + k) * m + column;
                            if (share != 0)
                                for (int j = 0; j < columns; ++j) sums[j] += share * (double)from[j];
                        }
                        for (int j = 0; j < columns; ++j) to[j] = (float)sums[j];
                    }
                });
    }

    // Tiles of the examples of a grid, row by row.
    static int tiles(const Grid& g) { return g.examples * ((g.n + H - 1) / H) * (g.w / W); }

    struct Tile {
        int row, column, example;
        Tile(const Grid& g, int k) {
            const int per_row = g.w / W, rows = (g.n + H - 1) / H;
            column = k % per_row * W;
            row = k / per_row % rows * H;
            example = k / per_row / rows;
        }
        int cell(const Grid& g) const { return (example * g.n + row) * g.w + column; }
    };

    // The values of a tile's inputs at all points, `apart` floats from one point to the next.
    static INLINE void at_points(const Grid& g, const float* x, int m, const Tile& tile, const float* zeros, float* to,
                                 int64_t apart) {
        const float* rows[down];
        const float* corner = x + ((int64_t)g.at[tile.cell(g)] - g.stride - 1) * m;
        for (int i = 0; i < down; ++i)  // what lies beyond the tape must not leave a trace in the last digits
            rows[i] = tile.row + i <= g.n + 1 ? corner + (int64_t)i * g.stride * m : zeros;
        for (int k = 0; k < m; k += V) {
            vf<V> half[down][across];
            for (int j = 0; j < across; ++j) {
                vf<V> d[down], v[down];
                for (int i = 0; i < down; ++i) d[i] = load<V>(rows[i] + (int64_t)j * m + k);
                Filtering<H>::input(d, v);
                for (int a = 0; a < down; ++a) half[a][j] = v[a];
            }
            for (int a = 0; a < down; ++a) {
                vf<V> v[across];
                Filtering<W>::input(half[a], v);
                for (int b = 0; b < across; ++b) store<V>(to + (a * across + b) * apart + k, v[b]);
            }
        }
    }

    // From the products at all points to a tile's cells.
    template <class Epilogue>
    static INLINE void back(const Grid& g, const float* products, int64_t apart, int m, const Tile& tile, int bank,
                            const Epilogue& epilogue) {
        const int cell = tile.cell(g), height = std::min(H, g.n - tile.row);
        for (int k = 0; k < m; k += V) {
            vf<V> half[H][across];
            for (int b = 0; b < across; ++b) {
                vf<V> p[down], y[H];
                for (int a = 0; a < down; ++a) p[a] = load<V>(products + (a * across + b) * apart + k);
                Filtering<H>::output(p, y);
                for (int i = 0; i < H; ++i) half[i][b] = y[i];
            }
            for (int i = 0; i < height; ++i) {
                vf<V> y[W];
                Filtering<W>::output(half[i], y);
                for (int j = 0; j < W; ++j)
                    epilogue(bank, cell + i * g.w + j, g.at[cell] + i * g.stride + j, k, y[j]);
            }
        }
    }

    template <int R, int N>
    static INLINE void product(const float* x, int m, const float* panel, int count, int column, float* to) {
        for (int c = 0; c < count; c += R) {
            const float* a[R];
            for (int r = 0; r < R; ++r) a[r] = x + (int64_t)std::min(c + r, count - 1) * m;
            vf<V> acc[R][N] = {};
            const float* b = panel;
#pragma GCC unroll 4
            for (int k = 0; k < m; ++k, b += N * V) {
                vf<V> weights[N];
                for (int j = 0; j < N; ++j) weights[j] = load<V>(b + j * V);
                for (int r = 0; r < R; ++r)
                    for (int j = 0; j < N; ++j) acc[r][j] += a[r][k] * weights[j];
            }
            for (int r = 0; r < R; ++r)
                if (c + r < count)
                    for (int j = 0; j < N; ++j) store<V>(to + (int64_t)(c + r) * m + column + j * V, acc[r][j]);
        }
    }

    // Convolves up to tiles_at_once tiles of x from `first` on with `banks`, one after the other, and hands each vector of
    // the result to epilogue(bank, cell, padded position, column, value without bias).
    template <class Epilogue>
    static void conv(const Grid& g, const float* x, int m, std::initializer_list<const float*> banks, int first,
                     float* scratch, const Epilogue& epilogue) {
        const int64_t apart = (int64_t)tiles_at_once * m;
        float *inputs = scratch, *products = scratch + points * apart, *zeros = products + points * apart;
        const int count = std::min(tiles_at_once, tiles(g) - first);
        for (int k = 0; k < count; ++k) at_points(g, x, m, Tile(g, first + k), zeros, inputs + (int64_t)k * m, apart);
        int bank = 0;
        for (const float* weights : banks) {
            for (int p = 0; p < points; ++p)
                for_panels<V>(m, [&](int column, int vectors) {
                    const float* panel = weights + ((int64_t)p * m + column) * m;
                    const float* a = inputs + p * apart;
                    float* c = products + p * apart;
                    if (vectors == 3) product<rows_of(3), 3>(a, m, panel, count, column, c);
                    if (vectors == 2) product<rows_of(2), 2>(a, m, panel, count, column, c);
                    if (vectors == 1) product<rows_of(1), 1>(a, m, panel, count, column, c);
                });
            for (int k = 0; k < count; ++k)
                back(g, products + (int64_t)k * m, apart, m, Tile(g, first + k), bank, epilogue);
            ++bank;
        }
    }
};

}  // namespace ngpu
