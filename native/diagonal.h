// The Diagonal cell through all steps of a block of sequences, forward and backward (models/diagonal.py in torch):
//   s' = round(g . shift(s) + (1 - g) . c),  c = drop(htanh(U * (r . s) + B + noise)),
//   g = hsig(U' * s + B' + 0.7 + noise),  r = hsig(U'' * s + B'' + 0.5 + noise).
// Gradients pass rounding as if it were not there, and pre-activations are kept with their noise, so that noise and
// rounding concern the forward pass alone.
// shift leaves the first third of the maps in place, moves the second one cell up the tape and the last one down.
#pragma once
#include "gradients.h"

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

// The sums of saturations of four neighbouring cells in one step, (steps, batch, groups): what the cost is made of,
// step by step and from cell to cell, whoever computed them.
class Saturations {
    const int64_t batch, groups;
    std::vector<float> sums;

  public:
    // None are counted where nobody wants the cost.
    Saturations(const Shape& s, bool wanted)
        : batch(s.batch), groups((s.n + 3) / 4), sums((size_t)(wanted ? s.steps * batch * groups : 0)) {}
    bool wanted() const { return !sums.empty(); }
    float* of(int64_t t, int64_t example) { return sums.data() + (t * batch + example) * groups; }
    // The sum of all / (n * steps * batch).
    float cost(const Shape& s) const {
        double total = 0;
        for (float sum : sums) total += sum;
        return (float)(total / s.cell_steps());
    }
};

// Adds x, which belongs to maps k .. k + V - 1 of a cell, to the cell's eight lanes: the same sums with any V.
template <int V> INLINE void add_lanes(float* lanes, int k, vf<V> x) {
    if constexpr (V <= 8) {
        store<V>(lanes + k % 8, load<V>(lanes + k % 8) + x);
    } else {
        vf<8> halves[V / 8], sum = load<8>(lanes);
        std::memcpy(halves, &x, sizeof x);
        for (const vf<8>& half : halves) sum += half;
        store<8>(lanes, sum);
    }
}

template <int V>
void diagonal_forward_block(const Shape& s, const Plan& plan, int block, const float* s0, const float* packed,
                            const float* B, float* out, Saturations& saturations, float* kept, Team<V>& team,
                            int member) {
    const Grid& g = plan.grid(block);
    const int m = (int)s.m, n = g.n, first = plan.first(block);
    const int from = team.first_cell(g, member), to = team.first_cell(g, member + 1);
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
        float* saturated = team.saturated;
        const bool counts = saturations.wanted();
        if (counts) std::fill_n(saturated + (int64_t)from * 8, (to - from) * 8, 0.0f);
        const auto count = [=](int cell, int k, vf<V> z) {
            if (counts) add_lanes<V>(saturated + (int64_t)cell * 8, k, saturation<V>(z));
        };
        conv<V>(g, x, m, packed + s.kernel(), B + m, from, to, [=](int cell, int, int k, vf<V> z) {
            if (noisy) z += noise(cell, k, 1);
            store<V>(zg + (int64_t)cell * m + k, z);
            count(cell, k, z);
        });
        conv<V>(g, x, m, packed + 2 * s.kernel(), B + 2 * m, from, to, [=](int cell, int at, int k, vf<V> z) {
            if (noisy) z += noise(cell, k, 2);
            if (zr) store<V>(zr + (int64_t)cell * m + k, z);
            store<V>(rs + (int64_t)at * m + k, hsig<V>(z) * load<V>(x + (int64_t)at * m + k));
            count(cell, k, z);
        });
        team.barrier.meet();
        float* result = last ? out + first * s.image() : y;
        const float levels = s.levels, nearest = 12582912.0f;  // 1.5 * 2^23 has no room for fractions
        conv<V>(g, rs, m, packed, B, from, to, [=](int cell, int at, int k, vf<V> z) {
            if (noisy) z += noise(cell, k, 0);
            if (zc) store<V>(zc + (int64_t)cell * m + k, z);
            count(cell, k, z);
            vf<V> c = htanh<V>(z);
            if (drop) c *= row[cell / n].factors((int64_t)(cell % n) * m + k);
            const vf<V> open = hsig<V>(load<V>(zg + (int64_t)cell * m + k));
            const vf<V> old = load<V>(x + (int64_t)(at + shift_source(k, m)) * m + k);
            vf<V> next = c + open * (old - c);
            if (levels != 0.0f) next = ((next * levels + nearest) - nearest) * (1.0f / levels);
            store<V>(result + (int64_t)(last ? cell : at) * m + k, next);
        });
        for (int cell = from; counts && cell < to;) {  // a team's block has a single example
            float* sum_of = saturations.of(t, first + cell / n) + cell % n / 4;
            const int stop = std::min({to, cell + 4, (cell / n + 1) * n});
            vf<8> total{};
            for (; cell < stop; ++cell) total += load<8>(saturated + (int64_t)cell * 8);
            *sum_of = sum<8>(total);
        }
        team.barrier.meet();
        if (kept)
            x = y;
        else
            std::swap(x, y);
    }
}

// cost (one float, or none): the sum of all saturations / (n * steps * batch).
template <int V>
void diagonal_forward(const Shape& s, const float* s0, const float* U, const float* B, float* out, float* cost,
                      float* kept) {
    const Plan plan(s);
    const Floats packed = pack_all<V>(s, U, false);
    const std::vector<float> biases = offset_biases(s, B);
    Saturations saturations(s, cost);
    if (s.steps == 0)
        std::copy_n(s0, s.batch * s.image(), out);
    else
        for_blocks<V>(s, plan, kept != nullptr, [&](int block, Team<V>& team, int member) {
            diagonal_forward_block<V>(s, plan, block, s0, packed, biases.data(), out, saturations, kept, team, member);
        });
    if (cost) *cost = saturations.cost(s);
}

// The phases in which errors go back through a step. `unit` is the gradient of one unit of saturation.
template <int V> struct DiagonalErrors {
    const Shape& s;
    const float* turned;
    const float unit;

    // From the result to the candidate and the gate.
    void open(const BackwardLayer& l) const {
        const int m = (int)s.m, n = (int)s.n;
        const Kept& k = l.kept;
        float *dzc = l.errors.dz[0], *dzg = l.errors.dz[1], *rs = l.errors.rs;
        for (int cell = l.from; cell < l.to;) {
            const int example = cell / n, stop = std::min(l.to, (example + 1) * n);
            const DropoutRow<V> row(s.dropout(), l.first + example, l.t);
            for (; cell < stop; ++cell)
                for (int j = 0; j < m; j += V) {
                    const int64_t at = (int64_t)l.g.at[cell] * m + j, i = (int64_t)cell * m + j;
                    const vf<V> zc = load<V>(k.candidate + i), zg = load<V>(k.gate + i), dy = load<V>(l.dy + i);
                    const vf<V> factor =
                        s.drop_threshold ? row.factors((int64_t)(cell - example * n) * m + j) : splat<V>(1.0f);
                    const vf<V> old = load<V>(k.x + at + (int64_t)shift_source(j, m) * m);
                    const vf<V> open = hsig<V>(zg), dc = dy * (1.0f - open) * factor;
                    const vf<V> dg = dy * (old - htanh<V>(zc) * factor) * 0.5f;
                    store<V>(dzc + at, inside<V>(zc, dc) + saturation_slope<V>(zc, unit));
                    store<V>(dzg + at, inside<V>(zg, dg) + saturation_slope<V>(zg, unit));
                    store<V>(l.shifted + at, dy * open);
                    store<V>(rs + at, hsig<V>(load<V>(k.reset + i)) * load<V>(k.x + at));
                }
        }
    }
    // From the candidate to the reset gate, and to the input by r . s and by the shift.
    void reset(const BackwardLayer& l) const {
        const int m = (int)s.m;
        const float *x = l.kept.x, *zr = l.kept.reset, *shifted = l.shifted, one = unit;
        float *dzr = l.errors.dz[2], *dx = l.dx;
        conv<V>(l.g, l.errors.dz[0], m, turned, nullptr, l.from, l.to, [=](int cell, int at, int j, vf<V> drs) {
            const int64_t p = (int64_t)at * m + j, i = (int64_t)cell * m + j;
            const vf<V> z = load<V>(zr + i);
            store<V>(dzr + p, inside<V>(z, drs * load<V>(x + p) * 0.5f) + saturation_slope<V>(z, one));
            store<V>(dx + i, load<V>(shifted + p - (int64_t)shift_source(j, m) * m) + drs * hsig<V>(z));
        });
    }
    // From both gates to the input.
    void input(const BackwardLayer& l) const {
        const int m = (int)s.m;
        float* dx = l.dx;
        for (int gate : {1, 2})
            conv<V>(l.g, l.errors.dz[gate], m, turned + gate * s.kernel(), nullptr, l.from, l.to,
                    [=](int cell, int, int j, vf<V> value) {
                        float* to = dx + (int64_t)cell * m + j;
                        store<V>(to, load<V>(to) + value);
                    });
    }
};

template <int V>
void diagonal_backward(const Shape& s, const float* U, float* kept, const float* dout, const float* dcost, float* ds0,
                       float* dU, float* dB) {
    const Floats turned = pack_all<V>(s, U, true);
    const float unit = (float)(*dcost / s.cell_steps());
    backward<V>(s, Plan(s), DiagonalErrors<V>{s, turned, unit}, kept, dout, ds0, dU, dB);
}

}  // namespace ngpu
