// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/experiments/gradient_variants.h"

#include "core/autodiff/derivative.h"
#include "core/coarsening/coarsen.h"
#include "core/coarsening/elevate.h"
#include "core/dialects/dialects.h"
#include "core/ir/binding.h"
#include "core/ks/module.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace mitos::search::experiments {

using coarsening::CoarsenOptions;
using ir::TermBank;
using ir::TermId;

namespace {

constexpr std::uint64_t LargestTree = 20'000;  // of a gradient that computes everything where it is used
constexpr std::size_t NoLimit = std::numeric_limits<std::size_t>::max();

/// Puts numbers without loops into each place that uses them.
class Recomputing {
public:
    explicit Recomputing(TermBank& bank) : m_bank(bank) {}

    Result<TermId> run(TermId term) {
        if (const auto known = m_known.find(term); known != m_known.end()) return known->second;
        std::vector<TermId> children(m_bank.children(term).begin(), m_bank.children(term).end());
        for (TermId& child : children) {
            MITOS_TRY(child, run(child));
        }
        MITOS_TRY(TermId made, m_bank.withChildren(term, children));
        if (m_bank.is(made, ir::CoreOp::Let) && isNumber(m_bank.child(made, 0))) {
            const TermId inlined = ir::instantiate(m_bank, m_bank.child(made, 1), m_bank.child(made, 0));
            if (m_bank.treeSize(inlined) <= LargestTree) made = inlined;
        }
        m_known.emplace(term, made);
        return made;
    }

private:
    [[nodiscard]] bool isNumber(TermId term) const {
        return m_bank.type(term) == m_bank.types().floating() && !hasLoop(term);
    }
    [[nodiscard]] bool hasLoop(TermId term) const {
        if (m_bank.is(term, ir::CoreOp::Lam) || m_bank.is(term, ir::CoreOp::Call)) return true;
        return std::ranges::any_of(m_bank.children(term), [&](TermId child) { return hasLoop(child); });
    }

    TermBank& m_bank;
    absl::flat_hash_map<TermId, TermId> m_known;
};

class Maker {
public:
    Maker(const ProgramMaker& make, const VariantPlan& plan) : m_make(make), m_plan(plan) {}

    Result<Variants> run() {
        MITOS_REQUIRE(addPlain());
        MITOS_TRY(const coarsening::Coarsened made,
                  addCoarsened(VariantName::Coarsened, "made_coarsened", {.sizeLimit = m_plan.sizeLimit}));
        m_made.symbolicSeconds = made.seconds;
        m_made.segments = made.segments.size();
        m_made.isWhole = made.segments.size() == 1 && made.segments[0].isWhole;
        for (const coarsening::Segment& segment : made.segments) m_made.steps += segment.thread.steps.size();
        MITOS_TRY(
            const coarsening::Coarsened loops,
            addCoarsened(VariantName::Loops, "made_loops", {.sizeLimit = m_plan.sizeLimit, .closesLoops = false}));
        if (m_plan.ablates) MITOS_REQUIRE(addAblations());
        return std::move(m_made);
    }

private:
    void add(const char* name, const char* nameSpace, OwnProgram own, bool isGradient) {
        m_made.all.push_back({name, nameSpace, std::move(own.bank), own.program, isGradient});
    }

    Status addPlain() {
        MITOS_TRY(OwnProgram plain, m_make());
        add(VariantName::Primal, "made_primal", std::move(plain), false);
        MITOS_TRY(OwnProgram gradient, reverseDerivative(m_make, m_plan.wrt));
        add(VariantName::Reverse, "made_reverse", std::move(gradient), true);
        MITOS_TRY(OwnProgram closed, m_make());
        MITOS_TRY(const coarsening::ElevationRules rules,
                  coarsening::ElevationRules::load(closed.bank->sharedRegistry()));
        closed.program =
            coarsening::elevate(*closed.bank, closed.program, rules, {.operators = m_plan.sizeLimit}).end();
        add(VariantName::Closed, "made_closed", std::move(closed), false);
        return Success{};
    }

    Result<coarsening::Coarsened> addCoarsened(const char* name, const char* nameSpace, CoarsenOptions options) {
        options.wrt = m_plan.wrt;
        MITOS_TRY(CoarsenedProgram coarsened, coarsenedDerivative(m_make, options));
        add(name, nameSpace, std::move(coarsened.derivative), true);
        return std::move(coarsened.made);
    }

    Status addAblations() {
        MITOS_TRY(const coarsening::Coarsened whole,
                  addCoarsened(VariantName::Whole, "made_whole", {.sizeLimit = NoLimit}));
        m_made.size = whole.root.size;
        MITOS_REQUIRE(addRecomputed());
        // It is the coarsened gradient already.
        if (m_made.isWhole) {
            std::erase_if(m_made.all, [](const Variant& variant) { return variant.name == VariantName::Whole; });
        }
        MITOS_TRY(const coarsening::Coarsened halves,
                  addCoarsened(VariantName::Halves, "made_halves",
                               {.sizeLimit = std::max<std::size_t>(1, whole.root.size / 2)}));
        MITOS_TRY(const coarsening::Coarsened statements, addCoarsened(VariantName::Statements, "made_statements",
                                                                       {.selects = coarsening::Selects::Statements}));
        return Success{};
    }

    /// From the variant that was added last.
    Status addRecomputed() {
        const Variant last = m_made.all.back();
        MITOS_TRY(const TermId root, Recomputing(*last.bank).run(last.program.root));
        add(VariantName::NoReuse, "made_recomputed", {last.bank, {last.program.function, root}}, true);
        return Success{};
    }

    const ProgramMaker& m_make;
    const VariantPlan& m_plan;
    Variants m_made;
};

}  // namespace

ProgramMaker programOf(std::string name, std::string text, std::string function) {
    return [source = SourceText(std::move(name), std::move(text)),
            function = std::move(function)]() -> Result<OwnProgram> {
        auto bank = std::make_shared<TermBank>(dialects::makeRegistry());
        MITOS_TRY(const ks::Module module, ks::parseModule(*bank, source));
        MITOS_TRY(const ir::Program program, ks::selectProgram(*bank, module, function));
        return OwnProgram{std::move(bank), program};
    };
}

Result<OwnProgram> reverseDerivative(const ProgramMaker& make, const std::vector<std::size_t>& wrt) {
    MITOS_TRY(OwnProgram own, make());
    ir::FunctionId made;
    MITOS_TRY(made, wrt.empty() ? autodiff::derive(*own.bank, autodiff::Direction::Reverse, own.program.function)
                                : autodiff::gradient(*own.bank, own.program.function, wrt));
    own.program = {made, own.bank->function(made).body};
    return own;
}

Result<CoarsenedProgram> coarsenedDerivative(const ProgramMaker& make, const CoarsenOptions& options) {
    MITOS_TRY(OwnProgram own, make());
    MITOS_TRY(const coarsening::ElevationRules rules, coarsening::ElevationRules::load(own.bank->sharedRegistry()));
    MITOS_TRY(coarsening::Coarsened made, coarsening::coarsen(*own.bank, own.program, rules, options));
    own.program = {made.derivative, own.bank->function(made.derivative).body};
    return CoarsenedProgram{std::move(own), std::move(made)};
}

Result<Variants> gradientVariants(const ProgramMaker& make, const VariantPlan& plan) { return Maker(make, plan).run(); }

}  // namespace mitos::search::experiments
