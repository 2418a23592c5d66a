// Dropout from a counter, not a stream: whether a number is kept is a hash of (seed, example, step, element), so the
// backward pass and the reference (engine/dropout.py, which must agree) can ask again in any order.
#pragma once
#include "vec.h"

namespace ngpu {

struct Dropout {
    uint32_t threshold = 0;  // rate * 2^32; an element is dropped when its hash is below
    float scale = 1;         // 1 / (1 - rate)
    uint64_t seed = 0;
};

INLINE uint64_t mix64(uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

template <class T> INLINE T mix32(T x) {
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

// The factors (0 or scale) of the elements of one example at one step.
template <int V> struct DropoutRow {
    vu<V> low, high, lane;
    uint32_t threshold;
    float scale;

    explicit DropoutRow(const Dropout& d = {}, int64_t example = 0, int64_t step = 0)
        : threshold(d.threshold), scale(d.scale) {
        const uint64_t key = mix64(mix64(mix64(d.seed) + (uint64_t)example) + (uint64_t)step);
        low = vu<V>{} + (uint32_t)key;
        high = vu<V>{} + (uint32_t)(key >> 32);
        for (int k = 0; k < V; ++k) lane[k] = (uint32_t)k;
    }
    // Uniform in [-1, 1), from the same key with its halves exchanged.
    INLINE vf<V> noise(int64_t element) const {
        const vu<V> hash = mix32<vu<V>>(mix32<vu<V>>((lane + (uint32_t)element) ^ high) ^ low);
        return __builtin_convertvector((vi<V>)(hash >> 8), vf<V>) * (1.0f / 8388608.0f) - 1.0f;
    }
    INLINE vf<V> factors(int64_t element) const {
        const vu<V> hash = mix32<vu<V>>(mix32<vu<V>>((lane + (uint32_t)element) ^ low) ^ high);
        return hash < threshold ? vf<V>{} : splat<V>(scale);
    }
};

}  // namespace ngpu
