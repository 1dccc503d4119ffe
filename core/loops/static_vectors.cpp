// SPDX-License-Identifier: GPL-3.0-or-later
// Functions, lets, branches, lambdas.
#include "core/loops/static_vectors.h"

#include "core/base/deep_stack.h"
#include "core/ir/calls.h"
#include "core/loops/internal/expander.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cassert>

namespace mitos::loops {

using ir::CoreOp;
using ir::FunctionId;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

/// A program may grow by this factor and this many nodes.
constexpr std::uint64_t GrowthFactor = 3;
constexpr std::uint64_t GrowthNodes = 2'000;

}  // namespace

Expander::Expander(const ir::TermBank& from, const ir::Program& program, ir::TermBank& to, OpenCalls& calls,
                   ir::TermOrigins* origins)
    : m_from(from),
      m_program(program),
      m_to(to),
      m_calls(calls),
      m_growth(GrowthFactor * calls.size() + GrowthNodes),
      m_map(from, to),
      m_code(to, origins),
      m_lengths(from) {}

ir::Program Expander::run() {
    ir::Program result;
    for (const FunctionId function : ir::callOrder(m_from, m_program)) ++m_names[m_from.function(function).name];
    result.function = declared(m_program.function);
    while (!m_waiting.empty()) {
        const Planned next = std::move(m_waiting.back());
        m_waiting.pop_back();
        define(next);
    }
    result.root = m_to.function(result.function).body;
    return result;
}

void Expander::define(const Planned& planned) {
    const ir::Function& source = m_from.function(planned.from);
    m_parameters.clear();
    m_bound.clear();
    m_sizeNames.clear();
    m_block = m_code.open({});
    std::size_t next = 0;
    for (std::size_t i = 0; i < source.parameters.size(); ++i) {
        m_parameters[source.parameters[i].name] = parameterOf(planned, i, next);
    }
    for (const ir::SizeName& size : source.sizes) {
        if (m_parameters.contains(size.name)) continue;
        if (const std::optional<std::int64_t> length = knownSize(planned, size)) {
            m_parameters[size.name] = ofTerm(m_to.integer(*length));
            continue;
        }
        const TermId variable = m_to.variable(m_map.symbol(size.name), m_to.types().integer());
        m_parameters[size.name] = ofTerm(variable);
        m_code.setSize(variable);
        if (size.parameter) m_sizeNames[m_map.symbol(size.name)] = variable;
    }
    const TermId body = planned.from == m_program.function ? m_program.root : source.body;
    TermId result;
    if (planned.part) {
        result = wholePart(body, *planned.part);
    } else {
        result = planned.result.empty() ? whole(body) : wholeNumbers(body, planned.result);
    }
    m_to.define(planned.to, m_code.close(m_block, result));
}

std::optional<ValueId> Expander::tried(absl::FunctionRef<std::optional<ValueId>()> work) {
    const BlockId block = m_code.open(m_block);
    std::optional<ValueId> result = inBlock(block, work);
    if (result) m_code.splice(block);
    return result;
}

std::string_view Expander::hintOf(TermId binder) const {
    const Symbol hint = m_from.hint(binder);
    return hint.isValid() ? m_from.text(hint) : std::string_view("x");
}

void Expander::bindLets(TermId& term) {
    while (m_from.is(term, CoreOp::Let)) {
        const std::string_view name = hintOf(term);
        const ValueId value = eval(m_from.child(term, 0), name);
        madeFor(m_from.child(term, 0));
        m_bound.push_back(bound(value, name));
        term = m_from.child(term, 1);
    }
    madeFor(term);
}

ValueId Expander::eval(TermId term, std::string_view hint) {
    const std::size_t outside = m_bound.size();
    const std::uint32_t before = m_code.origin();
    bindLets(term);
    const ValueId value = evalPlain(term, hint);
    if (at(value).kind == Kind::Term) m_code.noteMade(at(value).term);
    m_bound.resize(outside);
    m_code.setOrigin(before);
    return value;
}

ValueId Expander::evalPlain(TermId term, std::string_view hint) {
    const ir::OpId id = m_from.op(term);
    if (id.value < static_cast<std::uint32_t>(CoreOp::Count)) return evalCore(term, hint);
    const Op op = ks::ksOp(id);
    switch (op) {
        case Op::If: return conditional(term, hint);
        case Op::Assert: return asserted(term, hint);
        case Op::Dot:
        case Op::TsDot: return inner(term);
        case Op::Inline:
        case Op::Copydown: {
            const ValueId value = eval(m_from.child(term, 0), hint);
            return isStatic(value) ? value : ofTerm(made(op, {this->term(value)}), at(value).stated);
        }
        default: break;
    }
    if (op >= Op::Add && op < Op::Build) return arithmetic(op, term);
    if (op >= Op::TsAdd && op <= Op::TsNeg) return arithmetic(op, term);
    if (op >= Op::Build && op <= Op::BuildFromSparseTupled) return vector(op, term, hint);
    return ofTerm(residual(term));
}

ValueId Expander::evalCore(TermId term, std::string_view hint) {
    const ir::Payload& payload = m_from.payload(term);
    switch (static_cast<CoreOp>(m_from.op(term).value)) {
        case CoreOp::Variable: {
            const auto known = m_parameters.find(payload.asSymbol());
            if (known != m_parameters.end()) return known->second;
            return ofTerm(m_to.variable(m_map.symbol(payload.asSymbol()), m_map.type(m_from.type(term))));
        }
        case CoreOp::Bound: return m_bound[m_bound.size() - 1 - payload.asIndex()];
        case CoreOp::Tuple: {
            Parts parts;
            for (std::size_t i = 0; i < m_from.childCount(term); ++i) parts.push_back(eval(m_from.child(term, i)));
            return ofParts(Kind::Tuple, m_map.type(m_from.type(term)), std::move(parts));
        }
        case CoreOp::Get: return projection(term);
        case CoreOp::Call: return call(term, hint);
        case CoreOp::Lam: return ofTerm(lambda(term, m_map.type(payload.asType())));
        default: return ofTerm(m_map.term(term));  // literals and dummies
    }
}

ValueId Expander::projection(TermId term) {
    const std::uint32_t place = m_from.payload(term).projectionIndex();
    const TermId tuple = m_from.child(term, 0);
    return m_from.is(tuple, CoreOp::Call) ? call(tuple, {}, place) : partOf(eval(tuple), place);
}

ValueId Expander::partOf(ValueId tuple, std::uint32_t place) {
    if (at(tuple).kind == Kind::Tuple) {
        const Parts parts = at(tuple).parts;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (i != place) drop(parts[i]);
        }
        return parts[place];
    }
    const TypeId stated = m_to.types().children(at(tuple).stated)[place];
    return ofTerm(m_to.get(this->term(tuple), place), stated);
}

TermId Expander::whole(TermId term) {
    const std::size_t outside = m_bound.size();
    const std::uint32_t before = m_code.origin();
    bindLets(term);
    const TermId result = wholePlain(term);
    m_code.noteMade(result);
    m_bound.resize(outside);
    m_code.setOrigin(before);
    return result;
}

TermId Expander::wholePlain(TermId term) {
    if (m_from.is(term, CoreOp::Tuple)) {
        absl::InlinedVector<TermId, 8> parts;
        for (std::size_t i = 0; i < m_from.childCount(term); ++i) parts.push_back(whole(m_from.child(term, i)));
        return m_to.tuple(parts);
    }
    switch (ks::ksOp(m_from.op(term))) {
        case Op::If: return wholeBranches(term, [this](TermId branch) { return whole(branch); });
        case Op::Build:
        case Op::Map:
        case Op::Map2:
            if (mentionsElements(term)) break;
            return residual(term);
        case Op::VecInit:
        case Op::ConstVec:
        case Op::DeltaVec: return residual(term);
        default: break;
    }
    return this->term(eval(term));
}

TermId Expander::wholeBranches(TermId conditional, absl::FunctionRef<TermId(TermId)> wholeOf) {
    const TermId condition = this->term(eval(m_from.child(conditional, 0)));
    if (const std::optional<bool> known = truth(condition)) return wholeOf(m_from.child(conditional, *known ? 1 : 2));
    TermId branches[2];
    for (std::size_t i = 0; i < 2; ++i) {
        const BlockId block = m_code.openBranch(m_block, condition, i);
        branches[i] = m_code.branch(block, inBlock(block, [&] { return wholeOf(m_from.child(conditional, i + 1)); }));
    }
    return made(Op::If, {condition, branches[0], branches[1]});
}

ValueId Expander::conditional(TermId term, std::string_view hint) {
    TermId condition = this->term(eval(m_from.child(term, 0)));
    if (const std::optional<bool> known = truth(condition)) return eval(m_from.child(term, *known ? 1 : 2), hint);
    const BlockId blocks[2] = {m_code.openBranch(m_block, condition, 0), m_code.openBranch(m_block, condition, 1)};
    ValueId values[2];
    for (std::size_t i = 0; i < 2; ++i) {
        values[i] = inBlock(blocks[i], [&] { return eval(m_from.child(term, i + 1), hint); });
    }
    const Shape common = commonShape(values[0], values[1]);
    const bool isInline = m_code.isEmpty(blocks[0]) && m_code.isEmpty(blocks[1]);
    if (common.kind == Kind::Term && (isInline || !m_to.types().isNumeric(common.type))) {
        TermId branches[2];
        for (std::size_t i = 0; i < 2; ++i) {
            branches[i] = m_code.branch(blocks[i], inBlock(blocks[i], [&] { return this->term(values[i]); }));
        }
        return ofTerm(made(Op::If, {condition, branches[0], branches[1]}));
    }
    std::vector<std::vector<TermId>> leaves(2);
    bool isCheap = true;
    for (std::size_t i = 0; i < 2; ++i) {
        inBlock(blocks[i], [&] {
            flatten(common, values[i], leaves[i]);
            return 0;
        });
        isCheap = isCheap && m_code.isEmpty(blocks[i]) && std::ranges::all_of(leaves[i], [&](TermId leaf) {
                      return m_code.isAtom(leaf) && (m_to.types().isNumeric(m_to.type(leaf)));
                  });
    }
    constexpr std::size_t FewLeaves = 4;
    // Literals that are the same in both branches need no choice.
    std::vector<TermId> chosen = leaves[0];
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const bool isLiteral = m_to.is(chosen[i], CoreOp::Literal) || m_to.childCount(chosen[i]) == 0;
        if (!isLiteral || m_to.is(chosen[i], CoreOp::Variable) || leaves[1][i] != chosen[i]) open.push_back(i);
    }
    if (open.empty() && m_code.isEmpty(blocks[0]) && m_code.isEmpty(blocks[1])) {
        dropTerm(condition);
    } else if (isCheap && open.size() <= FewLeaves) {
        condition = atom(condition, "condition");
        for (const std::size_t i : open) chosen[i] = made(Op::If, {condition, leaves[0][i], leaves[1][i]});
    } else {
        std::vector<std::vector<TermId>> differing(2);
        for (const std::size_t i : open) {
            for (std::size_t branch = 0; branch < 2; ++branch) differing[branch].push_back(leaves[branch][i]);
        }
        const std::vector<TermId> variables = m_code.bindLeaves(
            m_block, Op::If, condition, blocks, std::move(differing), hint.empty() ? "chosen" : hint, hint.empty());
        for (std::size_t i = 0; i < open.size(); ++i) chosen[open[i]] = variables[i];
    }
    std::size_t next = 0;
    return rebuild(common, chosen, next);
}

ValueId Expander::asserted(TermId term, std::string_view hint) {
    const TermId condition = this->term(eval(m_from.child(term, 0)));
    const BlockId block = m_code.open(m_block);
    const ValueId value = inBlock(block, [&] { return eval(m_from.child(term, 1), hint); });
    const TermId result = m_code.branch(block, inBlock(block, [&] { return this->term(value); }));
    return ofTerm(made(Op::Assert, {condition, result}));
}

TermId Expander::residual(TermId term) {
    absl::InlinedVector<TermId, 8> children;
    for (std::size_t i = 0; i < m_from.childCount(term); ++i) {
        const TermId child = m_from.child(term, i);
        if (m_from.is(child, CoreOp::Lam)) {
            children.push_back(lambda(child, m_map.type(m_from.payload(child).asType())));
        } else {
            children.push_back(whole(child));
        }
    }
    ir::Payload payload = m_from.payload(term);
    if (payload.kind() == ir::PayloadKind::Type) payload = ir::Payload::type(m_map.type(payload.asType()));
    return m_to.stated(m_from.op(term), m_map.type(m_from.type(term)), children, payload);
}

TermId Expander::lambda(TermId lambda, TypeId stated) {
    const BlockId block = m_code.open(m_block);
    const TypeId type = m_map.type(m_from.payload(lambda).asType());
    const TermId parameter = m_code.parameter(block, hintOf(lambda), type);
    m_bound.push_back(ofTerm(parameter, stated));
    const TermId result = inBlock(block, [&] { return whole(m_from.child(lambda, 0)); });
    m_bound.pop_back();
    return m_code.lambda(block, result);
}

ValueId Expander::applied(TermId lambda, ValueId argument, std::string_view hint) {
    m_bound.push_back(bound(argument, hintOf(lambda), true));
    const ValueId value = eval(m_from.child(lambda, 0), hint);
    m_bound.pop_back();
    return value;
}

namespace {

/// Notes of each term of a copy which term it is.
void noteCopies(const ir::TermBank& bank, TermId root, ir::Transplanter& copies, ir::TermOrigins& origins) {
    absl::flat_hash_set<TermId> seen{root};
    std::vector<TermId> open{root};
    while (!open.empty()) {
        const TermId term = open.back();
        open.pop_back();
        origins.note(copies.term(term), term.value);
        for (const TermId child : bank.children(term)) {
            if (seen.insert(child).second) open.push_back(child);
        }
    }
}

}  // namespace

OwnProgram withStaticVectors(const ir::TermBank& bank, const ir::Program& program, ir::TermOrigins* origins) {
    OwnProgram result{std::make_unique<ir::TermBank>(bank.sharedRegistry()), {}};
    OpenCalls calls(bank, program);
    std::size_t levels = bank.depth(program.root);
    for (const FunctionId callee : ir::callOrder(bank, program)) {
        if (bank.function(callee).body.isValid()) levels += bank.depth(bank.function(callee).body);
    }
    withDeepStack(levels, [&] {
        if (calls.hasEffects()) {
            ir::Transplanter copies(bank, *result.bank);
            result.program = copies.program(program);
            if (origins != nullptr) noteCopies(bank, program.root, copies, *origins);
        } else {
            result.program = Expander(bank, program, *result.bank, calls, origins).run();
        }
    });
    return result;
}

}  // namespace mitos::loops
