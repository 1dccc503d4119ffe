// SPDX-License-Identifier: GPL-3.0-or-later
// See region_strategies.h.
#include "views/partition/internal/region_strategies.h"

#include "views/common/format.h"
#include "views/common/parameter_form.h"
#include "views/common/widgets.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <utility>

namespace mitos::views {

std::string RegionStrategy::text() const {
    if (!strategy) return "none";
    std::string settings;
    for (const auto& [name, value] : values)
        settings += (settings.empty() ? "" : ", ") + name + "=" + parameterText(value);
    return settings.empty() ? strategy->info().name : strategy->info().name + "(" + settings + ")";
}

QString obstacleOf(const ParameterValues& values) {
    for (const auto& [name, value] : values) {
        if (parameterText(value).find_first_of(",;@") == std::string::npos) continue;
        return RegionParameterDialog::
            tr("%1 has a comma, a semicolon or an @, which separate the strategies of regions. Open the region as a "
               "program to search it so.")
                .arg(fromUtf8(name));
    }
    return {};
}

void RegionStrategies::setAll(RegionStrategy strategy) {
    m_all = std::move(strategy);
    m_forms.clear();
}

void RegionStrategies::set(std::size_t form, RegionStrategy strategy) { m_forms[form] = std::move(strategy); }

const RegionStrategy& RegionStrategies::of(std::size_t form) const {
    const auto own = m_forms.find(form);
    return own == m_forms.end() ? m_all : own->second;
}

bool RegionStrategies::searchesAny(std::size_t forms) const {
    for (std::size_t form = 1; form <= forms; ++form) {
        if (of(form).strategy) return true;
    }
    return false;
}

std::string RegionStrategies::text() const {
    std::string text = m_all.text();
    for (const auto& [form, strategy] : m_forms) text += "; " + std::to_string(form) + ": " + strategy.text();
    return text;
}

RegionParameterDialog::RegionParameterDialog(search::StrategyInfo info, const ParameterValues& values, QWidget* parent)
    : QDialog(parent),
      m_info(std::move(info)),
      m_form(new ParameterForm(m_info.parameters, values, this)),
      m_message(new QLabel(this)),
      m_buttons(new QDialogButtonBox(
          QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::RestoreDefaults, this)) {
    setObjectName(QStringLiteral("partitionParametersDialog"));
    setWindowTitle(tr("Parameters of %1").arg(fromUtf8(m_info.label)));
    setUpPlainLabel(m_message, "partitionParametersMessage");
    m_message->setWordWrap(true);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, m_form,
            &ParameterForm::setDefaults);
    connect(m_form, &ParameterForm::changed, this, &RegionParameterDialog::validate);
    fillColumn(this, {m_form, m_message, stretch(), m_buttons});
    validate();
}

ParameterValues RegionParameterDialog::changedValues() const {
    ParameterValues changed = m_form->values();
    for (const ParameterInfo& parameter : m_info.parameters) {
        const auto value = changed.find(parameter.name);
        if (value != changed.end() && value->second == parameter.defaultValue) changed.erase(value);
    }
    return changed;
}

void RegionParameterDialog::validate() {
    const Result<ParameterValues> resolved = search::resolveParameters(m_info, m_form->values());
    m_message->setText(resolved ? obstacleOf(changedValues()) : fromUtf8(resolved.error().render()));
    m_message->setVisible(!m_message->text().isEmpty());
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(m_message->text().isEmpty());
}

}  // namespace mitos::views
