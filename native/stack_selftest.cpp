// The stack-RNN's loop against finite differences in double precision, and its answers against its own predictions.
// Made to run under the sanitizers, like selftest.cpp:
//   g++ -std=c++17 -O1 -g -mavx2 -mfma -Wno-psabi -fsanitize=address,undefined -fno-sanitize-recover=all
//       native/stack_selftest.cpp -o build/stack_selftest && build/stack_selftest
#include <cstdio>
#include <random>
#include "stack_rnn.h"

using namespace ngpu;
typedef std::vector<double> Doubles;

struct Problem {
    StackShape s;
    std::vector<float> weights;  // U, P, A, D, V one after the other
    std::vector<int64_t> text;
    int64_t first;

    StackWeights parts(std::vector<float>& w) const {
        float* U = w.data();
        float* P = U + s.vocabulary * s.hidden;
        float* A = P + s.stacks * s.reads * s.hidden;
        float* D = A + 3 * s.stacks * s.hidden;
        return {U, P, A, D, D + s.stacks * s.hidden};
    }
};

// The summed loss of the predicted symbols, by the equations.
static double loss_of(const Problem& p, const Doubles& w) {
    const StackShape& s = p.s;
    const double *U = w.data(), *P = U + s.vocabulary * s.hidden, *A = P + s.stacks * s.reads * s.hidden,
                 *D = A + 3 * s.stacks * s.hidden, *V = D + s.stacks * s.hidden;
    const int64_t H = s.hidden, length = (int64_t)p.text.size(), cells = length + s.reads + 2;
    auto dot = [&](const double* row, const Doubles& h) {
        double z = 0;
        for (int64_t k = 0; k < H; ++k) z += row[k] * h[k];
        return z;
    };
    std::vector<Doubles> stack(s.stacks, Doubles(cells, -1.0));
    double loss = 0;
    for (int64_t t = 0; t + 1 < length; ++t) {
        Doubles h(U + p.text[t] * H, U + (p.text[t] + 1) * H);
        for (int64_t r = 0; r < s.stacks * s.reads; ++r)
            for (int64_t k = 0; k < H; ++k) h[k] += stack[r / s.reads][r % s.reads] * P[r * H + k];
        for (double& x : h) x = 1 / (1 + std::exp(-x));
        for (int64_t j = 0; j < s.stacks; ++j) {
            double action[3], all = 0;
            for (int a = 0; a < 3; ++a) all += action[a] = std::exp(dot(A + (a * s.stacks + j) * H, h));
            const Doubles before = stack[j];
            for (int64_t i = 0; i + 1 < cells; ++i) {
                const double above = i ? before[i - 1] : 1 / (1 + std::exp(-dot(D + j * H, h)));
                stack[j][i] = (action[0] * above + action[1] * before[i + 1] + action[2] * before[i]) / all;
            }
        }
        if (t + 1 < p.first) continue;
        double all = 0;
        for (int64_t y = 0; y < s.vocabulary; ++y) all += std::exp(dot(V + y * H, h));
        loss += std::log(all) - dot(V + p.text[t + 1] * H, h);
    }
    return loss;
}

static int failures = 0;
static void expect(bool right, const char* what, const Problem& p, double found, double wanted) {
    if (right) return;
    std::printf("%s: %g in place of %g (hidden %d, stacks %d, reads %d, length %d)\n", what, found, wanted,
                (int)p.s.hidden, (int)p.s.stacks, (int)p.s.reads, (int)p.text.size());
    ++failures;
}

static void check(Problem p, std::mt19937& rng) {
    StackShape& s = p.s;
    std::vector<float> moved = p.weights;
    const int64_t length = (int64_t)p.text.size();
    float loss;
    int64_t right;
    s.rate = 1;
    s.bptt = s.every = 0;
    stack_train(s, p.parts(moved), p.text.data(), &length, &p.first, &loss, &right);
    Doubles w(p.weights.begin(), p.weights.end());
    const double wanted = loss_of(p, w);
    expect(std::abs(loss - wanted) < 1e-4 * (1 + wanted), "loss", p, loss, wanted);
    for (int n = 0; n < 40; ++n) {
        const size_t k = rng() % w.size();
        const double was = w[k];
        w[k] = was + 1e-5;
        const double up = loss_of(p, w);
        w[k] = was - 1e-5;
        const double slope = (up - loss_of(p, w)) / 2e-5, found = p.weights[k] - moved[k];
        w[k] = was;
        expect(std::abs(found - slope) < 1e-3 * (1 + std::abs(slope)), "gradient", p, found, slope);
    }
    // Updates after each symbol, cut short: no value to compare with here, but all of the memory that they touch.
    s.rate = 0.1f;
    s.every = 1;
    s.bptt = 3;
    stack_train(s, p.parts(moved), p.text.data(), &length, &p.first, &loss, &right);
    const int64_t most = 1 + rng() % 20;
    std::vector<int64_t> answer(most);
    s.hard = rng() % 2;
    stack_answer(s, p.parts(moved), p.text.data(), &length, most, answer.data());
    for (int64_t y : answer) expect(0 <= y && y < s.choices, "symbol of an answer", p, (double)y, 0);
}

int main() {
    std::mt19937 rng(0);
    std::uniform_real_distribution<float> uniform(-0.8f, 0.8f);
    for (int64_t hidden : {1, 8, 13, 100})
        for (int64_t stacks : {1, 3})
            for (int64_t reads : {1, 2, 4})
                for (int64_t length : {2, 9, 40}) {
                    Problem p{{5, hidden, stacks, reads, 1, length, 0, 0, 1, 1e6f, 0, 4}, {}, {}, 1};
                    p.weights.resize((5 + stacks * reads + 4 * stacks + 5) * hidden);
                    for (float& x : p.weights) x = uniform(rng);
                    for (int64_t t = 0; t < length; ++t) p.text.push_back(rng() % 5);
                    p.first = 1 + rng() % (length - 1);
                    check(p, rng);
                }
    std::puts(failures ? "stack-RNN: FAILED" : "stack-RNN: all well");
    return failures != 0;
}
