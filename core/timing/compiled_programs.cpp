// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/compiled_programs.h"

#include "core/base/source_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace mitos::timing {

namespace {

constexpr double VersionSeconds = 20.0;
constexpr std::size_t MostMessages = 4000;  // bytes of a compiler's messages
constexpr std::size_t MostErrors = 200;     // bytes of a program's

}  // namespace

std::string flagsText() { return fmt::format("{}", fmt::join(CompilerFlags, " ")); }

std::string Compilation::firstError() const {
    const std::size_t error = messages.find("error:");
    const std::string first = error == std::string::npos ? messages : messages.substr(error);
    return first.substr(0, first.find('\n'));
}

Status Compilation::status() const {
    if (isAccepted) return Success{};
    return Error{ErrorCode::Unsupported, fmt::format("the compiler refused the program: {}", firstError())};
}

Result<CompiledPrograms> CompiledPrograms::make(CompileOptions options) {
    MITOS_TRY(TemporaryFolder folder, TemporaryFolder::make());
    CompiledPrograms made(std::move(folder), std::move(options));
    const Result<ChildOutput> version = runChild({made.m_options.compiler, "--version"}, made.child(VersionSeconds));
    if (!version) {
        Error error = version.error();
        if (error.code == ErrorCode::Io) error.hint = "install a C++ compiler (Debian: g++)";
        return error;
    }
    made.m_version = version->output.substr(0, version->output.find('\n'));
    return made;
}

ChildOptions CompiledPrograms::child(double seconds) const {
    return {.seconds = seconds, .folder = m_folder.path(), .stop = m_options.stop};
}

Status CompiledPrograms::write(const std::string& file, std::string_view content) const {
    return writeFile(fmt::format("{}/{}", m_folder.path(), file), std::string(content));
}

Result<Compilation> CompiledPrograms::compile(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command{m_options.compiler};
    command.insert(command.end(), CompilerFlags.begin(), CompilerFlags.end());
    command.insert(command.end(), arguments.begin(), arguments.end());
    MITOS_TRY(const ChildOutput output, runChild(command, child(m_options.seconds)));
    return Compilation{output.exitStatus == 0, output.errors.substr(0, MostMessages)};
}

Result<bool> CompiledPrograms::hasHeader(std::string_view header, const std::vector<std::string>& flags) const {
    MITOS_REQUIRE(write("probe.cpp", fmt::format("#include <{}>\nint main() {{}}\n", header)));
    std::vector<std::string> arguments{"probe.cpp", "-o", "probe"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    MITOS_TRY(const Compilation compiled, compile(arguments));
    return compiled.isAccepted;
}

Result<ChildOutput> CompiledPrograms::run(const std::string& program, const std::vector<std::string>& arguments,
                                          double seconds) const {
    std::vector<std::string> command{fmt::format("{}/{}", m_folder.path(), program)};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return runChild(command, child(seconds));
}

Result<std::string> CompiledPrograms::measure(const std::string& program, const std::vector<std::string>& arguments,
                                              double seconds) const {
    MITOS_TRY(ChildOutput output, run(program, arguments, seconds));
    if (output.exitStatus == 0) return std::move(output.output);
    std::string message = fmt::format("the compiled program ended with status {}", output.exitStatus);
    if (!output.errors.empty()) message += ": " + output.errors.substr(0, MostErrors);
    return Error{ErrorCode::Unsupported, std::move(message)};
}

bool isOfProgram(const Error& error) { return error.code != ErrorCode::Io && error.code != ErrorCode::Cancelled; }

}  // namespace mitos::timing
