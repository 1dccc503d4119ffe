// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/internal/time_lines.h"

#include <absl/strings/numbers.h>

#include <sstream>
#include <string_view>
#include <utility>

namespace mitos::experiments {

namespace {

class LineReader {
public:
    explicit LineReader(std::vector<ConfigurationTimes>& configurations) : m_configurations(configurations) {}

    void read(const std::string& line) {
        std::vector<std::string> cells;
        std::istringstream parts(line);
        for (std::string cell; std::getline(parts, cell, ',');) cells.push_back(cell);
        if (cells.size() == 9) readTime(cells);
        if (cells.size() == 5) readMemory(cells);
    }

private:
    ConfigurationTimes& configuration(std::string_view name) {
        if (m_configurations.empty() || m_configurations.back().name != name) {
            m_configurations.push_back({std::string(name), {}, {}, {}, {}});
        }
        return m_configurations.back();
    }

    void readTime(const std::vector<std::string>& cells) {
        ToolTime time{.tool = cells[2]};
        const bool isRead = absl::SimpleAtod(cells[3], &time.median) && absl::SimpleAtod(cells[4], &time.lowest) &&
                            absl::SimpleAtod(cells[5], &time.highest) && absl::SimpleAtod(cells[6], &time.spread) &&
                            absl::SimpleAtod(cells[7], &time.apart) && absl::SimpleAtoi(cells[8], &time.calls);
        if (!isRead) return;
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

}  // namespace mitos::experiments
