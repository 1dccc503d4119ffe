// SPDX-License-Identifier: GPL-3.0-or-later
// The function that mitos-learned.so exports.
#include "search/learned/learned_module.h"

#include "search/learned/torch/gated_network.h"
#include "search/learned/torch/message_network.h"
#include "search/learned/torch/sequence_network.h"

#include <torch/version.h>

#include <dlfcn.h>
#include <exception>

namespace mitos::search::learned {

namespace {

/// OpenBLAS, which LibTorch may use, has threads beside those of at::set_num_threads(). They wait for each other without sleeping: small networks take
/// ten times as long with them, on a busy machine much longer. Its function is looked for, as another BLAS has none of that name.
void keepBlasToOneThread() {
    using SetThreads = void (*)(int);
    if (void* const found = ::dlsym(RTLD_DEFAULT, "openblas_set_num_threads")) reinterpret_cast<SetThreads>(found)(1);
}

const char* libraryVersion() { return TORCH_VERSION; }

GraphNetwork* makeGraphNetwork(const NetworkShape& shape) {
    try {
        switch (shape.kind) {
            case NetworkKind::Graph: return new MessageNetwork(shape);
            case NetworkKind::Sequence: return new SequenceNetwork(shape);
            case NetworkKind::Gated: return new GatedNetwork(shape);
        }
    } catch (const std::exception&) {
        return nullptr;
    }
    return nullptr;
}

}  // namespace

}  // namespace mitos::search::learned

extern "C" const void* mitosLearnedModule();
extern "C" const void* mitosLearnedModule() {
    using namespace mitos::search::learned;
    keepBlasToOneThread();
    static const LearnedModule module{.libraryVersion = libraryVersion, .makeGraphNetwork = makeGraphNetwork};
    return &module;
}
