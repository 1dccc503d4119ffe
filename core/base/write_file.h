// SPDX-License-Identifier: GPL-3.0-or-later
// How every file of Mitos is written: whole or not at all, on the disk when the call returns, and never through a file that
// somebody else put in its way. writeFile (source_text.h) is the short form.
#pragma once

#include "core/base/result.h"

#include <absl/functional/function_ref.h>

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace mitos {

/// What is done where a symbolic link has the name of the file that is to be written.
enum class Links {
    Follow,  ///< the file it points to is written: the user has named it. Not in a folder that everybody may write (such as
             ///< /tmp) if it belongs to somebody else.
    Replace,  ///< the file takes its place: names that the user has not given, such as FILE.data
};

/// A file while it is written: beside its place, under a name nobody can guess. commit() puts it into its place; without that
/// nothing has changed. What a killed process left unfinished in a folder is removed by the next that writes there. "-" is
/// standard output; pipes and devices are written into.
class OutputFile {
public:
    /// Errors: Io, the folder or the file cannot be written.
    [[nodiscard]] static Result<OutputFile> create(const std::string& path, Links links = Links::Follow);
    OutputFile(OutputFile&&) noexcept;
    OutputFile& operator=(OutputFile&&) noexcept;
    /// Removes what was not committed.
    ~OutputFile();

    [[nodiscard]] std::ostream& stream();
    /// Brings everything to the disk and closes; several files that belong together are finished before the first is committed.
    /// Errors: Io, it could not be written completely.
    [[nodiscard]] Status finish();
    /// finish(), and the file is there under its name, also after a power cut. Who has the old one mapped keeps it.
    [[nodiscard]] Status commit();

private:
    struct Implementation;
    explicit OutputFile(std::unique_ptr<Implementation> implementation);
    std::unique_ptr<Implementation> m_impl;
};

/// An OutputFile that is committed if `write` succeeds. Errors: as OutputFile; what `write` reports, and then nothing has changed.
[[nodiscard]] Status writeFileWith(const std::string& path, absl::FunctionRef<Status(std::ostream&)> write,
                                   Links links = Links::Follow);

/// A file as the user has named it.
struct NamedFile {
    std::string name;  ///< what it is to the user: "--thread", "FILE"
    std::string path;  ///< empty: not named
};

/// Whether each output is a file of its own, and none of the inputs: by device and number, through links. Pipes and devices may
/// be named twice, standard output may not. Errors: InvalidInput, which two are the same.
[[nodiscard]] Status requireSeparate(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

/// A file in that folder that somebody else is going to write, made empty under a name nobody can guess. Errors: Io.
[[nodiscard]] Result<std::string> makeUnfinishedFile(const std::filesystem::path& folder);
/// Brings a file, or the entries of a folder, to the disk.
void syncToDisk(const std::filesystem::path& path);
/// Removes what processes that are gone left in that folder under names of temporaryName() (process_identity.h) or unfinished:
/// only what belongs to this user, and never through a link.
void removeLeftBehind(const std::filesystem::path& folder);

}  // namespace mitos
