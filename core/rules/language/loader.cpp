// SPDX-License-Identifier: GPL-3.0-or-later
// Turns a text into a rule set: parse, declare, check, compile. An item with errors does not affect the others.
#include "core/base/suggestion.h"
#include "core/rules/directed_rule.h"
#include "core/rules/language/analysis_checker.h"
#include "core/rules/language/checker.h"
#include "core/rules/language/compiled_analysis.h"
#include "core/rules/language/internal/unbound.h"
#include "core/rules/language/names.h"
#include "core/rules/language/pattern_text.h"
#include "core/rules/language/syntax.h"
#include "core/rules/rule.h"
#include "core/rules/rule_sets.h"
#include "core/rules/tensat/tensat.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

namespace mitos::rules {

namespace {

/// The type rule of declared operators, which are opaque: the type of the first argument, or Float without arguments; several outputs
/// form a tuple of that type.
template <std::size_t Outputs>
Result<ir::TypeId> opaqueType(const ir::TypeRuleInput& in) {
    const ir::TypeId type = in.children.empty() ? in.types.floating() : in.children[0];
    if constexpr (Outputs == 1) return type;
    std::array<ir::TypeId, Outputs> outputs;
    outputs.fill(type);
    return in.types.tuple(outputs);
}

constexpr std::array<ir::TypeRule, 4> OpaqueTypes{opaqueType<1>, opaqueType<2>, opaqueType<3>, opaqueType<4>};

/// The limit on the size of a rule file, which is written by hand.
constexpr std::size_t MaxBytes = 1U << 20U;

/// The limit on includes, because files may include each other in exponentially many ways.
constexpr int MostIncludes = 200;

/// The files that are being loaded.
struct Chain {
    std::vector<std::string> names = {};                       ///< the outermost first
    std::shared_ptr<int> includes = std::make_shared<int>(0);  ///< number over all files
    std::shared_ptr<std::vector<std::string>> files = std::make_shared<std::vector<std::string>>();  ///< read so far
};
Result<LoadedRules> load(const SourceText& source, std::shared_ptr<const ir::OperatorRegistry> registry, Chain chain,
                         Assumptions assumptions);

/// The tags that have a meaning for the program itself; all others are labels, which schedules and `include` refer to.
constexpr std::array<std::string_view, 7> SoundnessTags{"exact",  "exact-but-zero-sign", "exact-but-nan", "real-only",
                                                        "domain", "reassociating",       "approximate"};

/// The soundness that a tag states; empty for other tags.
std::optional<Soundness> soundnessOf(std::string_view tag) {
    for (const Soundness soundness : {Soundness::Exact, Soundness::ExactButZeroSign, Soundness::ExactButNaN,
                                      Soundness::RealOnly, Soundness::Domain}) {
        if (tag == toString(soundness)) return soundness;
    }
    if (tag == "reassociating" || tag == "approximate") return Soundness::RealOnly;
    return std::nullopt;
}

/// The tag with a meaning that a label probably misspells, which differs by a letter or two; empty if there is none.
std::string_view mistypedTag(std::string_view tag) {
    for (const std::string_view known : SoundnessTags) {
        std::string written(tag);
        std::ranges::replace(written, '_', '-');
        if (tag == known) return {};
        const std::size_t apart =
            written.size() > known.size() ? written.size() - known.size() : known.size() - written.size();
        const bool isShortened = written.size() >= 4 && known.starts_with(written);
        if (isShortened || editDistance(written, known) <= (apart <= 1 ? 2U : 1U)) return known;
    }
    return {};
}

/// The labels of the shipped sets, which searches and sets refer to.
constexpr std::array<std::string_view, 18> KnownLabels{
    "phase1", "expand", "unfold", "algebraic", "binding", "tensor", "folding",  "conditional", "positive",
    "always", "calls",  "loops",  "deltas",    "kernel",  "forms",  "unmerged", "attention",   "epilog"};

bool isKnownTag(std::string_view tag) {
    return std::ranges::find(SoundnessTags, tag) != SoundnessTags.end() ||
           std::ranges::find(KnownLabels, tag) != KnownLabels.end();
}

/// A rule with this tag holds if the values of all its variables are positive.
constexpr std::string_view PositiveTag = "positive";

/// Adds the condition that the values of all variables are positive.
void requirePositive(CompiledRule& rule) {
    auto& conditions = rule.table.conditions;
    for (std::size_t i = 0; i < rule.valueCount; ++i) {
        if (rule.variables[i].kind != VarKind::Term) continue;
        ConditionNode asked;
        asked.kind = ConditionKind::Attribute;
        asked.attribute = Attribute::IsPositive;
        asked.var = static_cast<VarIndex>(i);
        conditions.push_back(asked);
        const auto own = static_cast<std::uint32_t>(conditions.size() - 1);
        if (rule.guard == NoNode) {
            rule.guard = own;
            continue;
        }
        ConditionNode both;
        both.kind = ConditionKind::And;
        both.left = rule.guard;
        both.right = own;
        conditions.push_back(both);
        rule.guard = static_cast<std::uint32_t>(conditions.size() - 1);
    }
}

/// The first error, with the others attached.
Error joined(const std::vector<Error>& errors) {
    Error first = errors.front();
    first.others.assign(errors.begin() + 1, errors.end());
    return first;
}

class Loader {
public:
    Loader(const SourceText& source, std::shared_ptr<const ir::OperatorRegistry> registry, Chain chain,
           Assumptions assumptions)
        : m_source(source),
          m_shared(std::make_shared<const SourceText>(source)),
          m_chain(std::move(chain)),
          m_assumptions(assumptions),
          m_names(*registry),
          m_dialect(declaredDialect(source.text())) {
        m_chain.names.push_back(source.name());
        m_result.registry = std::move(registry);
        m_result.set.name = source.name();
    }

    LoadedRules run() {
        const syntax::Parsed parsed = syntax::parse(m_source);
        const auto table = define(parsed);
        for (const syntax::Item& item : parsed.file.items) {
            if (const auto* rule = std::get_if<syntax::Rule>(&item)) add(*rule, table);
            if (const auto* analysis = std::get_if<syntax::Analysis>(&item)) addFold(*analysis, table);
            if (const auto* include = std::get_if<syntax::Include>(&item)) addIncluded(*include);
        }
        std::ranges::stable_sort(m_result.errors, [](const Error& a, const Error& b) {
            return std::pair(a.place->line, a.place->column) < std::pair(b.place->line, b.place->column);
        });
        const auto same = [](const Error& a, const Error& b) { return a.oneLine() == b.oneLine(); };
        m_result.errors.erase(std::unique(m_result.errors.begin(), m_result.errors.end(), same), m_result.errors.end());
        if (m_result.errors.size() > syntax::Parsed::MaxErrors) m_result.errors.resize(syntax::Parsed::MaxErrors);
        return std::move(m_result);
    }

    /// For a text that was translated from another one: sets the places of the rules there, by name.
    void setPlaces(std::map<std::string, SourcePlace> places) { m_places = std::move(places); }

    /// Loads a pattern in the scope of the file.
    Result<LoadedPattern> runPattern(const SourceText& text) {
        const syntax::Parsed definitions = syntax::parse(m_source);
        const auto table = define(definitions);
        const auto source = std::make_shared<const SourceText>(text);
        const Result<syntax::Rule> parsed = syntax::parsePattern(*source);
        std::vector<Error> errors;
        if (!parsed) errors.push_back(parsed.error());
        std::optional<CompiledRule> compiled;
        if (parsed) compiled = checkPattern(*parsed, source, m_names, table, errors);
        if (compiled) compiled->analyses = m_shownAnalyses;
        if (!compiled) {
            errors.insert(errors.end(), m_result.errors.begin(), m_result.errors.end());
            return joined(errors);
        }
        Rule description;
        description.name = "pattern";
        description.text = text.text().substr(parsed->span.begin, parsed->span.end - parsed->span.begin);
        description.place = source->place(parsed->span.begin);
        return LoadedPattern{
            std::make_shared<const CompiledDirection>(description, Direction::Forward, *std::move(compiled)),
            m_result.registry};
    }

    std::vector<PatternSignature> runSignatures() {
        const syntax::Parsed parsed = syntax::parse(m_source);
        const auto table = define(parsed);
        std::vector<PatternSignature> signatures;
        for (const syntax::Item& item : parsed.file.items) {
            const auto* const pattern = std::get_if<syntax::Pattern>(&item);
            if (pattern == nullptr) continue;
            const auto known = std::ranges::find(table->patterns, pattern->name.text, &NamedPattern::name);
            const bool isListed =
                std::ranges::find(signatures, pattern->name.text, &PatternSignature::name) != signatures.end();
            if (isListed || known == table->patterns.end() || !known->usable) continue;
            signatures.push_back({known->name, known->parameters, pattern->doc});
        }
        return signatures;
    }

private:
    /// Defines everything except the rules: operators, classes and named patterns.
    std::shared_ptr<const PatternTable> define(const syntax::Parsed& parsed) {
        m_result.errors = parsed.errors;
        m_result.set.title = parsed.file.title;
        m_result.set.doc = parsed.file.doc;
        for (const syntax::Item& item : parsed.file.items) declare(item);
        for (const syntax::Item& item : parsed.file.items) {
            if (const auto* analysis = std::get_if<syntax::Analysis>(&item)) defineAnalysis(*analysis);
        }
        m_shownAnalyses = std::make_shared<const AnalysisTable>(m_analyses);
        std::vector<const syntax::Pattern*> patterns;
        for (const syntax::Item& item : parsed.file.items) {
            if (const auto* pattern = std::get_if<syntax::Pattern>(&item)) patterns.push_back(pattern);
        }
        return compilePatterns(patterns, m_shared, m_names, m_result.errors, m_result.warnings);
    }

    void defineAnalysis(const syntax::Analysis& item) {
        if (m_names.analysis(item.name.text)) {
            return error(item.name, fmt::format("there is an analysis {} already", item.name.text),
                         "choose another name");
        }
        if (auto analysis = checkAnalysis(item, m_shared, m_names, m_result.errors)) import(std::move(analysis));
    }

    /// Makes an analysis of this file, or of an included one, known to the rules of this file.
    void import(std::shared_ptr<const CompiledAnalysis> analysis) {
        m_names.addAnalysis(analysis->name, analysis->words);
        m_analyses.push_back(std::move(analysis));
    }

    void error(const syntax::Word& word, std::string message, std::string hint = {}) {
        m_result.errors.push_back(m_source.error(word.span, std::move(message), std::move(hint)));
    }

    void declare(const syntax::Item& item) {
        if (const auto* use = std::get_if<syntax::Use>(&item)) {
            const std::vector<std::string> known = m_names.dialects();
            if (std::ranges::find(known, use->dialect.text) == known.end()) {
                error(use->dialect, fmt::format("there is no dialect {}", use->dialect.text),
                      fmt::format("the dialects are {}", fmt::join(known, ", ")));
            } else {
                m_names.useDialect(use->dialect.text);
            }
        } else if (const auto* included = std::get_if<syntax::Include>(&item)) {
            include(*included);
        } else if (const auto* op = std::get_if<syntax::Operator>(&item)) {
            declareOperator(*op);
        } else if (const auto* operators = std::get_if<syntax::OperatorClass>(&item)) {
            std::vector<std::string> members;
            for (const syntax::Word& member : operators->members) {
                if (!m_names.registry().find(member.text).isValid()) {
                    error(member, fmt::format("there is no operator {}", member.text), m_names.hintFor(member.text));
                }
                members.push_back(member.text);
            }
            if (m_names.isClass(operators->name.text)) {
                error(operators->name, fmt::format("there is a class {} already", operators->name.text),
                      "choose another name");
            } else {
                m_names.addClass(operators->name.text, std::move(members));
            }
        }
    }

    /// The resolved name of an included set; a file is looked up in the directory of the file that includes it.
    [[nodiscard]] std::string nameOf(const syntax::Include& item) const {
        const std::string& name = item.set.text;
        const std::optional<std::string> foreign = tensat::fileOf(name);
        const std::filesystem::path file(foreign.value_or(name));
        if (isShipped(name) || file.is_absolute()) return name;
        const std::filesystem::path folder = std::filesystem::path(m_source.name()).parent_path();
        const std::string found = ((folder.empty() ? "." : folder) / file).lexically_normal().string();
        return foreign ? std::string(tensat::Prefix) + found : found;
    }

    /// Fails if the path leads out of the folder of this file, or to something other than a plain file of rules.
    [[nodiscard]] Status requireIncludable(const std::string& name) const {
        if (isShipped(name)) return Success{};
        const std::filesystem::path file(tensat::fileOf(name).value_or(name));
        std::error_code code;
        std::filesystem::path folder = std::filesystem::path(m_chain.names.front()).parent_path();
        folder =
            std::filesystem::weakly_canonical(std::filesystem::absolute(folder.empty() ? "." : folder, code), code);
        const std::filesystem::path below =
            std::filesystem::weakly_canonical(std::filesystem::absolute(file, code), code).lexically_relative(folder);
        if (below.empty() || *below.begin() == "..") {
            return inputError(
                fmt::format("{} is not in the folder of {}", name, m_chain.names.front()),
                "files beside it are included by their names, and sets that come with the program by theirs");
        }
        const std::filesystem::file_status status = std::filesystem::status(file, code);
        if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
            return inputError(fmt::format("{} is not a regular file", name), "name a file of rules");
        }
        if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(file, code) > MaxBytes) {
            return inputError(fmt::format("{} is larger than a rule file can be", name),
                              "rule files have at most 1 MB");
        }
        return Success{};
    }

    void include(const syntax::Include& item) {
        const std::string name = nameOf(item);
        if (m_included.contains(name)) return;
        if (std::ranges::find(m_chain.names, name) != m_chain.names.end()) {
            error(item.set, fmt::format("{} includes itself", name),
                  fmt::format("{} -> {}", fmt::join(m_chain.names, " -> "), name));
            return;
        }
        if (++*m_chain.includes > MostIncludes) {
            error(item.set, fmt::format("more than {} files are included", MostIncludes),
                  "include a file that is used by many others beside them instead");
            return;
        }
        if (const Status fits = requireIncludable(name); !fits) {
            error(item.set, fits.error().message, fits.error().hint);
            return;
        }
        const Result<SourceText> text = ruleSetText(name);
        if (!text) {
            error(item.set, text.error().message, text.error().hint);
            return;
        }
        Result<LoadedRules> loaded = load(*text, m_result.registry, m_chain, m_assumptions);
        if (!loaded) {
            // Errors quote the text, which is only shown if it is a rule file.
            const bool isOfRules = tensat::fileOf(name) || !syntax::parse(*text).file.items.empty();
            error(
                item.set,
                fmt::format("{} cannot be included: {}", name, isOfRules ? "it has an error" : "it is not a rule file"),
                isOfRules ? loaded.error().oneLine() : fmt::format("`mitos-cli rules check {}` shows why", name));
            return;
        }
        if (!loaded->errors.empty()) {
            const std::size_t count = loaded->errors.size();
            error(item.set,
                  fmt::format("{} rule{} of {} {} left out", count, count == 1 ? " or other item" : "s or other items",
                              name, count == 1 ? "is" : "are"),
                  loaded->errors.front().oneLine());
        }
        m_result.registry = loaded->registry;
        m_names.setRegistry(*m_result.registry);
        m_result.warnings.insert(m_result.warnings.end(), loaded->warnings.begin(), loaded->warnings.end());
        for (const auto& analysis : analysesOf(loaded->set)) {
            if (!m_names.analysis(analysis->name)) {
                import(analysis);
                continue;
            }
            // Two included files may include a third one.
            const SourcePlace& known = m_analyses[*m_names.analysis(analysis->name)]->place;
            if (known.file == analysis->place.file && known.line == analysis->place.line) continue;
            error(
                item.set,
                fmt::format("{} has an analysis {}, and there is one in {} already", name, analysis->name, known.file),
                "analyses that are used together have different names");
        }
        m_included.emplace(name, std::move(loaded->set));
    }

    void warn(SourceSpan span, const std::string& message) {
        const SourcePlace place = m_source.place(span.begin);
        m_result.warnings.push_back(fmt::format("{}:{}:{}: {}", place.file, place.line, place.column, message));
    }

    static bool isChosen(const Rule& rule, const std::vector<syntax::Word>& tags) {
        return tags.empty() || std::ranges::any_of(tags, [&](const syntax::Word& tag) {
                   return rule.hasTag(tag.text) || tag.text == toString(rule.soundness);
               });
    }

    /// Adds the rules of an included set. A rule that two included sets take from a third one is the same rule and is added once.
    void addIncluded(const syntax::Include& item) {
        const auto found = m_included.find(nameOf(item));
        if (found == m_included.end()) return;  // the included file has an error
        bool any = false;
        for (const auto& rule : found->second.rules) {
            if (!isChosen(*rule, item.tags)) continue;
            any = true;
            const auto [known, isNew] = m_rulePlaces.emplace(rule->name, rule->place);
            if (isNew) m_result.set.rules.push_back(rule);
            const SourcePlace& place = known->second;
            if (isNew || (place.file == rule->place.file && place.line == rule->place.line)) continue;
            error(
                item.set,
                fmt::format("{} has a rule {}, and there is one in {} already", item.set.text, rule->name, place.file),
                "rules of a set have different names");
        }
        if (!any) {
            error(item.set, fmt::format("{} has no rule with such a tag", item.set.text),
                  "`mitos-cli rules list` shows the tags of rules");
        }
    }

    void declareOperator(const syntax::Operator& op) {
        if (m_extended != m_result.registry) {
            m_extended = std::make_shared<ir::OperatorRegistry>(*m_result.registry);
            m_result.registry = m_extended;
            m_names.setRegistry(*m_extended);
        }
        const auto arity = static_cast<std::uint32_t>(op.parameters.size());
        ir::OperatorInfo info;
        info.name = op.name.text;
        info.dialect = "user";
        info.minArity = op.variadic ? arity - 1 : arity;
        info.maxArity = op.variadic ? ir::OperatorInfo::Variadic : arity;
        info.typeRule = OpaqueTypes[static_cast<std::size_t>(op.outputs - 1)];
        std::set<std::string, std::less<>> attributes;
        for (const syntax::Word& attribute : op.attributes) {
            if (!attributes.insert(attribute.text).second) {
                error(attribute, fmt::format("the attribute {} is declared twice", attribute.text), "use two names");
                return;
            }
            info.attributes.push_back(attribute.text);
            info.payload = ir::PayloadKind::Attributes;
        }
        info.doc = op.doc.substr(0, op.doc.find('\n'));
        if (const ir::OpId known = m_extended->find(info.name); known.isValid()) {
            // Files that are used together may declare the operators they share.
            const ir::OperatorInfo& other = m_extended->info(known);
            const bool isSame = other.dialect == info.dialect && other.minArity == info.minArity &&
                                other.maxArity == info.maxArity && other.typeRule == info.typeRule &&
                                other.attributes == info.attributes;
            if (isSame) return;
            if (!other.dialect.empty() && other.dialect != info.dialect) {
                error(op.name, fmt::format("{} is an operator of the dialect {} already", op.name.text, other.dialect),
                      fmt::format("leave this declaration out and write `use {}`, or choose another name",
                                  other.dialect));
                return;
            }
        }
        const Result<ir::OpId> added = m_extended->add(std::move(info));
        if (!added) error(op.name, added.error().message, "choose another name, or declare it as it is declared there");
    }

    /// The description of a rule without its directions; null if its name or its tags are wrong.
    std::shared_ptr<Rule> describe(const syntax::Rule& item, std::string doc, std::string text, SourcePlace place) {
        if (!m_rulePlaces.emplace(item.name.text, place).second) {
            error(item.name, fmt::format("there is a rule {} already", item.name.text),
                  "rules of a file have different names");
            return nullptr;
        }
        auto rule = std::make_shared<Rule>();
        rule->name = item.name.text;
        rule->doc = std::move(doc);
        rule->dialect = m_dialect;
        rule->text = std::move(text);
        const auto original = m_places.find(item.name.text);
        rule->place = original == m_places.end() ? std::move(place) : original->second;
        bool hasSoundTags = true;
        for (const syntax::Word& tag : item.tags) {
            if (const std::string_view meant = mistypedTag(tag.text); !meant.empty()) {
                error(tag, fmt::format("there is no tag {}", tag.text), fmt::format("did you mean {}?", meant));
                hasSoundTags = false;
            } else if (!isKnownTag(tag.text)) {
                warn(tag.span, fmt::format("the tag {} has no meaning of its own: it is a label that schedules and "
                                           "`include` may name; soundness tags are {}",
                                           tag.text, fmt::join(SoundnessTags, ", ")));
            }
            const bool isApart = tag.text == "reassociating" || tag.text == "approximate";
            rule->soundness = soundnessOf(tag.text).value_or(rule->soundness);
            if (isApart || std::ranges::find(SoundnessTags, tag.text) == SoundnessTags.end())
                rule->tags.push_back(tag.text);
        }
        return hasSoundTags ? rule : nullptr;
    }

    void add(const syntax::Rule& item, const std::shared_ptr<const PatternTable>& patterns) {
        std::shared_ptr<Rule> rule = describe(
            item, item.doc, std::string(m_source.text().substr(item.span.begin, item.span.end - item.span.begin)),
            m_source.place(item.name.span.begin));
        std::optional<CheckedRule> checked = checkRule(item, m_source, m_names, patterns, m_result.errors);
        if (rule == nullptr || !checked) return;
        add(std::move(rule), *std::move(checked));
    }

    /// Adds the rule that an analysis implies if it folds constants: a term whose value is known is that constant.
    void addFold(const syntax::Analysis& item, const std::shared_ptr<const PatternTable>& patterns) {
        const std::string& name = item.name.text;
        const std::optional<std::uint32_t> number = m_names.analysis(name);
        if (!item.folds || !number) return;
        const std::shared_ptr<const CompiledAnalysis>& analysis = m_analyses[*number];
        const SourcePlace place = m_source.place(item.name.span.begin);
        if (analysis->place.line != place.line || analysis->place.file != place.file) return;  // of an included set
        const auto source = std::make_shared<const SourceText>(
            m_source.name(), fmt::format("rule {0}: x => const(x.{0}) where x.{0} == x.{0} and not x.is_const", name));
        const syntax::Parsed parsed = syntax::parse(*source);
        syntax::Rule stated = std::get<syntax::Rule>(parsed.file.items.front());
        stated.name = item.name;
        stated.tags = item.tags;
        std::shared_ptr<Rule> rule = describe(stated, item.doc, analysis->text, place);
        if (rule == nullptr) return;
        std::optional<CheckedRule> checked = checkRule(stated, *source, m_names, patterns, m_result.errors);
        if (!checked) return;
        CompiledRule& whole = checked->directions.front().whole;
        whole.source = source;
        whole.folds = analysis;
        for (const AnalysisEquation& equation : analysis->operators) {
            const bool isKnown = std::ranges::find(whole.rootOperators, equation.op) != whole.rootOperators.end();
            if (!isKnown) whole.rootOperators.push_back(equation.op);
        }
        add(std::move(rule), *std::move(checked));
    }

    void add(std::shared_ptr<Rule> rule, CheckedRule checked) {
        Direction direction = Direction::Forward;
        std::vector<std::shared_ptr<const DirectedRule>> directions;
        for (CheckedDirection& compiled : checked.directions) {
            compiled.whole.allowsAssumptions = m_assumptions == Assumptions::Allowed;
            compiled.whole.analyses = m_shownAnalyses;
            if (rule->hasTag(PositiveTag)) requirePositive(compiled.whole);
            for (CompiledRule& part : compiled.parts) {
                part.allowsAssumptions = compiled.whole.allowsAssumptions;
                part.analyses = m_shownAnalyses;
            }
            for (const UnboundUse& use : unboundUses(compiled.whole)) warn(use.span, use.message);
            directions.push_back(std::make_shared<const CompiledDirection>(*rule, direction, std::move(compiled.whole),
                                                                           std::move(compiled.parts)));
            direction = Direction::Backward;
        }
        rule->directions = std::move(directions);
        m_result.set.rules.push_back(std::move(rule));
    }

    const SourceText& m_source;
    std::shared_ptr<const SourceText> m_shared;  ///< the text that compiled rules refer to
    Chain m_chain;
    Assumptions m_assumptions;
    Names m_names;
    std::string m_dialect;  ///< of the file
    LoadedRules m_result;
    /// The registry of the result, if this file has extended it.
    std::shared_ptr<ir::OperatorRegistry> m_extended;
    AnalysisTable m_analyses;                              ///< of this file and of those it includes
    std::shared_ptr<const AnalysisTable> m_shownAnalyses;  ///< the same, complete: for the rules
    std::map<std::string, RuleSet> m_included;             ///< by resolved name
    std::map<std::string, SourcePlace> m_rulePlaces;
    std::map<std::string, SourcePlace> m_places;
};

Status checkText(const SourceText& source) {
    if (const std::size_t bad = source.firstInvalidByte(); bad != std::string::npos) {
        return source.error({bad, bad + 1}, "this is not a text file in UTF-8", "rule files are plain text");
    }
    if (source.text().size() > MaxBytes) {
        return source.error({0, 0}, "the file is larger than a rule file can be", "rule files have at most 1 MB");
    }
    return Success{};
}

/// Fails if there is no rule.
Result<LoadedRules> unlessEmpty(LoadedRules loaded, const SourceText& source, const char* example) {
    if (!loaded.set.rules.empty()) return loaded;
    if (!loaded.errors.empty()) return joined(loaded.errors);
    return source.error({0, 0}, "there is no rule in this file", example);
}

/// Loads TENSAT's rules; a rule that our operators cannot express gives a warning.
Result<LoadedRules> loadTensat(const SourceText& source, tensat::Translation translation,
                               std::shared_ptr<const ir::OperatorRegistry> registry, Chain chain,
                               Assumptions assumptions) {
    const SourceText text(source.name(), std::move(translation.text));
    Loader loader(text, std::move(registry), std::move(chain), assumptions);
    loader.setPlaces(std::move(translation.places));
    LoadedRules loaded = loader.run();
    loaded.errors.insert(loaded.errors.begin(), translation.errors.begin(), translation.errors.end());
    for (const Error& omitted : translation.omitted) loaded.warnings.push_back("left out: " + omitted.oneLine());
    if (loaded.set.rules.empty() && loaded.errors.empty()) loaded.errors = std::move(translation.omitted);
    return unlessEmpty(std::move(loaded), source, "(relu (relu ?x))=>(relu ?x)");
}

/// Loads the rules of a folder, whose text is that of its files.
Result<LoadedRules> loadTensatFolder(const SourceText& source, const std::string& folder,
                                     std::shared_ptr<const ir::OperatorRegistry> registry, Chain chain,
                                     Assumptions assumptions) {
    MITOS_TRY(const std::vector<SourceText> files, tensat::readFolder(folder));
    for (const SourceText& file : files) {
        chain.files->push_back(tensat::fileOf(file.name()).value_or(file.name()));
        MITOS_REQUIRE(checkText(file));
    }
    return loadTensat(source, tensat::translateFolder(folder, files), std::move(registry), std::move(chain),
                      assumptions);
}

Result<LoadedRules> load(const SourceText& source, std::shared_ptr<const ir::OperatorRegistry> registry, Chain chain,
                         Assumptions assumptions) {
    if (const auto folder = tensat::folderOf(source.name()))
        return loadTensatFolder(source, *folder, std::move(registry), std::move(chain), assumptions);
    if (!isShipped(source.name())) chain.files->push_back(tensat::fileOf(source.name()).value_or(source.name()));
    MITOS_REQUIRE(checkText(source));
    if (tensat::fileOf(source.name()))
        return loadTensat(source, tensat::translate(source), std::move(registry), std::move(chain), assumptions);
    return unlessEmpty(Loader(source, std::move(registry), std::move(chain), assumptions).run(), source,
                       "rule add_zero: 0 + a => a");
}

}  // namespace

Result<LoadedPattern> loadPattern(const SourceText& pattern, const SourceText* definitions,
                                  std::shared_ptr<const ir::OperatorRegistry> registry) {
    const SourceText nothing("", "");
    const SourceText& file = definitions == nullptr ? nothing : *definitions;
    MITOS_REQUIRE(checkText(file));
    MITOS_REQUIRE(checkText(pattern));
    return Loader(file, std::move(registry), {}, Assumptions::Forbidden).runPattern(pattern);
}

Result<std::vector<PatternSignature>> namedPatterns(const SourceText& definitions,
                                                    std::shared_ptr<const ir::OperatorRegistry> registry) {
    MITOS_REQUIRE(checkText(definitions));
    return Loader(definitions, std::move(registry), {}, Assumptions::Forbidden).runSignatures();
}

Result<LoadedRules> loadRules(const SourceText& source, std::shared_ptr<const ir::OperatorRegistry> registry,
                              Assumptions assumptions) {
    const Chain chain;
    Result<LoadedRules> loaded = load(source, std::move(registry), chain, assumptions);
    if (loaded) loaded->files = *chain.files;
    return loaded;
}

}  // namespace mitos::rules
