// Threads that wait for the next call, and a barrier between those that share one sequence.
#pragma once
#include <pthread.h>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#include "vec.h"

namespace ngpu {

// Returns when `done` says so. Spins first, since what is waited for takes microseconds, then yields, so that a busy
// machine is not made busier.
template <class Done> INLINE void spin_until(const Done& done) {
    for (int spins = 0; !done(); ++spins)
        if (spins > 4096) std::this_thread::yield();
}

// A thread that runs one job after the other and sleeps in between. To wake it takes a third of the time that a new
// thread takes.
class Worker {
    std::mutex mutex;
    std::condition_variable wake;
    void (*job)(void* of, int k) = nullptr;
    void* of = nullptr;
    int k = 0;
    std::atomic<bool> busy{false};

    void live() {
        std::unique_lock<std::mutex> lock(mutex);
        while (true) {
            wake.wait(lock, [&] { return busy.load(std::memory_order_relaxed); });
            job(of, k);
            busy.store(false, std::memory_order_release);
        }
    }

  public:
    Worker() { std::thread(&Worker::live, this).detach(); }
    void start(void (*next_job)(void*, int), void* next_of, int next_k) {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            job = next_job, of = next_of, k = next_k;
            busy.store(true, std::memory_order_relaxed);
        }
        wake.notify_one();
    }
    bool idle() const { return !busy.load(std::memory_order_acquire); }
};

// The workers that no call has at the moment. They are never destroyed, and a forked process begins without any.
class Pool {
    std::mutex mutex;
    std::vector<Worker*> idle;
    size_t all = 0;

    static Pool*& current() {
        static Pool* pool = [] {
            pthread_atfork(nullptr, nullptr, [] { current() = new Pool; });
            return new Pool;
        }();
        return pool;
    }

  public:
    static Pool& get() { return *current(); }
    void lend(size_t count, std::vector<Worker*>& workers) {
        workers.reserve(count);
        const std::lock_guard<std::mutex> lock(mutex);
        for (; workers.size() < count && !idle.empty(); idle.pop_back()) workers.push_back(idle.back());
        for (; workers.size() < count; ++all) {
            idle.reserve(all + 1);  // so that taking them back needs no memory
            workers.push_back(new Worker);
        }
    }
    void take_back(const std::vector<Worker*>& workers) {
        const std::lock_guard<std::mutex> lock(mutex);
        idle.insert(idle.end(), workers.begin(), workers.end());
    }
};

// Runs work(0) .. work(count - 1) at once, with denormals flushed; rethrows the first failure. None starts before all
// threads exist, since the members of a team wait for each other.
template <class Work> void parallel(int count, const Work& work) {
    struct Call {
        const Work& work;
        std::vector<std::exception_ptr> failures;
        std::vector<Worker*> workers;
        ~Call() { Pool::get().take_back(workers); }
    } call{work, std::vector<std::exception_ptr>(count), {}};
    Pool::get().lend(count - 1, call.workers);
    // One function for all threads, so that the compiler has the work in one place.
    void (*const job)(void*, int) = [](void* of, int k) {
        Call& mine = *static_cast<Call*>(of);
        FlushDenormals flush;
        try {
            mine.work(k);
        } catch (...) {
            mine.failures[k] = std::current_exception();
        }
    };
    for (int k = 1; k < count; ++k) call.workers[k - 1]->start(job, &call, k);
    job(&call, 0);
    for (const Worker* worker : call.workers) spin_until([&] { return worker->idle(); });
    for (const std::exception_ptr& failure : call.failures)
        if (failure) std::rethrow_exception(failure);
}

// The members of a team meet here between the phases of a step.
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
        spin_until([&] { return round.load(std::memory_order_acquire) != now; });
    }
};

// Phases of equal parts, which threads take as they become free: a phase begins when all parts of the one before are done,
// whoever did them. A thread that waits for its turn on a busy core holds nobody up unless it is in the middle of a part.
class Phases {
    const int64_t parts;
    std::atomic<int64_t> taken{0};
    std::atomic<int64_t> done{0};

  public:
    explicit Phases(int64_t parts) : parts(parts) {}
    // Calls work(part) for the parts of a phase that this thread takes, and returns when all of them are done.
    template <class Work> void run(int64_t phase, const Work& work) {
        const int64_t end = (phase + 1) * parts;
        for (int64_t next = taken.load(std::memory_order_relaxed); next < end;)
            if (taken.compare_exchange_weak(next, next + 1, std::memory_order_relaxed)) {
                work(next - phase * parts);
                done.fetch_add(1, std::memory_order_release);
                next = taken.load(std::memory_order_relaxed);
            }
        spin_until([&] { return done.load(std::memory_order_acquire) >= end; });
    }
};

}  // namespace ngpu
