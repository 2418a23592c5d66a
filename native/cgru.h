// The paper's CGRU through all steps of a block of sequences, forward and backward:
//   s' = u . s + (1 - u) . c,  c = tanh(U * (r . s) + B),  u = sigma(U' * s + B'),  r = sigma(U'' * s + B'').
#pragma once
#include "plan.h"

namespace ngpu {

template <int V>
void cgru_forward_block(const Shape& s, const Plan& plan, int block, const float* s0, const float* packed,
                        const float* B, const float* mask, float* out, float* kept, Team<V>& team, int member) {
    const Grid& g = plan.grid(block);
    const int m = (int)s.m, first = plan.first(block);
    const int from = team.first_cell(g, member), to = team.first_cell(g, member + 1);
    const Dropout dropout = s.dropout();
    const Dropout* drops = s.drop_threshold ? &dropout : nullptr;
    const bool cutoff = s.cutoff;
    float *x = team.x, *y = team.y, *rs = team.rs, *u = team.gate, *r = nullptr, *c = nullptr;
    if (kept) x = Kept(s, plan, kept, block, 0).x;
    if (member == 0) {
        g.clear_edges(x, m);
        g.clear_edges(rs, m);
        if (!kept) g.clear_edges(y, m);
    }
    for (int k = from; k < to; ++k) std::copy_n(s0 + first * s.image() + (int64_t)k * m, m, x + (int64_t)g.at[k] * m);
    if (drops) scale_cells<V>(s, g, x, true, first, nullptr, drops, 0, from, to);
    team.barrier.meet();
    for (int64_t t = 0; t < s.steps; ++t)
        for (int64_t layer = 0; layer < s.layers; ++layer) {
            const int64_t bank = ((t % s.sets) * s.layers + layer) * 3;
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
            if (last_layer && (mask || (drops && !last)))
                scale_cells<V>(s, g, result, !last, first, mask, last ? nullptr : drops, t + 1, from, to);
            team.barrier.meet();
            if (kept)
                x = y;
            else
                std::swap(x, y);
        }
}

template <int V>
void cgru_forward(const Shape& s, const float* s0, const float* U, const float* B, const float* mask, float* out,
                  float* kept) {
    if (s.steps == 0) {
        std::copy_n(s0, s.batch * s.image(), out);
        return;
    }
    const Plan plan(s);
    const Floats packed = pack_all<V>(s, U, false);
    for_blocks<V>(s, plan, kept != nullptr, [&](int block, Team<V>& team, int member) {
        cgru_forward_block<V>(s, plan, block, s0, packed, B, mask, out, kept, team, member);
    });
}

// Gradients of one block: adds to dU (sets, layers, 3, k_h, k_w, m, m) and dB, sets ds0.
template <int V>
void cgru_backward_block(const Shape& s, const Plan& plan, int block, const float* turned, const float* mask,
                         float* kept, const float* dout, float* ds0, float* dU, float* dB) {
    const Grid& g = plan.grid(block);
    const int m = (int)s.m, first = plan.first(block), cells = g.cells();
    const int64_t padded = (int64_t)g.padded() * m, compact = (int64_t)cells * m;
    const Dropout dropout = s.dropout();
    const bool cutoff = s.cutoff;
    Floats dzc(padded), dzu(padded), dzr(padded), rs(padded), a(compact), b(compact);
    float *dy = a, *dx = b;
    std::copy_n(dout + first * s.image(), compact, dy);
    for (int64_t t = s.steps - 1; t >= 0; --t) {
        if (mask) scale_cells<V>(s, g, dy, false, first, mask, nullptr, t, 0, cells);
        for (int64_t layer = s.layers - 1; layer >= 0; --layer) {
            const int64_t bank = ((t % s.sets) * s.layers + layer) * 3, kernel = s.kernel();
            const Kept k(s, plan, kept, block, t, layer);
            for (int cell = 0; cell < cells; ++cell)
                for (int j = 0; j < m; j += V) {
                    const int64_t at = (int64_t)g.at[cell] * m + j, i = (int64_t)cell * m + j;
                    const vf<V> x = load<V>(k.x + at), u = load<V>(k.gate + i), c = load<V>(k.candidate + i);
                    const vf<V> d = load<V>(dy + i);
                    store<V>(rs + at, load<V>(k.reset + i) * x);
                    store<V>(dzc + at, d * (1.0f - u) * (1.0f - c * c));
                    store<V>(dzu + at, d * (x - c) * gate_slope<V>(u, cutoff));
                    store<V>(dx + i, d * u);
                }
            const float *x = k.x, *r = k.reset;
            float *to_reset = dzr, *to_input = dx;
            conv<V>(g, dzc, m, turned + bank * kernel, nullptr, 0, cells, [=](int cell, int at, int j, vf<V> drs) {
                const vf<V> open = load<V>(r + (int64_t)cell * m + j);
                const int64_t p = (int64_t)at * m + j;
                float* d = to_input + (int64_t)cell * m + j;
                store<V>(to_reset + p, drs * load<V>(x + p) * gate_slope<V>(open, cutoff));
                store<V>(d, load<V>(d) + drs * open);
            });
            const auto add = [=](int cell, int, int j, vf<V> value) {
                float* d = to_input + (int64_t)cell * m + j;
                store<V>(d, load<V>(d) + value);
            };
            conv<V>(g, dzu, m, turned + (bank + 1) * kernel, nullptr, 0, cells, add);
            conv<V>(g, dzr, m, turned + (bank + 2) * kernel, nullptr, 0, cells, add);
            const float* dz[3] = {dzc, dzu, dzr};
            for (int gate = 0; gate < 3; ++gate) {
                weight_gradient<V>(g, gate ? k.x : rs, dz[gate], m, dU + (bank + gate) * kernel);
                bias_gradient<V>(g, dz[gate], m, dB + (bank + gate) * m);
            }
            std::swap(dx, dy);
        }
        if (s.drop_threshold) scale_cells<V>(s, g, dy, false, first, nullptr, &dropout, t, 0, cells);
    }
    std::copy_n(dy, compact, ds0 + first * s.image());
}

template <int V>
void cgru_backward(const Shape& s, const float* U, const float* mask, float* kept, const float* dout, float* ds0,
                   float* dU, float* dB) {
    const Plan plan(s);
    const Floats turned = pack_all<V>(s, U, true);
    sum_gradients(s, plan, dU, dB, [&](int from, int to, float* dU_part, float* dB_part) {
        for (int block = from; block < to; ++block)
            cgru_backward_block<V>(s, plan, block, turned, mask, kept, dout, ds0, dU_part, dB_part);
    });
}

}  // namespace ngpu
