// The paper's CGRU through all steps of a block of sequences, forward and backward:
//   s' = u . s + (1 - u) . c,  c = tanh(U * (r . s) + B),  u = sigma(U' * s + B'),  r = sigma(U'' * s + B'').
#pragma once
#include "gradients.h"

namespace ngpu {

template <int V>
void cgru_forward_block(const Shape& s, const Plan& plan, int block, const float* s0, const float* packed,
                        const float* B, float* out, float* kept, Team<V>& team, int member) {
    const Grid& g = plan.grid(block);
    const int m = (int)s.m, first = plan.first(block);
    const int from = team.first_cell(g, member), to = team.first_cell(g, member + 1);
    const bool cutoff = s.cutoff, drops = s.drop_threshold;
    float *x = team.x, *y = team.y, *rs = team.rs, *u = team.gate, *r = nullptr, *c = nullptr;
    if (kept) x = Kept(s, plan, kept, block, 0).x;
    if (member == 0) {
        g.clear_edges(x, m);
        g.clear_edges(rs, m);
        if (!kept) g.clear_edges(y, m);
    }
    for (int k = from; k < to; ++k) std::copy_n(s0 + first * s.image() + (int64_t)k * m, m, x + (int64_t)g.at[k] * m);
    if (drops) drop_cells<V>(s, g, x, true, first, 0, from, to);
    team.barrier.meet();
    for (int64_t t = 0; t < s.steps; ++t)
        for (int64_t layer = 0; layer < s.layers; ++layer) {
            const int64_t bank = s.bank(t, layer);
            const float* weights = packed + bank * s.kernel();
            const float* bias = B + bank * m;
            const bool last_layer = layer + 1 == s.layers, last = last_layer && t + 1 == s.steps;
            if (kept) {
                const Kept k(s, plan, kept, block, t, layer);
                u = k.gate, r = k.reset, c = k.candidate;
                if (!last) y = Kept(s, plan, kept, block, last_layer ? t + 1 : t, last_layer ? 0 : layer + 1).x;
                if (!last && member == 0) g.clear_edges(y, m);
            }
            conv<V>(g, x, m, weights + s.kernel(), bias + m, from, to, [=](int cell, int, int k, vf<V> z) {
                store<V>(u + (int64_t)cell * m + k, gate<V>(z, cutoff));
            });
            conv<V>(g, x, m, weights + 2 * s.kernel(), bias + 2 * m, from, to, [=](int cell, int at, int k, vf<V> z) {
                const vf<V> value = gate<V>(z, cutoff);
                if (r) store<V>(r + (int64_t)cell * m + k, value);
                store<V>(rs + (int64_t)at * m + k, value * load<V>(x + (int64_t)at * m + k));
            });
            team.barrier.meet();
            float* result = last ? out + first * s.image() : y;
            conv<V>(g, rs, m, weights, bias, from, to, [=](int cell, int at, int k, vf<V> z) {
                const vf<V> value = tanh<V>(z), open = load<V>(u + (int64_t)cell * m + k);
                if (c) store<V>(c + (int64_t)cell * m + k, value);
                const vf<V> old = load<V>(x + (int64_t)at * m + k);
                store<V>(result + (int64_t)(last ? cell : at) * m + k, value + open * (old - value));
            });
            if (last_layer && drops && !last) drop_cells<V>(s, g, result, true, first, t + 1, from, to);
            team.barrier.meet();
            if (kept)
                x = y;
            else
                std::swap(x, y);
        }
}

template <int V>
void cgru_forward(const Shape& s, const float* s0, const float* U, const float* B, float* out, float* kept) {
    if (s.steps == 0) {
        std::copy_n(s0, s.batch * s.image(), out);
        return;
    }
    const Plan plan(s);
    const Floats packed = pack_all<V>(s, U, false);
    for_blocks<V>(s, plan, kept != nullptr, [&](int block, Team<V>& team, int member) {
        cgru_forward_block<V>(s, plan, block, s0, packed, B, out, kept, team, member);
    });
}

// The phases in which errors go back through a layer.
template <int V> struct CgruErrors {
    const Shape& s;
    const float* turned;

    // From the result to the candidate and the update gate.
    void open(const BackwardLayer& l) const {
        const int m = (int)s.m;
        const Kept& k = l.kept;
        float *dzc = l.errors.dz[0], *dzu = l.errors.dz[1], *rs = l.errors.rs;
        for (int cell = l.from; cell < l.to; ++cell)
            for (int j = 0; j < m; j += V) {
                const int64_t at = (int64_t)l.g.at[cell] * m + j, i = (int64_t)cell * m + j;
                const vf<V> x = load<V>(k.x + at), u = load<V>(k.gate + i), c = load<V>(k.candidate + i);
                const vf<V> d = load<V>(l.dy + i);
                store<V>(rs + at, load<V>(k.reset + i) * x);
                store<V>(dzc + at, d * (1.0f - u) * (1.0f - c * c));
                store<V>(dzu + at, d * (x - c) * gate_slope<V>(u, s.cutoff));
                store<V>(l.dx + i, d * u);
            }
    }
    // From the candidate to the reset gate, and to the input by r . s.
    void reset(const BackwardLayer& l) const {
        const int m = (int)s.m;
        const bool cutoff = s.cutoff;
        const float *x = l.kept.x, *r = l.kept.reset;
        float *dzr = l.errors.dz[2], *dx = l.dx;
        conv<V>(l.g, l.errors.dz[0], m, turned + s.bank(l.t, l.layer) * s.kernel(), nullptr, l.from, l.to,
                [=](int cell, int at, int j, vf<V> drs) {
                    const vf<V> open = load<V>(r + (int64_t)cell * m + j);
                    const int64_t p = (int64_t)at * m + j;
                    float* d = dx + (int64_t)cell * m + j;
                    store<V>(dzr + p, drs * load<V>(x + p) * gate_slope<V>(open, cutoff));
                    store<V>(d, load<V>(d) + drs * open);
                });
    }
    // From both gates to the input.
    void input(const BackwardLayer& l) const {
        const int m = (int)s.m;
        const float* weights = turned + s.bank(l.t, l.layer) * s.kernel();
        float* dx = l.dx;
        for (int gate : {1, 2})
            conv<V>(l.g, l.errors.dz[gate], m, weights + gate * s.kernel(), nullptr, l.from, l.to,
                    [=](int cell, int, int j, vf<V> value) {
                        float* d = dx + (int64_t)cell * m + j;
                        store<V>(d, load<V>(d) + value);
                    });
        if (l.layer == 0 && s.drop_threshold) drop_cells<V>(s, l.g, dx, false, (int)l.first, l.t, l.from, l.to);
    }
};

template <int V>
void cgru_backward(const Shape& s, const float* U, float* kept, const float* dout, float* ds0, float* dU, float* dB) {
    const Floats turned = pack_all<V>(s, U, true);
    backward<V>(s, Plan(s), CgruErrors<V>{s, turned}, kept, dout, ds0, dU, dB);
}

}  // namespace ngpu
