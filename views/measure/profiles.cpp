// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/measure/profiles.h"

#include "core/base/source_text.h"
#include "views/common/format.h"

#include <QCryptographicHash>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QObject>
#include <QSettings>
#include <QStandardPaths>

namespace mitos::views {

namespace {

QString openedKey() { return QStringLiteral("profiles"); }

QString ownFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/profiles");
}

}  // namespace

QStringList profileNames() {
    QStringList names;
    QDirIterator own(ownFolder(), {QStringLiteral("*.json")}, QDir::Files, QDirIterator::Subdirectories);
    while (own.hasNext()) names << own.next();
    names.sort();
    for (const QString& file : QSettings().value(openedKey()).toStringList()) {
        if (!names.contains(file) && QFileInfo::exists(file)) names << file;
    }
    for (const cost::ShippedProfile& shipped : cost::shippedProfiles()) names << fromUtf8(shipped.name);
    return names;
}

void addProfile(const QString& path) {
    constexpr qsizetype Most = 20;
    const QString whole = QFileInfo(path).absoluteFilePath();
    QSettings settings;
    QStringList files = settings.value(openedKey()).toStringList();
    files.removeAll(whole);
    files.prepend(whole);
    settings.setValue(openedKey(), files.mid(0, Most));
}

QString profileFileFor(const cost::MeasuringSetup& setup) {
    QByteArray all;
    for (const std::string& part :
         {setup.device, setup.processor, setup.features, setup.runtime, setup.blas, setup.settings}) {
        all += QByteArray::fromStdString(part) + '\n';
    }
    all += QByteArray::number(static_cast<qlonglong>(setup.protocol)) + '\n' +
           QByteArray::number(static_cast<qlonglong>(setup.threads));
    constexpr qsizetype Digits = 8;
    const QByteArray digest = QCryptographicHash::hash(all, QCryptographicHash::Sha256).toHex().left(Digits);
    return QStringLiteral("%1/%2/%3.json").arg(ownFolder(), QString::fromLatin1(digest), profileTitleFor(setup));
}

QString profileTitleFor(const cost::MeasuringSetup& setup) {
    const QString where = setup.device == "cpu" ? QObject::tr("processor") : QObject::tr("GPU");
    const QString threads =
        setup.threads == 1 ? QObject::tr("1 thread") : QObject::tr("%L1 threads").arg(setup.threads);
    QString title = QStringLiteral("%1, %2, %3").arg(fromUtf8(setup.runtime), where, threads);
    return title.replace(QLatin1Char('/'), QLatin1Char('-'));
}

QString profileLabel(const QString& name) {
    return name.endsWith(QLatin1String(".json")) ? QFileInfo(name).completeBaseName() : name;
}

Result<cost::CostProfile> knownTimes(const cost::MeasuringSetup& setup) {
    cost::CostProfile known;
    if (const QString file = profileFileFor(setup); QFileInfo::exists(file)) {
        MITOS_TRY(known, cost::findProfile(QFile::encodeName(file).toStdString()));
    }
    known.title = profileTitleFor(setup).toStdString();
    return known;
}

cost::GrowingProfile growingTimes(const cost::MeasuringSetup& setup, cost::CostProfile& profile) {
    const QString file = profileFileFor(setup);
    QDir().mkpath(QFileInfo(file).absolutePath());
    return {QFile::encodeName(file).toStdString(), profile};
}

Result<QString> keepTimes(cost::CostProfile profile) {
    MITOS_REQUIRE(growingTimes(profile.setup, profile).write());
    return profileFileFor(profile.setup);
}

}  // namespace mitos::views
