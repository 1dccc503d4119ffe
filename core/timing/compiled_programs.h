// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles C++, runs what was compiled, and times it. All that Mitos compiles is compiled here, with the same flags.
#pragma once

#include "core/base/child_process.h"
#include "core/base/result.h"
#include "core/timing/batches.h"

#include <array>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::timing {

/// -O3: without vectorization, two loops often differ mainly in how the compiler keeps a number that it has to put aside for a call
/// before them. NDEBUG removes the checks of sizes and indices, as only inputs are run on which the program has a value. The code is
/// aligned, because otherwise the times of two programs depend on the addresses of their loops: by a tenth for loops as small as a
/// matrix product's.
inline constexpr std::array<const char*, 5> CompilerFlags{"-std=c++17", "-O3", "-DNDEBUG", "-falign-functions=64",
                                                          "-falign-loops=64"};
/// "-std=c++17 -O3 …".
[[nodiscard]] std::string flagsText();

struct CompileOptions {
    std::string compiler = "c++";  ///< searched on PATH
    double seconds = 300.0;        ///< after which a compilation is stopped
    std::stop_token stop = {};     ///< ends compilations and runs
};

/// The compiler's answer.
struct Compilation {
    bool isAccepted = false;
    std::string messages;  ///< on standard error

    /// The first error, without the place in the file; the first line if there is no error.
    [[nodiscard]] std::string firstError() const;
    /// Unsupported with the first error if the program was refused.
    [[nodiscard]] Status status() const;
};

/// A private folder in which programs are compiled and run. It is removed in the end. All functions fail with Io if a program cannot be
/// started or a file cannot be written, with Limit after a time limit, and with Cancelled after a stop.
class CompiledPrograms {
public:
    /// Fails with Io if there is no compiler of this name; the hint says how to get one.
    [[nodiscard]] static Result<CompiledPrograms> make(CompileOptions options);

    /// The first line of the compiler's --version.
    [[nodiscard]] const std::string& compilerVersion() const { return m_version; }
    [[nodiscard]] Status write(const std::string& file, std::string_view content) const;
    /// Runs the compiler in the folder with CompilerFlags and these arguments: further flags, sources, `-o` and a name, libraries.
    [[nodiscard]] Result<Compilation> compile(const std::vector<std::string>& arguments) const;
    /// Whether a program that only includes a header compiles and links with these flags.
    [[nodiscard]] Result<bool> hasHeader(std::string_view header, const std::vector<std::string>& flags) const;
    /// Runs a program of the folder there; its exit status may be any.
    [[nodiscard]] Result<ChildOutput> run(const std::string& program, const std::vector<std::string>& arguments,
                                          double seconds) const;
    /// Runs a program that contains measuringText(). Also fails with Unsupported if it ends with another status than 0.
    [[nodiscard]] Result<std::string> measure(const std::string& program, const std::vector<std::string>& arguments,
                                              double seconds) const;

private:
    CompiledPrograms(TemporaryFolder folder, CompileOptions options)
        : m_folder(std::move(folder)),
          m_options(std::move(options)) {}
    [[nodiscard]] ChildOptions child(double seconds) const;

    TemporaryFolder m_folder;
    CompileOptions m_options;
    std::string m_version;
};

/// Whether an error is about one program, and not about the machine or the user's stop: other programs can go on.
[[nodiscard]] bool isOfProgram(const Error& error);

}  // namespace mitos::timing
