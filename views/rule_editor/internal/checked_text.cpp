// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rule_editor/internal/checked_text.h"

#include "core/base/number_text.h"
#include "core/rules/language/editing.h"
#include "core/rules/language/syntax.h"
#include "core/rules/rule_sets.h"
#include "views/common/format.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <variant>

namespace mitos::views {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("mitos::views::RuleEditor", text); }

RuleMessage messageOf(const Error& error, const std::string& file, bool isError) {
    RuleMessage message{.isError = isError,
                        .line = 0,
                        .column = 0,
                        .text = fromUtf8(error.message),
                        .details = fromUtf8(error.render())};
    if (error.place && error.place->file == file) {
        message.line = error.place->line;
        message.column = error.place->column;
    }
    return message;
}

/// Warnings are lines: "file:line:column: message".
RuleMessage warningOf(const std::string& text, const std::string& file) {
    RuleMessage message{.isError = false, .line = 0, .column = 0, .text = fromUtf8(text), .details = fromUtf8(text)};
    if (!text.starts_with(file + ":")) return message;
    const std::string_view rest = std::string_view(text).substr(file.size() + 1);
    const std::size_t afterLine = rest.find(':');
    const std::size_t afterColumn = rest.find(':', afterLine + 1);
    if (afterLine == std::string_view::npos || afterColumn == std::string_view::npos) return message;
    const auto line = numberFrom<int>(rest.substr(0, afterLine));
    const auto column = numberFrom<int>(rest.substr(afterLine + 1, afterColumn - afterLine - 1));
    if (!line || !column) return message;
    message.line = *line;
    message.column = *column;
    message.text = fromUtf8(rest.substr(afterColumn + 1)).trimmed();
    return message;
}

int lineCount(std::string_view text) { return 1 + static_cast<int>(std::ranges::count(text, '\n')); }

TypedRule placed(const std::shared_ptr<const rules::Rule>& rule) {
    const int above = rule->doc.empty() ? 0 : lineCount(rule->doc);
    return {rule, rule->place.line - above, rule->place.line + lineCount(rule->text) - 1};
}

/// "add(a, b)": the inputs of operators have no names, so letters stand for them.
QString signatureOf(const ir::OperatorInfo& info) {
    QString text = fromUtf8(info.name);
    if (!info.attributes.empty()) {
        QStringList names;
        for (const std::string& attribute : info.attributes) names << fromUtf8(attribute);
        text += QLatin1Char('[') + names.join(QStringLiteral(", ")) + QLatin1Char(']');
    }
    constexpr std::uint32_t MostShown = 6;
    QStringList inputs;
    for (std::uint32_t i = 0; i < std::min(info.minArity, MostShown); ++i) inputs << QString(QChar(u'a' + i));
    if (info.maxArity > info.minArity || info.minArity > MostShown) inputs << QStringLiteral("…");
    return text + QLatin1Char('(') + inputs.join(QStringLiteral(", ")) + QLatin1Char(')');
}

/// The operators of the dialects that the text uses; of all, if it names none.
void addOperators(std::vector<RuleWord>& words, const ir::OperatorRegistry& registry,
                  const std::vector<std::string>& used) {
    for (std::uint32_t i = 0; i < registry.size(); ++i) {
        const ir::OperatorInfo& info = registry.info(ir::OpId(i));
        const bool isInUse = used.empty() || std::ranges::find(used, info.dialect) != used.end();
        const bool isNamed = !info.name.empty() && (std::isalpha(static_cast<unsigned char>(info.name[0])) != 0);
        if (!isNamed || info.dialect == "core" || (!isInUse && info.dialect != "user")) continue;
        words.push_back({RuleWord::Kind::Operator, fromUtf8(info.name), signatureOf(info),
                         fromUtf8(info.dialect + (info.doc.empty() ? "" : ": " + info.doc))});
    }
}

std::vector<RuleWord> wordsOf(const rules::syntax::File& file, const ir::OperatorRegistry& registry) {
    using Kind = RuleWord::Kind;
    std::vector<RuleWord> words;
    std::vector<std::string> used;
    for (const rules::syntax::Item& item : file.items) {
        if (const auto* use = std::get_if<rules::syntax::Use>(&item)) used.push_back(use->dialect.text);
        if (const auto* analysis = std::get_if<rules::syntax::Analysis>(&item)) {
            const QString name = fromUtf8(analysis->name.text);
            words.push_back({Kind::Attribute, name, name, tr("analysis of this set, in conditions")});
            for (const auto& value : analysis->values) {
                const QString word = fromUtf8(value.text);
                words.push_back({Kind::Attribute, word, word, tr("value of %1").arg(name)});
            }
        }
        const auto* pattern = std::get_if<rules::syntax::Pattern>(&item);
        if (pattern == nullptr) continue;
        QStringList parameters;
        for (const auto& parameter : pattern->parameters) parameters << fromUtf8(parameter.text);
        const QString name = fromUtf8(pattern->name.text);
        if (std::ranges::find(words, name, &RuleWord::text) != words.end()) continue;  // another alternate
        words.push_back({Kind::Pattern, name, QStringLiteral("%1(%2)").arg(name, parameters.join(QStringLiteral(", "))),
                         tr("pattern of this set")});
    }
    addOperators(words, registry, used);
    const auto addAll = [&words](Kind kind, const auto& names, const QString& meaning) {
        for (const std::string_view name : names) words.push_back({kind, fromUtf8(name), fromUtf8(name), meaning});
    };
    addAll(Kind::Attribute, rules::conditionAttributes(), tr("attribute, in conditions"));
    addAll(Kind::Function, rules::conditionFunctions(), tr("function, in conditions"));
    addAll(Kind::Keyword, rules::keywords(), tr("word of the language"));
    return words;
}

}  // namespace

std::shared_ptr<const rules::Rule> CheckedText::ruleAt(int line) const {
    const auto found = std::ranges::find_if(
        rules, [line](const TypedRule& one) { return one.firstLine <= line && line <= one.lastLine; });
    return found == rules.end() ? nullptr : found->rule;
}

CheckedText checkRules(const SourceText& source, const std::shared_ptr<const ir::OperatorRegistry>& registry,
                       rules::Assumptions assumptions) {
    CheckedText checked;
    checked.registry = registry;
    const Result<rules::LoadedRules> loaded = rules::loadRules(source, registry, assumptions);
    if (!loaded) {
        Error first = loaded.error();
        first.others.clear();
        checked.messages.push_back(messageOf(first, source.name(), true));
        for (const Error& error : loaded.error().others)
            checked.messages.push_back(messageOf(error, source.name(), true));
    } else {
        for (const Error& error : loaded->errors) checked.messages.push_back(messageOf(error, source.name(), true));
        for (const std::string& warning : loaded->warnings)
            checked.messages.push_back(warningOf(warning, source.name()));
        for (const auto& rule : loaded->set.rules) {
            if (rule->place.file == source.name()) checked.rules.push_back(placed(rule));
        }
        checked.ruleCount = static_cast<int>(loaded->set.rules.size());
        checked.registry = loaded->registry;
    }
    checked.errors = static_cast<int>(std::ranges::count(checked.messages, true, &RuleMessage::isError));
    std::ranges::stable_sort(checked.messages, [](const RuleMessage& a, const RuleMessage& b) {
        return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
    checked.words = wordsOf(rules::syntax::parse(source).file, *checked.registry);
    return checked;
}

std::vector<ListedRule> rulesOf(const std::string& set, const std::shared_ptr<const ir::OperatorRegistry>& registry) {
    std::vector<ListedRule> listed;
    const Result<SourceText> text = rules::ruleSetText(set);
    if (!text) return listed;
    const Result<rules::LoadedRules> loaded = rules::loadRules(*text, registry);
    if (!loaded) return listed;
    for (const auto& rule : loaded->set.rules) {
        const int line = rule->place.file == text->name() ? rule->place.line : 0;
        listed.push_back({fromUtf8(rule->name), fromUtf8(rule->doc), fromUtf8(rule->text), line});
    }
    return listed;
}

}  // namespace mitos::views
