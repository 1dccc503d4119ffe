// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/knossos_network.h"

#include "core/base/hash.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace mitos::search::learned {

namespace {

// A batch with more nodes is cut. Small tensors stay in the cache, and large ones are new memory each time, but derivatives have more
// small operators.
constexpr std::size_t MostNodes = 500;
constexpr std::size_t MostTrainingNodes = 2'000;

class KnossosNetwork final : public ValueNetwork {
public:
    KnossosNetwork(const ValueNetworkShape& shape, std::unique_ptr<GraphNetwork> network)
        : m_shape(shape),
          m_network(std::move(network)) {}

    [[nodiscard]] const ValueNetworkShape& shape() const override { return m_shape; }
    [[nodiscard]] std::size_t parameterCount() const override { return m_network->parameterCount(); }
    void initialize(std::uint64_t seed) override { m_network->initialize(seed); }
    void getParameters(std::span<float> into) const override { m_network->getParameters(into); }
    void setParameters(std::span<const float> parameters) override { m_network->setParameters(parameters); }

    [[nodiscard]] Status forward(const ValueInput& input, std::span<float> outputs) override {
        return forwardInParts(input.programs, std::nullopt, outputs);
    }

    [[nodiscard]] Status backward(const ValueInput& input, std::uint64_t seed,
                                  absl::FunctionRef<void(std::span<float> outputs)> byOutput,
                                  std::span<float> byParameter) override {
        const std::span<const ir::ProgramGraph> programs = input.programs;
        if (programs.empty()) {
            byOutput({});
            std::ranges::fill(byParameter, 0.0F);
            return Success{};
        }
        if (partFrom(programs, MostTrainingNodes) == programs.size()) {
            GraphView view = m_batch.view();
            view.dropout = seedOf(seed, 0);
            return m_network->backward(view, byOutput, byParameter) ? Status(Success{}) : networkFailed(*m_network);
        }
        std::vector<float> outputs(programs.size() * m_shape.times);
        MITOS_REQUIRE(forwardInParts(programs, seed, outputs));
        byOutput(outputs);
        std::ranges::fill(byParameter, 0.0F);
        std::vector<float> part(byParameter.size());
        for (std::size_t done = 0; done < programs.size();) {
            const std::size_t count = partFrom(programs.subspan(done), MostTrainingNodes);
            GraphView view = m_batch.view();
            view.dropout = seedOf(seed, done);
            const auto derivatives = std::span(outputs).subspan(done * m_shape.times, count * m_shape.times);
            const auto known = [derivatives](std::span<float> own) { std::ranges::copy(derivatives, own.begin()); };
            if (!m_network->backward(view, known, part)) return networkFailed(*m_network);
            for (std::size_t i = 0; i < part.size(); ++i) byParameter[i] += part[i];
            done += count;
        }
        return Success{};
    }

    [[nodiscard]] std::size_t bytes() const override { return 0; }

private:
    /// Parts have different masks.
    static std::uint64_t seedOf(std::uint64_t seed, std::size_t firstProgram) {
        return combineHash(seed, firstProgram);
    }

    /// Makes the batch of the first programs. Returns how many these are, at least one.
    std::size_t partFrom(std::span<const ir::ProgramGraph> programs, std::size_t most) {
        m_batch.clear();
        do {
            m_batch.add(programs[m_batch.programs()]);
        } while (m_batch.programs() < programs.size() && m_batch.nodes() + programs[m_batch.programs()].size() <= most);
        return m_batch.programs();
    }

    Status forwardInParts(std::span<const ir::ProgramGraph> programs, std::optional<std::uint64_t> seed,
                          std::span<float> outputs) {
        assert(outputs.size() == programs.size() * m_shape.times);
        for (std::size_t done = 0; done < programs.size();) {
            const std::size_t count = partFrom(programs.subspan(done), seed ? MostTrainingNodes : MostNodes);
            GraphView view = m_batch.view();
            if (seed) view.dropout = seedOf(*seed, done);
            if (!m_network->forward(view, outputs.subspan(done * m_shape.times, count * m_shape.times)))
                return networkFailed(*m_network);
            done += count;
        }
        return Success{};
    }

    ValueNetworkShape m_shape;
    std::unique_ptr<GraphNetwork> m_network;
    ProgramBatch m_batch;
};

}  // namespace

void ProgramBatch::link(std::uint32_t from, std::uint32_t to, std::uint32_t type) {
    m_from.push_back(from);
    m_to.push_back(to);
    m_types.push_back(type);
}

void ProgramBatch::linkBoth(std::uint32_t one, std::uint32_t other, std::uint32_t there, std::uint32_t back) {
    link(one, other, there);
    link(other, one, back);
}

void ProgramBatch::linkIdentical(const ir::ProgramGraph& program, std::uint32_t first) {
    // Nodes by value, in their order.
    std::vector<std::uint32_t> ends(program.valueCount + 1, 0);
    for (const std::uint32_t value : program.values) ++ends[value + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<std::uint32_t> nodes(program.size());
    std::vector<std::uint32_t> next(ends.begin(), ends.end() - 1);
    for (std::uint32_t node = 0; node < program.size(); ++node) nodes[next[program.values[node]]++] = first + node;
    for (std::uint32_t value = 0; value < program.valueCount; ++value) {
        const auto equal = std::span(nodes).subspan(ends[value], ends[value + 1] - ends[value]);
        const std::size_t partners = equal.size() <= LargestClique ? equal.size() : 1;
        for (std::size_t i = 0; i < partners; ++i) {
            for (std::size_t j = i + 1; j < equal.size(); ++j) linkBoth(equal[i], equal[j], Identical, Identical);
        }
    }
    for (std::uint32_t node = 0; node < program.size(); ++node) {
        if (program.binders[node] != node) linkBoth(first + program.binders[node], first + node, Identical, Identical);
    }
}

void ProgramBatch::add(const ir::ProgramGraph& program) {
    const auto first = static_cast<std::uint32_t>(m_kinds.size());
    m_begins.push_back(first);
    m_kinds.insert(m_kinds.end(), program.kinds.begin(), program.kinds.end());
    for (const auto& [parent, child, place] : program.edges) {
        const auto type = static_cast<std::uint32_t>(place);
        linkBoth(first + parent, first + child, type, ir::ProgramGraph::Places + type);
    }
    linkIdentical(program, first);
}

GraphView ProgramBatch::view() const {
    return {.nodes = static_cast<std::uint32_t>(m_kinds.size()),
            .from = m_from,
            .to = m_to,
            .begins = m_begins,
            .nodeKinds = m_kinds,
            .edgeTypes = m_types};
}

Result<std::unique_ptr<ValueNetwork>> makeKnossosNetwork(const ValueNetworkShape& shape, std::string_view library) {
    const NetworkShape own{.kind = NetworkKind::Gated,
                           .nodeFeatures = shape.kinds,
                           .edgeFeatures = ProgramBatch::EdgeTypes,
                           .hidden = shape.hidden,
                           .rounds = shape.rounds,
                           .outputs = shape.times,
                           .layers = shape.layers,
                           .readout = shape.readout,
                           .dropout = shape.dropout};
    MITOS_REQUIRE(checkShape(own));
    MITOS_TRY(const LearnedLibrary loaded, LearnedLibrary::load(library));
    MITOS_TRY(std::unique_ptr<GraphNetwork> network, loaded.makeNetwork(own));
    return std::unique_ptr<ValueNetwork>(std::make_unique<KnossosNetwork>(shape, std::move(network)));
}

}  // namespace mitos::search::learned
