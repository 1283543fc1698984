// Draws the charts that the page's JSON describes. Theory is a line; model and measurement are
// points on it, so that a point off the line is seen.
"use strict";
(() => {
  const charts = JSON.parse(document.getElementById("charts").textContent);
  const colours = { theory: "#6e56cf", model: "#0091ff", measured: "#f76808" };
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  Chart.defaults.color = dark ? "#ddd" : "#333";
  Chart.defaults.borderColor = dark ? "#fff2" : "#0002";
  Chart.defaults.animation = false;
  for (const chart of charts) {
    // An interval is two lines, or two points, and the space between them.
    const ends = chart.series.flatMap((series) => {
      if (!series.points.some((point) => "high" in point)) return [series];
      const high = series.points.map(({ x, y, high }) => ({ x, y: high ?? y }));
      return [series, { name: series.name, label: `${series.name}, upper end`, points: high, fill: "-1" }];
    });
    const datasets = ends.map((series) => ({
      label: series.label ?? series.name,
      data: series.points,
      fill: series.name === "theory" && (series.fill ?? false),
      borderColor: colours[series.name],
      backgroundColor: colours[series.name] + (series.fill ? "33" : ""),
      showLine: series.name === "theory",
      borderWidth: series.name === "theory" ? 2 : 1,
      pointRadius: series.name === "theory" ? 0 : 3.5,
      pointStyle: series.name === "measured" ? "crossRot" : "circle",
      order: series.name === "theory" ? 1 : 0,
    }));
    new Chart(document.getElementById(chart.id), {
      type: "scatter",
      data: { datasets },
      options: {
        maintainAspectRatio: false,
        plugins: { title: { display: true, text: chart.title } },
        scales: {
          x: { title: { display: true, text: chart.x } },
          y: { title: { display: true, text: chart.unit }, beginAtZero: true },
        },
      },
    });
  }
})();
