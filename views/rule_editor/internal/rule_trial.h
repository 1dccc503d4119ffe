// SPDX-License-Identifier: GPL-3.0-or-later
// "Test this rule": the rule under the cursor is tested on random programs, as `mitos-cli rules test` does it.
#pragma once

#include "core/eval/testing/rule_test.h"
#include "views/job_runner/job_runner.h"

#include <QWidget>
#include <memory>

class QLabel;
class QProgressBar;
class QVBoxLayout;

namespace mitos::views {

class RuleTrial : public QWidget {
    Q_OBJECT
public:
    explicit RuleTrial(JobRunner& jobs, QWidget* parent = nullptr);

    /// Tests the rule; a test that still runs is dropped.
    void test(const std::shared_ptr<const rules::Rule>& rule,
              const std::shared_ptr<const ir::OperatorRegistry>& registry);
    /// Shows why there is nothing to test.
    void explain(const QString& reason);
    [[nodiscard]] bool isTesting() const { return m_running != 0; }

private:
    void show(const std::vector<eval::RuleVerdict>& verdicts);

    JobRunner& m_jobs;
    QLabel* m_verdict;
    QLabel* m_example;
    QProgressBar* m_progress;
    JobId m_running = 0;  ///< stopped and dropped when there is something newer to do
};

}  // namespace mitos::views
