// SPDX-License-Identifier: GPL-3.0-or-later
// A CSV file that grows line by line.
#pragma once

#include "core/base/csv.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace mitos::search::experiments {

class CsvTable {
public:
    explicit CsvTable(const std::vector<std::string>& titles) { add(titles); }
    void add(const std::vector<std::string>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) m_text += (i == 0 ? "" : ",") + csvText(cells[i]);
        m_text += "\r\n";
    }
    [[nodiscard]] const std::string& text() const { return m_text; }

    /// The number, exactly.
    [[nodiscard]] static std::string number(double value) { return fmt::format("{}", value); }

private:
    std::string m_text;
};

}  // namespace mitos::search::experiments
