// SPDX-License-Identifier: GPL-3.0-or-later
// A trained network as a value function, and the file that it comes from.
#pragma once

#include "search/learned/model_file.h"
#include "search/learned/value_network.h"
#include "search/learning_curve.h"
#include "search/rewriting/value.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search {

/// How costs are seen by a network.
enum class CostScale : std::uint8_t {
    Unit,       ///< divided by ValueModel::unit
    Logarithm,  ///< their natural logarithms, for programs with loops, whose costs differ by orders of magnitude
};

/// A value function that was trained, and what for.
struct ValueModel {
    learned::ValueNetworkShape shape = {};
    std::vector<std::string> vocabulary = {};  ///< kinds of nodes, see ir::NodeVocabulary
    std::string dialect = {};
    std::string rules = {};  ///< sets of rules, as on the command line
    std::string cost = {};   ///< the cost model
    CostScale scale = CostScale::Unit;
    double unit = 1.0;
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

/// The values that a network gives: t · V̄(e)[t] of the paper's section 3.2, at least 0. Programs with kinds of nodes that the vocabulary does not have, and
/// those that are too large, have the value 0. With more time left than the network has outputs, the last one counts. `costs` gives the
/// cost of a program of the bank, for CostScale::Logarithm.
class LearnedValue final : public ValueFunction {
public:
    LearnedValue(const ir::TermBank& bank, ir::Sharing sharing, const ValueModel& model,
                 std::unique_ptr<learned::ValueNetwork> network, std::unique_ptr<cost::CostEvaluator> costs,
                 std::vector<std::unique_ptr<ValueFunction>> hints = {});
    /// The hints of the network for these programs: what each of the given value functions says for each time, by step.
    [[nodiscard]] std::vector<float> hintsOf(std::span<const ir::TermId> roots);

    [[nodiscard]] std::vector<double> values(std::span<const ir::TermId> roots, TimesLeft times) override;
    [[nodiscard]] std::size_t bytes() const override { return m_network->bytes(); }
    [[nodiscard]] learned::ValueNetwork& network() { return *m_network; }

private:
    const ir::TermBank& m_bank;
    ir::Sharing m_sharing;
    const ValueModel& m_model;
    ir::NodeVocabulary m_vocabulary;
    std::unique_ptr<learned::ValueNetwork> m_network;
    std::unique_ptr<cost::CostEvaluator> m_costs;
    std::vector<std::unique_ptr<ValueFunction>> m_hints;
};

}  // namespace mitos::search
