// SPDX-License-Identifier: GPL-3.0-or-later
// The cheapest programs of an e-graph together with the threads that lead to them.
#pragma once

#include "core/base/result.h"
#include "core/cost/cost_model.h"
#include "core/egraph/egraph.h"
#include "core/egraph/report.h"
#include "core/extract/pricing.h"
#include "core/rewrite/step.h"

#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::extract {

/// Extraction as everybody does it who grows an e-graph from programs: searches, `saturate`, the desktop. A program counts as found
/// only with a thread that leads to it from its start, that the checker has accepted, and that loses no defined value as far as is known
/// (rewrite/definedness.h); so what is promised is what can be taken. At first the best of each start is the start itself, without steps, and it never gets worse.
///
/// Without reasons in the graph there are no threads; then programs count without (`hasThreads`).
class CheckedExtraction {
public:
    struct Found {
        ir::TermId term;
        double cost = 0.0;       ///< as the model has it for the whole program
        rewrite::Thread thread;  ///< ends with the term; with `hasThreads`
    };
    /// A cheaper program that is no result.
    struct Refused {
        double cost = 0.0;
        Error why;
    };

    /// The graph, which has the starts, and the evaluator must outlive it. Starts are all trees or all graphs.
    CheckedExtraction(egraph::EGraph& graph, cost::CostEvaluator& costs, std::vector<ir::Program> starts);

    /// To be called before anything else after an iteration of a run: where the run began anew (SaturationReport::leftOut), what
    /// was found is void, and it returns true.
    bool follow(const egraph::SaturationReport& report);
    /// Prices the graph, which must be clean, as it is now. `mayValue` as for Pricing; after a no, prices of graphs are those of
    /// before.
    bool update(absl::FunctionRef<bool()> mayValue);
    /// Takes what the method finds for each start, as of the last update, where it is cheaper and a thread leads to it; "tree" is
    /// Pricing::least. Where a method fails, "tree" stands in for it, and `note` says why. The graph comes out as it went in.
    void extract(std::string_view method, const Options& options = {}, const std::stop_token& stop = {});

    [[nodiscard]] bool hasThreads() const { return m_graph->explains(); }
    [[nodiscard]] const Found& best(std::size_t start = 0) const { return m_roots[start].best; }
    /// The best of the start that is in the member's class; nothing where none is.
    [[nodiscard]] ir::TermId cheapest(egraph::ENodeId member) const;
    /// The cheapest of those that were refused, where it costs less than the best.
    [[nodiscard]] const std::optional<Refused>& refused(std::size_t start = 0) const { return m_roots[start].refused; }
    /// For people: which method failed, and why; may be empty.
    [[nodiscard]] const std::string& note() const { return m_note; }
    [[nodiscard]] Pricing& pricing() { return *m_pricing; }
    [[nodiscard]] std::size_t bytes() const { return m_pricing->bytes(); }

private:
    struct Root {
        ir::Program program;
        egraph::ENodeId node;
        Found best;
        std::optional<Refused> refused;
        absl::flat_hash_set<ir::TermId> known;  ///< terms that are refused
    };
    void begin();
    void offer(Root& root, ir::TermId term);
    static void refuse(Root& root, ir::TermId term, double cost, Error why);
    static void take(Root& root, Found found);
    /// Takes the cheapest state among the first steps of a thread, if it is cheaper than the best.
    void takePart(Root& root, const rewrite::Thread& thread, std::size_t steps);

    egraph::EGraph* m_graph;
    cost::CostEvaluator* m_costs;
    ir::Sharing m_sharing;
    std::unique_ptr<Pricing> m_pricing;
    std::vector<Root> m_roots;
    std::size_t m_leftOut = 0;  // rules, when it was last followed
    std::string m_note;
};

}  // namespace mitos::extract
