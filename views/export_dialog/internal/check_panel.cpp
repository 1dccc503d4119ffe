// SPDX-License-Identifier: GPL-3.0-or-later
// "Compile and check".
#include "views/export_dialog/internal/check_panel.h"

#include "views/common/format.h"
#include "views/common/layouts.h"
#include "views/common/widgets.h"

#include <QFontDatabase>
#include <QFormLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <utility>

namespace mitos::views {

CheckPanel::CheckPanel(std::shared_ptr<ExportSource> source, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_source(std::move(source)),
      m_jobs(jobs),
      m_start(new QPushButton(tr("Compile and Check"), this)),
      m_stop(new QPushButton(tr("Stop"), this)),
      m_verdict(new QLabel(this)),
      m_details(new QWidget(this)),
      m_message(new QPlainTextEdit(this)) {
    setObjectName(QStringLiteral("checkPanel"));
    setUpWidget(m_start, "checkStart",
                tr("Compiles the start program and this one, compares both with the evaluator, and times them"));
    m_stop->setObjectName(QStringLiteral("checkStop"));
    setUpPlainLabel(m_verdict, "checkVerdict");
    setUpWidget(m_message, "checkMessage", {}, tr("What went wrong"));
    m_message->setReadOnly(true);
    m_message->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_message->setMaximumHeight(fontMetrics().height() * 9);
    m_message->hide();

    auto* form = new QFormLayout(m_details);
    form->setContentsMargins(0, 0, 0, 0);
    m_times = addTextRow(*form, "checkTimes", tr("Wall time of a call"));
    m_ratio = addTextRow(*form, "checkRatio", tr("Compared"));
    m_sizes = addTextRow(*form, "checkSizes", tr("Timed with"));
    m_compiler = addTextRow(*form, "checkCompiler", tr("Compiler"));
    m_details->hide();

    auto* line = rowOf({m_start, m_stop, {m_verdict, 1}});
    fillColumn(this, {line, m_details, m_message}, {.margins = NoMargins});

    connect(m_start, &QPushButton::clicked, this, &CheckPanel::start);
    connect(m_stop, &QPushButton::clicked, this, [this] {
        m_jobs.stop(m_job);
        m_stop->setEnabled(false);
        m_verdict->setText(tr("Stopping…"));
    });
    showRunning(false);
}

CheckPanel::~CheckPanel() {
    if (m_job != 0) m_jobs.discard(m_job);
}

void CheckPanel::showRunning(bool running) {
    m_start->setEnabled(!running);
    m_stop->setVisible(running);
    m_stop->setEnabled(running);
}

void CheckPanel::start() {
    m_details->hide();
    m_message->hide();
    m_verdict->setText(tr("Compiling and running both programs…"));
    showRunning(true);
    m_job = m_jobs.start(
        tr("Compile and check %1").arg(fromUtf8(m_source->functionName())), true, this,
        [source = m_source](const std::stop_token& stop, const JobRunner::Report&) {
            static_cast<void>(source->threadText());  // required before using the bank, see ExportSource
            codegen::CheckOptions options;
            options.stop = stop;
            options.assumptions = source->assumptions();
            return codegen::checkCpp(source->bank(), source->thread().start, source->thread().end(), options);
        },
        [this](const Result<codegen::CheckReport>& outcome) { finish(outcome); });
}

void CheckPanel::finish(const Result<codegen::CheckReport>& outcome) {
    const JobId job = std::exchange(m_job, 0);
    showRunning(false);
    if (!outcome.ok()) {
        const bool cancelled = outcome.error().code == ErrorCode::Cancelled;
        m_verdict->setText(cancelled ? tr("Stopped by you.") : tr("✗ %1").arg(fromUtf8(outcome.error().message)));
        m_message->setVisible(!cancelled);
        m_message->setPlainText(fromUtf8(outcome.error().render()));
        m_jobs.setOutcome(job, cancelled ? JobInfo::State::Stopped : JobInfo::State::Failed, m_verdict->text());
        return;
    }
    showReport(*outcome);
    m_jobs.setOutcome(job, outcome->passed ? JobInfo::State::Finished : JobInfo::State::Failed, m_verdict->text());
}

void CheckPanel::showReport(const codegen::CheckReport& report) {
    const QString error = QLocale().toString(report.maxError, 'g', 3);
    if (!report.compiled) {
        m_verdict->setText(tr("✗ The C++ does not compile."));
    } else if (!report.passed) {
        m_verdict->setText(
            tr("✗ The C++ computes something else than the start program; largest error %1 on %L2 inputs.")
                .arg(error)
                .arg(report.samples));
    } else {
        m_verdict->setText(
            tr("✓ Agrees with the evaluator on %L1 random inputs; largest error %2.").arg(report.samples).arg(error));
    }
    m_message->setVisible(!report.message.empty());
    m_message->setPlainText(fromUtf8(report.message));
    m_details->show();
    m_compiler->setText(fromUtf8(report.compilerVersion + "\n" + report.flags));
    const bool timed = report.passed && report.inputSeconds > 0 && report.outputSeconds > 0;
    if (!timed) {
        m_times->setText(tr("not timed"));
        m_ratio->setText(tr("not timed"));
        m_sizes->setText(tr("not timed"));
        return;
    }
    m_times->setText(tr("start program %1, this program %2 (medians)")
                         .arg(durationText(report.inputSeconds), durationText(report.outputSeconds)));
    const double ratio = report.inputSeconds / report.outputSeconds;
    m_ratio->setText(ratio >= 1
                         ? tr("▼ %1 times as fast as the start program").arg(QLocale().toString(ratio, 'f', 2))
                         : tr("▲ %1 times as slow as the start program").arg(QLocale().toString(1 / ratio, 'f', 2)));
    QString how = tr("%L1 calls each, alternating").arg(report.repetitions);
    if (report.timingSize > 0) how = tr("every size %L1; %2").arg(report.timingSize).arg(how);
    if (report.tooShort()) {
        how += tr("; calls this short are mostly overhead, so the comparison says little");
    }
    m_sizes->setText(how);
}

}  // namespace mitos::views
