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
    const std::shared_ptr<MappedFile> result(new MappedFile(path, file));  // closes it
    struct stat status = {};
    if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        return onnxError(ErrorCode::Io, fmt::format("{} is no file of weights", path.string()));
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const data = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED) return failed();
    result->m_bytes = {static_cast<const std::byte*>(data), size};
    return std::shared_ptr<const MappedFile>(result);
}

Status MappedFile::check() const {
    struct stat status = {};
    if (::fstat(m_file, &status) == 0 && std::cmp_greater_equal(status.st_size, m_bytes.size())) return Success{};
    return onnxError(ErrorCode::Io, fmt::format("{} has become shorter since it was opened", m_path.string()),
                     "open the model again");
}

MappedFile::~MappedFile() {
    if (!m_bytes.empty()) ::munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
    ::close(m_file);
}

}  // namespace mitos::onnx
