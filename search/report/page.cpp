// SPDX-License-Identifier: GPL-3.0-or-later
// See page.h.
#include "search/report/page.h"

#include "search/report/html.h"
#include "search/report/internal/script.h"
#include "search/report/internal/style.h"

#include <fmt/format.h>

namespace mitos::search::report {

std::string page(const std::string& title, const std::string& content) {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n<meta "
        "http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action "
        "'none'\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n"
        "<style>{}</style></head>\n<body>\n{}<script>{}</script>\n</body></html>\n",
        StyleHash, ScriptHash, escaped(title), StyleSheet, content, Script);
}

std::string factList(std::span<const std::pair<std::string, std::string>> facts) {
    std::string html = "<dl>\n";
    for (const auto& [what, value] : facts) {
        html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(what), escaped(value));
    }
    return html + "</dl>\n";
}

}  // namespace mitos::search::report
