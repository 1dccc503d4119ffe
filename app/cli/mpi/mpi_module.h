// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of mitos-mpi.so, which is loaded at run time so that mitos-cli does not link MPI.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mitos::cli {

/// Calls are made by one thread, the one that joins. Functions return whether they succeeded.
struct MpiModule {
    /// Grows with every change of this structure; the first member in all versions.
    static constexpr std::uint32_t CurrentVersion = 1;
    std::uint32_t version = CurrentVersion;

    /// Starts MPI, and from then on ends all processes if this one exits before finish(). The number of this process, the number of
    /// all, and this one's share of the processors that those on this machine may use.
    bool (*join)(std::uint32_t* rank, std::uint32_t* size, std::uint32_t* processors) = nullptr;
    /// Sends bytes to all processes and receives theirs: give(context, rank, part, length) is called with the parts of each process in order.
    /// Waiting takes little processor time.
    bool (*allGather)(const char* own, std::size_t length, void* context,
                      void (*give)(void* context, std::uint32_t rank, const char* part, std::size_t length)) = nullptr;
    void (*finish)() = nullptr;
};

/// The one function that the module exports.
inline constexpr const char* GetMpiModuleName = "mitosMpiModule";

}  // namespace mitos::cli
