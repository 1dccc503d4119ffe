// SPDX-License-Identifier: GPL-3.0-or-later
// The evaluation of the PyPM paper ("Pattern Matching in AI Compilers and its Formalization", section 4.1): models are compiled with and without
// two optimizations, each a set of rules that the greedy pass applies. Models, compilations, settings, and the runs that they need.
#pragma once

#include "core/cost/cost_model.h"
#include "core/eval/testing/trusted_rules.h"
#include "core/ir/term_bank.h"
#include "core/onnx/runtime.h"
#include "core/tensor/model.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

/// ONNX Runtime's operators, tagged by the two optimizations.
inline constexpr std::string_view PypmRules = "fused";

/// A compilation of a model: which of the two optimizations the pass applies.
enum class PypmCompilation : std::uint8_t {
    Neither,
    Attention,  ///< multi-head attention becomes one operator (FMHA)
    Epilogs,    ///< an activation becomes part of the product or convolution that it follows
    Both,
};
struct PypmCompilationInfo {
    PypmCompilation compilation;
    const char* name;                    ///< in files: "attention"
    const char* title;                   ///< "Attention"
    std::vector<std::string_view> tags;  ///< of its rules
};
/// In the order of the enumeration.
[[nodiscard]] std::span<const PypmCompilationInfo> pypmCompilations();
[[nodiscard]] const PypmCompilationInfo& infoOf(PypmCompilation compilation);
[[nodiscard]] inline std::size_t indexOf(PypmCompilation compilation) { return static_cast<std::size_t>(compilation); }

/// A part of the report.
struct PypmPart {
    const char* name;
    const char* title;
};
[[nodiscard]] std::span<const PypmPart> pypmParts();  ///< "speedups", "matching"

struct PypmModel {
    std::string name;   ///< of its run
    std::string title;  ///< in tables
    std::string suite;  ///< models of one suite share a histogram
    std::shared_ptr<const ir::TermBank> bank;
    tensor::Model model;
};

struct PypmPlan {
    std::vector<std::string> parts = {};  ///< names; empty: all
    std::vector<PypmModel> models = {};   ///< of different names
    std::vector<std::pair<std::string, std::string>> unreadable =
        {};  ///< files in given folders that are no models, with the reasons
    std::string ruleSets = std::string(PypmRules);
    eval::TrustedRules rules = {};  ///< those of `ruleSets`, over the registry of the models
    std::shared_ptr<const cost::CostModel> cost = nullptr;
    std::uint32_t repetitions = 9;  ///< of each pass, to time it
    double comparisonSeconds =
        10.0;  ///< for comparing the values of a compiled model with the model's; 0: they are not compared
    onnx::RuntimeOptions runtime = {};
    std::vector<onnx::OptimizationLevel> levels = {onnx::OptimizationLevel::Basic, onnx::OptimizationLevel::All};
    std::optional<onnx::RuntimeVersion> version = {};  ///< nothing: models are not run
    std::string whyNot = {};                           ///< the reason for that
    double seconds = 5.0;                              ///< of running the compilations of a model, at each level
    std::string sizes = "1";                           ///< as cost::readSizes() has it: for inputs that are run

    [[nodiscard]] bool hasPart(std::string_view name) const;
    /// Whether compiled models are run.
    [[nodiscard]] bool isTimed() const { return version.has_value() && hasPart("speedups"); }
};
/// Fails for parts that do not exist, without models, if two have the same name, if one of the optimizations has no rules, and for numbers
/// that make no sense.
[[nodiscard]] Status checkPlan(const PypmPlan& plan);

/// The rules of a compilation, in their order.
[[nodiscard]] std::vector<std::shared_ptr<const rules::DirectedRule>> rulesOf(const PypmPlan& plan,
                                                                              PypmCompilation compilation);

/// A name for a run made of that of a file: characters that file names cannot have become "-". Numbered if it is taken.
[[nodiscard]] std::string pypmRunName(std::string_view wanted, const std::vector<PypmModel>& others);

}  // namespace mitos::search::experiments
