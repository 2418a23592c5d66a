// The kernel against a plain double-precision rollout and its finite differences, for vectors of 4, 8 and 16 lanes, and
// against itself on other numbers of threads.
// Made to run under the sanitizers:
//   g++ -std=c++17 -O1 -g -mavx2 -mfma -Wno-psabi -pthread -fsanitize=address,undefined -fno-sanitize-recover=all
//       native/selftest.cpp -o build/selftest && build/selftest
#include <cmath>
#include <cstdio>
#include <random>
#include "advance.h"
#include "sparse.h"

using namespace ngpu;
typedef std::vector<double> Doubles;

static double squash(double z, bool cutoff) {
    const double y = 1 / (1 + std::exp(-z));
    return cutoff ? std::min(1.0, std::max(0.0, 1.2 * y - 0.1)) : y;
}
static uint64_t key_of(const Shape& s, int64_t example, int64_t t) {
    return mix64(mix64(mix64(s.seed) + example) + t);
}
static double keep(const Shape& s, int64_t example, int64_t t, int64_t element) {
    if (!s.drop_threshold) return 1;
    const uint64_t key = key_of(s, example, t);
    const uint32_t hash = mix32<uint32_t>(mix32<uint32_t>((uint32_t)element ^ (uint32_t)key) ^ (uint32_t)(key >> 32));
    return hash < s.drop_threshold ? 0 : s.drop_scale;
}
static double noise(const Shape& s, int64_t example, int64_t t, int64_t element) {
    const uint64_t key = key_of(s, example, t);
    const uint32_t hash = mix32<uint32_t>(mix32<uint32_t>((uint32_t)element ^ (uint32_t)(key >> 32)) ^ (uint32_t)key);
    return s.noise * ((hash >> 8) / 8388608.0 - 1);
}
// U[u, v, c, i] over x (n, w, m) at one cell and map, by the definition.
static double convolved(const Shape& s, const double* x, const double* U, int64_t i, int64_t j, int64_t to) {
    double z = 0;
    for (int64_t u = 0; u < s.k_w; ++u)
        for (int64_t v = 0; v < s.k_h; ++v) {
            const int64_t row = i + v - s.k_h / 2, column = j + u - s.k_w / 2;
            if (row < 0 || row >= s.n || column < 0 || column >= s.w) continue;
            for (int64_t c = 0; c < s.m; ++c)
                z += U[((u * s.k_h + v) * s.m + c) * s.m + to] * x[(row * s.w + column) * s.m + c];
        }
    return z;
}

struct Problem {
    Shape s;
    bool diagonal;
    Doubles s0, U, B, weight;  // the value is sum(weight . result) + 3 cost
};

// The state of example e after step t from x, never rounded to levels; adds the step's saturations to `cost`.
static Doubles stepped(const Problem& p, int64_t e, int64_t t, Doubles x, const Doubles& U, const Doubles& B,
                       double& cost) {
    const Shape& s = p.s;
    for (int64_t q = 0; q < s.image() && !p.diagonal; ++q) x[q] *= keep(s, e, t, q);
    for (int64_t layer = 0; layer < s.layers; ++layer) {
        const int64_t bank = ((t % s.sets) * s.layers + layer) * 3;
        Doubles z[3] = {Doubles(x.size()), Doubles(x.size()), Doubles(x.size())}, rs(x.size()), y(x.size());
        for (int gate : {2, 1, 0})
            for (int64_t q = 0; q < s.image(); ++q) {
                const int64_t k = q % s.m, j = q / s.m % s.w, i = q / s.m / s.w;
                const double offset = !p.diagonal || gate == 0 ? 0 : gate == 1 ? 0.7 : 0.5;
                z[gate][q] = B[(bank + gate) * s.m + k] + offset +
                             convolved(s, gate ? x.data() : rs.data(), &U[(bank + gate) * s.kernel()], i, j, k);
                if (p.diagonal) z[gate][q] += noise(s, e, t, gate * s.image() + q);
                if (p.diagonal) cost += std::max(0.0, std::abs(z[gate][q]) - 0.9);
                const double open = p.diagonal ? std::min(1.0, std::max(0.0, 0.5 * z[gate][q] + 0.5))
                                               : squash(z[gate][q], s.cutoff);
                if (gate == 2) rs[q] = open * x[q];
                if (gate == 1) z[1][q] = open;
            }
        for (int64_t q = 0; q < s.image(); ++q) {
            const int64_t k = q % s.m, i = q / s.m / s.w, from = i + (p.diagonal ? shift_source(k, s.m) : 0);
            const double old = from < 0 || from >= s.n ? 0 : x[q + (from - i) * s.w * s.m];
            const double c = p.diagonal ? std::min(1.0, std::max(-1.0, z[0][q])) * keep(s, e, t, q)
                                        : std::tanh(z[0][q]);
            y[q] = z[1][q] * old + (1 - z[1][q]) * c;
        }
        x = y;
    }
    return x;
}

static double value(const Problem& p, const Doubles& s0, const Doubles& U, const Doubles& B) {
    const Shape& s = p.s;
    double total = 0, cost = 0;
    for (int64_t e = 0; e < s.batch; ++e) {
        Doubles x(s0.begin() + e * s.image(), s0.begin() + (e + 1) * s.image());
        for (int64_t t = 0; t < s.steps; ++t) x = stepped(p, e, t, x, U, B, cost);
        for (int64_t q = 0; q < s.image(); ++q) total += p.weight[e * s.image() + q] * x[q];
    }
    return total + 3 * cost / s.cell_steps();
}

static bool near(double actual, double expected, double relative, const char* what) {
    if (std::abs(actual - expected) <= relative * (1 + std::abs(expected))) return true;
    std::printf("%s: %.8g, expected %.8g\n", what, actual, expected);
    return false;
}

// What the kernel with V lanes makes of a problem.
struct Results {
    std::vector<float> out, ds0, dU, dB;
    float cost = 0;
    bool inference_agrees = false;
};

// Whether a network in use, which has no dropout and no noise, comes to the same state.
template <int V>
static bool used(const Problem& p, const std::vector<float>& s0, const std::vector<float>& U, const std::vector<float>& B,
                 const std::vector<float>& out) {
    if (p.s.drop_threshold || p.s.noise != 0) return true;
    std::vector<float> state(out.size());
    if (!p.diagonal) {
        cgru_advance<V>(p.s, s0.data(), U.data(), B.data(), state.data());
        bool good = true;
        for (size_t k = 0; k < out.size(); ++k) good = good && near(state[k], out[k], 1e-4, "in use");
        return good;
    }
    (p.s.sparse ? sparse_forward<V> : diagonal_forward<V>)(p.s, s0.data(), U.data(), B.data(), state.data(), nullptr,
                                                           nullptr);
    return state == out;
}

template <int V> static Results computed(const Problem& p) {
    const Shape& s = p.s;
    const auto floats = [](const Doubles& x) { return std::vector<float>(x.begin(), x.end()); };
    std::vector<float> s0 = floats(p.s0), U = floats(p.U), B = floats(p.B);
    std::vector<float> dout = floats(p.weight), again(s0.size());
    Results r{s0, s0, U, B};
    const float dcost = 3;
    std::vector<float> kept(s.sparse ? sparse_kept_floats<V>(s) : kept_floats(s), NAN);  // any value will do
    const auto forward = s.sparse ? sparse_forward<V> : diagonal_forward<V>;
    const auto backward = s.sparse ? sparse_backward<V> : diagonal_backward<V>;
    for (float* buffer : {kept.data(), (float*)nullptr}) {
        float* to = buffer ? r.out.data() : again.data();
        if (p.diagonal)
            forward(s, s0.data(), U.data(), B.data(), to, &r.cost, buffer);
        else
            cgru_forward<V>(s, s0.data(), U.data(), B.data(), to, buffer);
    }
    float *ds0 = r.ds0.data(), *dU = r.dU.data(), *dB = r.dB.data();
    if (p.diagonal)
        backward(s, U.data(), kept.data(), dout.data(), &dcost, ds0, dU, dB);
    else
        cgru_backward<V>(s, U.data(), kept.data(), dout.data(), ds0, dU, dB);
    r.inference_agrees = r.out == again && used<V>(p, s0, U, B, r.out);
    return r;
}

static bool same(const Results& a, const Results& b) {
    return a.out == b.out && a.cost == b.cost && a.ds0 == b.ds0 && a.dU == b.dU && a.dB == b.dB;
}

// The same bits on any number of threads, with vectors of 8 floats and of 16.
static bool steady(Problem p) {
    p.s.threads = 1;
    const Results alone = computed<8>(p);
    bool good = same(computed<16>(p), alone);
    for (int64_t threads : {2, 3, 8, 13}) {
        p.s.threads = threads;
        good = same(computed<8>(p), alone) && same(computed<16>(p), alone) && good;
    }
    if (!good) std::printf("other bits with other threads or vectors\n");
    return good;
}

// The kernel's value, and its gradients along random directions, without levels.
template <int V> static bool agrees(const Problem& p) {
    const Results r = computed<V>(p);
    double total = p.diagonal ? 3 * r.cost : 0;
    for (size_t k = 0; k < r.out.size(); ++k) total += p.weight[k] * r.out[k];
    bool good = near(total, value(p, p.s0, p.U, p.B), 1e-5, "value") && r.inference_agrees;
    const std::vector<float>* gradients[] = {&r.ds0, &r.dU, &r.dB};
    for (int which = 0; which < 3; ++which) {
        std::mt19937 random(which);
        Doubles ahead[] = {p.s0, p.U, p.B}, behind[] = {p.s0, p.U, p.B};
        double slope = 0;
        for (size_t k = 0; k < gradients[which]->size(); ++k) {
            const double direction = std::normal_distribution<double>()(random);
            ahead[which][k] += 1e-6 * direction;
            behind[which][k] -= 1e-6 * direction;
            slope += direction * (*gradients[which])[k];
        }
        const double expected =
            (value(p, ahead[0], ahead[1], ahead[2]) - value(p, behind[0], behind[1], behind[2])) / 2e-6;
        good = near(slope, expected, 1e-3, which == 0 ? "ds0" : which == 1 ? "dU" : "dB") && good;
    }
    return good;
}

// With levels, step by step: the kernel's state after t + 1 steps is the level nearest to the unrounded step from its
// state after t steps. At a tie either level will do, within the rounding of a float. Gradients of the last step do not
// see its rounding.
template <int V> static bool rounds(Problem p, float levels) {
    const int64_t steps = p.s.steps;
    bool good = true;
    Doubles x = p.s0;
    for (int64_t t = 0; t < steps; ++t) {
        p.s.steps = t + 1, p.s.levels = levels;
        const Results r = computed<V>(p);
        double cost = 0;
        for (int64_t e = 0; e < p.s.batch; ++e) {
            const Doubles from(x.begin() + e * p.s.image(), x.begin() + (e + 1) * p.s.image());
            const Doubles exact = stepped(p, e, t, from, p.U, p.B, cost);
            for (int64_t q = 0; q < p.s.image(); ++q) {
                const double y = r.out[e * p.s.image() + q], level = y * levels;
                good = good && std::abs(level - std::round(level)) < 1e-4;
                good = good && std::abs(y - exact[q]) < 0.5 / levels + 1e-5;
            }
        }
        good = good && r.inference_agrees;
        x = Doubles(r.out.begin(), r.out.end());
        if (t > 0) continue;
        p.s.levels = 0;
        const Results plain = computed<V>(p);
        good = good && plain.out != r.out && plain.ds0 == r.ds0 && plain.dU == r.dU && plain.dB == r.dB;
    }
    if (!good) std::printf("levels: not the nearest, or other gradients\n");
    return good;
}

// How a batch is shared out, as {batch, n, w, m, threads} -> {blocks, members, teams}.
static int wrong_plans() {
    const int64_t facts[][8] = {
        {32, 41, 4, 24, 2, 32, 1, 2},    // threads take blocks
        {1, 41, 4, 24, 2, 1, 2, 1},      // one sequence is shared by both
        {1, 4001, 4, 24, 64, 1, 64, 1},  // by all, where it is long
        {1, 41, 4, 24, 64, 1, 2, 1},     // by few, where it is short
        {1, 5, 4, 24, 64, 1, 1, 1},      // by none
        {32, 41, 4, 24, 48, 32, 1, 32},  // more than half as many blocks as threads
        {32, 41, 4, 24, 64, 32, 2, 32},  // a team of two for each block
        {40, 5, 4, 24, 4, 5, 1, 4},      // short sequences go eight to a block
    };
    int wrong = 0;
    for (const auto& f : facts) {
        const Plan plan(Shape{f[0], f[1], f[2], f[3], 1, 1, 3, 3, 1, f[4], 0, 0, 1, 0, 0, 0, 0});
        if (plan.blocks == f[5] && plan.members == f[6] && plan.teams == f[7]) continue;
        std::printf("plan of batch %d, n=%d, %d threads: %d blocks, %d members, %d teams\n", (int)f[0], (int)f[1],
                    (int)f[4], plan.blocks, plan.members, plan.teams);
        ++wrong;
    }
    return wrong;
}

static Problem drawn(const char* cell, const int64_t* d, bool drop) {
    const bool diagonal = cell[0] != 'c', sparse = cell[0] == 's';
    Problem p;
    p.s = {d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], d[8], d[9], 42, 0, 1, drop, 0, 0, sparse};
    if (diagonal && drop) p.s.noise = 0.1f;
    if (diagonal) p.s.w = p.s.layers = p.s.sets = p.s.k_w = 1, p.s.k_h = 3, p.s.m = 48;
    if (drop) p.s.drop_threshold = (uint32_t)(0.2 * 4294967296.0), p.s.drop_scale = 1.25f;
    p.diagonal = diagonal;
    std::mt19937 random(7);
    const auto draw = [&](int64_t count, double scale) {
        Doubles x(count);
        for (double& y : x) y = (float)(scale * std::uniform_real_distribution<double>(-1, 1)(random));
        return x;
    };
    p.s0 = draw(p.s.batch * p.s.image(), 1);
    p.U = draw(p.s.gates() * p.s.kernel(), 2 / std::sqrt((double)p.s.k_w * p.s.k_h * p.s.m));
    p.B = draw(p.s.gates() * p.s.m, 0.5);
    p.weight = draw(p.s.batch * p.s.image(), 1);
    return p;
}

int main() {
    // batch n w m layers sets k_w k_h steps threads
    const int64_t shapes[][10] = {
        {1, 1, 1, 16, 1, 1, 3, 3, 2, 1}, {3, 5, 4, 16, 2, 2, 3, 3, 3, 2}, {2, 4, 3, 32, 1, 1, 3, 1, 2, 3},
        {5, 3, 1, 16, 1, 3, 1, 3, 4, 2}, {1, 7, 5, 16, 1, 1, 5, 3, 2, 2}, {2, 3, 2, 48, 1, 1, 3, 3, 2, 1},
        {1, 45, 4, 16, 1, 1, 3, 3, 1, 1},    // more cells than the weight gradient packs at once
        {1, 100, 2, 32, 1, 1, 3, 3, 2, 3},   // threads that share one sequence
        {2, 100, 2, 32, 1, 1, 3, 3, 2, 5},   // and one of two each
    };
    const int64_t larger[][10] = {
        {8, 24, 1, 16, 1, 1, 3, 3, 3, 1},   // blocks of 7 and 1 examples, which several threads cut elsewhere
        {40, 5, 4, 16, 2, 2, 3, 3, 3, 1},   // more blocks than chunks
        {6, 41, 4, 16, 1, 1, 3, 3, 2, 1},   // of one example each
    };
    int failures = wrong_plans(), tests = 0;
    const auto count = [&](bool good, const char* what, const Problem& p) {
        ++tests;
        if (good) return;
        std::printf("  %s, batch %d, n=%d m=%d\n", what, (int)p.s.batch, (int)p.s.n, (int)p.s.m);
        ++failures;
    };
    for (const char* cell : {"cgru", "diagonal", "sparse diagonal"})
        for (bool drop : {false, true}) {
            for (const auto& d : shapes) {
                const Problem p = drawn(cell, d, drop);
                count(agrees<4>(p) && (!p.diagonal || rounds<4>(p, 8)), cell, p);
                count(agrees<8>(p) && (!p.diagonal || rounds<8>(p, 8)), cell, p);
                count(agrees<16>(p) && (!p.diagonal || rounds<16>(p, 8)), cell, p);
                count(steady(p), cell, p);
            }
            for (const auto& d : larger) {
                const Problem p = drawn(cell, d, drop);
                count(steady(p), cell, p);
            }
        }
    std::printf("%d of %d tests passed\n", tests - failures, tests);
    return failures != 0;
}
