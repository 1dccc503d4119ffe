// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rule_editor/internal/rule_trial.h"

#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/theme/theme.h"

#include <QLabel>
#include <QProgressBar>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

/// What was found although the rule passes.
QString remarkOf(const eval::RuleVerdict& verdict) {
    switch (verdict.difference) {
        case eval::SidesDiffer::ZeroSign: return RuleTrial::tr("; the sign of a zero makes a difference");
        case eval::SidesDiffer::NotANumber: return RuleTrial::tr("; NaN makes a difference");
        case eval::SidesDiffer::RealOnly: return RuleTrial::tr("; rounding or the range of Floats makes a difference");
        case eval::SidesDiffer::Defines: return RuleTrial::tr("; it gives a value where the left side has none");
        case eval::SidesDiffer::Domain: return RuleTrial::tr("; it takes a value away");
        case eval::SidesDiffer::Nowhere:
        case eval::SidesDiffer::Different: break;
    }
    return {};
}

QString reasonOf(const eval::RuleVerdict& verdict) {
    switch (verdict.difference) {
        case eval::SidesDiffer::ZeroSign:
            return RuleTrial::tr("the sign of a zero makes a difference, so it is not exact (exact-but-zero-sign)");
        case eval::SidesDiffer::NotANumber:
            return RuleTrial::tr("NaN makes a difference, so it is not exact (exact-but-nan)");
        case eval::SidesDiffer::RealOnly: return RuleTrial::tr("rounding makes a difference, so it is not exact");
        case eval::SidesDiffer::Defines: return RuleTrial::tr("it gives a value where the left side has none");
        case eval::SidesDiffer::Domain: return RuleTrial::tr("it takes a value away");
        case eval::SidesDiffer::Nowhere:
        case eval::SidesDiffer::Different: break;
    }
    return RuleTrial::tr("the values differ");
}

QString verdictLine(const eval::RuleVerdict& verdict) {
    const QString name = fromUtf8(verdict.name);
    const QString tests = countText(static_cast<std::uint64_t>(verdict.samples));
    switch (verdict.verdict) {
        case eval::Verdict::Pass:
            return RuleTrial::tr("✓ %1 passed %2 tests as %3%4")
                .arg(name, tests, fromUtf8(verdict.tag), remarkOf(verdict));
        case eval::Verdict::Fail:
            return verdict.samples == 1
                       ? RuleTrial::tr("✗ %1 failed the first test: %2").arg(name, reasonOf(verdict))
                       : RuleTrial::tr("✗ %1 failed after %2 tests: %3").arg(name, tests, reasonOf(verdict));
        case eval::Verdict::Untested: break;
    }
    return RuleTrial::tr("? %1 could not be tested: %2").arg(name, fromUtf8(verdict.note));
}

QString exampleText(const eval::Counterexample& example) {
    QStringList lines;
    lines << RuleTrial::tr("before  %1\n      = %2").arg(fromUtf8(example.before), fromUtf8(example.beforeValue));
    lines << RuleTrial::tr("after   %1\n      = %2").arg(fromUtf8(example.after), fromUtf8(example.afterValue));
    if (!example.inputs.empty()) lines << RuleTrial::tr("where   %1").arg(fromUtf8(example.inputs));
    return lines.join(u'\n');
}

}  // namespace

RuleTrial::RuleTrial(JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_jobs(jobs),
      m_verdict(new QLabel(this)),
      m_example(new QLabel(this)),
      m_progress(new QProgressBar(this)) {
    setObjectName(QStringLiteral("ruleTrial"));
    setUpPlainLabel(m_verdict, "ruleVerdict");
    setUpPlainLabel(m_example, "ruleExample");
    for (QLabel* label : {m_verdict, m_example}) {
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    }
    setOwnFont(m_example, [] { return programFont(-1); });
    setUpWidget(m_progress, "ruleTestProgress", {}, tr("Progress of the test"));
    m_progress->setTextVisible(false);
    constexpr int ProgressHeight = 4;
    m_progress->setFixedHeight(ProgressHeight);
    fillColumn(this, {sectionTitle(tr("Test this rule"), this), m_progress, m_verdict, m_example, stretch()},
               {.margins = QMargins(12, 10, 12, 10), .spacing = 8});
    m_progress->hide();
    m_example->hide();
}

void RuleTrial::explain(const QString& reason) {
    m_jobs.discard(std::exchange(m_running, 0));
    m_progress->hide();
    m_example->hide();
    m_verdict->setText(reason);
    m_verdict->setForegroundRole(QPalette::PlaceholderText);
}

void RuleTrial::test(const std::shared_ptr<const rules::Rule>& rule,
                     const std::shared_ptr<const ir::OperatorRegistry>& registry) {
    explain(tr("Testing %1…").arg(fromUtf8(rule->name)));
    m_progress->setRange(0, 0);
    m_progress->show();
    m_running = m_jobs.start(
        tr("Testing a rule"), false, this,
        [rule, registry](const std::stop_token& stop, const JobRunner::Report&) {
            eval::RuleTestOptions options;
            options.stop = stop;
            std::vector<eval::RuleVerdict> all;
            for (const auto& direction : rule->directions) {
                for (eval::RuleVerdict& verdict : eval::testRule(*direction, registry, options))
                    all.push_back(std::move(verdict));
            }
            return all;
        },
        [this](const std::vector<eval::RuleVerdict>& verdicts) {
            m_running = 0;
            show(verdicts);
        });
}

void RuleTrial::show(const std::vector<eval::RuleVerdict>& verdicts) {
    m_progress->hide();
    QStringList lines;
    for (const eval::RuleVerdict& verdict : verdicts) lines << verdictLine(verdict);
    m_verdict->setText(lines.join(u'\n'));
    m_verdict->setForegroundRole(QPalette::WindowText);
    const auto failed = std::ranges::find(verdicts, eval::Verdict::Fail, &eval::RuleVerdict::verdict);
    const bool hasExample = failed != verdicts.end() && failed->counterexample;
    if (hasExample) m_example->setText(exampleText(*failed->counterexample));
    m_example->setVisible(hasExample);
}

}  // namespace mitos::views
