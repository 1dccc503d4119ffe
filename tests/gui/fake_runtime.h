// SPDX-License-Identifier: GPL-3.0-or-later
// A program in the place of a Python that has ONNX Runtime: it answers as resources/onnxruntime/worker.py does, with times of the test's
// choice.
#pragma once

#include "views/preferences/preferences.h"

#include <QFile>
#include <QString>
#include <QTemporaryDir>

namespace mitos::test {

/// The second model takes `ratio` times as long as the first; with `hangs`, it never answers with times. Every operator takes 20 µs.
/// As its optimized graph it gives the file back, unless it is told another one.
struct FakeRuntime {
    QByteArray ratio = "0.5";
    bool hangs = false;
    QString optimized = {};
};

/// Writes the program into the folder, and makes it the Python of the preferences.
inline void useRuntime(const QTemporaryDir& folder, const FakeRuntime& runtime) {
    QByteArray text =
        "#!/bin/sh\nread job\n"
        R"(echo '{"onnxruntime": "9.9.0", "python": "3.99.1", "processor": "Test", "features": "avx2"}')"
        "\n"
        R"x(first=$(echo "$job" | sed 's/.*"models":\["\([^"]*\)".*/\1/')
output=$(echo "$job" | sed 's/.*"output":"\([^"]*\)".*/\1/')
case "$job" in
*'"job":"check"'*)
    echo '{"done": 0}'
    exit ;;
*'"job":"operators"'*)
    count=$(echo "$job" | grep -o '[.]onnx"' | wc -l)
    i=0
    while [ $i -lt $count ]; do
        t=0.00001
        if [ $i -ge 3 ]; then t=0.00003; fi
        echo "{\"model\": $i, \"launches\": 10, \"batches\": [$t,$t,$t,$t,$t,$t,$t,$t,$t,$t,$t,$t,$t,$t,$t]}"
        i=$((i + 1))
    done
    echo "{\"done\": $count}"
    exit ;;
)x";
    const QByteArray made = runtime.optimized.isEmpty() ? QByteArray("$first") : QFile::encodeName(runtime.optimized);
    if (runtime.hangs) text += "*) exec sleep 600 ;;\n";
    text +=
        "*'\"job\":\"optimize\"'*)\n    cp \"" + made + "\" \"$output\"\n    echo '{\"done\": 1}'\n    exit ;;\nesac\n";
    for (int block = 0; block < 5; ++block) {
        const QByteArray number = QByteArray::number(block);
        text += "echo '{\"block\": " + number + ", \"launches\": [1, 1]}'\n";
        text += "echo '{\"block\": " + number + ", \"seconds\": [0.002, " +
                QByteArray::number(0.002 * runtime.ratio.toDouble()) + "], \"elapsed\": 0.005}'\n";
    }
    QFile file(folder.filePath(QStringLiteral("python")));
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) qFatal("the runtime cannot be written");
    file.write(text + "echo '{\"done\": 5}'\n");
    file.close();
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    views::Preferences preferences = views::Preferences::stored();
    preferences.python = file.fileName();
    preferences.store();
}

}  // namespace mitos::test
