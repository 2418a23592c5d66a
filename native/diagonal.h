// The Diagonal cell through all steps of a block of sequences, forward and backward (models/diagonal.py in torch):
//   s' = mask . round(g . shift(s) + (1 - g) . c),  c = drop(htanh(U * (r . s) + B + noise)),
//   g = hsig(U' * s + B' + 0.7 + noise),  r = hsig(U'' * s + B'' + 0.5 + noise).
// Gradients pass rounding as if it were not there, and pre-activations are kept with their noise, so that noise and
// rounding concern the forward pass alone.
// shift leaves the first third of the maps in place, moves the second one cell up the tape and the last one down.
#pragma once
#include "plan.h"

namespace ngpu {

template <int V> INLINE vf<V> hsig(vf<V> z) { return clip<V>(0.5f * z + 0.5f, 0.0f, 1.0f); }
template <int V> INLINE vf<V> htanh(vf<V> z) { return clip<V>(z, -1.0f, 1.0f); }
// Both are flat beyond [-1, 1].
template <int V> INLINE vf<V> inside(vf<V> z, vf<V> d) { return (z >= -1.0f) & (z <= 1.0f) ? d : vf<V>{}; }
// A pre-activation's saturation, max(0, |z| - 0.9), and its slope.
template <int V> INLINE vf<V> saturation(vf<V> z) { return greatest<V>(vf<V>{}, greatest<V>(z, -z) - 0.9f); }
template <int V> INLINE vf<V> saturation_slope(vf<V> z, float unit) {
    const vf<V> over = saturation<V>(z);
    return over > 0.0f ? (z > 0.0f ? splat<V>(unit) : splat<V>(-unit)) : vf<V>{};
}
// Distance, in cells of the tape, from a cell to the one whose map k it receives.
INLINE int shift_source(int k, int m) { return k < m / 3 ? 0 : k < 2 * (m / 3) ? -1 : 1; }

// Dropout and noise of step t for the examples of a grid.
template <int V>
void fill_rows(const Shape& s, const Grid& g, int first, int64_t t, std::vector<DropoutRow<V>>& rows) {
    for (int e = 0; e < g.examples; ++e) rows[e] = DropoutRow<V>(s.dropout(), first + e, t);
}

// The biases with the constants of the gates added (3, m).
inline std::vector<float> offset_biases(const Shape& s, const float* B) {
    std::vector<float> biases(B, B + 3 * s.m);
    for (int64_t k = 0; k < s.m; ++k) biases[s.m + k] += 0.7f, biases[2 * s.m + k] += 0.5f;
    return biases;
}

// Returns the sum of the saturations of this member's cells.
template <int V>
double diagonal_forward_block(const Shape& s, const Plan& plan, int block, const float* s0, const float* packed,
                              const float* B, const float* mask, float* out, float* kept, Team<V>& team,
                              int member) {
    const Grid& g = plan.grid(block);
    const int m = (int)s.m, n = g.n, first = plan.first(block);
    const int from = team.first_cell(g, member), to = team.first_cell(g, member + 1);
    const float* cell_mask = mask ? mask + (int64_t)first * n : nullptr;
    const bool drop = s.drop_threshold;
    float *x = team.x, *y = team.y, *rs = team.rs, *zg = team.gate, *zr = nullptr, *zc = nullptr;
    if (kept) x = Kept(s, plan, kept, block, 0).x;
    if (member == 0) {
        g.clear_edges(x, m);
        g.clear_edges(rs, m);
        if (!kept) g.clear_edges(y, m);
    }
    for (int k = from; k < to; ++k) std::copy_n(s0 + first * s.image() + (int64_t)k * m, m, x + (int64_t)g.at[k] * m);
    team.barrier.meet();
    double cost = 0;
    for (int64_t t = 0; t < s.steps; ++t) {
        const bool last = t + 1 == s.steps;
        const DropoutRow<V>* row = team.rows.data();
        const bool noisy = s.noise != 0.0f;
        if (member == 0 && (drop || noisy)) fill_rows<V>(s, g, first, t, team.rows);
        if (noisy) team.barrier.meet();
        // Elements of an example's noise in one step are numbered as in (3, n, m).
        const auto noise = [=](int cell, int k, int gate) {
            return s.noise * row[cell / n].noise((int64_t)(gate * n + cell % n) * m + k);
        };
        if (kept) {
            const Kept k(s, plan, kept, block, t);
            zc = k.candidate, zg = k.gate, zr = k.reset;
            if (!last) y = Kept(s, plan, kept, block, t + 1).x;
            if (!last && member == 0) g.clear_edges(y, m);
        }
        vf<V> saturated{};
        const auto count = [&saturated, cell_mask](int cell, vf<V> z) {
            saturated += saturation<V>(z) * (cell_mask ? cell_mask[cell] : 1.0f);
        };
        conv<V>(g, x, m, packed + s.kernel(), B + m, from, to, [=](int cell, int, int k, vf<V> z) {
            if (noisy) z += noise(cell, k, 1);
            store<V>(zg + (int64_t)cell * m + k, z);
            count(cell, z);
        });
        conv<V>(g, x, m, packed + 2 * s.kernel(), B + 2 * m, from, to, [=](int cell, int at, int k, vf<V> z) {
            if (noisy) z += noise(cell, k, 2);
            if (zr) store<V>(zr + (int64_t)cell * m + k, z);
            store<V>(rs + (int64_t)at * m + k, hsig<V>(z) * load<V>(x + (int64_t)at * m + k));
            count(cell, z);
        });
        team.barrier.meet();
        float* result = last ? out + first * s.image() : y;
        const float levels = s.levels, nearest = 12582912.0f;  // 1.5 * 2^23 has no room for fractions
        conv<V>(g, rs, m, packed, B, from, to, [=](int cell, int at, int k, vf<V> z) {
            if (noisy) z += noise(cell, k, 0);
            if (zc) store<V>(zc + (int64_t)cell * m + k, z);
            count(cell, z);
            vf<V> c = htanh<V>(z);
            if (drop) c *= row[cell / n].factors((int64_t)(cell % n) * m + k);
            const vf<V> open = hsig<V>(load<V>(zg + (int64_t)cell * m + k));
            const vf<V> old = load<V>(x + (int64_t)(at + shift_source(k, m)) * m + k);
            vf<V> next = c + open * (old - c);
            if (levels != 0.0f) next = ((next * levels + nearest) - nearest) * (1.0f / levels);
            if (cell_mask) next *= cell_mask[cell];
            store<V>(result + (int64_t)(last ? cell : at) * m + k, next);
        });
        cost += sum<V>(saturated);
        team.barrier.meet();
        if (kept)
            x = y;
        else
            std::swap(x, y);
    }
    return cost;
}

// cost (one float): the sum of all saturations / (n^2 * batch).
template <int V>
void diagonal_forward(const Shape& s, const float* s0, const float* U, const float* B, const float* mask, float* out,
                      float* cost, float* kept) {
    const Plan plan(s);
    const Floats packed = pack_all<V>(s, U, false);
    const std::vector<float> biases = offset_biases(s, B);
    std::vector<double> costs((size_t)plan.blocks * plan.members);  // summed in order, whoever computed them
    if (s.steps == 0)
        std::copy_n(s0, s.batch * s.image(), out);
    else
        for_blocks<V>(s, plan, kept != nullptr, [&](int block, Team<V>& team, int member) {
            costs[block * plan.members + member] = diagonal_forward_block<V>(
                s, plan, block, s0, packed, biases.data(), mask, out, kept, team, member);
        });
    double total = 0;
    for (double part : costs) total += part;
    *cost = (float)(total / ((double)s.n * s.n * s.batch));
}

// Gradients of one block: adds to dU (3, k, m, m) and dB, sets ds0. `unit` is the gradient of one unit of saturation.
template <int V>
void diagonal_backward_block(const Shape& s, const Plan& plan, int block, const float* turned, const float* mask,
                             float* kept, const float* dout, float unit, float* ds0, float* dU, float* dB) {
    const Grid& g = plan.grid(block);
    const int m = (int)s.m, n = g.n, first = plan.first(block), cells = g.cells();
    const int64_t padded = (int64_t)g.padded() * m, compact = (int64_t)cells * m, kernel = s.kernel();
    const float* cell_mask = mask ? mask + (int64_t)first * n : nullptr;
    const bool drop = s.drop_threshold;
    // Zero at first, and their edges are never written.
    Floats dzc(padded), dzg(padded), dzr(padded), rs(padded), dshift(padded), d(compact);
    std::vector<DropoutRow<V>> rows(g.examples);
    std::copy_n(dout + first * s.image(), compact, (float*)d);
    for (int64_t t = s.steps - 1; t >= 0; --t) {
        const Kept k(s, plan, kept, block, t);
        if (drop) fill_rows<V>(s, g, first, t, rows);
        for (int cell = 0; cell < cells; ++cell) {
            const float masked = cell_mask ? cell_mask[cell] : 1.0f, unit_here = unit * masked;
            for (int j = 0; j < m; j += V) {
                const int64_t at = (int64_t)g.at[cell] * m + j, i = (int64_t)cell * m + j;
                const vf<V> zc = load<V>(k.candidate + i), zg = load<V>(k.gate + i), dy = load<V>(d + i) * masked;
                const vf<V> factor = drop ? rows[cell / n].factors((int64_t)(cell % n) * m + j) : splat<V>(1.0f);
                const vf<V> old = load<V>(k.x + at + (int64_t)shift_source(j, m) * m);
                const vf<V> open = hsig<V>(zg), dc = dy * (1.0f - open) * factor;
                const vf<V> dg = dy * (old - htanh<V>(zc) * factor) * 0.5f;
                store<V>(dzc + at, inside<V>(zc, dc) + saturation_slope<V>(zc, unit_here));
                store<V>(dzg + at, inside<V>(zg, dg) + saturation_slope<V>(zg, unit_here));
                store<V>(dshift + at, dy * open);
                store<V>(rs + at, hsig<V>(load<V>(k.reset + i)) * load<V>(k.x + at));
            }
        }
        const float *x = k.x, *zr = k.reset, *moved = dshift;
        float *to_reset = dzr, *to_input = d;
        conv<V>(g, dzc, m, turned, nullptr, 0, cells, [=](int cell, int at, int j, vf<V> drs) {
            const int64_t p = (int64_t)at * m + j, i = (int64_t)cell * m + j;
            const vf<V> z = load<V>(zr + i);
            const float unit_here = cell_mask ? unit * cell_mask[cell] : unit;
            store<V>(to_reset + p, inside<V>(z, drs * load<V>(x + p) * 0.5f) + saturation_slope<V>(z, unit_here));
            store<V>(to_input + i, load<V>(moved + p - (int64_t)shift_source(j, m) * m) + drs * hsig<V>(z));
        });
        const auto add = [=](int cell, int, int j, vf<V> value) {
            float* to = to_input + (int64_t)cell * m + j;
            store<V>(to, load<V>(to) + value);
        };
        conv<V>(g, dzg, m, turned + kernel, nullptr, 0, cells, add);
        conv<V>(g, dzr, m, turned + 2 * kernel, nullptr, 0, cells, add);
        const float* dz[3] = {dzc, dzg, dzr};
        for (int gate = 0; gate < 3; ++gate) {
            weight_gradient<V>(g, gate ? k.x : rs, dz[gate], m, dU + gate * kernel);
            bias_gradient<V>(g, dz[gate], m, dB + gate * m);
        }
    }
    std::copy_n((const float*)d, compact, ds0 + first * s.image());
}

template <int V>
void diagonal_backward(const Shape& s, const float* U, const float* mask, float* kept, const float* dout,
                       const float* dcost, float* ds0, float* dU, float* dB) {
    const Plan plan(s);
    const Floats turned = pack_all<V>(s, U, true);
    const float unit = (float)(*dcost / ((double)s.n * s.n * s.batch));
    sum_gradients(s, plan, dU, dB, [&](int from, int to, float* dU_part, float* dB_part) {
        for (int block = from; block < to; ++block)
            diagonal_backward_block<V>(s, plan, block, turned, mask, kept, dout, unit, ds0, dU_part, dB_part);
    });
}

}  // namespace ngpu
