// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/saturation/saturation_view.h"

#include "views/common/format.h"
#include "views/common/heat_delegate.h"
#include "views/common/widgets.h"
#include "views/document/choices.h"
#include "views/saturation/internal/growth_chart.h"
#include "views/saturation/internal/guide_tree_view.h"
#include "views/saturation/internal/heatmap_model.h"
#include "views/theme/theme.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QSplitter>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <algorithm>

namespace mitos::views {

/// The table of rules and iterations.
class HeatmapTable : public QTableView {
public:
    explicit HeatmapTable(QWidget* parent = nullptr);

    /// Divides the available width among the columns, which are at least a few pixels wide.
    void fitColumns();

protected:
    void resizeEvent(QResizeEvent* event) override;
};

constexpr int NarrowestColumn = 14;
constexpr int WidestColumn = 64;

HeatmapTable::HeatmapTable(QWidget* parent) : QTableView(parent) {
    constexpr int Margin = 4;
    setItemDelegate(new HeatDelegate(this));
    setShowGrid(false);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setTabKeyNavigation(false);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    followFont(this, [this] { verticalHeader()->setDefaultSectionSize(fontMetrics().height() + Margin); });
    verticalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    verticalHeader()->setHighlightSections(true);
    horizontalHeader()->setMinimumSectionSize(NarrowestColumn);
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setHighlightSections(false);
}

void HeatmapTable::fitColumns() {
    const int columns = model() == nullptr ? 0 : model()->columnCount();
    if (columns == 0) return;
    const int width = std::clamp(viewport()->width() / columns, NarrowestColumn, WidestColumn);
    horizontalHeader()->setDefaultSectionSize(width);
}

void HeatmapTable::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    fitColumns();
}

namespace {

constexpr int PlayMs = 900;
constexpr int LiveMs = 300;

}  // namespace

SaturationView::SaturationView(EGraphDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_stack(new QStackedWidget(this)),
      m_empty(new EmptyState(this)),
      m_slider(new QSlider(Qt::Horizontal, this)),
      m_play(new QToolButton(this)),
      m_back(new QToolButton(this)),
      m_on(new QToolButton(this)),
      m_take(new QToolButton(this)),
      m_label(new QLabel(this)),
      m_unused(new QLabel(this)),
      m_count(new QComboBox(this)),
      m_order(new QComboBox(this)),
      m_chart(new GrowthChart(document, this)),
      m_model(new HeatmapModel(this)),
      m_heatmap(new HeatmapTable(this)),
      m_tabs(new QTabWidget(this)),
      m_tree(new GuideTreeView(document, this)) {
    setObjectName(QStringLiteral("saturationView"));
    auto* page = new QSplitter(this);
    page->addWidget(buildIterations());
    setUpWidget(m_tabs, "saturationTabs", {}, tr("What is shown beside the growth"));
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(buildHeatmap(), tr("Rules by iteration"));
    m_tabs->addTab(m_tree, tr("Tree search"));
    page->addWidget(m_tabs);
    page->setStretchFactor(0, 2);
    page->setStretchFactor(1, 3);
    page->setChildrenCollapsible(false);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(page);
    fillColumn(this, {m_stack}, {.margins = NarrowMargins});

    m_playing.setInterval(PlayMs);
    connect(&m_playing, &QTimer::timeout, this, [this] {
        if (m_document.shownStep() + 1 < m_document.stepCount())
            m_document.showStep(m_document.shownStep() + 1);
        else if (!m_document.isSaturating())
            togglePlaying();
    });
    connect(&document, &EGraphDocument::opened, this, [this] {
        if (m_playing.isActive()) togglePlaying();
    });
    connect(&document, &EGraphDocument::reportChanged, this, [this] {
        m_stale = true;
        if (!isVisible()) return;
        if (!m_document.isSaturating() || m_stack->currentIndex() == 0)
            refresh();
        else if (!m_liveTimer.isActive())
            m_liveTimer.start();
    });
    m_liveTimer.setSingleShot(true);
    m_liveTimer.setInterval(LiveMs);
    connect(&m_liveTimer, &QTimer::timeout, this, [this] {
        if (m_stale && isVisible()) refresh();
    });
    connect(&document, &EGraphDocument::stepsChanged, this, &SaturationView::showStep);
    connect(&document, &EGraphDocument::snapshotChanged, this, &SaturationView::showStep);
    followPalette(this, [this] { updateIcons(); });
    whenShown(this, Qt::DirectConnection, [this] {
        if (m_stale) refresh();
    });
    m_empty->explain(tr("This e-graph comes from a file: nothing is recorded about how it grew."));
}

QWidget* SaturationView::buildIterations() {
    setUpWidget(m_slider, "iterationSlider", {}, tr("Iteration"));
    m_slider->setPageStep(1);
    m_slider->setTickPosition(QSlider::TicksBelow);
    const auto button = [](QToolButton* made, const char* name, const QString& text, const QString& toolTip) {
        setUpWidget(made, name, toolTip, toolTip);
        made->setText(text);
        made->setAutoRaise(true);
    };
    button(m_back, "iterationBack", {}, tr("Previous iteration ([)"));
    button(m_play, "iterationPlay", tr("Play"), tr("Play the iterations"));
    m_play->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button(m_on, "iterationOn", {}, tr("Next iteration (])"));
    m_label->setObjectName(QStringLiteral("iterationLabel"));
    m_label->setWordWrap(true);
    m_chart->setObjectName(QStringLiteral("growthChart"));
    button(m_take, "takeCheapest", tr("Take the cheapest"),
           tr("Extract the cheapest program under the cost model; the steps that lead to it join the history"));
    connect(m_take, &QToolButton::clicked, this, &SaturationView::cheapestRequested);
    auto* prove = new QToolButton(this);
    button(prove, "proveGoal", tr("Prove…"),
           tr("Ask whether another program is equal to the current one; the steps that prove it join the history"));
    connect(prove, &QToolButton::clicked, this, &SaturationView::proofRequested);
    auto* made = new QWidget(this);
    auto* row = rowOf({m_back, m_play, m_on, {m_slider, 1}, m_take, prove});
    fillColumn(made, {row, m_label, {m_chart, 1}}, {.margins = NoMargins, .spacing = 2});
    connect(m_slider, &QSlider::valueChanged, this, [this](int step) {
        if (m_playing.isActive()) togglePlaying();
        m_document.showStep(step);
    });
    connect(m_back, &QToolButton::clicked, this, [this] { step(-1); });
    connect(m_on, &QToolButton::clicked, this, [this] { step(1); });
    connect(m_play, &QToolButton::clicked, this, &SaturationView::togglePlaying);
    return made;
}

QWidget* SaturationView::buildHeatmap() {
    setUpWidget(m_count, "heatmapCount", {}, tr("Quantity shown by the heatmap"));
    m_count->addItems({tr("Applications"), tr("Matches"), tr("E-nodes made"), tr("Gain")});
    setUpWidget(m_order, "heatmapOrder", {}, tr("Order of the rules"));
    m_order->addItems({tr("most in total first"), tr("first used first"), tr("in the order of the file")});
    m_unused->setObjectName(QStringLiteral("heatmapUnused"));
    m_unused->setForegroundRole(QPalette::PlaceholderText);
    setUpWidget(m_heatmap, "heatmap", {}, tr("Rules by iterations"));
    m_heatmap->setModel(m_model);
    auto* made = new QWidget(this);
    auto* row = rowOf({m_count, m_order, {m_unused, 1}});
    fillColumn(made, {row, {m_heatmap, 1}}, {.margins = NoMargins, .spacing = 2});
    connect(m_count, &QComboBox::currentIndexChanged, this,
            [this](int index) { m_model->setCount(static_cast<HeatmapModel::Count>(index)); });
    connect(m_order, &QComboBox::currentIndexChanged, this,
            [this](int index) { m_model->setOrder(static_cast<HeatmapModel::Order>(index)); });
    // A click or Enter highlights what the rule made, in the snapshot nearest to the column's iteration.
    const auto choose = [this](const QModelIndex& index) {
        m_document.setRule(m_model->ruleAt(index.row()));
        m_document.showNearest(static_cast<std::uint32_t>(index.column() + 1));
    };
    connect(m_heatmap, &QTableView::clicked, this, choose);
    connect(m_heatmap, &QTableView::activated, this, choose);
    connect(m_heatmap->verticalHeader(), &QHeaderView::sectionClicked, this,
            [this](int rule) { m_document.setRule(m_model->ruleAt(rule)); });
    return made;
}

void SaturationView::offerGains() {
    const bool known = m_model->knowsGains();
    const int gain = static_cast<int>(HeatmapModel::Count::Gain);
    if (!known && m_count->currentIndex() == gain) m_count->setCurrentIndex(0);
    if (auto* items = qobject_cast<QStandardItemModel*>(m_count->model())) items->item(gain)->setEnabled(known);
    const egraph::SaturationReport& report = m_document.report();
    QString about = tr("Gain: by how much the cheapest program became cheaper; the steps that lead to it share it");
    if (!report.gainDetail.empty())
        about += known ? tr("\nNot known for every iteration: %1").arg(fromUtf8(report.gainDetail))
                       : tr("\nNot known here: %1").arg(fromUtf8(report.gainDetail));
    m_count->setItemData(gain, about, Qt::ToolTipRole);
    m_count->setToolTip(tr("Applications: matches whose two sides were not equal before") + u'\n' + about);
}

void SaturationView::offerSaturation() {
    m_empty->explain(tr("Saturate the program to see which rules make its e-graph grow."), tr("Saturate…"),
                     [this] { Q_EMIT saturateRequested(); });
}

void SaturationView::step(int by) {
    if (m_playing.isActive()) togglePlaying();
    m_document.showStep(m_document.shownStep() + by);
}

void SaturationView::togglePlaying() {
    if (m_playing.isActive()) {
        m_playing.stop();
    } else {
        if (m_document.shownStep() + 1 == m_document.stepCount()) m_document.showStep(0);
        m_playing.start();
    }
    m_play->setText(m_playing.isActive() ? tr("Pause") : tr("Play"));
    updateIcons();
}

void SaturationView::refresh() {
    m_stale = false;
    m_liveTimer.stop();
    m_stack->setCurrentIndex(m_document.hasReport() ? 1 : 0);
    m_chart->refresh();
    m_model->setReport(m_document.report());
    m_heatmap->fitColumns();
    offerGains();
    m_tabs->setTabVisible(1, m_document.hasTrees());
    m_tree->refresh();
    const std::size_t unused = m_model->unusedRules();
    m_unused->setText(
        tr("%1 of %2 rules found something")
            .arg(countText(m_document.report().rules.size() - unused), countText(m_document.report().rules.size())));
    showStep();
}

void SaturationView::showStep() {
    const QSignalBlocker blocker(m_slider);
    m_slider->setRange(0, std::max(0, m_document.stepCount() - 1));
    m_slider->setValue(m_document.shownStep());
    const bool several = m_document.stepCount() > 1;
    for (QWidget* widget : std::initializer_list<QWidget*>{m_slider, m_play}) widget->setEnabled(several);
    m_back->setEnabled(m_document.shownStep() > 0);
    m_on->setEnabled(m_document.shownStep() + 1 < m_document.stepCount());
    m_take->setVisible(m_document.canExplain());
    m_label->setText(summary());
    m_chart->showIteration();
    m_tree->refresh();
}

QString SaturationView::summary() const {
    if (!m_document.hasReport()) return {};
    const egraph::SaturationReport& report = m_document.report();
    const std::uint32_t iteration = m_document.iteration();
    const bool start = iteration == 0 || iteration > report.iterations.size();
    const std::uint64_t nodes = start ? report.startNodes : report.iterations[iteration - 1].nodes;
    const std::uint64_t classes = start ? report.startClasses : report.iterations[iteration - 1].classes;
    if (const QStringList tried = m_document.tried(); !tried.isEmpty())
        return tr("Tried by the tree search, not applied: %1").arg(tried.join(QStringLiteral(" → ")));
    QStringList parts{start ? tr("Before the first of %1 iterations").arg(report.iterations.size())
                            : tr("Iteration %1 of %2").arg(iteration).arg(report.iterations.size())};
    const std::optional<double> cost = m_document.cheapestCost();
    parts << tr("%1 e-nodes").arg(countText(nodes)) << tr("%1 classes").arg(countText(classes));
    if (cost) parts << tr("cheapest program %1").arg(amountText(*cost, m_document.costUnit()));
    if (!start) parts << durationText(report.iterations[iteration - 1].seconds());
    if (!m_document.isSaturating()) parts << tr("ended by: %1").arg(stopText(report.stop));
    if (const QString goal = m_document.goalText(); !goal.isEmpty()) parts << goal;
    if (m_document.stepCount() == 0)
        parts << tr("its e-graphs were not stored");
    else if (m_document.stepCount() <= static_cast<int>(report.iterations.size()))
        parts << tr("later ones are too large to be shown");
    return parts.join(QStringLiteral(" · "));
}

void SaturationView::updateIcons() {
    const Theme theme(palette());
    m_play->setIcon(theme.icon(m_playing.isActive() ? QStringLiteral("stop") : QStringLiteral("run")));
    m_back->setIcon(theme.icon(QStringLiteral("back")));
    m_on->setIcon(theme.icon(QStringLiteral("forward")));
}

}  // namespace mitos::views
