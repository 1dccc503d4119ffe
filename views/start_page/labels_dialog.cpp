// SPDX-License-Identifier: GPL-3.0-or-later
// See labels_dialog.h.
#include "views/start_page/labels_dialog.h"

#include "views/common/format.h"
#include "views/common/widgets.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <algorithm>

namespace mitos::views {

namespace {
constexpr QSize UsualSize(480, 340);
constexpr int LongestName = 200;
}  // namespace

LabelsDialog::LabelsDialog(const QString& program, const storage::SessionLabels& labels, QWidget* parent)
    : QDialog(parent),
      m_name(new QLineEdit(fromUtf8(labels.name))),
      m_tags(new QLineEdit),
      m_note(new QPlainTextEdit(fromUtf8(labels.note))) {
    setObjectName(QStringLiteral("labelsDialog"));
    setWindowTitle(tr("About This Session"));
    setUpWidget(m_name, "sessionName", tr("Shown instead of the program and the time"), tr("Name"));
    m_name->setPlaceholderText(tr("%1, and when it was begun").arg(program));
    m_name->setMaxLength(LongestName);
    QStringList tags;
    for (const std::string& tag : labels.tags) tags << fromUtf8(tag);
    setUpWidget(m_tags, "sessionTags", tr("Words, with spaces between them"), tr("Tags"));
    m_tags->setText(tags.join(QLatin1Char(' ')));
    m_tags->setPlaceholderText(tr("paper draft"));
    setUpWidget(m_note, "sessionNote", {}, tr("Note"));
    m_note->setTabChangesFocus(true);
    auto* form = new QFormLayout;
    form->addRow(tr("Name"), m_name);
    form->addRow(tr("Tags"), m_tags);
    form->addRow(tr("Note"), m_note);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    fillColumn(this, {{form, 1}, buttons});
    resize(UsualSize);
}

storage::SessionLabels LabelsDialog::labels() const {
    storage::SessionLabels labels{.name = m_name->text().trimmed().toStdString(),
                                  .note = m_note->toPlainText().trimmed().toStdString(),
                                  .tags = {}};
    static const QRegularExpression between(QStringLiteral("[\\s,;#]+"));
    for (const QString& word : m_tags->text().split(between, Qt::SkipEmptyParts)) {
        const std::string tag = word.toStdString();
        if (std::ranges::find(labels.tags, tag) == labels.tags.end()) labels.tags.push_back(tag);
    }
    return labels;
}

}  // namespace mitos::views
