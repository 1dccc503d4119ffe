// SPDX-License-Identifier: GPL-3.0-or-later
// Several processes that run one search, as the engine sees them.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::random_keys {

/// The processes (or threads) of one search, numbered from 0. Each has an object of its own. All ranks make the same calls in the same
/// order; they run the same program on machines that represent numbers alike.
class Team {
public:
    Team() = default;
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    virtual ~Team() = default;

    [[nodiscard]] virtual std::uint32_t rank() const = 0;
    [[nodiscard]] virtual std::uint32_t size() const = 0;
    /// Waits for all ranks and returns the bytes that each of them gave, by rank. The lengths may differ, and be 0. Fails, on all ranks
    /// that remain, if a rank has ended or has failed (with its error, if that is known); after that every call fails.
    [[nodiscard]] virtual Result<std::vector<std::string>> allGather(std::string_view own) = 0;

    [[nodiscard]] bool isFirst() const { return rank() == 0; }
};

/// The bytes that the first rank gives, on all ranks. Fails as allGather() does.
[[nodiscard]] inline Result<std::string> fromFirst(Team& team, std::string_view own) {
    MITOS_TRY(std::vector<std::string> all, team.allGather(team.isFirst() ? own : std::string_view()));
    return std::move(all.front());
}

}  // namespace mitos::random_keys
