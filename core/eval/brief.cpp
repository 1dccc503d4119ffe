// SPDX-License-Identifier: GPL-3.0-or-later
// Prints a term in one short line for the messages of failures; the work is bounded however large the term is.
#include "core/eval/internal/interpreter.h"

#include <fmt/format.h>

namespace mitos::eval {

namespace {

using ir::CoreOp;
using ir::TermId;

constexpr std::size_t MaxLength = 90;
constexpr int MostNested = 4;

class BriefPrinter {
public:
    BriefPrinter(const ir::TermBank& bank, std::vector<std::string> names) : m_bank(bank), m_names(std::move(names)) {}

    std::string print(TermId term) {
        write(term, 0);
        return std::move(m_out);
    }

private:
    void write(TermId term, int nesting) {
        if (m_out.size() > MaxLength) {
            if (!m_out.ends_with("…")) m_out += "…";
            return;
        }
        const ir::Payload& payload = m_bank.payload(term);
        switch (payload.kind()) {
            case ir::PayloadKind::Integer:
                if (m_bank.is(term, CoreOp::Literal)) return append(fmt::format("{}", payload.asInteger()));
                break;
            case ir::PayloadKind::Float: return append(toString(Value(payload.asFloat())));
            case ir::PayloadKind::Bool: return append(payload.asBool() ? "true" : "false");
            case ir::PayloadKind::String: return append(toString(Value(std::string(m_bank.text(payload.asSymbol())))));
            case ir::PayloadKind::Name: return append(std::string(m_bank.text(payload.asSymbol())));
            case ir::PayloadKind::Index: return append(nameOf(payload.asIndex()));
            default: break;
        }
        if (nesting >= MostNested) return append("(…)");
        m_out += '(' + head(term);
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
            const bool binds = m_bank.boundIn(term, i) > 0;
            m_out += ' ';
            if (binds) m_names.push_back(binderName(term));
            write(m_bank.child(term, i), nesting + 1);
            if (binds) m_names.pop_back();
            if (m_out.ends_with("…")) break;
        }
        m_out += ')';
    }

    void append(const std::string& text) { m_out += text; }

    [[nodiscard]] std::string binderName(TermId binder) const {
        const Symbol hint = m_bank.hint(binder);
        return hint.isValid() ? std::string(m_bank.text(hint)) : "_";
    }

    [[nodiscard]] std::string nameOf(std::uint32_t index) const {
        return index < m_names.size() ? m_names[m_names.size() - 1 - index]
                                      : fmt::format("<bound {}>", index - m_names.size() + 1);
    }

    [[nodiscard]] std::string head(TermId term) const {
        const ir::Payload& payload = m_bank.payload(term);
        if (m_bank.is(term, CoreOp::Let)) return "let " + binderName(term);
        if (m_bank.is(term, CoreOp::Lam)) {
            return fmt::format("lam ({} : {})", binderName(term), m_bank.types().toString(payload.asType()));
        }
        if (m_bank.is(term, CoreOp::Call)) return m_bank.function(payload.asFunction()).name;
        if (m_bank.is(term, CoreOp::Get)) {
            return fmt::format("get${}${}", payload.projectionIndex() + 1, payload.projectionArity());
        }
        if (m_bank.is(term, CoreOp::Dummy)) return "$dummy " + m_bank.types().toString(payload.asType());
        if (payload.kind() == ir::PayloadKind::Integer)
            return fmt::format("{}${}", m_bank.opName(term), payload.asInteger());
        return std::string(m_bank.opName(term));
    }

    const ir::TermBank& m_bank;
    std::vector<std::string> m_names;
    std::string m_out;
};

}  // namespace

std::string briefText(const ir::TermBank& bank, TermId term, std::vector<std::string> names) {
    return BriefPrinter(bank, std::move(names)).print(term);
}

}  // namespace mitos::eval
