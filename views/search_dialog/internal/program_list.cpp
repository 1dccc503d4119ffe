// SPDX-License-Identifier: GPL-3.0-or-later
// See program_list.h.
#include "views/search_dialog/internal/program_list.h"

#include "core/dialects/dialects.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/document/samples.h"
#include "views/document/session_names.h"

#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace mitos::views {

ProgramList::ProgramList(const Document& document, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_jobs(jobs),
      m_list(new QListWidget(this)),
      m_file(new QPushButton(tr("Add &File…"), this)),
      m_sample(new QToolButton(this)),
      m_functionTitle(new QLabel(tr("F&unction"), this)),
      m_function(new QComboBox(this)),
      m_problem(new QLabel(this)) {
    setUpWidget(m_list, "comparePrograms", tr("The searches run on each program with a check mark"), tr("Programs"));
    setUpWidget(m_file, "compareAddFile", tr("Compare a ks program or a model, too"));
    setUpWidget(m_sample, "compareAddSample", tr("Compare a program that comes with Mitos, too"));
    m_sample->setText(tr("Add &Sample"));
    m_sample->setPopupMode(QToolButton::InstantPopup);
    m_sample->setMenu(new QMenu(m_sample));
    m_sample->setEnabled(false);
    setUpWidget(m_function, "compareFunction", tr("The function of the file that is searched"), tr("Function"));
    m_function->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_functionTitle->setBuddy(m_function);
    setUpPlainLabel(m_problem, "compareProgramProblem");
    fillColumn(this, {{m_list, 1}, rowOf({m_file, m_sample}), rowOf({m_functionTitle, {m_function, 1}}), m_problem},
               {.margins = NoMargins});
    auto* open = new QListWidgetItem(programName(document.title()), m_list);
    open->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    open->setCheckState(Qt::Checked);
    open->setToolTip(tr("The open program, from its current state"));
    m_entries.push_back({});
    connect(m_list, &QListWidget::currentRowChanged, this, &ProgramList::showSelected);
    connect(m_list, &QListWidget::itemChanged, this, &ProgramList::changed);
    connect(m_file, &QPushButton::clicked, this, &ProgramList::askForFiles);
    connect(m_function, &QComboBox::activated, this, &ProgramList::chooseFunction);
    showSelected();
    fillSamples();
}

bool ProgramList::isListed(const ProgramChoice& choice) const {
    return std::ranges::find(m_entries, choice, &Entry::choice) != m_entries.end();
}

void ProgramList::add(const ProgramCandidate& candidate) {
    if (!isListed(candidate.choice)) insert({candidate.name, candidate.choice, {}}, candidate.isChosen);
}

void ProgramList::insert(Entry entry, bool isChosen) {
    auto* item = new QListWidgetItem(entry.name);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(isChosen ? Qt::Checked : Qt::Unchecked);
    item->setToolTip(entry.choice.path);
    m_entries.push_back(std::move(entry));
    m_list->addItem(item);
    if (isChosen) m_list->setCurrentItem(item);
    Q_EMIT changed();
}

void ProgramList::addFile(const QString& path) {
    m_jobs.start(
        tr("Reading %1").arg(QFileInfo(path).fileName()), false, this,
        [name = QFile::encodeName(path).toStdString()](const std::stop_token&, const JobRunner::Report&) {
            return storage::functionsIn(name, dialects::makeRegistry());
        },
        [this, path](const Result<std::vector<std::string>>& functions) { take(path, functions); });
}

/// Lists the file with its last function, or with one that is not listed yet.
void ProgramList::take(const QString& path, const Result<std::vector<std::string>>& functions) {
    m_problem->clear();
    m_problem->setToolTip({});
    if (!functions) {
        const QString problem = fromUtf8(functions.error().oneLine());
        m_problem->setText(tr("⚠ %1").arg(QString(problem).replace(path, QFileInfo(path).fileName())));
        m_problem->setToolTip(problem);
        return;
    }
    Entry entry{QFileInfo(path).completeBaseName(), {path, {}}, {}};
    for (const std::string& name : *functions) entry.functions << fromUtf8(name);
    entry.functions.removeDuplicates();
    std::reverse(entry.functions.begin(), entry.functions.end());
    if (entry.functions.size() < 2) entry.functions.clear();
    for (const QString& name : std::as_const(entry.functions)) {
        entry.choice.function = name;
        if (!isListed(entry.choice)) break;
    }
    if (isListed(entry.choice)) {
        m_problem->setText(tr("%1 is listed already.").arg(entry.name));
        return;
    }
    if (!entry.choice.function.isEmpty()) entry.name += QStringLiteral(" · ") + entry.choice.function;
    insert(std::move(entry), true);
}

std::vector<ProgramChoice> ProgramList::choices() const {
    std::vector<ProgramChoice> chosen;
    for (int row = 1; row < m_list->count(); ++row) {
        if (m_list->item(row)->checkState() == Qt::Checked)
            chosen.push_back(m_entries[static_cast<std::size_t>(row)].choice);
    }
    return chosen;
}

void ProgramList::askForFiles() {
    auto* dialog = new QFileDialog(this, tr("Compare Other Programs"));
    dialog->setObjectName(QStringLiteral("compareFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters({tr("Programs and models (*.ks *.onnx *.onnxtxt *.txt)"), tr("All files (*)")});
    if (!m_document.sourcePath().isEmpty()) dialog->setDirectory(QFileInfo(m_document.sourcePath()).absolutePath());
    connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& paths) {
        for (const QString& path : paths) addFile(path);
    });
    dialog->open();
}

void ProgramList::fillSamples() {
    m_jobs.start(
        tr("Reading samples"), false, this,
        [folder = sampleFolder()](const std::stop_token&, const JobRunner::Report&) { return readSamples(folder); },
        [this, isNetwork = m_document.dialect().sharesNodes()](const QList<Sample>& samples) {
            QMenu* group = nullptr;
            for (const Sample& sample : samples) {
                // A comparison is of ks programs or of networks.
                if (isSession(sample.path) || isTaskGraph(sample.path) || isListing(sample.path) != isNetwork) continue;
                if (group == nullptr || group->title() != groupTitle(sample))
                    group = m_sample->menu()->addMenu(groupTitle(sample));
                group->addAction(sample.name, this, [this, path = sample.path] { addFile(path); })
                    ->setToolTip(sample.title);
                group->setToolTipsVisible(true);
            }
            m_sample->setEnabled(group != nullptr);
        });
}

void ProgramList::showSelected() {
    const int row = m_list->currentRow();
    const QStringList functions = row < 0 ? QStringList() : m_entries[static_cast<std::size_t>(row)].functions;
    m_function->clear();
    m_function->addItems(functions);
    if (!functions.isEmpty()) m_function->setCurrentText(m_entries[static_cast<std::size_t>(row)].choice.function);
    m_function->setEnabled(!functions.isEmpty());
    m_functionTitle->setEnabled(!functions.isEmpty());
}

void ProgramList::chooseFunction() {
    const int row = m_list->currentRow();
    if (row < 1) return;
    Entry& entry = m_entries[static_cast<std::size_t>(row)];
    const ProgramChoice choice{entry.choice.path, m_function->currentText()};
    if (choice == entry.choice) return;
    if (isListed(choice)) {
        m_problem->setText(tr("%1 is listed already.").arg(choice.function));
        m_function->setCurrentText(entry.choice.function);
        return;
    }
    entry.choice = choice;
    entry.name = QStringLiteral("%1 · %2").arg(QFileInfo(choice.path).completeBaseName(), choice.function);
    m_list->item(row)->setText(entry.name);
    m_problem->clear();
    Q_EMIT changed();
}

}  // namespace mitos::views
