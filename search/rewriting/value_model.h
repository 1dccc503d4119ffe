// SPDX-License-Identifier: GPL-3.0-or-later
// A trained value function as a file, and what it fits.
#pragma once

#include "search/learned/model_file.h"
#include "search/learned/value_network.h"
#include "search/learning_curve.h"
#include "search/strategy.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search {

/// The kind of these files.
inline constexpr std::string_view ValueModelKind = "value";

/// How costs are seen by a network.
enum class CostScale : std::uint8_t {
    Unit,       ///< divided by ValueModel::unit
    Logarithm,  ///< their natural logarithms, for programs with loops, whose costs differ by orders of magnitude
};
/// "unit" and "logarithm", as files and parameters have them.
[[nodiscard]] const char* toString(CostScale scale);
[[nodiscard]] std::optional<CostScale> costScaleFrom(std::string_view name);

/// A value function that was trained, and what for.
struct ValueModel {
    learned::ValueNetworkShape shape = {};
    std::vector<std::string> vocabulary = {};  ///< kinds of nodes, see ir::NodeVocabulary
    std::string dialect = {};
    std::string rules = {};                   ///< sets of rules, as on the command line
    std::vector<std::string> ruleNames = {};  ///< the directions of these
    std::string cost = {};                    ///< the name of the cost model
    CostScale scale = CostScale::Unit;
    double unit = 1.0;
    /// Value functions without training that the network gets (allValueFunctions()), each with ValueNetworkShape::times numbers.
    std::vector<std::string> hints = {};
    std::uint64_t seed = 1;
    std::uint64_t evaluations = 5'000;       ///< of each search that it was trained with
    std::vector<std::string> programs = {};  ///< in words
    std::string command = {};                ///< that trained it
    std::vector<CurvePoint> curve = {};
    std::vector<float> parameters = {};
};

/// A cost on the scale of the network, and back: the reduction of a cost that a network's reduction means.
[[nodiscard]] double scaledCost(const ValueModel& model, double cost);
[[nodiscard]] double reductionOf(const ValueModel& model, double cost, double scaledReduction);

/// The value functions that may be hints.
[[nodiscard]] std::span<const std::string_view> possibleHints();

/// The description of a model: all but the parameters, as a JSON object.
[[nodiscard]] std::string descriptionOf(const ValueModel& model);
/// Reads it; the parameters stay empty. Fails for a description that is not one of a value function, or that names a network or hints this program
/// does not have.
[[nodiscard]] Result<ValueModel> valueModelIn(std::string_view description, std::string_view name);

[[nodiscard]] learned::ModelFile toFile(const ValueModel& model);
/// Reads the bytes of a file. Fails as learned::readModel() and valueModelIn() do, for models of another kind, and if there are no parameters.
[[nodiscard]] Result<ValueModel> readValueModel(std::string_view name, std::string_view bytes);
/// Fails as learned::loadModel() does, and as readValueModel().
[[nodiscard]] Result<ValueModel> loadValueModel(const std::string& path);

/// The network with the model's parameters. Fails if they do not fit the shape, and as learned::makeValueNetwork() does.
[[nodiscard]] Result<std::unique_ptr<learned::ValueNetwork>> networkOf(const ValueModel& model);

/// The kinds of nodes (ir::NodeVocabulary) of the problem's program and of what its rules may add, in alphabetical order. Terms that rules
/// move, and bodies of functions that they inline, are not looked at.
[[nodiscard]] std::vector<std::string> kindsOf(const SearchProblem& problem);

/// Fails if the model was trained for another dialect or cost model, or does not know a kind of node of kindsOf(), and says which. Other
/// rules are no error (remarkOn()).
[[nodiscard]] Status checkFit(const ValueModel& model, std::string_view name, const SearchProblem& problem);
/// A note for users if the rules are not those that the model was trained with.
[[nodiscard]] std::optional<std::string> remarkOn(const ValueModel& model, std::string_view name,
                                                  const SearchProblem& problem);

/// The models that are built in (learned::shippedFiles()), by name. Those that this version cannot read are left out.
struct ShippedValue {
    std::string name;
    ValueModel model;
};
[[nodiscard]] std::vector<ShippedValue> shippedValues();
/// The one that fits the problem; of several, one that was trained with the problem's rules comes first.
[[nodiscard]] std::optional<ShippedValue> shippedValueFor(const SearchProblem& problem);

}  // namespace mitos::search
