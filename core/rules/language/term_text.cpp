// SPDX-License-Identifier: GPL-3.0-or-later
// A term is a right side whose variables denote themselves.
#include "core/rules/language/term_text.h"

#include "core/rules/language/expression_compiler.h"
#include "core/rules/language/syntax.h"
#include "core/rules/matching/internal/instantiate.h"

#include <algorithm>
#include <string>
#include <vector>

namespace mitos::rules {

using syntax::Expr;
using syntax::ExprKind;

namespace {

/// The free names of an expression, in the order of their first appearance.
class FreeNames {
public:
    void visit(const Expr& expr) {
        switch (expr.kind) {
            case ExprKind::Name:
                if (!has(m_bound, expr.name) && !has(names, expr.name)) names.push_back(expr.name);
                return;
            case ExprKind::Let:
                visit(expr.children[0]);
                below(expr.name, expr.children[1]);
                return;
            case ExprKind::Lambda: below(expr.name, expr.children[0]); return;
            default:
                for (const Expr& child : expr.children) visit(child);
        }
    }

    std::vector<std::string> names;

private:
    static bool has(const std::vector<std::string>& list, const std::string& name) {
        return std::ranges::find(list, name) != list.end();
    }
    void below(const std::string& name, const Expr& body) {
        m_bound.push_back(name);
        visit(body);
        m_bound.pop_back();
    }

    std::vector<std::string> m_bound;
};

}  // namespace

Result<ir::TermId> readTerm(ir::TermBank& bank, const SourceText& text) {
    if (const std::size_t bad = text.firstInvalidByte(); bad != std::string::npos) {
        return text.error({bad, bad + 1}, "the text is not valid UTF-8");
    }
    MITOS_TRY(const Expr parsed, syntax::parseTerm(text));
    const Names names(bank.registry());
    const PatternTable patterns;
    std::vector<Error> errors;
    const CompileContext context{text, names, patterns, errors};
    ExpressionCompiler compiler(context);
    FreeNames free;
    free.visit(parsed);
    Substitution substitution;
    for (const std::string& name : free.names) {
        compiler.addVariable(name, VarKind::Term);
        const ir::TermId variable = bank.variable(bank.symbols().intern(name), bank.types().floating());
        substitution.values.push_back({variable, {}});
    }
    compiler.closeLeft();
    CompiledRule rule;
    rule.valueCount = compiler.variables.size();
    rule.branches.push_back({compiler.compile(parsed, ExpressionCompiler::Side::Right), NoNode});
    if (!errors.empty()) return errors.front();
    rule.table = std::move(compiler.table);
    rule.variables = std::move(compiler.variables);
    Result<ir::TermId> term = Instantiator(bank, rule, substitution).right({});
    if (term) return term;
    return text.error(parsed.span, term.error().message, term.error().hint);
}

}  // namespace mitos::rules
