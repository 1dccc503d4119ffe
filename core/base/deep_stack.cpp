// SPDX-License-Identifier: GPL-3.0-or-later
// A helper thread with a large stack; its pages are only committed when they are touched.
#include "core/base/deep_stack.h"

#include <exception>
#include <new>
#include <pthread.h>

namespace mitos {

namespace {

constexpr std::size_t FewLevels = 300;
/// Sanitizers make frames several times as large as they are in a release build.
constexpr std::size_t BytesPerLevel = 32U << 10U;

/// What the helper thread runs, and how it ended.
struct Job {
    absl::FunctionRef<void()> work;
    std::exception_ptr failure = nullptr;
};

void* runJob(void* given) {
    Job& job = *static_cast<Job*>(given);
    try {
        job.work();
    } catch (...) {
        job.failure = std::current_exception();  // goes on in the thread that waits
    }
    return nullptr;
}

}  // namespace

void withDeepStack(std::size_t levels, absl::FunctionRef<void()> work) {
    if (levels <= FewLevels) return work();
    Job job{work};
    pthread_attr_t attributes;
    pthread_t thread{};
    pthread_attr_init(&attributes);
    const bool started = pthread_attr_setstacksize(&attributes, levels * BytesPerLevel) == 0 &&
                         pthread_create(&thread, &attributes, runJob, &job) == 0;
    pthread_attr_destroy(&attributes);
    // On the stack at hand the work would end in a segmentation fault.
    if (!started) throw std::bad_alloc();
    pthread_join(thread, nullptr);
    if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace mitos
