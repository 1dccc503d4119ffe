// SPDX-License-Identifier: GPL-3.0-or-later
// Two pages: general settings, and shortcuts.
#include "views/preferences/preferences_dialog.h"

#include "core/cost/cost_model.h"
#include "core/rules/rule.h"
#include "views/common/format.h"
#include "views/preferences/shortcuts_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace mitos::views {

PreferencesDialog::PreferencesDialog(const Preferences& preferences, const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent),
      m_appearance(new QComboBox(this)),
      m_pointSize(new QSpinBox(this)),
      m_reopen(new QCheckBox(tr("&Open the last session again at start"), this)),
      m_motion(new QCheckBox(tr("Reduce &motion: layouts change at once"), this)),
      m_costModel(new QComboBox(this)),
      m_rules(new QComboBox(this)),
      m_seconds(new QDoubleSpinBox(this)) {
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
    for (const auto& model : cost::allCostModels()) {
        m_costModel->addItem(fromUtf8(model->info().name), fromUtf8(model->info().name));
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
    auto* tabs = new QTabWidget(this);
    tabs->setObjectName(QStringLiteral("preferencePages"));
    tabs->addTab(general, tr("General"));
    tabs->addTab(new ShortcutsPage(actions, this), tr("Keyboard"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(tabs, 1);
    layout->addWidget(buttons);
    resize(560, 460);
}

Preferences PreferencesDialog::preferences() const {
    Preferences chosen;
    chosen.appearance = static_cast<Appearance>(m_appearance->currentIndex());
    chosen.pointSize = m_pointSize->value() == m_pointSize->minimum() ? 0 : m_pointSize->value();
    chosen.reopenSession = m_reopen->isChecked();
    chosen.reducedMotion = m_motion->isChecked();
    chosen.costModel = m_costModel->currentData().toString();
    chosen.rules = m_rules->currentText().trimmed();
    chosen.seconds = m_seconds->value();
    return chosen;
}

}  // namespace mitos::views
