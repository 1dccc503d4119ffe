// SPDX-License-Identifier: GPL-3.0-or-later
// The report's script, which turns the list of a thread's steps into a stepper. Without it, the list remains. It reads nothing but the
// page, and contains neither < nor &, so that the page is well-formed XML. The page's Content-Security-Policy permits it by its
// hash, which a test checks.
#pragma once

#include <string_view>

namespace mitos::search::report {

inline constexpr std::string_view ScriptHash = "Ug6YBB/pc+SxXQ8cYZyN48HeZ2VVg51pfjQ6e4q+3j4=";

inline constexpr std::string_view Script = R"js(
"use strict";
const threads = Array.from(document.querySelectorAll("section.thread"), (section) => {
  const steps = Array.from(section.querySelectorAll("ol.steps > li"));
  const slider = section.querySelector("input");
  const position = section.querySelector("output");
  const back = section.querySelector("button.back");
  const next = section.querySelector("button.next");
  const point = section.querySelector("circle.here");
  const last = steps.length - 1;
  const thread = { section, steps, at: 0 };
  thread.show = (step) => {
    thread.at = Math.max(0, Math.min(last, step));
    steps.forEach((one, i) => one.classList.toggle("now", i === thread.at));
    slider.value = String(thread.at);
    const text = thread.at === 0 ? "start" : "step " + thread.at + " of " + last;
    position.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    back.disabled = thread.at === 0;
    next.disabled = thread.at === last;
    if (point) {
      point.setAttribute("cx", steps[thread.at].dataset.x);
      point.setAttribute("cy", steps[thread.at].dataset.y);
    }
  };
  const use = (step) => { active = thread; thread.show(step); };
  slider.addEventListener("input", () => use(Number(slider.value)));
  back.addEventListener("click", () => use(thread.at - 1));
  next.addEventListener("click", () => use(thread.at + 1));
  if (point) {
    const chart = point.ownerSVGElement;
    chart.addEventListener("click", (event) => {
      const box = chart.getBoundingClientRect();
      const x = (event.clientX - box.left) * chart.viewBox.baseVal.width / box.width;
      const distance = (i) => Math.abs(Number(steps[i].dataset.x) - x);
      use(steps.reduce((best, one, i) => distance(best) > distance(i) ? i : best, 0));
    });
  }
  section.classList.add("live");
  section.querySelector("details.all").open = true;
  section.querySelector(".controls").hidden = false;
  thread.show(0);
  return thread;
});
let active = threads[0];
const follow = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (!target) return;
  for (let outer = target; outer; outer = outer.parentElement) {
    if (outer.localName === "details") outer.open = true;
  }
  for (const thread of threads) {
    const step = thread.steps.indexOf(target);
    if (step === -1) continue;
    active = thread;
    thread.show(step);
  }
  target.scrollIntoView({ block: "nearest" });
};
window.addEventListener("hashchange", follow);
document.addEventListener("keydown", (event) => {
  if (!active || event.altKey || event.ctrlKey || event.metaKey || event.target.localName === "input") return;
  const step = { ArrowLeft: active.at - 1, ArrowRight: active.at + 1 }[event.key];
  if (step === undefined) return;
  active.show(step);
  event.preventDefault();
});
for (const details of document.querySelectorAll("details.program")) {
  details.addEventListener("toggle", () => {
    const own = threads.find((thread) => details.contains(thread.section));
    if (own) active = details.open ? own : active;
  });
}
follow();
)js";

}  // namespace mitos::search::report
