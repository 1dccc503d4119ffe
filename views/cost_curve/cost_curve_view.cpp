// SPDX-License-Identifier: GPL-3.0-or-later
// Cost along the path to the current state, best cost over time of every run, and the paths that the runs found.
#include "views/cost_curve/cost_curve_view.h"

#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/cost_curve/internal/path_curve.h"
#include "views/cost_curve/internal/run_curves.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QMetaMethod>
#include <QStackedWidget>
#include <algorithm>

namespace mitos::views {

namespace {

enum What { PathItem, RunsItem, RunPathsItem };

}  // namespace

CostCurveView::CostCurveView(Document& document, Selection& selection, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_what(new QComboBox(this)),
      m_axis(new QComboBox(this)),
      m_logarithmic(new QCheckBox(tr("Logarithmic"), this)),
      m_fromZero(new QCheckBox(tr("From zero"), this)),
      m_stack(new QStackedWidget(this)),
      m_path(new PathCurve(document, this)),
      m_runs(new RunCurves(document, selection, this)),
      m_runPaths(new RunPaths(document, selection, this)),
      m_others(new QLabel(this)),
      m_empty(new EmptyState(this)) {
    setObjectName(QStringLiteral("costCurveView"));
    setUpWidget(m_what, "curveWhat", {}, tr("What the curve shows"));
    m_what->addItem(tr("Path to the current state"));
    m_what->addItem(tr("Search runs"));
    m_what->addItem(tr("Paths of the runs"));
    setUpWidget(m_axis, "curveAxis", {}, tr("Horizontal axis of the runs"));
    m_axis->addItem(tr("over expressions evaluated"));
    m_axis->addItem(tr("over seconds"));
    setUpWidget(m_logarithmic, "curveLogarithmic", tr("Equal factors of cost are equally far apart"));
    setUpWidget(m_fromZero, "curveFromZero", tr("Begin the cost axis at 0; otherwise it shows the costs there are"));
    m_path->setObjectName(QStringLiteral("pathCurve"));
    m_runs->setObjectName(QStringLiteral("runCurves"));
    m_runPaths->setObjectName(QStringLiteral("runPaths"));

    for (QWidget* page : std::initializer_list<QWidget*>{m_path, m_runs, m_runPaths, m_empty}) m_stack->addWidget(page);
    auto* top = rowOf({m_what, m_axis, m_logarithmic, m_fromZero, stretch()});
    setUpPlainLabel(m_others, "curveOthers");
    m_others->setForegroundRole(QPalette::PlaceholderText);
    fillColumn(this, {top, {m_stack, 1}, m_others}, {.margins = NarrowMargins});

    connect(m_what, &QComboBox::currentIndexChanged, this, &CostCurveView::updateState);
    connect(m_axis, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_runs->setAxis(index == 0 ? RunCurves::Axis::Evaluations : RunCurves::Axis::Seconds);
    });
    connect(m_logarithmic, &QCheckBox::toggled, this, [this](bool on) {
        for (PlotPanel* panel : panels()) panel->setLogarithmic(on);
        updateState();
    });
    connect(m_fromZero, &QCheckBox::toggled, this, [this](bool on) {
        for (PlotPanel* panel : panels()) panel->setFromZero(on);
    });
    connect(m_runs, &RunCurves::runClicked, this, &CostCurveView::openRun);
    for (const auto signal : {&Document::closed, &Document::opened}) {
        connect(&m_document, signal, m_runs, &RunCurves::reload);
        connect(&m_document, signal, m_runPaths, &RunPaths::refresh);
    }
    for (const auto signal : {&Document::closed, &Document::opened, &Document::currentChanged,
                              &Document::historyChanged, &Document::costModelChanged}) {
        connect(&m_document, signal, m_path, &PathCurve::refresh);
        connect(&m_document, signal, this, &CostCurveView::updateState);
    }
    connect(&m_document, &Document::closed, this, [this] {
        for (PlotPanel* panel : panels()) panel->resetZoom();
    });
    connect(&m_document, &Document::opened, this, [this] { m_what->setCurrentIndex(PathItem); });
    connect(&m_document, &Document::runChanged, this, [this](int run) {
        const bool isNew = m_runs->pointCount(run) == 0;
        m_runs->update(run);
        const Run* changed = m_document.run(run);
        // Shows a search that was just started, because the user wants to watch it.
        if (isNew && changed != nullptr && changed->job != 0) m_what->setCurrentIndex(RunsItem);
        if (changed != nullptr && changed->job == 0) m_runPaths->refresh();
        updateState();
    });
    connect(&m_document, &Document::runRemoved, this, [this](int run) {
        m_runs->remove(run);
        m_runPaths->refresh();
        updateState();
    });
    connect(&m_document, &Document::costModelChanged, m_runPaths, &RunPaths::refresh);
    connect(&m_document, &Document::costModelChanged, this, [this] {
        m_runs->reload();
        updateState();
    });
    m_path->refresh();
    m_runs->reload();
    whenShown(this, Qt::DirectConnection, [this] { updateState(); });
    updateState();
}

std::array<PlotPanel*, 3> CostCurveView::panels() const { return {m_path, m_runs, m_runPaths}; }

void CostCurveView::openRun(RunNumber number) {
    m_selection.setRun(number);
    const Run* run = m_document.run(number);
    if (run != nullptr && run->resultState.isValid()) m_document.checkout(run->resultState);
}

void CostCurveView::updateState() {
    const int what = std::clamp(m_what->currentIndex(), 0, static_cast<int>(RunPathsItem));
    PlotPanel* const shown = panels()[static_cast<std::size_t>(what)];
    m_axis->setVisible(what == RunsItem);
    for (PlotPanel* panel : panels()) panel->setUnit(fromUtf8(m_document.costModel().info().unit));
    const bool empty = !m_document.isOpen() || (what == RunsItem && m_runs->curveCount() == 0) ||
                       (what == RunPathsItem && m_runPaths->pathCount() == 0);
    const QString others = m_runs->runsUnderOthers().join(QStringLiteral(", "));
    m_others->setText(tr("Searched under another cost model, so not drawn: %1").arg(others));
    m_others->setVisible(what == RunsItem && !empty && !others.isEmpty());
    m_logarithmic->setEnabled(!empty && shown->hasOnlyPositiveCosts());
    m_fromZero->setEnabled(!empty && !(m_logarithmic->isChecked() && m_logarithmic->isEnabled()));
    if (!empty) {
        m_stack->setCurrentWidget(shown);
        return;
    }
    m_stack->setCurrentWidget(m_empty);
    if (!m_document.isOpen()) {
        m_empty->explain(tr("Open a program to see its cost."));
    } else if (what == RunsItem && !others.isEmpty()) {
        m_empty->explain(tr("Searched under another cost model, so not drawn: %1").arg(others));
    } else if (what == RunPathsItem && (m_runs->curveCount() > 0 || !others.isEmpty())) {
        m_empty->explain(tr("No run has found a cheaper program."));
    } else if (isSignalConnected(QMetaMethod::fromSignal(&CostCurveView::searchRequested))) {
        m_empty->explain(tr("Run a search to see cost over time."), tr("Run a Search…"),
                         [this] { Q_EMIT searchRequested(); });
    } else {
        m_empty->explain(tr("Run a search to see cost over time."));
    }
}

}  // namespace mitos::views
