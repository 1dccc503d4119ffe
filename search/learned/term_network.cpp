// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/term_network.h"

#include "core/base/random.h"
#include "search/learned/term_features.h"

#include <Eigen/Core>
#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

namespace mitos::search::learned {

namespace {

using ir::ProgramGraph;
using ir::TermBank;
using ir::TermId;

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Weights = Eigen::Map<const Matrix>;
using Derivatives = Eigen::Map<Matrix>;
using Index = Eigen::Index;

constexpr std::size_t Places = ProgramGraph::Places;
constexpr std::uint32_t Counts = 4;  ///< 1, 2, 3, 4 or more occurrences
constexpr std::uint32_t None = UINT32_MAX;

/// A matrix within the flat parameters.
struct Block {
    std::size_t offset = 0;
    Index rows = 0;
    Index columns = 0;
    double bound = 0.0;  ///< of the uniform distribution that it begins with

    [[nodiscard]] Weights in(std::span<const float> parameters) const {
        return {parameters.data() + offset, rows, columns};
    }
    [[nodiscard]] Derivatives in(std::span<float> parameters) const {
        return {parameters.data() + offset, rows, columns};
    }
};

/// Where the parameters are.
class Layout {
public:
    explicit Layout(const ValueNetworkShape& shape) {
        const Index hidden = shape.hidden;
        const Index inner = 2 * hidden;
        const Index read = shape.readout;
        kinds = add(shape.kinds, inner, 1.0);
        features = add(TermFeatureCount, inner, bound(4));
        for (Block& place : places) place = add(hidden, inner, bound(2 * hidden));
        candidate = add(inner, hidden, bound(inner));
        candidateBias = add(1, hidden, 0.0);
        gate = add(inner, hidden, bound(inner));
        gateBias = add(1, hidden, 0.0);
        pass = add(hidden, read, bound(hidden));
        passCount = add(Counts, read, bound(4));
        amount = add(hidden, read, bound(hidden));
        amountCount = add(Counts, read, bound(4));
        Index width = read + hidden + shape.hints;
        for (std::uint32_t i = 0; i < shape.layers; ++i) {
            layers.push_back(add(width, read, bound(width)));
            biases.push_back(add(1, read, 0.0));
            width = read;
        }
        constexpr double LastScale = 0.1;
        last = add(width, shape.times, LastScale * bound(width));
        lastBias = add(1, shape.times, 0.0);
        byHint = add(shape.hints, shape.times, 0.0);
    }

    Block kinds, features;
    std::array<Block, Places> places;
    Block candidate, candidateBias, gate, gateBias;
    Block pass, passCount, amount, amountCount;
    std::vector<Block> layers, biases;
    Block last, lastBias, byHint;

    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] std::span<const Block> all() const { return m_all; }

private:
    static double bound(Index inputs) { return std::sqrt(3.0 / static_cast<double>(inputs)); }
    Block add(Index rows, Index columns, double bound) {
        const Block block{m_size, rows, columns, bound};
        m_size += static_cast<std::size_t>(rows * columns);
        m_all.push_back(block);
        return block;
    }
    std::size_t m_size = 0;
    std::vector<Block> m_all;
};

Matrix sigmoid(const Matrix& x) { return (1.0F + (-x).array().exp()).inverse().matrix(); }

/// Terms none of which contains another, with what their derivatives need.
struct Level {
    std::vector<std::uint32_t> rows;  ///< of the terms in the matrix of embeddings
    std::vector<std::uint32_t> kinds;
    /// By place: the children there, as (number within the level, row).
    std::array<std::vector<std::pair<std::uint32_t, std::uint32_t>>, Places> children;
    std::vector<float> childCounts;
    Matrix features, inner, candidate, gate, mean;
};

/// A value that occurs so often: its row, and the number of occurrences minus 1, at most Counts - 1.
struct Reading {
    std::uint32_t row = 0;
    std::uint32_t count = 0;
};

class TermNetwork final : public ValueNetwork {
public:
    explicit TermNetwork(const ValueNetworkShape& shape)
        : m_shape(shape),
          m_layout(shape),
          m_parameters(m_layout.size()) {}

    [[nodiscard]] const ValueNetworkShape& shape() const override { return m_shape; }
    [[nodiscard]] std::size_t parameterCount() const override { return m_parameters.size(); }

    void initialize(std::uint64_t seed) override {
        Random random(seed);
        for (const Block& block : m_layout.all()) {
            const auto count = static_cast<std::size_t>(block.rows * block.columns);
            for (std::size_t i = 0; i < count; ++i)
                m_parameters[block.offset + i] = static_cast<float>(random.uniform(-block.bound, block.bound));
        }
        forget();
    }
    void getParameters(std::span<float> into) const override { std::ranges::copy(m_parameters, into.begin()); }
    void setParameters(std::span<const float> parameters) override {
        std::ranges::copy(parameters, m_parameters.begin());
        forget();
    }

    void forget() override {
        m_rows.clear();
        m_uses.clear();
        m_known = 0;
        m_sums.clear();
        m_sumCount = 0;
    }
    [[nodiscard]] std::size_t bytes() const override {
        return m_rows.capacity() * sizeof(std::uint32_t) + m_uses.capacity() * sizeof(LooseUses) +
               static_cast<std::size_t>(m_embeddings.size() + m_contributions.size()) * sizeof(float) +
               m_sums.capacity() * sizeof(std::array<std::uint32_t, Counts>);
    }

    [[nodiscard]] Status forward(const ValueInput& input, std::span<float> outputs) override {
        const auto& [bank, programs, hints] = input;
        const auto count = static_cast<Index>(programs.size());
        for (Level& level : levelsOf(bank, programs)) compute(level);
        const std::vector<std::vector<Reading>> readings = readingsOf(programs);
        addContributions(readings);
        Matrix state = initialState(programs, readings, hints);
        for (std::size_t i = 0; i < m_layout.layers.size(); ++i) state = hiddenLayer(i, state);
        Derivatives(outputs.data(), count, m_shape.times) = lastLayer(state, hints);
        return Success{};
    }

    [[nodiscard]] Status backward(const ValueInput& input, std::uint64_t seed,
                                  absl::FunctionRef<void(std::span<float> outputs)> byOutput,
                                  std::span<float> byParameter) override {
        const auto& [bank, programs, hints] = input;
        std::ranges::fill(byParameter, 0.0F);
        forget();
        const auto count = static_cast<Index>(programs.size());
        const Index read = m_shape.readout;
        std::vector<Level> levels = levelsOf(bank, programs);
        for (Level& level : levels) compute(level);

        // The read-out of each distinct reading, then the sums.
        const std::vector<std::vector<Reading>> readings = readingsOf(programs);
        addContributions(readings);
        std::vector<Reading> distinct(m_sumCount);
        for (const std::vector<Reading>& ofProgram : readings) {
            for (const Reading& reading : ofProgram) distinct[m_sums[reading.row][reading.count]] = reading;
        }
        const Matrix seen = rowsOf(distinct);
        const Matrix pass = sigmoid(scored(seen, distinct, m_layout.pass, m_layout.passCount));
        const Matrix amount = scored(seen, distinct, m_layout.amount, m_layout.amountCount).array().tanh().matrix();
        std::vector<Matrix> states{initialState(programs, readings, hints)};
        std::vector<Matrix> active;  // before the dropout
        std::vector<Matrix> kept;
        Random random(seed);
        for (std::size_t i = 0; i < m_layout.layers.size(); ++i) {
            active.push_back(hiddenLayer(i, states.back()));
            kept.push_back(mask(count, read, random));
            states.emplace_back(active.back().cwiseProduct(kept.back()));
        }
        Matrix outputs = lastLayer(states.back(), hints);
        byOutput({outputs.data(), static_cast<std::size_t>(outputs.size())});

        // And back.
        m_layout.last.in(byParameter).noalias() += states.back().transpose() * outputs;
        m_layout.lastBias.in(byParameter) += outputs.colwise().sum();
        if (m_shape.hints > 0)
            m_layout.byHint.in(byParameter).noalias() +=
                Weights(hints.data(), count, m_shape.hints).transpose() * outputs;
        Matrix by = outputs * m_layout.last.in(own()).transpose();
        for (std::size_t i = m_layout.layers.size(); i-- > 0;) {
            const Matrix inside = (by.array() * kept[i].array() * (1.0F - active[i].array().square())).matrix();
            m_layout.layers[i].in(byParameter).noalias() += states[i].transpose() * inside;
            m_layout.biases[i].in(byParameter) += inside.colwise().sum();
            by = inside * m_layout.layers[i].in(own()).transpose();
        }
        Matrix byEmbedding = Matrix::Zero(static_cast<Index>(m_known), m_shape.hidden);
        Matrix byReading = Matrix::Zero(static_cast<Index>(m_sumCount), read);
        for (Index i = 0; i < count; ++i) {
            const auto program = static_cast<std::size_t>(i);
            for (const Reading& reading : readings[program])
                byReading.row(m_sums[reading.row][reading.count]) += by.row(i).head(read);
            byEmbedding.row(rowOf(programs[program].terms.front())) += by.row(i).segment(read, m_shape.hidden);
        }
        const Matrix byPass = (byReading.array() * amount.array() * pass.array() * (1.0F - pass.array())).matrix();
        const Matrix byAmount = (byReading.array() * pass.array() * (1.0F - amount.array().square())).matrix();
        m_layout.pass.in(byParameter).noalias() += seen.transpose() * byPass;
        m_layout.amount.in(byParameter).noalias() += seen.transpose() * byAmount;
        const Matrix bySeen =
            byPass * m_layout.pass.in(own()).transpose() + byAmount * m_layout.amount.in(own()).transpose();
        for (std::size_t i = 0; i < distinct.size(); ++i) {
            const auto row = static_cast<Index>(i);
            m_layout.passCount.in(byParameter).row(distinct[i].count) += byPass.row(row);
            m_layout.amountCount.in(byParameter).row(distinct[i].count) += byAmount.row(row);
            byEmbedding.row(distinct[i].row) += bySeen.row(row);
        }
        for (std::size_t i = levels.size(); i-- > 0;) propagate(levels[i], byEmbedding, byParameter);
        forget();
        return Success{};
    }

private:
    [[nodiscard]] std::span<const float> own() const { return m_parameters; }
    [[nodiscard]] Index rowOf(TermId term) const { return m_rows[term.value]; }

    /// The terms that have no embedding yet, those within others first. They get the next rows.
    [[nodiscard]] std::vector<Level> levelsOf(const TermBank& bank, std::span<const ProgramGraph> programs) {
        if (m_rows.size() < bank.size()) m_rows.resize(bank.size(), None);
        struct New {
            std::uint32_t depth;
            TermId term;
            std::uint32_t kind;
        };
        std::vector<New> found;
        for (const ProgramGraph& program : programs) {
            for (std::size_t i = 0; i < program.size(); ++i) {
                const TermId term = program.terms[i];
                if (m_rows[term.value] != None) continue;
                m_rows[term.value] = 0;  // known, the row follows
                found.push_back({bank.depth(term), term, program.kinds[i]});
            }
        }
        std::ranges::sort(found, {}, [](const New& one) { return std::pair(one.depth, one.term.value); });
        std::vector<Level> levels;
        std::uint32_t depth = None;
        std::vector<LooseUses> uses;
        for (const New& one : found) {
            if (one.depth != depth) levels.emplace_back();
            depth = one.depth;
            Level& level = levels.back();
            const auto number = static_cast<std::uint32_t>(level.rows.size());
            const auto row = static_cast<std::uint32_t>(m_known++);
            m_rows[one.term.value] = row;
            level.rows.push_back(row);
            level.kinds.push_back(one.kind);
            uses.clear();
            const bool isTuple = bank.is(one.term, ir::CoreOp::Tuple);
            std::size_t place = isTuple ? Places - 1 : 0;
            for (const TermId child : bank.children(one.term)) {
                const std::uint32_t ofChild = m_rows[child.value];
                level.children[place].emplace_back(number, ofChild);
                place = std::min(place + 1, Places - 1);
                uses.push_back(m_uses[ofChild]);
            }
            level.childCounts.push_back(static_cast<float>(std::max<std::size_t>(1, uses.size())));
            m_uses.push_back(looseUses(bank, one.term, uses));
            const TermFeatures features = featuresOf(bank, one.term, uses);
            level.features.conservativeResize(number + 1, TermFeatureCount);
            std::ranges::copy(features, level.features.row(number).data());
        }
        if (m_embeddings.rows() < static_cast<Index>(m_known))
            m_embeddings.conservativeResize(std::max<Index>(2 * static_cast<Index>(m_known), 64), m_shape.hidden);
        return levels;
    }

    /// The embeddings of the children at a place.
    [[nodiscard]] Matrix gathered(const Matrix& from, const Level& level, std::size_t place) const {
        Matrix rows(static_cast<Index>(level.children[place].size()), m_shape.hidden);
        for (Index i = 0; i < rows.rows(); ++i)
            rows.row(i) = from.row(level.children[place][static_cast<std::size_t>(i)].second);
        return rows;
    }

    void compute(Level& level) {
        const auto count = static_cast<Index>(level.rows.size());
        Matrix x = level.features * m_layout.features.in(own());
        for (Index i = 0; i < count; ++i)
            x.row(i) += m_layout.kinds.in(own()).row(level.kinds[static_cast<std::size_t>(i)]);
        level.mean = Matrix::Zero(count, m_shape.hidden);
        for (std::size_t place = 0; place < Places; ++place) {
            if (level.children[place].empty()) continue;
            const Matrix children = gathered(m_embeddings, level, place);
            const Matrix messages = children * m_layout.places[place].in(own());
            for (Index i = 0; i < messages.rows(); ++i) {
                const std::uint32_t number = level.children[place][static_cast<std::size_t>(i)].first;
                x.row(number) += messages.row(i);
                level.mean.row(number) += children.row(i) / level.childCounts[number];
            }
        }
        level.inner = x.cwiseMax(0.0F);
        Matrix candidate = level.inner * m_layout.candidate.in(own());
        candidate.rowwise() += m_layout.candidateBias.in(own()).row(0);
        level.candidate = candidate.array().tanh().matrix();
        Matrix gate = level.inner * m_layout.gate.in(own());
        gate.rowwise() += m_layout.gateBias.in(own()).row(0);
        level.gate = sigmoid(gate);
        const Matrix embedding =
            (level.gate.array() * level.candidate.array() + (1.0F - level.gate.array()) * level.mean.array()).matrix();
        for (Index i = 0; i < count; ++i) m_embeddings.row(level.rows[static_cast<std::size_t>(i)]) = embedding.row(i);
    }

    /// Adds the derivatives by the parameters and by the embeddings of the children.
    void propagate(const Level& level, Matrix& byEmbedding, std::span<float> byParameter) const {
        const auto count = static_cast<Index>(level.rows.size());
        Matrix by(count, m_shape.hidden);
        for (Index i = 0; i < count; ++i) by.row(i) = byEmbedding.row(level.rows[static_cast<std::size_t>(i)]);
        const Matrix byCandidate =
            (by.array() * level.gate.array() * (1.0F - level.candidate.array().square())).matrix();
        const Matrix byGate =
            (by.array() * (level.candidate - level.mean).array() * level.gate.array() * (1.0F - level.gate.array()))
                .matrix();
        const Matrix byMean = (by.array() * (1.0F - level.gate.array())).matrix();
        m_layout.candidate.in(byParameter).noalias() += level.inner.transpose() * byCandidate;
        m_layout.candidateBias.in(byParameter) += byCandidate.colwise().sum();
        m_layout.gate.in(byParameter).noalias() += level.inner.transpose() * byGate;
        m_layout.gateBias.in(byParameter) += byGate.colwise().sum();
        Matrix inner =
            byCandidate * m_layout.candidate.in(own()).transpose() + byGate * m_layout.gate.in(own()).transpose();
        inner = (level.inner.array() > 0.0F).select(inner, 0.0F).eval();
        m_layout.features.in(byParameter).noalias() += level.features.transpose() * inner;
        for (Index i = 0; i < count; ++i)
            m_layout.kinds.in(byParameter).row(level.kinds[static_cast<std::size_t>(i)]) += inner.row(i);
        for (std::size_t place = 0; place < Places; ++place) {
            const auto& children = level.children[place];
            if (children.empty()) continue;
            Matrix parents(static_cast<Index>(children.size()), inner.cols());
            for (Index i = 0; i < parents.rows(); ++i)
                parents.row(i) = inner.row(children[static_cast<std::size_t>(i)].first);
            m_layout.places[place].in(byParameter).noalias() +=
                gathered(m_embeddings, level, place).transpose() * parents;
            const Matrix byChild = parents * m_layout.places[place].in(own()).transpose();
            for (Index i = 0; i < byChild.rows(); ++i) {
                const auto& [number, row] = children[static_cast<std::size_t>(i)];
                byEmbedding.row(row) += byChild.row(i) + byMean.row(number) / level.childCounts[number];
            }
        }
    }

    /// By program: its distinct values.
    [[nodiscard]] std::vector<std::vector<Reading>> readingsOf(std::span<const ProgramGraph> programs) const {
        std::vector<std::vector<Reading>> all;
        for (const ProgramGraph& program : programs) {
            std::vector<Reading>& readings = all.emplace_back(program.valueCount, Reading{None, 0});
            for (std::size_t i = 0; i < program.size(); ++i) {
                Reading& reading = readings[program.values[i]];
                if (reading.row != None) {
                    reading.count = std::min(reading.count + 1, Counts - 1);
                } else {
                    reading.row = m_rows[program.terms[i].value];
                }
            }
        }
        return all;
    }

    /// Computes what readings add to the sum of a program, for those that are new.
    void addContributions(std::span<const std::vector<Reading>> readings) {
        constexpr std::array<std::uint32_t, Counts> Unknown{None, None, None, None};
        m_sums.resize(m_known, Unknown);
        std::vector<Reading> missing;
        const std::size_t first = m_sumCount;
        for (const std::vector<Reading>& ofProgram : readings) {
            for (const Reading& reading : ofProgram) {
                std::uint32_t& place = m_sums[reading.row][reading.count];
                if (place != None) continue;
                place = static_cast<std::uint32_t>(m_sumCount++);
                missing.push_back(reading);
            }
        }
        if (missing.empty()) return;
        if (m_contributions.rows() < static_cast<Index>(m_sumCount))
            m_contributions.conservativeResize(std::max<Index>(2 * static_cast<Index>(m_sumCount), 64),
                                               m_shape.readout);
        const Matrix seen = rowsOf(missing);
        m_contributions.middleRows(static_cast<Index>(first), seen.rows()) =
            (sigmoid(scored(seen, missing, m_layout.pass, m_layout.passCount)).array() *
             scored(seen, missing, m_layout.amount, m_layout.amountCount).array().tanh())
                .matrix();
    }

    [[nodiscard]] Matrix rowsOf(std::span<const Reading> readings) const {
        Matrix rows(static_cast<Index>(readings.size()), m_shape.hidden);
        for (Index i = 0; i < rows.rows(); ++i)
            rows.row(i) = m_embeddings.row(readings[static_cast<std::size_t>(i)].row);
        return rows;
    }
    [[nodiscard]] Matrix scored(const Matrix& seen, std::span<const Reading> readings, const Block& weights,
                                const Block& byCount) const {
        Matrix scores = seen * weights.in(own());
        for (Index i = 0; i < scores.rows(); ++i)
            scores.row(i) += byCount.in(own()).row(readings[static_cast<std::size_t>(i)].count);
        return scores;
    }
    [[nodiscard]] Matrix hiddenLayer(std::size_t layer, const Matrix& state) const {
        Matrix next = state * m_layout.layers[layer].in(own());
        next.rowwise() += m_layout.biases[layer].in(own()).row(0);
        return next.array().tanh().matrix();
    }
    [[nodiscard]] Matrix lastLayer(const Matrix& state, std::span<const float> hints) const {
        Matrix outputs = state * m_layout.last.in(own());
        outputs.rowwise() += m_layout.lastBias.in(own()).row(0);
        if (m_shape.hints > 0)
            outputs += Weights(hints.data(), outputs.rows(), m_shape.hints) * m_layout.byHint.in(own());
        return outputs;
    }
    /// The sum of the readings, the embedding of the root, and the hints.
    [[nodiscard]] Matrix initialState(std::span<const ProgramGraph> programs,
                                      const std::vector<std::vector<Reading>>& readings,
                                      std::span<const float> hints) const {
        const auto count = static_cast<Index>(programs.size());
        const Index read = m_shape.readout;
        Matrix state = Matrix::Zero(count, read + m_shape.hidden + m_shape.hints);
        for (Index i = 0; i < count; ++i) {
            const auto program = static_cast<std::size_t>(i);
            for (const Reading& reading : readings[program])
                state.row(i).head(read) += m_contributions.row(m_sums[reading.row][reading.count]);
            state.row(i).segment(read, m_shape.hidden) = m_embeddings.row(rowOf(programs[program].terms.front()));
        }
        if (m_shape.hints > 0) state.rightCols(m_shape.hints) = Weights(hints.data(), count, m_shape.hints);
        return state;
    }
    /// 0 for numbers that are left out; the others are scaled so that the expected sums stay.
    [[nodiscard]] Matrix mask(Index rows, Index columns, Random& random) const {
        Matrix kept = Matrix::Ones(rows, columns);
        if (m_shape.dropout <= 0.0) return kept;
        const auto scale = static_cast<float>(1.0 / (1.0 - m_shape.dropout));
        for (Index i = 0; i < kept.size(); ++i) kept.data()[i] = random.chance(m_shape.dropout) ? 0.0F : scale;
        return kept;
    }

    ValueNetworkShape m_shape;
    Layout m_layout;
    std::vector<float> m_parameters;

    std::vector<std::uint32_t> m_rows;  ///< by term: its row; None
    std::vector<LooseUses> m_uses;      ///< by row, as the two below
    Matrix m_embeddings;
    std::size_t m_known = 0;
    std::vector<std::array<std::uint32_t, Counts>> m_sums;  ///< by row and count: the row of the contribution; None
    Matrix m_contributions;
    std::size_t m_sumCount = 0;
};

}  // namespace

std::unique_ptr<ValueNetwork> makeTermNetwork(const ValueNetworkShape& shape) {
    return std::make_unique<TermNetwork>(shape);
}

}  // namespace mitos::search::learned
