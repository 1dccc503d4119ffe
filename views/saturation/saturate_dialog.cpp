// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/saturation/saturate_dialog.h"

#include "core/egraph/scheduler.h"
#include "views/common/format.h"
#include "views/document/document.h"
#include "views/document/verdicts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

namespace mitos::views {

namespace {

constexpr int MostIterations = 10'000;
constexpr int MostNodes = 10'000'000;
constexpr double MostSeconds = 86'400.0;

QString key(const char* name) { return QStringLiteral("saturate/") + QLatin1String(name); }

}  // namespace

SaturateDialog::SaturateDialog(Document& document, QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_iterations(new QSpinBox(this)),
      m_nodes(new QSpinBox(this)),
      m_seconds(new QDoubleSpinBox(this)),
      m_scheduler(new QComboBox(this)),
      m_assume(new QCheckBox(tr("Allow &assumptions about signs"), this)) {
    setObjectName(QStringLiteral("saturateDialog"));
    setWindowTitle(tr("Saturate the Program"));
    const QSettings stored;
    const SaturationSettings usual;
    m_iterations->setObjectName(QStringLiteral("saturateIterations"));
    m_iterations->setRange(1, MostIterations);
    m_iterations->setValue(stored.value(key("iterations"), usual.iterations).toInt());
    m_nodes->setObjectName(QStringLiteral("saturateNodes"));
    m_nodes->setRange(1, MostNodes);
    m_nodes->setGroupSeparatorShown(true);
    m_nodes->setSingleStep(1'000);
    m_nodes->setValue(stored.value(key("nodes"), static_cast<int>(usual.nodes)).toInt());
    m_seconds->setObjectName(QStringLiteral("saturateSeconds"));
    m_seconds->setRange(0.1, MostSeconds);
    m_seconds->setDecimals(1);
    m_seconds->setSuffix(tr(" s"));
    m_seconds->setValue(stored.value(key("seconds"), usual.seconds).toDouble());
    m_scheduler->setObjectName(QStringLiteral("saturateScheduler"));
    for (const egraph::SchedulerInfo& info : egraph::schedulers()) {
        m_scheduler->addItem(fromUtf8(info.name), fromUtf8(info.name));
        m_scheduler->setItemData(m_scheduler->count() - 1, fromUtf8(info.help), Qt::ToolTipRole);
    }
    m_scheduler->setCurrentIndex(
        std::max(0, m_scheduler->findData(stored.value(key("scheduler"), usual.scheduler).toString())));
    m_assume->setObjectName(QStringLiteral("saturateAssume"));
    m_assume->setToolTip(assumptionsHelp());
    m_assume->setChecked(document.allowsAssumptions());
    auto* help = new QLabel(this);
    help->setObjectName(QStringLiteral("saturateHelp"));
    help->setWordWrap(true);
    help->setForegroundRole(QPalette::PlaceholderText);
    const auto explain = [this, help] { help->setText(m_scheduler->currentData(Qt::ToolTipRole).toString()); };
    connect(m_scheduler, &QComboBox::currentIndexChanged, help, explain);
    explain();
    auto* about =
        new QLabel(tr("Applies the rules in force (%1) until nothing new comes, or a limit is reached. Nothing is "
                      "added beyond the limits; what was found stays.")
                       .arg(fromUtf8(document.rules().names())),
                   this);
    about->setObjectName(QStringLiteral("saturateAbout"));
    about->setWordWrap(true);
    if (const auto failed = static_cast<int>(document.failedRules().size() + document.untestedRules().size());
        failed > 0) {
        about->setText(
            about->text() + QStringLiteral("\n\n") +
            (document.isInsisting()
                 ? tr("⚠ Rules that failed their test or could not be tested, and are applied as you insist: %1.")
                       .arg(failed)
                 : tr("Rules that failed their test or could not be tested, and are left out: %1.").arg(failed)));
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Saturate"));
    connect(buttons, &QDialogButtonBox::accepted, this, &SaturateDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &SaturateDialog::reject);
    auto* form = new QFormLayout;
    form->addRow(tr("&Iterations"), m_iterations);
    form->addRow(tr("E-&nodes"), m_nodes);
    form->addRow(tr("&Time"), m_seconds);
    form->addRow(tr("&Scheduler"), m_scheduler);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(about);
    layout->addLayout(form);
    layout->addWidget(help);
    layout->addWidget(m_assume);
    layout->addStretch(1);
    layout->addWidget(buttons);
    resize(420, sizeHint().height());
}

SaturationSettings SaturateDialog::settings() const {
    return {.iterations = static_cast<std::uint32_t>(m_iterations->value()),
            .nodes = static_cast<std::uint64_t>(m_nodes->value()),
            .seconds = m_seconds->value(),
            .scheduler = m_scheduler->currentData().toString()};
}

void SaturateDialog::accept() {
    QSettings stored;
    stored.setValue(key("iterations"), m_iterations->value());
    stored.setValue(key("nodes"), m_nodes->value());
    stored.setValue(key("seconds"), m_seconds->value());
    stored.setValue(key("scheduler"), m_scheduler->currentData());
    m_document.setAllowingAssumptions(m_assume->isChecked());
    QDialog::accept();
}

}  // namespace mitos::views
