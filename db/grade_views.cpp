#include "db/grade_views.h"

namespace lab::db {

namespace {

// A student's newest grade of each lab counts: the one that was graded last, which is sealed, and
// of one moment the one that was stored last. A database that is merged later may hold older ones.
constexpr std::string_view kGradebook = R"sql(CREATE VIEW gradebook AS
SELECT student, name, lab, status, points, adjusted,
  CASE WHEN points IS NULL AND adjustments = 0 THEN NULL
    ELSE coalesce(points, 0) + adjusted END AS total,
  of, CASE WHEN points IS NULL AND adjustments = 0 THEN NULL
    ELSE coalesce(points, 0) + adjusted >= pass END AS passed,
  submitted_at, submitted_at > due AS late, reason, run, grade
FROM (SELECT g.student AS student, s.name AS name, g.lab AS lab, g.status AS status,
    g.points AS points, g.of AS of, r.pass AS pass, g.submitted_at AS submitted_at,
    g.reason AS reason, g.run_id AS run, g.id AS grade,
    (SELECT coalesce(sum(points), 0) FROM adjustments a
      WHERE a.student = g.student AND a.lab = g.lab) AS adjusted,
    (SELECT count(*) FROM adjustments a
      WHERE a.student = g.student AND a.lab = g.lab) AS adjustments,
    coalesce((SELECT due FROM deadlines d WHERE d.lab = g.lab AND d.student = g.student),
      (SELECT due FROM deadlines d WHERE d.lab = g.lab AND d.student = '')) AS due
  FROM grades g JOIN rubrics r ON r.sha256 = g.rubric_sha256
  LEFT JOIN students s ON s.student = g.student
  WHERE g.id = (SELECT n.id FROM grades n WHERE n.student = g.student AND n.lab = g.lab
    ORDER BY n.graded_at DESC, n.id DESC LIMIT 1)))sql";

constexpr std::string_view kResults = R"sql(CREATE VIEW results AS
SELECT student, lab, variant, status,
  (SELECT v.metric FROM cases c JOIN verdicts v ON v.case_id = c.id
    WHERE c.run_id = run AND c.variant = x.variant AND v.excess = worst AND v.excess IS NOT NULL
    ORDER BY v.metric LIMIT 1) AS worst_metric,
  worst AS worst_excess, points, of
FROM (SELECT g.student AS student, g.lab AS lab, k.variant AS variant, g.status AS status,
    g.run_id AS run,
    (SELECT max((SELECT v.excess FROM verdicts v WHERE v.case_id = c.id AND v.excess IS NOT NULL
        ORDER BY v.excess DESC LIMIT 1))
      FROM cases c WHERE c.run_id = g.run_id AND c.variant = k.variant) AS worst,
    CASE WHEN g.points IS NULL THEN NULL ELSE sum(k.points) END AS points, sum(k.of) AS of
  FROM (SELECT grade AS id FROM (SELECT id AS grade,
      row_number() OVER (PARTITION BY student, lab ORDER BY graded_at DESC, id DESC) AS place
    FROM grades) WHERE place = 1) n
  CROSS JOIN grades g ON g.id = n.id CROSS JOIN criteria k ON k.grade_id = g.id
  GROUP BY g.id, k.variant) x)sql";

// Right kernels that cost twice what the middle of the class does, or half of it. Most verdicts of
// a class have excess 1: the index verdicts_off_one has the others, and the middle follows from
// these and the number of cases that have one (what costs where nothing should has none). Only
// where the middle is far from 1 do cases at 1 count.
constexpr std::string_view kOutliers = R"sql(CREATE VIEW outliers AS
WITH newest AS MATERIALIZED (
  SELECT student, lab, run, id FROM (SELECT student, lab, run_id AS run, id,
      row_number() OVER (PARTITION BY student, lab ORDER BY graded_at DESC, id DESC) AS place
    FROM grades) WHERE place = 1),
ran AS MATERIALIZED (
  SELECT g.student AS student, g.lab AS lab, c.variant AS variant, c.params AS params, c.id AS id
  FROM newest g CROSS JOIN cases c ON c.run_id = g.run WHERE c.status = 1),
sizes AS MATERIALIZED (
  SELECT lab, variant, params, count(*) AS n FROM ran GROUP BY lab, variant, params),
off AS MATERIALIZED (
  SELECT g.student AS student, g.lab AS lab, c.variant AS variant, c.params AS params,
    v.metric AS metric, v.excess AS excess
  FROM verdicts v CROSS JOIN cases c ON c.id = v.case_id CROSS JOIN newest g ON g.run = c.run_id
  WHERE v.excess <> 1 AND c.status = 1),
counted AS MATERIALIZED (
  SELECT lab, variant, params, metric, excess, count(*) AS many
  FROM off GROUP BY lab, variant, params, metric, excess),
endless AS MATERIALIZED (
  SELECT g.lab AS lab, c.variant AS variant, c.params AS params, v.metric AS metric,
    count(*) AS without
  FROM verdicts v CROSS JOIN cases c ON c.id = v.case_id CROSS JOIN newest g ON g.run = c.run_id
  WHERE v.excess IS NULL AND v.target IS NOT NULL AND c.status = 1
  GROUP BY g.lab, c.variant, c.params, v.metric),
grouped AS MATERIALIZED (
  SELECT c.*, s.n - coalesce(e.without, 0) AS n
  FROM counted c JOIN sizes s USING (lab, variant, params)
  LEFT JOIN endless e USING (lab, variant, params, metric)),
ranked AS MATERIALIZED (
  SELECT *, sum(many) OVER (PARTITION BY lab, variant, params, metric ORDER BY excess)
    + iif(excess > 1, n - sum(many) OVER (PARTITION BY lab, variant, params, metric), 0) AS last
  FROM grouped),
central AS MATERIALIZED (
  SELECT *, ((n + 1) / 2 BETWEEN last - many + 1 AND last)
    + ((n + 2) / 2 BETWEEN last - many + 1 AND last) AS hits FROM ranked),
middles AS MATERIALIZED (
  SELECT lab, variant, params, metric, sum(hits * excess) / 2 + (2 - sum(hits)) / 2.0 AS middle
  FROM central GROUP BY lab, variant, params, metric),
shifted AS MATERIALIZED (SELECT * FROM middles WHERE middle > 2 OR 2 * middle < 1),
far AS MATERIALIZED (
  SELECT r.lab AS lab, r.variant AS variant, r.params AS params, r.metric AS metric, excess, middle
  FROM ranked r JOIN middles m USING (lab, variant, params, metric)
  WHERE excess > 2 * middle OR 2 * excess < middle)
SELECT o.student AS student, o.lab AS lab, o.variant AS variant, o.params AS params,
  o.metric AS metric, o.excess AS excess, f.middle AS middle
FROM far f CROSS JOIN off o USING (lab, variant, params, metric, excess)
UNION ALL
SELECT r.student, r.lab, r.variant, r.params, m.metric, v.excess, m.middle
FROM ran r CROSS JOIN shifted m USING (lab, variant, params)
CROSS JOIN verdicts v ON v.case_id = r.id AND v.metric = m.metric AND v.excess = 1)sql";

constexpr std::string_view kSimilar = R"sql(CREATE VIEW similar AS
SELECT lab, kernel, group_concat(student, ', ') FILTER (WHERE student <> '') AS students,
  sum(student <> '') AS alike, max(student = '') AS own
FROM (SELECT lab, kernel, sha256, student FROM fingerprints ORDER BY student)
GROUP BY lab, kernel, sha256 HAVING count(*) > 1)sql";

}  // namespace

const std::vector<GradeView>& grade_views() {
  static const std::vector<GradeView> kViews = {{"gradebook", kGradebook},
                                                {"results", kResults},
                                                {"outliers", kOutliers},
                                                {"similar", kSimilar}};
  return kViews;
}

}  // namespace lab::db
