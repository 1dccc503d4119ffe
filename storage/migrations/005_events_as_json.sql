-- SPDX-License-Identifier: GPL-3.0-or-later
-- Events are a kind and a JSON object, so that a new kind of event needs no migration. Numbers are printed with all their digits;
-- infinite ones are the texts "inf" and "-inf".

CREATE TABLE json_events (
    run    INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,  -- 0, 1, … in order of arrival
    kind   TEXT NOT NULL,     -- search/events.h
    json   TEXT NOT NULL,     -- JSON object
    PRIMARY KEY (run, number)
) WITHOUT ROWID;

INSERT INTO json_events (run, number, kind, json)
SELECT run, number,
       CASE kind WHEN 0 THEN 'started' WHEN 2 THEN 'improved' WHEN 3 THEN 'finished' ELSE 'progress' END,
       json_patch(
           json_object(
               'seconds', json(printf('%!.17g', seconds)),
               'evaluations', json(printf('%llu', evaluations)), 'states', json(printf('%llu', states)),
               'frontier', json(printf('%llu', frontier)), 'memory_bytes', json(printf('%llu', memory_bytes)),
               'cost', CASE WHEN cost > 1.7976931348623157e308 THEN 'inf' WHEN cost < -1.7976931348623157e308 THEN '-inf'
                            WHEN cost IS NULL THEN NULL ELSE json(printf('%!.17g', cost)) END,
               'best', CASE WHEN best > 1.7976931348623157e308 THEN 'inf' WHEN best < -1.7976931348623157e308 THEN '-inf'
                            WHEN best IS NULL THEN NULL ELSE json(printf('%!.17g', best)) END,
               'path_length', path_length),
           CASE WHEN rule IS NOT NULL THEN json_object('rule', rule)
                WHEN reason IS NOT NULL THEN json_object('reason', reason) ELSE '{}' END)
FROM events;

DROP TABLE events;
ALTER TABLE json_events RENAME TO events;
