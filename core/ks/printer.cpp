// SPDX-License-Identifier: GPL-3.0-or-later
// Prints terms as text.
#include "core/ks/printer.h"

#include "core/base/deep_stack.h"
#include "core/ks/expression_reader.h"
#include "core/ks/names.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

namespace mitos::ks {

using ir::CoreOp;
using ir::PayloadKind;
using ir::TermId;

std::string TermPrinter::print(TermId term, std::size_t column, std::size_t closing) {
    m_layout = FormLayout();
    std::string text;
    withDeepStack(m_bank.depth(term), [&] {
        add(term);
        text = m_layout.print(m_options.width, column, closing);
    });
    return text;
}

std::string TermPrinter::atomText(TermId term) const {
    const ir::Payload& payload = m_bank.payload(term);
    switch (payload.kind()) {
        case PayloadKind::Integer: return fmt::format("{}", payload.asInteger());
        case PayloadKind::Float: return floatText(payload.asFloat());
        case PayloadKind::Bool: return payload.asBool() ? "true" : "false";
        case PayloadKind::String: return stringText(m_bank.text(payload.asSymbol()));
        case PayloadKind::Name: return std::string(m_bank.text(payload.asSymbol()));
        case PayloadKind::Index: return m_names.name(payload.asIndex());
        default: return {};
    }
}

std::string TermPrinter::headText(TermId term) const {
    const ir::Payload& payload = m_bank.payload(term);
    switch (payload.kind()) {
        case PayloadKind::Function: return "(" + m_bank.function(payload.asFunction()).name;
        case PayloadKind::Projection:
            return fmt::format("(get${}${}", payload.projectionIndex() + 1, payload.projectionArity());
        case PayloadKind::Type:
            return fmt::format("({} {}", m_bank.opName(term), m_bank.types().toString(payload.asType()));
        case PayloadKind::Integer: return fmt::format("({}${}", m_bank.opName(term), payload.asInteger());
        case PayloadKind::Attributes:
            return fmt::format("({}${}", m_bank.opName(term), m_bank.text(payload.asSymbol()));
        default: return fmt::format("({}", m_bank.opName(term));
    }
}

void TermPrinter::add(TermId term) {
    if (m_bank.is(term, CoreOp::Literal) || m_bank.is(term, CoreOp::Variable) || m_bank.is(term, CoreOp::Bound)) {
        m_layout.begin(FormLayout::Style::Atom, atomText(term));
    } else if (m_bank.is(term, CoreOp::Let)) {
        // The value is outside the scope of the name, but its text follows the name.
        const std::string name = m_names.enter(term);
        m_names.leave();
        m_layout.begin(FormLayout::Style::Let, "(let (" + name);
        add(m_bank.child(term, 0));
        m_names.enter(term);
        add(m_bank.child(term, 1));
        m_names.leave();
    } else if (m_bank.is(term, CoreOp::Lam)) {
        const std::string& name = m_names.enter(term);
        const std::string type = m_bank.types().toString(m_bank.boundType(term));
        m_layout.begin(FormLayout::Style::Lam,
                       m_options.compact ? fmt::format("(lam {}", name) : fmt::format("(lam ({} : {})", name, type));
        add(m_bank.child(term, 0));
        m_names.leave();
    } else {
        m_layout.begin(FormLayout::Style::Call, headText(term));
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) add(m_bank.child(term, i));
    }
    m_layout.end();
}

namespace {

/// Whether reading the operator's children in a bare expression would turn integers into Floats.
bool readsDifferentlyBare(const ir::TermBank& bank, TermId term) {
    if (ksOp(bank.op(term)) != Op::Mul) return false;  // operands of other operators have equal types
    const TermId left = bank.child(term, 0);
    const TermId right = bank.child(term, 1);
    const auto isFloat = [&](TermId t) { return bank.type(t) == bank.types().floating(); };
    return (isFloat(left) && isIntegerConstant(bank, right)) || (isFloat(right) && isIntegerConstant(bank, left));
}

}  // namespace

bool printsBare(const ir::TermBank& bank, const ir::Program& program) {
    if (!bank.function(program.function).bareExpression) return false;
    absl::flat_hash_set<TermId> seen{program.root};
    std::vector<TermId> open{program.root};
    while (!open.empty()) {
        const TermId term = open.back();
        open.pop_back();
        if (bank.is(term, CoreOp::Call) || readsDifferentlyBare(bank, term)) return false;
        if (bank.is(term, CoreOp::Variable) && bank.type(term) != bank.types().floating()) return false;
        for (const TermId child : bank.children(term)) {
            if (seen.insert(child).second) open.push_back(child);
        }
    }
    return true;
}

}  // namespace mitos::ks
