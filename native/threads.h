// Threads that live for one call, and a barrier between those that share one sequence.
#pragma once
#include <atomic>
#include <exception>
#include <thread>
#include <vector>
#include "vec.h"

namespace ngpu {

// Runs work(0) .. work(count - 1) at once, with denormals flushed; rethrows the first failure. None starts before all
// threads exist, since the members of a team wait for each other.
template <class Work> void parallel(int count, const Work& work) {
    std::vector<std::exception_ptr> failures(count);
    std::atomic<int> start{0};  // 1: go, -1: give up
    auto guarded = [&](int k) {
        while (start.load(std::memory_order_acquire) == 0) std::this_thread::yield();
        if (start.load(std::memory_order_acquire) < 0) return;
        FlushDenormals flush;
        try {
            work(k);
        } catch (...) {
            failures[k] = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    try {
        for (int k = 1; k < count; ++k) threads.emplace_back(guarded, k);
        start.store(1, std::memory_order_release);
    } catch (...) {
        failures[0] = std::current_exception();
        start.store(-1, std::memory_order_release);
    }
    if (!failures[0]) guarded(0);
    for (auto& t : threads) t.join();
    for (auto& f : failures)
        if (f) std::rethrow_exception(f);
}

// The members of a team meet here between the phases of a step. Spins first: a phase lasts microseconds; then yields,
// so that a busy machine is not made busier.
class Barrier {
    const int members;
    std::atomic<int> waiting{0};
    std::atomic<int> round{0};

  public:
    explicit Barrier(int members) : members(members) {}
    void meet() {
        if (members == 1) return;
        const int now = round.load(std::memory_order_acquire);
        if (waiting.fetch_add(1, std::memory_order_acq_rel) + 1 == members) {
            waiting.store(0, std::memory_order_relaxed);
            round.store(now + 1, std::memory_order_release);
            return;
        }
        for (int spins = 0; round.load(std::memory_order_acquire) == now; ++spins)
            if (spins > 4096) std::this_thread::yield();
    }
};

}  // namespace ngpu
