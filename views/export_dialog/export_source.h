// SPDX-License-Identifier: GPL-3.0-or-later
// The source of an export: one state of the history and the thread that leads to it, in its own bank.
#pragma once

#include "core/codegen/cpp.h"
#include "core/ir/dialect.h"
#include "core/rewrite/step.h"
#include "views/document/document.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mitos::views {

/// Several jobs may share it. The thread's text is made once, under a lock, because that needs exclusive access to the
/// bank; every job calls threadText() first, and only reads the bank afterwards.
class ExportSource {
public:
    /// Copies the document's current state. GUI thread.
    explicit ExportSource(const Document& document);

    /// The thread as text. Thread-safe.
    [[nodiscard]] const std::string& threadText();
    /// The assumptions made by the thread; valid after threadText().
    [[nodiscard]] const std::vector<eval::AssumedSign>& assumptions() const { return m_assumptions; }
    [[nodiscard]] const ir::TermBank& bank() const { return *m_bank; }
    [[nodiscard]] std::shared_ptr<const ir::TermBank> sharedBank() const { return m_bank; }
    [[nodiscard]] const std::vector<double>& costs() const { return m_costs; }
    [[nodiscard]] const rewrite::Thread& thread() const { return m_thread; }
    /// Null for a ks program.
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

/// Ks, Cpp and CppHeader are for ks programs; Listing and Onnx for tensor programs.
enum class ExportFormat { Cpp, CppHeader, Ks, Onnx, Listing };

struct ExportOptions {
    ExportFormat format = ExportFormat::Cpp;
    std::string functionName;  ///< C++; empty: the name in the program
    std::string nameSpace;     ///< C++; empty: codegen::nameSpaceFor()
    bool testMain = false;     ///< C++; adds a test main()
    bool withThread = true;    ///< adds the thread as comments
    std::string verdict;       ///< verdict on the thread, added to the same comment; empty if not known
};

/// The formats available for such programs, the default first.
[[nodiscard]] std::vector<ExportFormat> exportFormats(const ir::Dialect& dialect);
/// The exported text; fails for Onnx, which is binary. Thread-safe.
[[nodiscard]] Result<std::string> exportText(ExportSource& source, const ExportOptions& options);

}  // namespace mitos::views
