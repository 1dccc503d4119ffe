// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/experiments/compiled_functions.h"

#include "core/codegen/cpp.h"

#include <utility>

namespace mitos::search::experiments {

Result<CompiledFunctions> CompiledFunctions::make(std::string compiler, std::stop_token stop) {
    MITOS_TRY(timing::CompiledPrograms programs,
              timing::CompiledPrograms::make({.compiler = std::move(compiler), .stop = std::move(stop)}));
    return CompiledFunctions(std::move(programs));
}

std::string CompiledFunctions::compiler() const { return m_programs.compilerVersion() + " " + timing::flagsText(); }

Status CompiledFunctions::add(const ir::TermBank& bank, const ir::Program& program, const std::string& nameSpace,
                              const std::string& function) {
    const codegen::CppOptions options{.functionName = function, .comment = {}, .nameSpace = nameSpace};
    MITOS_TRY(const std::string source, codegen::emitCpp(bank, program, options));
    MITOS_TRY(const std::string header, codegen::emitCppHeader(bank, program, options));
    MITOS_REQUIRE(m_programs.write(nameSpace + ".cpp", source));
    MITOS_REQUIRE(m_programs.write(nameSpace + ".h", header));
    MITOS_TRY(const timing::Compilation compiled, m_programs.compile({"-c", nameSpace + ".cpp"}));
    MITOS_REQUIRE(compiled.status());
    m_objects.push_back(nameSpace + ".o");
    return Success{};
}

Result<std::string> CompiledFunctions::run(std::string_view source, const std::vector<std::string>& flags,
                                           const std::vector<std::string>& libraries,
                                           const std::vector<std::string>& arguments, double limit) const {
    MITOS_REQUIRE(m_programs.write("driver.cpp", source));
    std::vector<std::string> all = flags;
    all.insert(all.end(), {"driver.cpp", "-o", "driver"});
    all.insert(all.end(), m_objects.begin(), m_objects.end());
    all.insert(all.end(), libraries.begin(), libraries.end());
    MITOS_TRY(const timing::Compilation compiled, m_programs.compile(all));
    MITOS_REQUIRE(compiled.status());
    return m_programs.measure("driver", arguments, limit);
}

}  // namespace mitos::search::experiments
