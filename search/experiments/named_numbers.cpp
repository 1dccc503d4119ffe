// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/experiments/named_numbers.h"

#include "search/experiments/internal/paper_file.h"
#include "search/experiments/shipped_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::search::experiments {

const NamedNumber* NamedNumbers::find(std::string_view name) const {
    const auto found = std::ranges::find(numbers, name, &NamedNumber::name);
    return found == numbers.end() ? nullptr : &*found;
}

Result<NamedNumbers> readNamedNumbers(std::string_view file, std::string_view text) {
    MITOS_TRY(const PaperObject all, PaperObject::parse(file, text));
    MITOS_REQUIRE(all.requireOnly({"paper", "notes", "numbers", "not_found"}));
    NamedNumbers read;
    MITOS_TRY(const std::vector<PaperObject> entries, all.entries("numbers"));
    for (const PaperObject& entry : entries) {
        MITOS_REQUIRE(entry.requireOnly({"name", "value", "meaning", "source"}));
        NamedNumber number;
        MITOS_TRY(number.name, entry.text("name"));
        MITOS_TRY(number.value, entry.number("value"));
        MITOS_TRY(number.meaning, entry.text("meaning"));
        MITOS_TRY(number.source, entry.text("source"));
        if (read.find(number.name) != nullptr) return entry.error(fmt::format("{} is there already", number.name));
        read.numbers.push_back(std::move(number));
    }
    MITOS_TRY(const std::vector<PaperObject> missing, all.entries("not_found"));
    for (const PaperObject& entry : missing) {
        MITOS_REQUIRE(entry.requireOnly({"meaning"}));
        MITOS_TRY(std::string meaning, entry.text("meaning"));
        read.notFound.push_back(std::move(meaning));
    }
    return read;
}

Result<NamedNumbers> namedNumbers(std::string_view name) {
    return readNamedNumbers(fmt::format("{}.json", name), shippedFile(name));
}

ReportTable numbersTable(const NamedNumbers& numbers, std::string text) {
    ReportTable table{.name = "paper",
                      .title = "The paper's numbers",
                      .text = std::move(text),
                      .head = {"number", "source", "value"},
                      .rows = {},
                      .textColumns = 2};
    for (const NamedNumber& number : numbers.numbers)
        table.rows.push_back({number.meaning, number.source, fmt::format("{:g}", number.value)});
    for (const std::string& meaning : numbers.notFound) table.rows.push_back({meaning, "not found", "–"});
    return table;
}

}  // namespace mitos::search::experiments
