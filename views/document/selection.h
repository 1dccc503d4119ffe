// SPDX-License-Identifier: GPL-3.0-or-later
// The selection bus: what the user is looking at. Any view may read and set it; views never call each other.
#pragma once

#include "core/rewrite/history.h"

#include <QObject>
#include <QString>
#include <optional>

namespace mitos::views {

/// Number of a run within the document, in starting order from 1; 0 means none.
using RunNumber = int;

/// A program beside the current one that is no state of its history. Its terms are in the document's bank.
struct OtherProgram {
    ir::Program program;
    QString title;   ///< "ONNX Runtime's graph (all optimizations)"
    QString remark;  ///< why its cost is not comparable; empty if it is
};

class Selection : public QObject {
    Q_OBJECT
public:
    explicit Selection(QObject* parent = nullptr);

    /// The selected place in the current state's program; nothing if no subterm is selected.
    [[nodiscard]] const std::optional<ir::Path>& subterm() const { return m_subterm; }
    /// The rewrite under the cursor, shown as a preview: a step on the current state, in the document's bank.
    [[nodiscard]] const std::optional<rewrite::Step>& rewrite() const { return m_rewrite; }
    /// Places affected by the item under the pointer (the roots of a rewrite in a list, then everything it replaces);
    /// empty if the pointer is on nothing.
    [[nodiscard]] const std::vector<ir::Path>& touched() const { return m_touched; }
    [[nodiscard]] std::size_t touchedRoots() const { return m_touchedRoots; }  ///< how many of them are roots
    [[nodiscard]] RunNumber run() const { return m_run; }
    /// The state that the current one is compared with, until another program is opened; nothing if no comparison is
    /// shown. It may be the current state itself, after the user made it current.
    [[nodiscard]] const std::optional<rewrite::StateId>& compared() const { return m_compared; }

    /// The program that the current state is compared with instead of a state.
    [[nodiscard]] const std::optional<OtherProgram>& comparedProgram() const { return m_comparedProgram; }
    [[nodiscard]] bool isComparing() const { return m_compared || m_comparedProgram; }

    void setSubterm(std::optional<ir::Path> path);
    void setRewrite(std::optional<rewrite::Step> step);
    void setTouched(std::vector<ir::Path> places, std::size_t roots);
    void setRun(RunNumber run);
    /// Ends a comparison with another program, too.
    void setCompared(std::optional<rewrite::StateId> state);
    void setComparedProgram(OtherProgram program);
    /// Moves back and forward through the subterms selected earlier.
    void back();
    void forward();
    /// Clears everything that belongs to the old state, because a new one is current. Run and comparison stay.
    void clear();

Q_SIGNALS:
    void subtermChanged();
    void rewriteChanged();
    void touchedChanged();
    void runChanged();
    void comparedChanged();

private:
    std::optional<ir::Path> m_subterm;
    std::optional<rewrite::Step> m_rewrite;
    std::vector<ir::Path> m_touched;
    std::size_t m_touchedRoots = 0;
    RunNumber m_run = 0;
    std::optional<rewrite::StateId> m_compared;
    std::optional<OtherProgram> m_comparedProgram;
    std::vector<ir::Path> m_visited;
    std::size_t m_visitedAt = 0;
};

}  // namespace mitos::views
