// SPDX-License-Identifier: GPL-3.0-or-later
// The program that checkCpp compiles: it contains both functions, reads inputs and writes results as bytes. Private to core/codegen.
#pragma once

#include "core/codegen/internal/printer.h"
#include "core/eval/evaluator.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mitos::codegen {

/// The driver's source. Called as
///   driver check FILE          the output program's results on all inputs of the file, as bytes
///   driver time FILE SECONDS   batches (core/timing/batches.h) of both programs, alternating on one input: "input" and "output"
[[nodiscard]] std::string driverSource(const ir::TermBank& bank, const ir::Program& signature,
                                       const EmittedProgram& input, const EmittedProgram& output);
/// The same for one program, which is input and output.
[[nodiscard]] std::string driverSource(const ir::TermBank& bank, const ir::Program& program,
                                       const EmittedProgram& emitted);

/// The number of inputs that follow in a file for the driver.
[[nodiscard]] std::string packCount(std::int64_t count);
/// Packs inputs in the format that the driver reads: exact, in the machine's byte order.
[[nodiscard]] std::string packInputs(const eval::Inputs& inputs);
/// Reads one result of a type and removes it from the front; empty if the bytes do not hold one.
[[nodiscard]] std::optional<eval::Value> unpackValue(const ir::TypeTable& types, ir::TypeId type,
                                                     std::string_view& bytes);

}  // namespace mitos::codegen
