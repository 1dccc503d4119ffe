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

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::extract {

/// The extraction used wherever an e-graph is grown from programs: searches, `saturate`, the desktop. A program counts
/// as found only with a thread from its start to it that the checker has accepted, and that preserves all defined
/// values as far as this can be shown (rewrite/definedness.h); so every reported program can be reached. Initially the
/// best of each start is the start itself, without steps, and it never gets worse.
///
/// Without reasons in the graph there are no threads; then programs count without them (`hasThreads`).
class CheckedExtraction {
public:
    struct Found {
        ir::TermId term;
        double cost = 0.0;       ///< cost of the whole program under the model
        rewrite::Thread thread;  ///< ends with the term; empty without `hasThreads`
    };
    /// A cheaper program that was rejected.
    struct Refused {
        double cost = 0.0;
        Error why;
        /// "what costs 2435.4 is left out, as no thread leads to it: …".
        [[nodiscard]] std::string toString() const;
    };

    /// The graph, which contains the starts, and the evaluator must outlive this object. The starts are either all
    /// trees or all graphs.
    CheckedExtraction(egraph::EGraph& graph, cost::CostEvaluator& costs, std::vector<ir::Program> starts);

    /// Must be called first after each iteration of a run: if the run restarted (SaturationReport::leftOut), discards
    /// everything found and returns true.
    bool follow(const egraph::SaturationReport& report);
    /// Prices the current graph, which must be clean. `mayValue` as for Pricing; after it returns false, the prices of
    /// graphs are those of before.
    bool update(absl::FunctionRef<bool()> mayValue);
    /// Takes the term that the method finds for each start, as of the last update, if it is cheaper and a thread leads
    /// to it; "tree" is Pricing::least. If a method fails, "tree" replaces it, and `note` gives the reason. If the cheapest tree is rejected
    /// because a step of its thread may lose a value, the next choices are tried: the cheapest trees without the e-nodes that these steps
    /// lead to. The graph is left unchanged. A program whose thread is not found before a stop or within the options' limits is
    /// rejected, but may be found later.
    void extract(std::string_view method, const Options& options = {}, const std::stop_token& stop = {});

    /// Takes that term of the start's class, which another extraction found, if it is cheaper and a thread leads to it.
    void consider(std::size_t start, ir::TermId term) { offer(m_roots[start], term, {}); }
    /// Takes what another extraction from the same starts found, and what it rejected, where that is cheaper. Returns whether anything
    /// found was.
    bool adopt(const CheckedExtraction& other);

    /// Shortens the threads to what was found (rewrite/detours.h).
    void shortenThreads(const std::stop_token& stop = {});

    [[nodiscard]] bool hasThreads() const { return m_graph->explains(); }
    [[nodiscard]] const Found& best(std::size_t start = 0) const { return m_roots[start].best; }
    /// The best of the start that is in the member's class; invalid if there is none.
    [[nodiscard]] ir::TermId cheapest(egraph::ENodeId member) const;
    /// The cheapest rejected program, if it costs less than the best.
    [[nodiscard]] const std::optional<Refused>& refused(std::size_t start = 0) const { return m_roots[start].refused; }
    /// Text for users: which method failed, and why; may be empty.
    [[nodiscard]] const std::string& note() const { return m_note; }
    [[nodiscard]] Pricing& pricing() { return *m_pricing; }
    [[nodiscard]] std::size_t bytes() const { return m_pricing->bytes(); }

private:
    struct Root {
        ir::Program program;
        egraph::ENodeId node;
        Found best;
        std::optional<Refused> refused;
        absl::flat_hash_set<ir::TermId> known;  ///< terms that were rejected
        std::vector<ir::TermId> losses =
            {};  ///< parts of these terms without which no step of their threads loses a value
    };
    /// Returns why no thread may be sought any longer; nothing if one may.
    using WhyNot = std::function<std::optional<Error>()>;

    void begin();
    /// An empty `whyNot` sets no limit.
    void offer(Root& root, ir::TermId term, const WhyNot& whyNot);
    /// Offers the cheapest terms without what was found to lose values.
    void offerOthers(Root& root, const WhyNot& whyNot);
    /// The part of the term that stands for what the step leads to.
    [[nodiscard]] ir::TermId partReachedBy(ir::TermId term, const rewrite::Thread& thread, std::size_t step) const;
    /// The live e-node of a term of the graph; invalid if there is none.
    [[nodiscard]] egraph::ENodeId nodeOf(ir::TermId term) const;
    /// Whether a program of that cost replaces the best: it is cheaper, or the first of finite cost.
    [[nodiscard]] static bool isBetter(const Root& root, double cost);
    static void refuse(Root& root, double cost, Error why);
    static void take(Root& root, Found found);
    /// rewrite::stepsThatStayDefined().
    [[nodiscard]] std::size_t definedSteps(const rewrite::Thread& thread) const;
    /// Takes the cheapest state among the first `steps` steps of a thread that is cheaper than the best and loses no defined value.
    void takePart(Root& root, const rewrite::Thread& thread, std::size_t steps);

    egraph::EGraph* m_graph;
    cost::CostEvaluator* m_costs;
    ir::Sharing m_sharing;
    std::unique_ptr<Pricing> m_pricing;
    std::vector<Root> m_roots;
    std::size_t m_leftOut = 0;  // number of left-out rules at the last `follow`
    std::string m_note;
};

}  // namespace mitos::extract
