// SPDX-License-Identifier: GPL-3.0-or-later
// Follows the selection; costs of large programs are explained in a job.
#include "views/cost/cost_view.h"

#include "core/ir/shared.h"
#include "views/common/format.h"
#include "views/common/share_delegate.h"
#include "views/common/view_keys.h"
#include "views/common/widgets.h"
#include "views/document/choices.h"
#include "views/document/cost_text.h"
#include "views/document/places.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr std::uint64_t LargestInPlace = 1500;
constexpr std::size_t MostRows = 200;
QString otherKey() { return QStringLiteral("cost.other"); }

}  // namespace

CostView::CostView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_jobs(jobs),
      m_stack(new QStackedWidget(this)),
      m_empty(new EmptyState(this)),
      m_title(new QLabel(this)),
      m_formula(new QLabel(this)),
      m_mode(new QComboBox(this)),
      m_other(new QComboBox(this)),
      m_table(new QTableView(this)),
      m_model(new CostTableModel(this)),
      m_sorted(new QSortFilterProxyModel(this)),
      m_bars(new QCheckBox(tr("Bars"), this)) {
    setObjectName(QStringLiteral("costView"));
    setUpPlainLabel(m_title, "costTitle");
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    setUpPlainLabel(m_formula, "costFormula");
    m_mode->setObjectName(QStringLiteral("costMode"));
    m_mode->addItems({tr("Operator and operands"), tr("Most expensive operators in it")});
    setUpWidget(m_other, "costOther", tr("Another cost model beside the one in force"));
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(CostTableModel::SortRole);
    setUpRowTable(*m_table, *m_sorted, QStringLiteral("costTable"), tr("Components of the cost"));
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(CostTableModel::Part, QHeaderView::Stretch);

    setUpWidget(m_bars, "costBars", tr("Draw shares of the cost as bars"));
    m_bars->setChecked(true);
    for (const int column : {CostTableModel::Share, CostTableModel::OtherShare}) {
        auto* bars = new ShareDelegate(CostTableModel::ShareRole, m_table);
        m_table->setItemDelegateForColumn(column, bars);
        connect(m_bars, &QCheckBox::toggled, this, [this, bars](bool shown) {
            bars->setBars(shown);
            m_table->viewport()->update();
        });
    }

    auto* choices = rowOf({m_mode, m_other, m_bars, stretch()});
    auto* page = new QWidget(this);
    fillColumn(page, {m_title, m_formula, choices, {m_table, 1}}, {.margins = NarrowMargins});
    m_stack->addWidget(m_empty);
    m_stack->addWidget(page);
    fillColumn(this, {m_stack}, {.margins = NoMargins});
    m_empty->explain(tr("Open a program to see what its cost is made of."));

    connect(m_mode, &QComboBox::currentIndexChanged, this, &CostView::showRows);
    connect(m_other, &QComboBox::currentIndexChanged, this, [this] {
        m_document.setViewValue(otherKey(), m_other->currentData().toString());
        invalidate();
    });
    // Only Enter or a double click selects the row's subterm; moving through the rows must not change their contents.
    auto* keys = new ViewKeys(m_table, tr("Cost"));
    keys->describe(tr("Enter"), tr("Select the row's subterm"));
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        const ir::Path path = m_model->row(m_sorted->mapToSource(index).row()).path;
        m_selection.setSubterm(path);
    });
    connect(&document, &Document::closed, this, [this] {
        m_complete = false;
        m_stale = true;
        m_query.cancel();
        m_costs = {};
        m_model->setRows({}, {});
        m_stack->setCurrentIndex(0);
    });
    connect(&document, &Document::opened, this, [this] {
        const QSignalBlocker blocker(m_other);
        m_other->clear();
        m_other->addItem(tr("No other model"), QString());
        for (const CostModelChoice& choice : costModelChoices(&m_document.dialect(), {})) {
            m_other->addItem(tr("Beside %1").arg(choice.name), choice.name);
        }
        m_other->setCurrentIndex(std::max(0, m_other->findData(m_document.viewValue(otherKey()))));
        invalidate();
    });
    connect(&document, &Document::currentChanged, this, &CostView::invalidate);
    connect(&document, &Document::costModelChanged, this, &CostView::invalidate);
    connect(&selection, &Selection::subtermChanged, this, &CostView::showRows);
    // Deferred, because each dock is briefly visible while docks are arranged.
    whenShown(this, Qt::QueuedConnection, [this] {
        if (m_stale && isVisible()) refresh();
    });
    invalidate();
}

CostView::~CostView() = default;

std::uint64_t CostView::size(const ir::Program& program) const {
    return ir::sizeOf(m_document.bank(), program.root, m_document.dialect().sharing);
}

std::shared_ptr<const cost::CostModel> CostView::otherModel() const {
    const QString name = m_other->currentData().toString();
    if (name.isEmpty()) return nullptr;
    const auto found = cost::findCostModel(name.toStdString());
    return found ? *found : nullptr;
}

void CostView::invalidate() {
    m_complete = false;
    m_stale = true;
    m_query.cancel();
    if (isVisible()) refresh();
}

void CostView::refresh() {
    m_stale = false;
    m_query.cancel();
    if (!m_document.isOpen()) return;
    m_stack->setCurrentIndex(1);
    const ir::Program program = m_document.current();
    const std::shared_ptr<const cost::CostModel> other = otherModel();
    if (size(program) <= LargestInPlace) {
        ExplainedCosts costs;
        costs.parts = m_document.explainCost(program.root);
        if (other)
            costs.other =
                explainedParts(*other->evaluator(m_document.bank(), program.function), m_document.bank(), program);
        takeCosts(std::move(costs));
        return;
    }
    m_title->setText(tr("Explaining the cost of a large program…"));
    m_formula->clear();
    m_model->setRows({}, {});
    m_query.ask(
        tr("Explaining costs"),
        [copy = m_document.snapshot(program), model = m_document.sharedCostModel(), other](const std::stop_token&,
                                                                                           const JobRunner::Report&) {
            ExplainedCosts costs;
            costs.parts =
                explainedParts(*model->evaluator(*copy.bank, copy.program.function), *copy.bank, copy.program);
            if (other)
                costs.other =
                    explainedParts(*other->evaluator(*copy.bank, copy.program.function), *copy.bank, copy.program);
            return costs;
        },
        [this](ExplainedCosts costs) { takeCosts(std::move(costs)); });
}

void CostView::takeCosts(ExplainedCosts costs) {
    m_costs = std::move(costs);
    m_complete = true;
    showRows();
}

void CostView::showRows() {
    if (!m_complete || !m_document.isOpen()) return;
    const ir::Program program = m_document.current();
    const ir::TermId root = program.root;
    const ir::TermBank& bank = m_document.bank();
    // Between two states the selection may still refer to a place of the old one.
    ir::Path path = m_selection.subterm().value_or(ir::Path{});
    while (!ir::subterm(bank, root, path)) path.pop_back();
    if (m_costs.parts.size() != size(program)) return;
    const bool operands = m_mode->currentIndex() == 0;
    m_model->setRows(operands ? operandRows(bank, program, path, m_costs)
                              : mostExpensiveRows(bank, program, path, m_costs, MostRows),
                     m_other->currentData().toString());
    for (const int column : {CostTableModel::Other, CostTableModel::OtherShare}) {
        m_table->setColumnHidden(column, m_costs.other.empty());
    }
    m_table->setColumnHidden(CostTableModel::Made, !m_model->hasMade());
    const bool isPaidOnce = m_document.dialect().sharesNodes();
    m_table->setColumnHidden(CostTableModel::Times, isPaidOnce);  // always 1
    m_table->setColumnHidden(CostTableModel::Once, isPaidOnce);
    showSummary(path);
}

void CostView::showSummary(const ir::Path& path) {
    const ir::TermBank& bank = m_document.bank();
    const std::size_t index = partIndex(bank, m_document.current(), path);
    const cost::CostPart& part = m_costs.parts[index];
    const QString where = path.empty() ? tr("The whole program") : PlaceNames(bank, m_document.current()).at(path);
    QString text =
        tr("%1: %2").arg(where, costSummary(m_costs.parts, index, m_document.costModel().info(), m_document.dialect()));
    if (index < m_costs.other.size()) {
        const cost::CostPart& beside = m_costs.other[index];
        text += tr("; under %1: %2").arg(m_other->currentData().toString(), costText(beside.total * beside.times));
    }
    m_title->setText(text);
    m_formula->setText(tr("Operator: %1").arg(part.reason.empty() ? tr("costs nothing") : fromUtf8(part.reason)));
}

}  // namespace mitos::views
