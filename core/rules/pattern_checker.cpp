// SPDX-License-Identifier: GPL-3.0-or-later
// Named patterns: their parameters' kinds, their alternates, and that recursion consumes nodes.
#include "core/rules/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace mitos::rules {

using syntax::Expr;
using syntax::ExprKind;

namespace {

/// Words of the text with single spaces, to recognize alternates that are written twice.
std::string normalized(const SourceText& source, SourceSpan span) {
    std::string result;
    for (const char c : source.text().substr(span.begin, span.end - span.begin)) {
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') result.push_back(c);
    }
    return result;
}

class PatternCompiler {
public:
    PatternCompiler(const std::vector<const syntax::Pattern*>& items, const SourceText& source, const Names& names,
                    std::vector<Error>& errors, std::vector<std::string>& warnings)
        : m_items(items),
          m_source(source),
          m_names(names),
          m_errors(errors),
          m_warnings(warnings) {}

    std::shared_ptr<const PatternTable> run() {
        declare();
        findFunctionParameters();
        for (const syntax::Pattern* item : m_items) alternate(*item);
        spreadLimits();
        checkProductivity();
        return m_table;
    }

private:
    NamedPattern* find(const std::string& name) {
        for (NamedPattern& pattern : m_table->patterns) {
            if (pattern.name == name) return &pattern;
        }
        return nullptr;
    }

    void error(SourceSpan span, std::string message, std::string hint = {}) {
        m_errors.push_back(m_source.error(span, std::move(message), std::move(hint)));
    }

    void declare() {
        for (const syntax::Pattern* item : m_items) {
            std::vector<std::string> parameters;
            for (const syntax::Word& word : item->parameters) {
                if (std::find(parameters.begin(), parameters.end(), word.text) != parameters.end()) {
                    error(word.span, fmt::format("the parameter {} is named twice", word.text));
                }
                parameters.push_back(word.text);
            }
            if (m_names.find(item->name.text).isValid()) {
                error(item->name.span, fmt::format("{} is an operator and cannot name a pattern", item->name.text));
            }
            NamedPattern* known = find(item->name.text);
            if (known == nullptr) {
                m_table->patterns.push_back(
                    {item->name.text, parameters, std::vector<bool>(parameters.size(), false), {}, true, {}});
            } else if (known->parameters.size() != parameters.size()) {
                error(item->name.span,
                      fmt::format("{} had {} parameters above, here it has {}", item->name.text,
                                  known->parameters.size(), parameters.size()),
                      "all alternates of a pattern have the same parameters");
                known->usable = false;
            }
        }
    }

    /// A parameter is a function variable if some alternate applies it, or passes it on to such a parameter.
    void findFunctionParameters() {
        for (bool changed = true; changed;) {
            changed = false;
            for (const syntax::Pattern* item : m_items) {
                NamedPattern& pattern = *find(item->name.text);
                const auto mark = [&](const std::string& name) {
                    for (std::size_t i = 0; i < item->parameters.size() && i < pattern.isFunction.size(); ++i) {
                        if (item->parameters[i].text != name || pattern.isFunction[i]) continue;
                        pattern.isFunction[i] = true;
                        changed = true;
                    }
                };
                visitCalls(item->body, mark);
                for (const syntax::Constraint& constraint : item->with.constraints)
                    visitCalls(constraint.pattern, mark);
            }
        }
    }

    template <typename Mark>
    void visitCalls(const Expr& expr, const Mark& mark) {
        if (expr.kind == ExprKind::Call) {
            mark(expr.name);
            if (const NamedPattern* callee = find(expr.name)) {
                for (std::size_t i = 0; i < expr.children.size() && i < callee->isFunction.size(); ++i) {
                    if (callee->isFunction[i] && expr.children[i].kind == ExprKind::Name) mark(expr.children[i].name);
                }
            }
        }
        for (const Expr& child : expr.children) visitCalls(child, mark);
    }

    void alternate(const syntax::Pattern& item) {
        NamedPattern& pattern = *find(item.name.text);
        const std::size_t before = m_errors.size();
        const CompileContext context{m_source, m_names, *m_table, m_errors};
        ExpressionCompiler compiler(context);
        // The names of this alternate: they may differ from one alternate to the next.
        NamedPattern named{pattern.name, {}, pattern.isFunction, {}, true, {}};
        for (const syntax::Word& word : item.parameters) named.parameters.push_back(word.text);
        std::vector<std::string> locals;
        for (const syntax::Word& word : item.with.locals) locals.push_back(word.text);
        compiler.setParameters(named, locals);
        Alternate result;
        result.root = compiler.compile(item.body, ExpressionCompiler::Side::Left);
        for (const syntax::Constraint& constraint : item.with.constraints) {
            compiler.compile(constraint.pattern, ExpressionCompiler::Side::Left);
        }
        if (item.where) result.guard = compiler.compileGuard(*item.where);
        result.table = std::move(compiler.table);
        if (!item.with.locals.empty() || !item.with.constraints.empty()) {
            pattern.notExecutable = fmt::format(
                "{} has local variables or match constraints, which are checked but not matched yet", pattern.name);
        } else if (!compiler.notExecutable.empty()) {
            pattern.notExecutable = compiler.notExecutable;
        }
        if (m_errors.size() > before || result.root == NoNode) {
            pattern.usable = false;
            return;
        }
        warnIfUnreachable(item);
        pattern.alternates.push_back(std::move(result));
    }

    void warnIfUnreachable(const syntax::Pattern& item) {
        const std::string body = normalized(m_source, item.span);
        for (const syntax::Pattern* other : m_items) {
            if (other == &item) return;
            if (other->name.text != item.name.text) continue;
            const bool anything =
                other->body.kind == ExprKind::Name && !other->where && other->with.constraints.empty();
            if (!anything && normalized(m_source, other->span) != body) continue;
            const SourcePlace place = m_source.place(item.name.span.begin);
            m_warnings.push_back(
                fmt::format("{}:{}:{}: this alternate of {} finds nothing that the one at line {} does not", place.file,
                            place.line, place.column, item.name.text, m_source.place(other->name.span.begin).line));
            return;
        }
    }

    /// A pattern that uses one that cannot be matched cannot be matched.
    void spreadLimits() {
        for (bool changed = true; changed;) {
            changed = false;
            for (NamedPattern& pattern : m_table->patterns) {
                for (const Alternate& alternate : pattern.alternates) {
                    for (const Node& node : alternate.table.nodes) {
                        if (node.kind != NodeKind::Unfold) continue;
                        const NamedPattern& callee = m_table->patterns[node.index];
                        if (!callee.usable && pattern.usable) {
                            pattern.usable = false;
                            changed = true;
                        }
                        if (!callee.notExecutable.empty() && pattern.notExecutable.empty()) {
                            pattern.notExecutable = callee.notExecutable;
                            changed = true;
                        }
                    }
                }
            }
        }
    }

    /// Parameters and patterns that stand where nothing has been consumed yet.
    struct Heads {
        std::set<std::uint32_t> parameters;
        std::set<std::uint32_t> patterns;
    };

    void addHeads(const NodeTable& table, std::uint32_t index, const std::vector<Heads>& known, Heads& into) const {
        const Node& node = table.nodes[index];
        if (node.kind == NodeKind::Parameter) into.parameters.insert(node.index);
        if (node.kind != NodeKind::Unfold) return;
        into.patterns.insert(node.index);
        for (const std::uint32_t parameter : known[node.index].parameters) {
            addHeads(table, table.children[node.firstChild + parameter], known, into);
        }
    }

    void checkProductivity() {
        std::vector<Heads> heads(m_table->patterns.size());
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = 0; i < heads.size(); ++i) {
                const std::size_t before = heads[i].parameters.size() + heads[i].patterns.size();
                for (const Alternate& a : m_table->patterns[i].alternates) addHeads(a.table, a.root, heads, heads[i]);
                changed = changed || heads[i].parameters.size() + heads[i].patterns.size() != before;
            }
        }
        for (std::uint32_t i = 0; i < heads.size(); ++i) {
            std::vector<std::uint32_t> path{i};
            if (!reaches(heads, i, path)) continue;
            std::string cycle;
            for (const std::uint32_t p : path) cycle += m_table->patterns[p].name + " -> ";
            cycle += m_table->patterns[i].name;
            NamedPattern& pattern = m_table->patterns[i];
            pattern.usable = false;
            const auto item = std::find_if(m_items.begin(), m_items.end(),
                                           [&](const syntax::Pattern* p) { return p->name.text == pattern.name; });
            error((*item)->name.span,
                  fmt::format("{} can unfold for ever without consuming an operator: {}", pattern.name, cycle),
                  "put the recursive use below an operator");
        }
    }

    /// Depth-first from path.back() to `target`; the path is left standing when it is found.
    static bool reaches(const std::vector<Heads>& heads, std::uint32_t target, std::vector<std::uint32_t>& path) {
        for (const std::uint32_t next : heads[path.back()].patterns) {
            if (next == target) return true;
            if (std::find(path.begin(), path.end(), next) != path.end()) continue;
            path.push_back(next);
            if (reaches(heads, target, path)) return true;
            path.pop_back();
        }
        return false;
    }

    const std::vector<const syntax::Pattern*>& m_items;
    const SourceText& m_source;
    const Names& m_names;
    std::vector<Error>& m_errors;
    std::vector<std::string>& m_warnings;
    std::shared_ptr<PatternTable> m_table = std::make_shared<PatternTable>();
};

}  // namespace

std::shared_ptr<const PatternTable> compilePatterns(const std::vector<const syntax::Pattern*>& patterns,
                                                    const SourceText& source, const Names& names,
                                                    std::vector<Error>& errors, std::vector<std::string>& warnings) {
    return PatternCompiler(patterns, source, names, errors, warnings).run();
}

}  // namespace mitos::rules
