// SPDX-License-Identifier: GPL-3.0-or-later
// The report's style sheet. Curves differ in colour (the palette of Okabe and Ito, safe for colour-blind readers) and in dashes.
#pragma once

#include <cstddef>

namespace mitos::search::report {

/// The number of line classes (s0 … s7); further series reuse them from the start.
inline constexpr std::size_t SeriesStyles = 8;

inline constexpr const char* StyleSheet = R"css(
:root { color-scheme: light dark; --bg: #ffffff; --fg: #1b1b1f; --soft: #5c5c66; --line: #d5d5dd; --panel: #f5f5f8;
  --good: #00664b; --bad: #b3261e;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #b8578f; --c4: #8a6d00; --c5: #2f97c7; --c6: #555555; --c7: #7a4fbf; }
@media (prefers-color-scheme: dark) { :root { --bg: #17171a; --fg: #e8e8ec; --soft: #a3a3ad; --line: #3a3a42;
  --panel: #202025; --good: #5fd0a8; --bad: #ff8a80;
  --c0: #5ab4e8; --c1: #ff8c42; --c2: #3fd0a4; --c3: #e59ac6; --c4: #f0e442; --c5: #8fd3f4; --c6: #bbbbbb; --c7: #b79bea; } }
body { background: var(--bg); color: var(--fg); font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 1080px;
  padding: 1.5rem; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem;
  border-bottom: 1px solid var(--line); padding-bottom: .2rem; } h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
p, summary, figcaption { max-width: 75ch; } .soft, figcaption { color: var(--soft); }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; }
dl { display: grid; grid-template-columns: max-content minmax(0, 70ch); gap: .25rem 1rem; font-size: .9rem; }
dt { color: var(--soft); font-weight: 600; } dd { margin: 0; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .88rem; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .6rem; text-align: left; white-space: nowrap; }
th { color: var(--soft); font-weight: 600; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
pre { background: var(--panel); overflow-x: auto; padding: .7rem; font-size: .82rem; line-height: 1.4; }
summary { cursor: pointer; margin: .3rem 0; } figure { margin: 0; } figcaption { font-size: .85rem; }
.charts { display: flex; flex-wrap: wrap; gap: 1rem; } .charts figure { flex: 1 1 440px; min-width: 0; max-width: 520px; }
svg { width: 100%; height: auto; } svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
.grid { stroke: var(--line); stroke-width: 1; } .legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; font-size: .85rem; }
.legend svg { width: 30px; height: 10px; vertical-align: middle; }
.l { fill: none; stroke-width: 1.8; } .b { stroke: none; opacity: .16; } .peak { fill: var(--bad); }
.s0 { stroke: var(--c0); } .s1 { stroke: var(--c1); stroke-dasharray: 7 3; } .s2 { stroke: var(--c2); stroke-dasharray: 2 3; }
.s3 { stroke: var(--c3); stroke-dasharray: 9 3 2 3; } .s4 { stroke: var(--c4); stroke-dasharray: 4 2; }
.s5 { stroke: var(--c5); stroke-dasharray: 12 3; } .s6 { stroke: var(--c6); stroke-dasharray: 1 2; }
.s7 { stroke: var(--c7); stroke-dasharray: 6 2 1 2 1 2; }
.b.s0 { fill: var(--c0); } .b.s1 { fill: var(--c1); } .b.s2 { fill: var(--c2); } .b.s3 { fill: var(--c3); }
.b.s4 { fill: var(--c4); } .b.s5 { fill: var(--c5); } .b.s6 { fill: var(--c6); } .b.s7 { fill: var(--c7); }
)css";

}  // namespace mitos::search::report
