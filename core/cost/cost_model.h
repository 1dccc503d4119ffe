// SPDX-License-Identifier: GPL-3.0-or-later
// Cost models estimate what a program costs, and how much each of its parts contributes.
#pragma once

#include "core/base/parameters.h"
#include "core/base/result.h"
#include "core/ir/binding.h"
#include "core/ir/term_bank.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::cost {

struct CostModelInfo {
    std::string
        name;  ///< "size", "ks-2021", "roofline"; with values of parameters behind a colon: "roofline:laptop,N=8"
    std::string title;                           ///< title shown to the user
    std::string unit;                            ///< "nodes", "units"
    std::string description;                     ///< its source and its constants
    std::vector<std::string> dialects = {};      ///< the dialects whose programs it prices; empty: those of all
    std::vector<ParameterInfo> parameters = {};  ///< what may be set
    ParameterValues values = {};                 ///< of all parameters, as this model was made

    [[nodiscard]] bool prices(std::string_view dialect) const {
        return dialects.empty() || std::ranges::find(dialects, dialect) != dialects.end();
    }
    /// The files that the values name: the device of "roofline:FILE.json,n=64".
    [[nodiscard]] std::vector<std::string> files() const;
    /// The name without values of parameters.
    [[nodiscard]] std::string_view baseName() const { return std::string_view(name).substr(0, name.find(':')); }
};

/// A part of the cost of one operator.
struct CostShare {
    std::string_view name;  ///< "launch", "computing", "memory"; a literal
    double cost = 0.0;
};

/// The contribution of one occurrence of a subterm, or of one node of a graph, to the cost of the whole.
struct CostPart {
    double own = 0.0;    ///< of the operator itself, once
    double total = 0.0;  ///< of the subterm, once; in a graph, of every node that it depends on, once
    double times = 1.0;  ///< how often it counts in the whole (loop bodies: the vector size; the cheaper arm: 0.0001)
    /// A sentence that explains `own`: "build: 2 for the allocation + 16 × 5 for the body".
    std::string reason;
    /// The components of `own`, if the model distinguishes them; they add up to it.
    std::vector<CostShare> shares = {};
    double spread = 0.0;  ///< of `own`, if it was measured: the interquartile range
};

/// Upper bound for costs, so that sums and products of them are finite.
inline constexpr double LargestCost = 1e300;

class NodeCosts;
struct NodeCost;

/// Computes costs of terms of one bank and caches them: only the terms that a program does not share with earlier ones are costed.
/// Belongs to one thread.
class CostEvaluator {
public:
    virtual ~CostEvaluator() = default;
    /// Cost of a program's root. Fails if the program cannot be costed (a measurement failed, an operator is unknown), and with
    /// `Cancelled` if a stop is requested while a model takes long.
    [[nodiscard]] virtual Result<double> cost(ir::TermId root, const std::stop_token& stop = {}) = 0;
    /// Costs of several roots, in their order, so that a model can do the work for all of them at once. Fails as cost() does.
    [[nodiscard]] virtual Result<std::vector<double>> costs(std::span<const ir::TermId> roots,
                                                            const std::stop_token& stop = {});
    /// One part for every node of the tree, or every distinct node of the graph at its first path, in pre-order. The sum of
    /// own × times over all parts is cost(root), and the first part's total is cost(root). Fails as cost() does.
    [[nodiscard]] virtual Result<std::vector<CostPart>> explain(ir::TermId root, const std::stop_token& stop = {}) = 0;
    /// The same for a graph without totals, children first (ir::SharedNodes): takes time linear in the number of nodes. Fails with
    /// Unsupported for a tree.
    [[nodiscard]] virtual Result<std::vector<NodeCost>> explainNodes(ir::TermId root, const std::stop_token& stop = {});
    /// The costs of single nodes, from which programs that are graphs are extracted: the terms of a sum, or estimates if the model
    /// prices whole programs (peak-memory). Null if the model prices no graphs.
    [[nodiscard]] virtual NodeCosts* nodes() { return nullptr; }
    /// In programs that are trees: the cost of each node if it is the same for all, as in a count of nodes.
    [[nodiscard]] virtual std::optional<double> uniformCost() const { return std::nullopt; }
    /// In programs that are graphs: how many levels away a change of the graph may change what a node contributes, up or down; 0 if that
    /// depends on the node alone. Nothing if it may be any number, or if not all depends on nodes that are near. ReplacementCosts needs it.
    [[nodiscard]] virtual std::optional<std::uint32_t> reach() const { return std::nullopt; }
    /// Memory of the cache.
    [[nodiscard]] virtual std::size_t bytes() const { return 0; }

    /// The cost, or infinity where cost() fails: for comparing programs.
    [[nodiscard]] double costOrInfinity(ir::TermId root, const std::stop_token& stop = {}) {
        const Result<double> known = cost(root, stop);
        return known ? *known : std::numeric_limits<double>::infinity();
    }
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
[[nodiscard]] std::vector<std::shared_ptr<const CostModel>> costModelsFor(std::string_view dialect);
/// Finds a model by name; the error lists the names. Values of its parameters may follow behind a colon, separated by commas:
/// "roofline:device=laptop,sizes=64,N=8". A word without a name is a value of the first parameter with choices, and everything else
/// belongs to the first parameter that is a text: "roofline:laptop,64,N=8", "ks-sized:n=64,m=8".
[[nodiscard]] Result<std::shared_ptr<const CostModel>> findCostModel(std::string_view name);
/// The same for programs of that kind; an empty name selects the default. Fails also if the model does not apply to such programs.
[[nodiscard]] Result<std::shared_ptr<const CostModel>> findCostModel(std::string_view name, std::string_view dialect);
/// The name of a model without values that mean something else on another machine: "roofline:this-machine" has the values of its
/// calibration instead. It is what is stored with results. A name that cannot be settled stays as it is, and findCostModel() says why.
struct SettledName {
    std::string name;
    std::string warning;  ///< for the user; usually empty
};
[[nodiscard]] SettledName settledName(std::string_view name);
/// The name by which the model with these values is found; values that are the default are left out.
[[nodiscard]] std::string costModelName(const CostModelInfo& info, const ParameterValues& values);
/// The sizes that a model assumes, as readSizes() has them; 1 if it has no such parameter.
[[nodiscard]] std::string sizesOf(const CostModelInfo& info);

}  // namespace mitos::cost
