// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/files/stg.h"

#include "core/base/number_text.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::tasks {

namespace {

class StgReader {
public:
    explicit StgReader(const SourceText& source) : m_source(source), m_text(source.text()) {}

    Result<TaskGraph> read() {
        MITOS_TRY(const std::uint32_t tasks, number("the number of tasks"));
        // A task has a line of at least "0 0 0".
        if (std::size_t{tasks} * 6 > m_text.size()) {
            return fail(fmt::format("the first line announces {} tasks, but the file is too short for them", tasks));
        }
        const std::uint32_t count = tasks + 2;
        std::vector<std::vector<std::uint32_t>> successors(count);
        for (std::uint32_t i = 0; i < count; ++i) MITOS_REQUIRE(task(i, successors));
        if (!next().empty()) return fail(fmt::format("found '{}' after the last of {} tasks", word(), count));
        for (std::uint32_t i = 0; i < count; ++i) {
            if (!successors[i].empty()) {
                m_graph.tensors.push_back({.producer = i, .consumers = std::move(successors[i])});
            }
        }
        MITOS_REQUIRE(checkGraph(m_graph));
        return std::move(m_graph);
    }

private:
    Status task(std::uint32_t expected, std::vector<std::vector<std::uint32_t>>& successors) {
        MITOS_TRY(const std::uint32_t id, number("the number of a task"));
        if (id != expected) return fail(fmt::format("expected task {}, found {}", expected, id));
        MITOS_TRY(const std::uint32_t time, number(fmt::format("the time of task {}", id)));
        MITOS_TRY(const std::uint32_t predecessors, number(fmt::format("the number of predecessors of task {}", id)));
        m_graph.operations.push_back({.name = fmt::format("{}", id), .duration = static_cast<double>(time)});
        for (std::uint32_t k = 0; k < predecessors; ++k) {
            MITOS_TRY(const std::uint32_t before,
                      number(fmt::format("predecessor {} of {} of task {}", k + 1, predecessors, id)));
            if (before >= successors.size()) {
                return fail(fmt::format("task {} has the predecessor {}, but tasks end at {}", id, before,
                                        successors.size() - 1));
            }
            successors[before].push_back(id);
        }
        return Success{};
    }

    /// The next word, which comments interrupt; empty at the end.
    std::string_view next() {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '#') {
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            } else if (isSpace(c)) {
                ++m_at;
            } else {
                break;
            }
        }
        m_begin = m_at;
        while (m_at < m_text.size() && !isSpace(m_text[m_at]) && m_text[m_at] != '#') ++m_at;
        return word();
    }
    [[nodiscard]] std::string_view word() const { return m_text.substr(m_begin, m_at - m_begin); }
    static bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

    Result<std::uint32_t> number(const std::string& what) {
        const std::string_view text = next();
        const std::optional<std::uint32_t> value = numberFrom<std::uint32_t>(text);
        if (!value)
            return fail(
                fmt::format("expected {}, found {}", what, text.empty() ? "the end" : fmt::format("'{}'", text)));
        return *value;
    }
    [[nodiscard]] Error fail(std::string message) const {
        return m_source.error({m_begin, m_at}, std::move(message),
                              "each task has a line: its number, its time, the number of its predecessors, and these");
    }

    const SourceText& m_source;
    const std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_begin = 0;
    TaskGraph m_graph;
};

}  // namespace

Result<TaskGraph> readStg(const SourceText& source) { return StgReader(source).read(); }

}  // namespace mitos::tasks
