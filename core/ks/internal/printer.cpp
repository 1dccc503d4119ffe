// SPDX-License-Identifier: GPL-3.0-or-later
// Prints terms as text.
#include "core/ks/internal/printer.h"

#include "core/base/deep_stack.h"
#include "core/ir/shared.h"
#include "core/ks/internal/expression_reader.h"
#include "core/ks/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace mitos::ks {

namespace {

constexpr std::size_t Step = 2;
constexpr std::size_t Unlimited = std::numeric_limits<std::size_t>::max() / 2;

}  // namespace

void FormLayout::begin(Style style, std::string head) {
    m_open.push_back(m_forms.size());
    m_forms.push_back({std::move(head), style, 0, 0});
}

void FormLayout::end() {
    const std::size_t at = m_open.back();
    m_open.pop_back();
    Form& form = m_forms[at];
    form.next = m_forms.size();
    form.flatWidth = form.head.size();
    if (form.style == Style::Atom) return;
    for (std::size_t child = at + 1; child < form.next; child = m_forms[child].next) {
        form.flatWidth += 1 + m_forms[child].flatWidth;
        const bool letInLet = form.style == Style::Let && child != at + 1 && m_forms[child].style == Style::Let;
        form.chain = form.chain || m_forms[child].chain || letInLet;
    }
    form.flatWidth += form.style == Style::Let ? 2 : 1;
}

std::string FormLayout::print(int width, std::size_t column, std::size_t closing) {
    // The text starts with blanks up to the column, so that columns are distances within the text; they are removed at the end.
    m_text.assign(column, ' ');
    m_lineBegin = 0;
    m_width = width <= 0 ? Unlimited : static_cast<std::size_t>(width);
    m_places.assign(m_forms.size(), {});
    if (!m_forms.empty()) put(0, column, closing);
    for (Place& place : m_places) {
        place.begin -= column;
        place.end -= column;
    }
    return m_text.substr(column);
}

bool FormLayout::fits(std::size_t form, std::size_t closing) const {
    return (!m_forms[form].chain || m_width >= Unlimited) && column() + m_forms[form].flatWidth + closing <= m_width;
}

void FormLayout::newLine(std::size_t indent) {
    m_text += '\n';
    m_lineBegin = m_text.size();
    // Without this limit, deep programs would consist mostly of blanks.
    m_text.append(std::min(indent, m_width * 6 / 10), ' ');
}

void FormLayout::putFlat(std::size_t form) {
    m_places[form].begin = m_text.size();
    m_text += m_forms[form].head;
    bool first = true;
    for (std::size_t child = form + 1; child < m_forms[form].next; child = m_forms[child].next) {
        m_text += ' ';
        putFlat(child);
        if (first && m_forms[form].style == Style::Let) m_text += ')';
        first = false;
    }
    if (m_forms[form].style != Style::Atom) m_text += ')';
    m_places[form].end = m_text.size();
}

/// `closing` is the number of parentheses of enclosing forms that follow directly.
void FormLayout::put(std::size_t at, std::size_t indent, std::size_t closing) {
    if (fits(at, closing)) return putFlat(at);
    const Form& form = m_forms[at];
    m_places[at].begin = m_text.size();
    m_text += form.head;
    bool below = false;
    bool afterAtom = false;
    std::size_t lastChild = at + 1;
    while (lastChild < form.next && m_forms[lastChild].next < form.next) lastChild = m_forms[lastChild].next;
    const bool lamLast = lastChild < form.next && m_forms[lastChild].style == Style::Lam;
    for (std::size_t child = at + 1; child < form.next; child = m_forms[child].next) {
        const bool last = m_forms[child].next == form.next;
        const bool first = child == at + 1;
        const std::size_t after = last ? closing + 1 : 0;
        if (form.style == Style::Let && first) {
            m_text += ' ';
            put(child, indent + 2 * Step, 1);
            m_text += ')';
            continue;
        }
        const bool chain = form.style == Style::Let && m_forms[child].style == Style::Let;
        const std::size_t inner = indent + (chain ? 1 : Step);
        const bool narrow = m_forms[child].style == Style::Atom || (lamLast && !last && !m_forms[child].chain);
        // In long lists, atoms fill the lines.
        const bool filling = below && afterAtom && m_forms[child].style == Style::Atom;
        afterAtom = m_forms[child].style == Style::Atom;
        const bool beside = form.style == Style::Call && (!below || filling) &&
                            ((narrow && column() + 1 + m_forms[child].flatWidth + after <= m_width) ||
                             (last && m_forms[child].style == Style::Lam));
        if (beside) {
            m_text += ' ';
            put(child, indent, after);
            continue;
        }
        below = true;
        newLine(inner);
        put(child, inner, after);
    }
    if (form.style != Style::Atom) m_text += ')';
    m_places[at].end = m_text.size();
}

using ir::CoreOp;
using ir::TermId;

void BinderNames::avoidNamesIn(TermId root) {
    for (const TermId term : ir::SharedNodes(m_bank, root)) {
        if (m_bank.is(term, CoreOp::Variable))
            m_taken.insert(std::string(m_bank.text(m_bank.payload(term).asSymbol())));
        // (pi) would be read as the variable pi if such a variable were visible.
        if (m_bank.childCount(term) == 0 && m_bank.is(term, CoreOp::Call)) {
            m_taken.insert(m_bank.function(m_bank.payload(term).asFunction()).name);
        } else if (m_bank.childCount(term) == 0) {
            m_taken.insert(std::string(m_bank.opName(term)));
        }
    }
}

namespace {
/// Whether programs made the name up: var4, tmp12.
bool isMadeUp(std::string_view name) {
    const std::size_t word = name.find_last_not_of("0123456789") + 1;
    const std::string_view head = name.substr(0, word);
    return word < name.size() && (head == "var" || head == "tmp");
}
}  // namespace

std::string BinderNames::baseName(TermId binder) const {
    const Symbol hint = m_bank.hint(binder);
    const std::string name = hint.isValid() ? std::string(m_bank.text(hint)) : std::string();
    const bool isReplaced = m_style == Style::Short && isMadeUp(name);
    if (isVariableName(name) && !isReplaced) return name;
    const ir::TypeId type = m_bank.boundType(binder);
    const bool isInteger = type == m_bank.types().integer();
    if (isReplaced) {
        for (const char letter : std::string_view(isInteger ? "ijkpqr" : "uvwxyz")) {
            if (!m_taken.contains(std::string(1, letter))) return {letter};
        }
    }
    if (isInteger) return "i";
    return m_bank.types().isTensor(type) ? "v" : m_bank.types().isTuple(type) ? "t" : "x";
}

std::string BinderNames::reserve(TermId binder) {
    const std::string base = baseName(binder);
    std::string name = base;
    for (int i = 1; m_taken.contains(name); ++i) name = fmt::format("{}_{}", base, i);
    m_taken.insert(name);
    return name;
}

const std::string& BinderNames::enter(TermId binder) {
    const ir::TypeId type = m_bank.boundType(binder);
    std::string base = baseName(binder);
    const bool function = m_bank.types().kind(type) == ir::TypeKind::Lambda;
    // Function values are called by their names, which must differ from the names of functions.
    const auto free = [&](const std::string& name) {
        return !m_taken.contains(name) && !(function && m_bank.registry().find(name).isValid());
    };
    int& counter = m_counters[base];
    m_scopes.push_back({base, counter});
    std::string name = counter == 0 ? base : fmt::format("{}_{}", base, counter);
    while (!free(name)) name = fmt::format("{}_{}", base, ++counter);
    m_taken.insert(name);
    m_names.push_back(std::move(name));
    return m_names.back();
}

void BinderNames::leave() {
    m_counters[m_scopes.back().base] = m_scopes.back().counter;
    m_taken.erase(m_names.back());
    m_scopes.pop_back();
    m_names.pop_back();
}

std::string BinderNames::name(std::uint32_t index) const {
    return index < m_names.size() ? m_names[m_names.size() - 1 - index]
                                  : fmt::format("<bound {}>", index - m_names.size() + 1);
}

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
    for (const TermId term : ir::SharedNodes(bank, program.root)) {
        if (bank.is(term, CoreOp::Call) || readsDifferentlyBare(bank, term)) return false;
        if (bank.is(term, CoreOp::Variable) && bank.type(term) != bank.types().floating()) return false;
    }
    return true;
}

}  // namespace mitos::ks
