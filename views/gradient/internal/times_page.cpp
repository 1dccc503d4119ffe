// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gradient/internal/times_page.h"

#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/gradient/internal/ablation_chart.h"
#include "views/theme/style.h"

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QStringList>
#include <algorithm>

namespace mitos::views {

namespace {

constexpr int LargestSize = 1'000'000;

QString reasonOf(const Error& error) {
    return fromUtf8(error.hint.empty() ? error.message : error.message + "; " + error.hint);
}

}  // namespace

TimesPage::TimesPage(JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_jobs(jobs),
      m_measure(new QPushButton(tr("&Measure Times"), this)),
      m_stop(new QPushButton(tr("S&top Measuring"), this)),
      m_size(new QSpinBox(this)),
      m_status(new ElidedLabel(this)),
      m_pages(new QStackedWidget(this)),
      m_empty(new EmptyState(this)),
      m_chart(new AblationChart(this)),
      m_summary(new QLabel(this)) {
    setUpWidget(
        m_measure, "gradientMeasure",
        tr("Time the function, its reverse derivative, and both coarsened derivatives: compiled as C++ if there is "
           "a compiler, else by the evaluator"));
    setUpWidget(m_stop, "gradientStopMeasuring", tr("Stop measuring"));
    setUpWidget(m_size, "gradientSize",
                tr("The length of every vector and the value of every Integer among the inputs. Without it, the random "
                   "inputs of the gradient check are used"),
                tr("Size of the inputs"));
    m_size->setRange(0, LargestSize);
    m_size->setSpecialValueText(tr("as in the check"));
    m_size->setKeyboardTracking(false);
    m_status->setObjectName(QStringLiteral("gradientTimesStatus"));
    setUpPlainLabel(m_summary, "gradientTimes");
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_summary->setAccessibleName(tr("Times"));
    m_summary->setContentsMargins(12, 6, 12, 8);
    m_empty->setObjectName(QStringLiteral("gradientTimesEmpty"));
    m_pages->addWidget(m_empty);
    m_pages->addWidget(m_chart);
    connect(m_measure, &QPushButton::clicked, this, &TimesPage::measure);
    connect(m_stop, &QPushButton::clicked, this, &TimesPage::stop);
    connect(m_size, &QSpinBox::valueChanged, this, [this] {
        m_measuring.cancel();
        drop();
        showState();
    });
    connect(&m_jobs, &JobRunner::jobChanged, this, [this](int job) {
        if (isMeasuring() && job == m_measuring.job()) showState();
    });
    auto* top = rowOf({m_measure, m_stop, gap(8), new QLabel(tr("Inputs of size"), this), m_size, {m_status, 1}},
                      {.margins = QMargins(12, 6, 12, 6), .spacing = 8});
    fillColumn(this, {top, {m_pages, 1}, m_summary}, {.margins = NoMargins, .spacing = 0});
    drop();
    showState();
}

TimesPage::~TimesPage() = default;

void TimesPage::setOrder(std::optional<DerivationOrder> order) {
    const auto isSame = [](const DerivationOrder& a, const DerivationOrder& b) {
        return a.program.program == b.program.program && a.function == b.function && a.wrt == b.wrt &&
               a.sizeLimit == b.sizeLimit;
    };
    const bool isKept = m_order && order && isSame(*m_order, *order);
    m_order = std::move(order);
    if (!isKept) {
        m_measuring.cancel();
        drop();
    }
    showState();
}

bool TimesPage::letGo() {
    const bool goesOn = m_measuring.letGo();
    if (goesOn) drop();
    showState();
    return goesOn;
}

/// Times belong to the function and to the inputs that were measured.
void TimesPage::drop() {
    m_summary->clear();
    m_pages->setCurrentWidget(m_empty);
    m_empty->explain(
        tr("Measuring shows how long an evaluation takes: of the function, of reverse mode, of segments "
           "whose loops are kept, and of closed forms."));
}

void TimesPage::stop() { m_measuring.stop(); }

void TimesPage::measure() {
    if (isMeasuring() || !m_order) return;
    drop();
    const QString name = fromUtf8(m_order->program.bank->function(m_order->function).name);
    m_measuring.askInJobsView(
        tr("Measuring the gradients of %1").arg(name),
        [order = *m_order, size = m_size->value()](const std::stop_token& stop, const JobRunner::Report& report) {
            search::experiments::AblationPlan plan;
            plan.make = [&order]() -> Result<search::experiments::OwnProgram> {
                MITOS_TRY(ProgramCopy copy, aloneOf(order));
                return search::experiments::OwnProgram{std::move(copy.bank), copy.program};
            };
            plan.wrt = order.wrt;
            plan.sizeLimit = order.sizeLimit;
            plan.size = size;
            plan.timing.compiling.stop = stop;
            plan.timing.onStep = [&report](double progress, const std::string& doing) {
                report(progress, fromUtf8(doing));
            };
            return search::experiments::measureAblation(plan);
        },
        &TimesPage::outcomeOf, [this](const Result<search::experiments::AblationReport>& report) { take(report); });
    showState();
}

JobOutcome TimesPage::outcomeOf(const Result<search::experiments::AblationReport>& report) {
    if (!report && report.error().code == ErrorCode::Cancelled) return {JobInfo::State::Stopped, tr("stopped")};
    if (!report) return {JobInfo::State::Failed, reasonOf(report.error())};
    QStringList medians;
    for (const search::experiments::AblationTime& each : report->times) {
        const bool isTimed = each.time.problem.empty();
        medians << tr("%1 %2").arg(variantTitle(each.variant),
                                   isTimed ? durationText(each.time.call.seconds.median) : tr("not measured"));
    }
    return {JobInfo::State::Finished, tr("medians: %1").arg(medians.join(QStringLiteral("; ")))};
}

void TimesPage::take(const Result<search::experiments::AblationReport>& report) {
    if (!report && report.error().code == ErrorCode::Cancelled) {
        m_empty->explain(tr("The measurement was stopped."));
    } else if (!report) {
        m_empty->explain(tr("The times cannot be measured: %1").arg(reasonOf(report.error())));
    } else {
        m_chart->setTimes(report->times);
        m_pages->setCurrentWidget(m_chart);
        m_summary->setText(summary(*report));
    }
    showState();
}

/// The numbers of the chart in words, and how they were measured.
QString TimesPage::summary(const search::experiments::AblationReport& report) {
    const codegen::ProgramTime& first = report.times.front().time;
    QStringList times;
    QStringList problems;
    for (const search::experiments::AblationTime& each : report.times) {
        const QString title = variantTitle(each.variant);
        if (!each.time.problem.empty()) {
            problems << tr("%1 was not measured: %2").arg(title, fromUtf8(each.time.problem));
            continue;
        }
        const bool isFirst = each.variant == search::experiments::AblationTime::Variant::Primal;
        times << tr("%1: %2").arg(title, timeSummary(each.time, isFirst ? 0.0 : first.call.seconds.median));
    }
    QStringList lines = times + problems;
    const QString numbers =
        report.numbers == 1 ? tr("inputs with 1 number") : tr("inputs with %L1 numbers").arg(report.numbers);
    lines << (report.isCompiled
                  ? tr("Medians, with intervals of a confidence of 95 %; %1; compiled by %2")
                        .arg(numbers, fromUtf8(report.compiler))
                  : tr("Medians, with intervals of a confidence of 95 %; %1; measured by the evaluator, as no C++ "
                       "compiler was found")
                        .arg(numbers));
    return lines.join(QLatin1Char('\n'));
}

void TimesPage::showState() {
    m_measure->setVisible(!isMeasuring());
    m_measure->setEnabled(m_order.has_value());
    m_stop->setVisible(isMeasuring());
    m_summary->setVisible(!m_summary->text().isEmpty());
    QString status;
    if (isMeasuring()) {
        const auto job = std::ranges::find(m_jobs.jobs(), m_measuring.job(), &JobInfo::id);
        if (job != m_jobs.jobs().end()) status = job->status;
        const int percent = status.isEmpty() ? 0 : static_cast<int>(100.0 * job->progress);
        if (percent > 0) status = tr("%1 (%2 %)").arg(status).arg(percent);
        m_empty->explain(tr("Measuring…"));
    }
    m_status->setText(status);
}

}  // namespace mitos::views
