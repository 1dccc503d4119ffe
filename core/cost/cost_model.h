// SPDX-License-Identifier: GPL-3.0-or-later
// Cost models estimate what a program costs, and how much each of its parts contributes.
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
    std::string title;        ///< title shown to the user
    std::string unit;         ///< "nodes", "units"
    std::string description;  ///< its source and its constants
    bool ofTrees = true;      ///< whether it prices programs that are trees (ks)
    bool ofGraphs = false;    ///< whether it prices programs that are graphs (tensors)

    [[nodiscard]] bool prices(ir::Sharing sharing) const { return sharing == ir::Sharing::Tree ? ofTrees : ofGraphs; }
};

/// A part of the cost of one operator.
struct CostShare {
    std::string_view name;  ///< "launch", "computing", "memory"; a literal
    double cost = 0.0;
};

/// The contribution of one occurrence of a subterm, or of one node of a graph, to the cost of the whole.
struct CostPart {
    ir::Path path;
    double own = 0.0;    ///< of the operator itself, once
    double total = 0.0;  ///< of the subterm, once; in a graph, of every node that it depends on, once
    double times = 1.0;  ///< how often it counts in the whole (loop bodies: the vector size; the cheaper arm: 0.0001)
    /// A sentence that explains `own`: "build: 2 for the allocation + 16 × 5 for the body".
    std::string reason;
    /// The components of `own`, if the model distinguishes them; they add up to it.
    std::vector<CostShare> shares = {};
};

/// Computes costs of terms of one bank and caches them: only the terms that a program does not share with earlier ones are costed.
/// Belongs to one thread.
class CostEvaluator {
public:
    virtual ~CostEvaluator() = default;
    /// Cost of a program's root.
    virtual double cost(ir::TermId root) = 0;
    /// One part for every node of the tree, or every distinct node of the graph at its first path, in pre-order. The sum of
    /// own × times over all parts is cost(root), and the first part's total is cost(root).
    virtual std::vector<CostPart> explain(ir::TermId root) = 0;
    /// Memory of the cache.
    [[nodiscard]] virtual std::size_t bytes() const { return 0; }
};

/// A cost model; immutable and shareable between threads.
class CostModel {
public:
    virtual ~CostModel() = default;
    [[nodiscard]] virtual const CostModelInfo& info() const = 0;
    /// An evaluator for states of that program (a size-aware model takes the sizes from its signature).
    [[nodiscard]] virtual std::unique_ptr<CostEvaluator> evaluator(const ir::TermBank& bank,
                                                                   ir::FunctionId function) const = 0;
};

/// All models of this build, in the order of listings.
[[nodiscard]] std::vector<std::shared_ptr<const CostModel>> allCostModels();
/// The models that apply to such programs; the first is the default (ks-2021, roofline).
[[nodiscard]] std::vector<std::shared_ptr<const CostModel>> costModelsFor(ir::Sharing sharing);
/// Finds a model by name; the error lists the names. Sizes may follow behind a colon, separated by commas, for models with sizes:
/// "ks-sized:n=64,m=8", "ks-sized:64", "peak-memory:N=8". The roofline model takes a device first: "roofline:laptop,N=8" (device.h).
[[nodiscard]] Result<std::shared_ptr<const CostModel>> findCostModel(std::string_view name);
/// The same for programs of that kind; an empty name selects the default. Fails also if the model does not apply to such programs.
[[nodiscard]] Result<std::shared_ptr<const CostModel>> findCostModel(std::string_view name, ir::Sharing sharing);

}  // namespace mitos::cost
