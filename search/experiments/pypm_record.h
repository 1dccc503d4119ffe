// SPDX-License-Identifier: GPL-3.0-or-later
// The record of a run of the PyPM experiment: one model, compiled four times.
#pragma once

#include "core/base/result.h"
#include "core/timing/time_ratio.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

/// A compilation of the model.
struct PypmPass {
    std::string compilation;  ///< PypmCompilationInfo::name
    std::vector<double> seconds =
        {};  ///< of a processor, for the pass to its fixed point: one for each repetition; at least one
    std::uint64_t walks = 0;  ///< over the nodes, the last one without a match included
    bool isFixedPoint = true;
    std::vector<std::pair<std::string, std::uint64_t>> rules = {};  ///< the matches that were rewritten, by rule
    std::optional<double> cost = {};  ///< of the result; nothing if the cost model cannot price it
    std::uint64_t nodes = 0;          ///< of the result
    bool isRefuted = false;           ///< whether the thread is not valid, or the values are known to differ
    std::string verdict = {};

    [[nodiscard]] std::uint64_t matches() const;
    [[nodiscard]] double medianSeconds() const;
    friend bool operator==(const PypmPass&, const PypmPass&) = default;
};

/// The run time of a compilation.
struct PypmTime {
    std::string compilation;
    /// The first compilation with the same program, which was timed in its place; its own name if it was timed itself.
    std::string timedAs;
    double seconds = 0.0;          ///< median; 0 if all compilations are the same program, so that none was timed
    timing::TimeRatio ratio = {};  ///< to the compilation with neither optimization

    /// How many times as fast as with neither optimization.
    [[nodiscard]] double speedup() const { return 1.0 / ratio.value; }
    friend bool operator==(const PypmTime& one, const PypmTime& other);
};
struct PypmTimes {
    std::string level;  ///< of ONNX Runtime's own optimizations
    std::vector<PypmTime> compilations = {};

    friend bool operator==(const PypmTimes&, const PypmTimes&) = default;
};

struct PypmRecord {
    std::string run;                    ///< its name
    std::string program;                ///< hash of the model's graph
    std::uint64_t nodes = 0;            ///< of the graph
    std::vector<PypmPass> passes = {};  ///< of all compilations, in the order of PypmCompilation
    std::string runtime = {};           ///< that ran the models: "ONNX Runtime 1.32.0, …"; empty if they were not run
    std::vector<PypmTimes> times = {};  ///< by level
    std::string timingError = {};       ///< why there are none, if they were to be run

    /// Null if there is none.
    [[nodiscard]] const PypmTimes* find(std::string_view level) const;
    friend bool operator==(const PypmRecord&, const PypmRecord&) = default;
};

/// A JSON object; record_file.h seals it.
[[nodiscard]] std::string writePypmRecord(const PypmRecord& record);
/// Fails if the text is not a record.
[[nodiscard]] Result<PypmRecord> readPypmRecord(const std::string& text);

}  // namespace mitos::search::experiments
