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
    [[nodiscard]] const ir::TermBank& bank() const { return *m_bank; }
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
};

/// Ks and Cpp are of ks programs; Listing and Onnx of tensor programs.
enum class ExportFormat { Cpp, Ks, Onnx, Listing };

struct ExportOptions {
    ExportFormat format = ExportFormat::Cpp;
    std::string functionName;  ///< C++; empty: the program's
    bool testMain = false;     ///< C++
    bool withThread = true;    ///< the thread in comments
};

/// The formats of the program, the usual one first.
[[nodiscard]] std::vector<ExportFormat> exportFormats(ir::Sharing sharing);
/// The exported text; of Onnx, which is none, an error. Any thread.
[[nodiscard]] Result<std::string> exportText(ExportSource& source, const ExportOptions& options);

}  // namespace mitos::views
