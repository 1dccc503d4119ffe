// SPDX-License-Identifier: GPL-3.0-or-later
// The record of a run of the Knossos experiment.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

/// A new best program of a search.
struct KnossosImprovement {
    std::uint64_t evaluations = 0;
    double seconds = 0.0;
    double cost = 0.0;

    friend bool operator==(const KnossosImprovement&, const KnossosImprovement&) = default;
};

/// A search for one program.
struct KnossosSearch {
    std::string program;
    double initialCost = 0.0;
    double cost = 0.0;  ///< of the best program
    std::uint64_t evaluations = 0;
    double seconds = 0.0;
    bool isGood = true;                        ///< the verdict on its thread and values
    std::vector<KnossosImprovement> way = {};  ///< from the start on; of the searches with most evaluations only

    friend bool operator==(const KnossosSearch&, const KnossosSearch&) = default;
};

/// A strategy with as many evaluations for each program.
struct KnossosEvaluation {
    std::string strategy;
    std::uint64_t budget = 0;
    std::vector<KnossosSearch> searches = {};  ///< by program

    [[nodiscard]] double total() const;    ///< of the costs
    [[nodiscard]] double seconds() const;  ///< of all searches
    friend bool operator==(const KnossosEvaluation&, const KnossosEvaluation&) = default;
};

/// The value function after some epochs, compared; a method that learns nothing has one stage.
struct KnossosStage {
    std::uint32_t epochs = 0;
    double trainingSeconds = 0.0;  ///< up to here, the validations on the training programs included
    double loss = 0.0;             ///< mean over the epochs since the stage before
    std::vector<KnossosEvaluation> evaluations = {};

    /// Null if there is none.
    [[nodiscard]] const KnossosEvaluation* find(std::string_view strategy, std::uint64_t budget) const;
    friend bool operator==(const KnossosStage&, const KnossosStage&) = default;
};

struct KnossosRecord {
    std::string run;  ///< its name
    std::vector<KnossosStage> stages = {};
    double statesPerSecond = 0.0;  ///< of the value function on states that a search visits; 0: not measured

    friend bool operator==(const KnossosRecord&, const KnossosRecord&) = default;
};

/// A JSON object; record_file.h seals it.
[[nodiscard]] std::string writeKnossosRecord(const KnossosRecord& record);
/// Fails if the text is not a record.
[[nodiscard]] Result<KnossosRecord> readKnossosRecord(const std::string& text);

/// With so many evaluations for each program, or so many seconds, the total of the best programs so far is not above a target.
struct KnossosEffort {
    double evaluations = 0.0;
    double seconds = 0.0;
};
/// The least ones; nothing if the searches never come so low. Searches without a way keep their initial cost.
[[nodiscard]] std::optional<KnossosEffort> effortTo(double target, const KnossosEvaluation& evaluation);

}  // namespace mitos::search::experiments
