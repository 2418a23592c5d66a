// The convolution of a zero-padded image as a GEMM over its own memory: no im2col.
//
// A grid holds `examples` images of n x w cells. Zero cells lie between the rows and between the images, so that the
// neighbours of a cell are at fixed distances; the right edge of a row is the left edge of the next. For each of the
// k_h tape taps, the k_w cells across the width are k_w * m contiguous floats.
#pragma once
#include <algorithm>
#include <vector>
#include "vec.h"

namespace ngpu {

struct Grid {
    int examples, n, w, k_w, k_h, p_w, p_h, stride;  // stride: cells from one row to the next
    std::vector<int> at;                             // padded position of each cell, in cells

    Grid(int examples, int n, int w, int k_w, int k_h)
        : examples(examples), n(n), w(w), k_w(k_w), k_h(k_h), p_w(k_w / 2), p_h(k_h / 2), stride(w + k_w / 2) {
        at.reserve(cells());
        for (int e = 0; e < examples; ++e)
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < w; ++j) at.push_back(p_w + (p_h + e * (n + p_h) + i) * stride + j);
    }
    int cells() const { return examples * n * w; }
    int padded() const { return p_w + (p_h + examples * (n + p_h)) * stride; }
    int taps() const { return k_w * k_h; }
    // Cells that follow each other in memory: a row, or a whole image where rows have nothing between them.
    int run() const { return stride == w ? n * w : w; }
    // Sets the zeros around the images of a buffer of m floats a cell; the cells themselves are left alone.
    void clear_edges(float* x, int m) const {
        int from = 0;
        for (int c = 0; c < cells(); c += run()) {
            std::fill(x + (int64_t)from * m, x + (int64_t)at[c] * m, 0.0f);
            from = at[c] + run();
        }
        std::fill(x + (int64_t)from * m, x + (int64_t)padded() * m, 0.0f);
    }
};

// Register tiles of R cells by N vectors: R * N accumulators, N weights and one broadcast must fit the registers.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int rows_of(int vectors) { return vectors == 3 ? 8 : 10; }
#else
constexpr int rows_of(int vectors) { return vectors == 3 ? 4 : vectors == 2 ? 6 : 8; }
#endif

// m columns are cut in panels of three vectors, with one or two panels of two (or a single one) for the rest.
INLINE int panel_vectors(int left) { return left == 4 || left == 2 ? 2 : left == 1 ? 1 : 3; }

template <int V, class Each> INLINE void for_panels(int m, const Each& each) {
    for (int column = 0; column < m;) {
        const int vectors = panel_vectors((m - column) / V);
        each(column, vectors);
        column += vectors * V;
    }
}

// Kernels U[u, v, c, i] (k_w, k_h, m, m) in panels of (k_h, k_w, m) rows, for conv. `turned` packs the adjoint: taps
// in reverse order, from i to c.
template <int V> void pack(const float* U, int k_w, int k_h, int m, bool turned, float* to) {
    for_panels<V>(m, [&](int column, int vectors) {
        const int columns = vectors * V;
        for (int v = 0; v < k_h; ++v)
            for (int u = 0; u < k_w; ++u) {
                const int tap = turned ? (k_w - 1 - u) * k_h + (k_h - 1 - v) : u * k_h + v;
                const float* from = U + (int64_t)tap * m * m;
                for (int k = 0; k < m; ++k, to += columns)
                    for (int j = 0; j < columns; ++j)
                        to[j] = turned ? from[(int64_t)(column + j) * m + k] : from[(int64_t)k * m + column + j];
            }
    });
}

template <int V, int R, int N, class Epilogue>
INLINE void conv_panel(const Grid& g, const float* x, int m, const float* panel, const float* bias, int column,
                       int from, int to, const Epilogue& epilogue) {
    const int segment = g.k_w * m;
    const int64_t next_segment = (int64_t)g.stride * m;
    const float* corner = x - ((int64_t)g.p_h * g.stride + g.p_w) * m;
    vf<V> start[N];
    for (int j = 0; j < N; ++j) start[j] = bias ? load<V>(bias + column + j * V) : vf<V>{};
    for (int c = from; c < to; c += R) {
        const float* a[R];
        for (int r = 0; r < R; ++r) a[r] = corner + (int64_t)g.at[std::min(c + r, to - 1)] * m;
        vf<V> acc[R][N];
        for (int r = 0; r < R; ++r)
            for (int j = 0; j < N; ++j) acc[r][j] = start[j];
        const float* b = panel;
        for (int v = 0; v < g.k_h; ++v) {
#pragma GCC unroll 4
            for (int k = 0; k < segment; ++k, b += N * V) {
                vf<V> weights[N];
                for (int j = 0; j < N; ++j) weights[j] = load<V>(b + j * V);
                for (int r = 0; r < R; ++r)
                    for (int j = 0; j < N; ++j) acc[r][j] += a[r][k] * weights[j];
            }
            for (int r = 0; r < R; ++r) a[r] += next_segment;
        }
        for (int r = 0; r < R; ++r)
            if (c + r < to)
                for (int j = 0; j < N; ++j) epilogue(c + r, g.at[c + r], column + j * V, acc[r][j]);
    }
}

// Convolves cells from..to of the padded image x (m floats a cell) and hands each vector of the result to
// epilogue(cell, padded position, column, value). Cells are outermost within a panel, whose weights stay in L1.
template <int V, class Epilogue>
void conv(const Grid& g, const float* x, int m, const float* packed, const float* bias, int from, int to,
          const Epilogue& epilogue) {
    const int64_t depth = (int64_t)g.taps() * m;
    for_panels<V>(m, [&](int column, int vectors) {
        const float* panel = packed + depth * column;
        if (vectors == 3) conv_panel<V, rows_of(3), 3>(g, x, m, panel, bias, column, from, to, epilogue);
        if (vectors == 2) conv_panel<V, rows_of(2), 2>(g, x, m, panel, bias, column, from, to, epilogue);
        if (vectors == 1) conv_panel<V, rows_of(1), 1>(g, x, m, panel, bias, column, from, to, epilogue);
    });
}

// Cells whose errors are packed together in weight_gradient: with 24 maps of each they fill half of L1.
constexpr int cells_at_once = 168;

// A tile of R inputs by N vectors of outputs; offsets are those of `count` cells in x, errors their packed columns of dz.
template <int V, int R, int N>
INLINE void weight_tile(const float* x, const int64_t* offsets, int count, const float* errors, int m, float* dU) {
    vf<V> acc[R][N];
    for (int r = 0; r < R; ++r)
        for (int j = 0; j < N; ++j) acc[r][j] = load<V>(dU + (int64_t)r * m + j * V);
#pragma GCC unroll 2
    for (int c = 0; c < count; ++c, errors += N * V) {
        const float* a = x + offsets[c];
        vf<V> error[N];
        for (int j = 0; j < N; ++j) error[j] = load<V>(errors + j * V);
        for (int r = 0; r < R; ++r)
            for (int j = 0; j < N; ++j) acc[r][j] += a[r] * error[j];
    }
    for (int r = 0; r < R; ++r)
        for (int j = 0; j < N; ++j) store<V>(dU + (int64_t)r * m + j * V, acc[r][j]);
}

// The cells that a gradient is summed over, and the rows of the kernels (k_h, k_w, m) that get it: multiples of 8.
struct Share {
    int from_cell, to_cell, from_row, to_row;
};

template <int V, int R, int N>
void weight_panel(const Grid& g, const float* x, const float* dz, int m, int column, const Share& share, float* dU) {
    alignas(64) float errors[cells_at_once * N * V];
    int64_t offsets[cells_at_once];
    const int segment = g.k_w * m;
    for (int from = share.from_cell; from < share.to_cell; from += cells_at_once) {
        const int count = std::min(cells_at_once, share.to_cell - from);
        for (int c = 0; c < count; ++c) {
            offsets[c] = (int64_t)g.at[from + c] * m;
            for (int j = 0; j < N; ++j)
                store<V>(errors + (c * N + j) * V, load<V>(dz + offsets[c] + column + j * V));
        }
        for (int row = share.from_row; row < share.to_row;) {
            const int v = row / segment, stop = std::min(share.to_row, (v + 1) * segment);
            const float* corner = x + (int64_t)((v - g.p_h) * g.stride - g.p_w) * m - v * segment;
            for (; row < stop; row += R)
                weight_tile<V, R, N>(corner + row, offsets, count, errors, m, dU + (int64_t)row * m + column);
        }
    }
}

// Adds to dU (k_h, k_w, m, m) the gradient of the kernels of a convolution of x whose result has gradient dz; both are
// padded images. Each number of dU is a sum over cells in order, so how it is cut leaves no trace in the bits.
template <int V>
void weight_gradient(const Grid& g, const float* x, const float* dz, int m, const Share& share, float* dU) {
    for_panels<V>(m, [&](int column, int vectors) {
        if (vectors == 3) weight_panel<V, 4, 3>(g, x, dz, m, column, share, dU);
        if (vectors == 2) weight_panel<V, 4, 2>(g, x, dz, m, column, share, dU);
        if (vectors == 1) weight_panel<V, 8, 1>(g, x, dz, m, column, share, dU);
    });
}

}  // namespace ngpu
