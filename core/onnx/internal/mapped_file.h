// SPDX-License-Identifier: GPL-3.0-or-later
// Maps files into memory, so that the weights of large models are not copied. Only for .cpp files of this folder.
#pragma once

#include "core/base/result.h"

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

namespace mitos::onnx {

/// A file mapped into memory; unread parts cost nothing. Its bytes follow the file: overwriting it in place
/// changes them, and reading bytes beyond a truncation ends the program (SIGBUS). So call check() before
/// reading; a truncation during the read, or under another name, still ends the program. A file that is replaced
/// (renamed over) or removed stays as it was. No descriptor is kept: a model may have thousands of files.
class MappedFile {
public:
    /// Fails if the file cannot be opened or mapped, or is not a regular one (a folder, a device, a pipe).
    static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& path);
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();
    [[nodiscard]] std::span<const std::byte> bytes() const { return m_bytes; }
    /// Fails if the file is shorter than it was when it was opened.
    [[nodiscard]] Status check() const;

private:
    explicit MappedFile(std::filesystem::path path) : m_path(std::move(path)) {}

    std::filesystem::path m_path;
    dev_t m_device = 0;
    ino_t m_inode = 0;
    std::span<const std::byte> m_bytes;
};

}  // namespace mitos::onnx
