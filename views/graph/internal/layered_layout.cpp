// SPDX-License-Identifier: GPL-3.0-or-later
// Each component is laid out separately, from top to bottom; for drawings to the right, x and y are exchanged before and after.
#include "views/graph/internal/layered_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mitos::views {

namespace {

constexpr double NodeGap = 14.0;
constexpr double LayerGap = 30.0;
constexpr double GroupGap = 24.0;  // added to LayerGap for frames and their titles
constexpr double ComponentGap = 40.0;
constexpr double BendWidth = 6.0;  // width for an edge that passes through a layer
constexpr std::size_t MostBends = 20'000;
constexpr int Sweeps = 4;
constexpr int PositionSweeps = 10;
constexpr double FreeWeight = 0.05;  // of nodes without neighbours on the side considered

using Numbers = std::vector<std::size_t>;

/// A node, or the point where a long edge passes through a layer.
struct Place {
    double width = 0.0;
    double height = 0.0;
    double x = 0.0;  // centre
    std::size_t layer = 0;
    std::size_t slot = 0;  // in the layer
    Numbers above;
    std::vector<double> ports;  // for each above: horizontal offset from its centre at which that edge leaves it
    Numbers below;
};

class Layering {
public:
    Layering(const GraphDescription& graph, GraphDirection direction) : m_graph(graph), m_direction(direction) {
        m_places.resize(graph.nodes.size());
        for (std::size_t i = 0; i < m_places.size(); ++i) {
            QSizeF size = graph.nodes[i].size;
            if (direction == GraphDirection::Right) size.transpose();
            m_places[i].width = size.width();
            m_places[i].height = size.height();
        }
        m_chains.resize(graph.edges.size());
    }

    GraphLayout run() {
        openCycles();
        assignLayers();
        makeChains();
        placeComponents();
        return result();
    }

private:
    /// Reverses edges that close a cycle.
    void openCycles() {
        enum class State : std::uint8_t { New, Open, Done };
        Numbers firstOut(m_graph.nodes.size() + 1, 0);
        for (const GraphEdge& edge : m_graph.edges) ++firstOut[edge.from + 1];
        std::partial_sum(firstOut.begin(), firstOut.end(), firstOut.begin());
        Numbers out(m_graph.edges.size());
        Numbers next = firstOut;
        for (std::size_t i = 0; i < out.size(); ++i) out[next[m_graph.edges[i].from]++] = i;
        next.assign(firstOut.begin(), firstOut.end() - 1);

        std::vector<State> state(m_graph.nodes.size(), State::New);
        m_from.resize(m_graph.edges.size());
        m_to.resize(m_graph.edges.size());
        for (std::size_t start = 0; start < state.size(); ++start) {
            if (state[start] != State::New) continue;
            Numbers open{start};
            state[start] = State::Open;
            m_order.push_back(start);
            while (!open.empty()) {
                const std::size_t node = open.back();
                if (next[node] == firstOut[node + 1]) {
                    state[node] = State::Done;
                    open.pop_back();
                    continue;
                }
                const std::size_t edge = out[next[node]++];
                const std::size_t to = m_graph.edges[edge].to;
                const bool closes = state[to] == State::Open;
                m_from[edge] = closes ? to : node;
                m_to[edge] = closes ? node : to;
                if (state[to] == State::New && isChild(edge)) {
                    state[to] = State::Open;
                    m_order.push_back(to);
                    open.push_back(to);
                }
            }
        }
    }

    [[nodiscard]] bool isChild(std::size_t edge) const {
        return m_graph.edges[edge].kind == GraphEdge::Kind::Child && m_from[edge] != m_to[edge];
    }

    void assignLayers() {
        Numbers waitingFor(m_graph.nodes.size(), 0);
        std::vector<Numbers> out(m_graph.nodes.size());
        for (std::size_t i = 0; i < m_graph.edges.size(); ++i) {
            if (!isChild(i)) continue;
            ++waitingFor[m_to[i]];
            out[m_from[i]].push_back(m_to[i]);
        }
        Numbers ready;
        for (std::size_t i = 0; i < waitingFor.size(); ++i) {
            if (waitingFor[i] == 0) ready.push_back(i);
        }
        for (std::size_t at = 0; at < ready.size(); ++at) {
            const std::size_t node = ready[at];
            for (const std::size_t to : out[node]) {
                m_places[to].layer = std::max(m_places[to].layer, m_places[node].layer + 1);
                if (--waitingFor[to] == 0) ready.push_back(to);
            }
        }
        bringToUses(ready, out);
    }

    /// Moves nodes without long paths leading to them (weights, masks) right before their uses, away from the beginning.
    void bringToUses(const Numbers& order, const std::vector<Numbers>& out) {
        const auto latest = [&](std::size_t node, const auto& layerOf) {
            std::size_t layer = layerOf(node);
            for (bool isFirst = true; const std::size_t to : out[node]) {
                layer = isFirst ? layerOf(to) - 1 : std::min(layer, layerOf(to) - 1);
                isFirst = false;
            }
            return layer;
        };
        Numbers late(out.size());
        for (std::size_t i = 0; i < out.size(); ++i) late[i] = m_places[i].layer;
        for (auto node = order.rbegin(); node != order.rend(); ++node) {
            late[*node] = latest(*node, [&late](std::size_t at) { return late[at]; });
        }
        std::vector<bool> isFree(out.size(), true);  // whether the node and all its ancestors may move down
        for (const std::size_t node : order) {
            if (late[node] == m_places[node].layer) isFree[node] = false;
            for (const std::size_t to : out[node]) isFree[to] = isFree[to] && isFree[node];
        }
        for (auto node = order.rbegin(); node != order.rend(); ++node) {
            if (isFree[*node])
                m_places[*node].layer = latest(*node, [this](std::size_t at) { return m_places[at].layer; });
        }
    }

    /// The layers between the ends of an edge.
    [[nodiscard]] std::size_t passedLayers(std::size_t edge) const {
        return m_places[m_to[edge]].layer - m_places[m_from[edge]].layer - 1;
    }

    /// The most layers that an edge may pass through with a bend in each, so that there are not more than MostBends bends, or as many as
    /// there are nodes: a value that every node of a long chain uses has as many as the square of its length.
    [[nodiscard]] std::size_t longestChain() const {
        std::vector<std::size_t> lengths;
        for (std::size_t i = 0; i < m_graph.edges.size(); ++i) {
            if (isChild(i)) lengths.push_back(passedLayers(i));
        }
        std::ranges::sort(lengths);
        std::size_t left = std::max(MostBends, m_graph.nodes.size());
        for (const std::size_t length : lengths) {
            if (length > left) return length - 1;
            left -= length;
        }
        return lengths.empty() ? 0 : lengths.back();
    }

    void makeChains() {
        const std::size_t longest = longestChain();
        for (std::size_t i = 0; i < m_graph.edges.size(); ++i) {
            if (!isChild(i)) continue;
            Numbers& chain = m_chains[i];
            chain.push_back(m_from[i]);
            const std::size_t last = passedLayers(i) > longest ? 0 : m_places[m_to[i]].layer;
            for (std::size_t layer = m_places[m_from[i]].layer + 1; layer < last; ++layer) {
                Place bend;
                bend.width = BendWidth;
                bend.layer = layer;
                chain.push_back(m_places.size());
                m_order.push_back(m_places.size());
                m_places.push_back(bend);
            }
            chain.push_back(m_to[i]);
            for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
                m_places[chain[k]].below.push_back(chain[k + 1]);
                m_places[chain[k + 1]].above.push_back(chain[k]);
                m_places[chain[k + 1]].ports.push_back(k == 0 ? portOf(i) : 0.0);
            }
        }
    }

    /// Rows have an offset across the layers only in drawings to the right.
    [[nodiscard]] double portOf(std::size_t edge) const {
        const GraphEdge& drawn = m_graph.edges[edge];
        const bool turned = m_from[edge] != drawn.from;
        if (drawn.fromRow < 0 || turned || m_direction == GraphDirection::Down) return 0.0;
        return m_graph.nodes[drawn.from].rowMiddle(drawn.fromRow);
    }

    // --- one component ------------------------------------------------------------------------------------------------

    void placeComponents() {
        std::size_t layers = 0;
        for (const Place& place : m_places) layers = std::max(layers, place.layer + 1);
        m_heights.assign(layers, 0.0);
        for (const Place& place : m_places) m_heights[place.layer] = std::max(m_heights[place.layer], place.height);
        std::vector<bool> seen(m_places.size(), false);
        double left = 0.0;
        for (const std::size_t start : m_order) {
            if (seen[start]) continue;
            Numbers members{start};
            seen[start] = true;
            for (std::size_t at = 0; at < members.size(); ++at) {
                for (const Numbers* side : {&m_places[members[at]].above, &m_places[members[at]].below}) {
                    for (const std::size_t other : *side) {
                        if (seen[other]) continue;
                        seen[other] = true;
                        members.push_back(other);
                    }
                }
            }
            left = placeComponent(members, layers, left) + ComponentGap;
        }
    }

    /// Returns the right end of the component.
    double placeComponent(const Numbers& members, std::size_t layerCount, double left) {
        std::vector<bool> mine(m_places.size(), false);
        if (members.size() < m_places.size()) {
            for (const std::size_t member : members) mine[member] = true;
        } else {
            mine.assign(m_places.size(), true);
        }
        std::vector<Numbers> layers(layerCount);
        for (const std::size_t place : m_order) {
            if (mine[place]) layers[m_places[place].layer].push_back(place);
        }
        for (Numbers& layer : layers) number(layer);
        for (int sweep = 0; sweep < Sweeps; ++sweep) {
            const bool down = sweep % 2 == 0;
            for (std::size_t i = 1; i < layers.size(); ++i) {
                orderByNeighbours(layers[down ? i : layers.size() - 1 - i], down);
            }
        }
        for (Numbers& layer : layers) {
            double x = 0.0;
            for (const std::size_t place : layer) {
                m_places[place].x = x + m_places[place].width / 2.0;
                x += m_places[place].width + NodeGap;
            }
        }
        for (int sweep = 0; sweep < PositionSweeps; ++sweep) {
            const bool down = sweep % 2 == 0;
            for (std::size_t i = 0; i < layers.size(); ++i) {
                moveToNeighbours(layers[down ? i : layers.size() - 1 - i], down);
            }
        }
        double from = std::numeric_limits<double>::max();
        for (const std::size_t member : members) {
            from = std::min(from, m_places[member].x - m_places[member].width / 2.0);
        }
        double right = left;
        for (const std::size_t member : members) {
            m_places[member].x += left - from;
            right = std::max(right, m_places[member].x + m_places[member].width / 2.0);
        }
        return right;
    }

    void number(const Numbers& layer) {
        for (std::size_t slot = 0; slot < layer.size(); ++slot) m_places[layer[slot]].slot = slot;
    }

    /// Sorts by the mean slot of the neighbours; places without neighbours stay in position.
    void orderByNeighbours(Numbers& layer, bool down) {
        struct Key {
            double mean;
            std::size_t place;
        };
        std::vector<Key> keys;
        for (const std::size_t place : layer) {
            const Numbers& neighbours = down ? m_places[place].above : m_places[place].below;
            if (neighbours.empty()) continue;
            double sum = 0.0;
            for (std::size_t i = 0; i < neighbours.size(); ++i) {
                const Place& other = m_places[neighbours[i]];
                sum += static_cast<double>(other.slot);
                if (down) sum += m_places[place].ports[i] / other.width;
            }
            keys.push_back({sum / static_cast<double>(neighbours.size()), place});
        }
        std::ranges::stable_sort(keys, {}, &Key::mean);
        auto next = keys.begin();
        for (std::size_t& place : layer) {
            if ((down ? m_places[place].above : m_places[place].below).empty()) continue;
            place = (next++)->place;
        }
        number(layer);
    }

    /// Moves each place towards the mean of its neighbours, as far as the order and the gaps allow: least squares by
    /// pooling adjacent violators.
    void moveToNeighbours(const Numbers& layer, bool down) {
        struct Block {
            double sum = 0.0;  // of weight × wish
            double weight = 0.0;
            std::size_t count = 0;
            [[nodiscard]] double mean() const { return sum / weight; }
        };
        std::vector<Block> blocks;
        std::vector<double> offsets;
        double offset = 0.0;
        for (std::size_t i = 0; i < layer.size(); ++i) {
            const Place& place = m_places[layer[i]];
            if (i > 0) offset += (m_places[layer[i - 1]].width + place.width) / 2.0 + NodeGap;
            offsets.push_back(offset);
            const Numbers& neighbours = down ? place.above : place.below;
            double wish = place.x;
            if (!neighbours.empty()) {
                wish = 0.0;
                for (std::size_t k = 0; k < neighbours.size(); ++k) {
                    wish += m_places[neighbours[k]].x + (down ? place.ports[k] : 0.0);
                }
                wish /= static_cast<double>(neighbours.size());
            }
            const double weight = neighbours.empty() ? FreeWeight : 1.0;
            blocks.push_back({weight * (wish - offset), weight, 1});
            while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
                const Block last = blocks.back();
                blocks.pop_back();
                blocks.back().sum += last.sum;
                blocks.back().weight += last.weight;
                blocks.back().count += last.count;
            }
        }
        std::size_t at = 0;
        for (const Block& block : blocks) {
            for (std::size_t i = 0; i < block.count; ++i, ++at) m_places[layer[at]].x = block.mean() + offsets[at];
        }
    }

    // --- the result ---------------------------------------------------------------------------------------------------

    [[nodiscard]] GraphLayout result() const {
        std::vector<double> middle(m_heights.size());
        double y = 0.0;
        for (std::size_t layer = 0; layer < m_heights.size(); ++layer) {
            middle[layer] = y + m_heights[layer] / 2.0;
            y += m_heights[layer] + LayerGap + (m_graph.groups.empty() ? 0.0 : GroupGap);
        }
        const auto box = [&](std::size_t place) {
            const Place& at = m_places[place];
            QRectF rect(0.0, 0.0, at.width, at.height);
            rect.moveCenter({at.x, middle[at.layer]});
            if (m_direction == GraphDirection::Right) rect = QRectF(rect.y(), rect.x(), rect.height(), rect.width());
            return rect;
        };
        GraphLayout layout;
        for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
            layout.centres.push_back(box(i).center());
            layout.bounds |= box(i);
        }
        for (std::size_t i = 0; i < m_graph.edges.size(); ++i) {
            std::vector<QPointF> route;
            for (std::size_t k = 0; k + 1 < m_chains[i].size(); ++k) {
                const std::vector<QPointF> piece =
                    directRoute(box(m_chains[i][k]), box(m_chains[i][k + 1]), m_direction);
                route.insert(route.end(), piece.begin() + (k > 0 ? 1 : 0), piece.end());
            }
            if (m_from[i] != m_graph.edges[i].from) std::ranges::reverse(route);
            layout.routes.push_back(std::move(route));
        }
        return layout;
    }

    const GraphDescription& m_graph;
    GraphDirection m_direction;
    std::vector<Place> m_places;  // nodes, then bends
    Numbers m_order;              // places in the initial order of the layers
    Numbers m_from;               // ends of edges, after breaking cycles
    Numbers m_to;
    std::vector<Numbers> m_chains;  // places that each edge passes through
    std::vector<double> m_heights;  // of layers
};

}  // namespace

std::vector<QPointF> directRoute(const QRectF& from, const QRectF& to, GraphDirection direction) {
    if (direction == GraphDirection::Down) {
        const QPointF a(from.center().x(), from.bottom());
        const QPointF b(to.center().x(), to.top());
        const double half = (a.y() + b.y()) / 2.0;
        return {a, {a.x(), half}, {b.x(), half}, b};
    }
    const QPointF a(from.right(), from.center().y());
    const QPointF b(to.left(), to.center().y());
    const double half = (a.x() + b.x()) / 2.0;
    return {a, {half, a.y()}, {half, b.y()}, b};
}

std::vector<QPointF> routeFromRow(std::vector<QPointF> route, const QRectF& box, double rowY,
                                  GraphDirection direction) {
    constexpr double Way = 24.0;  // distance before the turn
    if (route.size() < 4) return route;
    const QPointF towards = direction == GraphDirection::Right ? route.front() : route[3];
    const bool left = towards.x() < box.center().x();
    const double turn = std::max(Way, direction == GraphDirection::Right ? std::abs(route[1].x() - route[0].x()) : 0.0);
    route[0] = QPointF(left ? box.left() : box.right(), rowY);
    route[1] = route[0] + QPointF(left ? -turn : turn, 0.0);
    return route;
}

std::vector<QPointF> loopRoute(const QRectF& box, double fromY) {
    constexpr double Way = 26.0;
    const QPointF from(box.right(), fromY);
    const QPointF to(box.right() - std::min(12.0, box.width() / 4), box.top());
    return {from, from + QPointF(Way, 0.0), to + QPointF(Way, -Way), to};
}

GraphLayout layeredLayout(const GraphDescription& graph, GraphDirection direction) {
    return Layering(graph, direction).run();
}

}  // namespace mitos::views
