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

// Adds the gradients of a bank's weights to sums, a vector for each of them; x and dz are the rows of its input and of
// its result's gradient.
template <int V>
void sparse_weight_gradient(const Rows<V>& rows, const Bank& bank, const float* x, const float* dz, float* sums) {
    for_tiles<V>(rows.cells, [&](auto tile, int at) {
        constexpr int R = tile();
        for (int j = 0; j < rows.m; ++j) {
            vf<V> error[R];
            for (int r = 0; r < R; ++r) error[r] = load<V>(rows.row(dz, j) + at + r * V);
            for (int k = bank.first[j]; k < bank.first[j + 1]; ++k) {
                const float* from = x + rows.before + bank.weights[k].source + at;
                vf<V> sum = load<V>(sums + (int64_t)k * V);
                for (int r = 0; r < R; ++r) sum += error[r] * load<V>(from + r * V);
                store<V>(sums + (int64_t)k * V, sum);
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

template <int V> int64_t sparse_kept_floats(const Shape& s) { return s.batch * s.steps * 4 * Rows<V>(s).floats(); }

// One for the cells of an example that its mask leaves, zero for the others and beyond the tape.
template <int V> Floats row_mask(const Rows<V>& rows, const float* mask) {
    Floats row(rows.cells);
    for (int c = 0; c < rows.n; ++c) row[c] = mask ? mask[c] : 1.0f;
    return row;
}

// Dropout and noise of one example in one step, for vectors along a row: elements are numbered as in (n, m).
template <int V> DropoutRow<V> along_rows(const Shape& s, int64_t example, int64_t t) {
    DropoutRow<V> row(s.dropout(), example, t);
    row.lane *= (uint32_t)s.m;
    return row;
}

// Returns the sum of the saturations of an example.
template <int V>
double sparse_forward_example(const Shape& s, const Rows<V>& rows, const std::vector<Bank>& banks, const float* B,
                              const float* live, int64_t example, const float* s0, float* out, float* kept) {
    const int m = rows.m, n = rows.n;
    const bool drop = s.drop_threshold, noisy = s.noise != 0.0f;
    const Floats first(kept ? 0 : rows.floats()), result(rows.floats()), gate(kept ? 0 : rows.floats()),
        rs(rows.floats());
    float *x = first, *y = result, *zg = gate, *zc = nullptr, *zr = nullptr;
    if (kept) std::memset(x = KeptRows<V>(s, rows, kept, example, 0).x, 0, rows.floats() * sizeof(float));
    rows.read(s0, x);
    double cost = 0;
    for (int64_t t = 0; t < s.steps; ++t) {
        const DropoutRow<V> row = along_rows<V>(s, example, t);
        const auto noise = [&](int j, int c, int which) {
            return s.noise * row.noise((int64_t)(which * n + c) * m + j);
        };
        if (kept) {
            const KeptRows<V> k(s, rows, kept, example, t);
            zc = k.candidate, zg = k.gate, zr = k.reset;
            y = result;
            if (t + 1 < s.steps)
                std::memset(y = KeptRows<V>(s, rows, kept, example, t + 1).x, 0, rows.floats() * sizeof(float));
        }
        vf<V> saturated{};
        const auto count = [&](int c, vf<V> z) { saturated += saturation<V>(z) * load<V>(live + c); };
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
        cost += sum<V>(saturated);
        if (kept)
            x = y;
        else
            std::swap(x, y);
    }
    rows.write(x, out);
    return cost;
}

template <int V>
void sparse_forward(const Shape& s, const float* s0, const float* U, const float* B, const float* mask, float* out,
                    float* cost, float* kept) {
    *cost = 0.0f;
    if (s.steps == 0) {
        std::copy_n(s0, s.batch * s.image(), out);
        return;
    }
    const Rows<V> rows(s);
    std::vector<Bank> banks;
    for (int k = 0; k < 3; ++k) banks.emplace_back(U + k * s.kernel(), (int)s.k_h, (int)s.m, rows.stride, false);
    const std::vector<float> biases = offset_biases(s, B);
    std::vector<double> costs((size_t)s.batch);
    std::atomic<int64_t> next{0};
    parallel((int)std::min(s.threads, s.batch), [&](int) {
        for (int64_t e; (e = next++) < s.batch;) {
            const Floats live = row_mask<V>(rows, mask ? mask + e * s.n : nullptr);
            costs[e] = sparse_forward_example<V>(s, rows, banks, biases.data(), live, e, s0 + e * s.image(),
                                                 out + e * s.image(), kept);
        }
    });
    double total = 0;
    for (double part : costs) total += part;
    *cost = (float)(total / ((double)s.n * s.n * s.batch));
}

// What a thread of the backward pass adds up: a vector for each weight of the three banks, and for each bias.
template <int V> struct SparseSums {
    std::vector<Floats> weights;
    Floats biases;
    SparseSums(const Shape& s, const std::vector<Bank>& banks) : biases(3 * s.m * V) {
        for (int k = 0; k < 3; ++k) weights.emplace_back((int64_t)banks[k].weights.size() * V);
    }
};

template <int V>
void sparse_backward_example(const Shape& s, const Rows<V>& rows, const std::vector<Bank>& banks,
                             const std::vector<Bank>& turned, const float* live, int64_t example, float* kept,
                             const float* dout, float unit, float* ds0, SparseSums<V>& sums) {
    const int m = rows.m;
    const bool drop = s.drop_threshold;
    const Floats dzc(rows.floats()), dzg(rows.floats()), dzr(rows.floats()), rs(rows.floats()),
        dshift(rows.floats()), d(rows.floats());
    rows.read(dout, d);
    for (int64_t t = s.steps - 1; t >= 0; --t) {
        const KeptRows<V> k(s, rows, kept, example, t);
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
                store<V>(rows.row(dshift, j) + c, dy * open);
                store<V>(rows.row(rs, j) + c,
                         hsig<V>(load<V>(rows.row(k.reset, j) + c)) * load<V>(rows.row(k.x, j) + c));
            }
        sparse_conv<V>(rows, turned[0], dzc, nullptr, [&](int j, int c, vf<V> drs) {
            const vf<V> z = load<V>(rows.row(k.reset, j) + c), x = load<V>(rows.row(k.x, j) + c);
            store<V>(rows.row(dzr, j) + c,
                     inside<V>(z, drs * x * 0.5f) + saturation_slope<V>(z, unit) * load<V>(live + c));
            const vf<V> moved = load<V>(rows.row(dshift, j) + c - shift_source(j, m));
            store<V>(rows.row(d, j) + c, moved + drs * hsig<V>(z));
        });
        const auto add = [&](int j, int c, vf<V> value) {
            float* to = rows.row(d, j) + c;
            store<V>(to, load<V>(to) + value);
        };
        sparse_conv<V>(rows, turned[1], dzg, nullptr, add);
        sparse_conv<V>(rows, turned[2], dzr, nullptr, add);
        const float* dz[3] = {dzc, dzg, dzr};
        for (int gate = 0; gate < 3; ++gate) {
            sparse_weight_gradient<V>(rows, banks[gate], gate ? k.x : rs, dz[gate], sums.weights[gate]);
            for (int j = 0; j < m; ++j) {
                float* to = sums.biases + (int64_t)(gate * m + j) * V;
                vf<V> total = load<V>(to);
                for (int c = 0; c < rows.cells; c += V) total += load<V>(rows.row(dz[gate], j) + c);
                store<V>(to, total);
            }
        }
    }
    rows.write(d, ds0);
}

// dU has zeros where U has them.
template <int V>
void sparse_backward(const Shape& s, const float* U, const float* mask, float* kept, const float* dout,
                     const float* dcost, float* ds0, float* dU, float* dB) {
    const Rows<V> rows(s);
    const float unit = (float)(*dcost / ((double)s.n * s.n * s.batch));
    std::vector<Bank> banks, turned;
    for (int k = 0; k < 3; ++k) {
        banks.emplace_back(U + k * s.kernel(), (int)s.k_h, (int)s.m, rows.stride, false);
        turned.emplace_back(U + k * s.kernel(), (int)s.k_h, (int)s.m, rows.stride, true);
    }
    // Each thread has a fixed share of the examples, so that sums have the same bits every time.
    const int threads = (int)std::min(s.threads, s.batch);
    std::deque<SparseSums<V>> sums;
    for (int k = 0; k < threads; ++k) sums.emplace_back(s, banks);
    parallel(threads, [&](int k) {
        for (int64_t e = s.batch * k / threads; e < s.batch * (k + 1) / threads; ++e) {
            const Floats live = row_mask<V>(rows, mask ? mask + e * s.n : nullptr);
            sparse_backward_example<V>(s, rows, banks, turned, live, e, kept, dout + e * s.image(), unit,
                                       ds0 + e * s.image(), sums[k]);
        }
    });
    std::fill_n(dU, 3 * s.kernel(), 0.0f);
    std::fill_n(dB, 3 * s.m, 0.0f);
    for (const SparseSums<V>& part : sums) {
        for (int gate = 0; gate < 3; ++gate)
            for (size_t k = 0; k < banks[gate].weights.size(); ++k)
                dU[gate * s.kernel() + banks[gate].places[k]] +=
                    sum<V>(load<V>(part.weights[gate] + (int64_t)k * V));
        for (int64_t j = 0; j < 3 * s.m; ++j) dB[j] += sum<V>(load<V>(part.biases + j * V));
    }
}

}  // namespace ngpu
