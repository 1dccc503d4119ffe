// SPDX-License-Identifier: GPL-3.0-or-later
// Reads programs from listings.
#include "core/base/number_text.h"
#include "core/ir/attributes.h"
#include "core/ir/shared.h"
#include "core/tensor/internal/text_names.h"
#include "core/tensor/operator.h"
#include "core/tensor/text.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::tensor {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;
using ir::TypeId;

namespace {

/// The most levels of terms written inside of terms.
constexpr int MostLevels = 100;
constexpr std::size_t MostDimensions = 64;
constexpr const char* ProgramHint =
    "a program reads `graph name(x: f32[1,3,N])`, then lines `y = Relu(x)`, and at the end `return y`";

/// Keeps the first error; every read after it fails.
class ListingReader {
public:
    ListingReader(TermBank& bank, const SourceText& source) : m_bank(bank), m_source(source), m_text(source.text()) {}

    Result<ir::Program> read() {
        std::optional<ir::Program> program = readProgram();
        if (program) return *program;
        return *std::move(m_error);
    }

    /// Reads lines in which terms of another program may be named; returns the result.
    Result<TermId> readLines(const absl::flat_hash_map<TermId, std::string>& names) {
        for (const auto& [term, name] : names) m_given.try_emplace(name, term);
        const std::optional<TermId> root = result();
        if (root && endOfText()) return *root;
        return *std::move(m_error);
    }

private:
    struct Word {
        std::string text;
        SourceSpan span;
        bool isQuoted = false;
    };
    struct Given {
        Word name;
        Word value;
    };

    // --- characters ---------------------------------------------------------------------------------------------

    /// Skips spaces and comments, and, with `lines`, line breaks.
    void skip(bool lines) {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '#') {
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            } else if (c == ' ' || c == '\t' || c == '\r' || (lines && c == '\n')) {
                ++m_at;
            } else {
                return;
            }
        }
    }
    [[nodiscard]] char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    bool accept(char c) {
        const std::size_t before = m_at;
        skip(true);
        const bool isThere = peek() == c;
        m_at = isThere ? m_at + 1 : before;  // a skipped line break may be significant to the caller
        return isThere;
    }
    bool expect(char c, std::string_view where) {
        return accept(c) || fail(here(), fmt::format("'{}' expected {}, {} found", c, where, found()));
    }
    /// The text at the current position, for messages.
    [[nodiscard]] std::string found() const {
        if (m_at >= m_text.size()) return "the end of the text";
        if (m_text[m_at] == '\n') return "the end of the line";
        std::size_t end = m_at;
        while (end < m_text.size() && isNameCharacter(m_text[end])) ++end;
        if (end == m_at) ++end;
        while (end < m_text.size() && (static_cast<unsigned char>(m_text[end]) & 0xC0U) == 0x80U)
            ++end;  // further bytes of one character
        return fmt::format("'{}'", m_text.substr(m_at, end - m_at));
    }
    [[nodiscard]] SourceSpan here() const { return {m_at, m_at}; }
    /// Keeps the first error.
    bool fail(SourceSpan span, std::string message, std::string hint = {}) {
        if (!m_error) m_error = m_source.error(span, std::move(message), std::move(hint));
        return false;
    }

    /// A name, in quotes or not; nullopt, and an error, if there is none.
    std::optional<Word> name(std::string_view what) {
        skip(true);
        if (peek() == '"') return quotedText();
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && isNameCharacter(m_text[m_at])) ++m_at;
        if (m_at > begin) return Word{std::string(m_text.substr(begin, m_at - begin)), {begin, m_at}};
        fail(here(), fmt::format("{} expected, {} found", what, found()));
        return std::nullopt;
    }
    std::optional<Word> quotedText() {
        Word word{.text = {}, .span = {m_at, m_at}, .isQuoted = true};
        for (++m_at; m_at < m_text.size() && m_text[m_at] != '"' && m_text[m_at] != '\n'; ++m_at) {
            const bool isEscaped = m_text[m_at] == '\\' && m_at + 1 < m_text.size();
            if (isEscaped) ++m_at;
            word.text += isEscaped && m_text[m_at] == 'n' ? '\n' : m_text[m_at];
        }
        word.span.end = std::min(m_at + 1, m_text.size());
        if (peek() == '"') {
            ++m_at;
            return word;
        }
        fail(word.span, "the quotes are not closed on this line");
        return std::nullopt;
    }

    // --- types --------------------------------------------------------------------------------------------------

    std::optional<TypeId> type() {
        if (accept('(')) return tupleType();
        const std::optional<Word> word = name("an element type such as f32");
        if (!word) return std::nullopt;
        const std::optional<ir::Dtype> dtype = ir::dtypeFromName(word->text);
        if (!dtype) {
            fail(word->span, fmt::format("there is no element type '{}'", word->text),
                 "a type reads f32[1,3,N], i64[], f32[...]");
            return std::nullopt;
        }
        if (!expect('[', "behind an element type")) return std::nullopt;
        skip(true);
        if (m_text.substr(m_at).starts_with("...")) {
            m_at += 3;
            return expect(']', "behind ...") ? std::optional(m_bank.types().unranked(*dtype)) : std::nullopt;
        }
        std::vector<ir::Dimension> dimensions;
        while (!accept(']')) {
            if (!dimensions.empty() && !expect(',', "between sizes")) return std::nullopt;
            const std::optional<ir::Dimension> size = dimension();
            if (!size) return std::nullopt;
            if (dimensions.size() >= MostDimensions) {
                fail(here(), fmt::format("an array has at most {} dimensions", MostDimensions));
                return std::nullopt;
            }
            dimensions.push_back(*size);
        }
        return m_bank.types().array(*dtype, dimensions);
    }
    std::optional<TypeId> tupleType() {
        std::vector<TypeId> elements;
        while (!accept(')')) {
            if (!elements.empty() && !expect(',', "between types")) return std::nullopt;
            if (!elements.empty() && accept(')')) break;  // "(f32[1],)"
            if (++m_level > MostLevels) {
                fail(here(), "types are nested too deeply");
                return std::nullopt;
            }
            const std::optional<TypeId> element = type();
            --m_level;
            if (!element) return std::nullopt;
            elements.push_back(*element);
        }
        return m_bank.types().tuple(elements);
    }
    std::optional<ir::Dimension> dimension() {
        skip(true);
        if (peek() == '"') {
            const std::optional<Word> word = quotedText();
            return word ? std::optional(ir::Dimension::named(m_bank.symbols().intern(word->text))) : std::nullopt;
        }
        const std::size_t begin = m_at;
        m_at = std::min(m_text.find_first_of(",]\n", m_at), m_text.size());
        std::string_view text = m_text.substr(begin, m_at - begin);
        while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
            text.remove_suffix(1);
        if (const auto size = numberFrom<std::int64_t>(text); size && *size >= 0) return ir::Dimension::of(*size);
        const bool looksLikeNumber =
            !text.empty() &&
            (text.front() == '-' || std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }));
        if (!text.empty() && !looksLikeNumber) return ir::Dimension::named(m_bank.symbols().intern(text));
        fail({begin, m_at}, fmt::format("a size expected, '{}' found", text), "a size is a number from 0 on or a name");
        return std::nullopt;
    }

    // --- terms --------------------------------------------------------------------------------------------------

    /// Reads a name, _ , or an application; then any number of [i].
    std::optional<TermId> term() {
        const std::optional<Word> word = name("a name or an operator");
        if (!word) return std::nullopt;
        std::optional<TermId> result;
        if (word->text == AbsentWord && !word->isQuoted) {
            const Result<TermId> absent = m_bank.make(m_bank.registry().find(AbsentName), {});
            return absent ? std::optional(*absent) : std::nullopt;
        }
        const std::optional<TermId> known = named(word->text);
        skip(false);
        if (known && peek() != '(') {
            result = known;
        } else if (peek() == '(' || peek() == '[') {
            if (++m_level > MostLevels) {
                fail(word->span, "terms are nested too deeply", "give inner terms a line of their own");
                return std::nullopt;
            }
            result = application(*word);
            --m_level;
        } else {
            fail(word->span, fmt::format("there is no '{}' above", word->text),
                 "nodes are defined before they are used, as `name = Operator(…)`");
        }
        while (result && accept('[')) result = element(*result);
        return result;
    }

    std::optional<TermId> element(TermId tuple) {
        const std::optional<Word> word = name("the number of an output");
        if (!word || !expect(']', "behind the number of an output")) return std::nullopt;
        const std::optional<std::uint32_t> index = numberFrom<std::uint32_t>(word->text);
        const TypeId type = m_bank.type(tuple);
        const std::size_t outputs = m_bank.types().isTuple(type) ? m_bank.types().children(type).size() : 0;
        if (index && *index < outputs) return m_bank.get(tuple, *index);
        fail(word->span, outputs == 0
                             ? std::string("this node has one output only")
                             : fmt::format("the outputs are [0] to [{}], '{}' found", outputs - 1, word->text));
        return std::nullopt;
    }

    std::optional<TermId> application(const Word& op) {
        const ir::OpId id = m_bank.registry().find(op.text);
        const bool isTuple = id.isValid() && id == ir::opId(CoreOp::Tuple);
        if (!id.isValid() || (id.value < ir::opId(CoreOp::Count).value && !isTuple)) {
            fail(op.span, fmt::format("there is no operator '{}'", op.text),
                 "write Opaque[\"domain::Operator#key\"](…): type for an operator that Mitos does not know");
            return std::nullopt;
        }
        std::vector<Given> given;
        if (peek() == '[' && !attributes(given)) return std::nullopt;
        std::vector<TermId> inputs;
        if (!expect('(', fmt::format("behind {}", op.text))) return std::nullopt;
        while (!accept(')')) {
            if (!inputs.empty() && !expect(',', "between inputs")) return std::nullopt;
            const std::optional<TermId> input = term();
            if (!input) return std::nullopt;
            inputs.push_back(*input);
        }
        if (isTuple) return m_bank.tuple(inputs);
        const Operator* const known =
            m_bank.registry().info(id).dialect == DialectName ? findOperator(op.text) : nullptr;
        return known != nullptr ? fromTable(op, *known, given, inputs) : other(op, id, given, inputs);
    }

    /// Reads [name=value,…], or ["text"] for operators that have a name.
    bool attributes(std::vector<Given>& given) {
        ++m_at;
        while (!accept(']')) {
            if (!given.empty() && !expect(',', "between attributes")) return false;
            skip(true);
            if (peek() == '"') {
                const std::optional<Word> text = quotedText();
                if (!text) return false;
                given.push_back({{}, *text});
                continue;
            }
            const std::optional<Word> word = name("an attribute's name");
            if (!word || !expect('=', "behind an attribute's name")) return false;
            skip(true);
            const std::size_t begin = m_at;
            int open = 0;
            for (; m_at < m_text.size() && m_text[m_at] != '\n'; ++m_at) {
                const char c = m_text[m_at];
                if (open == 0 && (c == ',' || c == ']')) break;
                open += c == '[' ? 1 : c == ']' ? -1 : 0;
            }
            std::string value(m_text.substr(begin, m_at - begin));
            std::erase_if(value, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
            if (value.empty() || value.find('$') != std::string::npos) {
                return fail({begin, m_at}, fmt::format("a value of {} expected, {} found", word->text, found()));
            }
            given.push_back({*word, {std::move(value), {begin, m_at}}});
        }
        return true;
    }

    std::optional<TermId> fromTable(const Word& word, const Operator& op, const std::vector<Given>& given,
                                    std::span<const TermId> inputs) {
        Attributes values(op);
        std::vector<bool> isSet(op.attributes.size(), false);
        for (const Given& g : given) {
            const auto info = std::ranges::find(op.attributes, g.name.text, &AttributeInfo::name);
            if (info == op.attributes.end()) {
                fail(g.name.text.empty() ? g.value.span : g.name.span,
                     fmt::format("{} has no attribute '{}'", op.name, g.name.text.empty() ? g.value.text : g.name.text),
                     attributeNames(op));
                return std::nullopt;
            }
            Result<AttributeValue> value = readAttribute(*info, g.value.text);
            if (!value) {
                fail(g.value.span, value.error().message, value.error().hint);
                return std::nullopt;
            }
            values.set(info->name, *std::move(value));
            isSet[static_cast<std::size_t>(info - op.attributes.begin())] = true;
        }
        for (std::size_t i = 0; i < isSet.size(); ++i) {
            if (isSet[i] || !op.attributes[i].defaultText.empty()) continue;
            fail(word.span, fmt::format("{} needs the attribute {}", op.name, op.attributes[i].name),
                 attributeNames(op));
            return std::nullopt;
        }
        return placed(word, make(m_bank, op, inputs, values));
    }
    static std::string attributeNames(const Operator& op) {
        if (op.attributes.empty()) return "it has none";
        std::string names;
        for (const AttributeInfo& info : op.attributes)
            names += (names.empty() ? "its attributes: " : ", ") + info.name;
        return names;
    }

    /// Reads opaque nodes, and operators that a rule file declares.
    std::optional<TermId> other(const Word& word, ir::OpId id, const std::vector<Given>& given,
                                std::span<const TermId> inputs) {
        const ir::OperatorInfo& info = m_bank.registry().info(id);
        ir::Payload payload;
        bool fits = given.empty();
        if (info.payload == ir::PayloadKind::Name) {
            fits = given.size() == 1 && given[0].name.text.empty();
            if (fits) payload = ir::Payload::name(m_bank.symbols().intern(given[0].value.text));
        } else if (info.payload == ir::PayloadKind::Attributes) {
            std::vector<std::string> values;
            for (const Given& g : given) {
                if (values.size() < info.attributes.size() && g.name.text == info.attributes[values.size()]) {
                    values.push_back(g.value.text);
                }
            }
            fits = values.size() == given.size() && values.size() == info.attributes.size();
            if (fits) payload = ir::attributesPayload(m_bank, values);
        } else if (info.payload != ir::PayloadKind::None || info.bindingChild != ir::OperatorInfo::BindsNothing) {
            fail(word.span, fmt::format("{} cannot stand in a graph", info.name));
            return std::nullopt;
        }
        if (!fits) {
            const std::string hint = info.payload == ir::PayloadKind::Name
                                         ? "one text in quotes stands in its brackets"
                                         : "all attributes, in the order of their declaration";
            fail(word.span, fmt::format("the attributes of {} do not fit", info.name), hint);
            return std::nullopt;
        }
        if (info.typeRule != nullptr) return placed(word, m_bank.make(id, inputs, payload));
        if (inputs.size() < info.minArity || inputs.size() > info.maxArity) {
            fail(word.span, fmt::format("{} does not take {} inputs", info.name, inputs.size()));
            return std::nullopt;
        }
        if (!expect(':', fmt::format("and a type behind {}(…)", info.name))) return std::nullopt;
        const std::optional<TypeId> stated = type();
        return stated ? std::optional(m_bank.stated(id, *stated, inputs, payload)) : std::nullopt;
    }

    std::optional<TermId> placed(const Word& word, const Result<TermId>& made) {
        if (made) return *made;
        fail(word.span, made.error().message, made.error().hint);
        return std::nullopt;
    }

    // --- lines --------------------------------------------------------------------------------------------------

    [[nodiscard]] std::optional<TermId> named(const std::string& name) const {
        if (const auto own = m_named.find(name); own != m_named.end()) return own->second;
        if (const auto given = m_given.find(name); given != m_given.end()) return given->second;
        return std::nullopt;
    }

    /// Defines a new name. Fails if the name is taken.
    bool define(const Word& word, TermId term) {
        if (m_named.try_emplace(word.text, term).second) return true;
        return fail(word.span, fmt::format("'{}' is defined already", word.text));
    }

    bool endOfLine() {
        skip(false);
        return m_at >= m_text.size() || peek() == '\n' ||
               fail(here(), fmt::format("the end of the line expected, {} found", found()));
    }

    bool weightLine() {
        const std::optional<Word> word = name("the name of a weight");
        if (!word) return false;
        std::string own = word->text;
        if (accept('=')) {
            skip(false);
            const std::optional<Word> text = name("the weight's own name");
            if (!text) return false;
            own = text->text;
        }
        if (!expect(':', "and a type behind a weight's name")) return false;
        const std::optional<TypeId> stated = type();
        if (!stated) return false;
        const ir::OpId op = m_bank.registry().find(WeightName);
        const Symbol symbol = m_bank.symbols().intern(own);
        return define(*word, m_bank.stated(op, *stated, {}, ir::Payload::name(symbol), symbol)) && endOfLine();
    }

    bool nodeLine(const Word& word) {
        if (!expect('=', fmt::format("behind '{}'", word.text))) return false;
        skip(false);
        const std::optional<TermId> made = term();
        return made && define(word, hinted(*made, word.text)) && endOfLine();
    }

    /// The same term with a hint; the bank keeps the first hint of a term.
    TermId hinted(TermId term, std::string_view hint) {
        const ir::OperatorInfo& info = m_bank.registry().info(m_bank.op(term));
        if (m_bank.hint(term).isValid() || info.dialect == "core") return term;
        const std::vector<TermId> children(m_bank.children(term).begin(), m_bank.children(term).end());
        const ir::Payload payload = m_bank.payload(term);
        const Symbol symbol = m_bank.symbols().intern(hint);
        if (info.typeRule == nullptr)
            return m_bank.stated(m_bank.op(term), m_bank.type(term), children, payload, symbol);
        const Result<TermId> made = m_bank.make(m_bank.op(term), children, payload, symbol);
        return made ? *made : term;
    }

    std::optional<TermId> returned() {
        skip(false);
        if (peek() != '(') return term();
        ++m_at;
        std::vector<TermId> elements;
        while (!accept(')')) {
            if (!elements.empty() && !expect(',', "between outputs")) return std::nullopt;
            if (!elements.empty() && accept(')')) break;  // "(a,)"
            const std::optional<TermId> element = term();
            if (!element) return std::nullopt;
            elements.push_back(*element);
        }
        return m_bank.tuple(elements);
    }

    bool header(ir::Function& function) {
        const std::optional<Word> first = name(fmt::format("'{}'", GraphWord));
        if (!first) return false;
        if (first->text != GraphWord || first->isQuoted) {
            return fail(first->span, fmt::format("'{}' expected, '{}' found", GraphWord, first->text), ProgramHint);
        }
        const std::optional<Word> word = name("the program's name");
        if (!word || !expect('(', "before the parameters")) return false;
        function.name = word->text;
        function.dialect = DialectName;
        while (!accept(')')) {
            if (!function.parameters.empty() && !expect(',', "between parameters")) return false;
            const std::optional<Word> parameter = name("a parameter");
            if (!parameter || !expect(':', "and a type behind a parameter")) return false;
            const std::optional<TypeId> declared = type();
            if (!declared) return false;
            const Symbol symbol = m_bank.symbols().intern(parameter->text);
            function.parameters.push_back({symbol, *declared});
            if (!define(*parameter, m_bank.variable(symbol, *declared))) return false;
        }
        return endOfLine();
    }

    std::optional<ir::Program> readProgram() {
        ir::Function function;
        if (!header(function)) return std::nullopt;
        std::optional<TermId> root;
        while (!root) {
            skip(true);
            if (m_at >= m_text.size()) {
                fail(here(), fmt::format("the line '{}' is missing", ReturnWord), ProgramHint);
                return std::nullopt;
            }
            const std::optional<Word> word = name("a node's name");
            if (!word || !line(*word, root)) return std::nullopt;
        }
        if (!endOfText()) return std::nullopt;
        return declared(std::move(function), *root);
    }

    /// Reads a line behind its first word; `root` is what it returns.
    bool line(const Word& word, std::optional<TermId>& root) {
        if (word.text == WeightWord && !word.isQuoted) return weightLine();
        if (word.text != ReturnWord || word.isQuoted) return nodeLine(word);
        root = returned();
        return root && endOfLine();
    }

    bool endOfText() {
        skip(true);
        return m_at >= m_text.size() ||
               fail(here(), fmt::format("the end of the text expected behind the result, {} found", found()));
    }

    /// Lines up to the one that returns a term, or is only a term.
    std::optional<TermId> result() {
        std::optional<TermId> root;
        while (!root) {
            skip(true);
            const std::size_t begin = m_at;
            if (begin >= m_text.size()) {
                fail(here(), "the result is missing", "the last line is a term, such as Relu(x), or `return y`");
                return std::nullopt;
            }
            const std::optional<Word> word = peek() == '(' ? std::nullopt : name("a node's name");
            if (m_error) return std::nullopt;
            skip(false);
            const bool isWord = word && !word->isQuoted && (word->text == ReturnWord || word->text == WeightWord);
            if (word && (isWord || peek() == '=')) {
                if (!line(*word, root)) return std::nullopt;
            } else {
                m_at = begin;
                root = returned();
                if (!root || !endOfLine()) return std::nullopt;
            }
        }
        return root;
    }

    ir::Program declared(ir::Function function, TermId root) {
        std::vector<TypeId> types;
        for (const ir::Parameter& p : function.parameters) types.push_back(p.type);
        function.argument = types.size() == 1 ? types.front() : m_bank.types().tuple(types);
        function.result = function.declaredResult = m_bank.type(root);
        if (const ir::FunctionId there = m_bank.findFunction(function.name, function.argument); there.isValid()) {
            return {there, root};
        }
        const Result<ir::FunctionId> id = m_bank.declare(std::move(function));
        m_bank.define(*id, root);
        return {*id, root};
    }

    TermBank& m_bank;
    const SourceText& m_source;
    std::string_view m_text;
    std::size_t m_at = 0;
    int m_level = 0;
    absl::flat_hash_map<std::string, TermId> m_named;
    absl::flat_hash_map<std::string, TermId> m_given;  ///< terms of another program
    std::optional<Error> m_error;
};

/// Fails if the program mentions a weight that the other one does not have.
Status checkWeights(const TermBank& bank, TermId root, const ir::Program& like) {
    const ir::SharedNodes own(bank, like.root);
    for (const TermId node : ir::SharedNodes(bank, root)) {
        if (bank.opName(node) != WeightName || own.contains(node)) continue;
        return inputError(fmt::format("the program has no weight {} : {}", bank.text(bank.payload(node).asSymbol()),
                                      typeText(bank.types(), bank.type(node))),
                          "only its own weights have known numbers");
    }
    return Success{};
}

Status checkParameters(const TermBank& bank, const ir::Program& program, const ir::Program& like) {
    const std::vector<ir::Parameter>& own = bank.function(like.function).parameters;
    for (const ir::Parameter& p : bank.function(program.function).parameters) {
        const auto isSame = [&](const ir::Parameter& each) { return each.name == p.name && each.type == p.type; };
        if (std::ranges::any_of(own, isSame)) continue;
        return inputError(
            fmt::format("the program has no input {} : {}", bank.text(p.name), typeText(bank.types(), p.type)),
            "steps cannot introduce inputs");
    }
    return Success{};
}

}  // namespace

bool isListing(std::string_view text) {
    while (true) {
        const std::size_t begin = text.find_first_not_of(" \t\r\n");
        if (begin == std::string_view::npos) return false;
        text.remove_prefix(begin);
        if (text.front() != '#') break;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
    if (!text.starts_with(GraphWord)) return false;
    text.remove_prefix(GraphWord.size());
    return !text.empty() && (text.front() == ' ' || text.front() == '\t');
}

Result<ir::Program> parseListing(TermBank& bank, const SourceText& source) {
    return ListingReader(bank, source).read();
}

Result<ir::Program> parseListingLike(TermBank& bank, const SourceText& source, const ir::Program& like) {
    ir::Program program = like;
    if (isListing(source.text())) {
        MITOS_TRY(const ir::Program listed, parseListing(bank, source));
        MITOS_REQUIRE(checkParameters(bank, listed, like));
        program.root = listed.root;
    } else {
        MITOS_TRY(program.root, ListingReader(bank, source).readLines(listingNames(bank, like)));
    }
    MITOS_REQUIRE(checkWeights(bank, program.root, like));
    const std::string type = typeText(bank.types(), bank.type(program.root));
    const std::string wanted = typeText(bank.types(), bank.type(like.root));
    if (type == wanted) return program;
    return inputError(fmt::format("the type is {}, that of the program is {}", type, wanted),
                      "only programs of one type can be equal");
}

}  // namespace mitos::tensor
