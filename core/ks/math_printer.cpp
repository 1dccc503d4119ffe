// SPDX-License-Identifier: GPL-3.0-or-later
// See math.h. A line is first written as one line; if it is too long, it is taken back and written over several.
#include "core/base/deep_stack.h"
#include "core/ir/binding.h"
#include "core/ir/shared.h"
#include "core/ks/internal/math_words.h"
#include "core/ks/internal/printer.h"
#include "core/ks/math.h"
#include "core/ks/names.h"
#include "core/ks/operators.h"

#include <absl/functional/function_ref.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::ks {

using ir::CoreOp;
using ir::MathForm;
using ir::TermId;

namespace {

constexpr std::size_t DeepestIndent = 40;  // programs are nested thousands deep
constexpr const char* NoName = "_";        // of an element that no let names

/// Lets at the root that name the elements of a parameter.
struct Naming {
    std::size_t parameter = 0;          ///< the parameter's index
    std::vector<std::size_t> elements;  ///< for each let from the root on, the element that it names
    std::size_t arity = 0;
    TermId rest;  ///< what the lets are for
};

class MathPrinter {
public:
    MathPrinter(const ir::TermBank& bank, const ir::Program& program, MathForm form)
        : m_bank(bank),
          m_function(bank.function(program.function)),
          m_root(program.root),
          m_isLatex(form == MathForm::Latex),
          m_words(m_isLatex),
          m_width(m_isLatex ? 240 : 100),  // commands take no room on paper
          m_names(bank, {}, BinderNames::Style::Short) {
        for (const ir::Parameter& p : m_function.parameters) m_names.avoid(std::string(bank.text(p.name)));
        for (const ir::SizeName& s : m_function.sizes) m_names.avoid(std::string(bank.text(s.name)));
        m_names.avoidNamesIn(m_root);
    }

    ir::PrintedText run() {
        if (m_isLatex) put("\\begin{align*}\n&");
        withDeepStack(2 * m_bank.depth(m_root), [&] { program(); });
        if (m_isLatex) put("\n\\end{align*}");
        return inPreOrder();
    }

private:
    // --- text -----------------------------------------------------------------------------------------------------------

    void put(std::string_view text) { m_text += text; }
    void put(const char* text, const char* latex) { m_text += m_isLatex ? latex : text; }
    void newLine() {
        m_text += m_isLatex ? " \\\\\n" : "\n";
        m_lineBegin = m_text.size();
        if (m_isLatex) m_text += "&";
        for (std::size_t i = 0; i < std::min(m_indent, DeepestIndent); i += 2) m_text += m_isLatex ? "\\quad " : "  ";
    }
    /// Whether the line is too long, in characters.
    [[nodiscard]] bool isOver() const {
        if (m_text.size() - m_lineBegin <= m_width) return false;
        const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
        const auto line = std::string_view(m_text).substr(m_lineBegin);
        return static_cast<std::size_t>(std::ranges::count_if(line, begins)) > m_width;
    }

    // --- places ---------------------------------------------------------------------------------------------------------

    /// The text of a term. Children may be written in any order.
    struct Written {
        std::size_t parent = 0;  ///< the number of the parent's text; the root is its own parent
        std::uint32_t row = 0;   ///< among the parent's children
        ir::PrintedSpan span;
    };

    /// Writes the text of the term that is the child m_row of m_parent.
    void spanned(absl::FunctionRef<void()> write) {
        const std::size_t at = m_written.size();
        m_written.push_back({m_parent, m_row, {m_text.size(), 0}});
        const std::size_t parent = std::exchange(m_parent, at);
        write();
        m_parent = parent;
        m_written[at].span.end = m_text.size();
    }
    void below(std::uint32_t child, absl::FunctionRef<void()> write) {
        const std::uint32_t row = std::exchange(m_row, child);
        write();
        m_row = row;
    }

    [[nodiscard]] ir::PrintedText inPreOrder() {
        std::vector<std::size_t> first(m_written.size() + 1, 0);  // of the children of each, in `children`
        for (std::size_t i = 1; i < m_written.size(); ++i) ++first[m_written[i].parent + 1];
        for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
        std::vector<std::size_t> children(first.back());
        for (std::size_t i = 1; i < m_written.size(); ++i) children[first[m_written[i].parent] + m_written[i].row] = i;
        struct Next {
            std::size_t written;
            ir::NodePlaces::Index parent;  ///< its place
        };
        ir::PrintedText printed;
        std::vector<Next> open{{0, 0}};
        while (!open.empty()) {
            const Next next = open.back();
            open.pop_back();
            const auto place = static_cast<ir::NodePlaces::Index>(printed.spans.size());
            printed.places.add(next.parent, m_written[next.written].row);
            printed.spans.push_back(m_written[next.written].span);
            for (std::size_t i = first[next.written + 1]; i > first[next.written]; --i)
                open.push_back({children[i - 1], place});
        }
        printed.text = std::move(m_text);
        return printed;
    }
    void part(TermId term, std::uint32_t child, int need, bool isLast) {
        below(child, [&] { expression(m_bank.child(term, child), need, isLast); });
    }

    // --- forms ----------------------------------------------------------------------------------------------------------

    [[nodiscard]] Op op(TermId term) const { return ksOp(m_bank.op(term)); }
    [[nodiscard]] bool isInteger(TermId term) const { return m_bank.type(term) == m_bank.types().integer(); }
    [[nodiscard]] const Infix* infix(TermId term) const {
        const auto found = std::ranges::find(Infixes, op(term), &Infix::op);
        if (found == Infixes.end()) return nullptr;
        return op(term) == Op::Div && isInteger(term) ? &Quotient : &*found;
    }
    /// A quotient is a fraction in LaTeX.
    [[nodiscard]] bool isFraction(TermId term) const { return op(term) == Op::Div && m_isLatex && !isInteger(term); }
    /// A build or a sum whose function is written out.
    [[nodiscard]] bool isLoop(TermId term) const {
        return (op(term) == Op::Build || op(term) == Op::Sumbuild) && m_bank.is(m_bank.child(term, 1), CoreOp::Lam);
    }
    /// A loop with exits whose function is written out.
    [[nodiscard]] bool isExitLoop(TermId term) const {
        return op(term) == Op::Loop && m_bank.is(m_bank.child(term, 2), CoreOp::Lam);
    }
    /// The number of iterations or the last state of a loop with exits.
    [[nodiscard]] bool isPartOfLoop(TermId term) const {
        return m_bank.is(term, CoreOp::Get) && isExitLoop(m_bank.child(term, 0));
    }
    /// Whether the form has an open end: what follows would belong to it.
    [[nodiscard]] bool isOpen(TermId term) const {
        return isLoop(term) || isExitLoop(term) || m_bank.is(term, CoreOp::Lam);
    }
    [[nodiscard]] bool isNegative(TermId term) const {
        if (op(term) == Op::Neg || op(term) == Op::TsNeg) return true;
        if (!m_bank.is(term, CoreOp::Literal)) return false;
        const ir::Payload& payload = m_bank.payload(term);
        if (payload.kind() == ir::PayloadKind::Integer) return payload.asInteger() < 0;
        return payload.kind() == ir::PayloadKind::Float && std::signbit(payload.asFloat());
    }
    [[nodiscard]] int level(TermId term) const {
        if (m_bank.is(term, CoreOp::Let)) return Whole;
        if (op(term) == Op::ToFloat) return level(m_bank.child(term, 0));
        if (isNegative(term)) return Sum;
        if (isFraction(term)) return Prefix;
        if (const Infix* found = infix(term)) return found->level;
        if (op(term) == Op::Not) return Prefix;
        return op(term) == Op::Pow ? Power : Postfix;
    }

    /// Writes a term on the current line, in parentheses if it binds less strongly than `need`, or if it has an open end and is not the
    /// last form of its group.
    void expression(TermId term, int need, bool isLast) {
        if (m_isTried && isOver()) return;
        const bool wraps = level(term) < need || (isOpen(term) && !isLast);
        spanned([&] {
            if (wraps) put("(");
            form(term, wraps || isLast);
            if (wraps) put(")");
        });
    }

    void form(TermId term, bool isLast) {
        const ir::Payload& payload = m_bank.payload(term);
        if (m_bank.is(term, CoreOp::Literal)) return put(m_words.literal(m_bank, payload));
        if (m_bank.is(term, CoreOp::Variable)) return put(m_words.name(m_bank.text(payload.asSymbol())));
        if (m_bank.is(term, CoreOp::Bound)) return put(m_words.name(m_names.name(payload.asIndex())));
        if (m_bank.is(term, CoreOp::Let)) return where(term);
        if (m_bank.is(term, CoreOp::Tuple)) return list(term, "(", ")");
        if (m_bank.is(term, CoreOp::Get)) return element(term, payload);
        if (m_bank.is(term, CoreOp::Lam)) {
            put(m_words.name(m_names.enter(term)));
            put(" ↦ ", " \\mapsto ");
            part(term, 0, Part, true);
            return m_names.leave();
        }
        if (isLoop(term)) return loop(term, [&](TermId lam) { part(lam, 0, Part, true); });
        if (isExitLoop(term)) return exitLoop(term, [&](TermId lam) { put(" "), part(lam, 0, Part, true); });
        if (isFraction(term)) return fraction(term);
        if (const Infix* found = infix(term)) {
            part(term, 0, found->level == Comparison ? Comparison + 1 : found->level, false);
            put(std::string(" ") + (m_isLatex ? found->latex : found->text) + " ");
            return part(term, 1, found->level + 1, isLast);
        }
        special(term, isLast);
    }

    void special(TermId term, bool isLast) {
        switch (op(term)) {
            case Op::Neg:
            case Op::TsNeg: put("−", "-"); return part(term, 0, Product, isLast);
            case Op::Not: put("¬", "\\lnot "); return part(term, 0, Prefix, isLast);
            case Op::ToFloat: return part(term, 0, level(term), isLast);
            case Op::If: return put("{ ", "\\begin{cases} "), cases(term), put(" }", " \\end{cases}");
            case Op::Index: return subscripts(term);
            case Op::VecInit: return list(term, "[", "]");
            case Op::Abs: return put("|", "\\left|"), part(term, 0, Part, true), put("|", "\\right|");
            case Op::Dot: return list(term, m_isLatex ? "\\langle " : "⟨", m_isLatex ? "\\rangle" : "⟩");
            case Op::Pi: return put("π", "\\pi");
            case Op::Sqrt:
                if (!m_isLatex) return list(term, "√(", ")");
                return put("\\sqrt{"), part(term, 0, Whole, true), put("}");
            case Op::Pow:
                part(term, 0, Postfix, false);
                if (!m_isLatex) return put("^"), part(term, 1, Postfix, false);
                return put("^{"), part(term, 1, Whole, true), put("}");
            default: break;
        }
        list(term, calledName(term) + "(", ")");
    }

    std::string calledName(TermId term) const {
        const ir::Payload& payload = m_bank.payload(term);
        const bool isFunction = payload.kind() == ir::PayloadKind::Function;
        return m_words.function(isFunction ? m_bank.function(payload.asFunction()).name : m_bank.opName(term));
    }

    void list(TermId term, std::string_view begin, std::string_view end) {
        put(begin);
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            if (i > 0) put(", ");
            part(term, i, Part, true);
        }
        put(end);
    }

    /// Writes a term that gets a subscript.
    void base(TermId term) {
        const bool hasOne = m_isLatex && (op(term) == Op::Index || m_bank.is(term, CoreOp::Get));
        if (hasOne) put("{");
        expression(term, Postfix, false);
        if (hasOne) put("}");
    }

    void element(TermId term, const ir::Payload& payload) {
        const TermId whole = m_bank.child(term, 0);
        if (m_named && m_bank.is(whole, CoreOp::Variable) &&
            m_bank.payload(whole).asSymbol() == m_function.parameters[*m_named].name) {
            return below(0, [&] { spanned([&] { put(m_elements[payload.projectionIndex()]); }); });
        }
        below(0, [&] { base(m_bank.child(term, 0)); });
        putPart(term);
    }
    void putPart(TermId term) {
        const std::uint32_t index = m_bank.payload(term).projectionIndex();
        put(fmt::format(fmt::runtime(m_isLatex ? "_{{{}}}" : ".{}"), index + 1));
    }

    void fraction(TermId term) {
        put("\\frac{");
        part(term, 0, Part, true);
        put("}{");
        part(term, 1, Part, true);
        put("}");
    }

    /// index i (index k v) is v[k, i].
    void subscripts(TermId term) {
        const TermId vector = m_bank.child(term, 1);
        const bool goesOn = op(vector) == Op::Index;
        below(1, [&] {
            if (!goesOn) return base(vector);
            spanned([&] {
                subscripts(vector);
                m_text.resize(m_text.size() - 1);  // the bracket
            });
        });
        put(goesOn ? ", " : m_isLatex ? "_{" : "[");
        part(term, 0, Part, true);
        put(m_isLatex ? "}" : "]");
    }

    /// A let within a line: x + y where y = 2.
    void where(TermId term) {
        const std::string name = m_words.name(m_names.enter(term));
        part(term, 1, Part, false);
        m_names.leave();
        put(" where ", "\\text{ where } ");
        put(name + " = ");
        part(term, 0, Part, false);
    }

    /// x if p; y otherwise
    void cases(TermId term) {
        part(term, 1, Part, false);
        put("  if ", " & \\text{if } ");
        part(term, 0, Part, false);
        put(";  ", " \\\\ ");
        const TermId other = m_bank.child(term, 2);
        if (op(other) == Op::If) return below(2, [&] { spanned([&] { cases(other); }); });
        part(term, 2, Part, false);
        put("  otherwise", " & \\text{otherwise}");
    }

    /// The bounds of a build or a sum and of those directly in it, [i<n, k<m] or Σ i<n, k<m:, and then the body of the last one.
    void loop(TermId term, absl::FunctionRef<void(TermId lam)> body, std::string_view end = {}) {
        const bool isSum = op(term) == Op::Sumbuild;
        put(isSum ? "Σ " : "[", isSum ? "\\sum_{" : "[");
        if (!end.empty()) return bounds(term, end, body);
        bounds(term, isSum ? (m_isLatex ? "} " : ": ") : (m_isLatex ? "]\\; " : "] "), body);
    }
    void bounds(TermId term, std::string_view end, absl::FunctionRef<void(TermId lam)> body) {
        const TermId lam = m_bank.child(term, 1);
        const std::string name = m_words.name(m_names.enter(lam));
        m_names.leave();
        put(name + (m_isLatex ? " < " : "<"));
        part(term, 0, Sum, false);
        const TermId inner = m_bank.child(lam, 0);
        const bool goesOn = isLoop(inner) && op(inner) == op(term);
        put(goesOn ? std::string_view(", ") : end);
        below(1, [&] {
            spanned([&] {
                m_names.enter(lam);
                if (goesOn) {
                    below(0, [&] { spanned([&] { bounds(inner, end, body); }); });
                } else {
                    body(lam);
                }
                m_names.leave();
            });
        });
    }

    /// loop p = (0, s) while p.1 < n: (done, next state), where p is the pair (iterations, state).
    void exitLoop(TermId term, absl::FunctionRef<void(TermId lam)> body) {
        const TermId lam = m_bank.child(term, 2);
        const std::string name = m_words.name(m_names.enter(lam));
        m_names.leave();
        put("loop ", "\\text{loop } ");
        put(name + " = (0, ");
        part(term, 1, Part, true);
        put(") while ", ") \\text{ while } ");
        put(name + (m_isLatex ? "_{1} < " : ".1 < "));
        part(term, 0, Sum, false);
        put(":");
        below(2, [&] {
            spanned([&] {
                m_names.enter(lam);
                body(lam);
                m_names.leave();
            });
        });
    }

    // --- lines ----------------------------------------------------------------------------------------------------------

    /// Whether the term ends with lets, which get lines of their own.
    [[nodiscard]] bool endsWithLet(TermId term) const {
        if (isPartOfLoop(term)) term = m_bank.child(term, 0);
        while (isOpen(term)) {
            const TermId function = isExitLoop(term) ? m_bank.child(term, 2) : term;
            term = m_bank.child(isLoop(term) ? m_bank.child(term, 1) : function, 0);
        }
        return m_bank.is(term, CoreOp::Let);
    }

    void indented(absl::FunctionRef<void()> write) {
        m_indent += 4;
        write();
        m_indent -= 4;
    }

    /// Writes a term to the end of the line, and over further lines if it is too long for one.
    void rest(TermId term) {
        if (m_bank.is(term, CoreOp::Let)) return indented([&] { block(term); });
        if (!endsWithLet(term) && fits([&] { expression(term, Part, true); }, term)) return;
        spanned([&] { broken(term); });
    }

    /// Writes what holds the term, and takes it back if the line becomes too long.
    bool fits(absl::FunctionRef<void()> write, TermId term) {
        constexpr std::size_t LargestShare = 4;  // nodes for a character: some are not seen, as that of to_float
        if (m_bank.treeSize(term) > LargestShare * m_width) return false;
        const std::size_t size = m_text.size();
        const std::size_t written = m_written.size();
        m_isTried = true;
        write();
        m_isTried = false;
        if (!isOver()) return true;
        m_text.resize(size);
        m_written.resize(written);
        return false;
    }

    /// An operand of a form that is written over several lines.
    void operand(TermId term, std::uint32_t child, int need, bool isLast) {
        const TermId own = m_bank.child(term, child);
        below(child, [&] {
            if (fits([&] { expression(own, need, isLast); }, own)) return;
            if (!isBreakable(own)) return expression(own, need, isLast);
            const bool wraps = level(own) < need || (isOpen(own) && !isLast);
            spanned([&] {
                if (wraps) put("(");
                broken(own);
                if (wraps) put(")");
            });
        });
    }
    /// Whether a term may stand over several lines within another one.
    [[nodiscard]] bool isBreakable(TermId term) const {
        if (m_bank.is(term, CoreOp::Tuple) || isCall(term) || isCases(term)) return true;
        if (op(term) == Op::Neg || op(term) == Op::TsNeg) return true;
        return infix(term) != nullptr && !isFraction(term);
    }
    /// Whether the form is a brace with an alternative for each condition. In LaTeX it is an environment, which has lines already.
    [[nodiscard]] bool isCases(TermId term) const { return op(term) == Op::If && !m_isLatex; }
    /// Whether the form is a name with arguments in parentheses.
    [[nodiscard]] bool isCall(TermId term) const {
        constexpr std::array Signs{Op::Neg,     Op::TsNeg, Op::Not, Op::ToFloat, Op::If,   Op::Index,
                                   Op::VecInit, Op::Abs,   Op::Dot, Op::Pi,      Op::Sqrt, Op::Pow};
        if (m_bank.is(term, CoreOp::Call)) return true;
        return op(term) != Op::Count && infix(term) == nullptr && !isLoop(term) && !isExitLoop(term) &&
               std::ranges::find(Signs, op(term)) == Signs.end();
    }

    void broken(TermId term) {
        const Infix* const found = infix(term);
        if (isLoop(term)) {
            loop(
                term, [&](TermId lam) { onOwnLine(lam, 0); },
                op(term) == Op::Build ? "]"
                : m_isLatex           ? "}"
                                      : ":");
        } else if (isExitLoop(term)) {
            exitLoop(term, [&](TermId lam) { onOwnLine(lam, 0); });
        } else if (isPartOfLoop(term)) {
            below(0, [&] {
                spanned([&] {
                    put("(");
                    broken(m_bank.child(term, 0));
                    put(")");
                });
            });
            putPart(term);
        } else if (m_bank.is(term, CoreOp::Lam)) {
            put(m_words.name(m_names.enter(term)));
            put(" ↦ ", " \\mapsto ");
            onOwnLine(term, 0);
            m_names.leave();
        } else if (op(term) == Op::ToFloat) {
            below(0, [&] { rest(m_bank.child(term, 0)); });
        } else if (found != nullptr && !isFraction(term)) {
            chain(term, *found);
        } else if (m_bank.is(term, CoreOp::Tuple)) {
            lines(term, "(", ")");
        } else if (op(term) == Op::VecInit) {
            lines(term, "[", "]");
        } else if (op(term) == Op::Neg || op(term) == Op::TsNeg) {
            put("−", "-");
            operand(term, 0, Product, true);
        } else if (isCases(term)) {
            put("{ ");
            indented([&] { brokenCases(term); });
            put(" }");
        } else if (isCall(term) && m_bank.childCount(term) == 1) {
            put(calledName(term) + "(");
            operand(term, 0, Part, true);
            put(")");
        } else if (isCall(term)) {
            lines(term, calledName(term) + "(", ")");
        } else {
            form(term, true);
        }
    }
    /// An alternative a line.
    void brokenCases(TermId term) {
        alternative(term, 1);
        put("if ");
        operand(term, 0, Part, false);
        put(";");
        newLine();
        const TermId other = m_bank.child(term, 2);
        if (op(other) == Op::If) return below(2, [&] { spanned([&] { brokenCases(other); }); });
        alternative(term, 2);
        put("otherwise");
    }
    /// The condition follows on a line of its own where the value takes several.
    void alternative(TermId term, std::uint32_t child) {
        const std::size_t line = m_lineBegin;
        operand(term, child, Part, false);
        if (m_lineBegin == line) return put("  ");
        indented([&] { newLine(); });
    }
    void lines(TermId term, std::string_view begin, std::string_view end) {
        put(begin);
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            if (i > 0) put(",");
            onOwnLine(term, i);
        }
        put(end);
    }
    void onOwnLine(TermId parent, std::uint32_t child) {
        const TermId term = m_bank.child(parent, child);
        below(child, [&] {
            indented([&] {
                if (m_bank.is(term, CoreOp::Let)) return block(term);
                newLine();
                rest(term);
            });
        });
    }
    /// The operands of a sum or a product, one a line.
    void chain(TermId term, const Infix& own) {
        const TermId left = m_bank.child(term, 0);
        const Infix* const inner = infix(left);
        const bool isComparison = own.level == Comparison;
        if (inner != nullptr && inner->level == own.level && !isComparison && !isFraction(left)) {
            below(0, [&] { spanned([&] { chain(left, *inner); }); });
        } else {
            operand(term, 0, isComparison ? Comparison + 1 : own.level, false);
        }
        indented([&] {
            newLine();
            put(std::string(m_isLatex ? own.latex : own.text) + " ");
            operand(term, 1, own.level + 1, true);
        });
    }

    /// A line for every let, and one for what they are for.
    void block(TermId term) {
        if (!m_bank.is(term, CoreOp::Let)) {
            newLine();
            put("→ ", "\\to{}\\, ");
            return rest(term);
        }
        newLine();
        spanned([&] {
            const std::string name = m_words.name(m_names.enter(term));
            m_names.leave();
            put(name);
            below(0, [&] { definition(m_bank.child(term, 0)); });
            m_names.enter(term);
            below(1, [&] { block(m_bank.child(term, 1)); });
            m_names.leave();
        });
    }
    /// Writes the rest of a definition, after the name: " = x", or "[i<n] = x".
    void definition(TermId value) {
        if (op(value) == Op::Build && isLoop(value)) {
            return spanned([&] {
                loop(
                    value,
                    [&](TermId lam) {
                        const TermId body = m_bank.child(lam, 0);
                        if (!m_bank.is(body, CoreOp::Let)) put(" ");
                        below(0, [&] { rest(body); });
                    },
                    "] =");
            });
        }
        put(m_bank.is(value, CoreOp::Let) ? " =" : " = ");
        rest(value);
    }

    // --- the program ----------------------------------------------------------------------------------------------------

    /// The lets at a root that only name the elements of a parameter.
    [[nodiscard]] std::optional<Naming> naming(TermId root) const {
        std::optional<Naming> found;
        TermId at = root;
        for (; m_bank.is(at, CoreOp::Let); at = m_bank.child(at, 1)) {
            const TermId value = m_bank.child(at, 0);
            if (!m_bank.is(value, CoreOp::Get) || !m_bank.is(m_bank.child(value, 0), CoreOp::Variable)) break;
            const Symbol name = m_bank.payload(m_bank.child(value, 0)).asSymbol();
            const auto parameter = std::ranges::find(m_function.parameters, name, &ir::Parameter::name);
            const ir::Payload& payload = m_bank.payload(value);
            if (parameter == m_function.parameters.end()) break;
            const auto index = static_cast<std::size_t>(parameter - m_function.parameters.begin());
            if (!found) found = Naming{index, {}, payload.projectionArity(), {}};
            const bool isTaken = std::ranges::find(found->elements, payload.projectionIndex()) != found->elements.end();
            if (isTaken || found->parameter != index) break;
            found->elements.push_back(payload.projectionIndex());
        }
        if (found) found->rest = at;
        return found;
    }

    /// Whether a program uses a parameter only by elements that have names.
    [[nodiscard]] bool usesNamedElements(TermId root, std::size_t parameter,
                                         const std::vector<std::string>& names) const {
        const Symbol name = m_function.parameters[parameter].name;
        const auto isIt = [&](TermId term) {
            return m_bank.is(term, CoreOp::Variable) && m_bank.payload(term).asSymbol() == name;
        };
        if (isIt(root)) return false;
        for (const TermId term : ir::SharedNodes(m_bank, root)) {
            // Other tuples may have more elements than there are names.
            const bool isElement = m_bank.is(term, CoreOp::Get) && isIt(m_bank.child(term, 0)) &&
                                   names[m_bank.payload(term).projectionIndex()] != NoName;
            if (!isElement && std::ranges::any_of(m_bank.children(term), isIt)) return false;
        }
        return true;
    }

    /// Lets that only name elements of a parameter become names in the signature. The names stay when the lets are gone: they are
    /// then those of the function as it was read.
    void program() {
        const std::optional<Naming> own = naming(m_root);
        const std::optional<Naming> given = m_function.body.isValid() ? naming(m_function.body) : std::nullopt;
        const std::optional<Naming>& any = own ? own : given;
        if (!any || (own && given && own->parameter != given->parameter)) return withoutNames();
        std::vector<std::string> names(any->arity, NoName);
        // Whether all elements have names is known before the names are.
        for (const std::optional<Naming>& naming : {own, given}) {
            for (std::size_t i = 0; naming && i < naming->elements.size(); ++i) names[naming->elements[i]] = "named";
        }
        const TermId rest = own ? own->rest : m_root;
        if (!usesNamedElements(rest, any->parameter, names)) return withoutNames();
        names.assign(any->arity, NoName);
        std::vector<TermId> lets;
        for (TermId at = m_root; at != rest; at = m_bank.child(at, 1)) lets.push_back(at);
        if (given) {
            TermId at = m_function.body;
            for (const std::size_t element : given->elements) {
                const bool isOwn = own && std::ranges::find(own->elements, element) != own->elements.end();
                if (!isOwn) names[element] = m_words.name(m_names.reserve(at));
                at = m_bank.child(at, 1);
            }
        }
        for (std::size_t i = 0; i < lets.size(); ++i) names[own->elements[i]] = m_words.name(m_names.enter(lets[i]));
        m_named = any->parameter;
        m_elements = names;
        const std::vector<ir::PrintedSpan> places = header();
        for (std::size_t i = 0; i < lets.size(); ++i) {
            const std::size_t let = m_written.size();
            m_written.push_back({m_parent, m_row, {0, 0}});
            const ir::PrintedSpan& place = places[own->elements[i]];
            m_written.push_back({let, 0, place});      // the element
            m_written.push_back({let + 1, 0, place});  // the parameter in it
            m_parent = let;
            m_row = 1;
        }
        body(rest);
        for (std::size_t i = 0; i < lets.size(); ++i) m_written[3 * i].span.end = m_text.size();
    }

    void withoutNames() {
        header();
        body(m_root);
    }

    /// "f(x, y) =". Returns the places of the named elements of a parameter.
    std::vector<ir::PrintedSpan> header() {
        std::vector<ir::PrintedSpan> places;
        put(m_words.function(m_function.name) + "(");
        for (std::size_t i = 0; i < m_function.parameters.size(); ++i) {
            if (i > 0) put(", ");
            if (m_named != i) {
                put(m_words.name(m_bank.text(m_function.parameters[i].name)));
                continue;
            }
            const bool isOnly = m_function.parameters.size() == 1;
            if (!isOnly) put("(");
            for (std::size_t k = 0; k < m_elements.size(); ++k) {
                if (k > 0) put(", ");
                places.push_back({m_text.size(), m_text.size() + m_elements[k].size()});
                put(m_elements[k]);
            }
            if (!isOnly) put(")");
        }
        put(") =");
        return places;
    }

    /// Writes the body after the header: on its line if it fits there, else on lines of its own.
    void body(TermId term) {
        if (m_bank.is(term, CoreOp::Let)) {
            m_indent = 2;
            return block(term);
        }
        put(" ");
        rest(term);
    }

    const ir::TermBank& m_bank;
    const ir::Function& m_function;
    TermId m_root;
    bool m_isLatex;
    MathWords m_words;
    std::size_t m_width;
    BinderNames m_names;
    std::string m_text;
    std::size_t m_lineBegin = 0;
    std::size_t m_indent = 0;
    std::optional<std::size_t> m_named;   ///< the parameter whose elements have names
    std::vector<std::string> m_elements;  ///< their names
    bool m_isTried = false;               ///< the line is taken back if it becomes too long
    std::size_t m_parent = 0;             ///< of the term to be written next
    std::uint32_t m_row = 0;              ///< its row among the children of m_parent
    std::vector<Written> m_written;
};

}  // namespace

ir::PrintedText printMath(const ir::TermBank& bank, const ir::Program& program, MathForm form) {
    return MathPrinter(bank, program, form).run();
}

}  // namespace mitos::ks
