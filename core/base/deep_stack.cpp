// SPDX-License-Identifier: GPL-3.0-or-later
// Runs work on a helper thread with a large stack, whose pages are only committed when they are touched.
#include "core/base/deep_stack.h"

#include <exception>
#include <new>
#include <pthread.h>

namespace mitos {

namespace {

constexpr std::size_t FewLevels = 300;
/// Frames are several times larger with sanitizers than in a release build.
constexpr std::size_t BytesPerLevel = 32U << 10U;

/// The work of the helper thread, and the exception it ended with, if any.
struct Job {
    absl::FunctionRef<void()> work;
    std::exception_ptr failure = nullptr;
};

void* runJob(void* given) {
    Job& job = *static_cast<Job*>(given);
    try {
        job.work();
    } catch (...) {
        job.failure = std::current_exception();  // rethrown in the waiting thread
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
    // On the present stack the work would end in a segmentation fault.
    if (!started) throw std::bad_alloc();
    pthread_join(thread, nullptr);
    if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace mitos
