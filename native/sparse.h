// The Diagonal cell of diagonal.h where most weights are zero: only the others are multiplied, and have gradients.
//
// Every map of an example is a row of its own along the tape, with zeros on both sides, so that one weight multiplies
// neighbouring cells of one row as a vector. An example goes through all steps alone.
#pragma once
#include <type_traits>
#include "diagonal.h"

namespace ngpu {

// Rows of one example: cell c of map j is at j * stride + before + c.
template <int V> struct Rows {
    int n, m, before, cells, stride;  // cells: n, rounded up to whole vectors
    explicit Rows(const Shape& s)
        : n((int)s.n), m((int)s.m), before(((int)s.k_h / 2 + V - 1) / V * V), cells((n + V - 1) / V * V),
          // An odd number of cache lines, so that the rows of a long tape do not meet in the same lines of the cache.
          stride((2 * before + cells + 15) / 16 * 16 + ((2 * before + cells + 15) / 16 % 2 ? 0 : 16)) {}
    int64_t floats() const { return (int64_t)m * stride; }
    float* row(float* x, int j) const { return x + (int64_t)j * stride + before; }
    // Sets the zeros on both sides of a row, which start at its first cell.
    void clear_edges(float* row) const {
        for (int c = 0; c < before; c += V) store<V>(row - before + c, vf<V>{}), store<V>(row + cells + c, vf<V>{});
    }
    const float* row(const float* x, int j) const { return x + (int64_t)j * stride + before; }
    void read(const float* from, float* x) const {  // from (n, m)
        for (int j = 0; j < m; ++j)
            for (int c = 0; c < n; ++c) row(x, j)[c] = from[(int64_t)c * m + j];
    }
    void write(const float* x, float* to) const {
        for (int j = 0; j < m; ++j)
            for (int c = 0; c < n; ++c) to[(int64_t)c * m + j] = row(x, j)[c];
    }
};

// The weights of a kernel bank that are not zero, sorted by the map that they lead to.
struct Bank {
    struct Weight {
        int32_t source;  // from where in the rows, seen from the cell of map 0
        float value;
    };
    std::vector<Weight> weights;
    std::vector<int64_t> places;  // of the weights in the bank
    std::vector<int> first;       // those to map j are first[j] .. first[j + 1]

    // U (k, m, m); `turned` is the adjoint, which leads from outputs to inputs.
    Bank(const float* U, int k, int m, int stride, bool turned) : first{0} {
        for (int to = 0; to < m; ++to) {
            for (int v = 0; v < k; ++v)
                for (int from = 0; from < m; ++from) {
                    const int64_t place = ((int64_t)v * m + (turned ? to : from)) * m + (turned ? from : to);
                    const int shift = turned ? k / 2 - v : v - k / 2;
                    if (U[place] == 0.0f) continue;
                    weights.push_back({from * stride + shift, U[place]});
                    places.push_back(place);
                }
            first.push_back((int)weights.size());
        }
    }
};

template <int V, int R, class Epilogue>
INLINE void sparse_tile(const Bank& bank, int j, const float* x, float bias, int at, const Epilogue& epilogue) {
    vf<V> acc[R];
    for (int r = 0; r < R; ++r) acc[r] = splat<V>(bias);
    for (int k = bank.first[j]; k < bank.first[j + 1]; ++k) {
        const float* from = x + bank.weights[k].source + at;
        const vf<V> weight = splat<V>(bank.weights[k].value);
        for (int r = 0; r < R; ++r) acc[r] += weight * load<V>(from + r * V);
    }
    for (int r = 0; r < R; ++r) epilogue(j, at + r * V, acc[r]);
}

// Calls each(std::integral_constant R, cell) for tiles of R vectors of cells, eight of them where there are as many.
template <int V, class Each> INLINE void for_tiles(int cells, const Each& each) {
    for (int at = 0; at < cells; at += 8 * V) switch (std::min(8, (cells - at) / V)) {
            case 1: each(std::integral_constant<int, 1>{}, at); break;
            case 2: each(std::integral_constant<int, 2>{}, at); break;
            case 3: each(std::integral_constant<int, 3>{}, at); break;
            case 4: each(std::integral_constant<int, 4>{}, at); break;
            case 5: each(std::integral_constant<int, 5>{}, at); break;
            case 6: each(std::integral_constant<int, 6>{}, at); break;
            case 7: each(std::integral_constant<int, 7>{}, at); break;
            default: each(std::integral_constant<int, 8>{}, at);
        }
}

// Convolves rows x and hands each vector of the result to epilogue(map, cell, value).
template <int V, class Epilogue>
void sparse_conv(const Rows<V>& rows, const Bank& bank, const float* x, const float* bias, const Epilogue& epilogue) {
    for_tiles<V>(rows.cells, [&](auto tile, int at) {
        for (int j = 0; j < rows.m; ++j)
            sparse_tile<V, tile()>(bank, j, x + rows.before, bias ? bias[j] : 0.0f, at, epilogue);
    });
}

// Gradients are summed in vectors of at most eight cells, so that those of AVX-512 have the bits of AVX2's.
template <int V> constexpr int sum_lanes = V < 8 ? V : 8;

// Adds the gradients of a bank's weights to maps from_map..to_map to sums, a vector of L for each of them; x and dz are
// the rows of its input and of its result's gradient.
template <int L, int V>
void sparse_weight_gradient(const Rows<V>& rows, const Bank& bank, const float* x, const float* dz, int from_map,
                            int to_map, float* sums) {
    for_tiles<L>(rows.cells, [&](auto tile, int at) {
        constexpr int R = tile();
        for (int j = from_map; j < to_map; ++j) {
            vf<L> error[R];
            for (int r = 0; r < R; ++r) error[r] = load<L>(rows.row(dz, j) + at + r * L);
            for (int k = bank.first[j]; k < bank.first[j + 1]; ++k) {
                const float* from = x + rows.before + bank.weights[k].source + at;
                vf<L> sum = load<L>(sums + (int64_t)k * L);
                for (int r = 0; r < R; ++r) sum += error[r] * load<L>(from + r * L);
                store<L>(sums + (int64_t)k * L, sum);
            }
        }
    });
}

// What a rollout keeps of one step of one example: rows of the input and of the three pre-activations.
template <int V> struct KeptRows {
    float *x, *candidate, *gate, *reset;
    KeptRows(const Shape& s, const Rows<V>& rows, float* kept, int64_t example, int64_t t)
        : x(kept + (example * s.steps + t) * 4 * rows.floats()), candidate(x + rows.floats()),
          gate(candidate + rows.floats()), reset(gate + rows.floats()) {}
};

INLINE int sparse_threads(const Shape& s) { return (int)std::min(s.threads, s.batch); }

// Behind what is kept of all examples, threads that have to wait with the gradients of weights keep the rows of r . s
// of one example each.
template <int V> float* kept_rs(const Shape& s, const Rows<V>& rows, float* kept, int thread, int64_t t) {
    return kept + ((4 * s.batch + thread) * s.steps + t) * rows.floats();
}
template <int V> int64_t sparse_kept_floats(const Shape& s) {
    const int waiting = sparse_threads(s) > 1 ? sparse_threads(s) : 0;
    return kept_in_all(s, (4 * s.batch + waiting) * Rows<V>(s).floats());
}

// One for the cells of the tape, zero beyond it.
template <int V> Floats on_tape(const Rows<V>& rows) {
    Floats row(rows.cells);
    std::fill_n((float*)row, rows.n, 1.0f);
    return row;
}

// Dropout and noise of one example in one step, for vectors along a row: elements are numbered as in (n, m).
template <int V> DropoutRow<V> along_rows(const Shape& s, int64_t example, int64_t t) {
    DropoutRow<V> row(s.dropout(), example, t);
    row.lane *= (uint32_t)s.m;
    return row;
}

template <int V>
void sparse_forward_example(const Shape& s, const Rows<V>& rows, const std::vector<Bank>& banks, const float* B,
                            const float* live, int64_t example, const float* s0, float* out,
                            Saturations& saturations, float* kept) {
    const int m = rows.m, n = rows.n;
    const bool drop = s.drop_threshold, noisy = s.noise != 0.0f;
    const Floats first(kept ? 0 : rows.floats()), result(rows.floats()), gate(kept ? 0 : rows.floats()),
        rs(rows.floats()), saturated(rows.cells);
    float *x = first, *y = result, *zg = gate, *zc = nullptr, *zr = nullptr;
    if (kept) std::memset(x = KeptRows<V>(s, rows, kept, example, 0).x, 0, rows.floats() * sizeof(float));
    rows.read(s0, x);
    for (int64_t t = 0; t < s.steps; ++t) {
        const DropoutRow<V> row = along_rows<V>(s, example, t);
        const auto noise = [&](int j, int c, int which) {
            return s.noise * row.noise((int64_t)(which * n + c) * m + j);
        };
        if (kept) {
            const KeptRows<V> k(s, rows, kept, example, t);
            zc = k.candidate, zg = k.gate, zr = k.reset;
            y = result;
            if (t + 1 < s.steps) {
                y = KeptRows<V>(s, rows, kept, example, t + 1).x;
                for (int j = 0; j < m; ++j) rows.clear_edges(rows.row(y, j));
            }
        }
        const bool counts = saturations.wanted();
        const auto count = [&](int c, vf<V> z) {
            if (counts) store<V>(saturated + c, load<V>(saturated + c) + saturation<V>(z));
        };
        sparse_conv<V>(rows, banks[1], x, B + m, [&](int j, int c, vf<V> z) {
            if (noisy) z += noise(j, c, 1);
            store<V>(rows.row(zg, j) + c, z);
            count(c, z);
        });
        sparse_conv<V>(rows, banks[2], x, B + 2 * m, [&](int j, int c, vf<V> z) {
            if (noisy) z += noise(j, c, 2);
            if (zr) store<V>(rows.row(zr, j) + c, z);
            store<V>(rows.row(rs, j) + c, hsig<V>(z) * load<V>(rows.row(x, j) + c));
            count(c, z);
        });
        const float levels = s.levels, nearest = 12582912.0f;  // 1.5 * 2^23 has no room for fractions
        sparse_conv<V>(rows, banks[0], rs, B, [&](int j, int c, vf<V> z) {
            if (noisy) z += noise(j, c, 0);
            if (zc) store<V>(rows.row(zc, j) + c, z);
            count(c, z);
            vf<V> candidate = htanh<V>(z);
            if (drop) candidate *= row.factors((int64_t)c * m + j);
            const vf<V> open = hsig<V>(load<V>(rows.row(zg, j) + c));
            const vf<V> old = load<V>(rows.row(x, j) + c + shift_source(j, m));
            vf<V> next = candidate + open * (old - candidate);
            if (levels != 0.0f) next = ((next * levels + nearest) - nearest) * (1.0f / levels);
            store<V>(rows.row(y, j) + c, next * load<V>(live + c));
        });
        for (int c = 0; counts && c < n; ++c) saturations.of(t, example)[c / 4] += saturated[c];
        if (counts) std::fill_n((float*)saturated, rows.cells, 0.0f);
        if (kept)
            x = y;
        else
            std::swap(x, y);
    }
    rows.write(x, out);
}

template <int V>
void sparse_forward(const Shape& s, const float* s0, const float* U, const float* B, float* out, float* cost,
                    float* kept) {
    if (cost) *cost = 0.0f;
    if (s.steps == 0) {
        std::copy_n(s0, s.batch * s.image(), out);
        return;
    }
    const Rows<V> rows(s);
    std::vector<Bank> banks;
    for (int k = 0; k < 3; ++k) banks.emplace_back(U + k * s.kernel(), (int)s.k_h, (int)s.m, rows.stride, false);
    const std::vector<float> biases = offset_biases(s, B);
    const Floats live = on_tape(rows);
    Saturations saturations(s, cost);
    std::atomic<int64_t> next{0};
    parallel((int)std::min(s.threads, s.batch), [&](int) {
        for (int64_t e; (e = next++) < s.batch;)
            sparse_forward_example<V>(s, rows, banks, biases.data(), live, e, s0 + e * s.image(), out + e * s.image(),
                                      saturations, kept);
    });
    if (cost) *cost = saturations.cost(s);
}

// The gradients of the three pre-activations in one step, r . s and the input, in rows.
struct SparseErrors {
    float *dzc, *dzg, *dzr, *rs;
    const float* x;
};

// What a thread of the backward pass works with: rows, zero at first, whose edges are never written.
template <int V> struct SparseScratch {
    Floats dzc, dzg, dzr, rs, shifted, d;
    std::vector<int64_t> at_step;  // of each part of the sums
    SparseScratch(const Rows<V>& rows, int parts)
        : dzc(rows.floats()), dzg(rows.floats()), dzr(rows.floats()), rs(rows.floats()), shifted(rows.floats()),
          d(rows.floats()), at_step(parts) {}
};

// Takes the errors of one example back: puts those of step t in place(t), whose edges are zero, calls each(t) for all
// steps from the last to the first, and sets ds0.
template <int V, class Place, class Each>
void sparse_errors(const Shape& s, const Rows<V>& rows, const std::vector<Bank>& turned, const float* live,
                   int64_t example, float* kept, const float* dout, float unit, float* ds0, SparseScratch<V>& scratch,
                   const Place& place, const Each& each) {
    const int m = rows.m;
    const bool drop = s.drop_threshold;
    float *shifted = scratch.shifted, *d = scratch.d;
    rows.read(dout, d);
    for (int64_t t = s.steps - 1; t >= 0; --t) {
        const KeptRows<V> k(s, rows, kept, example, t);
        const SparseErrors errors = place(t);
        float *dzc = errors.dzc, *dzg = errors.dzg, *dzr = errors.dzr, *rs = errors.rs;
        const DropoutRow<V> row = along_rows<V>(s, example, t);
        for (int j = 0; j < m; ++j)
            for (int c = 0; c < rows.cells; c += V) {
                const vf<V> here = load<V>(live + c), dy = load<V>(rows.row(d, j) + c) * here;
                const vf<V> zc = load<V>(rows.row(k.candidate, j) + c), zg = load<V>(rows.row(k.gate, j) + c);
                const vf<V> factor = drop ? row.factors((int64_t)c * m + j) : splat<V>(1.0f);
                const vf<V> old = load<V>(rows.row(k.x, j) + c + shift_source(j, m));
                const vf<V> open = hsig<V>(zg), dc = dy * (1.0f - open) * factor;
                const vf<V> dg = dy * (old - htanh<V>(zc) * factor) * 0.5f;
                store<V>(rows.row(dzc, j) + c, inside<V>(zc, dc) + saturation_slope<V>(zc, unit) * here);
                store<V>(rows.row(dzg, j) + c, inside<V>(zg, dg) + saturation_slope<V>(zg, unit) * here);
                store<V>(rows.row(shifted, j) + c, dy * open);
                store<V>(rows.row(rs, j) + c,
                         hsig<V>(load<V>(rows.row(k.reset, j) + c)) * load<V>(rows.row(k.x, j) + c));
            }
        sparse_conv<V>(rows, turned[0], dzc, nullptr, [&](int j, int c, vf<V> drs) {
            const vf<V> z = load<V>(rows.row(k.reset, j) + c), x = load<V>(rows.row(k.x, j) + c);
            store<V>(rows.row(dzr, j) + c,
                     inside<V>(z, drs * x * 0.5f) + saturation_slope<V>(z, unit) * load<V>(live + c));
            const vf<V> moved = load<V>(rows.row(shifted, j) + c - shift_source(j, m));
            store<V>(rows.row(d, j) + c, moved + drs * hsig<V>(z));
        });
        const auto add = [&](int j, int c, vf<V> value) {
            float* to = rows.row(d, j) + c;
            store<V>(to, load<V>(to) + value);
        };
        sparse_conv<V>(rows, turned[1], dzg, nullptr, add);
        sparse_conv<V>(rows, turned[2], dzr, nullptr, add);
        each(t);
    }
    rows.write(d, ds0);
}

// The gradients of the three banks' weights and biases, in vectors that are summed over examples and steps in order:
// whoever adds to one adds all of it.
template <int V> struct SparseSums {
    static constexpr int L = sum_lanes<V>;
    const Rows<V>& rows;
    const std::vector<Bank>& banks;
    std::vector<Floats> weights;
    Floats biases;
    SparseSums(const Rows<V>& rows, const std::vector<Bank>& banks)
        : rows(rows), banks(banks), biases(3 * (int64_t)rows.m * L) {
        for (const Bank& bank : banks) weights.emplace_back((int64_t)bank.weights.size() * L);
    }
    // The gradients of targets from..to, the maps of the three banks one after the other, in one step.
    void add(const SparseErrors& errors, int from, int to) {
        const float* dz[3] = {errors.dzc, errors.dzg, errors.dzr};
        for (int gate = 0; gate < 3; ++gate) {
            const int first = std::max(0, from - gate * rows.m), last = std::min(rows.m, to - gate * rows.m);
            if (first >= last) continue;
            sparse_weight_gradient<L>(rows, banks[gate], gate ? errors.x : errors.rs, dz[gate], first, last,
                                      weights[gate]);
            for (int j = first; j < last; ++j) {
                float* bias = biases + (int64_t)(gate * rows.m + j) * L;
                vf<L> total = load<L>(bias);
                for (int c = 0; c < rows.cells; c += L) total += load<L>(rows.row(dz[gate], j) + c);
                store<L>(bias, total);
            }
        }
    }
    // The targets are cut in parts with about as many weights each; those of a part begin here.
    int first_target(int part, int parts) const {
        size_t all = 0, before = 0;
        for (const Bank& bank : banks) all += bank.weights.size() + rows.m;
        int target = 0;
        for (; target < 3 * rows.m && before * parts < all * part; ++target) {
            const std::vector<int>& first = banks[target / rows.m].first;
            before += first[target % rows.m + 1] - first[target % rows.m] + 1;
        }
        return part == parts ? 3 * rows.m : target;
    }
};

// dU has zeros where U has them.
template <int V>
void sparse_backward(const Shape& s, const float* U, float* kept, const float* dout, const float* dcost, float* ds0,
                     float* dU, float* dB) {
    constexpr int L = sum_lanes<V>;
    const Rows<V> rows(s);
    const float unit = (float)(*dcost / s.cell_steps());
    std::vector<Bank> banks, turned;
    for (int k = 0; k < 3; ++k) {
        banks.emplace_back(U + k * s.kernel(), (int)s.k_h, (int)s.m, rows.stride, false);
        turned.emplace_back(U + k * s.kernel(), (int)s.k_h, (int)s.m, rows.stride, true);
    }
    const Floats live = on_tape(rows);
    const int threads = sparse_threads(s);
    SparseSums<V> sums(rows, banks);
    // Examples are taken in order, and each part of the sums goes from one to the next: a thread adds the steps of its
    // example as soon as it has the part. Until then their errors take the places of the pre-activations. Threads
    // allocate nothing, since one that failed would leave others waiting.
    const int parts = (threads + 1) / 2;
    std::vector<int> first_target;
    for (int part = 0; part <= parts; ++part) first_target.push_back(sums.first_target(part, parts));
    std::vector<std::atomic<int64_t>> added(parts);  // the examples that are in each part
    std::deque<SparseScratch<V>> scratches;
    for (int k = 0; k < threads; ++k) scratches.emplace_back(rows, parts);
    std::atomic<int64_t> next{0};
    parallel(threads, [&](int k) {
        SparseScratch<V>& scratch = scratches[k];
        for (int64_t e; (e = next++) < s.batch;) {
            const auto place = [&](int64_t t) -> SparseErrors {
                const KeptRows<V> step(s, rows, kept, e, t);
                if (threads == 1) return {scratch.dzc, scratch.dzg, scratch.dzr, scratch.rs, step.x};
                return {step.candidate, step.gate, step.reset, kept_rs(s, rows, kept, k, t), step.x};
            };
            const auto empty_place = [&](int64_t t) {
                const SparseErrors errors = place(t);
                for (float* x : {errors.dzc, errors.dzg, errors.dzr, errors.rs})
                    for (int j = 0; threads > 1 && j < rows.m; ++j) rows.clear_edges(rows.row(x, j));
                return errors;
            };
            const auto add = [&](int64_t t) {
                for (int part = 0; part < parts; ++part) {
                    const auto mine = [&] { return added[part].load(std::memory_order_acquire) == e; };
                    if (t == 0) spin_until(mine);
                    if (!mine()) continue;
                    for (int64_t& at = scratch.at_step[part]; at >= t; --at)
                        sums.add(place(at), first_target[part], first_target[part + 1]);
                    if (t == 0) added[part].store(e + 1, std::memory_order_release);
                }
            };
            std::fill(scratch.at_step.begin(), scratch.at_step.end(), s.steps - 1);
            sparse_errors<V>(s, rows, turned, live, e, kept, dout + e * s.image(), unit, ds0 + e * s.image(), scratch,
                             empty_place, add);
        }
    });
    std::fill_n(dU, 3 * s.kernel(), 0.0f);
    for (int gate = 0; gate < 3; ++gate)
        for (size_t k = 0; k < banks[gate].weights.size(); ++k)
            dU[gate * s.kernel() + banks[gate].places[k]] = sum<L>(load<L>(sums.weights[gate] + (int64_t)k * L));
    for (int64_t j = 0; j < 3 * s.m; ++j) dB[j] = sum<L>(load<L>(sums.biases + j * L));
}

}  // namespace ngpu
