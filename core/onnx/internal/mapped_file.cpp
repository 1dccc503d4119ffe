// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/mapped_file.h"

#include "core/onnx/internal/proto.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace mitos::onnx {

namespace {

/// A descriptor that is open only while the file is mapped.
class Descriptor {
public:
    explicit Descriptor(int number) : m_number(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (m_number >= 0) ::close(m_number);
    }
    [[nodiscard]] int number() const { return m_number; }

private:
    int m_number;
};

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path) {
    const auto failed = [&path] {
        return onnxError(ErrorCode::Io, fmt::format("{} cannot be read: {}", path.string(), std::strerror(errno)));
    };
    // Opening a pipe must not block, as its other end may never be opened.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.number() < 0) return failed();
    struct stat status = {};
    if (::fstat(file.number(), &status) != 0) return failed();
    if (!S_ISREG(status.st_mode)) {
        return onnxError(ErrorCode::Io, fmt::format("{} is not a file of weights", path.string()));
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const data = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (data == MAP_FAILED) return failed();
    const std::shared_ptr<MappedFile> result(new MappedFile(std::filesystem::absolute(path)));
    result->m_bytes = {static_cast<const std::byte*>(data), size};
    result->m_device = status.st_dev;
    result->m_inode = status.st_ino;
    return std::shared_ptr<const MappedFile>(result);
}

Status MappedFile::check() const {
    struct stat status = {};
    // If the file was removed or replaced, the mapping still refers to the old one.
    if (::stat(m_path.c_str(), &status) != 0) return Success{};
    const bool isThat = status.st_dev == m_device && status.st_ino == m_inode;
    if (!isThat || std::cmp_greater_equal(status.st_size, m_bytes.size())) return Success{};
    return onnxError(ErrorCode::Io, fmt::format("{} has become shorter since it was opened", m_path.string()),
                     "open the model again");
}

MappedFile::~MappedFile() {
    if (!m_bytes.empty()) ::munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
}

}  // namespace mitos::onnx
