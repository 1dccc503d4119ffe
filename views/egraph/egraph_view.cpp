// SPDX-License-Identifier: GPL-3.0-or-later
// Widgets and requests; egraph_picture.cpp decides what is drawn.
#include "views/egraph/egraph_view.h"

#include "views/common/flow_row.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/egraph/class_list_model.h"
#include "views/egraph/internal/extraction_panel.h"
#include "views/graph/graph_pane.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr int SearchDelayMs = 150;
constexpr int LiveMs = 300;
constexpr int ListWidth = 450;

QString hopsText(int hops) { return hops == 1 ? EGraphView::tr("1 hop") : EGraphView::tr("%1 hops").arg(hops); }

}  // namespace

EGraphView::EGraphView(EGraphDocument& document, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_jobs(jobs),
      m_stack(new QStackedWidget(this)),
      m_empty(new EmptyState(this)),
      m_pane(new GraphPane(jobs, QStringLiteral("egraph"), GraphDirection::Right, this)),
      m_classes(new ClassListModel(this)),
      m_members(new MemberTableModel(this)),
      m_extraction(new ExtractionPanel(jobs, this)),
      m_classTable(new QTableView(this)),
      m_memberTable(new QTableView(this)),
      m_search(new QLineEdit(this)),
      m_count(new QLabel(this)),
      m_about(new QLabel(this)),
      m_hops(new QLabel(this)),
      m_allRules(new QToolButton(this)),
      m_why(new QToolButton(this)),
      m_whyClasses(new QToolButton(this)),
      m_extractionOnly(new QCheckBox(tr("Extraction only"), this)),
      m_inlineLeaves(new QCheckBox(tr("Inline constants"), this)),
      m_hideSubsumed(new QCheckBox(tr("Hide subsumed"), this)) {
    setObjectName(QStringLiteral("egraphView"));
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);  // the program's page need not be as wide
    auto* controls = new FlowRow(Qt::AlignLeft);
    controls->setContentsMargins(NarrowMargins);
    controls->setSpacing(4);
    buildControls(*controls);
    auto* right = new QWidget(this);
    fillColumn(right, {controls, {m_pane, 1}}, {.margins = NoMargins, .spacing = 0});
    auto* splitter = new QSplitter(this);
    splitter->addWidget(buildLists());
    splitter->addWidget(right);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({ListWidth, 2 * ListWidth});
    splitter->setChildrenCollapsible(false);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(splitter);
    fillColumn(this, {m_stack}, {.margins = NoMargins});
    m_empty->explain(tr("Open an e-graph (.json) to see its classes."), tr("Open…"),
                     [this] { Q_EMIT openRequested(); });
    connectPicture();

    m_liveTimer.setSingleShot(true);
    m_liveTimer.setInterval(LiveMs);
    connect(&m_liveTimer, &QTimer::timeout, this, [this] {
        if (m_stale && isVisible()) refresh();
    });
    m_searchTimer.setSingleShot(true);
    m_searchTimer.setInterval(SearchDelayMs);
    connect(&m_searchTimer, &QTimer::timeout, this, &EGraphView::search);
    connect(m_search, &QLineEdit::textChanged, &m_searchTimer, qOverload<>(&QTimer::start));
    connect(m_classes, &ClassListModel::sortRequested, this, [this](int by, bool ascending) {
        m_query.column = by;
        m_query.ascending = ascending;
        search();
    });
    connect(m_classTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                if (row.isValid() && !m_followingSelection) select(m_classes->classAt(row.row()));
            });
    connect(m_classTable, &QTableView::activated, this, [this] { m_pane->view().setFocus(); });
    connect(&document, &EGraphDocument::opened, this, [this] {
        m_scope = {};
        m_absent = {};
        m_selected.reset();
        m_index.reset();
        // Running jobs belong to the graph that was open.
        for (Query* query : {&m_indexing, &m_searching, &m_drawing}) query->cancel();
        m_extraction->setIndex(nullptr);
        m_query.rule.clear();
        m_allRules->hide();
        for (QCheckBox* box : {m_extractionOnly, m_inlineLeaves, m_hideSubsumed}) {
            const QSignalBlocker blocker(box);
            box->setChecked(false);
        }
    });
    connect(&document, &EGraphDocument::snapshotChanged, this, &EGraphView::invalidate);
    connect(&document, &EGraphDocument::reportChanged, this, [this] {
        if (m_stale && isVisible() && !m_document.isSaturating()) refresh();
        updateControls();
    });
    connect(&document, &EGraphDocument::ruleChanged, this, [this] {
        m_query.rule = m_document.rule();
        m_allRules->setVisible(!m_query.rule.isEmpty());
        search();
    });
    whenShown(this, Qt::DirectConnection, [this] {
        if (m_stale) refresh();
    });
    updateControls();
}

EGraphView::~EGraphView() = default;

void EGraphView::offerSaturation() {
    m_empty->explain(tr("Saturate the program to see all programs that are equal to it, or open an e-graph (.json)."),
                     tr("Saturate…"), [this] { Q_EMIT saturateRequested(); });
}

void EGraphView::setReducedMotion(bool reduced) { m_pane->view().setReducedMotion(reduced); }

void EGraphView::exportPicture() { m_pane->exportPicture(); }

void EGraphView::focusList() { m_classTable->setFocus(); }

// --- content -------------------------------------------------------------------------------------------------------------

void EGraphView::invalidate() {
    m_stale = true;
    if (!isVisible()) return;
    if (!m_document.isSaturating() || !m_index)
        refresh();
    else if (!m_liveTimer.isActive())
        m_liveTimer.start();
}

void EGraphView::refresh() {
    m_stale = false;
    m_liveTimer.stop();
    const std::shared_ptr<const egraph::Snapshot> snapshot = m_document.snapshot();
    m_stack->setCurrentIndex(snapshot ? 1 : 0);
    if (!snapshot) return;
    m_indexing.ask(
        tr("Indexing an e-graph"),
        [snapshot](const std::stop_token&, const JobRunner::Report&) {
            return std::make_shared<const EGraphIndex>(snapshot);
        },
        [this](std::shared_ptr<const EGraphIndex> index) { takeIndex(std::move(index)); });
}

void EGraphView::takeIndex(std::shared_ptr<const EGraphIndex> index) {
    const std::shared_ptr<const EGraphIndex> before = std::exchange(m_index, std::move(index));
    m_pane->setTitle(m_document.title());
    m_members->setClass(nullptr, 0, {});
    m_marks.iteration = m_document.iteration();
    m_marks.extractions = {};
    m_extraction->setIndex(m_index);
    if (before) follow(*before);
    search();
    redraw(before != nullptr);
    showSelection();
}

/// Adapts the view to another snapshot of the same run: classes have other indices, and expanded, collapsed and hidden
/// classes keep their state. Those missing from this snapshot are restored by one that contains them.
void EGraphView::follow(const EGraphIndex& before) {
    for (std::optional<ClassIndex>* which : {&m_selected, &m_scope.centre}) {
        if (*which) *which = m_index->sameClass(before, **which);
    }
    const auto carry = [&](std::set<ClassIndex>& classes, std::vector<std::string>& absent) {
        std::set<ClassIndex> found;
        std::vector<std::string> gone;
        for (std::string& node : absent) {
            if (const auto same = m_index->classOf(node))
                found.insert(*same);
            else
                gone.push_back(std::move(node));
        }
        for (const ClassIndex which : classes) {
            if (const auto same = m_index->sameClass(before, which))
                found.insert(*same);
            else
                gone.push_back(before.snapshot().nodes[before.members(which).front()].id);
        }
        classes = std::move(found);
        absent = std::move(gone);
    };
    carry(m_scope.expanded, m_absent.expanded);
    carry(m_scope.collapsed, m_absent.collapsed);
    carry(m_scope.hidden, m_absent.hidden);
    // Classes with different states may have merged into one.
    for (const ClassIndex which : m_scope.collapsed) m_scope.expanded.erase(which);
    if (m_scope.centre) m_scope.hidden.erase(*m_scope.centre);
}

void EGraphView::explainChosen() {
    const QModelIndexList rows = m_memberTable->selectionModel()->selectedRows();
    if (!m_index || rows.size() != 2) return;
    const auto id = [&](const QModelIndex& row) {
        return fromUtf8(m_index->snapshot().nodes[m_members->nodeAt(row.row())].id);
    };
    m_document.explain(id(rows[0]), id(rows[1]));
}

void EGraphView::explainClasses() {
    const QModelIndexList rows = m_classTable->selectionModel()->selectedRows();
    if (!m_index || rows.size() != 2) return;
    const auto id = [&](const QModelIndex& row) {
        return fromUtf8(m_index->snapshot().nodes[m_index->members(m_classes->classAt(row.row())).front()].id);
    };
    m_document.explain(id(rows[0]), id(rows[1]));
}

void EGraphView::search() {
    m_searchTimer.stop();
    if (!m_index) return;
    m_query.text = m_search->text();
    m_searching.ask(
        tr("Searching an e-graph"),
        [index = m_index, query = m_query](const std::stop_token& stop, const JobRunner::Report&) {
            return findClasses(*index, query, stop);
        },
        [this, index = m_index](std::vector<ClassIndex> found) {
            const std::size_t all = index->classCount();
            QString count = found.size() == all ? tr("All %1 classes").arg(countText(all))
                                                : tr("%1 of %2 classes").arg(countText(found.size()), countText(all));
            if (!m_query.rule.isEmpty()) count = tr("%1, e-nodes made by %2").arg(count, m_query.rule);
            m_count->setText(count);
            m_followingSelection = true;
            m_classes->setRows(index, std::move(found));
            m_followingSelection = false;
            showSelection();
        });
}

void EGraphView::redraw(bool sameSubject) {
    updateControls();
    if (!m_index) return;
    m_drawing.ask(
        tr("Drawing an e-graph"),
        [index = m_index, scope = m_scope, marks = m_marks](const std::stop_token&, const JobRunner::Report&) {
            return makeEGraphPicture(*index, scope, marks);
        },
        [this, sameSubject](EGraphPicture picture) { takePicture(std::move(picture), sameSubject); });
}

void EGraphView::takePicture(EGraphPicture picture, bool sameSubject) {
    m_picture = std::move(picture);
    m_pane->view().setGraph(m_picture.graph, sameSubject);
    m_pane->setFooter(footer());
    showSelection();
}

QString EGraphView::footer() const {
    const std::size_t all = m_index->classCount();
    const std::size_t boxes = m_picture.classes.size();
    if (boxes == all) return tr("All %1 classes").arg(countText(all));
    QStringList why;
    if (m_scope.centre) {
        why << tr("those around %1").arg(fromUtf8(m_index->snapshot().classes[*m_scope.centre].id));
    } else {
        why << (m_index->snapshot().roots.empty() ? tr("classes that no e-node refers to, with their cheapest terms")
                                                  : tr("the roots and their extraction"));
    }
    if (!m_scope.extractionOnly) why << hopsText(m_scope.hops);
    if (m_picture.inlined > 0) why << tr("%1 constants in rows").arg(countText(m_picture.inlined));
    if (!m_scope.hidden.empty()) why << tr("%1 hidden by you").arg(countText(m_scope.hidden.size()));
    if (m_picture.cut) why << tr("cut at %1").arg(countText(EGraphScope::UsualLimit));
    return tr("%1 of %2 classes: %3; the list has all")
        .arg(countText(boxes), countText(all), why.join(QStringLiteral(", ")));
}

// --- selection -----------------------------------------------------------------------------------------------------------

void EGraphView::select(std::optional<ClassIndex> which) {
    if (!m_index || (which && *which >= m_index->classCount())) which.reset();
    m_selected = which;
    if (which && !m_picture.boxOf(*which)) {
        // If the class is inlined or hidden by the user, it stays so. Otherwise the picture is centred on it.
        const bool inlined = m_scope.inlineLeaves && m_index->isLeaf(*which);
        if (!inlined && m_scope.hidden.count(*which) == 0) {
            m_scope.centre = which;
            redraw(false);
        }
    }
    showSelection();
}

void EGraphView::showSelection() {
    GraphView& view = m_pane->view();
    if (!m_selected) {
        view.setSelected(std::nullopt);
        m_classTable->clearSelection();
        m_members->setClass(nullptr, 0, {});
        m_about->setText(m_index ? tr("Select a class to see what is equal in it.") : QString());
        updateControls();
        return;
    }
    view.setSelected(m_picture.boxOf(*m_selected));
    m_members->setClass(m_index, *m_selected, m_marks);
    m_about->setText(aboutClass(*m_selected));
    if (const int row = m_classes->rowOf(*m_selected); row >= 0) {
        m_followingSelection = true;
        // A selected row stays selected together with a second one.
        if (!m_classTable->selectionModel()->isRowSelected(row)) m_classTable->selectRow(row);
        m_classTable->scrollTo(m_classes->index(row, 0));
        m_followingSelection = false;
    } else {
        m_classTable->clearSelection();
    }
    updateControls();
}

void EGraphView::selectToo(ClassIndex which) {
    const int row = m_classes->rowOf(which);
    if (row < 0) return select(which);
    m_classTable->selectionModel()->setCurrentIndex(m_classes->index(row, 0),
                                                    QItemSelectionModel::Toggle | QItemSelectionModel::Rows);
}

QString EGraphView::aboutClass(ClassIndex which) const {
    const egraph::Snapshot& snapshot = m_index->snapshot();
    const egraph::Snapshot::Class& about = snapshot.classes[which];
    QStringList parts{tr("Class %1").arg(fromUtf8(about.id))};
    if (!about.type.empty()) parts << fromUtf8(about.type);
    const auto members = m_index->members(which);
    parts << (members.size() == 1 ? tr("1 e-node") : tr("%1 e-nodes").arg(countText(members.size())));
    const auto first = std::ranges::min_element(
        members, [&](ENodeIndex a, ENodeIndex b) { return snapshot.nodes[a].iteration < snapshot.nodes[b].iteration; });
    if (const QString rule = m_index->ruleOf(*first); !rule.isEmpty()) {
        parts << tr("made by %1 in iteration %2").arg(rule).arg(snapshot.nodes[*first].iteration);
    }
    if (about.iteration > 0) parts << tr("last merged in iteration %1").arg(about.iteration);
    for (const auto& [key, value] : about.data) parts << tr("%1: %2").arg(fromUtf8(key), fromUtf8(value));
    return parts.join(QStringLiteral(" · "));
}

// --- controls ------------------------------------------------------------------------------------------------------------

void EGraphView::changeHops(int by) {
    m_scope.hops = std::clamp(m_scope.hops + by, 0, EGraphScope::MostHops);
    redraw(true);
}

void EGraphView::expandSelected() {
    if (!m_selected) return;
    m_scope.collapsed.erase(*m_selected);
    m_scope.expanded.insert(*m_selected);
    redraw(true);
}

void EGraphView::toggle(ClassIndex which) {
    m_selected = which;
    if (m_scope.expanded.erase(which) > 0)
        redraw(true);
    else
        expandSelected();
}

void EGraphView::collapseSelected() {
    if (!m_selected) return;
    if (m_scope.collapsed.erase(*m_selected) == 0) m_scope.collapsed.insert(*m_selected);
    m_scope.expanded.erase(*m_selected);
    redraw(true);
}

void EGraphView::hideSelected() {
    if (!m_selected || m_scope.centre == m_selected) return;
    m_scope.hidden.insert(*m_selected);
    redraw(true);
}

void EGraphView::isolateSelected() {
    if (!m_selected) return;
    m_scope.centre = m_selected;
    m_scope.hidden.erase(*m_selected);
    redraw(false);
}

void EGraphView::showRoots() {
    m_scope.centre.reset();
    m_scope.expanded.clear();
    m_scope.collapsed.clear();
    m_scope.hidden.clear();
    m_absent = {};
    redraw(false);
}

void EGraphView::updateControls() {
    m_hops->setText(hopsText(m_scope.hops));
    m_why->setVisible(m_document.canExplain());
    m_why->setEnabled(m_memberTable->selectionModel()->selectedRows().size() == 2);
    m_whyClasses->setVisible(m_document.canExplain());
    m_whyClasses->setEnabled(m_classTable->selectionModel()->selectedRows().size() == 2);
    const bool open = m_index != nullptr;
    const bool drawn = open && m_selected && m_picture.boxOf(*m_selected);
    m_lessHops->setEnabled(open && !m_scope.extractionOnly && m_scope.hops > 0);
    m_moreHops->setEnabled(open && !m_scope.extractionOnly && m_scope.hops < EGraphScope::MostHops);
    m_expand->setEnabled(drawn);
    m_collapse->setEnabled(drawn);
    m_hide->setEnabled(drawn && m_scope.centre != m_selected);
    m_isolate->setEnabled(open && m_selected && m_scope.centre != m_selected);
    m_reset->setEnabled(
        open && (m_scope.centre || !m_scope.expanded.empty() || !m_scope.collapsed.empty() || !m_scope.hidden.empty()));
}

}  // namespace mitos::views
