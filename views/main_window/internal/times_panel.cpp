// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/internal/times_panel.h"

#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/theme/theme.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <algorithm>

namespace mitos::views {

namespace {

constexpr int LowestWithTable = 720;  // pixels of the window

enum RowOf : std::uint8_t { ModelRow, OperatorsRow, WholeRow };

QString fromTo(const QString& from, const QString& to) { return TimesPanel::tr("%1 → %2").arg(from, to); }

/// The median, and below it the interval that contains it.
QString wholeText(const ResultTimes& times) {
    const auto interval = [](const timing::TimeSummary& time) {
        QString low = durationText(time.likely.low);
        const QString high = durationText(time.likely.high);
        const QString unit = QLatin1Char(' ') + high.section(QLatin1Char(' '), -1);
        if (low.endsWith(unit)) low.chop(unit.size());
        return TimesPanel::tr("%1 to %2").arg(low, high);
    };
    return fromTo(durationText(times.start.whole.seconds.median), durationText(times.result.whole.seconds.median)) +
           QLatin1Char('\n') + fromTo(interval(times.start.whole), interval(times.result.whole));
}

}  // namespace

void setTextColour(QWidget& widget, const QColor& colour) {
    QPalette palette = widget.palette();
    palette.setColor(QPalette::WindowText, colour);
    widget.setPalette(palette);
}

TimesPanel::TimesPanel(const ResultTimer& timer, const PayingSteps& paying, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_timer(timer),
      m_paying(paying),
      m_jobs(jobs),
      m_table(new QWidget(this)),
      m_sentence(new QLabel(this)),
      m_origin(new QLabel(this)),
      m_progress(new QLabel(this)),
      m_time(new QPushButton(this)),
      m_keep(new QPushButton(tr("Keep What Pays"), this)),
      m_stop(new QPushButton(tr("Stop"), this)) {
    setObjectName(QStringLiteral("timesPanel"));
    auto* grid = new QGridLayout(m_table);
    grid->setContentsMargins(NoMargins);
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(1, 1);
    constexpr std::array Names{std::array{"timesModelTitle", "timesModel", "timesModelRatio"},
                               std::array{"timesOperatorsTitle", "timesOperators", "timesOperatorsRatio"},
                               std::array{"timesWholeTitle", "timesWhole", "timesWholeRatio"}};
    for (std::size_t i = 0; i < Rows; ++i) {
        Row& row = m_rows[i];
        int column = 0;
        for (QLabel** label : {&row.title, &row.values, &row.ratio}) {
            *label = new QLabel(m_table);
            setUpPlainLabel(*label, Names[i][static_cast<std::size_t>(column)]);
            (*label)->setWordWrap(label == &row.values);  // in a narrow window
            grid->addWidget(*label, static_cast<int>(i), column++, Qt::AlignTop);
        }
    }
    m_rows[OperatorsRow].title->setText(tr("Operators, summed"));
    m_rows[OperatorsRow].title->setToolTip(tr("What the operators take when each is run by itself"));
    m_rows[WholeRow].title->setText(tr("Whole model\n95 % interval"));
    m_rows[WholeRow].title->setToolTip(
        tr("Medians of runs of start and result, which alternate; the intervals below contain them with a confidence "
           "of 95 %"));
    setUpPlainLabel(m_sentence, "timesSentence");
    setUpPlainLabel(m_origin, "timesOrigin");
    setUpPlainLabel(m_progress, "timesProgress");
    setUpWidget(m_time, "timesStart", tr("Run start and result alternately in ONNX Runtime, as whole models"));
    setUpWidget(m_keep, "timesKeep",
                tr("Measure groups of steps in ONNX Runtime, and keep those that make the model faster"));
    setUpWidget(m_stop, "timesStop", tr("Stop timing"));
    m_table->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    auto* buttons = rowOf({m_time, m_keep, m_stop, {m_origin, 1}, {m_progress, 1}, stretch(0)}, {.margins = NoMargins});
    fillColumn(this, {m_sentence, m_table, buttons}, {.margins = QMargins(0, 4, 0, 0), .spacing = 4});
    connect(m_time, &QPushButton::clicked, this, &TimesPanel::timeRequested);
    connect(m_keep, &QPushButton::clicked, this, &TimesPanel::payingRequested);
    connect(m_stop, &QPushButton::clicked, this,
            [this] { m_jobs.stop(m_timer.running() ? m_timer.job() : m_paying.job()); });
    connect(&m_timer, &ResultTimer::changed, this, &TimesPanel::show);
    connect(&m_paying, &PayingSteps::changed, this, &TimesPanel::show);
    connect(&m_jobs, &JobRunner::jobChanged, this, [this](int job) {
        if ((m_timer.running() && job == m_timer.job()) || (m_paying.running() && job == m_paying.job())) show();
    });
    followPalette(this, [this] { updateColours(); });
    setStates(std::nullopt);
}

void TimesPanel::setStates(const std::optional<StatePair>& states) {
    m_states = states;
    show();
}

void TimesPanel::show() {
    setVisible(m_states.has_value());
    if (!m_states) return;
    const ResultTimes* const times = m_timer.timesOf(*m_states);
    const bool isTiming = m_timer.running() == TimedResult{0, *m_states};
    const bool isKeeping = m_paying.running() == *m_states;
    const bool isRunning = isTiming || isKeeping;
    showTimes(isRunning ? nullptr : times);
    m_time->setVisible(!isRunning);
    m_time->setText(times != nullptr ? tr("Time Again") : tr("Time with ONNX Runtime"));
    m_time->setEnabled(!m_timer.running() && !m_paying.running());
    m_keep->setVisible(m_hasTimes && !m_isFaster);
    m_keep->setEnabled(m_time->isEnabled());
    m_stop->setVisible(isRunning);
    m_progress->setVisible(isRunning);
    if (isRunning) {
        const auto job = std::ranges::find(m_jobs.jobs(), isTiming ? m_timer.job() : m_paying.job(), &JobInfo::id);
        const bool hasStatus = job != m_jobs.jobs().end() && !job->status.isEmpty();
        const QString doing = isTiming ? tr("Timing with ONNX Runtime") : tr("Measuring groups of steps");
        m_progress->setText(hasStatus ? tr("%1 · %2").arg(doing, job->status) : doing);
    }
}

void TimesPanel::showTimes(const ResultTimes* times) {
    m_hasTimes = times != nullptr;
    m_isFaster = times != nullptr && times->ratio.isFaster();
    for (QWidget* part : {m_sentence, m_origin}) part->setVisible(m_hasTimes);
    fitTable();
    if (times == nullptr) return;
    const auto ratio = [](double start, double result) {
        return start > 0.0 ? tr("× %1").arg(ratioText(result / start)) : QString();
    };
    m_rows[ModelRow].title->setText(tr("Cost model %1").arg(times->costModel.section(QLatin1Char(':'), 0, 0)));
    m_rows[ModelRow].title->setToolTip(times->costModel);
    m_rows[ModelRow].values->setText(fromToText(times->start.cost, times->result.cost, times->costUnit));
    m_rows[ModelRow].ratio->setText(ratio(times->start.cost, times->result.cost));
    const bool hasOperators = times->start.operators && times->result.operators;
    for (QLabel* label : {m_rows[OperatorsRow].title, m_rows[OperatorsRow].values, m_rows[OperatorsRow].ratio})
        label->setVisible(hasOperators);
    if (hasOperators) {
        m_rows[OperatorsRow].values->setText(
            fromTo(durationText(*times->start.operators), durationText(*times->result.operators)));
        m_rows[OperatorsRow].ratio->setText(ratio(*times->start.operators, *times->result.operators));
    }
    m_rows[WholeRow].values->setText(wholeText(*times));
    m_rows[WholeRow].values->setToolTip(tr("least %1; spread (interquartile range) %2")
                                            .arg(fromTo(durationText(times->start.whole.seconds.least),
                                                        durationText(times->result.whole.seconds.least)),
                                                 fromTo(durationText(times->start.whole.seconds.width()),
                                                        durationText(times->result.whole.seconds.width()))));
    m_rows[WholeRow].ratio->setText(
        tr("× %1\n%2 to %3")
            .arg(ratioText(times->ratio.value), ratioText(times->ratio.low), ratioText(times->ratio.high)));
    m_isUnexpected = times->isUnexpected();
    m_sentence->setText((m_isUnexpected ? tr("⚠ %1") : tr("✓ %1")).arg(timesSentence(*times)));
    m_origin->setText(timesOrigin(*times));
    m_origin->setToolTip(timesDetails(*times));
    QStringList lines;
    for (const Row& row : m_rows) {
        if (!row.title->isHidden())
            lines << tr("%1: %2, %3")
                         .arg(row.title->text(), row.values->text(), row.ratio->text())
                         .replace(QLatin1Char('\n'), QLatin1Char(' '));
    }
    m_sentence->setToolTip(lines.join(QLatin1Char('\n')));
    updateColours();
}

void TimesPanel::fitTable() { m_table->setVisible(m_hasTimes && window()->height() >= LowestWithTable); }

void TimesPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    window()->installEventFilter(this);
    fitTable();
}

bool TimesPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) fitTable();
    return QWidget::eventFilter(watched, event);
}

void TimesPanel::updateColours() {
    const Theme theme(palette());
    for (const Row& row : m_rows) setTextColour(*row.title, theme.faintText());
    for (QLabel* label : {m_origin, m_progress}) setTextColour(*label, theme.faintText());
    setTextColour(*m_sentence, m_isUnexpected ? theme.worse() : theme.passed());
}

}  // namespace mitos::views
