// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the parts of a report: sections of the page, tables as files, tables on the terminal.
#pragma once

#include "search/experiments/experiment.h"
#include "search/experiments/report_table.h"
#include "search/report/html.h"

#include <string>
#include <utility>

namespace mitos::search::experiments {

class ReportPages {
public:
    /// `report` must live as long.
    explicit ReportPages(ExperimentReport& report) : m_report(report) {}

    /// A table as HTML, and as a file; empty for a table without rows, as below.
    [[nodiscard]] std::string table(const ReportTable& table) {
        if (table.rows.empty()) return {};
        m_report.files.push_back({table.name + ".csv", tableCsv(table)});
        return tableHtml(table);
    }
    /// The same with its title, and on the terminal if it is one of the main ones.
    [[nodiscard]] std::string titledTable(const ReportTable& shown, bool isOnTerminal = false) {
        if (shown.rows.empty()) return {};
        if (isOnTerminal) m_report.text += shown.title + "\n" + terminalText(shown);
        return "<h3>" + report::escaped(shown.title) + "</h3>\n" + table(shown);
    }
    void section(std::string id, std::string title, std::string content) {
        m_report.page.sections.push_back({std::move(id), std::move(title), std::move(content)});
    }

private:
    ExperimentReport& m_report;
};

}  // namespace mitos::search::experiments
