// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of the history.
#include "views/history/history_model.h"

#include "views/common/format.h"
#include "views/document/choices.h"
#include "views/document/places.h"
#include "views/document/verdicts.h"

#include <QElapsedTimer>
#include <QFont>
#include <algorithm>
#include <utility>

namespace mitos::views {

using rewrite::HistoryState;
using rewrite::StateId;

namespace {
constexpr qsizetype LongestPlace = 40;

constexpr qint64 SliceMs = 4;
constexpr std::size_t LongestAtOnce = 10'000;  // states; laying them out takes a millisecond

QString numberText(StateId state) { return QStringLiteral("#%1").arg(state.value); }

}  // namespace

LayoutNode HistoryLayout::runOf(StateId state) const {
    const LayoutNode parent = m_nodes[nodeOf(state)].parent;
    return parent != NoLayoutNode && m_nodes[parent].isRun ? parent : NoLayoutNode;
}

HistoryLayout::Placement HistoryLayout::nextPlacement(const rewrite::History& history) const {
    const StateId next(static_cast<std::uint32_t>(m_byState.size()));
    const rewrite::HistoryState& state = history.state(next);
    Placement placement;
    if (!state.parent.isValid()) return placement;  // the start

    const rewrite::HistoryState& parent = history.state(state.parent);
    const bool continues = parent.children.front() == next;
    const LayoutNode run = runOf(state.parent);
    if (!state.origin.empty() && continues && run != NoLayoutNode && parent.origin == state.origin) {
        placement.parent = m_nodes[run].parent;
        placement.run = run;
        return placement;
    }
    placement.opensRun = !state.origin.empty();
    placement.isBranch = !continues;
    const LayoutNode before = continues && run != NoLayoutNode ? run : nodeOf(state.parent);
    placement.parent = continues ? m_nodes[before].parent : before;
    return placement;
}

LayoutNode HistoryLayout::addRun(const Placement& placement, StateId state) {
    Node node;
    node.state = state;
    node.isRun = true;
    node.isBranch = placement.isBranch;
    node.parent = placement.parent;
    return add(std::move(node));
}

LayoutNode HistoryLayout::addState(LayoutNode parent, StateId state, bool isBranch) {
    Node node;
    node.state = state;
    node.isBranch = isBranch;
    node.parent = parent;
    const LayoutNode id = add(std::move(node));
    m_byState.push_back(id);
    if (parent != NoLayoutNode && m_nodes[parent].isRun) m_nodes[parent].state = state;
    return id;
}

LayoutNode HistoryLayout::add(Node node) {
    const LayoutNode id = m_nodes.size();
    std::vector<LayoutNode>& siblings = node.parent == NoLayoutNode ? m_roots : m_nodes[node.parent].children;
    node.row = siblings.size();
    siblings.push_back(id);
    m_nodes.push_back(std::move(node));
    return id;
}

HistoryModel::HistoryModel(Document& document, QObject* parent) : QAbstractItemModel(parent), m_document(document) {
    connect(&document, &Document::closed, this, &HistoryModel::reset);
    connect(&document, &Document::opened, this, &HistoryModel::reset);
    connect(&document, &Document::historyChanged, this, &HistoryModel::grow);
    connect(&document, &Document::currentChanged, this, &HistoryModel::grow);
    connect(&document, &Document::marksChanged, this, &HistoryModel::refreshRows);
    connect(&document, &Document::costModelChanged, this, &HistoryModel::refresh);
    m_placesTimer.setInterval(0);
    connect(&m_placesTimer, &QTimer::timeout, this, [this] {
        const auto first = static_cast<std::uint32_t>(m_places.size());
        findPlaces();
        // Places with names differ from those shown before only in the numbers behind the names, so the rows need not be
        // filtered again.
        if (!m_document.dialect().sharesNodes()) return;
        for (auto id = first; id < static_cast<std::uint32_t>(m_places.size()); ++id) refreshRows(StateId(id));
    });
    m_layoutTimer.setInterval(0);
    connect(&m_layoutTimer, &QTimer::timeout, this, &HistoryModel::layOut);
    reset();
}

void HistoryModel::findPlaces() {
    QElapsedTimer clock;
    clock.start();
    const rewrite::History& history = m_document.history();
    while (static_cast<std::size_t>(m_places.size()) < history.size() && clock.elapsed() < SliceMs) {
        const HistoryState& state = history.state(StateId(static_cast<std::uint32_t>(m_places.size())));
        m_places << (state.step ? PlaceNames(m_document.bank(), history.program(state.parent)).of(*state.step)
                                : QString());
    }
    if (static_cast<std::size_t>(m_places.size()) < history.size())
        m_placesTimer.start();
    else
        m_placesTimer.stop();
}

void HistoryModel::setColors(const Colors& colors) {
    m_colors = colors;
    refresh();
}

void HistoryModel::reset() {
    beginResetModel();
    m_layout = HistoryLayout();
    m_best = m_current = {};
    m_compared.reset();
    m_places.clear();
    m_seenPlaces.clear();
    m_placesTimer.stop();
    m_nextLayout = {};
    m_layoutTimer.stop();
    const bool isLong = m_document.isOpen() && m_document.history().size() > LongestAtOnce;
    if (m_document.isOpen() && !isLong) {
        findPlaces();
        while (m_layout.stateCount() < m_document.history().size()) layOutNext(m_layout);
        m_best = m_document.history().best();
        m_current = m_document.history().current();
    }
    endResetModel();
    if (isLong) m_layoutTimer.start();
}

void HistoryModel::layOutNext(HistoryLayout& layout) const {
    const HistoryLayout::Placement placement = layout.nextPlacement(m_document.history());
    const StateId next(static_cast<std::uint32_t>(layout.stateCount()));
    LayoutNode parent = placement.run != NoLayoutNode ? placement.run : placement.parent;
    if (placement.opensRun) parent = layout.addRun(placement, next);
    layout.addState(parent, next, placement.isBranch && !placement.opensRun);
}

void HistoryModel::layOut() {
    constexpr std::size_t Block = 256;
    const rewrite::History& history = m_document.history();
    QElapsedTimer clock;
    clock.start();
    while (m_nextLayout.stateCount() < history.size()) {
        layOutNext(m_nextLayout);
        if (m_nextLayout.stateCount() % Block == 0 && clock.elapsed() >= SliceMs) return;
    }
    m_layoutTimer.stop();
    beginResetModel();
    m_layout = std::exchange(m_nextLayout, {});
    m_best = history.best();
    m_current = history.current();
    endResetModel();
    m_placesTimer.start();
}

void HistoryModel::grow() {
    if (!m_document.isOpen()) return;
    const rewrite::History& history = m_document.history();
    if (history.size() < m_layout.stateCount()) {
        reset();
        return;
    }
    if (m_layoutTimer.isActive()) return;
    if (!m_placesTimer.isActive()) findPlaces();
    while (m_layout.stateCount() < history.size()) {
        const HistoryLayout::Placement placement = m_layout.nextPlacement(history);
        const StateId next(static_cast<std::uint32_t>(m_layout.stateCount()));
        LayoutNode parent = placement.run != NoLayoutNode ? placement.run : placement.parent;
        if (placement.opensRun) addRow(parent, [&] { parent = m_layout.addRun(placement, next); });
        addRow(parent, [&] { m_layout.addState(parent, next, placement.isBranch && !placement.opensRun); });
    }
    moveCurrent();
}

void HistoryModel::moveCurrent() {
    const rewrite::History& history = m_document.history();
    for (const StateId left : {std::exchange(m_best, history.best()), std::exchange(m_current, history.current())}) {
        refreshRows(left);
    }
    refreshRows(m_best);
    refreshRows(m_current);
}

void HistoryModel::setCompared(std::optional<StateId> state) {
    for (const auto& each : {std::exchange(m_compared, state), state}) {
        if (each) refreshRows(*each);
    }
}

void HistoryModel::refreshRows(StateId state) {
    if (!state.isValid() || state.value >= m_layout.stateCount()) return;
    const LayoutNode run = m_layout.runOf(state);  // the run's row shows data of its last state
    for (const LayoutNode node : {m_layout.nodeOf(state), run}) {
        if (node != NoLayoutNode) Q_EMIT dataChanged(indexOfNode(node), indexOfNode(node, ColumnCount - 1));
    }
}

void HistoryModel::addRow(LayoutNode parent, const std::function<void()>& add) {
    const int row = static_cast<int>(m_layout.childrenOf(parent).size());
    beginInsertRows(indexOfNode(parent), row, row);
    add();
    endInsertRows();
}

void HistoryModel::refresh() {
    if (!m_document.isOpen() || m_layout.stateCount() == 0) return;
    m_best = m_document.history().best();
    m_current = m_document.history().current();
    Q_EMIT headerDataChanged(Qt::Horizontal, CostColumn, CostColumn);
    const auto changed = [this](const std::vector<LayoutNode>& rows) {
        if (!rows.empty()) Q_EMIT dataChanged(indexOfNode(rows.front()), indexOfNode(rows.back(), ColumnCount - 1));
    };
    changed(m_layout.roots());
    for (LayoutNode node = 0; node < m_layout.nodeCount(); ++node) changed(m_layout.node(node).children);
}

const HistoryLayout::Node& HistoryModel::nodeAt(const QModelIndex& index) const {
    return m_layout.node(static_cast<LayoutNode>(index.internalId()));
}

StateId HistoryModel::state(const QModelIndex& index) const {
    return index.isValid() ? nodeAt(index).state : StateId();
}

bool HistoryModel::isRun(const QModelIndex& index) const { return index.isValid() && nodeAt(index).isRun; }

QString HistoryModel::key(const QModelIndex& index) const {
    const HistoryLayout::Node& node = nodeAt(index);
    if (!node.isRun) return QString::number(node.state.value);
    return QLatin1Char('r') + QString::number(m_layout.node(node.children.front()).state.value);
}

QModelIndex HistoryModel::indexOfKey(const QString& key) const {
    const bool run = key.startsWith(QLatin1Char('r'));
    bool ok = false;
    const StateId state(QStringView(key).mid(run ? 1 : 0).toUInt(&ok));
    if (!ok || state.value >= m_layout.stateCount()) return {};
    return indexOfNode(run ? m_layout.runOf(state) : m_layout.nodeOf(state));
}

bool HistoryModel::isPinned(LayoutNode id) const {
    const HistoryLayout::Node& node = m_layout.node(id);
    return !node.isRun && m_document.history().state(node.state).marks.pinned;
}

bool HistoryModel::matches(LayoutNode id, const QStringList& words) const {
    const HistoryLayout::Node& node = m_layout.node(id);
    const QString text = stateText(node) + QLatin1Char(' ') + numberText(node.state) + QLatin1Char(' ') +
                         fromUtf8(m_document.history().state(node.state).marks.note);
    return std::ranges::all_of(words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

QModelIndex HistoryModel::indexOfNode(LayoutNode node, int column) const {
    if (node == NoLayoutNode) return {};
    return createIndex(static_cast<int>(m_layout.node(node).row), column, static_cast<quintptr>(node));
}

QModelIndex HistoryModel::indexOf(StateId state) const {
    return state.isValid() && state.value < m_layout.stateCount() ? indexOfNode(m_layout.nodeOf(state)) : QModelIndex();
}

QModelIndex HistoryModel::outermostIndexOf(StateId state) const {
    if (!state.isValid() || state.value >= m_layout.stateCount()) return {};
    const LayoutNode run = m_layout.runOf(state);
    const bool endsRun = run != NoLayoutNode && m_layout.node(run).state == state;
    return indexOfNode(endsRun ? run : m_layout.nodeOf(state));
}

QModelIndex HistoryModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || column >= ColumnCount || row >= rowCount(parent)) return {};
    const LayoutNode above = parent.isValid() ? static_cast<LayoutNode>(parent.internalId()) : NoLayoutNode;
    return indexOfNode(m_layout.childrenOf(above)[static_cast<std::size_t>(row)], column);
}

QModelIndex HistoryModel::parent(const QModelIndex& child) const {
    return child.isValid() ? indexOfNode(nodeAt(child).parent) : QModelIndex();
}

int HistoryModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid() && parent.column() != 0) return 0;
    const LayoutNode above = parent.isValid() ? static_cast<LayoutNode>(parent.internalId()) : NoLayoutNode;
    return static_cast<int>(m_layout.childrenOf(above).size());
}

int HistoryModel::columnCount(const QModelIndex&) const { return ColumnCount; }

std::size_t HistoryModel::stepsOf(const HistoryLayout::Node& run) const { return run.children.size(); }

double HistoryModel::change(const HistoryLayout::Node& node) const {
    const rewrite::History& history = m_document.history();
    const bool wholeRun = node.isRun && !node.children.empty();  // a run's row is created before its first state
    const StateId first = wholeRun ? m_layout.node(node.children.front()).state : node.state;
    const StateId from = history.state(first).parent;
    if (!from.isValid()) return 0.0;
    const double before = history.state(from).cost;
    const double delta = history.state(node.state).cost - before;
    return isNoChange(delta, before) ? 0.0 : delta;
}

QString HistoryModel::placeOf(StateId id) const {
    if (id.value < static_cast<std::uint32_t>(m_places.size())) return m_places[static_cast<int>(id.value)];
    // Not computed yet: the node's own name needs no walk over the program.
    const HistoryState& state = m_document.history().state(id);
    return PlaceNames(m_document.bank(), m_document.history().program(state.parent), 0).of(*state.step);
}

/// The visible text of a place: in a tree the subterm in the reading form, as in the list of rewrites. Only rows that are painted need it.
QString HistoryModel::seenPlaceOf(StateId id) const {
    const HistoryState& state = m_document.history().state(id);
    const ir::Program program = m_document.history().program(state.parent);
    const ir::TermBank& bank = m_document.bank();
    if (m_document.dialect().sharesNodes() || bank.treeSize(program.root) > PlaceNames::MostInPlace) return placeOf(id);
    QString& place = m_seenPlaces[id.value];
    if (place.isEmpty()) {
        const ir::Path& at = state.step->positions.front();
        const QString text = ReadingTexts(bank, program).at(at);
        place =
            text.isEmpty()
                ? placeOf(id)
                : (shortened(text, LongestPlace) + QStringLiteral("  ") + PlaceNames(bank, program).surroundings(at))
                      .trimmed();
    }
    return place;
}

QString HistoryModel::markSigns(const HistoryLayout::Node& node) const {
    if (node.isRun) return {};
    const rewrite::Marks& marks = m_document.history().state(node.state).marks;
    QString text;
    if (marks.pinned) text += QStringLiteral("⚑ ");
    if (!marks.note.empty()) text += QStringLiteral("✎ ");
    if (m_compared == node.state) text += QStringLiteral("⇄ ");
    return text;
}

/// The arrow shows how the rule is read: a reversed step of the forward direction also points left.
QString HistoryModel::ruleText(const HistoryState& state) const {
    const bool isForward = (state.step->rule->direction() == rules::Direction::Forward) != state.step->isReversed;
    return fromUtf8(state.step->rule->rule().name) + (isForward ? QStringLiteral(" →") : QStringLiteral(" ←"));
}

/// The strategy's label for the origin of a run's states, "phases #2".
QString HistoryModel::runTitle(const HistoryState& state) const {
    const QString origin = fromUtf8(state.origin);
    const qsizetype number = origin.indexOf(QLatin1String(" #"));
    const QString name = number < 0 ? origin : origin.left(number);
    return strategyLabel(name) + (number < 0 ? QString() : origin.mid(number));
}

HistoryRow HistoryModel::row(const QModelIndex& index) const {
    HistoryRow row;
    if (!index.isValid() || !m_document.isOpen()) return row;
    const HistoryLayout::Node& node = nodeAt(index);
    const HistoryState& state = m_document.history().state(node.state);
    row.isBest = node.state == m_best;
    row.isCurrent = node.state == m_current;
    row.cost = costText(state.cost);
    row.marks = markSigns(node);
    row.tag = qvariant_cast<QIcon>(data(index, Qt::DecorationRole));
    if (state.parent.isValid()) {
        row.delta = change(node);
        row.change = differenceText(state.cost - row.delta, state.cost);
    }
    if (node.isRun) {
        row.steps = stepsOf(node);
        row.title = runTitle(state);
        row.detail = row.steps == 1 ? tr("1 step") : tr("%L1 steps").arg(row.steps);
    } else if (!state.step) {
        row.title = state.marks.name.empty() ? tr("start") : fromUtf8(state.marks.name);
        row.detail = m_document.title();
    } else {
        row.title = state.marks.name.empty() ? ruleText(state) : fromUtf8(state.marks.name);
        row.detail =
            (state.marks.name.empty() ? QString() : ruleText(state) + QLatin1Char(' ')) + seenPlaceOf(node.state);
        if (state.sameAs.isValid()) row.detail.prepend(tr("↺ same as #%1 · ").arg(state.sameAs.value));
    }
    for (const Run& run : m_document.runs()) {
        if (run.resultState != node.state || !run.verdict || node.isRun) continue;
        row.detail = marksText(*run.verdict);
    }
    return row;
}

QString HistoryModel::stateText(const HistoryLayout::Node& node) const {
    const HistoryState& state = m_document.history().state(node.state);
    QString text;
    if (node.isBranch) text += QStringLiteral("↳ ");
    if (node.state == m_best) text += QStringLiteral("★ ");
    text += markSigns(node);
    if (node.isRun) {
        text += fromUtf8(state.origin);
        text += stepsOf(node) == 1 ? tr(": 1 step") : tr(": %L1 steps").arg(stepsOf(node));
    } else if (!state.step) {
        text += state.marks.name.empty() ? tr("start") : fromUtf8(state.marks.name);
    } else {
        const QString rule = ruleText(state) + QStringLiteral(" @ ") + placeOf(node.state);
        text += state.marks.name.empty() ? rule : tr("%1  (%2)").arg(fromUtf8(state.marks.name), rule);
    }
    if (!node.isRun && state.sameAs.isValid()) text += tr("  ↺ same as #%1").arg(state.sameAs.value);
    return text;
}

QString HistoryModel::toolTip(const HistoryLayout::Node& node) const {
    const HistoryState& state = m_document.history().state(node.state);
    QStringList lines;
    if (state.parent.isValid() && !node.isRun) lines << tr("Comes from state #%1").arg(state.parent.value);
    if (!node.isRun && state.step) lines << tr("At %1").arg(fromUtf8(state.step->place()));
    if (!state.origin.empty()) lines << tr("Found by %1").arg(fromUtf8(state.origin));
    if (const QStringList assumed = m_document.assumptions(node.state); !assumed.isEmpty()) {
        lines << tr("Assuming %1").arg(assumed.join(QStringLiteral(", ")));
    }
    for (const Run& run : m_document.runs()) {
        if (run.resultState != node.state) continue;
        for (const QString& said : {verdictText(run), leftOutText(run)}) {
            if (!said.isEmpty()) lines << tr("#%1 %2: %3").arg(run.number).arg(fromUtf8(run.strategy), said);
        }
    }
    if (state.sameAs.isValid()) lines << tr("The same program as state #%1").arg(state.sameAs.value);
    if (!node.isRun && state.step && state.step->isReversed) {
        lines << tr("A reversed step: its rule, read the usual way, leads from this state back to the one before");
    }
    if (node.state == m_best) lines << tr("The state of least cost");
    if (!node.isRun && state.marks.pinned) lines << tr("Pinned");
    if (!node.isRun && m_compared == node.state) lines << tr("The current state is compared with this one");
    if (!node.isRun && !state.marks.note.empty()) lines << fromUtf8(state.marks.note);
    lines << tr("Double click or Enter makes it the current state");
    return lines.join(QLatin1Char('\n'));
}

QVariant HistoryModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !m_document.isOpen()) return {};
    const HistoryLayout::Node& node = nodeAt(index);
    const rewrite::History& history = m_document.history();
    switch (role) {
        case Qt::DisplayRole:
            switch (index.column()) {
                case StateColumn: return stateText(node);
                case CostColumn: return costText(history.state(node.state).cost);
                case DeltaColumn:
                    return history.state(node.state).parent.isValid() ? deltaText(change(node)) : QString();
                case NumberColumn: return numberText(node.state);
                default: return {};
            }
        case Qt::EditRole:
            return index.column() == StateColumn ? fromUtf8(history.state(node.state).marks.name) : QVariant();
        case Qt::DecorationRole: {
            const std::uint32_t color = history.state(node.state).marks.color;
            const bool shown = index.column() == StateColumn && !node.isRun && color > 0 &&
                               color <= static_cast<std::uint32_t>(m_colors.tags.size());
            return shown ? QVariant(m_colors.tags[color - 1]) : QVariant();
        }
        case Qt::ToolTipRole: return toolTip(node);
        case Qt::FontRole: {
            QFont font;
            font.setBold(node.state == history.current());
            return font.bold() ? QVariant(font) : QVariant();
        }
        case Qt::ForegroundRole: {
            if (index.column() == NumberColumn && m_colors.faint.isValid()) return m_colors.faint;
            if (index.column() != DeltaColumn) return {};
            const double delta = change(node);
            const QColor color = delta < 0 ? m_colors.better : delta > 0 ? m_colors.worse : m_colors.faint;
            return color.isValid() ? QVariant(color) : QVariant();
        }
        case Qt::TextAlignmentRole:
            if (index.column() == StateColumn) return {};
            return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
        default: return {};
    }
}

bool HistoryModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !index.isValid() || index.column() != StateColumn || isRun(index)) return false;
    rewrite::Marks marks = m_document.history().state(state(index)).marks;
    marks.name = value.toString().simplified().toStdString();
    m_document.mark(state(index), marks);  // marksChanged() then refreshes the row
    return true;
}

Qt::ItemFlags HistoryModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (index.column() == StateColumn && !isRun(index)) flags |= Qt::ItemIsEditable;
    return flags;
}

QVariant HistoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case StateColumn: return tr("State");
        case CostColumn:
            return m_document.isOpen() ? tr("Cost (%1)").arg(fromUtf8(m_document.costModel().info().unit)) : tr("Cost");
        case DeltaColumn: return tr("Δ cost");
        case NumberColumn: return tr("No.");
        default: return {};
    }
}

}  // namespace mitos::views
