// SPDX-License-Identifier: GPL-3.0-or-later
// Cost models: what a program is estimated to cost, and which part of it costs how much.
#pragma once

#include "core/base/result.h"
#include "core/ir/binding.h"
#include "core/ir/term_bank.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::cost {

struct CostModelInfo {
    std::string name;         ///< "size", "ks-2021", "ks-2019", "ks-sized", "roofline", "peak-memory"
    std::string title;        ///< for people
    std::string unit;         ///< "nodes", "units"
    std::string description;  ///< where it comes from, its constants
    bool ofTrees = true;      ///< whether it prices programs that are trees (ks)
    bool ofGraphs = false;    ///< whether it prices programs that are graphs (tensors)

    [[nodiscard]] bool prices(ir::Sharing sharing) const { return sharing == ir::Sharing::Tree ? ofTrees : ofGraphs; }
};

/// A part of what one operator costs.
struct CostShare {
    std::string_view name;  ///< "launch", "computing", "memory"; a literal
    double cost = 0.0;
};

/// The contribution of one occurrence of a subterm, or of one node of a graph, to the cost of the whole.
struct CostPart {
    ir::Path path;
    double own = 0.0;    ///< of the operator itself, once
    double total = 0.0;  ///< of the subterm, once; in a graph, of every node that it needs, once
    double times = 1.0;  ///< how often it counts in the whole (loop bodies: the vector size; the cheaper arm: 0.0001)
    /// own as a sentence, "build: 2 for the allocation + 16 × 5 for the body".
    std::string reason;
    /// What own consists of, where the model can tell: they add up to it.
    std::vector<CostShare> shares = {};
};

/// Costs terms of one bank, remembering what it has costed: asking for a program that shares subterms with an earlier
/// one costs only what is new. Belongs to one thread.
class CostEvaluator {
public:
    virtual ~CostEvaluator() = default;
    /// Cost of a program's root.
    virtual double cost(ir::TermId root) = 0;
    /// One part for every node of the tree, or every distinct node of the graph at its first path, in pre-order. The sum of
    /// own × times over all parts is cost(root), and the first part's total is cost(root).
    virtual std::vector<CostPart> explain(ir::TermId root) = 0;
    /// Held by what is remembered.
    [[nodiscard]] virtual std::size_t bytes() const { return 0; }
};

/// Immutable and shareable between threads.
class CostModel {
public:
    virtual ~CostModel() = default;
    [[nodiscard]] virtual const CostModelInfo& info() const = 0;
    /// For states of that program (a size-aware model asks its signature for the sizes).
    [[nodiscard]] virtual std::unique_ptr<CostEvaluator> evaluator(const ir::TermBank& bank,
                                                                   ir::FunctionId function) const = 0;
};

/// All models this build knows, in the order they are listed.
[[nodiscard]] std::vector<std::shared_ptr<const CostModel>> allCostModels();
/// Those that price such programs; the first is the default (ks-2021, roofline).
[[nodiscard]] std::vector<std::shared_ptr<const CostModel>> costModelsFor(ir::Sharing sharing);
/// By name; the error lists the names. Behind a colon, separated by commas: sizes of the models that know sizes,
/// "ks-sized:n=64,m=8" and "ks-sized:64", "peak-memory:N=8"; the device of "roofline:laptop,N=8" (device.h).
[[nodiscard]] Result<std::shared_ptr<const CostModel>> findCostModel(std::string_view name);
/// The same for programs of that kind; no name is the default. Errors: also, the model does not price such programs.
[[nodiscard]] Result<std::shared_ptr<const CostModel>> findCostModel(std::string_view name, ir::Sharing sharing);

}  // namespace mitos::cost
