// SPDX-License-Identifier: GPL-3.0-or-later
// The trained models of the REGAL experiment, recognized by what they say of themselves.
#pragma once

#include "core/base/result.h"
#include "search/experiments/regal.h"
#include "search/placement/policy_model.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

struct RegalModel {
    std::string file;         ///< without folders
    std::string digest = {};  ///< of its contents
    placement::PolicyModel model = {};

    [[nodiscard]] RegalRole role() const;
    /// The point of its curve with the highest improvement; null without a curve.
    [[nodiscard]] const learned::CurvePoint* bestPoint() const;
};

/// The objective of a task's searches.
[[nodiscard]] placement::Objective objectiveOf(RegalTask task);

class RegalModels {
public:
    /// Reads all files of the folder that end as models do; for an empty name it takes those that come with the program. A file is ignored, with the reason, if it is no policy for two devices with instant transfers and the
    /// paper's keys. Fails if the folder cannot be read.
    [[nodiscard]] static Result<RegalModels> in(const std::string& folder, std::uint64_t evaluations);

    /// The model for a role. If there are several: the one whose training had the number of evaluations nearest to that of the experiment, and of
    /// these the one that is best on its validation graphs. Null if there is none.
    [[nodiscard]] const RegalModel* find(placement::Objective objective, RegalRole role) const;
    /// All that can be used, by name.
    [[nodiscard]] const std::vector<RegalModel>& all() const { return m_all; }
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& ignored() const { return m_ignored; }
    /// Why a method has no model, and how to get one.
    [[nodiscard]] static std::string missingText(placement::Objective objective, RegalRole role, bool hasFolder);

private:
    void choose(std::uint64_t evaluations);

    std::vector<RegalModel> m_all;
    std::map<std::pair<placement::Objective, RegalRole>, std::size_t> m_chosen;  ///< into m_all
    std::vector<std::pair<std::string, std::string>> m_ignored;
};

}  // namespace mitos::search::experiments
