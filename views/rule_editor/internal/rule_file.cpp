// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rule_editor/internal/rule_file.h"

#include "core/base/source_text.h"
#include "core/rules/rule.h"
#include "core/rules/rule_sets.h"
#include "core/rules/tensat/tensat.h"
#include "views/common/format.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTimer>
#include <utility>

namespace mitos::views {

namespace {

constexpr int SettleMs = 100;  // editors write a file in several steps

/// The text as Qt's editor keeps it, so that texts can be compared.
QString editorText(std::string_view text) {
    return fromUtf8(text).replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
}

}  // namespace

RuleFile::RuleFile(JobRunner& jobs, QObject* parent)
    : QObject(parent),
      m_jobs(jobs),
      m_asked(std::make_unique<QObject>()) {
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this,
            [this] { QTimer::singleShot(SettleMs, m_asked.get(), [this] { look(); }); });
}

bool RuleFile::isReadOnly(const QString& name) {
    const std::string set = name.toStdString();
    return rules::isShipped(set) || rules::tensat::fileOf(set).has_value();
}

bool RuleFile::isReadOnly() const { return isReadOnly(m_name); }

void RuleFile::open(const QString& name) {
    m_asked = std::make_unique<QObject>();
    m_jobs.start(
        tr("Reading rules"), false, m_asked.get(),
        [set = name.toStdString()](const std::stop_token&, const JobRunner::Report&) {
            return rules::ruleSetText(set);
        },
        [this, name](const Result<SourceText>& read) {
            if (!read) {
                Q_EMIT failed(tr("Could not read %1").arg(QFileInfo(name).fileName()), fromUtf8(read.error().render()));
                return;
            }
            m_name = name;
            m_savedText = editorText(read->text());
            watch();
            Q_EMIT opened();
        });
}

void RuleFile::close() {
    m_asked = std::make_unique<QObject>();
    m_name.clear();
    m_savedText.clear();
    watch();
}

void RuleFile::watch() {
    if (!m_watcher.files().isEmpty()) m_watcher.removePaths(m_watcher.files());
    if (isOpen() && !isReadOnly() && QFile::exists(m_name)) m_watcher.addPath(m_name);
}

void RuleFile::save(const QString& text) {
    m_jobs.start(
        tr("Saving rules"), false, m_asked.get(),
        [path = m_name.toStdString(), bytes = text.toStdString()](const std::stop_token&, const JobRunner::Report&) {
            return writeFile(path, bytes);
        },
        [this, text](const Status& written) {
            if (!written) {
                Q_EMIT failed(tr("%1 could not be saved").arg(QFileInfo(m_name).fileName()),
                              fromUtf8(written.error().render()));
                return;
            }
            m_savedText = text;
            watch();  // the file was replaced by another one
            Q_EMIT saved();
        });
}

void RuleFile::writeNew(const QString& path, const QString& text) {
    m_jobs.start(
        tr("Writing rules"), false, this,
        [path, bytes = text.toStdString()](const std::stop_token&, const JobRunner::Report&) {
            QDir().mkpath(QFileInfo(path).absolutePath());
            return writeFile(path.toStdString(), bytes);
        },
        [this, path](const Status& done) {
            if (done)
                Q_EMIT written(path);
            else
                Q_EMIT failed(tr("%1 could not be written").arg(QFileInfo(path).fileName()),
                              fromUtf8(done.error().render()));
        });
}

void RuleFile::look() {
    m_jobs.start(
        tr("Reading rules"), false, m_asked.get(),
        [set = m_name.toStdString()](const std::stop_token&, const JobRunner::Report&) {
            return rules::ruleSetText(set);
        },
        [this](const Result<SourceText>& read) {
            watch();
            if (!read) return;  // it was removed or is being replaced; saving writes it again
            const QString text = editorText(read->text());
            if (std::exchange(m_savedText, text) != text) Q_EMIT changedOnDisk();
        });
}

}  // namespace mitos::views
