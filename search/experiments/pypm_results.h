// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of the PyPM experiment as numbers.
#pragma once

#include "search/experiments/named_numbers.h"
#include "search/experiments/pypm.h"
#include "search/experiments/pypm_record.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

/// A measure of a compiled model: its time in ONNX Runtime at a level, or its cost.
struct PypmMeasure {
    std::string name;   ///< in files: "runtime-all", "cost"
    std::string title;  ///< "ONNX Runtime, level all"
    std::string level;  ///< empty: the cost

    [[nodiscard]] bool isMeasured() const { return !level.empty(); }
};

/// How many times as fast a compiled model is.
struct PypmSpeedup {
    double value = 1.0;
    bool isFaster = false;  ///< beyond noise
    bool isSlower = false;
};

struct PypmSpeedupSummary {
    std::size_t models = 0;
    double mean = 1.0;  ///< geometric
    double least = 1.0;
    double most = 1.0;
    std::size_t faster = 0;
    std::size_t slower = 0;
};

class PypmResults {
public:
    using Entry = std::pair<const PypmModel*, PypmRecord>;

    /// The models are those of the plan, which must outlive this object.
    PypmResults(const PypmPlan& plan, NamedNumbers paper, std::vector<Entry> entries);

    [[nodiscard]] const PypmPlan& plan() const { return m_plan; }
    [[nodiscard]] const NamedNumbers& paper() const { return m_paper; }
    /// In the order of the runs.
    [[nodiscard]] const std::vector<Entry>& entries() const { return m_entries; }
    [[nodiscard]] bool isComplete() const { return m_entries.size() == m_plan.models.size(); }
    /// Those with runs, in their order.
    [[nodiscard]] std::vector<std::string> suites() const;
    /// Those of which there are numbers, the cost last.
    [[nodiscard]] std::vector<PypmMeasure> measures() const;

    [[nodiscard]] static const PypmPass& pass(const PypmRecord& record, PypmCompilation compilation) {
        return record.passes[indexOf(compilation)];
    }
    /// Nothing if the model was not run, or cannot be priced.
    [[nodiscard]] static std::optional<PypmSpeedup> speedup(const PypmRecord& record, const PypmMeasure& measure,
                                                            PypmCompilation compilation);
    /// That of all models of a suite that have one; of all suites if it is empty.
    [[nodiscard]] std::vector<PypmSpeedup> speedups(const PypmMeasure& measure, PypmCompilation compilation,
                                                    std::string_view suite = {}) const;

    /// Whether all threads are valid, and no value is known to differ.
    [[nodiscard]] bool isRight() const;

private:
    const PypmPlan& m_plan;
    NamedNumbers m_paper;
    std::vector<Entry> m_entries;
};

/// Requires at least one.
[[nodiscard]] PypmSpeedupSummary summaryOf(std::span<const PypmSpeedup> speedups);

/// Spearman's rank correlation, with mean ranks for ties. Nothing for less than two numbers, or if all of a kind are equal. Requires as many
/// of both.
[[nodiscard]] std::optional<double> rankCorrelation(std::span<const double> one, std::span<const double> other);

}  // namespace mitos::search::experiments
