// SPDX-License-Identifier: GPL-3.0-or-later
// The function that mitos-learned.so exports.
#include "search/learned/learned_module.h"

#include "search/learned/torch/gated_network.h"
#include "search/learned/torch/message_network.h"
#include "search/learned/torch/sequence_network.h"

#include <torch/version.h>

#include <exception>

namespace mitos::search::learned {

namespace {

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
    static const LearnedModule module{.libraryVersion = libraryVersion, .makeGraphNetwork = makeGraphNetwork};
    return &module;
}
