// SPDX-License-Identifier: GPL-3.0-or-later
// Translates TENSAT's text rules to rules of our language, which are then loaded like any others. Its semantics are kept, sound or not:
// the number of groups of a convolution follows from the shapes, elementwise operators do not broadcast, and split divides where the
// last concat joined. Of two convolutions that differ in a fused activation only, either matches on the left side, and the right side has
// the fused one (FusedConv). A rule that joins convolutions, which is wrong for those with groups, is followed at the end of the set by one
// for those without: tensat_137_restricted.
#pragma once

#include "core/base/source_text.h"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::rules::tensat {

/// "tensat:FILE" names a set of such rules, "tensat:FOLDER" all that were published.
constexpr std::string_view Prefix = "tensat:";
/// The file or folder in the name of a set; nothing if it names another kind of set.
[[nodiscard]] std::optional<std::string> fileOf(std::string_view setName);

/// The files of a folder, in the order in which papers number their rules from 0: the generated rules with one root, the four written
/// by hand, then those with two roots in the same way.
constexpr std::array<std::string_view, 4> FolderFiles{"single.txt", "predefined-single.txt", "multi.txt",
                                                      "predefined-multi.txt"};
/// The folder in the name of a set; nothing if it names anything else, or if there is no such folder.
[[nodiscard]] std::optional<std::string> folderOf(std::string_view setName);
/// Reads the files of a folder. Fails if one is missing, since the rules after it would have other numbers.
[[nodiscard]] Result<std::vector<SourceText>> readFolder(const std::string& folder);

struct Translation {
    std::string text;                           ///< a rule file
    std::map<std::string, SourcePlace> places;  ///< by name of rule ("single_12"): its place in TENSAT's file
    std::vector<Error> errors;                  ///< for lines that are not rules
    std::vector<Error> omitted;                 ///< rules that our operators cannot express, with the reason
};

/// Translates a file of rules. A rule is named after the file and its (first) line. The source has the name of the set.
[[nodiscard]] Translation translate(const SourceText& source);
/// Translates the files of a folder as one set; its rules are tensat_0, tensat_1, ….
[[nodiscard]] Translation translateFolder(const std::string& folder, std::span<const SourceText> files);

}  // namespace mitos::rules::tensat
