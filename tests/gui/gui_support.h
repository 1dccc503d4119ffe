// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by GUI tests: a document with its companions, programs in temporary files, waiting for quiet.
#pragma once

#include "views/document/document.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

namespace mitos::test {

/// (x * 2) / 2 over Floats: `div_mul`-like rules of ks-simple apply.
inline constexpr const char* CancelText = "(div (mul x 2.0) 2.0)\n";
inline constexpr const char* FactorText = "(add (mul a b) (mul a c))\n";

inline QString writeText(const QTemporaryDir& folder, const QString& name, const QByteArray& text) {
    const QString path = folder.filePath(name);
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) return {};
    return path;
}

/// Everything a view is made with.
struct Desk {
    views::JobRunner jobs;
    views::Selection selection;
    views::Document document{jobs, selection};

    /// Opens typed text and waits until it is there.
    [[nodiscard]] bool open(const QString& text) {
        document.openText(QStringLiteral("test"), text);
        return QTest::qWaitFor(
            [this] { return document.isOpen() && !document.isOpening() && !document.isReceiving() && jobs.isIdle(); },
            10'000);
    }
    [[nodiscard]] bool settle(int ms = 20'000) {
        return QTest::qWaitFor([this] { return !document.isOpening() && !document.isReceiving() && jobs.isIdle(); },
                               ms);
    }
};

/// The first rewrite of the current state by a direction of that name.
inline std::optional<rewrite::Step> findStep(views::Document& document, const std::string& direction) {
    rewrite::Rewriter rewriter(document.bank(), document.rules().directions(), document.dialect().sharing);
    std::optional<rewrite::Step> found;
    rewriter.forEach(document.current().root, [&](const rewrite::Rewrite& one) {
        if (one.step.rule->name() == direction) found = one.step;
        return !found.has_value();
    });
    return found;
}

/// Any rewrite of the current state.
inline std::optional<rewrite::Step> anyStep(views::Document& document) {
    rewrite::Rewriter rewriter(document.bank(), document.rules().directions(), document.dialect().sharing);
    std::optional<rewrite::Step> found;
    rewriter.forEach(document.current().root, [&](const rewrite::Rewrite& one) {
        found = one.step;
        return false;
    });
    return found;
}

}  // namespace mitos::test
