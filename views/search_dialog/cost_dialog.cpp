// SPDX-License-Identifier: GPL-3.0-or-later
// See cost_dialog.h.
#include "views/search_dialog/cost_dialog.h"

#include "views/common/format.h"
#include "views/common/parameter_form.h"
#include "views/common/widgets.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>

namespace mitos::views {

CostDialog::CostDialog(const ir::Dialect& dialect, const cost::CostModelInfo& inForce, QWidget* parent)
    : QDialog(parent),
      m_models(cost::costModelsFor(dialect.name)),
      m_model(new QComboBox(this)),
      m_description(new QLabel(this)),
      m_formPlace(new QVBoxLayout) {
    setObjectName(QStringLiteral("costDialog"));
    setWindowTitle(tr("Cost Model"));
    setUpWidget(m_model, "costDialogModel", {}, tr("Cost model"));
    for (const auto& model : m_models) m_model->addItem(fromUtf8(model->info().title), fromUtf8(model->info().name));
    m_model->setCurrentIndex(m_model->findData(fromUtf8(inForce.baseName())));
    m_description->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    fillColumn(this, {m_model, m_description, m_formPlace, stretch(), buttons});
    showParameters(inForce.values);
    connect(m_model, &QComboBox::currentIndexChanged, this, [this] { showParameters({}); });
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

const cost::CostModelInfo& CostDialog::model() const {
    return m_models[static_cast<std::size_t>(std::max(0, m_model->currentIndex()))]->info();
}

void CostDialog::showParameters(const ParameterValues& values) {
    m_description->setText(fromUtf8(model().description));
    delete m_form;
    m_form = new ParameterForm(model().parameters, values, this);
    m_formPlace->addWidget(m_form);
}

QString CostDialog::name() const { return fromUtf8(cost::costModelName(model(), m_form->values())); }

}  // namespace mitos::views
