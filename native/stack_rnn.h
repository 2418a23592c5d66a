// The stack-RNN of Joulin & Mikolov (2015): training by plain SGD with truncated back-propagation, and answering.
//
//     h_t = sigma(U[x_t] + sum_j P_j r_j)           r_j: the cells nearest the top of each stack, before step t
//     (push, pop, stay) = softmax(A h_t) for each stack,  v = sigma(D h_t),  y_t = softmax(V h_t)
//     S_t[i] = push S_{t-1}[i-1] + pop S_{t-1}[i+1] + stay S_{t-1}[i],  S_{t-1}[-1] being v;  empty cells are -1
//
// All arithmetic is on vectors of 8 lanes, whatever the machine has, so that the order of the sums is the same.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>
#include "vec.h"

namespace ngpu {

// The first argument of the C symbols; engine/stack.py holds the same fields in the same order.
struct StackShape {
    int64_t vocabulary, hidden, stacks, reads;  // reads: cells of a stack that the hidden units see
    int64_t sequences, longest;                 // rows and columns of the symbols
    int64_t bptt, every;  // steps that an error goes back; predicted symbols between updates, 0 for once a sequence
    float rate, clip;     // a rate of 0 leaves the weights alone
    int32_t hard;         // the likeliest action alone is taken
    int32_t choices;      // symbols that an answer may have: the first of the vocabulary
};

// The caller's parameters, each row `hidden` numbers.
struct StackWeights {
    float *U, *P, *A, *D, *V;  // rows: vocabulary; stacks x reads; 3 x stacks; stacks; vocabulary
};

class StackRNN {
    static constexpr int L = 8;
    typedef vf<L> F;
    const StackShape& s;
    const int64_t H, S, R, O;     // padded hidden units, stacks, cells read, rows of W
    const int64_t depth, slots;   // floats of one stack, steps that are kept
    std::vector<float> U, P, W;   // W: A, D and V
    std::vector<float> h, out, dout, stack, dh, dstack, dnext, reads;
    std::vector<int64_t> inputs;

    static int64_t padded(int64_t n) { return (n + L - 1) / L * L; }
    int64_t slot(int64_t t) const { return t < slots ? t : t % slots; }  // a division costs more than a step's vectors
    float* cells(int64_t t, int64_t j) { return &stack[(slot(t + 1) * S + j) * depth + L]; }  // of S_t, t from -1
    float* errors(std::vector<float>& d, int64_t j) { return &d[j * depth + L]; }

    void pack(const float* from, int64_t rows, float* to) const {
        for (int64_t r = 0; r < rows; ++r) std::copy(from + r * s.hidden, from + (r + 1) * s.hidden, to + r * H);
    }
    void unpack(const float* from, int64_t rows, float* to) const {
        for (int64_t r = 0; r < rows; ++r) std::copy(from + r * H, from + r * H + s.hidden, to + r * s.hidden);
    }
    static float total(F x) {
        const vf<4> half = load<4>((const float*)&x) + load<4>((const float*)&x + 4);
        return (half[0] + half[2]) + (half[1] + half[3]);
    }
    float dot(const float* a, const float* b) const {
        F x{}, y{};
        int64_t k = 0;
        for (; k + 2 * L <= H; k += 2 * L) {
            x += load<L>(a + k) * load<L>(b + k);
            y += load<L>(a + k + L) * load<L>(b + k + L);
        }
        if (k < H) x += load<L>(a + k) * load<L>(b + k);
        return total(x + y);
    }
    // to += scale * (the sum of factor(r) * row(r) over r in begin .. end - 1, in this order)
    template <class Factor, class Row>
    void add_rows(float* to, float scale, int64_t begin, int64_t end, const Factor& factor, const Row& row) const {
        const int64_t vectors = H / L, blocks = (vectors + 7) / 8;
        for (int64_t b = 0; b < blocks; ++b) {
            const int64_t from = vectors * b / blocks, k = from * L;
            switch (vectors * (b + 1) / blocks - from) {
#define CASE(n) case n: add_block<n>(to, scale, begin, end, factor, row, k); break;
                CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
#undef CASE
            }
        }
    }
    // Up to eight sums at once, which do not wait for each other.
    template <int N, class Factor, class Row>
    INLINE void add_block(float* to, float scale, int64_t begin, int64_t end, const Factor& factor, const Row& row,
                          int64_t k) const {
        F x[N] = {};
        for (int64_t r = begin; r < end; ++r) {
            const float f = factor(r);
            const float* from = row(r) + k;
            for (int v = 0; v < N; ++v) x[v] += f * load<L>(from + v * L);
        }
        for (int v = 0; v < N; ++v) store<L>(to + k + v * L, load<L>(to + k + v * L) + scale * x[v]);
    }
    void add_matrix(float* to, const float* rows, const float* factors, int64_t count) const {
        add_rows(to, 1.0f, 0, count, [=](int64_t r) { return factors[r]; }, [=](int64_t r) { return rows + r * H; });
    }
    static float exp(float x) {
        F grown, power;
        split_exp2<L>(clip<L>(splat<L>(x * 1.44269504f), -120.0f, 120.0f), grown, power);
        return power[0] * (1.0f + grown[0]);
    }
    static float squashed(float x) { return sigmoid<L>(splat<L>(x))[0]; }
    static void softmax(float* x, int64_t count, int64_t stride) {
        float top = x[0], all = 0;
        for (int64_t k = 1; k < count; ++k) top = std::max(top, x[k * stride]);
        for (int64_t k = 0; k < count; ++k) all += x[k * stride] = exp(x[k * stride] - top);
        for (int64_t k = 0; k < count; ++k) x[k * stride] /= all;
    }
    void bounded(float* x, int64_t from, int64_t to) const {
        for (int64_t k = from; k < to; k += L) store<L>(x + k, clip<L>(load<L>(x + k), -s.clip, s.clip));
    }
    float* hidden(int64_t t) { return &h[slot(t) * H]; }
    float* outputs(int64_t t) { return &out[slot(t) * O]; }

  public:
    // `kept`: steps whose states stay in memory; `steps`: those of the longest sequence, which bound a stack's depth.
    StackRNN(const StackShape& shape, const StackWeights& w, int64_t kept, int64_t steps)
        : s(shape), H(padded(s.hidden)), S(s.stacks), R(s.stacks * s.reads), O(4 * S + s.vocabulary),
          depth(padded(steps + s.reads) + 3 * L), slots(kept + 1), U(s.vocabulary * H), P(R * H), W(O * H),
          h(slots * H), out(slots * O), dout(slots * O), stack(slots * S * depth, -1.0f), dh(slots * H),
          dstack(S * depth), dnext(S * depth), reads(R), inputs(slots) {
        pack(w.U, s.vocabulary, U.data());
        pack(w.P, R, P.data());
        pack(w.A, 3 * S, W.data());
        pack(w.D, S, &W[3 * S * H]);
        pack(w.V, s.vocabulary, &W[4 * S * H]);
    }
    void save(const StackWeights& w) const {
        unpack(U.data(), s.vocabulary, w.U);
        unpack(P.data(), R, w.P);
        unpack(W.data(), 3 * S, w.A);
        unpack(&W[3 * S * H], S, w.D);
        unpack(&W[4 * S * H], s.vocabulary, w.V);
    }
    // A sequence begins with empty stacks.
    void empty() { std::fill(stack.begin(), stack.end(), -1.0f); }

    // One step on symbol x; the probabilities of the next symbol are returned where they are wanted.
    const float* step(int64_t t, int64_t x, bool predicts) {
        float* ht = hidden(t);
        float* o = outputs(t);
        inputs[slot(t)] = x;
        for (int64_t j = 0; j < S; ++j) std::copy(cells(t - 1, j), cells(t - 1, j) + s.reads, &reads[j * s.reads]);
        std::copy(&U[x * H], &U[x * H] + H, ht);
        add_matrix(ht, P.data(), reads.data(), R);
        for (int64_t k = 0; k < H; k += L) store<L>(ht + k, sigmoid<L>(load<L>(ht + k)));
        std::fill(ht + s.hidden, ht + H, 0.0f);
        for (int64_t r = 0; r < (predicts ? O : 4 * S); ++r) o[r] = dot(&W[r * H], ht);
        for (int64_t j = 0; j < S; ++j) {
            softmax(o + j, 3, S);
            if (s.hard) harden(o + j);
            o[3 * S + j] = squashed(o[3 * S + j]);
            move(t, j, o[j], o[S + j], o[2 * S + j], o[3 * S + j]);
        }
        if (predicts) softmax(o + 4 * S, s.vocabulary, 1);
        return o + 4 * S;
    }

    // Go back from the errors of the last predicted symbols, which `dout` holds for steps first .. last, and move the
    // weights. Errors of stacks reach one cell deeper with each step back, and no cell is deeper than its step.
    void learn(int64_t first, int64_t last) {
        const int64_t begin = std::max<int64_t>(0, s.bptt ? last - s.bptt + 1 : 0);
        std::fill(dstack.begin(), dstack.end(), 0.0f);
        for (int64_t t = last; t >= begin; --t) {
            float *d = &dout[slot(t) * O], *e = &dh[slot(t) * H];
            std::fill(e, e + H, 0.0f);
            if (t >= first) add_matrix(e, &W[4 * S * H], d + 4 * S, s.vocabulary);
            const int64_t live = std::min(t + 1, s.reads + last - t);
            for (int64_t j = 0; j < S; ++j) move_back(t, j, live, d);
            dstack.swap(dnext);
            add_matrix(e, W.data(), d, 4 * S);
            const float* ht = hidden(t);
            bounded(e, 0, H);
            for (int64_t k = 0; k < H; k += L) {
                const F y = load<L>(ht + k);
                store<L>(e + k, load<L>(e + k) * y * (1.0f - y));
            }
            for (int64_t j = 0; j < S; ++j) {
                float* ds = errors(dstack, j);
                for (int64_t i = 0; i < s.reads; ++i) ds[i] += dot(&P[(j * s.reads + i) * H], e);
                bounded(ds, 0, std::min(live, t) + s.reads);
            }
        }
        update(first, begin, last);
    }

    // The error of a prediction, which `learn` goes back from.
    void blame(int64_t t, int64_t target) {
        const float* y = outputs(t) + 4 * S;
        float* d = &dout[slot(t) * O] + 4 * S;
        std::copy(y, y + s.vocabulary, d);
        d[target] -= 1.0f;
    }

  private:
    void harden(float* action) const {
        int64_t best = 0;
        for (int64_t a = 1; a < 3; ++a)
            if (action[a * S] > action[best * S]) best = a;
        for (int64_t a = 0; a < 3; ++a) action[a * S] = a == best;
    }

    void move(int64_t t, int64_t j, float push, float pop, float stay, float value) {
        float *before = cells(t - 1, j), *after = cells(t, j);
        before[-1] = value;  // what is pushed stands above the top
        for (int64_t i = 0; i <= t; i += L)
            store<L>(after + i,
                     push * load<L>(before + i - 1) + pop * load<L>(before + i + 1) + stay * load<L>(before + i));
    }

    // The errors of S_{t-1}, of the actions and of the pushed value, from those of S_t.
    void move_back(int64_t t, int64_t j, int64_t live, float* d) {
        const float *o = outputs(t), *before = cells(t - 1, j);
        const float push = o[j], pop = o[S + j], stay = o[2 * S + j], value = o[3 * S + j];
        float *now = errors(dstack, j), *then = errors(dnext, j);
        std::fill(now + live, now + padded(live) + 2 * L, 0.0f);
        now[-1] = 0.0f;
        F by_push{}, by_pop{}, by_stay{};
        for (int64_t i = 0; i < live; i += L) {
            const F e = load<L>(now + i);
            by_push += e * load<L>(before + i - 1);
            by_pop += e * load<L>(before + i + 1);
            by_stay += e * load<L>(before + i);
        }
        for (int64_t i = 0; i < live + 1; i += L)
            store<L>(then + i, push * load<L>(now + i + 1) + pop * load<L>(now + i - 1) + stay * load<L>(now + i));
        std::fill(then + padded(live + 1), then + padded(live + 1) + 2 * L, 0.0f);
        const float a = limited(total(by_push)), b = limited(total(by_pop)), c = limited(total(by_stay));
        const float mean = a * push + b * pop + c * stay;
        d[j] = push * (a - mean);
        d[S + j] = pop * (b - mean);
        d[2 * S + j] = stay * (c - mean);
        d[3 * S + j] = limited(now[0] * push * value * (1.0f - value));
    }
    float limited(float x) const { return std::min(s.clip, std::max(-s.clip, x)); }

    // Each weight moves against the sum over the steps begin .. last, in that order.
    void update(int64_t first, int64_t begin, int64_t last) {
        for (int64_t r = 0; r < O; ++r)  // by d_t[r] h_t
            add_rows(
                &W[r * H], -s.rate, r < 4 * S ? begin : std::max(first, begin), last + 1,
                [&](int64_t t) { return dout[slot(t) * O + r]; }, [&](int64_t t) { return &h[slot(t) * H]; });
        for (int64_t j = 0; j < S; ++j)
            for (int64_t i = 0; i < s.reads; ++i)  // by S_{t-1}[i] dh_t
                add_rows(
                    &P[(j * s.reads + i) * H], -s.rate, begin, last + 1,
                    [&](int64_t t) { return cells(t - 1, j)[i]; }, [&](int64_t t) { return &dh[slot(t) * H]; });
        for (int64_t t = begin; t <= last; ++t) {
            float* row = &U[inputs[slot(t)] * H];
            const float* e = &dh[slot(t) * H];
            for (int64_t k = 0; k < H; k += L) store<L>(row + k, load<L>(row + k) - s.rate * load<L>(e + k));
        }
    }
};

// Reads each row of `symbols` (sequences, longest) up to its length, predicting every symbol from `firsts` on, and learns
// from it. `losses` are sums of -ln p over the predicted symbols, `rights` counts those that were the likeliest.
inline void stack_train(const StackShape& s, const StackWeights& w, const int64_t* symbols, const int64_t* lengths,
                        const int64_t* firsts, float* losses, int64_t* rights) {
    const FlushDenormals flush;
    StackRNN net(s, w, s.longest, s.longest);
    for (int64_t q = 0; q < s.sequences; ++q) {
        const int64_t* x = symbols + q * s.longest;
        net.empty();
        losses[q] = 0;
        rights[q] = 0;
        int64_t waiting = 0;  // predicted symbols since the last update
        for (int64_t t = 0; t + 1 < lengths[q]; ++t) {
            const bool predicts = t + 1 >= firsts[q];
            const float* y = net.step(t, x[t], predicts);
            if (!predicts) continue;
            losses[q] -= std::log(std::max(y[x[t + 1]], 1e-30f));
            rights[q] += std::max_element(y, y + s.vocabulary) == y + x[t + 1];
            if (s.rate == 0) continue;
            net.blame(t, x[t + 1]);
            if (++waiting == s.every || t + 2 == lengths[q]) {
                net.learn(t - waiting + 1, t);
                waiting = 0;
            }
        }
    }
    net.save(w);
}

// Reads each question, then feeds its own likeliest symbol back until it is 0 or `most` symbols are written. The row of
// `answers` (sequences, most) holds them, and 0 after the end.
inline void stack_answer(const StackShape& s, const StackWeights& w, const int64_t* questions, const int64_t* lengths,
                         int64_t most, int64_t* answers) {
    const FlushDenormals flush;
    StackRNN net(s, w, 1, s.longest + most);
    for (int64_t q = 0; q < s.sequences; ++q) {
        net.empty();
        int64_t* answer = answers + q * most;
        std::fill(answer, answer + most, 0);
        int64_t x = 0;
        for (int64_t t = 0; t < lengths[q] + most - 1; ++t) {
            const int64_t written = t + 1 - lengths[q];
            const float* y = net.step(t, t < lengths[q] ? questions[q * s.longest + t] : x, written >= 0);
            if (written < 0) continue;
            answer[written] = x = std::max_element(y, y + s.choices) - y;
            if (x == 0) break;
        }
    }
}

}  // namespace ngpu
