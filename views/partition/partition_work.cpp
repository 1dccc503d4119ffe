// SPDX-License-Identifier: GPL-3.0-or-later
// Work with regions on other threads: writing them, and printing one as a program.
#include "core/dialects/dialects.h"
#include "core/partition/region_program.h"
#include "storage/workspace/region_files.h"
#include "storage/workspace/region_list.h"
#include "views/common/format.h"
#include "views/common/save_dialog.h"
#include "views/partition/partition_dialog.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>

namespace mitos::views {

namespace {

/// The files that were written, and why others were not.
struct WrittenRegions {
    std::vector<storage::RegionFile> files;
    std::size_t asked = 0;
    bool isStopped = false;
};

/// The regions that are written, and the list of all.
struct Export {
    std::shared_ptr<const FoundRegions> found;
    std::vector<std::size_t> regions;  ///< their indexes
    std::shared_ptr<const cost::CostModel> model;
};

Result<WrittenRegions> write(const Snapshot& snapshot, const Export& what, const storage::RegionFiles& files,
                             const std::stop_token& stop, const JobRunner::Report& report) {
    RegionCopies copies = copyOf(snapshot, *what.found);
    ir::TermBank& bank = *copies.copy.bank;
    const ir::Program& whole = copies.copy.program;
    MITOS_REQUIRE(storage::requireExport(files, bank.dialect(whole.function)));
    storage::removeRegionList(files.folder);
    WrittenRegions written{.files = {}, .asked = what.regions.size(), .isStopped = false};
    for (std::size_t i = 0; i < what.regions.size(); ++i) {
        if (stop.stop_requested()) {
            written.isStopped = true;
            return written;
        }
        report(static_cast<double>(i) / static_cast<double>(what.regions.size()), {});
        const std::size_t region = what.regions[i];
        const auto program = partition::programOf(bank, whole, copies.regions[region]);
        written.files.push_back(program ? storage::writeRegion(files, region + 1, bank, *program)
                                        : storage::RegionFile{region + 1, {}, program.error()});
    }
    const FoundRegions& found = *what.found;
    const storage::RegionList list{.pattern = found.pattern.toStdString(),
                                   .patterns = found.set.toStdString(),
                                   .costModel = what.model->info().name,
                                   .cost = found.cost,
                                   .regions = storage::listedRegions(bank, whole, copies.regions, *what.model, stop),
                                   .refused = copies.refused,
                                   .unfinished = found.unfinished,
                                   .isStopped = found.isStopped};
    MITOS_REQUIRE(storage::writeRegionList(files.folder, bank, list, written.files));
    return written;
}

JobOutcome outcomeOf(const QString& folder, const Result<WrittenRegions>& written) {
    if (!written) return {JobInfo::State::Failed, PartitionDialog::tr("✗ %1").arg(fromUtf8(written.error().render()))};
    QStringList problems;
    std::size_t fine = 0;
    for (const storage::RegionFile& file : written->files) {
        fine += file.isFine() ? 1 : 0;
        if (file.error) problems << fromUtf8(file.error->oneLine());
        for (const std::string& finding : file.findings)
            problems << PartitionDialog::tr("%1: %2").arg(QFileInfo(QFile::decodeName(file.path.c_str())).fileName(),
                                                          fromUtf8(finding));
    }
    const QString count =
        PartitionDialog::tr("%1 of %2 regions written to %3").arg(countText(fine), countText(written->asked), folder);
    if (!problems.isEmpty())
        return {JobInfo::State::Failed, PartitionDialog::tr("✗ %1. %2").arg(count, problems.join(QLatin1Char('\n')))};
    if (written->isStopped) return {JobInfo::State::Stopped, PartitionDialog::tr("Stopped by you: %1.").arg(count)};
    return {JobInfo::State::Finished, PartitionDialog::tr("✓ %1.").arg(count)};
}

}  // namespace

void PartitionDialog::say(const Error& error) { m_status->setText(tr("✗ %1").arg(fromUtf8(error.render()))); }

void PartitionDialog::askForFolder() {
    if (const Status possible = storage::requireForm(format().toStdString(), m_document.dialect()); !possible)
        return say(possible.error());
    auto* dialog = new QFileDialog(this, tr("Export Regions to a Folder"), lastFolder());
    dialog->setObjectName(QStringLiteral("partitionFolderDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, &PartitionDialog::exportTo);
    dialog->open();
}

void PartitionDialog::exportTo(const QString& folder) {
    const std::shared_ptr<const FoundRegions>& found = m_regions.found();
    if (!found) return;
    if (const Status possible = storage::requireForm(format().toStdString(), m_document.dialect()); !possible)
        return say(possible.error());
    m_status->setText(tr("Writing regions…"));
    m_writing.askInJobsView(
        tr("Exporting regions of %1").arg(m_document.title()),
        [snapshot = m_document.snapshot(found->program),
         what = Export{found, inQuestion(), m_document.sharedCostModel()}, model = m_document.model(),
         format = format().toStdString(), folder = QFile::encodeName(folder).toStdString()](
            const std::stop_token& stop, const JobRunner::Report& report) {
            const storage::RegionFiles files{format, folder, model ? &model->model : nullptr};
            return write(snapshot, what, files, stop, report);
        },
        [folder](const Result<WrittenRegions>& written) { return outcomeOf(folder, written); },
        [this, folder](const Result<WrittenRegions>& written) {
            m_status->setText(outcomeOf(folder, written).status);
            showActions();
        });
    showActions();
}

void PartitionDialog::openChosen() {
    const std::shared_ptr<const FoundRegions>& found = m_regions.found();
    if (!found || !m_regions.chosen()) return;
    const ShownRegion& region = found->regions[*m_regions.chosen()];
    m_opening.ask(
        tr("Making a program of a region"),
        [snapshot = m_document.snapshot(found->program), found, chosen = *m_regions.chosen()](
            const std::stop_token&, const JobRunner::Report&) -> Result<std::string> {
            RegionCopies copies = copyOf(snapshot, *found);
            MITOS_TRY(const partition::RegionProgram program,
                      partition::programOf(*copies.copy.bank, copies.copy.program, copies.regions[chosen]));
            return dialects::printProgram(*copies.copy.bank, program.program());
        },
        [this, title = tr("%1 of %2").arg(region.name, m_document.title())](const Result<std::string>& text) {
            if (!text) return say(text.error());
            Q_EMIT openRequested(title, fromUtf8(*text));
        });
}

}  // namespace mitos::views
