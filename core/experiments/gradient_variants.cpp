// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/gradient_variants.h"

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

namespace mitos::experiments {

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
    Maker(const std::string& name, std::string_view text, const VariantPlan& plan)
        : m_name(name),
          m_text(text),
          m_plan(plan) {}

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
    /// A program in a bank of its own, as each derivation adds functions to its bank.
    struct Source {
        std::shared_ptr<TermBank> bank;
        ir::Program program;
    };
    [[nodiscard]] Result<Source> source() const {
        auto bank = std::make_shared<TermBank>(dialects::makeRegistry());
        MITOS_TRY(const ks::Module module, ks::parseModule(*bank, SourceText(m_name, std::string(m_text))));
        MITOS_TRY(const ir::Program program, ks::selectProgram(*bank, module, m_plan.function));
        return Source{std::move(bank), program};
    }

    void add(const char* name, const char* nameSpace, std::shared_ptr<TermBank> bank, const ir::Program& program,
             bool isGradient) {
        m_made.all.push_back({name, nameSpace, std::move(bank), program, isGradient});
    }

    Status addPlain() {
        MITOS_TRY(const Source plain, source());
        add(VariantName::Primal, "made_primal", plain.bank, plain.program, false);
        MITOS_TRY(const ir::FunctionId gradient, autodiff::gradient(*plain.bank, plain.program.function, m_plan.wrt));
        add(VariantName::Reverse, "made_reverse", plain.bank, {gradient, plain.bank->function(gradient).body}, true);
        MITOS_TRY(const Source closed, source());
        MITOS_TRY(const rules::RuleBook book, coarsening::elevationRules(closed.bank->sharedRegistry()));
        const ir::Program end =
            coarsening::elevate(*closed.bank, closed.program, book, {.operators = m_plan.sizeLimit}).end();
        add(VariantName::Closed, "made_closed", closed.bank, end, false);
        return Success{};
    }

    Result<coarsening::Coarsened> addCoarsened(const char* name, const char* nameSpace, CoarsenOptions options) {
        MITOS_TRY(const Source open, source());
        MITOS_TRY(const rules::RuleBook book, coarsening::elevationRules(open.bank->sharedRegistry()));
        options.wrt = m_plan.wrt;
        MITOS_TRY(coarsening::Coarsened made, coarsening::coarsen(*open.bank, open.program, book, options));
        add(name, nameSpace, open.bank, {made.derivative, open.bank->function(made.derivative).body}, true);
        return made;
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
        add(VariantName::NoReuse, "made_recomputed", last.bank, {last.program.function, root}, true);
        return Success{};
    }

    std::string m_name;
    std::string_view m_text;
    const VariantPlan& m_plan;
    Variants m_made;
};

}  // namespace

Result<Variants> gradientVariants(const std::string& name, std::string_view text, const VariantPlan& plan) {
    return Maker(name, text, plan).run();
}

}  // namespace mitos::experiments
