// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/partition/internal/known_patterns.h"

#include "core/rules/language/pattern_text.h"
#include "views/common/format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QFile>
#include <QFileInfo>
#include <algorithm>

namespace mitos::views {

KnownPatterns knownPatterns(const QStringList& sets, const std::shared_ptr<const ir::OperatorRegistry>& registry) {
    KnownPatterns known;
    QStringList readable;
    const auto add = [&](const QString& set, bool isShipped) {
        const Result<SourceText> text = rules::patternSetText(QFile::encodeName(set).toStdString());
        if (!text) return;
        const auto patterns = rules::namedPatterns(*text, registry);
        if (!patterns) return;
        if (!isShipped) readable << set;
        for (const rules::PatternSignature& pattern : *patterns) {
            const QString name = fromUtf8(pattern.name);
            if (std::ranges::find(known.patterns, name, &KnownPattern::name) != known.patterns.end()) continue;
            known.patterns.push_back(
                {.name = name,
                 .call = fromUtf8(fmt::format("{}({})", pattern.name, fmt::join(pattern.parameters, ", "))),
                 .explanation = fromUtf8(pattern.doc).simplified(),
                 .sets = isShipped ? QString() : set,
                 .origin = QFileInfo(set).fileName()});
        }
    };
    for (const QString& set : sets) add(set, false);
    for (const std::string& set : rules::shippedPatternSets()) add(fromUtf8(set), true);
    known.sets = readable.join(QLatin1Char(','));
    return known;
}

}  // namespace mitos::views
