// SPDX-License-Identifier: GPL-3.0-or-later
// Writes regions as files of their own.
#pragma once

#include "core/base/result.h"
#include "core/ir/dialect.h"
#include "core/partition/region_program.h"
#include "core/tensor/model.h"

#include <optional>
#include <string>
#include <vector>

namespace mitos::storage {

/// How regions are written.
struct RegionFiles {
    std::string format;  ///< "onnx" or "c++"
    std::string folder;
    const tensor::Model* model = nullptr;  ///< that the program comes from; null if it comes from none
};

/// Fails if programs of the dialect have no such form.
[[nodiscard]] Status requireForm(const std::string& format, const ir::Dialect& dialect);
/// Fails as requireForm() does, or if no file can be written in the folder, which is made if it is missing.
[[nodiscard]] Status requireExport(const RegionFiles& files, const ir::Dialect& dialect);

/// A file of a region.
struct RegionFile {
    std::size_t number = 0;                  ///< of the region, from 1
    std::string path;                        ///< empty if there is none, since the region has no program
    std::optional<Error> error;              ///< why it was not written
    std::vector<std::string> findings = {};  ///< of ONNX's checks, if they reject it

    [[nodiscard]] bool isFine() const { return !error && findings.empty(); }
};
/// Writes a region's program, FOLDER/region-3.onnx or FOLDER/region-3.cpp with its header; each file completely or not at all.
[[nodiscard]] RegionFile writeRegion(const RegionFiles& files, std::size_t number, const ir::TermBank& bank,
                                     const partition::RegionProgram& program);

}  // namespace mitos::storage
