// The C symbols of the library; engine/library.py calls them. Each returns 0, 1 when memory ran out, or 2 when the system
// gave no thread.
#include <system_error>
#include "advance.h"
#include "diagonal.h"
#include "sparse.h"
#include "stack_rnn.h"

using ngpu::Shape;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// Lanes of a vector. The AVX-512 library runs maps that do not fill its vectors with those of AVX2 and 32 registers.
#if defined(__AVX512F__)
#define WITH_LANES(m, divisor, call)           \
    if ((m) % (16 * (divisor)) == 0) {         \
        constexpr int V = 16;                  \
        call;                                  \
    } else {                                   \
        constexpr int V = 8;                   \
        call;                                  \
    }
#elif defined(__AVX2__)
#define WITH_LANES(m, divisor, call) \
    {                                \
        constexpr int V = 8;         \
        call;                        \
    }
#else
#define WITH_LANES(m, divisor, call) \
    {                                \
        constexpr int V = 4;         \
        call;                        \
    }
#endif

template <class Work> int guarded(const Work& work) {
    try {
        work();
        return 0;
    } catch (const std::system_error&) {
        return 2;
    } catch (...) {
        return 1;
    }
}

}  // namespace

// The best instruction set of this machine that the package may hold a library for.
EXPORT const char* ngpu_instruction_set() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    // All that setup.py lets the compiler use for a library.
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return "baseline";
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512dq");
    return avx512 ? "avx512" : "avx2";
#elif defined(__aarch64__)
    return "neon";
#else
    return "baseline";
#endif
}

// Floats that a forward pass writes down for the backward pass of the same shape; -1 for more than any memory holds.
EXPORT int64_t ngpu_kept_floats(const Shape* s) {
    int64_t count = -1;
    guarded([&] {
        if (s->sparse)
            WITH_LANES(s->m, 3, count = ngpu::sparse_kept_floats<V>(*s))
        else
            count = ngpu::kept_floats(*s);
    });
    return count;
}

EXPORT int ngpu_cgru_forward(const Shape* s, const float* s0, const float* U, const float* B, float* out,
                             float* kept) {
    return guarded([=] { WITH_LANES(s->m, 1, ngpu::cgru_forward<V>(*s, s0, U, B, out, kept)) });
}

EXPORT int ngpu_cgru_backward(const Shape* s, const float* U, float* kept, const float* dout, float* ds0, float* dU,
                              float* dB) {
    return guarded([=] { WITH_LANES(s->m, 1, ngpu::cgru_backward<V>(*s, U, kept, dout, ds0, dU, dB)) });
}

// The state alone, of a network in use: Shape's dropout is none.
EXPORT int ngpu_cgru_advance(const Shape* s, const float* s0, const float* U, const float* B, float* out) {
    return guarded([=] { WITH_LANES(s->m, 1, ngpu::cgru_advance<V>(*s, s0, U, B, out)) });
}

// The thirds of a Diagonal cell's maps are moved as whole vectors.
EXPORT int ngpu_diagonal_forward(const Shape* s, const float* s0, const float* U, const float* B, float* out,
                                 float* cost, float* kept) {
    return guarded([=] {
        WITH_LANES(s->m, 3,
                   (s->sparse ? ngpu::sparse_forward<V> : ngpu::diagonal_forward<V>)(*s, s0, U, B, out, cost, kept))
    });
}

EXPORT int ngpu_diagonal_backward(const Shape* s, const float* U, float* kept, const float* dout, const float* dcost,
                                  float* ds0, float* dU, float* dB) {
    return guarded([=] {
        WITH_LANES(s->m, 3,
                   (s->sparse ? ngpu::sparse_backward<V> : ngpu::diagonal_backward<V>)(*s, U, kept, dout, dcost, ds0, dU,
                                                                                       dB))
    });
}

EXPORT int ngpu_stack_train(const ngpu::StackShape* s, float* U, float* P, float* A, float* D, float* V,
                            const int64_t* symbols, const int64_t* lengths, const int64_t* firsts, float* losses,
                            int64_t* rights) {
    return guarded([=] { ngpu::stack_train(*s, {U, P, A, D, V}, symbols, lengths, firsts, losses, rights); });
}

EXPORT int ngpu_stack_answer(const ngpu::StackShape* s, float* U, float* P, float* A, float* D, float* V,
                             const int64_t* questions, const int64_t* lengths, int64_t most, int64_t* answers) {
    return guarded([=] { ngpu::stack_answer(*s, {U, P, A, D, V}, questions, lengths, most, answers); });
}
