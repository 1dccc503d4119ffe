// SPDX-License-Identifier: GPL-3.0-or-later
// Two pages: general settings, and shortcuts.
#include "views/preferences/preferences_dialog.h"

#include "core/cost/cost_model.h"
#include "core/rules/rule.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/document/choices.h"
#include "views/preferences/preferences.h"
#include "views/preferences/python_field.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTreeWidget>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

QString nameOf(const QAction& action) {
    QString text = action.text();
    return text.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
}

QString keysOf(const QAction& action) {
    QStringList keys;
    for (const QKeySequence& key : action.shortcuts()) keys << key.toString(QKeySequence::NativeText);
    return keys.join(QStringLiteral(", "));
}

}  // namespace

ShortcutsPage::ShortcutsPage(QList<QAction*> actions, QWidget* parent)
    : QWidget(parent),
      m_actions(std::move(actions)),
      m_table(new QTreeWidget(this)),
      m_keys(new QKeySequenceEdit(this)),
      m_assign(new QPushButton(tr("&Assign"), this)),
      m_reset(new QPushButton(tr("&Usual Keys"), this)),
      m_status(new QLabel(this)) {
    setObjectName(QStringLiteral("shortcutsPage"));
    m_table->setObjectName(QStringLiteral("shortcutsTable"));
    m_table->setColumnCount(2);
    m_table->setHeaderLabels({tr("Action"), tr("Keys")});
    m_table->setRootIsDecorated(false);
    m_table->setAlternatingRowColors(true);
    m_keys->setObjectName(QStringLiteral("shortcutsKeys"));
    m_assign->setObjectName(QStringLiteral("shortcutsAssign"));
    m_reset->setObjectName(QStringLiteral("shortcutsReset"));
    m_assign->setAutoDefault(false);
    m_reset->setAutoDefault(false);
    m_status->setObjectName(QStringLiteral("shortcutsStatus"));
    m_status->setWordWrap(true);
    auto* row = rowOf({{m_keys, 1}, m_assign, m_reset});
    fillColumn(this, {{m_table, 1}, row, m_status});
    fill();
    m_table->resizeColumnToContents(0);
    connect(m_table, &QTreeWidget::currentItemChanged, this, &ShortcutsPage::showRow);
    connect(m_assign, &QPushButton::clicked, this, &ShortcutsPage::assign);
    connect(m_reset, &QPushButton::clicked, this, &ShortcutsPage::reset);
    showRow();
}

void ShortcutsPage::fill() {
    if (m_table->topLevelItemCount() == 0) {
        for (const QAction* action : m_actions) new QTreeWidgetItem(m_table, {nameOf(*action), {}});
    }
    for (int i = 0; i < m_table->topLevelItemCount(); ++i) m_table->topLevelItem(i)->setText(1, keysOf(*m_actions[i]));
}

void ShortcutsPage::choose(const QString& action) {
    const auto found = std::ranges::find(m_actions, action, [](const QAction* each) { return each->objectName(); });
    if (found == m_actions.end()) return;
    m_table->setCurrentItem(m_table->topLevelItem(static_cast<int>(found - m_actions.begin())));
    m_keys->setFocus();
}

QAction* ShortcutsPage::current() const {
    const int row = m_table->indexOfTopLevelItem(m_table->currentItem());
    return row < 0 ? nullptr : m_actions[row];
}

void ShortcutsPage::showRow() {
    const QAction* action = current();
    for (QWidget* widget : std::initializer_list<QWidget*>{m_keys, m_assign, m_reset}) {
        widget->setEnabled(action != nullptr);
    }
    m_status->setText(action == nullptr ? tr("Choose an action, press its new keys, then Assign.") : QString());
    m_keys->setKeySequence(action == nullptr ? QKeySequence() : action->shortcut());
}

void ShortcutsPage::assign() {
    QAction* action = current();
    if (action == nullptr) return;
    const QKeySequence keys = m_keys->keySequence();
    if (isTaken(keys)) return;
    storeShortcut(*action, &keys);
    m_status->clear();
    fill();
}

void ShortcutsPage::reset() {
    QAction* action = current();
    if (action == nullptr) return;
    const QList<QKeySequence> usual = usualShortcuts(*action);
    if (std::ranges::any_of(usual, [this](const QKeySequence& keys) { return isTaken(keys); })) return;
    storeShortcut(*action, nullptr);
    showRow();
    fill();
}

bool ShortcutsPage::isTaken(const QKeySequence& keys) {
    for (const QAction* other : m_actions) {
        if (other == current() || keys.isEmpty() || !other->shortcuts().contains(keys)) continue;
        m_status->setText(tr("✗ %1 belongs to “%2”; give that other keys first.")
                              .arg(keys.toString(QKeySequence::NativeText), nameOf(*other)));
        return true;
    }
    return false;
}

PreferencesDialog::PreferencesDialog(const Preferences& preferences, const QList<QAction*>& actions, JobRunner& jobs,
                                     QWidget* parent)
    : QDialog(parent),
      m_before(preferences),
      m_tabs(new QTabWidget(this)),
      m_shortcuts(new ShortcutsPage(actions, this)),
      m_appearance(new QComboBox(this)),
      m_pointSize(new QSpinBox(this)),
      m_reopen(new QCheckBox(tr("&Open the last session again at start"), this)),
      m_motion(new QCheckBox(tr("Reduce &motion: layouts change at once"), this)),
      m_costModel(new QComboBox(this)),
      m_rules(new QComboBox(this)),
      m_seconds(new QDoubleSpinBox(this)),
      m_python(new PythonField(jobs, preferences.python, this)) {
    setObjectName(QStringLiteral("preferencesDialog"));
    setWindowTitle(tr("Preferences"));
    m_appearance->setObjectName(QStringLiteral("preferenceAppearance"));
    m_appearance->addItems({tr("As the system"), tr("Light"), tr("Dark")});
    m_appearance->setCurrentIndex(static_cast<int>(preferences.appearance));
    m_pointSize->setObjectName(QStringLiteral("preferencePointSize"));
    m_pointSize->setRange(5, Preferences::LargestPointSize);
    m_pointSize->setSpecialValueText(tr("As the system"));
    m_pointSize->setSuffix(tr(" pt"));
    m_pointSize->setValue(preferences.pointSize);
    m_reopen->setObjectName(QStringLiteral("preferenceReopen"));
    m_reopen->setChecked(preferences.reopenSession);
    m_motion->setObjectName(QStringLiteral("preferenceMotion"));
    m_motion->setChecked(preferences.reducedMotion);
    m_costModel->setObjectName(QStringLiteral("preferenceCostModel"));
    m_costModel->addItem(tr("As it was last"), QString());
    for (const CostModelChoice& choice : costModelChoices(nullptr, preferences.costModel)) {
        m_costModel->addItem(tr("%1: %2").arg(choice.name, choice.title), choice.name);
    }
    m_costModel->setCurrentIndex(std::max(0, m_costModel->findData(preferences.costModel)));
    m_rules->setObjectName(QStringLiteral("preferenceRules"));
    m_rules->setEditable(true);
    m_rules->addItem(QString());
    QStringList all;
    for (const std::string& name : rules::shippedRuleSets()) {
        m_rules->addItem(fromUtf8(name));
        all << fromUtf8(name);
    }
    m_rules->setCurrentText(preferences.rules);
    m_rules->lineEdit()->setPlaceholderText(tr("As it was last"));
    m_rules->setToolTip(tr("Names of sets or files, with commas between them: %1").arg(all.join(QLatin1Char(','))));
    m_seconds->setObjectName(QStringLiteral("preferenceSeconds"));
    m_seconds->setRange(0.0, Preferences::LongestSeconds);
    m_seconds->setDecimals(1);
    m_seconds->setSuffix(tr(" s"));
    m_seconds->setSpecialValueText(tr("As it was last"));
    m_seconds->setValue(preferences.seconds);

    auto* general = new QWidget(this);
    auto* form = new QFormLayout(general);
    form->addRow(tr("&Appearance"), m_appearance);
    form->addRow(tr("&Size of texts"), m_pointSize);
    form->addRow(QString(), m_motion);
    form->addRow(QString(), m_reopen);
    form->addRow(tr("&Cost model at start"), m_costModel);
    form->addRow(tr("&Rules at start"), m_rules);
    form->addRow(tr("&Budget at start"), m_seconds);
    form->addRow(tr("&Python with ONNX Runtime"), m_python);
    setUpWidget(m_tabs, "preferencePages", {}, tr("Pages of preferences"));
    m_tabs->addTab(general, tr("General"));
    m_tabs->addTab(m_shortcuts, tr("Keyboard"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    fillColumn(this, {{m_tabs, 1}, buttons});
    resize(560, 460);
}

void PreferencesDialog::showShortcut(const QString& action) {
    m_tabs->setCurrentWidget(m_shortcuts);
    m_shortcuts->choose(action);
}

Preferences PreferencesDialog::preferences() const {
    Preferences chosen = m_before;
    chosen.appearance = static_cast<Appearance>(m_appearance->currentIndex());
    chosen.pointSize = m_pointSize->value() == m_pointSize->minimum() ? 0 : m_pointSize->value();
    chosen.reopenSession = m_reopen->isChecked();
    chosen.reducedMotion = m_motion->isChecked();
    chosen.costModel = m_costModel->currentData().toString();
    chosen.rules = m_rules->currentText().trimmed();
    chosen.seconds = m_seconds->value();
    chosen.python = m_python->python();
    return chosen;
}

}  // namespace mitos::views
