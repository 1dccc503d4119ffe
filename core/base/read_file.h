// SPDX-License-Identifier: GPL-3.0-or-later
// Opens every file that Mitos reads, so that no name makes a program wait. readSourceFile (source_text.h) reads texts.
#pragma once

#include "core/base/result.h"

#include <fstream>
#include <string>
#include <string_view>

namespace mitos {

/// Opens a file for reading. Links are followed. Fails with Io if the path names no regular file: opening a pipe would wait for its
/// other end, and a device may have no end. Descriptors of this process (/dev/stdin, /dev/fd/N), which a shell uses for input that it
/// makes itself, may be pipes.
[[nodiscard]] Result<std::ifstream> openFile(const std::string& path);

/// Whether the path names standard input ("-", as readSourceFile() takes it) or a descriptor of this process. Such names have a meaning
/// only where the user gives them: a file that contains one must not make another process wait for its input.
[[nodiscard]] bool isDescriptorName(std::string_view path);

}  // namespace mitos
