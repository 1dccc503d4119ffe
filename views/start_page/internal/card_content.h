// SPDX-License-Identifier: GPL-3.0-or-later
// What the cards of the start page show, computed from the programs that they open. For jobs.
#pragma once

#include "core/base/result.h"
#include "search/run.h"
#include "views/program/program_thumbnail.h"

#include <QFont>
#include <QString>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::views {

struct CardContent {
    std::shared_ptr<const ProgramThumbnail::Content> program;
    std::vector<search::Improvement> curve = {};  ///< of a search; empty if none was asked for
    QString unit = {};                            ///< of the costs
};

/// A program as it would be opened, with the usual rules and cost model.
[[nodiscard]] Result<CardContent> programCard(const std::string& path, const QFont& font, const std::stop_token& stop);
/// The same, with the curve of a short search, which takes some milliseconds and always has the same result.
[[nodiscard]] Result<CardContent> searchCard(const std::string& path, const QFont& font, const std::stop_token& stop);
/// One of core/networks, as the papers print it.
[[nodiscard]] Result<CardContent> networkCard(const std::string& name, const QFont& font, const std::stop_token& stop);

/// The program that a session was begun with. The session is not changed.
[[nodiscard]] Result<CardContent> sessionCard(const std::string& path, const QFont& font, const std::stop_token& stop);

}  // namespace mitos::views
