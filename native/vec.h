// Vectors of V floats by the compiler's vector extensions, and the functions of one vector that the cells use.
#pragma once
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define INLINE inline __attribute__((always_inline))

namespace ngpu {

template <int V> struct Lanes {
    typedef float f __attribute__((vector_size(V * 4)));
    typedef int32_t i __attribute__((vector_size(V * 4)));
    typedef uint32_t u __attribute__((vector_size(V * 4)));
    // The same vector at any address: tensors of the caller are only float-aligned.
    typedef float fu __attribute__((vector_size(V * 4), aligned(4), may_alias));
};
template <int V> using vf = typename Lanes<V>::f;
template <int V> using vi = typename Lanes<V>::i;
template <int V> using vu = typename Lanes<V>::u;

template <int V> INLINE vf<V> load(const float* p) { return *(const typename Lanes<V>::fu*)p; }
template <int V> INLINE void store(float* p, vf<V> x) { *(typename Lanes<V>::fu*)p = x; }
// x - 0 is x for every x, so this is a plain broadcast; 0 + x would cost an addition.
template <int V> INLINE vf<V> splat(float x) { return x - vf<V>{}; }
// The lesser and the greater, b where either is NaN: that is the machine's own rule, which compilers do not find in the
// plain comparison.
template <int V> INLINE vf<V> least(vf<V> a, vf<V> b) {
#if defined(__AVX__)
    if constexpr (V == 8) return (vf<V>)_mm256_min_ps((__m256)a, (__m256)b);
#endif
#if defined(__SSE2__)
    if constexpr (V == 4) return (vf<V>)_mm_min_ps((__m128)a, (__m128)b);
#endif
    return a < b ? a : b;
}
template <int V> INLINE vf<V> greatest(vf<V> a, vf<V> b) {
#if defined(__AVX__)
    if constexpr (V == 8) return (vf<V>)_mm256_max_ps((__m256)a, (__m256)b);
#endif
#if defined(__SSE2__)
    if constexpr (V == 4) return (vf<V>)_mm_max_ps((__m128)a, (__m128)b);
#endif
    return a > b ? a : b;
}
// NaN stays NaN, so that a run that diverges shows it.
template <int V> INLINE vf<V> clip(vf<V> x, float low, float high) {
    return least<V>(splat<V>(high), greatest<V>(splat<V>(low), x));
}
template <int V> INLINE float sum(vf<V> x) {
    float s = 0;
    for (int k = 0; k < V; ++k) s += x[k];
    return s;
}

// 2^y = power * (1 + grown), with power = 2^k, k the nearest integer, and grown by the series of e^(f ln 2) - 1 to f^6,
// whose error on |f| <= 1/2 is about one ulp. Keeping the 1 apart preserves tanh of small numbers.
template <int V> INLINE void split_exp2(vf<V> y, vf<V>& grown, vf<V>& power) {
    const float shifter = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer held in the low bits
    const vf<V> shifted = y + shifter, f = y - (shifted - shifter), ff = f * f;
    // (ln 2)^k / k!, paired so that the additions do not wait for each other
    const vf<V> low = 0.240226507f + f * 0.0555041087f, high = 0.00961812911f + f * 0.00133335581f;
    grown = f * 0.693147181f + ff * (low + ff * (high + ff * 0.000154035304f));
    power = (vf<V>)(((vi<V>)shifted + (127 - 0x4b400000)) << 23);
}

template <int V> INLINE vf<V> sigmoid(vf<V> x) {
    vf<V> grown, power;
    split_exp2<V>(clip<V>(x * -1.44269504f, -120.0f, 120.0f), grown, power);  // e^-x = 2^(-x / ln 2)
    return 1.0f / (power * grown + (power + 1.0f));
}

template <int V> INLINE vf<V> tanh(vf<V> x) {
    vf<V> grown, power;
    split_exp2<V>(clip<V>(x * 2.88539008f, -40.0f, 40.0f), grown, power);
    const vf<V> e = power * grown + (power - 1.0f);  // e^2x - 1
    return e / (e + 2.0f);
}

// A gate of the CGRU: sigma(x), or with cutoff max(0, min(1, 1.2 sigma(x) - 0.1)).
template <int V> INLINE vf<V> gate(vf<V> x, bool cutoff) {
    const vf<V> y = sigmoid<V>(x);
    return cutoff ? clip<V>(1.2f * y - 0.1f, 0.0f, 1.0f) : y;
}

// The gate's slope from its value: a gate held at 0 or 1 by the cutoff has none.
template <int V> INLINE vf<V> gate_slope(vf<V> g, bool cutoff) {
    if (!cutoff) return g * (1.0f - g);
    const vf<V> y = (g + 0.1f) * (1.0f / 1.2f);
    return (g > 0.0f) & (g < 1.0f) ? 1.2f * y * (1.0f - y) : vf<V>{};
}

// Decaying states end in denormals, which x86 adds and multiplies a hundred times slower: while one of these lives,
// its thread takes them as zero.
class FlushDenormals {
#if defined(__SSE2__)
    unsigned before = _mm_getcsr();

  public:
    FlushDenormals() { _mm_setcsr(before | 0x8040); }  // FTZ | DAZ
    ~FlushDenormals() { _mm_setcsr(before); }
#elif defined(__aarch64__)
    uint64_t before;

  public:
    FlushDenormals() {
        asm volatile("mrs %0, fpcr" : "=r"(before));
        asm volatile("msr fpcr, %0" ::"r"(before | (1ull << 24)));
    }
    ~FlushDenormals() { asm volatile("msr fpcr, %0" ::"r"(before)); }
#else
  public:
    FlushDenormals() {}
    ~FlushDenormals() {}
#endif
    FlushDenormals(const FlushDenormals&) = delete;
};

}  // namespace ngpu
