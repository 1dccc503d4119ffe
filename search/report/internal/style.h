// SPDX-License-Identifier: GPL-3.0-or-later
// The report's style sheet. Colours, and the order of line colours and dashes, are those of the desktop (views/theme). The page's
// Content-Security-Policy permits this text by its hash, which a test checks.
#pragma once

#include <cstddef>
#include <string_view>

namespace mitos::search::report {

/// The numbers of line colours (classes c0 to c6) and dashes (d0 to d3); further series reuse them from the start.
inline constexpr std::size_t SeriesColours = 7;
inline constexpr std::size_t SeriesDashes = 4;

inline constexpr std::string_view StyleHash = "d2hV+LE76yolkudm/wiqPdJ/7QR3LDgdGadnwj8rKu0=";

inline constexpr std::string_view StyleSheet = R"css(
:root { color-scheme: light dark; --ground: #f7f6f3; --panel: #ffffff; --line: #e4e2dc; --border: #d3d0c8; --text: #1d2329;
  --soft: #5d666f; --accent: #0f5c77; --on-accent: #ffffff; --chosen: #e2eff5; --best: #8f6008; --better: #0b66a8;
  --worse: #b2500f; --passed: #1f7a45; --added: #dff0e6; --moved: #e6dff5; --next: #c98a12; --alarm: #fbe3d6;
  --alarm-text: #7a2e00; --c0: #0072b2; --c1: #b75301; --c2: #00805f; --c3: #a8497f; --c4: #9c6b00; --c5: #2f83b5;
  --c6: #8a7a00; }
@media (prefers-color-scheme: dark) { :root { --ground: #16191d; --panel: #1d2126; --line: #2d333a; --border: #3c444d;
  --text: #e6e8ea; --soft: #9aa4ae; --accent: #4cb3d4; --on-accent: #10222a; --chosen: #1f3a45; --best: #e3b04b;
  --better: #5fb0ea; --worse: #f0a060; --passed: #6fc08f; --added: #1b3f35; --moved: #443a5c; --next: #e3b04b;
  --alarm: #4a2c22; --alarm-text: #ffd0b0; --c0: #56b4e9; --c1: #e69f00; --c2: #2bc79a; --c3: #df96c0; --c4: #f0e442;
  --c5: #ee8a4a; --c6: #8fb8ff; } }
* { box-sizing: border-box; }
body { background: var(--ground); color: var(--text); font: 15px/1.5 Inter, system-ui, sans-serif; margin: 0 auto;
  max-width: 1160px; padding: 24px 24px 64px; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 16px; margin-bottom: 16px; }
h1 { font-size: 15px; font-weight: 600; margin: 0; } header p { margin: 0; color: var(--soft); }
h2 { font-size: 12px; font-weight: 600; letter-spacing: .06em; text-transform: uppercase; color: var(--soft);
  margin: 32px 0 8px; }
h3 { font-size: 15px; font-weight: 600; margin: 24px 0 8px; }
.answer { font-size: 22px; line-height: 1.45; margin: 0 0 16px; max-width: 56em; } .answer strong { font-weight: 650; }
.small-answer { font-size: 15px; margin: 0 0 12px; } p { max-width: 80ch; } .answer, .small-answer { max-width: none; }
.soft, figcaption { color: var(--soft); } .better { color: var(--better); font-weight: 600; }
.worse { color: var(--worse); font-weight: 600; } .passed { color: var(--passed); } td .passed, .who { white-space: nowrap; }
.doubtful { background: var(--alarm); color: var(--alarm-text); font-weight: 600; padding: 1px 6px; border-radius: 4px; }
.alarm { background: var(--alarm); color: var(--alarm-text); border-left: 6px solid var(--worse); border-radius: 4px;
  padding: 12px 16px; margin: 0 0 12px; max-width: none; overflow-wrap: anywhere; }
.panel { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 12px 16px; }
.badge { border: 1px solid var(--border); border-radius: 9px; padding: 0 8px; font-size: 12px; color: var(--best);
  white-space: nowrap; margin-left: 6px; }
dl { display: grid; grid-template-columns: max-content minmax(0, 76ch); gap: 4px 16px; font-size: 13px; }
dt { color: var(--soft); font-weight: 600; } dd { margin: 0; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: 7px 12px 7px 0; text-align: left; vertical-align: baseline; }
tbody tr:last-child td { border-bottom: 0; } th { color: var(--soft); font-weight: 600; font-size: 12px; }
td.n { white-space: nowrap; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; } td small { color: var(--soft); font-size: 12px; }
pre, code { font-family: "JetBrains Mono", ui-monospace, "DejaVu Sans Mono", monospace; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; overflow: auto; padding: 12px 16px;
  font-size: 13.5px; line-height: 1.55; margin: 8px 0; max-height: 640px; tab-size: 4; }
code { font-size: 13px; overflow-wrap: anywhere; } pre i { color: var(--soft); }
ins { background: var(--added); text-decoration: none; border-radius: 3px; box-shadow: 0 0 0 1px var(--added); }
ins.moved { background: var(--moved); box-shadow: 0 0 0 1px var(--moved); }
u { text-decoration: underline dotted var(--next) 2px; text-underline-offset: 4px; }
a { color: var(--accent); } summary { cursor: pointer; margin: 8px 0; color: var(--soft); }
summary strong { color: var(--text); } summary .better, summary .doubtful { font-size: 13px; margin-left: 8px; }
details.program { border-top: 1px solid var(--line); } details.program > summary { margin: 12px 0; }
figure { margin: 0; } figcaption { font-size: 12px; }
.charts { display: flex; flex-wrap: wrap; gap: 16px; } .charts figure { flex: 1 1 440px; min-width: 0; max-width: 540px; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--soft); font: 12px Inter, system-ui, sans-serif; }
.grid { stroke: var(--line); stroke-width: 1; } svg.sample { display: inline-block; width: 30px; height: 10px;
  vertical-align: middle; margin-right: 10px; }
.l { fill: none; stroke-width: 2; stroke-linejoin: round; } .b { stroke: none; opacity: .14; } svg text.name { font-weight: 600; }
.peak { fill: var(--worse); } .here { fill: var(--accent); stroke: var(--panel); stroke-width: 2; }
.c0 { stroke: var(--c0); } .c1 { stroke: var(--c1); } .c2 { stroke: var(--c2); } .c3 { stroke: var(--c3); }
.c4 { stroke: var(--c4); } .c5 { stroke: var(--c5); } .c6 { stroke: var(--c6); }
.bar { stroke: none; } .empty { fill: var(--line); opacity: .35; } svg text.count { fill: var(--text); } .error { stroke: var(--text); stroke-width: 1; }
.l.d1 { stroke-dasharray: 8 4; } .l.d2 { stroke-dasharray: 2 3; } .l.d3 { stroke-dasharray: 8 4 2 4; }
.b.c0, .name.c0, .bar.c0 { fill: var(--c0); } .b.c1, .name.c1, .bar.c1 { fill: var(--c1); } .b.c2, .name.c2, .bar.c2 { fill: var(--c2); }
.b.c3, .name.c3, .bar.c3 { fill: var(--c3); } .b.c4, .name.c4, .bar.c4 { fill: var(--c4); } .b.c5, .name.c5, .bar.c5 { fill: var(--c5); }
.b.c6, .name.c6, .bar.c6 { fill: var(--c6); } .name { stroke: none; }
li pre { white-space: pre-wrap; overflow-wrap: anywhere; }
ol.steps { list-style: none; margin: 0; padding: 0; } ol.steps > li { margin: 0 0 16px; }
.head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 16px; font-variant-numeric: tabular-nums; }
.head b { font-weight: 650; } .head .cost { margin-left: auto; } .change { margin: 2px 0; }
.controls { display: flex; align-items: center; gap: 8px; margin: 8px 0; } .controls[hidden] { display: none; }
.controls input { flex: 1 1 auto; accent-color: var(--accent); min-width: 80px; }
.controls output { min-width: 8em; text-align: right; font-variant-numeric: tabular-nums; color: var(--soft); }
button { font: inherit; font-size: 13px; color: var(--text); background: var(--panel); border: 1px solid var(--border);
  border-radius: 6px; padding: 4px 12px; cursor: pointer; } button:disabled { opacity: .45; cursor: default; }
button.next:enabled { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.live details.all > summary { display: none; } .live ol.steps > li { display: none; margin: 0; }
.live ol.steps > li.now { display: block; } .live figure svg { cursor: pointer; }
.path { margin: 8px 0 12px; }
@media (max-width: 640px) { body { padding: 12px; } .answer { font-size: 18px; } dl { grid-template-columns: 1fr; } }
@media print { .controls { display: none; } pre { max-height: none; } }
)css";

}  // namespace mitos::search::report
