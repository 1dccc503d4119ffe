// SPDX-License-Identifier: GPL-3.0-or-later
// The files of the perspective Compare: tables and reports.
#include "core/base/source_text.h"
#include "search/report/html_report.h"
#include "views/common/format.h"
#include "views/common/save_dialog.h"
#include "views/compare/compare_filter.h"
#include "views/compare/compare_model.h"
#include "views/compare/compare_view.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QFile>
#include <QSysInfo>
#include <QThread>
#include <algorithm>
#include <utility>

namespace mitos::views {

std::vector<ComparedRunId> CompareView::shownRuns() const {
    std::vector<ComparedRunId> runs;
    for (int row = 0; row < m_filter->rowCount(); ++row) {
        const QModelIndex group = m_filter->index(row, 0);
        for (int child = 0; child < m_filter->rowCount(group); ++child)
            runs.push_back(m_model->runAt(m_filter->mapToSource(m_filter->index(child, 0, group))));
    }
    return runs;
}

std::vector<CompareView::NamedRun> CompareView::namedRuns(bool areWhole) const {
    std::vector<NamedRun> runs;
    for (const ComparedRunId id : shownRuns()) {
        const Run* const run = areWhole ? m_model->wholeRun(id) : m_model->run(id);
        if (run == nullptr) continue;
        search::TableRun row = m_model->tableRun(id, *run);
        runs.push_back({std::move(row.program), *run, std::move(row.time), std::move(row.from)});
    }
    return runs;
}

std::function<std::string(search::TableFormat)> CompareView::tableWriter() const {
    return [runs = namedRuns(false), infos = m_model->strategies(),
            unit = m_document.costModel().info().unit](search::TableFormat format) {
        std::vector<search::TableRun> table;
        for (const NamedRun& one : runs) table.push_back(one.row());
        return search::writeTable(search::groupedRuns(table), format, unit, infos);
    };
}

void CompareView::copyTable(search::TableFormat format) {
    QApplication::clipboard()->setText(fromUtf8(tableWriter()(format)));
}

void CompareView::exportTable() {
    const SaveRequest request{.objectName = QStringLiteral("compareTableDialog"),
                              .title = tr("Save the Table of Runs"),
                              .kinds = {{tr("Every run, CSV"), QStringLiteral("csv")},
                                        {tr("Every run, JSON"), QStringLiteral("json")},
                                        {tr("Summary, Markdown"), QStringLiteral("md")},
                                        {tr("Summary, LaTeX"), QStringLiteral("tex")}}};
    askWhereToSave(this, request, [this](const QString& path) { saveTable(path); });
}

void CompareView::askForReport() {
    const SaveRequest request{.objectName = QStringLiteral("compareReportDialog"),
                              .title = tr("Save a Report"),
                              .kinds = {{tr("Page for a browser"), QStringLiteral("html")}}};
    askWhereToSave(this, request, [this](const QString& path) { saveReport(path); });
}

void CompareView::saveReport(const QString& path) {
    std::vector<NamedRun> runs = namedRuns(true);
    if (runs.empty()) return;
    const QString what =
        m_model->hasSeveralPrograms() ? tr("%L1 programs").arg(m_model->programs()) : m_document.title();
    const cost::CostModelInfo& model = m_document.costModel().info();
    search::ReportFacts facts{.title = tr("Searches of %1").arg(what).toStdString(),
                              .unit = model.unit,
                              .strategies = m_model->strategies(),
                              .environment = {},
                              .failures = {}};
    facts.environment = {
        {"Mitos", QCoreApplication::applicationVersion().toStdString()},
        {"Machine", tr("%1, %2 processors")
                        .arg(QSysInfo::prettyProductName() + QStringLiteral(", ") + QSysInfo::currentCpuArchitecture())
                        .arg(QThread::idealThreadCount())
                        .toStdString()},
        {"Rules", m_document.rules().names()},
        {"Cost model", model.name},
        {"Made", QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString()}};
    m_jobs.start(
        tr("Writing the report"), false, this,
        [runs = std::move(runs), facts = std::move(facts), rules = m_document.rules(),
         name = QFile::encodeName(path).toStdString()](const std::stop_token&, const JobRunner::Report&) {
            std::vector<search::TableRun> table;
            for (const NamedRun& one : runs) table.push_back(one.row());
            return writeFile(name, search::htmlReport(table, facts, rules));
        },
        [this, path](const Status& written) {
            if (!written)
                Q_EMIT failed(tr("The report could not be saved"), fromUtf8(written.error().render()));
            else
                Q_EMIT notice(tr("The report is in %1.").arg(path));
        });
}

void CompareView::saveTable(const QString& path) {
    const std::string name = QFile::encodeName(path).toStdString();
    const auto format = search::tableFormatOf(name);
    if (!format) {
        Q_EMIT failed(tr("The table was not saved"),
                      tr("The ending of the file's name tells what to write: .csv, .json, .md or .tex."));
        return;
    }
    m_jobs.start(
        tr("Saving the table"), false, this,
        [write = tableWriter(), format = *format, name](const std::stop_token&, const JobRunner::Report&) {
            return writeFile(name, write(format));
        },
        [this](const Status& written) {
            if (!written) Q_EMIT failed(tr("The table could not be saved"), fromUtf8(written.error().render()));
        });
}

}  // namespace mitos::views
