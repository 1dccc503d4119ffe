// SPDX-License-Identifier: GPL-3.0-or-later
// Verdicts of rule tests, kept in a file for later processes of the same build of the program.
#pragma once

#include "core/eval/testing/rule_test.h"

#include <absl/container/flat_hash_map.h>

#include <filesystem>
#include <string>

namespace mitos::eval {

/// The verdict on a direction with all of its roots.
struct KnownVerdict {
    Verdict verdict = Verdict::Untested;
    std::string name;    ///< of the direction, or of the root that did not pass; empty if it passed
    std::string reason;  ///< the counterexample, or why it is untested

    friend bool operator==(const KnownVerdict&, const KnownVerdict&) = default;
};

/// Each build of a program has a file of its own, because another build may test or evaluate in another way. A file that is missing, damaged
/// or owned by another user is read as an empty one. Several processes may read and write at the same time: a file is replaced as a whole.
class KnownVerdicts {
public:
    /// Reads the file in the folder. Nothing is read or written if the folder is empty.
    explicit KnownVerdicts(const std::filesystem::path& folder);

    /// Null if there is none. A key states all that the verdict depends on besides the build.
    [[nodiscard]] const KnownVerdict* find(const std::string& key) const;
    void add(std::string key, KnownVerdict verdict);
    /// Writes the file if verdicts were added, together with those that other processes have stored meanwhile. If that fails, they are lost.
    void store();

private:
    using ByKey = absl::flat_hash_map<std::string, KnownVerdict>;

    [[nodiscard]] ByKey read() const;
    /// The content of a file with the added verdicts and others.
    [[nodiscard]] std::string fileOf(const ByKey& others) const;

    std::filesystem::path m_file;  ///< empty if nothing is stored
    std::string m_build;
    ByKey m_stored;  ///< read when this object was made
    ByKey m_added;
    bool m_isChanged = false;  ///< since verdicts were last stored
};

}  // namespace mitos::eval
