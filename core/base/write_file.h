// SPDX-License-Identifier: GPL-3.0-or-later
// Writes every file of Mitos: completely or not at all, on the disk when the call returns, and never through a link that another
// user has placed there. writeFile (source_text.h) is the short form.
#pragma once

#include "core/base/result.h"

#include <absl/functional/function_ref.h>

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace mitos {

/// How a symbolic link under the name of the output file is treated.
enum class Links {
    Follow,  ///< writes the file it points to; for names given by the user. Fails in a world-writable folder (such as /tmp) if the link belongs to another user.
    Replace,  ///< replaces the link, or a pipe or device, by the file; for names not given by the user, such as FILE.data
};

/// A file that is being written beside its final path, under a name that cannot be guessed. commit() renames it to the final path;
/// without commit() nothing changes. Unfinished files that a killed process left in a folder are removed by the next process that
/// writes there. "-" is standard output; pipes and devices that the user names are written
/// directly.
class OutputFile {
public:
    /// Fails with Io if the folder or the file cannot be written.
    [[nodiscard]] static Result<OutputFile> create(const std::string& path, Links links = Links::Follow);
    OutputFile(OutputFile&&) noexcept;
    OutputFile& operator=(OutputFile&&) noexcept;
    /// Removes the temporary file if it was not committed.
    ~OutputFile();

    [[nodiscard]] std::ostream& stream();
    /// Flushes everything to the disk and closes the file; several files that belong together are finished before the first is
    /// committed. Fails with Io if the file could not be written completely.
    [[nodiscard]] Status finish();
    /// Calls finish() and renames the file to its final path, where it survives a power cut. Existing memory maps of the old file stay
    /// valid.
    [[nodiscard]] Status commit();

private:
    struct Implementation;
    explicit OutputFile(std::unique_ptr<Implementation> implementation);
    std::unique_ptr<Implementation> m_impl;
};

/// Writes an OutputFile and commits it if `write` succeeds. Fails as OutputFile does, or with the error of `write`; in that case
/// nothing has changed.
[[nodiscard]] Status writeFileWith(const std::string& path, absl::FunctionRef<Status(std::ostream&)> write,
                                   Links links = Links::Follow);

/// A file named by the user.
struct NamedFile {
    std::string name;  ///< its role in messages to the user: "--thread", "FILE"
    std::string path;  ///< empty if the user named no file
};

/// Checks that the outputs are distinct files and that none of them is an input. Files are compared by device and inode, through
/// links. Pipes and devices may be named twice, standard output may not. Fails with InvalidInput, naming the two equal files.
[[nodiscard]] Status requireSeparate(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

/// Creates an empty file in the folder, under a name that cannot be guessed, for other code to write. Fails with Io.
[[nodiscard]] Result<std::string> makeUnfinishedFile(const std::filesystem::path& folder);
/// Flushes a file, or the entries of a folder, to the disk.
void syncToDisk(const std::filesystem::path& path);
/// Removes what ended processes left in the folder: entries named by temporaryName() (process_identity.h) and unfinished files. Only
/// entries that belong to this user are removed, and links are never followed.
void removeLeftBehind(const std::filesystem::path& folder);

}  // namespace mitos
