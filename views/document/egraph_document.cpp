// SPDX-License-Identifier: GPL-3.0-or-later
// Reads files in a job; the old e-graph stays until the new one is there.
#include "views/document/egraph_document.h"

#include "core/egraph/json.h"
#include "views/common/format.h"

#include <QFile>
#include <QFileInfo>
#include <utility>

namespace mitos::views {

namespace {

Result<egraph::LoadedSnapshot> readFile(const std::string& path) {
    auto source = readSourceFile(path);
    if (!source) return source.error();
    return egraph::readJson(*source);
}

}  // namespace

EGraphDocument::EGraphDocument(JobRunner& jobs, QObject* parent) : QObject(parent), m_jobs(jobs) {}

EGraphDocument::~EGraphDocument() {
    if (m_opening != 0) m_jobs.discard(m_opening);
}

bool EGraphDocument::isEGraphFile(const QString& path) {
    return QFileInfo(path).suffix().compare(QLatin1String("json"), Qt::CaseInsensitive) == 0;
}

void EGraphDocument::openFile(const QString& path) {
    if (m_opening != 0) m_jobs.discard(m_opening);
    const QString name = QFileInfo(path).fileName();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    m_opening = m_jobs.start(
        tr("Opening %1").arg(name), false, this,
        [file = QFile::encodeName(absolute).toStdString()](const std::stop_token&, const JobRunner::Report&) {
            return readFile(file);
        },
        [this, name, absolute](Result<egraph::LoadedSnapshot> loaded) {
            m_opening = 0;
            if (!loaded) {
                Q_EMIT failed(tr("Could not open %1").arg(name), fromUtf8(loaded.error().render()));
                return;
            }
            m_title = name;
            m_source = absolute;
            m_steps = {{0, std::make_shared<const egraph::Snapshot>(std::move(loaded->snapshot))}};
            m_shown = 0;
            Q_EMIT opened();
            Q_EMIT snapshotChanged();
            for (const std::string& warning : loaded->warnings) Q_EMIT notice(fromUtf8(warning));
        });
}

std::shared_ptr<const egraph::Snapshot> EGraphDocument::snapshot() const {
    return isOpen() ? m_steps[m_shown].snapshot : nullptr;
}

}  // namespace mitos::views
