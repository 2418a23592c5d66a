// What one call computes, how its examples are shared out among threads, and what it keeps for the backward pass.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <deque>
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
    float noise;   // of the Diagonal cell: its pre-activations get uniform noise of this amplitude, 0 for none
    float levels;  // and are rounded to multiples of 1 / levels, 0 for not at all
    int32_t sparse;  // of the Diagonal cell: weights that are zero are left out and have no gradient

    Dropout dropout() const { return {drop_threshold, drop_scale, seed}; }
    int64_t image() const { return n * w * m; }          // floats of one mental image
    int64_t kernel() const { return k_w * k_h * m * m; }  // floats of one kernel bank
    int64_t gates() const { return sets * layers * 3; }   // kernel banks in all
    // What the sum of saturations is divided by: cells and steps of all examples.
    double cell_steps() const { return (double)n * (double)std::max<int64_t>(steps, 1) * (double)batch; }
    // The first of the three banks of a layer in step t.
    int64_t bank(int64_t t, int64_t layer) const { return (t % sets * layers + layer) * 3; }
};

// Examples with enough cells that a pass over them is worth bringing the weights to L1, and few enough that their state
// stays in L2.
INLINE int64_t examples_that_fill(const Shape& s) { return (160 + s.n * s.w - 1) / (s.n * s.w); }

// The order in which gradients of weights are summed: block by block of consecutive examples, the steps of a block from
// the last to the first, its cells in each of them; in up to four chunks of blocks, whose sums are then added. It
// follows from the shape alone, so that the same bits come out on any number of threads.
struct Order {
    static constexpr int most_chunks = 4;
    const int per_block, blocks, chunks;
    explicit Order(const Shape& s)
        : per_block((int)std::min(examples_that_fill(s), s.batch)),
          blocks((int)((s.batch + per_block - 1) / per_block)), chunks(std::min(blocks, most_chunks)) {}
    int first_block(int chunk) const { return (int)((int64_t)chunk * blocks / chunks); }
};

// How threads share the examples, which leaves no trace in the bits: consecutive ones go through all steps together as
// one block. Every thread has a block where chunks hold no more than one of the order's.
class Plan {
    static int64_t examples_per_block(const Shape& s) {
        const Order order(s);
        const int64_t share = (s.batch + s.threads - 1) / s.threads;
        return order.blocks > order.chunks ? order.per_block : std::min<int64_t>(order.per_block, share);
    }
    static Grid grid_of(int examples, const Shape& s) {
        return Grid(examples, (int)s.n, (int)s.w, (int)s.k_w, (int)s.k_h);
    }

  public:
    // Multiplications with one kernel bank that are worth a thread of their own: 64 cells of the paper's size, ten
    // microseconds.
    static constexpr int64_t worth_a_thread = 64 * 9 * 24 * 24;

    const int threads, per_block, blocks;
    const int members;            // of a team: the threads that share the cells of one block
    const int teams;              // that work at the same time
    const Grid largest, smaller;  // the last block's grid is the smaller one

    explicit Plan(const Shape& s)
        : threads((int)s.threads), per_block((int)examples_per_block(s)),
          blocks((int)((s.batch + per_block - 1) / per_block)),
          members((int)std::max<int64_t>(
              1, std::min<int64_t>(threads / blocks, per_block * s.n * s.w * s.kernel() / worth_a_thread))),
          teams(std::min(blocks, threads / members)), largest(grid_of(per_block, s)),
          smaller(grid_of((int)s.batch - first(blocks - 1), s)) {}
    int first(int block) const { return block * per_block; }
    const Grid& grid(int block) const { return block + 1 < blocks ? largest : smaller; }
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

// What the backward pass needs of one layer in one step: its input, padded, and compact what the cell keeps of its
// candidate (the CGRU its value, the Diagonal cell its pre-activation), its gate and its reset gate.
struct Kept {
    float *x, *candidate, *gate, *reset;
    static int64_t floats(const Shape& s, const Grid& largest) {
        return (largest.padded() + 3 * (int64_t)largest.cells()) * s.m;
    }
    Kept(const Shape& s, const Plan& plan, float* kept, int64_t block, int64_t t, int64_t layer = 0) {
        const int64_t compact = plan.largest.cells() * s.m;
        x = kept + ((block * s.steps + t) * s.layers + layer) * floats(s, plan.largest);
        candidate = x + plan.largest.padded() * s.m;
        gate = candidate + compact;
        reset = gate + compact;
    }
};

// floats * steps, or an exception where no memory holds them.
inline int64_t kept_in_all(const Shape& s, int64_t floats) {
    if ((double)floats * (double)s.steps > 1e15) throw std::bad_alloc();
    return floats * s.steps;
}
inline int64_t kept_floats(const Shape& s) {
    const Plan plan(s);
    return kept_in_all(s, plan.blocks * s.layers * Kept::floats(s, plan.largest));
}

// What the members of a team have in common: where they meet, and the buffers of their block. All of it is there before
// they start, since a member that found no memory would leave the others waiting.
template <int V> struct Team {
    const int members;
    Barrier barrier;
    Floats x, y, rs, gate;            // the input and the result of a layer, r . s, and the gate
    Floats saturated;                 // of the Diagonal cell, eight lanes for each cell
    Floats scratch;                   // of each member, as many floats as are asked for
    std::vector<DropoutRow<V>> rows;  // of the block's examples in the present step
    Team(const Shape& s, const Plan& plan, bool keep, int64_t scratch)
        : members(plan.members), barrier(members), x(keep ? 0 : plan.largest.padded() * s.m),
          y(keep ? 0 : plan.largest.padded() * s.m), rs(plan.largest.padded() * s.m),
          gate(keep ? 0 : plan.largest.cells() * s.m), saturated(plan.largest.cells() * 8),
          scratch(scratch * members), rows(plan.per_block) {}
    // Cells from first_cell(k) up to first_cell(k + 1) are member k's: an example's are cut in groups of four.
    int first_cell(const Grid& g, int member) const {
        const int cell = (int)((int64_t)g.cells() * member / members);
        return cell - cell % (g.n * g.w) % 4;
    }
};

// Runs work(block, team, member) for all members of a team for each block. Members allocate nothing and throw nothing.
template <int V, class Work>
void for_blocks(const Shape& s, const Plan& plan, bool keep, const Work& work, int64_t scratch = 0) {
    std::deque<Team<V>> teams;
    for (int k = 0; k < plan.teams; ++k) teams.emplace_back(s, plan, keep, scratch);
    std::atomic<int> next{0};
    parallel(plan.teams * plan.members, [&](int k) {
        if (plan.members > 1)  // there is a team for each block
            work(k / plan.members, teams[k / plan.members], k % plan.members);
        else
            for (int block; (block = next++) < plan.blocks;) work(block, teams[k], 0);
    });
}

// All kernel banks of U, packed for conv; `turned` for the backward pass.
template <int V> Floats pack_all(const Shape& s, const float* U, bool turned) {
    Floats packed(s.gates() * s.kernel());
    for (int64_t k = 0; k < s.gates(); ++k)
        pack<V>(U + k * s.kernel(), (int)s.k_w, (int)s.k_h, (int)s.m, turned, packed + k * s.kernel());
    return packed;
}

// Multiplies what the cells from..to hold by the dropout of step t. x is compact when `padded` is false.
template <int V>
void drop_cells(const Shape& s, const Grid& g, float* x, bool padded, int first, int64_t t, int from, int to) {
    const int m = (int)s.m, image_cells = g.n * g.w;
    for (int c = from; c < to;) {
        const int example = c / image_cells, stop = std::min(to, (example + 1) * image_cells);
        const DropoutRow<V> row(s.dropout(), first + example, t);
        for (; c < stop; ++c) {
            float* cell = x + (int64_t)(padded ? g.at[c] : c) * m;
            const int64_t element = (int64_t)(c - example * image_cells) * m;
            for (int k = 0; k < m; k += V) store<V>(cell + k, load<V>(cell + k) * row.factors(element + k));
        }
    }
}

}  // namespace ngpu
