// SPDX-License-Identifier: GPL-3.0-or-later
// A card of the start page: a picture, a title, and one line about what one will see.
#pragma once

#include "search/run.h"

#include <QAbstractButton>
#include <QList>
#include <QPointF>
#include <vector>

namespace mitos::views {

/// The best cost of a search, with what it was before and after.
class CurvePicture : public QWidget {
    Q_OBJECT
public:
    explicit CurvePicture(QWidget* parent = nullptr);
    void setCurve(const std::vector<search::Improvement>& curve, const QString& unit);
    [[nodiscard]] QString change() const { return m_change; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QList<QPointF> m_points;
    QString m_costs;
    QString m_change;
};

/// The points of a curve as drawSparkline() takes them.
[[nodiscard]] QList<QPointF> sparklineOf(const std::vector<search::Improvement>& curve);

/// A click, Space or Enter opens what it shows.
class StartCard : public QAbstractButton {
    Q_OBJECT
public:
    StartCard(const char* name, const QString& title, const QString& about, QWidget* parent = nullptr);
    /// Adds a part of the picture, below those before.
    void addPicture(QWidget* picture, int stretch);
    /// Says why the card cannot be used.
    void setUnavailable(const QString& reason);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] int textHeight() const;
    [[nodiscard]] QMargins pictureMargins() const;

    QString m_about;
    QWidget* m_picture;
};

}  // namespace mitos::views
