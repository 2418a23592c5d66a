// The backward pass of a batch: errors go back through the steps of each block, and gradients of weights are sums over
// examples, steps and cells in an order that follows from the shape alone.
#pragma once
#include "plan.h"

namespace ngpu {

// What the errors of a block are computed in. Zero at first, and edges of padded images are never written.
struct ErrorBuffers {
    // The gradients of a layer's three pre-activations, in the order of its banks, and r . s; padded. Two of each, so
    // that one layer's may still be read while those of the next are written.
    struct Layer {
        Floats dz[3], rs;
        explicit Layer(int64_t padded) : dz{Floats(padded), Floats(padded), Floats(padded)}, rs(padded) {}
    } layers[2];
    Floats shifted;  // padded
    Floats d[2];     // the gradients of a layer's result and of its input in turn; compact
    ErrorBuffers(int64_t padded, int64_t compact)
        : layers{Layer(padded), Layer(padded)}, shifted(padded), d{Floats(compact), Floats(compact)} {}
};

// Blocks of the plan whose errors go back together, step by step, and how the members of a team share this: first the
// cells, then the weights.
struct Lot {
    struct Range {
        int index, from, to;
    };
    struct Segment {
        int chunk, index, from, to;  // cells of blocks[index]
    };
    std::vector<int> blocks;
    std::vector<Segment> segments;          // in the order of the sums of each chunk
    std::vector<std::vector<Range>> cells;  // for each member: cells of blocks[index]
    std::vector<std::vector<Range>> rows;   // for each member: rows of the three banks of the weights of chunk `index`
    bool split = false;                     // whether a block has cells of several members

    Lot(const Shape& s, const Plan& plan, const Order& order, std::vector<int> of, int members)
        : blocks(std::move(of)), cells(members), rows(members) {
        const int image_cells = (int)(s.n * s.w);
        std::vector<int> ends;                      // of the blocks, in cells of the lot
        std::vector<int64_t> summed(order.chunks);  // cells of each chunk
        for (int k = 0; k < (int)blocks.size(); ++k) {
            const int first = plan.first(blocks[k]), last = first + plan.grid(blocks[k]).examples;
            ends.push_back((ends.empty() ? 0 : ends.back()) + (last - first) * image_cells);
            for (int from = first, to; from < last; from = to) {  // a block may lie in two of the order's
                const int block = from / order.per_block;
                int chunk = 0;
                while (order.first_block(chunk + 1) <= block) ++chunk;
                to = std::min(last, (block + 1) * order.per_block);
                segments.push_back({chunk, k, (from - first) * image_cells, (to - first) * image_cells});
                summed[chunk] += (to - from) * image_cells;
            }
        }
        share_cells(ends, members);
        share_rows(summed, (int)(3 * s.k_w * s.k_h * s.m), members);
    }

  private:
    // Whole blocks, where members then have about as much to do as each other.
    void share_cells(const std::vector<int>& ends, int members) {
        std::vector<int> bounds(members + 1), whole(members + 1);
        for (int k = 1; k <= members; ++k) {
            bounds[k] = (int)((int64_t)ends.back() * k / members);
            const auto after = std::lower_bound(ends.begin(), ends.end(), bounds[k]);
            const int before = after == ends.begin() ? 0 : after[-1];
            whole[k] = bounds[k] - before < *after - bounds[k] ? before : *after;
            split = split || 8 * (int64_t)members * (whole[k] - whole[k - 1]) > 9 * (int64_t)ends.back();
        }
        for (int k = 0; k < members; ++k)
            for (int block = 0; block < (int)ends.size(); ++block) {
                const int start = block ? ends[block - 1] : 0;
                const int from = std::max(start, (split ? bounds : whole)[k]);
                const int to = std::min(ends[block], (split ? bounds : whole)[k + 1]);
                if (from < to) cells[k].push_back({block, from - start, to - start});
            }
    }
    // As many products of rows and cells for each member.
    void share_rows(const std::vector<int64_t>& summed, int all, int members) {
        int64_t total = 0, before = 0;
        for (int64_t count : summed) total += count;
        for (int chunk = 0; chunk < (int)summed.size(); before += summed[chunk++]) {
            if (!summed[chunk]) continue;
            const auto first_row = [&](int member) {
                const int64_t row = (total * member - before * members) * all / (summed[chunk] * members);
                return (int)std::max<int64_t>(0, std::min<int64_t>(all, row / 8 * 8));
            };
            for (int k = 0; k < members; ++k) {
                const int from = first_row(k), to = k + 1 == members ? all : first_row(k + 1);
                if (from < to) rows[k].push_back({chunk, from, to});
            }
        }
    }
};

// Adds a layer's gradients in one step to dU (3, k_h, k_w, m, m) and dB (3, m); the rows of the share are those of all
// three banks. A bias goes with the first row of its bank.
template <int V>
void add_gradients(const Grid& g, const float* x, const ErrorBuffers::Layer& errors, const Share& share, int m,
                   float* dU, float* dB) {
    const int rows = g.taps() * m;
    for (int gate = 0; gate < 3; ++gate) {
        const int from = std::max(0, share.from_row - gate * rows), to = std::min(rows, share.to_row - gate * rows);
        if (from >= to) continue;
        const float* dz = errors.dz[gate];
        weight_gradient<V>(g, gate ? x : errors.rs, dz, m, {share.from_cell, share.to_cell, from, to},
                           dU + (int64_t)gate * rows * m);
        if (from > 0) continue;
        float* db = dB + gate * m;
        for (int c = share.from_cell; c < share.to_cell; ++c)
            for (int k = 0; k < m; k += V)
                store<V>(db + k, load<V>(db + k) + load<V>(dz + (int64_t)g.at[c] * m + k));
    }
}

// One layer of one step of a block on its way back, for the cells from..to.
struct BackwardLayer {
    const Grid& g;
    const Kept kept;
    const int64_t first, t, layer;  // first: the block's first example
    const int from, to;
    const ErrorBuffers::Layer& errors;
    float *shifted, *dy, *dx;  // dy: the gradient of the layer's result, dx: of its input
};

// What member k does for a lot. `cell` takes the errors of a layer back in three phases; the second and the third need
// what the one before made of neighbouring cells. Then members share the weights.
template <int V, class Cell>
void backward_lot(const Shape& s, const Plan& plan, const Cell& cell, const Lot& lot, const ErrorBuffers* buffers,
                  int k, Barrier& barrier, float* kept, const float* dout, float* ds0,
                  const std::vector<Floats>& sums) {
    const int64_t kernels = s.gates() * s.kernel();
    int turn = 0;
    const auto place = [&](const Lot::Range& r) { return plan.first(lot.blocks[r.index]) * s.image() + r.from * s.m; };
    for (const Lot::Range& r : lot.cells[k])
        std::copy_n(dout + place(r), (r.to - r.from) * s.m, buffers[r.index].d[turn] + r.from * s.m);
    for (int64_t t = s.steps - 1; t >= 0; --t)
        for (int64_t layer = s.layers - 1; layer >= 0; --layer, turn ^= 1) {
            const int now = lot.cells.size() > 1 ? turn : 0;
            const auto for_cells = [&](const auto& phase) {
                for (const Lot::Range& r : lot.cells[k]) {
                    const ErrorBuffers& b = buffers[r.index];
                    const int block = lot.blocks[r.index];
                    phase(BackwardLayer{plan.grid(block), Kept(s, plan, kept, block, t, layer), plan.first(block), t,
                                        layer, r.from, r.to, b.layers[now], b.shifted, b.d[turn], b.d[turn ^ 1]});
                }
            };
            if (lot.split) {
                for_cells([&](const BackwardLayer& l) { cell.open(l); });
                barrier.meet();
                for_cells([&](const BackwardLayer& l) { cell.reset(l); });
                barrier.meet();
                for_cells([&](const BackwardLayer& l) { cell.input(l); });
            } else {
                for_cells([&](const BackwardLayer& l) { cell.open(l), cell.reset(l), cell.input(l); });
            }
            barrier.meet();
            const int64_t bank = s.bank(t, layer);
            for (const Lot::Range& rows : lot.rows[k])
                for (const Lot::Segment& cells : lot.segments) {
                    if (cells.chunk != rows.index) continue;
                    const int block = lot.blocks[cells.index];
                    add_gradients<V>(plan.grid(block), Kept(s, plan, kept, block, t, layer).x,
                                     buffers[cells.index].layers[now], {cells.from, cells.to, rows.from, rows.to},
                                     (int)s.m, sums[rows.index] + bank * s.kernel(),
                                     sums[rows.index] + kernels + bank * s.m);
                }
        }
    for (const Lot::Range& r : lot.cells[k])
        std::copy_n(buffers[r.index].d[turn] + r.from * s.m, (r.to - r.from) * s.m, ds0 + place(r));
    barrier.meet();
}

// Whether threads that take chunks of the order as they become free are busy for about the same time.
inline bool chunks_suffice(const Shape& s, const Plan& plan, const Order& order) {
    if (plan.per_block != order.per_block) return false;
    std::vector<int64_t> examples(plan.threads);
    for (int chunk = 0; chunk < order.chunks; ++chunk)
        *std::min_element(examples.begin(), examples.end()) +=
            std::min<int64_t>(s.batch, plan.first(order.first_block(chunk + 1))) - plan.first(order.first_block(chunk));
    return 8 * plan.threads * *std::max_element(examples.begin(), examples.end()) <= 9 * s.batch;
}

// The lots of all blocks in the order of their sums, where all threads are members of one team: as many blocks together
// as follow no other in a chunk.
inline std::vector<Lot> common_lots(const Shape& s, const Plan& plan, const Order& order) {
    std::vector<std::vector<int>> blocks(1);
    if (order.blocks == order.chunks)  // and the plan's may be smaller
        for (int block = 0; block < plan.blocks; ++block) blocks[0].push_back(block);
    else
        for (int chunk = 0; chunk < order.chunks; ++chunk)
            for (int block = order.first_block(chunk), k = 0; block < order.first_block(chunk + 1); ++block, ++k) {
                blocks.resize(std::max<size_t>(blocks.size(), k + 1));
                blocks[k].push_back(block);
            }
    // Six products with a bank between meetings, and each member has enough of them.
    const int64_t cells = std::min<int64_t>(s.batch, order.chunks * order.per_block) * s.n * s.w;
    const int64_t worth = std::max<int64_t>(1, 6 * cells * s.kernel() / Plan::worth_a_thread);
    std::vector<Lot> lots;
    for (std::vector<int>& of : blocks)
        lots.emplace_back(s, plan, order, std::move(of), (int)std::min<int64_t>(plan.threads, worth));
    return lots;
}

// Takes all errors back through `cell`, sets ds0, dU (sets, layers, 3, k_w, k_h, m, m) and dB. Threads take a chunk
// each as they become free, or all of them are members of one team.
template <int V, class Cell>
void backward(const Shape& s, const Plan& plan, const Cell& cell, float* kept, const float* dout, float* ds0, float* dU,
              float* dB) {
    const Order order(s);
    const bool apart = chunks_suffice(s, plan, order);
    std::vector<Lot> lots;
    if (apart)
        for (int block = 0; block < plan.blocks; ++block) lots.emplace_back(s, plan, order, std::vector<int>{block}, 1);
    else
        lots = common_lots(s, plan, order);
    const int threads = apart ? std::min(plan.threads, order.chunks) : (int)lots[0].cells.size();
    const int64_t kernels = s.gates() * s.kernel(), biases = s.gates() * s.m;
    std::vector<Floats> sums;  // of each chunk: (sets, layers, 3, k_h, k_w, m, m), and the biases
    for (int k = 0; k < order.chunks; ++k) sums.emplace_back(kernels + biases);
    std::vector<ErrorBuffers> buffers;  // of each thread, or of each block of a lot
    for (size_t k = 0; k < (apart ? threads : lots[0].blocks.size()); ++k)
        buffers.emplace_back(plan.largest.padded() * s.m, plan.largest.cells() * s.m);
    Barrier barrier(apart ? 1 : threads);
    std::atomic<int> next{0};
    parallel(threads, [&](int k) {
        if (apart)
            for (int chunk; (chunk = next++) < order.chunks;)
                for (int block = order.first_block(chunk); block < order.first_block(chunk + 1); ++block)
                    backward_lot<V>(s, plan, cell, lots[block], &buffers[k], 0, barrier, kept, dout, ds0, sums);
        else
            for (const Lot& lot : lots)
                backward_lot<V>(s, plan, cell, lot, buffers.data(), k, barrier, kept, dout, ds0, sums);
    });
    const int64_t mm = s.m * s.m;
    for (int64_t gate = 0; gate < s.gates(); ++gate)
        for (int64_t v = 0; v < s.k_h; ++v)
            for (int64_t u = 0; u < s.k_w; ++u) {
                const int64_t from = gate * s.kernel() + (v * s.k_w + u) * mm;
                float* to = dU + gate * s.kernel() + (u * s.k_h + v) * mm;
                std::copy_n(sums[0] + from, mm, to);
                for (int k = 1; k < order.chunks; ++k)
                    for (int64_t j = 0; j < mm; ++j) to[j] += sums[k][from + j];
            }
    std::copy_n(sums[0] + kernels, biases, dB);
    for (int k = 1; k < order.chunks; ++k)
        for (int64_t j = 0; j < biases; ++j) dB[j] += sums[k][kernels + j];
}

}  // namespace ngpu
