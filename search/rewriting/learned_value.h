// SPDX-License-Identifier: GPL-3.0-or-later
// A trained network as a value function.
#pragma once

#include "search/rewriting/value.h"
#include "search/rewriting/value_model.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mitos::search {

/// The hints of a network: what value functions without training say about programs.
class ValueHints {
public:
    /// Those that the model names, for the problem. `problem.bank` holds the programs that are asked about.
    [[nodiscard]] static Result<ValueHints> make(const ValueModel& model, const SearchProblem& problem);
    /// ValueNetworkShape::hints numbers for each program: by function and by time, a step's share of the reduction within that time.
    [[nodiscard]] std::vector<float> of(std::span<const ir::TermId> roots);
    [[nodiscard]] std::size_t bytes() const;

private:
    std::vector<std::unique_ptr<ValueFunction>> m_functions;
    std::uint32_t m_times = 0;
    double m_unit = 1.0;
};

/// The values that a network gives: t · V̄(e)[t] of the paper's section 3.2, at least 0. Programs with kinds of nodes that the vocabulary does not have, and
/// those that are too large, have the value 0. With more time left than the network has outputs, the last one counts.
class LearnedValue final : public ValueFunction {
public:
    /// For the programs of `problem.bank`; `network` has the model's shape, and its parameters count. Fails if a hint cannot be made.
    [[nodiscard]] static Result<std::unique_ptr<LearnedValue>> make(const ValueModel& model,
                                                                    std::unique_ptr<learned::ValueNetwork> network,
                                                                    const SearchProblem& problem);

    [[nodiscard]] std::vector<double> values(std::span<const ir::TermId> roots, TimesLeft times) override;
    [[nodiscard]] std::size_t batch() const override;
    [[nodiscard]] std::size_t leastBatch() const override;
    [[nodiscard]] std::size_t bytes() const override { return m_network->bytes() + m_hints.bytes(); }
    [[nodiscard]] std::vector<std::string> notes() const override { return m_notes; }
    void addNote(std::string note) { m_notes.push_back(std::move(note)); }
    [[nodiscard]] ValueHints& hints() { return m_hints; }

private:
    LearnedValue(const SearchProblem& problem, const ValueModel& model, std::unique_ptr<learned::ValueNetwork> network,
                 ValueHints hints);

    const ir::TermBank& m_bank;
    ir::Sharing m_sharing;
    ValueModel m_model;  ///< without its parameters
    ir::NodeVocabulary m_vocabulary;
    std::unique_ptr<learned::ValueNetwork> m_network;
    std::unique_ptr<cost::CostEvaluator> m_costs;  ///< for CostScale::Logarithm
    ValueHints m_hints;
    std::vector<std::string> m_notes;
};

/// The value function "learned" of allValueFunctions(), with the parameter `model`.
[[nodiscard]] ValueInfo learnedValueInfo();

}  // namespace mitos::search
