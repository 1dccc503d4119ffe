// SPDX-License-Identifier: GPL-3.0-or-later
// The named patterns that a program can be divided by: those that come with Mitos, those of the rules in force, and those of the user's own rule files.
#pragma once

#include "core/ir/operator_registry.h"

#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

namespace mitos::views {

struct KnownPattern {
    QString name;
    QString call;         ///< "Epilog(a, b)"
    QString explanation;  ///< the comment above it; may be empty
    QString sets;         ///< that define it, for rules::findPattern; empty if it comes with Mitos
    QString origin;       ///< name of its set, or of its file
};

struct KnownPatterns {
    std::vector<KnownPattern> patterns;  ///< each name once
    QString sets;                        ///< the sets that could be read, separated by commas
};

/// The patterns of these sets and files, then those that come with Mitos. Sets that cannot be read are left out. Reads files.
[[nodiscard]] KnownPatterns knownPatterns(const QStringList& sets,
                                          const std::shared_ptr<const ir::OperatorRegistry>& registry);

}  // namespace mitos::views
