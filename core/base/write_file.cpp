// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a temporary file, syncs it, renames it and syncs the folder.
#include "core/base/write_file.h"

#include "core/base/printable.h"
#include "core/base/process_identity.h"
#include "core/base/source_text.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <ostream>
#include <streambuf>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace mitos {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view UnfinishedSuffix = ".part";
constexpr mode_t AllMayReadAndWrite = 0666;  // before the user's umask is applied

Error writeError(const std::string& path, std::string message, std::string hint) {
    return Error{ErrorCode::Io, fmt::format("{}: {}", path == "-" ? "standard output" : path, message), std::nullopt,
                 std::move(hint)};
}

Error cannotWrite(const std::string& path, int why) {
    return writeError(path, fmt::format("cannot be written ({})", std::strerror(why)),
                      "check that the folder exists and is writable");
}

/// Whether the path denotes a descriptor or a device, whatever it leads to.
bool isDeviceName(const fs::path& path) {
    const fs::path folder = path.parent_path();
    return folder == "/dev" || folder == "/dev/fd" || (path.is_absolute() && path.string().starts_with("/proc/"));
}

/// Whether the path is a link of another user in a shared folder. Linux makes this check when it opens files
/// (fs.protected_symlinks), but a rename would bypass it.
bool isForeignLink(const fs::path& link) {
    struct stat own {};
    struct stat folder {};
    const fs::path parent = link.has_parent_path() ? link.parent_path() : fs::path(".");
    if (::lstat(link.c_str(), &own) != 0 || ::stat(parent.c_str(), &folder) != 0) return false;
    constexpr mode_t Shared = S_ISVTX | S_IWOTH;
    return (folder.st_mode & Shared) == Shared && own.st_uid != ::geteuid() && own.st_uid != folder.st_uid;
}

/// The target of links, even if it does not exist.
fs::path resolved(fs::path path) {
    constexpr int MostLinks = 40;  // the limit of Linux
    std::error_code code;
    for (int i = 0; i < MostLinks && fs::is_symlink(path, code); ++i) {
        const fs::path target = fs::read_symlink(path, code);
        path = path.parent_path() / target;  // an absolute target stays as it is
    }
    const fs::path whole = fs::weakly_canonical(path, code);
    return code ? path : whole;
}

int openNew(const fs::path& path, mode_t mode) {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

fs::path unfinishedIn(const fs::path& folder) {
    return folder / fmt::format(".{}{}", temporaryName(), UnfinishedSuffix);
}

fs::path folderOf(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

}  // namespace

struct OutputFile::Implementation {
    /// A stream buffer that writes to a descriptor and keeps the first error.
    class DescriptorBuffer final : public std::streambuf {
    public:
        explicit DescriptorBuffer(int descriptor) : m_descriptor(descriptor) { setp(m_buffer.data(), end()); }
        [[nodiscard]] int error() const { return m_error; }

    protected:
        int sync() override { return flushAll() ? 0 : -1; }
        int_type overflow(int_type next) override {
            if (!flushAll()) return traits_type::eof();
            if (!traits_type::eq_int_type(next, traits_type::eof())) sputc(traits_type::to_char_type(next));
            return traits_type::not_eof(next);
        }
        std::streamsize xsputn(const char* text, std::streamsize count) override {
            if (count < epptr() - pptr()) return std::streambuf::xsputn(text, count);
            return flushAll() && writeAll(text, static_cast<std::size_t>(count)) ? count : 0;
        }

    private:
        [[nodiscard]] char* end() { return m_buffer.data() + m_buffer.size(); }

        bool flushAll() {
            const bool written = writeAll(pbase(), static_cast<std::size_t>(pptr() - pbase()));
            setp(m_buffer.data(), end());
            return written;
        }

        bool writeAll(const char* text, std::size_t count) {
            while (count > 0 && m_error == 0) {
                const ssize_t written = ::write(m_descriptor, text, count);
                if (written < 0 && errno != EINTR) m_error = errno;
                if (written <= 0) continue;
                text += written;
                count -= static_cast<std::size_t>(written);
            }
            return m_error == 0;
        }

        int m_descriptor;
        int m_error = 0;
        std::array<char, 1U << 16U> m_buffer{};
    };

    std::string path;    ///< as given by the user
    fs::path real;       ///< the final path, with links resolved if they are followed
    fs::path temporary;  ///< empty if the file is written in place
    int descriptor = -1;
    std::unique_ptr<DescriptorBuffer> buffer;
    std::ostream stream{nullptr};
    bool isFinished = false;

    Implementation() = default;
    Implementation(const Implementation&) = delete;
    Implementation& operator=(const Implementation&) = delete;
    ~Implementation() {
        close();
        if (!temporary.empty()) ::unlink(temporary.c_str());
    }
    int close() { return descriptor < 0 ? 0 : ::close(std::exchange(descriptor, -1)); }
    void attach(int opened) {
        descriptor = opened;
        buffer = std::make_unique<DescriptorBuffer>(opened);
        stream.rdbuf(buffer.get());
    }
};

OutputFile::OutputFile(std::unique_ptr<Implementation> implementation) : m_impl(std::move(implementation)) {}
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

Result<OutputFile> OutputFile::create(const std::string& path, Links links) {
    auto made = std::make_unique<Implementation>();
    made->path = path;
    if (path == "-") {
        std::fflush(stdout);
        const int copy = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
        if (copy < 0) return writeError(path, "is closed", "redirect it to a file");
        made->attach(copy);
        return OutputFile(std::move(made));
    }
    std::error_code code;
    made->real = path;
    if (links == Links::Follow && fs::is_symlink(path, code)) {
        if (isForeignLink(path)) {
            return writeError(path, "is a link made by another user in a folder that all users may write to",
                              "remove it, or name another file");
        }
        made->real = resolved(path);
    }
    struct stat old {};
    const bool exists = (links == Links::Follow ? ::stat : ::lstat)(made->real.c_str(), &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) return cannotWrite(path, EISDIR);
    const bool isLink = exists && S_ISLNK(old.st_mode);
    if (links == Links::Follow && exists && (!S_ISREG(old.st_mode) || isDeviceName(path))) {
        const int opened = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_APPEND);
        if (opened < 0) return cannotWrite(path, errno);
        made->attach(opened);
        return OutputFile(std::move(made));
    }
    if (exists && !isLink && ::access(made->real.c_str(), W_OK) != 0) {
        return writeError(path, fmt::format("cannot be written ({})", std::strerror(errno)), "check its permissions");
    }
    const fs::path folder = folderOf(made->real);
    removeLeftBehind(folder);
    const fs::path temporary = unfinishedIn(folder);
    const int opened = openNew(temporary, AllMayReadAndWrite);
    if (opened < 0) return cannotWrite(path, errno);
    made->temporary = temporary;
    made->attach(opened);
    if (exists && !isLink) {
        // The owner is set first, since changing it clears permission bits. Only root may give a file to another user.
        const bool isGiven = ::fchown(opened, old.st_uid, old.st_gid) == 0;
        const mode_t kept = isGiven ? 07777U : 0777U;
        static_cast<void>(::fchmod(opened, old.st_mode & kept));
    }
    return OutputFile(std::move(made));
}

std::ostream& OutputFile::stream() { return m_impl->stream; }

Status OutputFile::finish() {
    Implementation& file = *m_impl;
    if (file.isFinished) return Success{};
    file.stream.flush();
    int failure = file.buffer->error();
    // Pipes, devices and some file systems cannot sync; this is not an error.
    if (failure == 0 && ::fsync(file.descriptor) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS) {
        failure = errno;
    }
    if (file.close() != 0 && failure == 0) failure = errno;
    file.isFinished = true;
    if (failure == 0) return Success{};
    const bool isFull = failure == ENOSPC || failure == EDQUOT || failure == EFBIG;
    return writeError(file.path, fmt::format("could not be written completely ({})", std::strerror(failure)),
                      file.path == "-" ? "check where it is redirected to"
                      : isFull         ? "check the free disk space"
                                       : "check the disk");
}

Status OutputFile::commit() {
    MITOS_REQUIRE(finish());
    Implementation& file = *m_impl;
    if (file.temporary.empty()) return Success{};
    std::error_code code;
    fs::rename(file.temporary, file.real, code);
    if (code) {
        return writeError(file.path, fmt::format("cannot be replaced ({})", code.message()),
                          "check that it is not a folder");
    }
    file.temporary.clear();
    syncToDisk(folderOf(file.real));
    return Success{};
}

Status writeFileWith(const std::string& path, absl::FunctionRef<Status(std::ostream&)> write, Links links) {
    MITOS_TRY(OutputFile file, OutputFile::create(path, links));
    MITOS_REQUIRE(write(file.stream()));
    return file.commit();
}

Status writeFile(const std::string& path, std::string_view content) {
    // Control characters in a program are kept in files only; a terminal would interpret them.
    const std::string shown = path == "-" && ::isatty(STDOUT_FILENO) != 0 ? printable(content) : std::string();
    if (!shown.empty()) content = shown;
    return writeFileWith(path, [content](std::ostream& stream) -> Status {
        stream.write(content.data(), static_cast<std::streamsize>(content.size()));
        return Success{};
    });
}

namespace {

/// Identifies the file of a path, whether it exists or not; empty if it may be named several times without harm.
std::string identityOf(const std::string& path) {
    if (path.empty()) return {};
    if (path == "-" || path == "/dev/stdout") return "-";
    struct stat found {};
    if (::stat(path.c_str(), &found) == 0) {
        if (!S_ISREG(found.st_mode)) return {};
        return fmt::format("{}:{}", found.st_dev, found.st_ino);
    }
    // A file that does not exist yet is identified by its folder and its name there.
    const fs::path whole = resolved(path);
    if (::stat(folderOf(whole).c_str(), &found) != 0) return "/" + whole.string();
    return fmt::format("{}:{}/{}", found.st_dev, found.st_ino, whole.filename().string());
}

}  // namespace

Status requireSeparate(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const std::string identity = identityOf(outputs[i].path);
        if (identity.empty()) continue;
        const auto clashes = [&](const NamedFile& other) { return identityOf(other.path) == identity; };
        const NamedFile* other = nullptr;
        bool isInput = false;
        for (std::size_t k = 0; k < i && other == nullptr; ++k) {
            if (clashes(outputs[k])) other = &outputs[k];
        }
        // "-" denotes both standard input and standard output, which are different files.
        for (std::size_t k = 0; k < inputs.size() && other == nullptr && identity != "-"; ++k) {
            if (!clashes(inputs[k])) continue;
            other = &inputs[k];
            isInput = true;
        }
        if (other == nullptr) continue;
        const std::string first = other->path == outputs[i].path ? std::string() : fmt::format(" ({})", other->path);
        return inputError(isInput ? fmt::format("{}: {} would overwrite the file that is read as {}{}", outputs[i].path,
                                                outputs[i].name, other->name, first)
                                  : fmt::format("{}: {} and {}{} name the same file", outputs[i].path, outputs[i].name,
                                                other->name, first),
                          isInput ? "name another file; nothing was written" : "name two files; nothing was written");
    }
    return Success{};
}

Result<std::string> makeUnfinishedFile(const fs::path& folder) {
    const fs::path where = folder.empty() ? fs::path(".") : folder;
    removeLeftBehind(where);
    const fs::path path = unfinishedIn(where);
    const int opened = openNew(path, AllMayReadAndWrite);
    if (opened < 0) return cannotWrite(where.string(), errno);
    ::close(opened);
    return path.string();
}

void syncToDisk(const fs::path& path) {
    const int opened = ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0) return;  // the folder may be written but not read; its files are on the disk
    static_cast<void>(::fsync(opened));
    ::close(opened);
}

void removeLeftBehind(const fs::path& folder) {
    std::error_code code;
    std::vector<fs::path> found;
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
        std::string name = entry->path().filename().string();
        if (name.starts_with('.') && name.ends_with(UnfinishedSuffix)) {
            name = name.substr(1, name.size() - 1 - UnfinishedSuffix.size());
        }
        if (isLeftBehind(name)) found.push_back(entry->path());
    }
    for (const fs::path& path : found) {
        struct stat own {};
        if (::lstat(path.c_str(), &own) != 0 || own.st_uid != ::geteuid()) continue;
        if (S_ISLNK(own.st_mode)) continue;
        fs::remove_all(path, code);  // removes links in it, but not their targets
    }
}

}  // namespace mitos
