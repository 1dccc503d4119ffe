// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/open_calls.h"

#include "core/ir/binding.h"
#include "core/ir/calls.h"
#include "core/ks/operators.h"

#include <algorithm>
#include <vector>

namespace mitos::loops {

using ir::CoreOp;
using ir::FunctionId;
using ir::TermBank;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

/// The largest body that is opened wherever it is called, in nodes.
constexpr std::uint64_t SmallBody = 40;

bool contains(const ir::TypeTable& types, TypeId type, ir::TypeKind kind) {
    if (types.kind(type) == kind) return true;
    return std::ranges::any_of(types.children(type), [&](TypeId part) { return contains(types, part, kind); });
}

/// Whether the term ends in a vector whose length it states.
bool endsInStatedLength(const TermBank& bank, TermId term) {
    while (bank.is(term, CoreOp::Let)) term = bank.child(term, 1);
    switch (ks::ksOp(bank.op(term))) {
        case Op::VecInit: return true;
        case Op::If: return endsInStatedLength(bank, bank.child(term, 1));
        case Op::Build:
        case Op::ConstVec:
        case Op::DeltaVec: return bank.is(bank.child(term, 0), CoreOp::Literal);
        default: return false;
    }
}

}  // namespace

OpenCalls::OpenCalls(const TermBank& bank, const ir::Program& program) : m_bank(bank), m_program(program) {
    count(program.root);
    const std::vector<FunctionId> callees = ir::callOrder(bank, program);
    for (const FunctionId callee : callees) count(bank.function(callee).body);
    findRecursions(callees);
}

/// What is left of the call graph without the functions that call none of the rest, and without those that none of the rest calls.
void OpenCalls::findRecursions(const std::vector<FunctionId>& functions) {
    absl::flat_hash_map<FunctionId, std::vector<FunctionId>> callees;
    absl::flat_hash_map<FunctionId, std::vector<FunctionId>> callers;
    for (const FunctionId function : functions) {
        callees[function] = ir::calleesOf(m_bank, m_bank.function(function).body);
        for (const FunctionId callee : callees[function]) callers[callee].push_back(function);
        m_facts[function].isRecursive = true;
    }
    const auto peel = [&](auto& from, auto& to) {
        absl::flat_hash_map<FunctionId, std::size_t> left;
        std::vector<FunctionId> open;
        for (const FunctionId function : functions) {
            if (!m_facts[function].isRecursive) continue;
            for (const FunctionId other : from[function]) left[function] += m_facts[other].isRecursive ? 1 : 0;
            if (left[function] == 0) open.push_back(function);
        }
        while (!open.empty()) {
            const FunctionId function = open.back();
            open.pop_back();
            m_facts[function].isRecursive = false;
            for (const FunctionId other : to[function]) {
                if (m_facts[other].isRecursive && --left[other] == 0) open.push_back(other);
            }
        }
    };
    peel(callees, callers);
    peel(callers, callees);
}

void OpenCalls::count(TermId body) {
    if (!body.isValid()) return;
    m_size += m_bank.treeSize(body);
    std::vector<TermId> open{body};
    while (!open.empty()) {
        const TermId term = open.back();
        open.pop_back();
        if (m_bank.is(term, CoreOp::Call)) ++m_facts[m_bank.payload(term).asFunction()].calls;
        m_hasEffects = m_hasEffects || m_bank.registry().info(m_bank.op(term)).traits.effectful;
        open.insert(open.end(), m_bank.children(term).begin(), m_bank.children(term).end());
    }
}

const OpenCalls::Facts& OpenCalls::factsOf(FunctionId id) {
    Facts& facts = m_facts[id];
    if (facts.isKnown) return facts;
    facts.isKnown = true;
    const ir::Function& function = m_bank.function(id);
    const bool isPlain = function.body.isValid() && function.sharing == ir::Sharing::Tree && id != m_program.function;
    if (!isPlain) return facts;
    const ir::TypeTable& types = m_bank.types();
    bool hasVectors = contains(types, function.result, ir::TypeKind::Tensor);
    for (const ir::Parameter& parameter : function.parameters) {
        if (contains(types, parameter.type, ir::TypeKind::Lambda)) return facts;
        hasVectors = hasVectors || contains(types, parameter.type, ir::TypeKind::Tensor);
    }
    for (const ir::SizeName& size : function.sizes) {
        if (!size.parameter && ir::mentionsFree(m_bank, function.body, size.name)) return facts;
    }
    facts.mayOpen = hasVectors && !facts.isRecursive;
    facts.isSmall = m_bank.treeSize(function.body) <= SmallBody;
    facts.statesLength = endsInStatedLength(m_bank, function.body);
    return facts;
}

}  // namespace mitos::loops
