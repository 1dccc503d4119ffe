// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/loaded_module.h"

#include "core/base/process_identity.h"

#include <fmt/format.h>

#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace mitos {

namespace {

Error notLoaded(std::string why) { return {ErrorCode::Unsupported, std::move(why)}; }

}  // namespace

Result<const void*> loadModule(const ModuleInfo& info) {
    const bool isPath = info.file.find('/') != std::string_view::npos;
    const std::string path = isPath ? std::string(info.file) : besideThisProgram(info.file);
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown)) {
        if (isPath) return notLoaded(fmt::format("there is no {}", path));
        return notLoaded(
            fmt::format("there is no {} beside this program: it was built without {}", info.file, info.library));
    }
    void* const module = ::dlopen(path.c_str(), RTLD_NOW | (info.hasGlobalNames ? RTLD_GLOBAL : RTLD_LOCAL));
    if (module == nullptr) {
        const char* const why = ::dlerror();
        return notLoaded(fmt::format("{} cannot be loaded ({})", info.library, why != nullptr ? why : "unknown"));
    }
    const auto get = reinterpret_cast<const void* (*)()>(::dlsym(module, info.function));
    const void* const found = get != nullptr ? get() : nullptr;
    std::uint32_t version = 0;
    if (found != nullptr) std::memcpy(&version, found, sizeof version);
    if (found == nullptr || version != info.version)
        return notLoaded(fmt::format("{} belongs to another version of this program", path));
    return found;
}

}  // namespace mitos
