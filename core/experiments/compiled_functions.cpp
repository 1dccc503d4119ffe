// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/compiled_functions.h"

#include "core/base/source_text.h"
#include "core/codegen/cpp.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace mitos::experiments {

namespace {

constexpr double CompileSeconds = 300.0;
constexpr std::array<const char*, 3> Flags{"-std=c++17", "-O3", "-DNDEBUG"};

}  // namespace

Result<CompiledFunctions> CompiledFunctions::make(std::string compiler, std::stop_token stop) {
    MITOS_TRY(TemporaryFolder folder, TemporaryFolder::make());
    CompiledFunctions made(std::move(folder), std::move(compiler), std::move(stop));
    MITOS_TRY(const ChildOutput version, runChild({made.m_compiler, "--version"}, made.options(CompileSeconds)));
    made.m_compilerText =
        version.output.substr(0, version.output.find('\n')) + fmt::format(" {}", fmt::join(Flags, " "));
    return made;
}

ChildOptions CompiledFunctions::options(double seconds) const {
    return {.seconds = seconds, .folder = m_folder.path(), .stop = m_stop};
}

Result<bool> CompiledFunctions::hasHeader(std::string_view header, const std::vector<std::string>& flags) const {
    MITOS_REQUIRE(write("probe.cpp", fmt::format("#include <{}>\nint main() {{}}\n", header)));
    std::vector<std::string> command{m_compiler, "-std=c++17", "probe.cpp", "-o", "probe"};
    command.insert(command.end(), flags.begin(), flags.end());
    MITOS_TRY(const ChildOutput compiled, runChild(command, options(CompileSeconds)));
    return compiled.exitStatus == 0;
}

Status CompiledFunctions::compile(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command{m_compiler};
    command.insert(command.end(), Flags.begin(), Flags.end());
    command.insert(command.end(), arguments.begin(), arguments.end());
    MITOS_TRY(const ChildOutput compiled, runChild(command, options(CompileSeconds)));
    if (compiled.exitStatus == 0) return Success{};
    const std::size_t error = compiled.errors.find("error:");
    const std::string first = error == std::string::npos ? compiled.errors : compiled.errors.substr(error);
    return Error{ErrorCode::Unsupported,
                 fmt::format("its C++ does not compile: {}", first.substr(0, first.find('\n')))};
}

Status CompiledFunctions::add(const ir::TermBank& bank, const ir::Program& program, const std::string& nameSpace,
                              const std::string& function) {
    const codegen::CppOptions options{.functionName = function, .comment = {}, .nameSpace = nameSpace};
    MITOS_TRY(const std::string source, codegen::emitCpp(bank, program, options));
    MITOS_TRY(const std::string header, codegen::emitCppHeader(bank, program, options));
    MITOS_REQUIRE(write(nameSpace + ".cpp", source));
    MITOS_REQUIRE(write(nameSpace + ".h", header));
    MITOS_REQUIRE(compile({"-c", nameSpace + ".cpp"}));
    m_objects.push_back(nameSpace + ".o");
    return Success{};
}

Status CompiledFunctions::write(const std::string& file, std::string_view text) const {
    return writeFile(fmt::format("{}/{}", m_folder.path(), file), std::string(text));
}

Result<std::string> CompiledFunctions::run(std::string_view source, const std::vector<std::string>& flags,
                                           const std::vector<std::string>& libraries,
                                           const std::vector<std::string>& arguments, double limit) const {
    MITOS_REQUIRE(write("driver.cpp", source));
    std::vector<std::string> all = flags;
    all.insert(all.end(), {"driver.cpp", "-o", "driver"});
    all.insert(all.end(), m_objects.begin(), m_objects.end());
    all.insert(all.end(), libraries.begin(), libraries.end());
    MITOS_REQUIRE(compile(all));
    std::vector<std::string> command{m_folder.path() + "/driver"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    MITOS_TRY(ChildOutput output, runChild(command, options(limit)));
    if (output.exitStatus == 0) return std::move(output.output);
    return Error{ErrorCode::Unsupported, fmt::format("the measuring program ended with status {}: {}",
                                                     output.exitStatus, output.errors.substr(0, 200))};
}

}  // namespace mitos::experiments
