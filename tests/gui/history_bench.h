// SPDX-License-Identifier: GPL-3.0-or-later
// A document that steps and searches, for tests of the views of its history.
#pragma once

#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"

#include <QWidget>

namespace mitos::test {

/// Two steps make it cheaper one after the other, so that every search finds a way.
inline constexpr const char* SearchText = "(add (mul a b) (add (mul a c) (mul 1.0 (add 0.0 d))))\n";

struct HistoryBench : Desk {
    [[nodiscard]] bool load(const char* text) { return open(QString::fromUtf8(text)); }
    [[nodiscard]] bool step(const char* rule) {
        const auto found = findStep(document, rule);
        if (!found) return false;
        document.apply(*found);
        return settle();
    }
    /// The run's number once it has ended; 0: it did not.
    [[nodiscard]] views::RunNumber search(const char* strategy, std::uint64_t evaluations = 400) {
        views::SearchSettings settings;
        settings.strategy = QString::fromUtf8(strategy);
        settings.budget.evaluations = evaluations;
        settings.seed = 5;
        const views::RunNumber run = document.startSearch(settings);
        return settle(60'000) ? run : 0;
    }
    [[nodiscard]] rewrite::StateId current() const { return document.history().current(); }
};

template <typename T>
[[nodiscard]] T& part(QWidget& view, const char* name) {
    T* found = view.findChild<T*>(QString::fromUtf8(name));
    if (found == nullptr) qFatal("no %s", name);
    return *found;
}

}  // namespace mitos::test
