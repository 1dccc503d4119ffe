// SPDX-License-Identifier: GPL-3.0-or-later
// Shared libraries of this project that are loaded when they are first needed, so that programs do not link what these need.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mitos {

/// A library by its file, and the one function that it exports, without a C++ name: it returns a pointer to a structure whose first
/// member is the version of that structure, a std::uint32_t.
struct ModuleInfo {
    std::string_view file;           ///< in the folder of the program, or a path with a slash
    std::string_view library;        ///< the library from elsewhere that it needs, as people call it: "MPI"
    const char* function = nullptr;  ///< the name of the exported function
    std::uint32_t version = 0;       ///< that the caller knows; loadModuleAs sets it
    bool hasGlobalNames = false;     ///< whether libraries that are loaded later see its symbols
};

/// Loads the library and returns the structure, which stays valid: it is never unloaded. Fails with Unsupported if the file is not there
/// or cannot be loaded, and if it belongs to another version; the message is a clause in lower case without a hint.
[[nodiscard]] Result<const void*> loadModule(const ModuleInfo& info);

/// The same with the type of the structure, which has `version` and a constant `CurrentVersion`.
template <typename Interface>
[[nodiscard]] Result<const Interface*> loadModuleAs(ModuleInfo info) {
    info.version = Interface::CurrentVersion;
    return loadModule(info).map([](const void* found) { return static_cast<const Interface*>(found); });
}

}  // namespace mitos
