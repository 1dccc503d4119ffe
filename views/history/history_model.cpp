// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of the history.
#include "views/history/history_model.h"

#include "core/rewrite/thread_parts.h"
#include "search/placement/training_run.h"
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
constexpr QLatin1Char RunKey('r');
constexpr QLatin1Char RepetitionKey('x');

constexpr qint64 SliceMs = 4;
constexpr std::size_t LongestAtOnce = 10'000;  // states; laying them out takes a millisecond

QString numberText(StateId state) { return QStringLiteral("#%1").arg(state.value); }

/// Whether a state of a run continues the state before it, of the same run, by an equal step.
bool repeatsStep(const rewrite::History& history, StateId id) {
    const HistoryState& state = history.state(id);
    if (state.origin.empty() || !state.parent.isValid() || state.parent.value + 1 != id.value) return false;
    const HistoryState& before = history.state(state.parent);
    return before.children.front() == id && before.origin == state.origin &&
           rewrite::repeats(*state.step, *before.step);
}

}  // namespace

LayoutNode HistoryLayout::groupOf(StateId state, RowKind kind) const {
    for (LayoutNode at = m_nodes[nodeOf(state)].parent; at != NoLayoutNode && m_nodes[at].isGroup();
         at = m_nodes[at].parent) {
        if (m_nodes[at].kind == kind) return at;
    }
    return NoLayoutNode;
}

HistoryLayout::Placement HistoryLayout::nextPlacement(const rewrite::History& history) const {
    const StateId next(static_cast<std::uint32_t>(m_byState.size()));
    const rewrite::HistoryState& state = history.state(next);
    Placement placement;
    if (!state.parent.isValid()) return placement;  // the start

    const rewrite::HistoryState& parent = history.state(state.parent);
    const bool continues = parent.children.front() == next;
    const LayoutNode run = runOf(state.parent);
    const bool joinsRun = !state.origin.empty() && continues && run != NoLayoutNode && parent.origin == state.origin;
    const LayoutNode repetition = joinsRun && repeatsStep(history, next) ? repetitionOf(state.parent) : NoLayoutNode;
    if (repetition != NoLayoutNode) {
        placement.parent = repetition;
        return placement;
    }
    placement.opensRepetition = next.value + 1 < history.size() && repeatsStep(history, StateId(next.value + 1));
    if (joinsRun) {
        placement.parent = run;
        return placement;
    }
    placement.opensRun = !state.origin.empty();
    placement.isBranch = !continues;
    const LayoutNode before = continues && run != NoLayoutNode ? run : nodeOf(state.parent);
    placement.parent = continues ? m_nodes[before].parent : before;
    if (continues) placement.row = m_nodes[before].row + 1;
    return placement;
}

LayoutNode HistoryLayout::add(RowKind kind, LayoutNode parent, std::size_t row, StateId state, bool isBranch) {
    const LayoutNode id = m_nodes.size();
    std::vector<LayoutNode>& siblings = parent == NoLayoutNode ? m_roots : m_nodes[parent].children;
    Node node;
    node.state = node.first = state;
    node.kind = kind;
    node.isBranch = isBranch;
    node.parent = parent;
    node.row = row;
    siblings.insert(siblings.begin() + static_cast<std::ptrdiff_t>(row), id);
    for (std::size_t later = row + 1; later < siblings.size(); ++later) m_nodes[siblings[later]].row = later;
    m_nodes.push_back(std::move(node));
    if (isBranch) m_nodes[parent].lastBranch = id;  // a branch is below a state
    if (kind != RowKind::State) return id;
    m_byState.push_back(id);
    for (LayoutNode group = parent; group != NoLayoutNode && m_nodes[group].isGroup(); group = m_nodes[group].parent) {
        m_nodes[group].state = state;
        ++m_nodes[group].steps;
    }
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
    layout.addNext(m_document.history(), [](LayoutNode /*parent*/, std::size_t /*row*/, const auto& add) { add(); });
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
    const LayoutNode firstNew = m_layout.nodeCount();
    const StateId firstState(static_cast<std::uint32_t>(m_layout.stateCount()));
    while (m_layout.stateCount() < history.size()) {
        m_layout.addNext(history,
                         [this](LayoutNode parent, std::size_t row, const auto& add) { addRow(parent, row, add); });
    }
    // Rows of groups were inserted before the states that they are for.
    for (LayoutNode node = firstNew; node < m_layout.nodeCount(); ++node) {
        if (m_layout.node(node).isGroup()) refreshNode(node);
    }
    refreshRows(firstState);
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
    // Rows show data of the states below them: groups their last state, folded rows that the best one is there.
    for (LayoutNode node = m_layout.nodeOf(state); node != NoLayoutNode; node = m_layout.node(node).parent)
        refreshNode(node);
}

void HistoryModel::refreshNode(LayoutNode node) {
    Q_EMIT dataChanged(indexOfNode(node), indexOfNode(node, ColumnCount - 1));
}

void HistoryModel::addRow(LayoutNode parent, std::size_t row, const std::function<void()>& add) {
    beginInsertRows(indexOfNode(parent), static_cast<int>(row), static_cast<int>(row));
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

bool HistoryModel::isGroup(const QModelIndex& index) const { return index.isValid() && nodeAt(index).isGroup(); }

QString HistoryModel::key(const QModelIndex& index) const {
    const HistoryLayout::Node& node = nodeAt(index);
    const QString first = QString::number(node.first.value);
    switch (node.kind) {
        case RowKind::State: return first;
        case RowKind::Repetition: return RepetitionKey + first;
        case RowKind::Run: return RunKey + first;
    }
    return {};
}

QModelIndex HistoryModel::indexOfKey(const QString& key) const {
    const bool isRun = key.startsWith(RunKey);
    const bool isRepetition = key.startsWith(RepetitionKey);
    bool ok = false;
    const StateId state(QStringView(key).mid(isRun || isRepetition ? 1 : 0).toUInt(&ok));
    if (!ok || state.value >= m_layout.stateCount()) return {};
    return indexOfNode(isRun          ? m_layout.runOf(state)
                       : isRepetition ? m_layout.repetitionOf(state)
                                      : m_layout.nodeOf(state));
}

bool HistoryModel::isPinned(LayoutNode id) const {
    const HistoryLayout::Node& node = m_layout.node(id);
    return !node.isGroup() && m_document.history().state(node.state).marks.pinned;
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

QModelIndex HistoryModel::outermostIndexOf(StateId state,
                                           const std::function<bool(const QModelIndex&)>& isCandidate) const {
    if (!state.isValid() || state.value >= m_layout.stateCount()) return {};
    for (const LayoutNode group : {m_layout.runOf(state), m_layout.repetitionOf(state)}) {
        if (group == NoLayoutNode || m_layout.node(group).state != state) continue;
        if (!isCandidate || isCandidate(indexOfNode(group))) return indexOfNode(group);
    }
    return indexOfNode(m_layout.nodeOf(state));
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

double HistoryModel::change(const HistoryLayout::Node& node) const {
    const rewrite::History& history = m_document.history();
    const StateId from = history.state(node.first).parent;
    if (!from.isValid()) return 0.0;
    const double before = history.state(from).cost;
    const double delta = history.state(node.state).cost - before;
    return isNoChange(delta, before) ? 0.0 : delta;
}

RunGain HistoryModel::gain(const HistoryLayout::Node& node) const {
    const rewrite::History& history = m_document.history();
    const HistoryState& first = history.state(node.first);
    StateId began = first.parent.isValid() ? first.parent : history.start();
    // The first steps of a run may have been known already.
    for (const Run& run : m_document.runs()) {
        if (node.kind == RowKind::Run && search::originOf(run) == first.origin && run.startState < history.size())
            began = StateId(run.startState);
    }
    return {.start = history.state(history.start()).cost,
            .own = history.state(began).cost,
            .cost = history.state(node.state).cost,
            .from = began == history.start() ? QString() : stateName(history, began),
            .unit = fromUtf8(m_document.costModel().info().unit)};
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
    if (node.isGroup()) return {};
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

/// "fuse_conv_relu × 12".
QString HistoryModel::repetitionTitle(const HistoryLayout::Node& node) const {
    return tr("%1 × %2").arg(fromUtf8(m_document.history().state(node.first).step->name()), countText(node.steps));
}

bool HistoryModel::isBest(const HistoryLayout::Node& node) const {
    if (node.kind != RowKind::Repetition) return node.state == m_best;
    // Its states have consecutive numbers.
    return m_best.isValid() && node.first.value <= m_best.value && m_best.value <= node.state.value;
}

bool HistoryModel::holdsBest(LayoutNode node) const {
    if (!m_best.isValid() || m_best.value >= m_layout.stateCount()) return false;
    LayoutNode at = m_layout.nodeOf(m_best);
    while (at != node && at != NoLayoutNode) at = m_layout.node(at).parent;
    return at == node;
}

HistoryRow HistoryModel::row(const QModelIndex& index) const {
    HistoryRow row;
    if (!index.isValid() || !m_document.isOpen()) return row;
    const HistoryLayout::Node& node = nodeAt(index);
    const HistoryState& state = m_document.history().state(node.state);
    row.kind = node.kind;
    row.steps = node.steps;
    row.isBest = isBest(node);
    row.holdsBest = holdsBest(static_cast<LayoutNode>(index.internalId()));
    row.isBranch = node.isBranch;
    row.isCurrent = node.state == m_current;
    row.cost = costText(state.cost);
    row.marks = markSigns(node);
    row.tag = qvariant_cast<QIcon>(data(index, Qt::DecorationRole));
    if (state.parent.isValid()) {
        row.delta = change(node);
        row.change = deltaText(row.delta);
    }
    const RunGain gain = this->gain(node);
    if (state.parent.isValid() && (node.kind == RowKind::Run || (node.kind == RowKind::State && row.isBest))) {
        row.delta = isNoChange(gain.cost - gain.start, gain.start) ? 0.0 : gain.cost - gain.start;
        row.change = gain.text();
    }
    if (node.kind == RowKind::Run) {
        row.title = runTitle(state);
        row.detail = row.steps == 1 ? tr("1 step") : tr("%L1 steps").arg(row.steps);
        if (const QString own = gain.ownText(); !own.isEmpty()) row.detail += tr(", %1").arg(own);
    } else if (node.kind == RowKind::Repetition) {
        row.title = repetitionTitle(node);
        row.detail = tr("%1 and %2 more").arg(seenPlaceOf(node.first), countText(row.steps - 1));
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
        if (run.resultState != node.state || !run.verdict || node.isGroup()) continue;
        if (search::isTraining(run)) continue;  // its verdict is about the model
        row.detail = marksText(*run.verdict);
    }
    return row;
}

QString HistoryModel::stateText(const HistoryLayout::Node& node) const {
    const HistoryState& state = m_document.history().state(node.state);
    QString text;
    if (node.isBranch) text += QStringLiteral("↳ ");
    if (isBest(node)) text += QStringLiteral("★ ");
    text += markSigns(node);
    if (node.kind == RowKind::Run) {
        text += fromUtf8(state.origin);
        text += node.steps == 1 ? tr(": 1 step") : tr(": %L1 steps").arg(node.steps);
    } else if (node.kind == RowKind::Repetition) {
        text += repetitionTitle(node);
    } else if (!state.step) {
        text += state.marks.name.empty() ? tr("start") : fromUtf8(state.marks.name);
    } else {
        const QString rule = ruleText(state) + QStringLiteral(" @ ") + placeOf(node.state);
        text += state.marks.name.empty() ? rule : tr("%1  (%2)").arg(fromUtf8(state.marks.name), rule);
    }
    if (!node.isGroup() && state.sameAs.isValid()) text += tr("  ↺ same as #%1").arg(state.sameAs.value);
    return text;
}

QString HistoryModel::toolTip(const HistoryLayout::Node& node) const {
    const HistoryState& state = m_document.history().state(node.state);
    QStringList lines;
    const bool isGroup = node.isGroup();
    if (state.parent.isValid() && !isGroup) lines << tr("Comes from state #%1").arg(state.parent.value);
    if (!isGroup && state.step) lines << tr("At %1").arg(fromUtf8(state.step->place()));
    if (node.kind == RowKind::Repetition)
        lines << tr("The steps to the states #%1 to #%2").arg(node.first.value).arg(node.state.value);
    if (!state.origin.empty()) lines << tr("Found by %1").arg(fromUtf8(state.origin));
    if (state.parent.isValid()) {
        const RunGain gain = this->gain(node);
        lines << tr("%1 against the start, %2").arg(gain.text(), costText(gain.start));
        if (node.kind == RowKind::Run)
            lines << gain.ownText();
        else
            lines << (isGroup ? tr("These steps: %1").arg(deltaText(change(node)))
                              : tr("This step: %1").arg(deltaText(change(node))));
        lines.removeAll(QString());
    }
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
    if (!isGroup && state.step && state.step->isReversed) {
        lines << tr("A reversed step: its rule, read the usual way, leads from this state back to the one before");
    }
    if (isBest(node))
        lines << (node.state == m_best ? tr("The state of least cost")
                                       : tr("State #%1 is the state of least cost").arg(m_best.value));
    if (!isGroup && state.marks.pinned) lines << tr("Pinned");
    if (!isGroup && m_compared == node.state) lines << tr("The current state is compared with this one");
    if (!isGroup && !state.marks.note.empty()) lines << fromUtf8(state.marks.note);
    lines << (isGroup ? tr("Double click or Enter makes its last state the current one")
                      : tr("Double click or Enter makes it the current state"));
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
            const bool shown = index.column() == StateColumn && !node.isGroup() && color > 0 &&
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
    if (role != Qt::EditRole || !index.isValid() || index.column() != StateColumn || isGroup(index)) return false;
    rewrite::Marks marks = m_document.history().state(state(index)).marks;
    marks.name = value.toString().simplified().toStdString();
    m_document.mark(state(index), marks);  // marksChanged() then refreshes the row
    return true;
}

Qt::ItemFlags HistoryModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (index.column() == StateColumn && !isGroup(index)) flags |= Qt::ItemIsEditable;
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
