// SPDX-License-Identifier: GPL-3.0-or-later
// The regions of the open program that a pattern gives (core/partition), and the one that the user looks at.
#pragma once

#include "core/partition/partition.h"
#include "views/document/document.h"
#include "views/job_runner/query.h"

#include <QObject>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

namespace mitos::views {

/// Why programs of a dialect have no regions; empty if they have.
[[nodiscard]] QString regionObstacle(const ir::Dialect& dialect);

struct RegionRequest {
    QString pattern;  ///< a name, or a left side (rules::findPattern)
    QString sets =
        {};  ///< the sets and files that may define it, separated by commas; those that come with the program follow
    int leastNodes = 1;  ///< operators that a region has at least

    friend bool operator==(const RegionRequest&, const RegionRequest&) = default;
};

/// A region, with its terms in the document's bank.
struct ShownRegion {
    partition::Region region;
    std::size_t form = 0;  ///< number of its form (partition::groupsOf), from 1
    QString name;          ///< "Epilog 2", as steps name it
    QString root;          ///< name of the node where the pattern matches
    ir::Path place;        ///< of that node
    QString operators;
    QString inputs;
    QString outputs;
    std::optional<double> cost;  ///< of its program; nothing if the cost model does not price it
    QString problem;             ///< why there is no cost or no program
};

/// A match that is no region.
struct ShownRefusal {
    partition::RefusedMatch match;
    QString root;
    ir::Path place;
    QString reason;  ///< "t leads out of it and back into it"
    QString law;     ///< that it breaks
};

/// The regions of a state. A value.
struct FoundRegions {
    ir::Program program;
    RegionRequest request;
    QString pattern;        ///< as it was loaded: "Epilog(a, b)"
    QString name;           ///< "Epilog"
    QString set;            ///< the set or file that defines it
    std::size_t forms = 0;  ///< different ones
    std::vector<ShownRegion> regions;
    std::vector<ShownRefusal> refused;
    std::size_t unfinished = 0;  ///< roots at which not all matches were looked at
    std::size_t operators = 0;   ///< of the program
    std::size_t covered = 0;     ///< of these, in regions
    std::optional<double> cost;  ///< of the program
    bool isStopped = false;

    /// Part of the whole cost, 0…1; negative if it is not known.
    [[nodiscard]] double share(std::size_t region) const;
};

/// Divides the current state by the pattern that is asked for, in a job, and again after each change of state or cost model. The request is kept
/// in the session; the regions go with the program.
class Regions : public QObject {
    Q_OBJECT
public:
    Regions(Document& document, JobRunner& jobs, QObject* parent = nullptr);

    void find(const RegionRequest& request);
    /// Stops the search for regions; those that were found are kept.
    void stop();
    /// There is no request any more.
    void clear();

    [[nodiscard]] bool isRunning() const { return m_query.isRunning(); }
    [[nodiscard]] const std::optional<RegionRequest>& request() const { return m_request; }
    /// Null if there are none, or while they are not known.
    [[nodiscard]] const std::shared_ptr<const FoundRegions>& found() const { return m_found; }
    /// Why there are none.
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    /// The index of the region that the user looks at.
    [[nodiscard]] std::optional<std::size_t> chosen() const { return m_chosen; }
    void choose(std::optional<std::size_t> region);

Q_SIGNALS:
    void changed();  ///< request, regions, error, or whether it is running
    void chosenChanged();

private:
    void ask();
    void take(Result<FoundRegions> found);
    void drop();
    void remember();
    void recall();

    Document& m_document;
    Query m_query;
    std::optional<RegionRequest> m_request;
    std::shared_ptr<const FoundRegions> m_found;
    std::optional<Error> m_error;
    std::optional<std::size_t> m_chosen;
};

/// A copy of the regions' program, with the regions' terms in it, for work on another thread that adds terms.
struct RegionCopies {
    ProgramCopy copy;
    std::vector<partition::Region> regions;
    std::vector<partition::RefusedMatch> refused;
};
[[nodiscard]] RegionCopies copyOf(const Snapshot& snapshot, const FoundRegions& found);

}  // namespace mitos::views
