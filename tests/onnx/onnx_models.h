// SPDX-License-Identifier: GPL-3.0-or-later
// Models to test with: where they lie, and a bank to read them into.
#pragma once

#include "core/tensor/model.h"
#include "core/tensor/operator.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mitos::tests {

[[nodiscard]] std::shared_ptr<const ir::OperatorRegistry> tensorRegistry();

/// Models with expected outputs, from the package libonnx-testdata, sorted; none if it is not installed.
[[nodiscard]] std::vector<std::filesystem::path> conformanceModels();
/// The networks of the shared reference data.
[[nodiscard]] std::filesystem::path networkFolder();

[[nodiscard]] std::string fileBytes(const std::filesystem::path& path);

/// The number of nodes by operator: each shared node once, leaves and elements of tuples left out.
[[nodiscard]] std::map<std::string, int> nodeCounts(const ir::TermBank& bank, ir::TermId root);

/// The program as text, every node once: "Add(x, Relu(x))". For small ones.
[[nodiscard]] std::string text(const ir::TermBank& bank, ir::TermId term);

}  // namespace mitos::tests
