// Draws the charts that the page's JSON describes (charts.h). Theory is a ring; model and
// measurement are points in it, so that a point outside is seen. Lines join neighbouring integers
// alone: between others nothing ran.
"use strict";
(() => {
  const charts = JSON.parse(document.getElementById("charts").textContent);
  const colours = { theory: "#6e56cf", target: "#6e56cf", model: "#0091ff", measured: "#f76808" };
  const setColours = (dark) => {
    Chart.defaults.color = dark ? "#ddd" : "#333";
    Chart.defaults.borderColor = dark ? "#fff2" : "#0002";
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  setColours(dark.matches);
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
    const unjoined = ({ p0, p1 }) => (p1.parsed.x - p0.parsed.x === 1 ? undefined : "transparent");
    const datasets = ends.map((series) => ({
      label: series.label ?? series.name,
      data: series.points,
      fill: isLine(series) && (series.fill ?? false),
      borderColor: colours[series.name],
      backgroundColor: isLine(series) ? (series.fill ? colours[series.name] + "33" : "transparent") : colours[series.name],
      showLine: isLine(series),
      segment: { borderColor: unjoined, backgroundColor: unjoined },
      borderWidth: 1.5,
      pointRadius: isLine(series) ? 5.5 : 2.5,
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
      scales: { x: axis(chart.unit, chart.log, true), y: { ticks: { autoSkip: false } } },
    },
  });

  // The name of each variant beside its first point, where no other name is.
  const naming = { id: "naming", afterDatasetsDraw: (drawn) => {
    const { ctx, chartArea } = drawn;
    const named = new Set(), boxes = [];
    ctx.save();
    ctx.font = "11px system-ui, sans-serif";
    ctx.fillStyle = Chart.defaults.color;
    ctx.textBaseline = "middle";
    drawn.getDatasetMeta(0).data.forEach(({ x, y }, i) => {
      const name = drawn.data.datasets[0].data[i].name ?? "";
      const width = ctx.measureText(name).width;
      const places = [0, -11, 11, -22, 22].flatMap((up) => [[x + 6, y + up], [x - 6 - width, y + up]]);
      const place = places.find(([left, at]) => left > chartArea.left && left + width < chartArea.right
        && boxes.every((box) => left > box.right || left + width < box.left || Math.abs(at - box.y) > 10));
      if (named.has(name) || !place) return;
      named.add(name);
      boxes.push({ left: place[0], right: place[0] + width, y: place[1] });
      ctx.fillText(name, ...place);
    });
    ctx.restore();
  } };

  const points = (chart) => ({
    type: "scatter",
    plugins: chart.named ? [naming] : [],
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
  const recolour = (isDark) => {
    setColours(isDark);
    Object.values(Chart.instances).forEach((one) => one.update());
  };
  addEventListener("beforeprint", () => recolour(false));  // paper is white
  addEventListener("afterprint", () => recolour(dark.matches));
})();
