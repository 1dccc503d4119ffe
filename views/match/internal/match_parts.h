// SPDX-License-Identifier: GPL-3.0-or-later
// A rule's left side beside the terms that it was matched against, part by part.
#pragma once

#include <QTreeWidget>
#include <vector>

namespace mitos::rules {
struct MatchPart;
}

namespace mitos::views {

class MatchParts : public QTreeWidget {
    Q_OBJECT
public:
    explicit MatchParts(QWidget* parent = nullptr);

    /// Shows the parts with their marks: a tick, a cross with the reason, or a dash for parts that were not reached.
    void setParts(const std::vector<rules::MatchPart>& parts, const QString& reason);

private:
    void updateLook();
};

/// Text with code between backquotes as HTML, in which the code has the font of programs.
[[nodiscard]] QString codeMarkup(const QString& text);

}  // namespace mitos::views
