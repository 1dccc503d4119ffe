// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search_dialog/internal/model_page.h"

#include "search/learned/model_value.h"
#include "search/learned/training_file.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/search_dialog/internal/learning_chart.h"

#include <QDesktopServices>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QUrl>
#include <algorithm>
#include <array>
#include <utility>

namespace mitos::views {

ModelPage::ModelPage(Document& document, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_query(jobs),
      m_table(new QTableWidget(this)),
      m_about(new QLabel(this)),
      m_chart(new LearningChart(this)),
      m_reveal(new QPushButton(tr("Show in &Folder"), this)),
      m_delete(new QPushButton(tr("&Delete…"), this)),
      m_trainOn(new QPushButton(tr("Train O&n…"), this)),
      m_use(new QPushButton(tr("&Use in a Search…"), this)) {
    setUpWidget(m_table, "modelTable", {}, tr("Models"));
    m_table->setColumnCount(ColumnCount);
    m_table->setHorizontalHeaderLabels({tr("Model"), tr("Fits the program"), tr("For"), tr("Trained on"),
                                        tr("Training"), tr("Seed"), tr("Size"), tr("Improvement"), tr("Date")});
    m_table->setWordWrap(false);
    m_table->setShowGrid(false);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    setUpPlainLabel(m_about, "modelAbout");
    m_about->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_chart->setObjectName(QStringLiteral("modelCurves"));
    m_chart->setMeasure(LearningMeasure::Improvement, tr("less cost than without learning (%)"));
    auto* open = new QPushButton(tr("&Open a Model…"), this);
    open->setObjectName(QStringLiteral("modelOpen"));
    setUpWidget(m_reveal, "modelReveal", tr("Open the folder with the file"));
    setUpWidget(m_delete, "modelDelete", tr("Delete the file, and the state of its training"));
    m_trainOn->setObjectName(QStringLiteral("modelTrainOn"));
    setUpWidget(m_use, "modelUse", tr("Search the open program with this model"));
    fillColumn(this,
               {{m_table, 2}, m_about, {m_chart, 2}, rowOf({open, m_reveal, m_delete, stretch(), m_trainOn, m_use})});
    connect(m_table, &QTableWidget::currentCellChanged, this, &ModelPage::showModel);
    connect(open, &QPushButton::clicked, this, &ModelPage::open);
    connect(m_reveal, &QPushButton::clicked, this, &ModelPage::showInFolder);
    connect(m_delete, &QPushButton::clicked, this, &ModelPage::askToDelete);
    connect(m_use, &QPushButton::clicked, this, &ModelPage::useChosen);
    connect(m_trainOn, &QPushButton::clicked, this, [this] {
        if (const KnownModel* const model = chosen()) Q_EMIT trainOnRequested(*model);
    });
    for (const auto signal :
         {&Document::opened, &Document::closed, &Document::rulesChanged, &Document::costModelChanged})
        connect(&document, signal, this, &ModelPage::refresh);
    connect(&document, &Document::runEnded, this, [this](RunNumber number) {
        const Run* const run = m_document.run(number);
        if (run == nullptr || !search::isTraining(*run)) return;
        if (const auto trained = search::learned::ModelValue::from(run->outcome))
            m_wanted = QFile::decodeName(trained->path().c_str());
        refresh();
    });
    showModel();
    refresh();
}

QString ModelPage::idOf(const KnownModel& model) { return model.path.isEmpty() ? model.name : model.path; }

const KnownModel* ModelPage::chosen() const {
    const int row = m_table->currentRow();
    return row >= 0 && row < static_cast<int>(m_models.size()) ? &m_models[static_cast<std::size_t>(row)] : nullptr;
}

void ModelPage::refresh() {
    QList<KnownModelFile> files = knownModelFiles(m_document);
    files.removeIf(
        [this](const KnownModelFile& file) { return m_deleted.contains(file.path) && !QFileInfo::exists(file.path); });
    m_query.ask(
        tr("Reading models"),
        [files, use = ModelUse::of(m_document)](const std::stop_token& stop, const JobRunner::Report&) {
            return readModels(files, use, stop);
        },
        [this](std::vector<KnownModel> models) { take(std::move(models)); });
}

void ModelPage::take(std::vector<KnownModel> models) {
    const KnownModel* const before = chosen();
    const bool isWanted = std::ranges::find(models, m_wanted, idOf) != models.end();
    const QString id = isWanted ? m_wanted : before != nullptr ? idOf(*before) : QString();
    m_models = std::move(models);
    const auto found = std::ranges::find(m_models, id, idOf);
    {
        const QSignalBlocker blocker(m_table);
        m_table->setRowCount(static_cast<int>(m_models.size()));
        for (int row = 0; row < m_table->rowCount(); ++row) {
            const KnownModel& one = m_models[static_cast<std::size_t>(row)];
            std::array<QString, ColumnCount> cells;
            cells[NameColumn] = one.name;
            cells[FitsColumn] = one.fitText();
            cells[PurposeColumn] = one.purposeText();
            cells[SubjectsColumn] = one.subjectsText();
            cells[LengthColumn] = one.lengthText();
            cells[SeedColumn] = one.seedText();
            cells[SizeColumn] = one.sizeText();
            cells[ImprovementColumn] = one.improvementText();
            if (one.changedAt.isValid())
                cells[DateColumn] = QLocale().toString(one.changedAt.date(), QLocale::ShortFormat);
            for (int column = 0; column < ColumnCount; ++column) {
                auto* item = new QTableWidgetItem(cells[static_cast<std::size_t>(column)]);
                const bool isFile = column == NameColumn && !one.path.isEmpty();
                item->setToolTip(isFile ? one.path : item->text());
                m_table->setItem(row, column, item);
            }
        }
        m_table->horizontalHeader()->setStretchLastSection(false);  // it would keep the width that it has
        m_table->resizeColumnsToContents();
        constexpr int WidestText = 160;
        constexpr int Between = 8;
        for (int column = 0; column + 1 < ColumnCount; ++column)
            m_table->setColumnWidth(column, std::min(WidestText, m_table->columnWidth(column) + Between));
        m_table->horizontalHeader()->setStretchLastSection(true);
        const auto row = found == m_models.end() ? 0 : static_cast<int>(found - m_models.begin());
        if (m_table->rowCount() > 0) m_table->setCurrentCell(row, NameColumn);
    }
    showModel();
    if (!isWanted) return;
    m_wanted.clear();
    // Its kind was not known when it was opened.
    if (found->isReadable() && !found->path.isEmpty()) rememberModelFile({found->path, fromUtf8(found->kind())});
    if (std::exchange(m_usesWanted, false)) useChosen();
}

void ModelPage::showModel() {
    const KnownModel* const one = chosen();
    const bool isFile = one != nullptr && !one->path.isEmpty();
    m_reveal->setEnabled(isFile);
    m_delete->setEnabled(isFile);
    m_use->setEnabled(one != nullptr && one->isUsable());
    m_trainOn->setEnabled(isFile && one->isReadable() && one->canGoOn);
    m_trainOn->setToolTip(!isFile || one->canGoOn
                              ? tr("Go on with the training of this model")
                              : tr("The state of its training, a file beside it, is not there any more"));
    m_about->setText(one != nullptr ? one->details() : tr("No models yet: train one, or open a file."));
    if (one == nullptr || one->curve().empty())
        m_chart->show({});
    else
        m_chart->show({{one->name, one->curve(), 1}});
}

void ModelPage::addModel(const QString& path) {
    const QString whole = QFileInfo(path).absoluteFilePath();
    m_deleted.remove(whole);
    m_wanted = whole;
    rememberModelFile({whole, {}});
    refresh();
}

void ModelPage::use(const QString& path) {
    m_wanted = QFileInfo(path).absoluteFilePath();
    m_usesWanted = true;
    refresh();
}

void ModelPage::useChosen() {
    const KnownModel* const model = chosen();
    if (model != nullptr && model->isUsable()) Q_EMIT useRequested(*model);
}

void ModelPage::open() {
    auto* dialog = new QFileDialog(this, tr("Open a Model"));
    dialog->setObjectName(QStringLiteral("modelFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Models (*.model)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, &ModelPage::addModel);
    dialog->open();
}

void ModelPage::showInFolder() {
    if (const KnownModel* const model = chosen())
        QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(model->path).absolutePath()));
}

void ModelPage::askToDelete() {
    const KnownModel* const model = chosen();
    if (model == nullptr || model->path.isEmpty()) return;
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Delete a Model"),
                                model->canGoOn ? tr("Delete %1 and the state of its training?").arg(model->name)
                                               : tr("Delete %1?").arg(model->name),
                                QMessageBox::Cancel, this);
    box->setObjectName(QStringLiteral("modelDeleteDialog"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("%1 is deleted. The curve of the training stays in its session.").arg(model->path));
    auto* really = box->addButton(tr("Delete"), QMessageBox::DestructiveRole);
    really->setObjectName(QStringLiteral("modelDeleteReally"));
    box->setDefaultButton(QMessageBox::Cancel);
    connect(really, &QPushButton::clicked, this, [this, path = model->path] { deleteFiles(path); });
    box->open();
}

void ModelPage::deleteFiles(const QString& path) {
    QFile model(path);
    if (model.exists() && !model.remove()) {
        m_about->setText(tr("⚠ %1 cannot be deleted: %2").arg(path, model.errorString()));
        return;
    }
    const std::string state = search::learned::trainingPath(QFile::encodeName(path).toStdString());
    QFile::remove(QFile::decodeName(state.c_str()));
    m_deleted.insert(path);
    forgetModelFile(path);
    refresh();
}

}  // namespace mitos::views
