// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of rule sets that are typed but not saved. Each is kept in a file of the application's data, so that it is there again after
// a restart or a crash.
#pragma once

#include "core/base/result.h"

#include <QHash>
#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <optional>

namespace mitos::views {

class RuleDrafts {
public:
    /// Reads which drafts there are in <application data>/rule-drafts.
    RuleDrafts();
    ~RuleDrafts();
    RuleDrafts(const RuleDrafts&) = delete;
    RuleDrafts& operator=(const RuleDrafts&) = delete;

    /// The sets with a draft.
    [[nodiscard]] QStringList sets() const { return m_texts.keys(); }
    [[nodiscard]] bool has(const QString& set) const { return m_texts.contains(set); }
    [[nodiscard]] std::optional<QString> text(const QString& set) const;
    /// Keeps the text and returns the work that writes it, for any thread. Texts of one set that are written late never replace newer ones.
    [[nodiscard]] std::function<Status()> keep(const QString& set, const QString& text);
    /// Forgets the draft, because the text was saved or is not wanted; returns the work that removes its file.
    [[nodiscard]] std::function<Status()> drop(const QString& set);

private:
    struct Files;
    std::shared_ptr<Files> m_files;
    QHash<QString, QString> m_texts;
};

}  // namespace mitos::views
