// SPDX-License-Identifier: GPL-3.0-or-later
// A file that holds the state of a search, from which it goes on.
#pragma once

#include "core/random_keys/search.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::random_keys {

/// Properties that tell searches apart beside their settings: a name for messages ("the graph"), and a value, such as a hash.
using SearchIdentity = std::vector<std::pair<std::string, std::string>>;

/// One line of JSON (format, version, identity, a digest of the rest) and toJson() of the state. Each state replaces the one before
/// as OutputFile does, so that a kill or a full disk leaves a whole file. As a keeper it saves a state every five seconds, but spends at most a
/// twentieth of the time on it.
class Checkpoint final : public Keeper {
public:
    Checkpoint(std::string path, SearchIdentity identity);

    /// The content of the file; empty if it does not exist. Fails with Io if it cannot be read, or is not a file.
    [[nodiscard]] Result<std::string> read() const;
    /// The state in such a text. Fails for text that save() did not write, is damaged, comes from another version, or belongs to a search with
    /// another identity, other settings or another number of genes than `fresh` has.
    [[nodiscard]] Result<State> stateIn(std::string_view text, const State& fresh) const;
    /// Fails with Io; the old file is unchanged then.
    [[nodiscard]] Status save(const State& state) const;

    [[nodiscard]] bool isDue() override;
    void keep(const State& state) override;

private:
    std::string m_path;
    SearchIdentity m_identity;
    std::chrono::steady_clock::time_point m_next;
};

/// The state that a search starts from: that in the file, or `fresh` if there is no file. Of a team, the first rank reads it, and all get the same state. Fails as
/// read() and stateIn() do.
[[nodiscard]] Result<State> continued(const Checkpoint& checkpoint, State fresh, Team* team);

}  // namespace mitos::random_keys
