// SPDX-License-Identifier: GPL-3.0-or-later
// What is exported: one state of the history and the thread that leads to it, in a bank of its own.
#pragma once

#include "core/codegen/cpp.h"
#include "core/rewrite/step.h"
#include "views/document/document.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mitos::views {

/// Several jobs may hold it at once. The thread's text is made once, under a lock, as that needs the bank to itself;
/// every job asks for it first, and whatever comes after only reads the bank.
class ExportSource {
public:
    /// The document's current state. GUI thread.
    explicit ExportSource(const Document& document);

    /// Any thread.
    [[nodiscard]] const std::string& threadText();
    /// What the thread takes for granted; asked for after its text.
    [[nodiscard]] const std::vector<eval::AssumedSign>& assumptions() const { return m_assumptions; }
    [[nodiscard]] const ir::TermBank& bank() const { return *m_bank; }
    [[nodiscard]] std::shared_ptr<const ir::TermBank> sharedBank() const { return m_bank; }
    [[nodiscard]] const std::vector<double>& costs() const { return m_costs; }
    [[nodiscard]] const rewrite::Thread& thread() const { return m_thread; }
    /// Null: the program is of ks.
    [[nodiscard]] const std::shared_ptr<const OpenModel>& model() const { return m_model; }
    /// Name of the exported function, for file names.
    [[nodiscard]] std::string functionName() const;

private:
    std::shared_ptr<ir::TermBank> m_bank;
    rewrite::Thread m_thread;
    std::shared_ptr<const OpenModel> m_model;
    std::vector<double> m_costs;
    std::string m_costModel;
    std::once_flag m_once;
    std::string m_threadText;
    std::vector<eval::AssumedSign> m_assumptions;
};

/// Ks, Cpp and CppHeader are of ks programs; Listing and Onnx of tensor programs.
enum class ExportFormat { Cpp, CppHeader, Ks, Onnx, Listing };

struct ExportOptions {
    ExportFormat format = ExportFormat::Cpp;
    std::string functionName;  ///< C++; empty: the program's
    std::string nameSpace;     ///< C++; empty: codegen::nameSpaceFor()
    bool testMain = false;     ///< C++
    bool withThread = true;    ///< the thread in comments
    std::string verdict;       ///< on the thread, in the same comment; empty: not known
};

/// The formats of the program, the usual one first.
[[nodiscard]] std::vector<ExportFormat> exportFormats(ir::Sharing sharing);
/// The exported text; of Onnx, which is none, an error. Any thread.
[[nodiscard]] Result<std::string> exportText(ExportSource& source, const ExportOptions& options);

}  // namespace mitos::views
