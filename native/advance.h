// The paper's CGRU for a network in use: the steps of cgru.h without dropout, and nothing kept for a backward pass. With
// kernels of 3 x 3 and an even width it takes half of the time; the last digits differ from those of training.
#pragma once
#include "cgru.h"
#include "winograd.h"

namespace ngpu {

template <int V, int H, int W>
void cgru_advance_block(const Shape& s, const Plan& plan, int block, const float* s0, const float* packed,
                        const float* B, float* out, Team<V>& team, Phases& phases, float* scratch) {
    using Convolution = Winograd<V, H, W>;
    const Grid& g = plan.grid(block);
    const int m = (int)s.m;
    const int64_t first = plan.first(block) * s.image(), bank_floats = Convolution::kernel_floats(m);
    const bool cutoff = s.cutoff;
    float *x = team.x, *y = team.y, *const rs = team.rs, *const u = team.gate;
    int64_t phase = 0;
    phases.run(phase++, [&](int64_t part) {
        if (part) return;
        for (float* padded : {x, y, rs}) g.clear_edges(padded, m);
        for (int k = 0; k < g.cells(); ++k) std::copy_n(s0 + first + (int64_t)k * m, m, x + (int64_t)g.at[k] * m);
    });
    for (int64_t t = 0; t < s.steps; ++t)
        for (int64_t layer = 0; layer < s.layers; ++layer, std::swap(x, y)) {
            const int64_t bank = s.bank(t, layer);
            const float* weights = packed + bank * bank_floats;
            const float* bias = B + bank * m;
            const bool last = layer + 1 == s.layers && t + 1 == s.steps;
            float* result = last ? out + first : y;
            const auto gates = [=](int which, int cell, int at, int k, vf<V> z) {
                const vf<V> value = gate<V>(z + load<V>(bias + (1 + which) * m + k), cutoff);
                if (which == 0)
                    store<V>(u + (int64_t)cell * m + k, value);
                else
                    store<V>(rs + (int64_t)at * m + k, value * load<V>(x + (int64_t)at * m + k));
            };
            const auto candidate = [=](int, int cell, int at, int k, vf<V> z) {
                const vf<V> value = tanh<V>(z + load<V>(bias + k)), open = load<V>(u + (int64_t)cell * m + k);
                const vf<V> old = load<V>(x + (int64_t)at * m + k);
                store<V>(result + (int64_t)(last ? cell : at) * m + k, value + open * (old - value));
            };
            phases.run(phase++, [&](int64_t part) {
                Convolution::conv(g, x, m, {weights + bank_floats, weights + 2 * bank_floats},
                                  (int)part * tiles_at_once, scratch, gates);
            });
            phases.run(phase++, [&](int64_t part) {
                Convolution::conv(g, rs, m, {weights}, (int)part * tiles_at_once, scratch, candidate);
            });
        }
}

template <int V, int H, int W>
void cgru_advance_by(const Shape& s, const float* s0, const float* U, const float* B, float* out) {
    using Convolution = Winograd<V, H, W>;
    const Plan plan(s);
    const int m = (int)s.m;
    const Floats packed(s.gates() * Convolution::kernel_floats(m));
    for (int64_t k = 0; k < s.gates(); ++k)
        Convolution::pack(U + k * s.kernel(), m, packed + k * Convolution::kernel_floats(m));
    std::deque<Phases> phases;  // of each block
    for (int block = 0; block < plan.blocks; ++block)
        phases.emplace_back((Convolution::tiles(plan.grid(block)) + tiles_at_once - 1) / tiles_at_once);
    const int64_t scratch = Convolution::scratch_floats(m);
    for_blocks<V>(
        s, plan, false,
        [&](int block, Team<V>& team, int member) {
            cgru_advance_block<V, H, W>(s, plan, block, s0, packed, B, out, team, phases[block],
                                        team.scratch + member * scratch);
        },
        scratch);
}

template <int V> void cgru_advance(const Shape& s, const float* s0, const float* U, const float* B, float* out) {
    const bool suits = s.k_w == 3 && s.k_h == 3 && s.w % 2 == 0 && s.steps > 0;
    if (suits && s.w % 4 == 0)
        cgru_advance_by<V, 4, 4>(s, s0, U, B, out);
    else if (suits)
        cgru_advance_by<V, 4, 2>(s, s0, U, B, out);
    else
        cgru_forward<V>(s, s0, U, B, out, nullptr);
}

}  // namespace ngpu
