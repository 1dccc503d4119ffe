// SPDX-License-Identifier: GPL-3.0-or-later
// Files as memory: the weights of large models are not copied. Only for .cpp files of this folder.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

namespace mitos::onnx {

/// A file, mapped into memory: what nobody reads costs nothing. Its bytes are what the file holds at the time: whoever
/// overwrites it in place changes them, and reading what somebody cut off ends the program (SIGBUS). So ask check() before
/// reading; a file that is cut off in the very moment is still not survived. One that is replaced (renamed over) stays as
/// it was.
class MappedFile {
public:
    /// Errors: a file that cannot be opened or mapped, or is none (a folder, a device).
    static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& path);
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();
    [[nodiscard]] std::span<const std::byte> bytes() const { return m_bytes; }
    /// Errors: the file is shorter than it was when it was opened.
    [[nodiscard]] Status check() const;

private:
    MappedFile(std::filesystem::path path, int file) : m_path(std::move(path)), m_file(file) {}

    std::filesystem::path m_path;
    int m_file = -1;
    std::span<const std::byte> m_bytes;
};

}  // namespace mitos::onnx
