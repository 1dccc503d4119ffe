// SPDX-License-Identifier: GPL-3.0-or-later
// See task_text.h.
#include "core/tasks/files/task_text.h"

#include "core/base/number_text.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace mitos::tasks {

namespace {

constexpr std::string_view TasksWord = "tasks";
constexpr std::string_view AfterWord = "after";
constexpr std::string_view TakesWord = "takes";
constexpr std::string_view MakesWord = "makes";
constexpr std::string_view ResultWord = "result";
constexpr std::string_view ToWord = "to";
constexpr char NumberSign = '%';
constexpr char OrderSign = '@';

bool isWordOfText(std::string_view word) {
    constexpr std::array Words{AfterWord, TakesWord, MakesWord, ResultWord, ToWord};
    return std::ranges::find(Words, word) != Words.end();
}

bool isNameByte(char c) {
    const bool isAscii = static_cast<unsigned char>(c) < 0x80;
    return !isAscii || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("_./:-").find(c) != std::string_view::npos;
}

bool isPlainName(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, isNameByte) && !isWordOfText(name);
}

std::string quotedName(std::string_view name) {
    constexpr unsigned char FirstPrinted = 0x20;
    constexpr unsigned char Delete = 0x7f;
    std::string text = "\"";
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            text += '\\';
            text += c;
        } else if (byte < FirstPrinted || byte == Delete) {
            text += fmt::format("\\x{:02x}", byte);
        } else {
            text += c;
        }
    }
    return text + '"';
}

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Whether the numbers of tensors follow from the lines.
bool areInOrder(const std::vector<Tensor>& tensors) {
    return std::ranges::is_sorted(tensors, {}, [](const Tensor& tensor) { return tensor.producer; });
}
bool areInOrder(const Edges& edges) {
    return std::ranges::is_sorted(edges, {}, [](const auto& edge) { return edge.second; });
}

class GraphPrinter {
public:
    GraphPrinter(const TaskGraph& graph, std::string_view name)
        : m_graph(graph),
          m_names(namesInText(graph)),
          m_port(graph.tensors.size()),
          m_made(graph.operations.size()),
          m_used(graph.operations.size()),
          m_before(graph.operations.size()) {
        for (std::uint32_t tensor = 0; tensor < graph.tensors.size(); ++tensor) {
            std::vector<std::uint32_t>& made = m_made[graph.tensors[tensor].producer];
            m_port[tensor] = made.size();
            made.push_back(tensor);
            for (const std::uint32_t consumer : graph.tensors[tensor].consumers) m_used[consumer].push_back(tensor);
        }
        for (std::uint32_t edge = 0; edge < graph.controlEdges.size(); ++edge) {
            m_before[graph.controlEdges[edge].second].push_back(edge);
        }
        m_printed.tensors.resize(graph.tensors.size());
        m_printed.text = fmt::format("{} {}", TasksWord, isPlainName(name) ? std::string(name) : quotedName(name));
        m_printed.header = {0, m_printed.text.size()};
        m_printed.text += '\n';
    }

    PrintedGraph print() {
        for (std::uint32_t i = 0; i < m_graph.operations.size(); ++i) line(i);
        return std::move(m_printed);
    }

private:
    void line(std::uint32_t operation) {
        std::string& text = m_printed.text;
        text += "  ";
        const std::size_t begin = text.size();
        const std::string& name = m_graph.operations[operation].name;
        text += m_names[operation];
        if (m_names[operation] != name && !name.empty()) text += ' ' + quotedName(name);
        list("(", m_used[operation], [this](std::uint32_t tensor) { return reference(tensor); });
        text += ')';
        const bool areNumbered = !areInOrder(m_graph.controlEdges);
        list(
            fmt::format(" {} ", AfterWord), m_before[operation],
            [&](std::uint32_t edge) {
                const std::string& first = m_names[m_graph.controlEdges[edge].first];
                return areNumbered ? fmt::format("{} {}{}", first, OrderSign, edge) : first;
            },
            false);
        text += fmt::format(" {} {}", TakesWord, m_graph.operations[operation].duration);
        made(m_made[operation]);
        m_printed.operations.push_back({begin, text.size()});
        text += '\n';
    }

    template <typename Write>
    void list(std::string_view opening, const std::vector<std::uint32_t>& numbers, Write write,
              bool writesEmpty = true) {
        if (numbers.empty() && !writesEmpty) return;
        m_printed.text += opening;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (i > 0) m_printed.text += ", ";
            m_printed.text += write(numbers[i]);
        }
    }

    [[nodiscard]] std::string reference(std::uint32_t tensor) const {
        const std::uint32_t producer = m_graph.tensors[tensor].producer;
        return m_made[producer].size() == 1 ? m_names[producer]
                                            : fmt::format("{}[{}]", m_names[producer], m_port[tensor]);
    }

    void made(const std::vector<std::uint32_t>& tensors) {
        std::string& text = m_printed.text;
        if (!tensors.empty()) text += fmt::format(", {} ", MakesWord);
        const bool areNumbered = !areInOrder(m_graph.tensors);
        for (const std::uint32_t number : tensors) {
            if (number != tensors.front()) text += ", ";
            const std::size_t begin = text.size();
            const Tensor& tensor = m_graph.tensors[number];
            text += fmt::format("{}", tensor.bytes);
            if (tensor.isOutput) text += fmt::format(" {}", ResultWord);
            if (areNumbered) text += fmt::format(" {}{}", OrderSign, number);
            if (!std::ranges::is_sorted(tensor.consumers)) {
                list(fmt::format(" {} (", ToWord), tensor.consumers,
                     [this](std::uint32_t consumer) { return m_names[consumer]; });
                text += ')';
            }
            m_printed.tensors[number] = {begin, text.size()};
        }
    }

    const TaskGraph& m_graph;
    const std::vector<std::string> m_names;
    std::vector<std::size_t> m_port;                   // by tensor: its number among those of its producer
    std::vector<std::vector<std::uint32_t>> m_made;    // by operation: its tensors
    std::vector<std::vector<std::uint32_t>> m_used;    // by operation: the tensors that it uses
    std::vector<std::vector<std::uint32_t>> m_before;  // by operation: the edges that lead to it
    PrintedGraph m_printed;
};

/// A word of the text, or what the word means, with its place.
struct Placed {
    std::string text;
    SourceSpan span;
};

class TextReader {
public:
    explicit TextReader(const SourceText& source) : m_source(source), m_text(source.text()) {}

    Result<NamedGraph> read() {
        skipToLine();
        if (word().text != TasksWord) return fail(m_last, "expected 'tasks' and the name of the graph");
        NamedGraph named;
        MITOS_TRY(named.name, name("the name of the graph"));
        MITOS_REQUIRE(endOfLine());
        while (skipToLine()) MITOS_REQUIRE(line());
        MITOS_REQUIRE(resolve());
        MITOS_REQUIRE(checkGraph(m_graph));
        named.graph = std::move(m_graph);
        return named;
    }

private:
    /// A use of an operation, whose line may come later.
    struct Use {
        Placed operation;
        std::optional<std::size_t> port = {};
        std::optional<std::uint32_t> number = {};  ///< behind @
    };
    struct Made {
        Tensor tensor;
        std::optional<std::uint32_t> number;
        std::vector<Use> consumers;
        std::uint32_t at = 0;  ///< its number in the graph
    };
    struct Line {
        SourceSpan span;
        std::vector<Use> inputs;
        std::vector<Use> before;
        std::vector<Made> made;
    };

    Status line() {
        const auto number = static_cast<std::uint32_t>(m_graph.operations.size());
        Line line;
        Operation operation;
        if (peek() == NumberSign) {
            MITOS_TRY(const Placed own, use());
            if (own.text != fmt::format("{}{}", NumberSign, number)) {
                return fail(own.span, fmt::format("this is operation {}, found {}", number, own.text));
            }
            line.span = own.span;
            if (peek() == '"') {
                MITOS_TRY(operation.name, name("a name"));
            }
        } else {
            const Placed own = word();
            if (!isPlainName(own.text)) {
                return fail(own.span, fmt::format("expected an operation, found {}", shown(own.text)));
            }
            if (!m_byName.emplace(own.text, number).second) {
                return fail(own.span, fmt::format("two operations have the name {}", own.text));
            }
            operation.name = own.text;
            line.span = own.span;
        }
        MITOS_REQUIRE(expect('('));
        if (!accept(')')) {
            do {
                MITOS_TRY(Use input, tensorUse());
                line.inputs.push_back(std::move(input));
            } while (accept(','));
            MITOS_REQUIRE(expect(')'));
        }
        Placed next = word();
        if (next.text == AfterWord) {
            do {
                Use before;
                MITOS_TRY(before.operation, use());
                MITOS_TRY(before.number, orderNumber());
                line.before.push_back(std::move(before));
            } while (accept(','));
            next = word();
        }
        if (next.text != TakesWord) {
            return fail(next.span, fmt::format("expected 'takes' and the duration, found {}", shown(next.text)));
        }
        MITOS_TRY(operation.duration, numberAt<double>("a duration"));
        if (accept(',')) {
            if (const Placed makes = word(); makes.text != MakesWord) {
                return fail(makes.span, fmt::format("expected 'makes', found {}", shown(makes.text)));
            }
            do {
                MITOS_TRY(Made one, tensor(number));
                line.made.push_back(std::move(one));
            } while (accept(','));
        }
        m_graph.operations.push_back(std::move(operation));
        m_lines.push_back(std::move(line));
        return endOfLine();
    }

    Result<Made> tensor(std::uint32_t producer) {
        Made made;
        made.tensor.producer = producer;
        MITOS_TRY(made.tensor.bytes, numberAt<std::uint64_t>("a number of bytes"));
        if (acceptWord(ResultWord)) made.tensor.isOutput = true;
        MITOS_TRY(made.number, orderNumber());
        if (acceptWord(ToWord)) {
            MITOS_REQUIRE(expect('('));
            do {
                Use consumer;
                MITOS_TRY(consumer.operation, use());
                made.consumers.push_back(std::move(consumer));
            } while (accept(','));
            MITOS_REQUIRE(expect(')'));
        }
        return made;
    }

    Result<Use> tensorUse() {
        Use input;
        MITOS_TRY(input.operation, use());
        if (accept('[')) {
            MITOS_TRY(const std::uint32_t port, numberAt<std::uint32_t>("the number of a tensor"));
            input.port = port;
            MITOS_REQUIRE(expect(']'));
        }
        return input;
    }

    /// The name of an operation where it is used, or %number.
    Result<Placed> use() {
        peek();
        const std::size_t begin = m_at;
        const bool isNumbered = accept(NumberSign);
        Placed name = word();
        name.span.begin = begin;
        if (isNumbered) {
            if (!numberFrom<std::uint32_t>(name.text)) return fail(name.span, "expected a number behind %");
            name.text = NumberSign + name.text;
            return name;
        }
        if (isPlainName(name.text)) return name;
        return fail(name.span, fmt::format("expected the name of an operation, found {}", shown(name.text)));
    }

    Result<std::optional<std::uint32_t>> orderNumber() {
        if (!accept(OrderSign)) return std::optional<std::uint32_t>();
        MITOS_TRY(const std::uint32_t number, numberAt<std::uint32_t>("a number behind @"));
        return std::optional(number);
    }

    Status resolve() {
        MITOS_REQUIRE(placeTensors());
        for (std::uint32_t i = 0; i < m_lines.size(); ++i) {
            for (const Use& input : m_lines[i].inputs) {
                MITOS_TRY(const std::uint32_t producer, find(input.operation));
                const std::vector<Made>& made = m_lines[producer].made;
                const std::string& name = input.operation.text;
                if (made.empty()) {
                    return fail(input.operation.span, fmt::format("{} makes nothing", name),
                                "write `after` to wait for an operation");
                }
                if (!input.port && made.size() > 1) {
                    return fail(input.operation.span, fmt::format("{} makes {} tensors", name, made.size()),
                                fmt::format("write {0}[0] to {0}[{1}]", name, made.size() - 1));
                }
                const std::size_t port = input.port.value_or(0);
                if (port >= made.size()) {
                    return fail(input.operation.span, fmt::format("{} has no tensor {}", name, port));
                }
                m_graph.tensors[made[port].at].consumers.push_back(i);
            }
        }
        MITOS_REQUIRE(orderConsumers());
        return placeEdges();
    }

    /// Numbers the tensors as the text says: all by lines, or all by the numbers behind @.
    Status placeTensors() {
        std::vector<std::pair<Made*, SourceSpan>> all;
        for (Line& line : m_lines) {
            for (Made& made : line.made) all.emplace_back(&made, line.span);
        }
        std::vector<std::optional<std::uint32_t>> numbers;
        for (const auto& [made, span] : all) numbers.push_back(made->number);
        const auto places = placesOf(numbers);
        if (!places)
            return fail(m_lines.front().span, "the numbers of the tensors behind @ are not those from 0 on, each once");
        m_graph.tensors.resize(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].first->at = (*places)[i];
            m_graph.tensors[(*places)[i]] = std::move(all[i].first->tensor);
        }
        return Success{};
    }

    Status orderConsumers() {
        for (const Line& line : m_lines) {
            for (const Made& made : line.made) {
                if (made.consumers.empty()) continue;
                std::vector<std::uint32_t> given;
                for (const Use& use : made.consumers) {
                    MITOS_TRY(const std::uint32_t consumer, find(use.operation));
                    given.push_back(consumer);
                }
                std::vector<std::uint32_t>& consumers = m_graph.tensors[made.at].consumers;
                if (!std::ranges::is_permutation(given, consumers)) {
                    return fail(made.consumers.front().operation.span,
                                "`to` lists other operations than those that use the tensor");
                }
                consumers = std::move(given);
            }
        }
        return Success{};
    }

    Status placeEdges() {
        Edges edges;
        std::vector<std::optional<std::uint32_t>> numbers;
        for (std::uint32_t i = 0; i < m_lines.size(); ++i) {
            for (const Use& before : m_lines[i].before) {
                MITOS_TRY(const std::uint32_t first, find(before.operation));
                edges.emplace_back(first, i);
                numbers.push_back(before.number);
            }
        }
        const auto places = placesOf(numbers);
        if (!places)
            return fail(m_lines.front().span, "the numbers of the edges behind @ are not those from 0 on, each once");
        m_graph.controlEdges.resize(edges.size());
        for (std::size_t i = 0; i < edges.size(); ++i) m_graph.controlEdges[(*places)[i]] = edges[i];
        return Success{};
    }

    /// The places that the numbers say, or 0, 1, … if there are none. Nothing if they are no permutation.
    static std::optional<std::vector<std::uint32_t>> placesOf(
        const std::vector<std::optional<std::uint32_t>>& numbers) {
        const bool areGiven = !numbers.empty() && numbers.front().has_value();
        std::vector<bool> taken(numbers.size());
        std::vector<std::uint32_t> places;
        for (std::uint32_t i = 0; i < numbers.size(); ++i) {
            if (numbers[i].has_value() != areGiven) return std::nullopt;
            const std::uint32_t place = numbers[i].value_or(i);
            if (place >= numbers.size() || taken[place]) return std::nullopt;
            taken[place] = true;
            places.push_back(place);
        }
        return places;
    }

    Result<std::uint32_t> find(const Placed& use) const {
        if (use.text.starts_with(NumberSign)) {
            const auto number = numberFrom<std::uint32_t>(std::string_view(use.text).substr(1));
            if (number && *number < m_lines.size()) return *number;
        } else if (const auto found = m_byName.find(use.text); found != m_byName.end()) {
            return found->second;
        }
        return fail(use.span, fmt::format("there is no operation {}", use.text));
    }

    /// The next character of the line that is no blank; '\n' at its end, and at the end of the text.
    char peek() {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t' || m_text[m_at] == '\r')) ++m_at;
        if (m_at < m_text.size() && m_text[m_at] == '#') m_at = std::min(m_text.find('\n', m_at), m_text.size());
        return m_at < m_text.size() ? m_text[m_at] : '\n';
    }
    /// Goes to the next line that is not empty. Returns whether there is one.
    bool skipToLine() {
        while (peek() == '\n' && m_at < m_text.size()) ++m_at;
        return m_at < m_text.size();
    }
    bool accept(char c) {
        if (peek() != c) return false;
        ++m_at;
        return true;
    }
    bool acceptWord(std::string_view wanted) {
        const std::size_t before = m_at;
        if (word().text == wanted) return true;
        m_at = before;
        return false;
    }
    /// The next word; empty where there is another character.
    Placed word() {
        peek();
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && isNameByte(m_text[m_at])) ++m_at;
        m_last = {begin, m_at};
        return {std::string(m_text.substr(begin, m_at - begin)), m_last};
    }
    template <typename Number>
    Result<Number> numberAt(const char* what) {
        peek();
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && (isNameByte(m_text[m_at]) || m_text[m_at] == '+')) ++m_at;
        const std::string_view text = m_text.substr(begin, m_at - begin);
        if (const std::optional<Number> value = numberFrom<Number>(text)) return *value;
        return fail({begin, m_at}, fmt::format("expected {}, found {}", what, shown(text)));
    }
    /// A name as it is, or in quotes.
    Result<std::string> name(const char* what) {
        if (!accept('"')) {
            Placed plain = word();
            if (isPlainName(plain.text)) return std::move(plain.text);
            return fail(plain.span, fmt::format("expected {}, found {}", what, shown(plain.text)));
        }
        std::string text;
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && m_text[m_at] != '"' && m_text[m_at] != '\n') {
            if (m_text[m_at] != '\\') {
                text += m_text[m_at++];
                continue;
            }
            constexpr std::size_t Digits = 2;
            const std::string_view rest = m_text.substr(std::min(m_at + 1, m_text.size()));
            const auto byte =
                rest.starts_with('x') ? numberFrom<std::uint8_t>(rest.substr(1, Digits), 16) : std::nullopt;
            if (!byte && !rest.starts_with('"') && !rest.starts_with('\\')) {
                return fail({m_at, m_at + 1}, "expected \\\", \\\\ or \\x and two digits");
            }
            text += byte ? static_cast<char>(*byte) : rest.front();
            m_at += byte ? 2 + Digits : 2;
        }
        if (m_at >= m_text.size() || m_text[m_at] != '"') return fail({begin, m_at}, "the quotes are not closed");
        ++m_at;
        return text;
    }
    Status expect(char c) {
        if (accept(c)) return Success{};
        return fail({m_at, m_at}, fmt::format("expected '{}', found {}", c, shownHere()));
    }
    Status endOfLine() {
        if (peek() == '\n') return Success{};
        return fail({m_at, m_at}, fmt::format("expected the end of the line, found {}", shownHere()));
    }
    [[nodiscard]] std::string shownHere() {
        return peek() == '\n' ? "the end of the line" : fmt::format("'{}'", peek());
    }
    std::string shown(std::string_view text) { return text.empty() ? shownHere() : fmt::format("'{}'", text); }
    [[nodiscard]] Error fail(SourceSpan span, std::string message, std::string hint = {}) const {
        span.end = std::max(span.begin, std::min(span.end, m_text.size()));
        if (hint.empty()) hint = "an operation has a line: name(inputs) after others takes 2, makes 16";
        return m_source.error(span, std::move(message), std::move(hint));
    }

    const SourceText& m_source;
    const std::string_view m_text;
    std::size_t m_at = 0;
    SourceSpan m_last;
    TaskGraph m_graph;
    std::vector<Line> m_lines;
    absl::flat_hash_map<std::string, std::uint32_t> m_byName;
};

}  // namespace

bool isTaskText(std::string_view text) {
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
        if (!text.starts_with('#')) break;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
    return text.starts_with(TasksWord) && (text.size() == TasksWord.size() || !isNameByte(text[TasksWord.size()]));
}

Result<NamedGraph> readTaskText(const SourceText& source) { return TextReader(source).read(); }

PrintedGraph printGraph(const TaskGraph& graph, std::string_view name) { return GraphPrinter(graph, name).print(); }

std::vector<std::string> namesInText(const TaskGraph& graph) {
    absl::flat_hash_map<std::string_view, std::size_t> counts;
    for (const Operation& operation : graph.operations) ++counts[operation.name];
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
        const std::string& own = graph.operations[i].name;
        names.push_back(isPlainName(own) && counts.at(own) == 1 ? own : fmt::format("{}{}", NumberSign, i));
    }
    return names;
}

}  // namespace mitos::tasks
