// SPDX-License-Identifier: GPL-3.0-or-later
// The source of an export.
#include "views/export_dialog/export_source.h"

#include "core/dialects/dialects.h"
#include "core/rewrite/assumptions.h"

#include <sstream>
#include <utility>

namespace mitos::views {

namespace {

/// The text as comments, line by line.
std::string asComment(const std::string& text, const std::string& sign) {
    std::istringstream lines(text);
    std::string comment;
    for (std::string line; std::getline(lines, line);) {
        comment += sign;
        if (!line.empty()) comment += ' ';
        comment += line;
        comment += '\n';
    }
    return comment;
}

}  // namespace

ExportSource::ExportSource(const Document& document)
    : m_model(document.model()),
      m_costModel(document.costModel().info().name) {
    const rewrite::History& history = document.history();
    const rewrite::Thread thread = history.threadTo(history.current());
    m_bank = document.snapshot(thread.start).copy().bank;
    m_thread = rewrite::transplant(document.bank(), thread, *m_bank);
    for (const rewrite::StateId state : history.pathTo(history.current())) m_costs.push_back(history.state(state).cost);
}

const std::string& ExportSource::threadText() {
    std::call_once(m_once, [this] {
        m_threadText = rewrite::writeThread(*m_bank, m_thread, m_costs, m_costModel);
        m_assumptions = rewrite::signsOf(*m_bank, rewrite::assumptionsOf(*m_bank, m_thread));
    });
    return m_threadText;
}

std::string ExportSource::functionName() const { return m_bank->function(m_thread.start.function).name; }

std::vector<ExportFormat> exportFormats(const ir::Dialect& dialect) {
    std::vector<ExportFormat> formats;
    if (dialect.canExport("onnx")) formats = {ExportFormat::Onnx};
    if (dialect.canExport("cpp")) formats = {ExportFormat::Cpp, ExportFormat::CppHeader};
    formats.push_back(dialect.canExport("ks") ? ExportFormat::Ks : ExportFormat::Listing);
    return formats;
}

Result<std::string> exportText(ExportSource& source, const ExportOptions& options) {
    std::string thread = source.threadText();
    if (!options.verdict.empty()) thread = rewrite::withRemark(std::move(thread), "verdict: " + options.verdict);
    const ir::Program program = source.thread().end();
    if (options.format == ExportFormat::Onnx) {
        return Error{ErrorCode::Unsupported, "an ONNX model is binary", std::nullopt, "save it to a file"};
    }
    const bool isCpp = options.format == ExportFormat::Cpp || options.format == ExportFormat::CppHeader;
    if (!isCpp) {
        const std::string sign = options.format == ExportFormat::Ks ? ";" : "#";
        const std::string comment = options.withThread ? asComment(thread, sign) : std::string();
        return comment + dialects::printProgram(source.bank(), program);
    }
    const codegen::CppOptions cpp{
        .functionName = options.functionName,
        .testMain = options.testMain,
        .comment = options.withThread ? thread : std::string(),
        .nameSpace = options.nameSpace.empty() ? codegen::nameSpaceFor(source.bank(), program, {}) : options.nameSpace};
    return options.format == ExportFormat::Cpp ? codegen::emitCpp(source.bank(), program, cpp)
                                               : codegen::emitCppHeader(source.bank(), program, cpp);
}

}  // namespace mitos::views
