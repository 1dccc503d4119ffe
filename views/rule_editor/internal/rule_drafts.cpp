// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rule_editor/internal/rule_drafts.h"

#include "core/base/source_text.h"
#include "views/common/format.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <map>
#include <mutex>

namespace mitos::views {

namespace {

constexpr qint64 LargestDraft = 4 << 20;

QString draftFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/rule-drafts");
}

QString draftFile(const QString& set) {
    constexpr int Digits = 16;
    const QByteArray hash = QCryptographicHash::hash(set.toUtf8(), QCryptographicHash::Sha1).toHex().left(Digits);
    return draftFolder() + u'/' + QString::fromLatin1(hash) + QStringLiteral(".draft");
}

}  // namespace

/// Orders what threads write: the latest request for a set decides.
struct RuleDrafts::Files {
    std::mutex mutex;
    std::map<QString, std::uint64_t> requested;

    std::uint64_t request(const QString& set) {
        const std::lock_guard lock(mutex);
        return ++requested[set];
    }
    /// Writes the text, or removes the file if there is none, unless something else was requested since.
    Status perform(const QString& set, std::uint64_t number, const std::optional<QString>& text) {
        const std::lock_guard lock(mutex);
        if (requested[set] != number) return Success{};
        const QString file = draftFile(set);
        if (!text) {
            QFile::remove(file);
            return Success{};
        }
        QDir().mkpath(draftFolder());
        return writeFile(QFile::encodeName(file).toStdString(), (set + u'\n' + *text).toStdString());
    }
};

RuleDrafts::RuleDrafts() : m_files(std::make_shared<Files>()) {
    // Drafts are few and small: they are removed when their set is saved.
    const QStringList names = QDir(draftFolder()).entryList({QStringLiteral("*.draft")}, QDir::Files);
    for (const QString& name : names) {
        QFile file(draftFolder() + u'/' + name);
        if (file.size() > LargestDraft || !file.open(QIODevice::ReadOnly)) continue;
        const QString all = QString::fromUtf8(file.readAll());
        const qsizetype end = all.indexOf(u'\n');
        if (end > 0) m_texts.insert(all.left(end), all.mid(end + 1));
    }
}

RuleDrafts::~RuleDrafts() = default;

std::optional<QString> RuleDrafts::text(const QString& set) const {
    const auto found = m_texts.constFind(set);
    return found == m_texts.cend() ? std::nullopt : std::optional<QString>(*found);
}

std::function<Status()> RuleDrafts::keep(const QString& set, const QString& text) {
    m_texts.insert(set, text);
    return [files = m_files, set, text, number = m_files->request(set)] { return files->perform(set, number, text); };
}

std::function<Status()> RuleDrafts::drop(const QString& set) {
    m_texts.remove(set);
    return [files = m_files, set, number = m_files->request(set)] { return files->perform(set, number, std::nullopt); };
}

}  // namespace mitos::views
