// SPDX-License-Identifier: GPL-3.0-or-later
// Parses the items of a rule file.
#include "core/base/number_text.h"
#include "core/rules/language/internal/expression_parser.h"
#include "core/rules/language/syntax.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::rules::syntax {

namespace {

class ItemParser {
public:
    explicit ItemParser(const SourceText& source) : m_tokens(tokenize(source.text())), m_p(source, m_tokens) {}

    Parsed run() {
        leadingComment();
        while (!m_p.atEnd() && m_result.errors.size() < Parsed::MaxErrors) {
            const std::size_t begin = m_p.peek().span.begin;
            if (m_result.file.items.size() >= MaxItems) {
                m_p.failHere("the end of the file", "a file has at most 5000 items; `include` combines files");
                m_result.errors.push_back(m_p.error());
                break;
            }
            item();
            if (m_p.failed()) {
                m_result.errors.push_back(m_p.error());
                if (m_p.peek().span.begin == begin) m_p.next();  // not an item: skip it, so that it is not found again
                m_p.recover();
            }
        }
        return std::move(m_result);
    }

    Result<Rule> runPattern() {
        Rule rule;
        rule.span = {m_p.peek().span.begin, 0};
        rule.lefts.push_back(m_p.term());
        clauses(rule.with, rule.where, nullptr);
        rule.span.end = m_p.lastEnd();
        if (!m_p.failed() && !m_p.atEnd()) {
            m_p.failHere("the end of the pattern", "a pattern may be followed by `where` and `with`");
        }
        if (m_p.failed()) return m_p.error();
        return rule;
    }

    Result<Expr> runTerm() {
        Expr term = m_p.term();
        if (!m_p.failed() && !m_p.atEnd()) m_p.failHere("the end of the term");
        if (m_p.failed()) return m_p.error();
        return term;
    }

private:
    /// The limit on items: rule files are written by hand, or translated from files written by hand.
    static constexpr std::size_t MaxItems = 5'000;
    static constexpr const char* ItemHint = "items begin with use, include, op, class, analysis, pattern or rule";

    /// The comment directly above a line, joined by line feeds.
    [[nodiscard]] std::string docAbove(int line) const {
        std::vector<std::string_view> lines;
        const auto& comments = m_tokens.comments;
        auto at = std::ranges::lower_bound(comments, line, {}, &CommentLine::line);
        while (at != comments.begin() && std::prev(at)->line == line - 1) {
            --at;
            --line;
            lines.push_back(at->text);
        }
        std::ranges::reverse(lines);
        return fmt::format("{}", fmt::join(lines, "\n"));
    }

    /// Reads the comment at the top that is not directly above an item: the title and description of the file.
    void leadingComment() {
        const auto& comments = m_tokens.comments;
        if (comments.empty() || m_p.peek().line <= comments.front().line) return;
        std::size_t count = 1;
        while (count < comments.size() && comments[count].line == comments[count - 1].line + 1) ++count;
        if (!m_p.atEnd() && comments[count - 1].line + 1 == m_p.peek().line) return;
        m_result.file.title = comments.front().text;
        std::vector<std::string_view> rest;
        for (std::size_t i = 1; i < count; ++i) {
            if (!rest.empty() || !comments[i].text.empty()) rest.push_back(comments[i].text);
        }
        m_result.file.doc = fmt::format("{}", fmt::join(rest, "\n"));
    }

    void item() {
        const Token first = m_p.peek();
        m_p.beginItem();
        if (first.is("use")) {
            m_p.next();
            keep(Use{m_p.name("the name of a dialect, for instance ks")});
        } else if (first.is("include")) {
            includeItem();
        } else if (first.is("op")) {
            operatorItem(first);
        } else if (first.is("class")) {
            classItem();
        } else if (first.is("analysis")) {
            analysisItem(first);
        } else if (first.is("pattern")) {
            patternItem(first);
        } else if (first.is("rule")) {
            ruleItem(first);
        } else {
            m_p.failHere("an item", ItemHint);
        }
    }

    template <typename T>
    void keep(T parsed) {
        // The rest of the line, or a line below, belongs to no item.
        if (!m_p.failed() && !m_p.atEnd() && !m_p.atItem()) {
            if (m_p.atLineStart()) return m_p.failHere("an item", ItemHint);
            m_p.failHere(
                "the next item",
                "a rule may continue with `if`, `where`, `let` or `with`; a new item begins at the start of a line");
        }
        if (!m_p.failed()) m_result.file.items.push_back(std::move(parsed));
    }

    void includeItem() {
        m_p.next();
        Include include;
        if (m_p.peek().kind == TokenKind::Text) {
            const Token file = m_p.next();
            include.set = {std::string(file.text), file.span};
        } else {
            include.set = hyphenated("the name of a rule set, or a file in quotes");
        }
        tags(include.tags);
        keep(std::move(include));
    }

    void operatorItem(const Token& first) {
        m_p.next();
        Operator op;
        op.doc = docAbove(first.line);
        op.name = m_p.name("the name of the operator");
        if (m_p.accept("[")) names(op.attributes, "the name of an attribute", "]");
        m_p.expect("(", "'(' and the parameters");
        if (!m_p.accept(")")) {
            do {
                op.parameters.push_back(m_p.name("the name of a parameter"));
                op.variadic = m_p.accept("...");
            } while (!op.variadic && m_p.accept(","));
            m_p.expect(")", "',' or ')'");
        }
        if (m_p.accept("->")) {
            const Token count = m_p.peek();
            if (count.kind == TokenKind::Integer) {
                m_p.next();
                op.outputs = numberFrom<decltype(op.outputs)>(count.text).value_or(0);
                if (op.outputs < 1 || op.outputs > 4) m_p.fail(count.span, "an operator has 1 to 4 results");
            } else {
                m_p.failHere("the number of results");
            }
        }
        keep(std::move(op));
    }

    void classItem() {
        m_p.next();
        OperatorClass result;
        result.name = m_p.name("the name of the class");
        m_p.expect("=", "'=' and the operators of the class");
        do {
            if (m_p.peek().kind == TokenKind::Name) {
                const Token member = m_p.next();
                result.members.push_back({std::string(member.text), member.span});
            } else {
                m_p.failHere("the name of an operator");
            }
        } while (m_p.accept(","));
        keep(std::move(result));
    }

    void analysisItem(const Token& first) {
        m_p.next();
        Analysis analysis;
        analysis.doc = docAbove(first.line);
        analysis.name = m_p.name("the name of the analysis");
        tags(analysis.tags);
        m_p.expect(":", "':' and the lines of the analysis");
        while (!m_p.failed() && !m_p.atEnd() && !m_p.atItem()) line(analysis);
        analysis.span = {first.span.begin, m_p.lastEnd()};
        keep(std::move(analysis));
    }

    void line(Analysis& analysis) {
        if (m_p.accept("values")) {
            do analysis.values.push_back(m_p.name("a word that is a value"));
            while (m_p.accept(","));
        } else if (m_p.accept("fold")) {
            analysis.folds = true;
            analysis.keeps = m_p.accept("keep");
        } else {
            equation(analysis);
        }
    }

    void equation(Analysis& analysis) {
        using Kind = Equation::Kind;
        Equation equation;
        equation.span.begin = m_p.peek().span.begin;
        if (m_p.accept("literal")) {
            equation.kind = Kind::Literal;
            equation.names.push_back(m_p.name("a name for the literal"));
        } else if (m_p.accept("value")) {
            equation.pattern = m_p.term();
        } else if (m_p.at("join") || m_p.at("means")) {
            equation.kind = m_p.next().is("join") ? Kind::Join : Kind::Means;
            const bool isJoin = equation.kind == Kind::Join;
            equation.names.push_back(m_p.name(isJoin ? "names for two values" : "names for a number and a value"));
            m_p.expect(",", "',' and a second name");
            equation.names.push_back(m_p.name("a second name"));
        } else {
            m_p.failHere("a line of the analysis", "its lines begin with values, literal, value, join, means or fold");
            return;
        }
        if (equation.kind == Kind::Means) {
            m_p.expect(":", "':' and a condition");
        } else {
            m_p.expect("=", "'=' and the value");
        }
        equation.value = m_p.condition();
        if (equation.kind != Kind::Means && m_p.accept("if")) equation.condition = m_p.condition();
        equation.span.end = m_p.lastEnd();
        analysis.equations.push_back(std::move(equation));
    }

    void patternItem(const Token& first) {
        m_p.next();
        Pattern pattern;
        pattern.doc = docAbove(first.line);
        pattern.name = m_p.name("the name of the pattern");
        m_p.expect("(", "'(' and the parameters of the pattern");
        if (!m_p.accept(")")) names(pattern.parameters, "the name of a parameter", ")");
        m_p.expect("=", "'=' and the pattern");
        pattern.body = m_p.term();
        clauses(pattern.with, pattern.where, nullptr);
        pattern.span = {first.span.begin, m_p.lastEnd()};
        keep(std::move(pattern));
    }

    void ruleItem(const Token& first) {
        m_p.next();
        Rule rule;
        rule.doc = docAbove(first.line);
        rule.name = m_p.name("the name of the rule");
        tags(rule.tags);
        m_p.expect(":", "':' and the left side of the rule");
        do rule.lefts.push_back(m_p.term());
        while (m_p.accept(","));
        rule.bothWays = m_p.at("<=>");
        if (!m_p.accept("<=>")) m_p.expect("=>", "'=>' or '<=>' and the right side");
        do branch(rule);
        while (!m_p.failed() && rule.branches.back().condition && !atClause());
        clauses(rule.with, rule.where, &rule.lets);
        rule.span = {first.span.begin, m_p.lastEnd()};
        keep(std::move(rule));
    }

    void tags(std::vector<Word>& into) {
        while (m_p.accept("[")) names(into, "a tag", "]", true);
    }

    /// Reads names up to `close`, at least one.
    void names(std::vector<Word>& into, std::string_view what, std::string_view close, bool isHyphenated = false) {
        do into.push_back(isHyphenated ? hyphenated(what) : m_p.name(what));
        while (m_p.accept(","));
        m_p.expect(close, fmt::format("',' or '{}'", close));
    }

    /// Tags and sets may contain hyphens: real-only, ks-simple.
    Word hyphenated(std::string_view what) {
        Word word = m_p.name(what);
        while (m_p.accept("-")) {
            if (m_p.peek().kind != TokenKind::Name) m_p.failHere("the rest of the name");
            const Token more = m_p.next();
            word.text += "-" + std::string(more.text);
            word.span.end = more.span.end;
        }
        return word;
    }

    [[nodiscard]] bool atClause() const {
        return m_p.atEnd() || m_p.atItem() || m_p.at("where") || m_p.at("with") || m_p.at("let");
    }

    void branch(Rule& rule) {
        Branch result;
        do result.roots.push_back(m_p.term());
        while (m_p.accept(","));
        if (m_p.accept("if")) result.condition = m_p.condition();
        rule.branches.push_back(std::move(result));
    }

    /// Parses with …, let … and where …, each at most once, in any order.
    void clauses(WithClause& with, std::optional<Expr>& where, std::vector<NamedExpr>* lets) {
        while (!m_p.failed()) {
            if (m_p.accept("with")) {
                withClause(with);
            } else if (lets != nullptr && m_p.accept("let")) {
                do {
                    NamedExpr named;
                    named.name = m_p.name("the name of a value of the right side");
                    m_p.expect("=", "'=' and the value");
                    named.value = m_p.term();
                    lets->push_back(std::move(named));
                } while (m_p.accept(","));
            } else if (m_p.at("where")) {
                const Token word = m_p.next();
                if (where) m_p.fail(word.span, "there is already a `where`", "join the conditions with `and`");
                where = m_p.condition();
            } else {
                return;
            }
        }
    }

    void withClause(WithClause& with) {
        bool locals = m_p.accept("local");
        do {
            const Word variable =
                m_p.name(locals ? "a local variable or a match constraint x <= P" : "a match constraint x <= P");
            if (m_p.accept("<=")) {
                locals = false;
                with.constraints.push_back({variable, m_p.term()});
            } else if (locals) {
                with.locals.push_back(variable);
            } else {
                m_p.failHere("'<=' and a pattern");
            }
        } while (m_p.accept(","));
    }

    Tokens m_tokens;
    ExpressionParser m_p;
    Parsed m_result;
};

}  // namespace

Parsed parse(const SourceText& source) { return ItemParser(source).run(); }

Result<Rule> parsePattern(const SourceText& source) { return ItemParser(source).runPattern(); }

Result<Expr> parseTerm(const SourceText& source) { return ItemParser(source).runTerm(); }

}  // namespace mitos::rules::syntax
