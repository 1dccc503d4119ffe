// SPDX-License-Identifier: GPL-3.0-or-later
// The program that checkCpp compiles: it contains both functions, reads inputs and writes results as bytes. Private to core/codegen.
#pragma once

#include "core/codegen/internal/emitter.h"
#include "core/eval/evaluator.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mitos::codegen {

/// -O3: without vectorization, two loops often differ mainly in how the compiler keeps a number that it has to put aside for a call
/// before them. NDEBUG removes the checks of sizes and indices, as only inputs are run on which the program has a value. The code is
/// aligned, because otherwise the times of the two programs depend on the addresses of their loops: by a tenth for loops as small as a
/// matrix product's.
inline constexpr std::array<const char*, 5> CompilerFlags{"-std=c++17", "-O3", "-DNDEBUG", "-falign-functions=64",
                                                          "-falign-loops=64"};

/// The driver's source. Called as
///   driver check FILE          the output program's results on all inputs of the file, as bytes
///   driver time FILE SECONDS   "input-seconds output-seconds repetitions", medians of alternating runs on one input
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
