// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/layouts.h"

#include <QWidget>

namespace mitos::views {

namespace {

template <typename Layout>
Layout* filled(Layout* made, std::initializer_list<LayoutItem> items, const LayoutSpace& space) {
    if (space.margins) made->setContentsMargins(*space.margins);
    if (space.spacing) made->setSpacing(*space.spacing);
    for (const LayoutItem& item : items) {
        if (item.widget != nullptr)
            made->addWidget(item.widget, item.stretch, item.alignment);
        else if (item.layout != nullptr)
            made->addLayout(item.layout, item.stretch);
        else if (item.space > 0)
            made->addSpacing(item.space);
        else
            made->addStretch(item.stretch);
    }
    return made;
}

}  // namespace

QVBoxLayout* columnOf(std::initializer_list<LayoutItem> items, const LayoutSpace& space) {
    return filled(new QVBoxLayout, items, space);
}

QHBoxLayout* rowOf(std::initializer_list<LayoutItem> items, const LayoutSpace& space) {
    return filled(new QHBoxLayout, items, space);
}

void fillColumn(QWidget* widget, std::initializer_list<LayoutItem> items, const LayoutSpace& space) {
    filled(new QVBoxLayout(widget), items, space);
}

void fillRow(QWidget* widget, std::initializer_list<LayoutItem> items, const LayoutSpace& space) {
    filled(new QHBoxLayout(widget), items, space);
}

}  // namespace mitos::views
