// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/coarsening/elevate.h"

#include "core/base/deep_stack.h"
#include "core/coarsening/internal/affine.h"
#include "core/coarsening/internal/derivation.h"
#include "core/coarsening/internal/exits.h"
#include "core/coarsening/internal/unrolling.h"
#include "core/ir/binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace mitos::coarsening {

using ir::CoreOp;
using ir::Path;
using ir::TermBank;
using ir::TermId;
using ks::Op;

namespace {

/// Whether a term is element `place` of the bound variable `index`.
bool isElement(const TermBank& bank, TermId term, std::uint32_t index, std::uint32_t place) {
    return bank.is(term, CoreOp::Get) && bank.payload(term).projectionIndex() == place &&
           bank.is(bank.child(term, 0), CoreOp::Bound) && bank.payload(bank.child(term, 0)).asIndex() == index;
}

/// The parts of a loop's pair of state and element that its step uses.
struct PartsUsed {
    bool state = false;
    bool element = false;
    bool whole = false;
};

void collectParts(const TermBank& bank, TermId term, std::uint32_t index, PartsUsed& parts) {
    if (!ir::mentions(bank, term, index)) return;
    if (isElement(bank, term, index, 0)) {
        parts.state = true;
    } else if (isElement(bank, term, index, 1)) {
        parts.element = true;
    } else if (bank.is(term, CoreOp::Bound)) {
        parts.whole = true;
    } else {
        for (std::size_t i = 0; i < bank.childCount(term); ++i)
            collectParts(bank, bank.child(term, i), index + bank.boundIn(term, i), parts);
    }
}

class Elevation {
public:
    Elevation(TermBank& bank, const ir::Program& program, const ElevationRules& rules, UnrollLimits limits,
              const std::stop_token& stop)
        : m_bank(bank),
          m_steps(bank, program, rules),
          m_limits(limits),
          m_stop(stop) {}

    Derivation& run() {
        visit({});
        Unrolling(m_steps, m_limits).run();
        return m_steps;
    }

private:
    void visit(const Path& position) {
        if (m_stop.stop_requested()) return;
        if (m_bank.is(m_steps.at(position), CoreOp::Let)) return visitLet(position);
        visitChildren(position);
        const TermId term = m_steps.at(position);
        if (m_steps.is(term, Op::Loop)) {
            Exits(m_steps).prepare(position);
        } else if (m_bank.is(term, CoreOp::Get) && Exits(m_steps).isLoop(m_bank.child(term, 0))) {
            closeExits(position);
        } else if (m_steps.is(term, Op::Log) || m_steps.is(term, Op::Div)) {
            stabilize(position);
        } else if (m_steps.is(term, Op::Fold) && m_bank.is(m_bank.child(term, 0), CoreOp::Lam)) {
            const std::size_t before = m_steps.length();
            if (closeLinear(position)) return;
            m_steps.backTo(before);
            if (!closeOtherwise(position)) m_steps.backTo(before);
        }
    }

    /// Logarithms and quotients of exponentials in a form that does not overflow. A sum of exponentials of differences is taken to be
    /// shifted already.
    void stabilize(const Path& position) {
        for (const Rule rule :
             {Rule::StableSoftplus, Rule::StableSoftplusMirrored, Rule::StableLogistic, Rule::StableLogisticMirrored}) {
            if (m_steps.apply(rule, position)) return;
        }
        const TermId sum = m_bank.child(m_steps.at(position), 0);
        if (!m_steps.is(sum, Op::Sumbuild) || !m_bank.is(m_bank.child(sum, 1), CoreOp::Lam)) return;
        const TermId element = m_bank.child(m_bank.child(sum, 1), 0);
        const bool isShifted = m_steps.is(element, Op::Exp) && m_steps.is(m_bank.child(element, 0), Op::Sub);
        if (!isShifted) m_steps.apply(Rule::StableLogSumExp, position);
    }

    void visitChildren(const Path& position) {
        for (std::uint32_t i = 0; i < m_bank.childCount(m_steps.at(position)); ++i) visit(ir::child(position, i));
    }

    void visitLet(const Path& position) {
        visit(ir::child(position, 0));
        const bool isLoop = Exits(m_steps).isLoop(m_bank.child(m_steps.at(position), 0));
        const std::optional<Path> body = isLoop ? closeNamed(position) : std::nullopt;
        visit(body ? *body : ir::child(position, 1));
    }

    /// Closes the states of a loop with exits that a let binds: the loop replaces its name, because the rules look at elements of its
    /// value. Returns the place of the let's body then; nothing if no state closes or the loop would get into another one.
    std::optional<Path> closeNamed(const Path& position) {
        const std::size_t before = m_steps.length();
        const Path body = Exits(m_steps).liftLets(position);
        std::vector<Path> states;
        bool isClosed = false;
        if (findStates(m_bank.child(m_steps.at(body), 1), 0, {}, states) && m_steps.apply(Rule::InlineLet, body)) {
            for (Path state : states) {
                state.insert(state.begin(), body.begin(), body.end());
                isClosed = closeExits(state) || isClosed;
            }
        }
        if (isClosed) return body;
        m_steps.backTo(before);
        return std::nullopt;
    }

    /// Adds the places below `place` of the states of a loop that is the bound variable `index`. Fails if a loop's function mentions it.
    bool findStates(TermId term, std::uint32_t index, const Path& place, std::vector<Path>& states) {
        if (!ir::mentions(m_bank, term, index)) return true;
        if (m_bank.is(term, CoreOp::Lam)) return false;
        if (isElement(m_bank, term, index, 1)) states.push_back(place);
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            if (!findStates(m_bank.child(term, i), index + m_bank.boundIn(term, i), ir::child(place, i), states))
                return false;
        }
        return true;
    }

    /// The last state of a loop with exits is that of a fold over the iterations that it makes. Returns whether that has a closed form.
    bool closeExits(const Path& position) {
        const std::size_t before = m_steps.length();
        const Exits exits(m_steps);
        const Path state = exits.liftLets(position);
        const bool isClosed = exits.toFold(state) && closeLinear(ir::child(state, 1));
        if (!isClosed) m_steps.backTo(before);
        return isClosed;
    }

    /// Closes the loop at the position if its step is a linear form of its state.
    bool closeLinear(const Path& loop) {
        m_steps.simplify(below(loop, {0, 0}));
        const TermId body = m_steps.at(below(loop, {0, 0}));
        PartsUsed parts;
        collectParts(m_bank, body, 0, parts);
        if (parts.whole || !parts.state || m_bank.type(body) != m_bank.types().floating()) return false;
        Path form = below(loop, {0, 0});
        if (parts.element) {
            if (!bindElement(form)) return false;
            form.push_back(1);
        }
        if (!Affine(m_steps, 0).normalize(form, parts.element ? 1 : 0)) return false;
        const Path factor = below(form, {0, 0});
        m_steps.simplify(factor);
        m_steps.simplify(ir::child(form, 1));
        if (!parts.element) return closeConstant(loop, form);
        return closeIndexed(loop, form);
    }

    /// C6: the factor and the summand do not depend on the iteration.
    bool closeConstant(const Path& loop, const Path& form) {
        if (m_steps.isNumber(m_steps.at(below(form, {0, 0})), 1.0)) {
            if (!m_steps.apply(Rule::MulOne, ir::child(form, 0)) || !m_steps.apply(Rule::LoopOfSum, loop)) return false;
        } else if (m_steps.isNumber(m_steps.at(ir::child(form, 1)), 0.0)) {
            if (!m_steps.apply(Rule::AddZerosRight, form) || !m_steps.apply(Rule::LoopOfProduct, loop)) return false;
        } else if (!m_steps.apply(Rule::LoopOfAffine, loop)) {
            return false;
        }
        m_steps.simplify(loop);
        closeGeometricSums(loop);
        return true;
    }

    /// C7 and C8. With both a factor and a summand that depend on the iteration, the closed form takes longer than the loop.
    bool closeIndexed(const Path& loop, const Path& form) {
        bool isClosed = false;
        if (m_steps.isNumber(m_steps.at(below(form, {0, 0})), 1.0)) {
            isClosed = m_steps.apply(Rule::MulOne, ir::child(form, 0)) && m_steps.apply(Rule::LoopOfIndexedSum, loop);
        } else if (m_steps.isNumber(m_steps.at(ir::child(form, 1)), 0.0)) {
            isClosed = m_steps.apply(Rule::AddZerosRight, form) && m_steps.apply(Rule::LoopOfIndexedProduct, loop);
        } else {
            isClosed = m_steps.apply(Rule::LoopOfIndexedAffine, loop);
        }
        if (isClosed) m_steps.simplify(loop);
        return isClosed;
    }

    bool closeOtherwise(const Path& loop) {
        const bool isClosed = m_steps.apply(Rule::LoopInvariant, loop) || m_steps.apply(Rule::LoopOfPower, loop);
        if (isClosed) m_steps.simplify(loop);
        return isClosed;
    }

    void closeGeometricSums(const Path& position) {
        const TermId term = m_steps.at(position);
        if (m_steps.is(term, Op::Sumbuild) && m_steps.apply(Rule::GeometricSum, position)) {
            m_steps.simplify(position);
            return;
        }
        for (std::uint32_t i = 0; i < m_bank.childCount(m_steps.at(position)); ++i)
            closeGeometricSums(ir::child(position, i));
    }

    /// Makes `let x = p.1 in body` of a step that uses the element p.1 of its vector.
    bool bindElement(const Path& body) {
        bool isBound = false;
        for (;;) {
            const Path rest = isBound ? ir::child(body, 1) : body;
            std::optional<Path> place = elementIn(m_steps.at(rest), isBound ? 1 : 0);
            if (!place) return isBound;
            place->insert(place->begin(), rest.begin(), rest.end());
            if (!m_steps.apply(Rule::NewBind, *place) || !m_steps.lift(*place, rest)) return false;
            if (isBound && !m_steps.apply(Rule::CseBind, body)) return false;
            isBound = true;
        }
    }

    /// The first place of p.1 in a term, where p is the bound variable `index`.
    std::optional<Path> elementIn(TermId term, std::uint32_t index) {
        if (isElement(m_bank, term, index, 1)) return Path();
        if (!ir::mentions(m_bank, term, index)) return std::nullopt;
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            std::optional<Path> place = elementIn(m_bank.child(term, i), index + m_bank.boundIn(term, i));
            if (!place) continue;
            place->insert(place->begin(), i);
            return place;
        }
        return std::nullopt;
    }

    TermBank& m_bank;
    Derivation m_steps;
    UnrollLimits m_limits;
    const std::stop_token& m_stop;
};

constexpr std::size_t MostStackLevels = 60'000;

/// A loop that is written out nests a definition for each of its operators.
std::size_t levelsOf(const TermBank& bank, const ir::Program& program, UnrollLimits limits) {
    const std::size_t depth = bank.depth(program.root) + (limits.iterations > 0 ? limits.operators : 0);
    return std::min(4 * depth, MostStackLevels);
}

}  // namespace

Result<ElevationRules> ElevationRules::load(std::shared_ptr<const ir::OperatorRegistry> registry) {
    MITOS_TRY(rules::RuleBook book, rules::RuleBook::load(Sets, std::move(registry)));
    return in(std::move(book));
}

Result<ElevationRules> ElevationRules::in(rules::RuleBook book) {
    ElevationRules rules(std::move(book));
    for (const std::string_view name : RuleNames) {
        std::shared_ptr<const rules::DirectedRule> rule = rules.m_book.find(name);
        if (!rule) {
            return Error{ErrorCode::InvalidInput,
                         fmt::format("the rule {}, by which loops become closed forms, is not in {}", name,
                                     rules.m_book.names()),
                         std::nullopt, "it was renamed or removed in the rule files: restore it"};
        }
        rules.m_known.push_back(std::move(rule));
    }
    return rules;
}

rewrite::Thread elevate(TermBank& bank, const ir::Program& program, const ElevationRules& rules, UnrollLimits limits,
                        const std::stop_token& stop) {
    rewrite::Thread thread;
    withDeepStack(levelsOf(bank, program, limits),
                  [&] { thread = Elevation(bank, program, rules, limits, stop).run().thread(); });
    return thread;
}

TermId symbolicForm(TermBank& bank, const ir::Program& program, const ElevationRules& rules, UnrollLimits limits,
                    const std::stop_token& stop) {
    TermId form;
    withDeepStack(levelsOf(bank, program, limits),
                  [&] { form = Elevation(bank, program, rules, limits, stop).run().end(); });
    return form;
}

}  // namespace mitos::coarsening
