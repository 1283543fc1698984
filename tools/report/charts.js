// Draws the charts that the page's JSON describes (charts.h). Theory is a line; model and
// measurement are points on it, so that a point off the line is seen.
"use strict";
(() => {
  const charts = JSON.parse(document.getElementById("charts").textContent);
  const colours = { theory: "#6e56cf", target: "#6e56cf", model: "#0091ff", measured: "#f76808" };
  const dark = matchMedia("(prefers-color-scheme: dark)").matches && !matchMedia("print").matches;
  Chart.defaults.color = dark ? "#ddd" : "#333";
  Chart.defaults.borderColor = dark ? "#fff2" : "#0002";
  Chart.defaults.animation = false;

  const isLine = (series) => series.name === "theory" || series.name === "target";
  // On an axis of powers each power of two gets its mark, or of ten where there are many.
  const powers = (value) => {
    if (value <= 0) return "";
    const two = Math.log2(value), ten = Math.log10(value);
    return Number.isInteger(two) || Number.isInteger(ten) ? value.toLocaleString("en") : "";
  };
  const axis = (title, log, zero) => log
    ? { type: "logarithmic", title: { display: true, text: title }, ticks: { callback: powers, maxTicksLimit: 10 } }
    : { type: "linear", title: { display: true, text: title }, beginAtZero: zero };

  // The sweep's own values, where they are powers of two: nothing else is marked.
  const sweep = (chart) => {
    const values = [...new Set(chart.series.flatMap((series) => series.points.map(({ x }) => x)))];
    return { ...axis(chart.x, true, false), min: Math.min(...values), max: Math.max(...values),
      ticks: { callback: (value) => value.toLocaleString("en") },
      afterBuildTicks: (scale) => { scale.ticks = values.map((value) => ({ value })); } };
  };

  const curve = (chart) => {
    // An interval is two lines, or two points, and the space between them.
    const ends = chart.series.flatMap((series) => {
      if (!series.points.some((point) => "high" in point)) return [series];
      const high = series.points.map(({ x, y, high }) => ({ x, y: high ?? y }));
      return [series, { name: series.name, label: `${series.name}, upper end`, points: high, fill: "-1" }];
    });
    const datasets = ends.map((series) => ({
      label: series.label ?? series.name,
      data: series.points,
      fill: isLine(series) && (series.fill ?? false),
      borderColor: colours[series.name],
      backgroundColor: colours[series.name] + (series.fill ? "33" : ""),
      showLine: isLine(series) || chart.series.length === 1,
      borderWidth: isLine(series) ? 2 : 1,
      pointRadius: isLine(series) ? 0 : 3.5,
      pointStyle: series.name === "measured" ? "crossRot" : "circle",
      order: isLine(series) ? 1 : 0,
    }));
    return {
      type: "scatter",
      data: { datasets },
      options: { scales: { x: chart.log_x ? sweep(chart) : axis(chart.x, false, false), y: axis(chart.unit, chart.log_y, true) } },
    };
  };

  const bars = (chart) => ({
    type: "bar",
    data: { labels: chart.labels, datasets: [{ data: chart.values, backgroundColor: colours.measured }] },
    options: {
      indexAxis: "y",
      plugins: { legend: { display: false } },
      scales: { x: axis(chart.unit, false, true), y: { ticks: { autoSkip: false } } },
    },
  });

  const points = (chart) => ({
    type: "scatter",
    data: {
      datasets: [
        { label: "cases", data: chart.points, backgroundColor: colours.measured, pointRadius: 3 },
        ...chart.lines.map((line) => ({
          label: line.name, data: line.points, showLine: true, pointRadius: 0,
          borderColor: colours.theory, backgroundColor: colours.theory, borderWidth: 2,
        })),
      ],
    },
    options: {
      scales: { x: axis(chart.x, chart.log_x, false), y: axis(chart.y, chart.log_y, false) },
      plugins: { tooltip: { callbacks: { label: ({ raw }) => `${raw.name ?? ""} (${raw.x}, ${raw.y})` } } },
    },
  });

  const kinds = { curve, bars, points };
  for (const chart of charts) {
    const config = kinds[chart.kind](chart);
    config.options.maintainAspectRatio = false;
    config.options.plugins = { ...config.options.plugins, title: { display: true, text: chart.title } };
    const canvas = document.getElementById(chart.id);
    if (chart.kind === "bars") canvas.parentElement.style.height = `${6 + 1.4 * chart.labels.length}rem`;
    new Chart(canvas, config);
  }
})();
