// SPDX-License-Identifier: GPL-3.0-or-later
// See analysis_checker.h.
#include "core/rules/language/analysis_checker.h"

#include "core/rules/language/editing.h"
#include "core/rules/language/expression_compiler.h"
#include "core/rules/language/internal/analysis_laws.h"
#include "core/rules/matching/open_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::rules {

namespace {

using syntax::Equation;
using Side = ExpressionCompiler::Side;

class AnalysisChecker {
public:
    AnalysisChecker(const std::shared_ptr<const SourceText>& source, const Names& names, std::vector<Error>& errors)
        : m_source(source),
          m_names(names),
          m_context{*source, m_names, m_noPatterns, errors} {}

    std::shared_ptr<const CompiledAnalysis> run(const syntax::Analysis& item) {
        const std::size_t before = m_context.errors.size();
        auto result = std::make_shared<CompiledAnalysis>();
        result->name = item.name.text;
        result->doc = item.doc;
        result->text = m_source->text().substr(item.span.begin, item.span.end - item.span.begin);
        result->place = m_source->place(item.name.span.begin);
        result->folds = item.folds;
        result->prunes = item.folds && !item.keeps;
        if (isConditionAttribute(item.name.text)) {
            m_context.error(item.name.span, fmt::format("terms have an attribute {} already", item.name.text),
                            "choose another name");
        }
        const auto isInexact = [](const syntax::Word& tag) {
            return tag.text == "real-only" || tag.text == "domain" || tag.text == "reassociating" ||
                   tag.text == "approximate";
        };
        if (std::ranges::any_of(item.tags, isInexact)) result->soundness = Soundness::RealOnly;
        for (const syntax::Word& word : item.values) result->words.push_back(word.text);
        m_names.addAnalysis(item.name.text, result->words);
        for (const Equation& each : item.equations) {
            if (auto compiled = equation(each)) put(*result, each, *std::move(compiled));
        }
        if (item.equations.empty() && m_context.errors.size() == before) {
            m_context.error(item.name.span, fmt::format("the analysis {} says nothing", item.name.text),
                            "its lines are `literal c = …`, `value f(a, b) = …`, `join a, b = …`, `means x, v: …`");
        }
        if (m_context.errors.size() > before) return nullptr;
        if (!result->folds && !result->means) {
            m_context.error(
                item.name.span,
                fmt::format("it is not said what the values of {} mean, so nothing can test it", item.name.text),
                "add `means x, v: …`, a condition on a number x of which v is known, or `fold`");
            return nullptr;
        }
        if (std::optional<BrokenLaw> broken = brokenLaw(*result, m_names.registry())) {
            m_context.error(broken->span, std::move(broken->message), std::move(broken->hint));
            return nullptr;
        }
        return result;
    }

private:
    std::optional<AnalysisEquation> equation(const Equation& item) {
        const std::size_t before = m_context.errors.size();
        ExpressionCompiler compiler(m_context);
        AnalysisEquation result;
        result.place = m_source->place(item.span.begin);
        result.text = m_source->text().substr(item.span.begin, item.span.end - item.span.begin);
        for (const syntax::Word& name : item.names) {
            if (compiler.find(name.text) != NoVar) m_context.error(name.span, "two names are needed");
            result.operands.push_back(compiler.addVariable(name.text, VarKind::Term));
        }
        if (item.pattern) readPattern(compiler, *item.pattern, result);
        if (m_context.errors.size() > before) return std::nullopt;
        compiler.closeLeft();
        if (item.condition) result.scope.guard = compiler.compileTruth(*item.condition);
        result.value =
            item.kind == Equation::Kind::Means ? compiler.compileTruth(item.value) : compiler.compileValue(item.value);
        for (const ConditionNode& node : compiler.table.conditions) requireValues(node);
        if (m_context.errors.size() > before) return std::nullopt;
        result.scope.valueCount = compiler.variables.size();
        result.scope.variables = std::move(compiler.variables);
        result.scope.table = std::move(compiler.table);
        result.scope.source = m_source;
        result.scope.guardSpan = item.span;
        return result;
    }

    /// Reads f[axis=k](a, b): different names for the operands, names for attributes.
    void readPattern(ExpressionCompiler& compiler, const syntax::Expr& pattern, AnalysisEquation& into) {
        const std::uint32_t root = compiler.compile(pattern, Side::Left);
        if (root == NoNode) return;
        const NodeTable& table = compiler.table;
        const Node& node = table.nodes[root];
        static constexpr const char* Hint = "an equation is about one operator: value f(a, b) = …";
        if (node.kind != NodeKind::Apply || node.binder != NoVar || node.var != NoVar) {
            m_context.error(pattern.span, "expected an operator over names", Hint);
            return;
        }
        into.op = node.op;
        for (std::size_t i = 0; i < node.childCount; ++i) {
            const Node& child = table.child(node, i);
            const bool isKnown = std::ranges::find(into.operands, child.var) != into.operands.end();
            if (child.kind != NodeKind::Variable || isKnown) {
                m_context.error(child.span, "the operands of an equation are different names", Hint);
                return;
            }
            into.operands.push_back(child.var);
        }
        for (const std::uint32_t attribute : node.attributes) {
            const Node& value = table.nodes[attribute];
            if (value.kind != NodeKind::Variable && value.kind != NodeKind::AnyLiteral) {
                m_context.error(pattern.span, "an attribute of an equation is a name",
                                "put a condition on it after `if`: value f[axis=k](a) = a if k == 0");
                return;
            }
            into.attributes.push_back(value.kind == NodeKind::Variable ? value.var : NoVar);
        }
    }

    /// An analysis sees values and types, not terms.
    void requireValues(const ConditionNode& node) {
        const bool isOfTerm = node.kind != ConditionKind::Value && asksForTerm(node);
        if (!isOfTerm) return;
        m_context.error(node.span, "an analysis sees the values of operands and their types, not the operands",
                        "a name is the value that is known of the operand; a.type, a.rank and a.shape are of its type");
    }

    void put(CompiledAnalysis& analysis, const Equation& item, AnalysisEquation equation) {
        switch (item.kind) {
            case Equation::Kind::Literal: analysis.literals.push_back(std::move(equation)); break;
            case Equation::Kind::Value: analysis.operators.push_back(std::move(equation)); break;
            case Equation::Kind::Join: analysis.joins.push_back(std::move(equation)); break;
            case Equation::Kind::Means:
                if (analysis.means) {
                    m_context.error(item.span, "it is said already what the values mean",
                                    fmt::format("join the conditions with `or`: {}", analysis.means->text));
                }
                analysis.means = std::move(equation);
        }
    }

    const std::shared_ptr<const SourceText>& m_source;
    Names m_names;  ///< with the words of this analysis
    PatternTable m_noPatterns;
    CompileContext m_context;
};

}  // namespace

std::shared_ptr<const CompiledAnalysis> checkAnalysis(const syntax::Analysis& analysis,
                                                      const std::shared_ptr<const SourceText>& source,
                                                      const Names& names, std::vector<Error>& errors) {
    return AnalysisChecker(source, names, errors).run(analysis);
}

}  // namespace mitos::rules
