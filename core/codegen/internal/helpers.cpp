// SPDX-License-Identifier: GPL-3.0-or-later
// The helper templates, read from resources/cpp/helpers.txt.
#include "core/codegen/internal/helpers.h"

#include "core/codegen/internal/shipped_texts.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <sstream>
#include <vector>

namespace mitos::codegen {

namespace {

struct Helper {
    std::string name;
    std::vector<std::string> needs;  ///< other helpers
    std::vector<std::string> headers;
    std::string text;
};

std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

/// The templates of resources/cpp/helpers.txt, in the order of definition.
const std::vector<Helper>& allHelpers() {
    static const std::vector<Helper> all = [] {
        constexpr std::string_view Mark = "//! ";
        std::vector<Helper> read;
        std::istringstream lines{std::string(shippedText("helpers"))};
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with(Mark)) {
                const std::size_t name = line.find(':');
                const std::size_t needs = line.find(';');
                read.push_back({line.substr(Mark.size(), name - Mark.size()),
                                words(line.substr(name + 1, needs - name - 1)),
                                words(line.substr(needs + 1)),
                                {}});
            } else if (!read.empty()) {
                read.back().text += line + '\n';
            }
        }
        return read;
    }();
    return all;
}

}  // namespace

void Helpers::need(const std::string& name) {
    if (!m_names.insert(name).second) return;
    const auto helper = std::ranges::find(allHelpers(), name, &Helper::name);
    assert(helper != allHelpers().end());
    for (const std::string& other : helper->needs) need(other);
    m_headers.insert(helper->headers.begin(), helper->headers.end());
}

std::string Helpers::includes() const {
    std::string text;
    for (const std::string& header : m_headers) text += "#include <" + header + ">\n";
    return text;
}

std::string Helpers::definitions() const {
    if (m_names.empty()) return {};
    std::string text = "namespace ks {\n\n";
    for (const Helper& helper : allHelpers()) {
        if (m_names.contains(helper.name)) text += helper.text + "\n";
    }
    return text + "}  // namespace ks\n";
}

void Helpers::replace(const std::string& name, const std::string& by) {
    if (m_names.erase(name) > 0) need(by);
}

void Helpers::add(const Helpers& other) {
    m_names.insert(other.m_names.begin(), other.m_names.end());
    m_headers.insert(other.m_headers.begin(), other.m_headers.end());
}

}  // namespace mitos::codegen
