-- SPDX-License-Identifier: GPL-3.0-or-later
-- The number by which states name the run that they come from. Searches that run side by side are written in another order, and runs
-- may be removed.

ALTER TABLE runs ADD COLUMN number INTEGER NOT NULL DEFAULT 0;  -- 1, 2, … in each program
UPDATE runs SET number =
    (SELECT COUNT(*) FROM runs AS earlier WHERE earlier.program = runs.program AND earlier.id <= runs.id);
