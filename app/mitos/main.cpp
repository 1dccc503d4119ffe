// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop. `mitos [FILE…]` opens one window per file; --screenshot renders a window without a display.
#include "app/mitos/screenshot.h"
#include "core/base/child_process.h"
#include "core/base/printable.h"
#include "core/base/process_memory.h"
#include "core/base/signal_watch.h"
#include "views/main_window/appearance.h"
#include "views/main_window/main_window.h"
#include "views/main_window/perspectives.h"

#include <CLI/CLI.hpp>

#include <QApplication>
#include <QFile>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using mitos::views::Appearance;

constexpr int BadUsage = 2;

struct Arguments {
    std::vector<std::string> files;
    std::string function;
    std::string session;
    std::pair<std::string, std::string> screenshot;  ///< perspective, PNG file; empty: none
    std::string theme;
    std::string size;
    std::string select;
    std::string show;
    double run = 0.0;
    int textPercent = 100;
};

int complain(const std::string& what) {
    std::fprintf(stderr, "mitos: %s\n", mitos::printable(what).c_str());
    return BadUsage;
}

/// Replaces Qt's fatal message about a missing display by our own; forwards warnings.
void onQtMessage(QtMsgType type, const QMessageLogContext& /*context*/, const QString& text) {
    if (type == QtFatalMsg) {
        std::fprintf(stderr, "mitos: no display could be opened; use mitos-cli, or set QT_QPA_PLATFORM=offscreen.\n");
        std::_Exit(BadUsage);
    }
    if (type == QtWarningMsg || type == QtCriticalMsg)
        std::fprintf(stderr, "%s\n", mitos::printable(text.toStdString()).c_str());
}

/// The message handler for screenshots. It drops messages about features that the offscreen plugin does not support, such as size
/// hints of windows.
void onOffscreenMessage(QtMsgType /*type*/, const QMessageLogContext& /*context*/, const QString& text) {
    if (!text.startsWith(QLatin1String("This plugin does not support"))) {
        std::fprintf(stderr, "%s\n", mitos::printable(text.toStdString()).c_str());
    }
}

bool hasDisplay() {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
        if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return true;
    }
    return false;
}

std::optional<QSize> parseSize(const std::string& text) {
    int width = 0;
    int height = 0;
    char rest = 0;
    if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) != 2) return std::nullopt;
    if (width < 200 || height < 200 || width > 16'000 || height > 16'000) return std::nullopt;
    return QSize(width, height);
}

/// Closes all windows as File > Quit does: sessions are written to disk, searches keep their best threads, and child processes end.
void closeOnSignal(int signal) {
    if (qApp == nullptr) std::_Exit(128 + signal);
    QMetaObject::invokeMethod(
        qApp,
        [signal] {
            QApplication::closeAllWindows();
            QApplication::exit(128 + signal);
        },
        Qt::QueuedConnection);
}

QString pathOf(const std::string& text) { return QFile::decodeName(QByteArray::fromStdString(text)); }

/// The perspectives, and the start page.
QStringList screenshotNames() {
    QStringList names;
    for (const mitos::views::Perspective& each : mitos::views::perspectives()) names << each.name;
    return names << QStringLiteral("start");
}

void describe(CLI::App& app, Arguments& given) {
    app.add_option("FILE", given.files,
                   "ks programs, ONNX models, listings, e-graphs (.json) or session files; a window each");
    app.add_option("--function", given.function, "the function to open (default: the last one of the file)");
    app.add_option("--session", given.session, "a session file to open");
    app.add_option("--screenshot", given.screenshot,
                   "render the window without a display: PERSPECTIVE (" +
                       screenshotNames().join(QStringLiteral(", ")).toStdString() + ") and a PNG file")
        ->type_name("PERSPECTIVE FILE.png");
    app.add_option("--theme", given.theme, "light or dark")->check(CLI::IsMember({"light", "dark"}));
    app.add_option("--size", given.size, "size of the window, 1280x800");
    app.add_option(
           "--run", given.run,
           "search this many seconds, once the program is open; with --screenshot before the picture is made, "
           "where saturate saturates instead, and compare runs the usual comparison with this time for each search")
        ->check(CLI::Range(0.1, 3600.0));
    app.add_option("--text-size", given.textPercent, "with --screenshot: the size of all texts, in percent")
        ->check(CLI::Range(80, 200));
    app.add_option("--select", given.select, "with --screenshot: the subterm to select, /0/2");
    app.add_option("--show", given.show, "with --screenshot: the program as math, text, tree, graph or loops")
        ->check(CLI::IsMember({"math", "text", "tree", "graph", "loops"}));
    app.set_version_flag("--version", std::string("mitos " MITOS_VERSION));
}

Appearance appearanceOf(const Arguments& given) {
    if (given.theme == "light") return Appearance::Light;
    if (given.theme == "dark") return Appearance::Dark;
    return given.screenshot.second.empty() ? mitos::views::Preferences::stored().appearance : Appearance::Light;
}

/// Checks the arguments; returns a message about the first problem, or an empty string.
std::string checked(const Arguments& given) {
    if (!given.size.empty() && !parseSize(given.size)) return "--size takes WIDTHxHEIGHT, such as 1280x800";
    if (given.screenshot.second.empty()) {
        if (!given.select.empty() || !given.show.empty() || given.textPercent != 100)
            return "--select, --show and --text-size belong to --screenshot";
        if (given.run > 0 && given.files.empty() && given.session.empty()) return "--run needs a FILE or a --session";
        return {};
    }
    const std::string& perspective = given.screenshot.first;
    if (!screenshotNames().contains(QString::fromStdString(perspective))) {
        return "there is no perspective '" + perspective +
               "'; there are: " + screenshotNames().join(QStringLiteral(", ")).toStdString();
    }
    if (perspective == "saturate" && given.files.empty()) return "--screenshot saturate needs a FILE";
    if (perspective != "start" && given.files.empty() && given.session.empty()) {
        return "--screenshot " + perspective + " needs a FILE or a --session";
    }
    return {};
}

}  // namespace

int main(int argc, char* argv[]) {
    CLI::App cli("Mitos: explore how programs are optimized by rewriting.", "mitos");
    Arguments given;
    describe(cli, given);
    try {
        cli.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return cli.exit(error);  // --help, --version
        return complain(std::string(error.what()) + " (try --help)");
    }
    if (const std::string wrong = checked(given); !wrong.empty()) return complain(wrong);

    const bool picture = !given.screenshot.second.empty();
    mitos::returnLargeBlocks();
    mitos::TemporaryFolder::cleanUp();
    std::optional<mitos::TemporaryFolder> home;
    if (picture) {
        // A screenshot shows the program in its initial state and does not touch the user's settings and sessions.
        mitos::Result<mitos::TemporaryFolder> made = mitos::TemporaryFolder::make();
        if (!made) return complain(made.error().oneLine());
        home = *std::move(made);
        qputenv("QT_QPA_PLATFORM", "offscreen");
        for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME"})
            qputenv(name, QByteArray::fromStdString(home->path()));
    } else if (!hasDisplay()) {
        return complain("there is no display; use mitos-cli, or set QT_QPA_PLATFORM=offscreen.");
    }
    // Created before the application, which starts threads.
    std::optional<mitos::SignalWatch> watch(std::in_place, closeOnSignal);
    const auto run = [&watch] {
        const int status = QApplication::exec();
        watch.reset();  // its callback requires the application
        return status;
    };
    qInstallMessageHandler(onQtMessage);
    QApplication::setOrganizationName(QStringLiteral("Mitos"));
    QApplication::setApplicationName(QStringLiteral("mitos"));
    QApplication::setApplicationVersion(QStringLiteral(MITOS_VERSION));
    int qtArguments = 1;
    QApplication application(qtArguments, argv);
    qInstallMessageHandler(picture ? onOffscreenMessage : nullptr);
    mitos::views::Preferences preferences = picture ? mitos::views::Preferences() : mitos::views::Preferences::stored();
    preferences.appearance = appearanceOf(given);
    mitos::views::applyPreferences(application, preferences);
    if (given.textPercent != 100) {
        preferences.pointSize = qRound(QApplication::font().pointSizeF() * given.textPercent / 100);
        mitos::views::applyPreferences(application, preferences);
    }

    const auto makeWindow = [&given] {
        auto* window = new mitos::views::MainWindow;
        window->setAttribute(Qt::WA_DeleteOnClose);
        if (const auto size = parseSize(given.size)) {
            window->setMinimumSize(0, 0);
            window->resize(*size);
        }
        return window;
    };
    if (picture) {
        const std::unique_ptr<mitos::views::MainWindow> window(makeWindow());
        window->setAttribute(Qt::WA_DeleteOnClose, false);
        window->show();
        if (given.screenshot.first != "start") {
            if (given.session.empty())
                window->openPath(pathOf(given.files.front()), QString::fromStdString(given.function));
            else
                window->openSession(pathOf(given.session));
        }
        QStringList further;
        for (std::size_t i = 1; i < given.files.size(); ++i) further << pathOf(given.files[i]);
        mitos::app::Screenshot shot(
            *window, {QString::fromStdString(given.screenshot.first), pathOf(given.screenshot.second),
                      QString::fromStdString(given.select), QString::fromStdString(given.show), further, given.run});
        return run();
    }
    const auto showWindow = [&] {
        auto* window = makeWindow();
        window->show();
        if (given.run <= 0) return window;
        const auto search = [window, seconds = given.run] {
            window->setBudgetSeconds(seconds);
            window->runSearch();
        };
        QObject::connect(&window->document(), &mitos::views::Document::opened, window, search,
                         static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
        return window;
    };
    if (!given.session.empty()) {
        auto* window = showWindow();
        window->openSession(pathOf(given.session));
    }
    for (const std::string& file : given.files) {
        auto* window = showWindow();
        window->openPath(pathOf(file), QString::fromStdString(given.function));
    }
    if (given.session.empty() && given.files.empty()) {
        auto* window = showWindow();
        if (preferences.reopenSession) window->reopenLastSession();
    }
    return run();
}
