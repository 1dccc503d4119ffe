// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/instance_parts.h"

#include "core/eval/simple_terms.h"
#include "core/ir/binding.h"
#include "core/ks/operators.h"

#include <array>
#include <cassert>

namespace mitos::eval {

using ir::CoreOp;
using ir::TermId;
using rules::VarKind;

namespace {

/// The type of what an entry of a variable's context binds.
ir::TypeId boundType(const ir::TermBank& bank, const rules::CompiledRule& rule, const rules::Substitution& substitution,
                     rules::VarIndex entry) {
    const TermId value = substitution.values[entry].term;
    return rule.variables[entry].kind == VarKind::Function ? bank.boundType(value) : bank.type(value);
}

/// Terms that are values; functions are not.
bool isValue(const ir::TermBank& bank, TermId term) {
    const ir::TypeKind kind = bank.types().kind(bank.type(term));
    return kind != ir::TypeKind::Lambda && kind != ir::TypeKind::LinearMap;
}

/// The size of the loop whose body the lambda is; invalid: not a loop.
TermId loopSize(const ir::TermBank& bank, TermId parent) {
    switch (ks::ksOp(bank.op(parent))) {
        case ks::Op::Build:
        case ks::Op::Sumbuild:
        case ks::Op::Diag: return bank.child(parent, 0);
        case ks::Op::BuildFromSparse: return bank.child(parent, 1);
        default: return {};
    }
}

}  // namespace

TermId partsOf(ir::TermBank& bank, const rules::CompiledRule& rule, const rules::Substitution& substitution,
               TermId program, const ir::Path& position) {
    std::vector<TermId> elements;
    for (std::size_t i = 0; i < rule.valueCount; ++i) {
        const VarKind kind = rule.variables[i].kind;
        if (kind != VarKind::Term && kind != VarKind::Sequence) continue;
        const rules::Context context =
            rules::effectiveContext(bank, rule, substitution.values, static_cast<rules::VarIndex>(i));
        std::vector<TermId> terms(substitution.values[i].sequence.begin(), substitution.values[i].sequence.end());
        const TermId value = substitution.values[i].term;  // invalid: the alternates taken do not bind it
        if (kind == VarKind::Term && value.isValid()) terms.push_back(value);
        for (TermId term : terms) {
            if (!isValue(bank, term)) continue;
            for (auto entry = context.rbegin(); entry != context.rend(); ++entry)
                term = ir::instantiate(bank, term, plainTerm(bank, boundType(bank, rule, substitution, *entry)));
            elements.push_back(term);
        }
    }
    struct Level {
        TermId parent;
        TermId node;
        std::uint32_t child;
    };
    std::vector<Level> levels;
    TermId parent;
    TermId node = program;
    for (const std::uint32_t child : position) {
        levels.push_back({parent, node, child});
        parent = node;
        node = bank.child(node, child);
    }
    TermId result = bank.tuple(elements);
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
        if (bank.boundIn(level->node, level->child) == 0) continue;
        const Symbol hint = bank.symbols().intern("b");
        const ir::TypeId type = bank.boundType(level->node);
        if (bank.is(level->node, CoreOp::Let)) {
            result = bank.let(hint, bank.child(level->node, 0), result);
        } else if (const TermId size = level->parent.isValid() ? loopSize(bank, level->parent) : TermId();
                   size.isValid()) {
            const std::array children{size, bank.lambda(hint, type, result)};
            const Result<TermId> loop = bank.make(ks::opId(ks::Op::Build), children);
            assert(loop.ok());
            result = *loop;
        } else {
            result = ir::instantiate(bank, result, plainTerm(bank, type));
        }
    }
    return result;
}

}  // namespace mitos::eval
