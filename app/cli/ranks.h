// SPDX-License-Identifier: GPL-3.0-or-later
// The processes that mpirun or srun has started to run one command together.
#pragma once

#include "core/base/result.h"
#include "core/random_keys/team.h"

#include <memory>

namespace mitos::cli {

/// This process among those that were started together, which all run the same command with the same arguments; alone, if it was started in
/// another way. While they are joined, only the first one prints: what the others print, errors included, is dropped.
///
///     MITOS_TRY(const auto ranks, Ranks::join());
///     return ranks->settle(work(*ranks));
///
/// A process that ends without settle(), by an exception for instance, ends the others, too.
class Ranks {
public:
    /// A process counts as started together with others if Open MPI's mpirun or another MPI launcher says so in the environment. Slurm says
    /// it for programs without MPI, too; there MPI itself decides. MITOS_MPI=off in the environment makes each process work alone. Fails if the module for MPI
    /// cannot be loaded, or does not see the other processes. Must be called after the signals are blocked (InterruptGuard), since MPI starts threads.
    [[nodiscard]] static Result<std::unique_ptr<Ranks>> join();
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    ~Ranks();

    /// Null if the process is alone. A call fails on all processes once one of them has left by settle() with an error.
    [[nodiscard]] random_keys::Team* team() const;
    /// Whether this process prints and writes files.
    [[nodiscard]] bool isFirst() const;
    /// Whether it is true on any process. All of them ask at the same point. False once one of them has failed: the next step says so.
    [[nodiscard]] bool any(bool own) const;
    /// Threads for the processors that this process may use, divided among those that may use the same ones.
    [[nodiscard]] unsigned defaultJobs() const;

    /// Ends the work of all processes. The first one gets its own exit status, or the error of the first process that failed; the
    /// others get 0, since a launcher that sees one end with an error may end the first one before it has said why.
    [[nodiscard]] Result<int> settle(Result<int> own);

private:
    struct Members;
    class Processes;
    explicit Ranks(std::unique_ptr<Members> members);
    std::unique_ptr<Members> m_members;
};

}  // namespace mitos::cli
