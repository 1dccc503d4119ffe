// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of the dialog, its tables, and how both follow the regions.
#include "views/partition/partition_dialog.h"

#include "core/rules/rule_sets.h"
#include "views/common/format.h"
#include "views/common/share_delegate.h"
#include "views/common/widgets.h"
#include "views/document/own_rule_sets.h"
#include "views/partition/internal/known_patterns.h"
#include "views/partition/internal/region_strategies.h"
#include "views/partition/internal/region_tables.h"

#include <QComboBox>
#include <QCompleter>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTableView>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr int TypingMs = 400;
constexpr int MostOperators = 1'000'000;
constexpr int RefusedLines = 4;
constexpr int ShareDigits = 14;  ///< width of the column, for the number with its bar
constexpr QSize UsualSize(900, 560);

QString usualPattern() { return QStringLiteral("Epilog"); }

}  // namespace

PartitionDialog::PartitionDialog(Document& document, Selection& selection, Regions& regions, JobRunner& jobs,
                                 QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_selection(selection),
      m_regions(regions),
      m_listing(jobs),
      m_writing(jobs),
      m_opening(jobs),
      m_known(std::make_unique<KnownPatterns>()),
      m_strategies(std::make_unique<RegionStrategies>()),
      m_pattern(new QComboBox(this)),
      m_least(new QSpinBox(this)),
      m_stop(new QPushButton(tr("Stop"), this)),
      m_explanation(new QLabel(this)),
      m_summary(new QLabel(this)),
      m_table(new QTableView(this)),
      m_model(new RegionTable(this)),
      m_refusedTitle(sectionTitle(tr("Matches that are no regions"), this)),
      m_refused(new QTableView(this)),
      m_refusedModel(new RefusedTable(this)),
      m_scope(new QComboBox(this)),
      m_strategy(new QComboBox(this)),
      m_parameters(new QPushButton(tr("Parameters…"), this)),
      m_search(new QPushButton(tr("Search"), this)),
      m_format(new QComboBox(this)),
      m_export(new QPushButton(tr("Export…"), this)),
      m_open(new QPushButton(tr("Open as Program"), this)),
      m_status(new QLabel(this)),
      m_clear(new QPushButton(tr("Clear"), this)) {
    setObjectName(QStringLiteral("partitionDialog"));
    setWindowTitle(tr("Partition %1").arg(document.title()));
    build();
    const std::optional<RegionRequest>& known = regions.request();
    m_pattern->setEditText(known ? known->pattern : usualPattern());
    m_least->setValue(known ? known->leastNodes : 1);
    connectFields();
    listPatterns();
    showFound();
}

PartitionDialog::~PartitionDialog() { m_writing.letGo(); }

void PartitionDialog::build() {
    setUpWidget(m_pattern, "partitionPattern",
                tr("A named pattern, or a left side of your own as in a rule: Relu(MatMul(a, b))"), tr("Pattern"));
    m_pattern->setEditable(true);
    m_pattern->setInsertPolicy(QComboBox::NoInsert);
    m_pattern->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_pattern->completer()->setCaseSensitivity(Qt::CaseSensitive);
    m_pattern->completer()->setCompletionMode(QCompleter::PopupCompletion);
    auto* patternLabel = new QLabel(tr("&Pattern"), this);
    patternLabel->setBuddy(m_pattern);
    setUpWidget(m_least, "partitionLeast", tr("Smaller matches are left out"), tr("Least number of operators"));
    m_least->setRange(1, MostOperators);
    auto* leastLabel = new QLabel(tr("&Least operators"), this);
    leastLabel->setBuddy(m_least);
    setUpWidget(m_stop, "partitionStop", tr("Keep the regions that were found"));
    setUpPlainLabel(m_explanation, "partitionExplanation");
    setUpPlainLabel(m_summary, "partitionSummary");
    setUpPlainLabel(m_status, "partitionStatus");

    setUpRowTable(*m_table, *m_model, QStringLiteral("partitionRegions"), tr("Regions"));
    m_table->setItemDelegate(new RoomyDelegate(m_table));
    m_table->setItemDelegateForColumn(RegionTable::Share, new ShareDelegate(RegionTable::ShareRole, m_table));
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    for (const int column : {RegionTable::Inputs, RegionTable::Outputs})
        header->setSectionResizeMode(column, QHeaderView::Stretch);
    header->setSectionResizeMode(RegionTable::Share, QHeaderView::Fixed);
    followFont(m_table, [this, header] {
        header->resizeSection(RegionTable::Share,
                              m_table->fontMetrics().horizontalAdvance(QStringLiteral("0")) * ShareDigits);
    });
    setUpRowTable(*m_refused, *m_refusedModel, QStringLiteral("partitionRefused"), tr("Matches that are no regions"));
    m_refused->setItemDelegate(new RoomyDelegate(m_refused));
    m_refused->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_refused->horizontalHeader()->setSectionResizeMode(RefusedTable::Reason, QHeaderView::Stretch);
    followFont(m_refused, [this] {
        m_refused->setFixedHeight(m_refused->verticalHeader()->defaultSectionSize() * (RefusedLines + 1));
    });

    setUpWidget(m_scope, "partitionScope", tr("The regions that are searched or exported"), tr("For"));
    m_scope->addItems({tr("All regions"), tr("The form of the selected"), tr("The selected region")});
    setUpWidget(m_strategy, "partitionStrategy",
                tr("The strategy that searches these regions; regions of one form have one"), tr("Strategy"));
    setUpWidget(m_parameters, "partitionParameters", tr("The parameters of the strategy"));
    listStrategies();
    setUpWidget(m_search, "partitionSearch",
                tr("Search the regions as programs of their own, and take the steps in the whole program; within the "
                   "limits of searches"));
    setUpWidget(m_format, "partitionFormat", {}, tr("Format"));
    m_format->addItem(tr("ONNX models"), QStringLiteral("onnx"));
    m_format->addItem(tr("C++"), QStringLiteral("c++"));
    setUpWidget(m_export, "partitionExport", tr("Write each region as a file of its own, region-1.onnx"));
    setUpWidget(m_open, "partitionOpen",
                tr("Open the selected region beside this program, from its listing: its weights are random numbers"));
    setUpWidget(m_clear, "partitionClear", tr("Remove the regions from the program"));

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->addButton(m_clear, QDialogButtonBox::ResetRole);
    connect(buttons, &QDialogButtonBox::rejected, this, &PartitionDialog::reject);
    // Enter in the pattern must not press a button.
    for (QPushButton* button : findChildren<QPushButton*>()) button->setAutoDefault(false);
    auto* fields = rowOf({patternLabel, {m_pattern, 1}, gap(8), leastLabel, m_least, m_stop});
    auto* searching = rowOf({m_scope, gap(12), m_strategy, m_parameters, m_search, stretch()});
    auto* writing = rowOf({m_format, m_export, gap(12), m_open, stretch()});
    fillColumn(this, {fields,
                      m_explanation,
                      m_summary,
                      {m_table, 1},
                      m_refusedTitle,
                      m_refused,
                      searching,
                      writing,
                      m_status,
                      buttons});
    resize(UsualSize);
}

void PartitionDialog::connectFields() {
    m_delay.setSingleShot(true);
    m_delay.setInterval(TypingMs);
    connect(&m_delay, &QTimer::timeout, this, &PartitionDialog::find);
    connect(m_pattern, &QComboBox::editTextChanged, this, [this] { m_delay.start(); });
    connect(m_pattern, &QComboBox::activated, this, &PartitionDialog::find);
    connect(m_pattern->lineEdit(), &QLineEdit::returnPressed, this, &PartitionDialog::find);
    connect(m_least, &QSpinBox::valueChanged, this, [this] { m_delay.start(); });
    connect(m_stop, &QPushButton::clicked, this, [this] {
        m_regions.stop();
        m_writing.stop();
    });
    connect(&m_regions, &Regions::changed, this, &PartitionDialog::showFound);
    connect(&m_regions, &Regions::chosenChanged, this, &PartitionDialog::showChosen);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &PartitionDialog::chooseRow);
    connect(m_refused->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& at) {
        const std::shared_ptr<const FoundRegions>& found = m_regions.found();
        if (found && at.isValid()) m_selection.setSubterm(found->refused[static_cast<std::size_t>(at.row())].place);
    });
    connect(m_scope, &QComboBox::currentIndexChanged, this, &PartitionDialog::showActions);
    connect(m_strategy, &QComboBox::activated, this, &PartitionDialog::chooseStrategy);
    connect(m_parameters, &QPushButton::clicked, this, &PartitionDialog::askForParameters);
    connect(m_search, &QPushButton::clicked, this, &PartitionDialog::search);
    connect(m_export, &QPushButton::clicked, this, &PartitionDialog::askForFolder);
    connect(m_open, &QPushButton::clicked, this, &PartitionDialog::openChosen);
    connect(m_clear, &QPushButton::clicked, &m_regions, &Regions::clear);
    connect(&m_document, &Document::rulesChanged, this, &PartitionDialog::listPatterns);
}

// --- patterns ------------------------------------------------------------------------------------------------------------

void PartitionDialog::listPatterns() {
    QStringList sets;
    for (const std::string& set : rules::RuleChoice::parse(m_document.rules().names()).sets) sets << fromUtf8(set);
    for (const QString& own : ownRuleSets()) {
        if (!sets.contains(own)) sets << own;
    }
    m_listing.ask(
        tr("Listing patterns"),
        [sets, registry = m_document.bank().sharedRegistry()](const std::stop_token&, const JobRunner::Report&) {
            return knownPatterns(sets, registry);
        },
        [this](KnownPatterns known) { takePatterns(std::move(known)); });
}

void PartitionDialog::takePatterns(KnownPatterns known) {
    *m_known = std::move(known);
    const QSignalBlocker blocker(m_pattern);
    const QString text = m_pattern->currentText();
    m_pattern->clear();
    for (const KnownPattern& pattern : m_known->patterns) {
        m_pattern->addItem(pattern.name);
        m_pattern->setItemData(m_pattern->count() - 1,
                               tr("%1 of %2\n%3").arg(pattern.call, pattern.origin, pattern.explanation).trimmed(),
                               Qt::ToolTipRole);
    }
    m_pattern->setCurrentIndex(m_pattern->findText(text));
    m_pattern->setEditText(text);
    if (m_regions.request() != std::optional(request())) find();
}

RegionRequest PartitionDialog::request() const {
    const QString text = m_pattern->currentText().trimmed();
    const auto known = std::ranges::find(m_known->patterns, text, &KnownPattern::name);
    return {.pattern = text,
            .sets = known != m_known->patterns.end() ? known->sets : m_known->sets,
            .leastNodes = m_least->value()};
}

void PartitionDialog::find() {
    m_delay.stop();
    m_status->clear();
    if (!m_document.isOpen()) return;
    if (request().pattern.isEmpty()) {
        m_regions.clear();
        return;
    }
    m_regions.find(request());
}

// --- regions -------------------------------------------------------------------------------------------------------------

void PartitionDialog::showFound() {
    const std::shared_ptr<const FoundRegions>& found = m_regions.found();
    const QString unit = m_document.isOpen() ? fromUtf8(m_document.costModel().info().unit) : QString();
    {
        const QSignalBlocker blocker(m_table->selectionModel());
        m_model->setRegions(found, unit);
    }
    if (found && (m_formsOf != found->request || m_formsIn != found->program.root)) {
        m_strategies->forgetForms();
        m_formsOf = found->request;
        m_formsIn = found->program.root;
    }
    m_refusedModel->setRegions(found);
    const bool hasRefused = found && !found->refused.empty();
    m_refusedTitle->setVisible(hasRefused);
    m_refused->setVisible(hasRefused);
    const auto known = std::ranges::find(m_known->patterns, m_pattern->currentText().trimmed(), &KnownPattern::name);
    const bool isKnown = known != m_known->patterns.end();
    m_explanation->setText(isKnown ? known->explanation : QString());
    m_explanation->setVisible(isKnown && !known->explanation.isEmpty());
    showSummary();
    showActions();
    showChosen();
}

void PartitionDialog::showSummary() {
    const std::shared_ptr<const FoundRegions>& found = m_regions.found();
    if (const std::optional<Error>& error = m_regions.error()) {
        m_summary->setText(tr("✗ %1").arg(fromUtf8(error->render())));
    } else if (m_regions.isRunning()) {
        m_summary->setText(tr("Looking for regions…"));
    } else if (!found) {
        m_summary->setText(tr("Choose a pattern to see the regions that it gives."));
    } else if (found->regions.empty()) {
        m_summary->setText(tr("%1 matches nowhere.").arg(found->pattern));
    } else {
        double share = 0.0;
        for (std::size_t i = 0; i < found->regions.size(); ++i) share += std::max(0.0, found->share(i));
        QString text = tr("%1: %2 regions with %3 of %4 operators")
                           .arg(found->pattern, countText(found->regions.size()), countText(found->covered),
                                countText(found->operators));
        if (found->regions.size() == 1)
            text = tr("%1: one region with %2 of %3 operators")
                       .arg(found->pattern, countText(found->covered), countText(found->operators));
        if (share > 0.0) text += tr(", %1 % of the cost").arg(QLocale().toString(100.0 * share, 'f', 1));
        if (found->isStopped) text += tr("; stopped by you, so there may be more");
        if (found->unfinished > 0)
            text += tr("; at %1 nodes it matches in very many ways, and not all of them were looked at")
                        .arg(countText(found->unfinished));
        m_summary->setText(text + QLatin1Char('.'));
    }
    m_stop->setEnabled(m_regions.isRunning() || m_writing.isRunning());
    m_clear->setEnabled(m_regions.request().has_value());
}

void PartitionDialog::showActions() {
    const bool hasChosen = m_regions.chosen().has_value();
    const bool isIdle = !m_writing.isRunning();
    showStrategies();
    m_search->setEnabled(canSearch());
    m_export->setEnabled(!inQuestion().empty() && isIdle);
    m_open->setEnabled(hasChosen && !m_opening.isRunning());
    m_stop->setEnabled(m_regions.isRunning() || !isIdle);
}

void PartitionDialog::chooseRow() {
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    const std::shared_ptr<const FoundRegions>& found = m_regions.found();
    if (rows.isEmpty() || !found) return m_regions.choose(std::nullopt);
    const auto region = static_cast<std::size_t>(rows.front().row());
    m_selection.setSubterm(found->regions[region].place);
    m_regions.choose(region);
}

void PartitionDialog::showChosen() {
    const std::optional<std::size_t> chosen = m_regions.chosen();
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    const int row = chosen ? static_cast<int>(*chosen) : -1;
    if ((rows.isEmpty() ? -1 : rows.front().row()) != row) {
        const QSignalBlocker blocker(m_table->selectionModel());
        if (row < 0)
            m_table->clearSelection();
        else
            m_table->selectRow(row);
        m_table->viewport()->update();
    }
    if (row >= 0) m_table->scrollTo(m_model->index(row, 0));
    m_scope->setItemText(FormScope, chosen ? tr("Form %1").arg(m_regions.found()->regions[*chosen].form)
                                           : tr("The form of the selected"));
    m_scope->setItemText(RegionScope, chosen ? tr("Region %1").arg(*chosen + 1) : tr("The selected region"));
    showActions();
}

std::vector<std::size_t> PartitionDialog::inQuestion() const {
    const std::shared_ptr<const FoundRegions>& found = m_regions.found();
    std::vector<std::size_t> regions;
    const std::optional<std::size_t> chosen = m_regions.chosen();
    if (!found || (m_scope->currentIndex() != AllScope && !chosen)) return regions;
    for (std::size_t i = 0; i < found->regions.size(); ++i) {
        const bool isMeant =
            m_scope->currentIndex() == AllScope || i == chosen ||
            (m_scope->currentIndex() == FormScope && found->regions[i].form == found->regions[*chosen].form);
        if (isMeant) regions.push_back(i);
    }
    return regions;
}

QString PartitionDialog::format() const { return m_format->currentData().toString(); }

}  // namespace mitos::views
