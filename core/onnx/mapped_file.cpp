// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/mapped_file.h"

#include "core/onnx/proto.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace mitos::onnx {

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path) {
    const auto failed = [&path] {
        return onnxError(ErrorCode::Io, fmt::format("{} cannot be read: {}", path.string(), std::strerror(errno)));
    };
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return failed();
    struct stat status = {};
    if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(file);
        return onnxError(ErrorCode::Io, fmt::format("{} is no file of weights", path.string()));
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const data = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    const bool isMapped = data != MAP_FAILED;
    Result<std::shared_ptr<const MappedFile>> result = failed();
    ::close(file);
    if (!isMapped) return result;
    return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const std::byte*>(data), size}));
}

MappedFile::~MappedFile() {
    if (!m_bytes.empty()) ::munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
}

}  // namespace mitos::onnx
