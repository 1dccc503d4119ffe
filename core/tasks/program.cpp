// SPDX-License-Identifier: GPL-3.0-or-later
// See program.h.
#include "core/tasks/program.h"

#include "core/base/number_text.h"
#include "core/ir/attributes.h"
#include "core/ir/shared.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace mitos::tasks {

namespace {

using ir::TermBank;
using ir::TermId;
using Numbers = std::vector<std::uint64_t>;

/// The attributes of a Task, in their order.
enum class Attribute : std::uint8_t {
    Number,
    Name,
    Duration,
    Bytes,
    Results,
    Tensors,
    Consumers,
    Inputs,
    Edges,
    Count
};
constexpr auto AttributeCount = static_cast<std::size_t>(Attribute::Count);

/// The data of a Task besides its children.
struct TaskData {
    std::uint32_t number = 0;
    std::string name;
    double duration = 0.0;
    Numbers bytes;    ///< by tensor of the task
    Numbers results;  ///< the tensors that are results of the graph
    Numbers tensors;  ///< their numbers in the graph
    /// For each tensor the number of its consumers, and these; empty if all are in the order of their numbers.
    Numbers consumers;
    std::size_t inputs = 0;  ///< so many children are tensors, and the others operations to wait for
    Numbers edges;           ///< the numbers of the edges from these
};

/// A name as a value of an attribute, which has no $ and is not empty.
std::string asValue(std::string_view name) {
    std::string text = "\"";
    for (const char c : name) {
        if (c == '$' || c == '%')
            text += c == '$' ? "%d" : "%p";
        else
            text += c;
    }
    return text + '"';
}

std::string nameIn(std::string_view value) {
    if (value.size() < 2) return std::string(value);
    value = value.substr(1, value.size() - 2);
    std::string name;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const bool isEscape = value[i] == '%' && i + 1 < value.size();
        if (isEscape) ++i;
        name += !isEscape ? value[i] : value[i] == 'd' ? '$' : '%';
    }
    return name;
}

std::string asValue(const Numbers& numbers) { return fmt::format("[{}]", fmt::join(numbers, ",")); }

Numbers numbersIn(std::string_view value) {
    Numbers numbers;
    if (value.size() < 2) return numbers;
    value = value.substr(1, value.size() - 2);
    while (!value.empty()) {
        const std::string_view one = value.substr(0, value.find(','));
        numbers.push_back(numberFrom<std::uint64_t>(one).value_or(0));
        value.remove_prefix(std::min(one.size() + 1, value.size()));
    }
    return numbers;
}

ir::Payload toPayload(TermBank& bank, const TaskData& task) {
    const std::vector<std::string> values{fmt::format("{}", task.number),
                                          asValue(task.name),
                                          fmt::format("{}", task.duration),
                                          asValue(task.bytes),
                                          asValue(task.results),
                                          asValue(task.tensors),
                                          asValue(task.consumers),
                                          fmt::format("{}", task.inputs),
                                          asValue(task.edges)};
    return ir::attributesPayload(bank, values);
}

std::vector<std::string_view> valuesOf(std::string_view text) {
    std::vector<std::string_view> values = ir::attributeValues(text);
    values.resize(AttributeCount);
    return values;
}

std::string_view valueOf(const std::vector<std::string_view>& values, Attribute attribute) {
    return values[static_cast<std::size_t>(attribute)];
}

TaskData dataOf(std::string_view text) {
    const std::vector<std::string_view> values = valuesOf(text);
    return {.number = numberFrom<std::uint32_t>(valueOf(values, Attribute::Number)).value_or(0),
            .name = nameIn(valueOf(values, Attribute::Name)),
            .duration = numberFrom<double>(valueOf(values, Attribute::Duration)).value_or(0.0),
            .bytes = numbersIn(valueOf(values, Attribute::Bytes)),
            .results = numbersIn(valueOf(values, Attribute::Results)),
            .tensors = numbersIn(valueOf(values, Attribute::Tensors)),
            .consumers = numbersIn(valueOf(values, Attribute::Consumers)),
            .inputs = numberFrom<std::size_t>(valueOf(values, Attribute::Inputs)).value_or(0),
            .edges = numbersIn(valueOf(values, Attribute::Edges))};
}

/// u8[16] for one tensor of 16 bytes, otherwise a tuple of such types.
ir::TypeId typeOf(ir::TypeTable& types, const Numbers& bytes) {
    std::vector<ir::TypeId> tensors;
    for (const std::uint64_t size : bytes) {
        const ir::Dimension dimension = ir::Dimension::of(static_cast<std::int64_t>(size));
        tensors.push_back(types.array(ir::Dtype::U8, std::span(&dimension, 1)));
    }
    return tensors.size() == 1 ? tensors.front() : types.tuple(tensors);
}

Result<ir::TypeId> typeOfTask(const ir::TypeRuleInput& in) {
    const std::string_view text = in.types.symbols().text(in.payload.asSymbol());
    return typeOf(in.types, numbersIn(valueOf(valuesOf(text), Attribute::Bytes)));
}

Result<ir::TypeId> typeOfFinish(const ir::TypeRuleInput& in) { return in.types.unit(); }

/// Makes the terms of a graph.
class ProgramMaker {
public:
    ProgramMaker(TermBank& bank, const TaskGraph& graph)
        : m_bank(bank),
          m_graph(graph),
          m_made(graph.operations.size()),
          m_used(graph.operations.size()),
          m_before(graph.operations.size()),
          m_port(graph.tensors.size()),
          m_open(graph.operations.size()),
          m_next(graph.operations.size()),
          m_terms(graph.operations.size()) {
        for (std::uint32_t tensor = 0; tensor < graph.tensors.size(); ++tensor) {
            const Tensor& one = graph.tensors[tensor];
            m_port[tensor] = static_cast<std::uint32_t>(m_made[one.producer].size());
            m_made[one.producer].push_back(tensor);
            for (const std::uint32_t consumer : one.consumers) {
                m_used[consumer].push_back(tensor);
                link(one.producer, consumer);
            }
        }
        for (std::uint32_t edge = 0; edge < graph.controlEdges.size(); ++edge) {
            const auto& [first, second] = graph.controlEdges[edge];
            m_before[second].push_back(edge);
            link(first, second);
        }
    }

    Result<TermId> make() {
        std::vector<std::uint32_t> ready;
        for (std::uint32_t i = 0; i < m_open.size(); ++i) {
            if (m_open[i] == 0) ready.push_back(i);
        }
        while (!ready.empty()) {
            const std::uint32_t operation = ready.back();
            ready.pop_back();
            MITOS_TRY(m_terms[operation], task(operation));
            for (const std::uint32_t next : m_next[operation]) {
                if (--m_open[next] == 0) ready.push_back(next);
            }
        }
        std::vector<TermId> last;
        for (std::uint32_t i = 0; i < m_terms.size(); ++i) {
            if (m_next[i].empty()) last.push_back(m_terms[i]);
        }
        return m_bank.make(m_bank.registry().find(FinishName), last);
    }

private:
    void link(std::uint32_t first, std::uint32_t second) {
        m_next[first].push_back(second);
        ++m_open[second];
    }

    Result<TermId> task(std::uint32_t operation) {
        const Operation& own = m_graph.operations[operation];
        TaskData data;
        data.number = operation;
        data.name = own.name;
        data.duration = own.duration;
        bool isInOrder = true;
        for (const std::uint32_t number : m_made[operation]) {
            const Tensor& tensor = m_graph.tensors[number];
            if (tensor.isOutput) data.results.push_back(data.bytes.size());
            data.bytes.push_back(tensor.bytes);
            data.tensors.push_back(number);
            isInOrder = isInOrder && std::ranges::is_sorted(tensor.consumers);
            data.consumers.push_back(tensor.consumers.size());
            data.consumers.insert(data.consumers.end(), tensor.consumers.begin(), tensor.consumers.end());
        }
        if (isInOrder) data.consumers.clear();
        std::vector<TermId> children;
        for (const std::uint32_t tensor : m_used[operation]) {
            const std::uint32_t producer = m_graph.tensors[tensor].producer;
            const TermId whole = m_terms[producer];
            children.push_back(m_made[producer].size() == 1 ? whole : m_bank.get(whole, m_port[tensor]));
        }
        data.inputs = children.size();
        for (const std::uint32_t edge : m_before[operation]) {
            children.push_back(m_terms[m_graph.controlEdges[edge].first]);
            data.edges.push_back(edge);
        }
        const ir::Payload known = toPayload(m_bank, data);
        const Symbol hint = m_bank.symbols().intern(own.name.empty() ? fmt::format("task {}", operation) : own.name);
        return m_bank.make(m_bank.registry().find(TaskName), children, known, hint);
    }

    TermBank& m_bank;
    const TaskGraph& m_graph;
    std::vector<std::vector<std::uint32_t>> m_made;    // by operation: its tensors
    std::vector<std::vector<std::uint32_t>> m_used;    // by operation: the tensors that it uses, once for each use
    std::vector<std::vector<std::uint32_t>> m_before;  // by operation: the edges that lead to it
    std::vector<std::uint32_t> m_port;                 // by tensor: its number among those of its producer
    std::vector<std::size_t> m_open;                   // by operation: uses and edges whose beginning has no term yet
    std::vector<std::vector<std::uint32_t>> m_next;  // by operation: the operations to which its tensors and edges lead
    std::vector<TermId> m_terms;
};

/// Reads the graph of a term.
class GraphMaker {
public:
    GraphMaker(const TermBank& bank, TermId root)
        : m_bank(bank),
          m_root(root),
          m_task(bank.registry().find(TaskName)),
          m_finish(bank.registry().find(FinishName)) {}

    Result<ProgramTasks> make() {
        MITOS_REQUIRE(collect());
        addTensors();
        for (std::uint32_t i = 0; i < m_tasks.size(); ++i) {
            const std::span<const TermId> children = m_bank.children(m_tasks[i].term);
            for (std::size_t k = 0; k < children.size(); ++k) MITOS_REQUIRE(addChild(i, k, children[k]));
        }
        orderConsumers();
        std::ranges::stable_sort(m_edges, {}, [](const Edge& edge) { return edge.number; });
        for (const Edge& edge : m_edges) m_result.graph.controlEdges.emplace_back(edge.first, edge.second);
        MITOS_REQUIRE(checkGraph(m_result.graph));
        return std::move(m_result);
    }

private:
    struct Task {
        TermId term;
        TaskData data;
        std::vector<std::uint32_t> tensors;  ///< their numbers in the graph
    };
    struct Edge {
        std::uint32_t first = 0;
        std::uint32_t second = 0;
        std::uint64_t number = 0;
    };

    [[nodiscard]] bool isTask(TermId term) const { return m_bank.op(term) == m_task; }

    Status collect() {
        for (const TermId node : ir::SharedNodes(m_bank, m_root)) {
            if (isTask(node)) {
                m_tasks.push_back({node, dataOf(m_bank.text(m_bank.payload(node).asSymbol())), {}});
                continue;
            }
            const bool isPart = m_bank.is(node, ir::CoreOp::Get) || (m_bank.op(node) == m_finish && node == m_root);
            if (!isPart) return inputError(fmt::format("{} is no part of a task graph", m_bank.opName(node)), {});
        }
        std::ranges::stable_sort(m_tasks, {}, [](const Task& task) { return task.data.number; });
        for (const Task& task : m_tasks) {
            m_numbers.emplace(task.term, static_cast<std::uint32_t>(m_numbers.size()));
            m_result.graph.operations.push_back({task.data.name, task.data.duration});
            m_result.terms.push_back(task.term);
        }
        return Success{};
    }

    void addTensors() {
        struct Place {
            std::uint32_t task = 0;
            std::size_t port = 0;
            std::uint64_t number = 0;
        };
        std::vector<Place> places;
        for (std::uint32_t i = 0; i < m_tasks.size(); ++i) {
            const TaskData& data = m_tasks[i].data;
            m_tasks[i].tensors.resize(data.bytes.size());
            for (std::size_t k = 0; k < data.bytes.size(); ++k) {
                places.push_back({i, k, k < data.tensors.size() ? data.tensors[k] : 0});
            }
        }
        std::ranges::stable_sort(places, {}, &Place::number);
        for (const Place& place : places) {
            Task& task = m_tasks[place.task];
            task.tensors[place.port] = static_cast<std::uint32_t>(m_result.graph.tensors.size());
            const Numbers& results = task.data.results;
            m_result.graph.tensors.push_back({.bytes = task.data.bytes[place.port],
                                              .producer = place.task,
                                              .isOutput = std::ranges::find(results, place.port) != results.end()});
            m_result.tensors.push_back(task.tensors.size() == 1 ? task.term : TermId());
        }
    }

    /// Adds what child `k` of a task says, which is a tensor or an operation to wait for.
    Status addChild(std::uint32_t consumer, std::size_t k, TermId child) {
        const TaskData& data = m_tasks[consumer].data;
        const bool isGet = m_bank.is(child, ir::CoreOp::Get);
        const auto producer = m_numbers.find(isGet ? m_bank.child(child, 0) : child);
        if (producer == m_numbers.end()) return inputError("the input of a task is no tensor of a task", {});
        if (k >= data.inputs) {
            const std::size_t edge = k - data.inputs;
            m_edges.push_back(
                {producer->second, consumer, edge < data.edges.size() ? data.edges[edge] : m_edges.size()});
            return Success{};
        }
        const std::vector<std::uint32_t>& tensors = m_tasks[producer->second].tensors;
        const std::size_t port = isGet ? m_bank.payload(child).projectionIndex() : 0;
        if (port >= tensors.size()) return inputError("the input of a task is no tensor of a task", {});
        m_result.graph.tensors[tensors[port]].consumers.push_back(consumer);
        m_result.tensors[tensors[port]] = child;
        return Success{};
    }

    void orderConsumers() {
        for (const Task& task : m_tasks) {
            std::span<const std::uint64_t> rest = task.data.consumers;
            for (const std::uint32_t tensor : task.tensors) {
                if (rest.empty()) break;
                const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(rest.front(), rest.size() - 1));
                std::vector<std::uint32_t>& consumers = m_result.graph.tensors[tensor].consumers;
                const auto given = rest.subspan(1, count);
                if (std::ranges::is_permutation(given, consumers)) {
                    std::ranges::transform(given, consumers.begin(),
                                           [](std::uint64_t number) { return static_cast<std::uint32_t>(number); });
                }
                rest = rest.subspan(1 + count);
            }
        }
    }

    const TermBank& m_bank;
    const TermId m_root;
    const ir::OpId m_task;
    const ir::OpId m_finish;
    std::vector<Task> m_tasks;
    absl::flat_hash_map<TermId, std::uint32_t> m_numbers;
    std::vector<Edge> m_edges;
    ProgramTasks m_result;
};

}  // namespace

void addOperators(ir::OperatorRegistry& registry) {
    ir::OperatorInfo task;
    task.name = TaskName;
    task.dialect = DialectName;
    task.maxArity = ir::OperatorInfo::Variadic;
    task.payload = ir::PayloadKind::Attributes;
    task.typeRule = typeOfTask;
    task.doc = "an operation of a task graph";
    task.attributes = {"number", "name", "duration", "bytes", "results", "tensors", "consumers", "inputs", "edges"};
    static_cast<void>(registry.add(std::move(task)));
    ir::OperatorInfo finish;
    finish.name = FinishName;
    finish.dialect = DialectName;
    finish.maxArity = ir::OperatorInfo::Variadic;
    finish.typeRule = typeOfFinish;
    finish.doc = "the end of all operations of a task graph";
    static_cast<void>(registry.add(std::move(finish)));
}

Result<ir::Program> programOf(TermBank& bank, const TaskGraph& graph, std::string_view name) {
    MITOS_REQUIRE(checkGraph(graph));
    MITOS_TRY(const TermId root, ProgramMaker(bank, graph).make());
    const ir::TypeId nothing = bank.types().unit();
    if (const ir::FunctionId known = bank.findFunction(name, nothing); known.isValid()) {
        if (bank.function(known).dialect == DialectName) return ir::Program{known, root};
        return inputError(fmt::format("there is another program {}", name), "give the task graph another name");
    }
    ir::Function function;
    function.name = name;
    function.dialect = DialectName;
    function.argument = function.result = function.declaredResult = nothing;
    MITOS_TRY(const ir::FunctionId id, bank.declare(std::move(function)));
    bank.define(id, root);
    return ir::Program{id, root};
}

Result<ProgramTasks> tasksOf(const TermBank& bank, TermId root) { return GraphMaker(bank, root).make(); }

Result<TaskGraph> graphOf(const TermBank& bank, const ir::Program& program) {
    MITOS_TRY(ProgramTasks tasks, tasksOf(bank, program.root));
    return std::move(tasks.graph);
}

std::optional<TaskLabel> labelOf(const TermBank& bank, const ir::Payload& payload) {
    if (payload.kind() != ir::PayloadKind::Attributes) return std::nullopt;
    const std::vector<std::string_view> values = valuesOf(bank.text(payload.asSymbol()));
    TaskLabel label{nameIn(valueOf(values, Attribute::Name)),
                    numberFrom<double>(valueOf(values, Attribute::Duration)).value_or(0.0)};
    if (label.name.empty()) label.name = fmt::format("task {}", valueOf(values, Attribute::Number));
    return label;
}

}  // namespace mitos::tasks
