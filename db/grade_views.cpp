#include "db/grade_views.h"

namespace lab::db {

namespace {

// A student's newest grade of each lab counts.
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
  WHERE g.id = (SELECT max(id) FROM grades n WHERE n.student = g.student AND n.lab = g.lab)))sql";

constexpr std::string_view kResults = R"sql(CREATE VIEW results AS
SELECT g.student AS student, g.lab AS lab, k.variant AS variant, g.status AS status,
  (SELECT v.metric FROM cases c JOIN verdicts v ON v.case_id = c.id
    WHERE c.run_id = g.run_id AND c.variant = k.variant AND v.excess IS NOT NULL
    ORDER BY v.excess DESC, v.metric LIMIT 1) AS worst_metric,
  (SELECT max(v.excess) FROM cases c JOIN verdicts v ON v.case_id = c.id
    WHERE c.run_id = g.run_id AND c.variant = k.variant) AS worst_excess,
  CASE WHEN g.points IS NULL THEN NULL ELSE sum(k.points) END AS points, sum(k.of) AS of
FROM grades g JOIN criteria k ON k.grade_id = g.id
WHERE g.id = (SELECT max(id) FROM grades n WHERE n.student = g.student AND n.lab = g.lab)
GROUP BY g.id, k.variant)sql";

// Right kernels that cost twice what the middle of the class does, or half of it.
constexpr std::string_view kOutliers = R"sql(CREATE VIEW outliers AS
WITH costs AS (
  SELECT g.student AS student, g.lab AS lab, c.variant AS variant, c.params AS params,
    v.metric AS metric, v.excess AS excess,
    row_number() OVER (PARTITION BY g.lab, c.variant, c.params, v.metric ORDER BY v.excess) AS nr,
    count(*) OVER (PARTITION BY g.lab, c.variant, c.params, v.metric) AS n
  FROM grades g JOIN cases c ON c.run_id = g.run_id JOIN verdicts v ON v.case_id = c.id
  WHERE c.status = 1 AND v.excess IS NOT NULL
    AND g.id = (SELECT max(id) FROM grades n WHERE n.student = g.student AND n.lab = g.lab)),
middles AS (
  SELECT lab, variant, params, metric, avg(excess) AS middle FROM costs
  WHERE nr IN ((n + 1) / 2, (n + 2) / 2) GROUP BY lab, variant, params, metric)
SELECT student, lab, variant, params, metric, excess, middle
FROM costs JOIN middles USING (lab, variant, params, metric)
WHERE excess > 2 * middle OR 2 * excess < middle)sql";

constexpr std::string_view kSimilar = R"sql(CREATE VIEW similar AS
SELECT a.lab AS lab, a.kernel AS kernel, a.student AS student,
  CASE b.student WHEN '' THEN 'the lab''s own' ELSE b.student END AS other,
  (SELECT count(*) FROM fingerprints f WHERE f.lab = a.lab AND f.kernel = a.kernel
    AND f.sha256 = a.sha256 AND f.student <> '') AS alike
FROM fingerprints a JOIN fingerprints b
  ON b.lab = a.lab AND b.kernel = a.kernel AND b.sha256 = a.sha256
WHERE a.student <> '' AND (b.student = '' OR a.student < b.student))sql";

}  // namespace

const std::vector<GradeView>& grade_views() {
  static const std::vector<GradeView> kViews = {{"gradebook", kGradebook},
                                                {"results", kResults},
                                                {"outliers", kOutliers},
                                                {"similar", kSimilar}};
  return kViews;
}

}  // namespace lab::db
