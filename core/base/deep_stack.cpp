// SPDX-License-Identifier: GPL-3.0-or-later
// A helper thread with a large stack; its pages are only committed when they are touched.
#include "core/base/deep_stack.h"

#include <pthread.h>

namespace mitos {

namespace {

constexpr std::size_t FewLevels = 300;
/// Sanitizers make frames several times as large as they are in a release build.
constexpr std::size_t BytesPerLevel = 32U << 10U;

void* run(void* work) {
    (*static_cast<absl::FunctionRef<void()>*>(work))();
    return nullptr;
}

}  // namespace

void withDeepStack(std::size_t levels, absl::FunctionRef<void()> work) {
    if (levels > FewLevels) {
        pthread_attr_t attributes;
        pthread_t thread{};
        pthread_attr_init(&attributes);
        const bool started = pthread_attr_setstacksize(&attributes, levels * BytesPerLevel) == 0 &&
                             pthread_create(&thread, &attributes, run, &work) == 0;
        pthread_attr_destroy(&attributes);
        if (started) {
            pthread_join(thread, nullptr);
            return;
        }
    }
    work();
}

}  // namespace mitos
