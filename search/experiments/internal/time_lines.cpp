// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/experiments/internal/time_lines.h"

#include "core/timing/batches.h"

#include <absl/strings/numbers.h>

#include <sstream>
#include <string_view>
#include <utility>

namespace mitos::search::experiments {

namespace {

class LineReader {
public:
    explicit LineReader(std::vector<ConfigurationTimes>& configurations) : m_configurations(configurations) {}

    void read(const std::string& line) {
        if (const auto batches = timing::batchesIn(line)) return readTime(*batches);
        if (const std::vector<std::string> cells = cellsOf(line); cells.size() == 5) readMemory(cells);
    }

private:
    static std::vector<std::string> cellsOf(const std::string& text) {
        std::vector<std::string> cells;
        std::istringstream parts(text);
        for (std::string cell; std::getline(parts, cell, ',');) cells.push_back(cell);
        return cells;
    }

    ConfigurationTimes& configuration(std::string_view name) {
        if (m_configurations.empty() || m_configurations.back().name != name) {
            m_configurations.push_back({std::string(name), {}, {}, {}, {}});
        }
        return m_configurations.back();
    }

    void readTime(const timing::Batches& batches) {
        const std::vector<std::string> cells = cellsOf(batches.label);
        if (cells.size() != 4) return;
        ToolTime time{.tool = cells[2], .call = timing::summaryOf({batches.seconds}, batches.calls)};
        if (!absl::SimpleAtod(cells[3], &time.apart)) return;
        ConfigurationTimes& times = configuration(cells[0]);
        if (cells[1] == "gradient")
            times.gradient.push_back(std::move(time));
        else if (cells[1] == "iteration")
            times.iteration.push_back(std::move(time));
        else if (cells[1] == "differentiation")
            times.differentiation.push_back(std::move(time));
    }

    void readMemory(const std::vector<std::string>& cells) {
        ToolMemory memory{.tool = cells[2]};
        const bool isRead = cells[1] == "allocations" && absl::SimpleAtoi(cells[3], &memory.allocations) &&
                            absl::SimpleAtoi(cells[4], &memory.bytes);
        if (isRead) configuration(cells[0]).memory.push_back(std::move(memory));
    }

    std::vector<ConfigurationTimes>& m_configurations;
};

}  // namespace

std::vector<ConfigurationTimes> readTimes(const std::string& output) {
    std::vector<ConfigurationTimes> configurations;
    LineReader reader(configurations);
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) reader.read(line);
    return configurations;
}

}  // namespace mitos::search::experiments
