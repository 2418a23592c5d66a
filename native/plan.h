// What one call computes and how its examples are shared out among threads.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include "conv.h"
#include "dropout.h"
#include "threads.h"

namespace ngpu {

// The first argument of every C symbol; engine/library.py holds the same fields in the same order.
struct Shape {
    int64_t batch, n, w, m, layers, sets, k_w, k_h, steps, threads;
    uint64_t seed;
    uint32_t drop_threshold;
    float drop_scale;
    int32_t cutoff;
    float noise;   // of the Diagonal cell: its states get uniform noise of this amplitude, 0 for none
    float levels;  // and are rounded to multiples of 1 / levels, 0 for not at all

    Dropout dropout() const { return {drop_threshold, drop_scale, seed}; }
    int64_t image() const { return n * w * m; }          // floats of one mental image
    int64_t kernel() const { return k_w * k_h * m * m; }  // floats of one kernel bank
    int64_t gates() const { return sets * layers * 3; }   // kernel banks in all
};

// Consecutive examples go through all steps together as one block: enough cells that a pass over them is worth
// bringing the weights to L1, few enough that their state stays in L2 and every thread has a block.
struct Plan {
    int threads, per_block, blocks;

    explicit Plan(const Shape& s) {
        const int64_t wanted = (160 + s.n * s.w - 1) / (s.n * s.w);
        const int64_t share = (s.batch + s.threads - 1) / s.threads;
        threads = (int)s.threads;
        per_block = (int)std::max<int64_t>(1, std::min(wanted, share));
        blocks = (int)((s.batch + per_block - 1) / per_block);
    }
    int first(int block) const { return block * per_block; }
    int size(int block, const Shape& s) const { return std::min<int>(per_block, (int)s.batch - first(block)); }
    Grid grid(int block, const Shape& s) const {
        return Grid(size(block, s), (int)s.n, (int)s.w, (int)s.k_w, (int)s.k_h);
    }
    Grid largest(const Shape& s) const { return grid(0, s); }
    // Fewer blocks than threads: the threads share each block's cells instead.
    int team() const { return blocks < threads ? threads : 1; }
};

// Floats on a cache line's boundary, zero at first.
class Floats {
    struct Free {
        void operator()(float* p) const { std::free(p); }
    };
    std::unique_ptr<float, Free> data;

  public:
    explicit Floats(int64_t count) {
        const size_t bytes = ((size_t)std::max<int64_t>(count, 1) * sizeof(float) + 63) / 64 * 64;
        data.reset((float*)std::aligned_alloc(64, bytes));
        if (!data) throw std::bad_alloc();
        std::memset(data.get(), 0, bytes);
    }
    operator float*() const { return data.get(); }
};

// All kernel banks of U, packed for conv; `turned` for the backward pass.
template <int V> Floats pack_all(const Shape& s, const float* U, bool turned) {
    Floats packed(s.gates() * s.kernel());
    for (int64_t k = 0; k < s.gates(); ++k)
        pack<V>(U + k * s.kernel(), (int)s.k_w, (int)s.k_h, (int)s.m, turned, packed + k * s.kernel());
    return packed;
}

// Multiplies what the cells from..to hold by the mask of their example's row and by the dropout of step t. x is compact
// when `padded` is false.
template <int V>
void scale_cells(const Shape& s, const Grid& g, float* x, bool padded, int first, const float* mask,
                 const Dropout* dropout, int64_t t, int from, int to) {
    const int m = (int)s.m, image_cells = g.n * g.w;
    for (int c = from; c < to;) {
        const int example = c / image_cells, stop = std::min(to, (example + 1) * image_cells);
        const DropoutRow<V> row(dropout ? *dropout : Dropout{}, first + example, t);
        for (; c < stop; ++c) {
            const float kept = mask ? mask[((int64_t)first * image_cells + c) / g.w] : 1.0f;
            float* cell = x + (int64_t)(padded ? g.at[c] : c) * m;
            const int64_t element = (int64_t)(c - example * image_cells) * m;
            for (int k = 0; k < m; k += V) {
                vf<V> y = load<V>(cell + k) * kept;
                if (dropout) y *= row.factors(element + k);
                store<V>(cell + k, y);
            }
        }
    }
}

// Adds the sum over all cells of the padded image dz to db (m).
template <int V> void bias_gradient(const Grid& g, const float* dz, int m, float* db) {
    for (int c : g.at)
        for (int k = 0; k < m; k += V) store<V>(db + k, load<V>(db + k) + load<V>(dz + (int64_t)c * m + k));
}

// Runs work(block) for all blocks of chunk after chunk, each chunk adding to a gradient buffer of its own, and sums the
// buffers in order: which thread took which chunk leaves no trace in the bits. dU is (sets, layers, 3, k_w, k_h, m, m).
template <class Work> void sum_gradients(const Shape& s, const Plan& plan, float* dU, float* dB, const Work& work) {
    const int chunks = std::min(plan.blocks, 4 * plan.threads);
    const int64_t kernels = s.gates() * s.kernel(), biases = s.gates() * s.m;
    std::vector<Floats> sums;
    for (int k = 0; k < chunks; ++k) sums.emplace_back(kernels + biases);
    std::atomic<int> next{0};
    parallel(std::min(plan.threads, chunks), [&](int) {
        for (int k; (k = next++) < chunks;)
            work(k * plan.blocks / chunks, (k + 1) * plan.blocks / chunks, sums[k], sums[k] + kernels);
    });
    const int64_t mm = s.m * s.m;
    for (int64_t gate = 0; gate < s.gates(); ++gate)
        for (int64_t v = 0; v < s.k_h; ++v)
            for (int64_t u = 0; u < s.k_w; ++u) {
                const int64_t from = gate * s.kernel() + (v * s.k_w + u) * mm;
                float* to = dU + gate * s.kernel() + (u * s.k_h + v) * mm;
                std::copy_n(sums[0] + from, mm, to);
                for (int k = 1; k < chunks; ++k)
                    for (int64_t j = 0; j < mm; ++j) to[j] += sums[k][from + j];
            }
    std::copy_n(sums[0] + kernels, biases, dB);
    for (int k = 1; k < chunks; ++k)
        for (int64_t j = 0; j < biases; ++j) dB[j] += sums[k][kernels + j];
}

}  // namespace ngpu
