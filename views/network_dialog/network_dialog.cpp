// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/network_dialog/network_dialog.h"

#include "core/dialects/dialects.h"
#include "core/ir/shared.h"
#include "core/networks/networks.h"
#include "core/tensor/operator.h"
#include "views/common/format.h"
#include "views/common/widgets.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QRadioButton>
#include <QTableWidget>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

std::size_t sizeOf(const networks::Network& network, networks::Style style) {
    ir::TermBank bank(dialects::makeRegistry());
    const Result<tensor::Model> model = networks::build(bank, network, style);
    if (!model) return 0;
    std::size_t count = 0;
    for (const ir::TermId node : ir::SharedNodes(bank, model->program.root)) {
        if (tensor::operatorOf(bank, node) != nullptr && bank.childCount(node) > 0) ++count;
    }
    return count;
}

}  // namespace

std::vector<NetworkSize> networkSizes(const std::stop_token& stop) {
    std::vector<NetworkSize> sizes;
    for (const networks::Network& network : networks::allNetworks()) {
        if (stop.stop_requested()) break;
        sizes.push_back({sizeOf(network, networks::Style::Paper), sizeOf(network, networks::Style::Realistic)});
    }
    return sizes;
}

namespace {

enum Column { NameColumn, NodesColumn, AboutColumn, ColumnCount };
constexpr QSize UsualSize(760, 520);
constexpr int RowMargin = 6;

}  // namespace

NetworkDialog::NetworkDialog(JobRunner& jobs, QWidget* parent)
    : QDialog(parent),
      m_counting(jobs),
      m_table(new QTableWidget(this)),
      m_paper(new QRadioButton(tr("As in the &papers"), this)),
      m_realistic(new QRadioButton(tr("&Realistic"), this)),
      m_about(new QLabel(this)) {
    setObjectName(QStringLiteral("networkDialog"));
    setWindowTitle(tr("New from a Network"));
    build();
    fill();
    m_counting.ask(
        tr("Sizes of networks"),
        [](const std::stop_token& stop, const JobRunner::Report&) { return networkSizes(stop); },
        [this](std::vector<NetworkSize> sizes) {
            m_sizes = std::move(sizes);
            showSizes();
        });
}

NetworkDialog::~NetworkDialog() = default;

void NetworkDialog::build() {
    auto* intro =
        new QLabel(tr("The networks on which searches over tensor programs are compared, made on the spot with "
                      "random weights."),
                   this);
    intro->setWordWrap(true);
    setUpWidget(m_table, "networkTable", {}, tr("Networks"));
    m_table->setWordWrap(false);
    m_table->setColumnCount(ColumnCount);
    m_table->setHorizontalHeaderLabels({tr("Network"), tr("Operators"), tr("Input and structure")});
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + RowMargin);
    setUpWidget(m_paper, "networkPaper", tr("As the papers' scripts build it, quirks included"));
    m_paper->setChecked(true);
    setUpWidget(m_realistic, "networkRealistic", tr("As people train it: biases, normalization, softmax, heads"));
    setUpPlainLabel(m_about, "networkAbout");
    m_about->setMinimumHeight(m_about->fontMetrics().lineSpacing() * 2);
    m_about->setAlignment(Qt::AlignTop | Qt::AlignLeft);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    buttons->setObjectName(QStringLiteral("networkButtons"));
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Make and Open"));
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* styles = rowOf({m_paper, m_realistic, stretch()});
    fillColumn(this, {intro, {m_table, 1}, styles, m_about, buttons});
    resize(UsualSize);
    connect(m_table, &QTableWidget::currentCellChanged, this, &NetworkDialog::showChosen);
    connect(m_table, &QTableWidget::cellDoubleClicked, this, &QDialog::accept);
    connect(m_paper, &QRadioButton::toggled, this, [this] {
        showSizes();
        showChosen();
    });
}

void NetworkDialog::fill() {
    const auto all = networks::allNetworks();
    m_table->setRowCount(static_cast<int>(all.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const networks::Network& network = all[static_cast<std::size_t>(row)];
        m_table->setItem(row, NameColumn, new QTableWidgetItem(fromUtf8(network.title)));
        auto* nodes = new QTableWidgetItem(QStringLiteral("…"));
        nodes->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_table->setItem(row, NodesColumn, nodes);
        auto* about = new QTableWidgetItem(fromUtf8(network.doc));
        about->setToolTip(about->text());
        m_table->setItem(row, AboutColumn, about);
    }
    m_table->resizeColumnToContents(NameColumn);
    m_table->horizontalHeader()->setSectionResizeMode(AboutColumn, QHeaderView::Stretch);
    m_table->setCurrentCell(0, NameColumn);
}

void NetworkDialog::showSizes() {
    for (int row = 0; row < m_table->rowCount() && row < static_cast<int>(m_sizes.size()); ++row) {
        const NetworkSize& size = m_sizes[static_cast<std::size_t>(row)];
        m_table->item(row, NodesColumn)->setText(countText(isRealistic() ? size.realistic : size.paper));
    }
}

void NetworkDialog::showChosen() {
    const auto row = static_cast<std::size_t>(std::max(0, m_table->currentRow()));
    const networks::Network& network = networks::allNetworks()[row];
    m_about->setText(
        isRealistic() ? tr("%1 as people train it: biases, normalization, softmax, heads.").arg(fromUtf8(network.title))
                      : tr("%1 as in the papers: %2.").arg(fromUtf8(network.title), fromUtf8(network.quirks)));
}

QString NetworkDialog::network() const {
    const auto row = static_cast<std::size_t>(std::max(0, m_table->currentRow()));
    return fromUtf8(networks::allNetworks()[row].name);
}

bool NetworkDialog::isRealistic() const { return m_realistic->isChecked(); }

}  // namespace mitos::views
