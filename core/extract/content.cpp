// SPDX-License-Identifier: GPL-3.0-or-later
// See content.h.
#include "core/extract/content.h"

#include "core/base/hash.h"
#include "core/extract/internal/egraph_problem.h"

#include <algorithm>
#include <limits>

namespace mitos::extract {

using egraph::EGraph;
using egraph::ENodeId;

namespace {

enum State : std::uint8_t { New, Open, Done };

constexpr std::uint64_t SecondSeed = 0xD6E8FEB86659FD93ULL;

void combine(ContentHash& hash, const ContentHash& with) {
    hash.first = combineHash(hash.first, with.first);
    hash.second = combineHash(hash.second + SecondSeed, with.second);
}

}  // namespace

std::uint64_t ContentReader::hashOf(egraph::HeadId id) {
    if (id.value >= m_heads.size()) m_heads.resize(m_graph.heads().size());
    std::uint64_t& hash = m_heads[id.value];
    if (hash != 0) return hash;
    const egraph::Head& head = m_graph.heads()[id];
    hash = m_graph.bank().headHash(head.op, head.payload, head.type) | 1U;
    return hash;
}

ContentHash ContentReader::hashOf(ENodeId node) {
    const std::uint64_t head = hashOf(m_graph.headOf(node));
    ContentHash hash{head, head ^ SecondSeed};
    for (const std::uint32_t child : m_graph.children(node)) combine(hash, m_hashes[child]);
    return hash;
}

void ContentReader::close(std::uint32_t leader) {
    const EGraph::Index& index = m_graph.index();
    const EGraph::IndexRange range = m_graph.indexRange(ENodeId(leader));
    m_sorted.clear();
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
        m_sorted.emplace_back(hashOf(ENodeId(index.members[i])), index.members[i]);
    }
    std::ranges::sort(m_sorted);
    ContentHash hash{m_sorted.size(), ~m_sorted.size()};
    m_ranges[leader].begin = static_cast<std::uint32_t>(m_members.size());
    for (const auto& [own, member] : m_sorted) {
        combine(hash, own);
        m_members.push_back(member);
    }
    m_ranges[leader].end = static_cast<std::uint32_t>(m_members.size());
    m_hashes[leader] = hash;
}

std::optional<ContentHash> ContentReader::read(std::span<const ENodeId> roots) {
    const EGraph::Index& index = m_graph.index();
    m_state.assign(m_graph.idCount(), New);
    m_hashes.resize(m_graph.idCount());
    m_ranges.resize(m_graph.idCount());
    m_members.clear();
    struct Level {
        std::uint32_t leader = 0;
        std::uint32_t member = 0;  // in Index::members
        std::uint32_t child = 0;
    };
    std::vector<Level> path;
    const auto enter = [&](std::uint32_t leader) {
        m_state[leader] = Open;
        path.push_back({leader, m_graph.indexRange(ENodeId(leader)).begin, 0});
    };
    ContentHash all{roots.size(), roots.size()};
    for (const ENodeId root : roots) {
        const std::uint32_t leader = m_graph.find(root).value;
        if (m_state[leader] == New) enter(leader);
        while (!path.empty()) {
            Level& level = path.back();
            if (level.member == m_graph.indexRange(ENodeId(level.leader)).end) {
                close(level.leader);
                m_state[level.leader] = Done;
                path.pop_back();
                continue;
            }
            const auto children = m_graph.children(ENodeId(index.members[level.member]));
            if (level.child == children.size()) {
                ++level.member;
                level.child = 0;
                continue;
            }
            const std::uint32_t child = children[level.child++];
            if (m_state[child] == Open) return std::nullopt;
            if (m_state[child] == New) enter(child);
        }
        combine(all, m_hashes[leader]);
    }
    return all;
}

std::span<const std::uint32_t> ContentReader::membersOf(std::uint32_t leader) const {
    const Range range = m_ranges[leader];
    return std::span(m_members).subspan(range.begin, range.end - range.begin);
}

std::optional<double> ContentCosts::find(const ContentHash& content) const {
    const std::scoped_lock lock(m_mutex);
    const auto found = m_costs.find(content);
    return found == m_costs.end() ? std::nullopt : std::optional(found->second);
}

void ContentCosts::add(const ContentHash& content, double cost) {
    const std::scoped_lock lock(m_mutex);
    m_costs.emplace(content, cost);
}

std::size_t ContentCosts::size() const {
    const std::scoped_lock lock(m_mutex);
    return m_costs.size();
}

std::size_t ContentCosts::bytes() const {
    const std::scoped_lock lock(m_mutex);
    return m_costs.capacity() * (sizeof(std::pair<ContentHash, double>) + 1);
}

GraphPricer::GraphPricer(EGraph& graph, const cost::CostModel& model, ir::FunctionId function,
                         std::vector<ENodeId> roots, std::string method, Priced priced, Options options,
                         ContentCosts& known)
    : m_graph(graph),
      m_roots(std::move(roots)),
      m_method(std::move(method)),
      m_priced(priced),
      m_options(std::move(options)),
      m_known(known),
      m_reader(graph),
      m_costs(model.evaluator(graph.bank(), function)),
      m_sharing(graph.bank().function(function).sharing),
      m_pricing(makePricing(graph, *m_costs, m_sharing)) {}

double GraphPricer::cost(const std::stop_token& stop) {
    const std::optional<ContentHash> content = m_reader.read(m_roots);
    if (content) {
        if (const std::optional<double> known = m_known.find(*content)) return *known;
    }
    const double cost = price(content.has_value(), stop);
    if (content && !stop.stop_requested()) m_known.add(*content, cost);
    return cost;
}

double GraphPricer::price(bool isRead, const std::stop_token& stop) {
    // Cheapest terms are kept from graph to graph as long as it only grows, but here it is undone, too.
    const bool isGraph = m_sharing == ir::Sharing::Graph;
    if (!isGraph) m_pricing = makePricing(m_graph, *m_costs, m_sharing);
    m_pricing->update([] { return true; });
    double total = 0.0;
    for (const ENodeId root : m_roots) {
        if (isGraph) {
            total += priceOfGraph(root, isRead, stop);
            continue;
        }
        const ir::TermId term = m_pricing->least(root);
        total += term.isValid() ? m_costs->costOrInfinity(term) : std::numeric_limits<double>::infinity();
    }
    return total;
}

double GraphPricer::priceOfGraph(ENodeId root, bool isRead, const std::stop_token& stop) {
    const auto membersOf = [this](std::uint32_t leader) { return m_reader.membersOf(leader); };
    const auto price = [this](ENodeId node) { return m_pricing->price(node); };
    const Problem problem =
        isRead ? makeProblem(m_graph, {&root, 1}, membersOf, price) : makeProblem(m_graph, {&root, 1}, price);
    const Result<Extraction> found = extract(problem, m_method, m_options, stop);
    if (!found) return std::numeric_limits<double>::infinity();
    if (m_priced == Priced::Prediction) {
        return found->method == "tree" ? found->treeCost : found->predicted.value_or(found->cost);
    }
    return m_costs->costOrInfinity(chosenTerms(m_graph, problem, found->choice).front());
}

}  // namespace mitos::extract
