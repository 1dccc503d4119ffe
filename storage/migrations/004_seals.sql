-- SPDX-License-Identifier: GPL-3.0-or-later
-- A number over all that a finished run's row and its events say, so that a change by another program shows.

ALTER TABLE runs ADD COLUMN seal TEXT NOT NULL DEFAULT '';  -- 16 hexadecimal digits; empty: not finished, or of an earlier version
