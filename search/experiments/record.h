// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept of a run of the experiment (the paper's appendix A.6), and its JSON.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

struct RecordedRule {
    std::string rule;           ///< name of the directed rule
    std::uint64_t matches = 0;  ///< matches found
    std::uint64_t applied = 0;  ///< those whose sides were not equal before
    std::uint64_t nodes = 0;    ///< e-nodes added
    std::uint64_t refused = 0;  ///< matches rejected because they would close a cycle
};

/// The e-graph after an iteration.
struct RecordedIteration {
    std::vector<RecordedRule> rules;  ///< those that matched
    std::uint64_t nodes = 0;
    std::uint64_t classes = 0;
    std::optional<double> cost;  ///< extracted by the approach's method for rewards
};

struct RunRecord {
    std::string program;
    std::string approach;      ///< Approach::name
    std::uint32_t budget = 0;  ///< of the tree search; 0 without one
    std::uint64_t seed = 1;
    std::uint32_t multiIterations = 0;  ///< TENSAT: the k_multi that was used; 0 for the others
    std::uint64_t programHash = 0;      ///< of the start's text

    double initialCost = 0.0;
    double extractedCost =
        0.0;  ///< of the program that the final method takes from the e-graph, which may be worse than the start
    double bestCost = 0.0;     ///< of the result: the cheapest program with a checked thread, at worst the start
    std::size_t steps = 0;     ///< of the result's thread
    bool isChecked = false;    ///< whether the checker accepts that thread
    std::string stop;          ///< why the growth ended: "states", "exhausted", …
    bool isOutOfTime = false;  ///< whether the time limit ended the growth or the final extraction
    std::uint64_t startNodes = 0;
    std::uint64_t startClasses = 0;
    std::optional<double> startCost;  ///< extracted from the first e-graph, as that of iterations
    std::vector<RecordedIteration> iterations;
    std::vector<std::string> notes;

    double seconds = 0.0;        ///< growth and final extraction, without recording and without constructing the thread
    double threadSeconds = 0.0;  ///< constructing and checking the thread

    /// The part of the initial cost that the extracted program saves, in per cent; negative if it is worse.
    [[nodiscard]] double gain() const;
    /// The same of the result.
    [[nodiscard]] double resultGain() const;
    /// The e-nodes at the end.
    [[nodiscard]] std::uint64_t nodes() const { return iterations.empty() ? startNodes : iterations.back().nodes; }
    /// In how many iterations the rule was applied.
    [[nodiscard]] std::uint64_t applicationsOf(const std::string& rule) const;
    /// The rules that were applied, sorted.
    [[nodiscard]] std::vector<std::string> rulesUsed() const;
};

/// The record as JSON, which record_file.h seals.
[[nodiscard]] std::string writeRecord(const RunRecord& record);
/// Fails if the text is not a record.
[[nodiscard]] Result<RunRecord> readRecord(const std::string& text);

}  // namespace mitos::search::experiments
