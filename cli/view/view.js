"use strict";
// The page of a view: asks for the state twice to ten times a second, and for the picture when there
// is a new one. Each request carries the key of the address in a header. A cookie would not do: the
// browser sends it to every port of 127.0.0.1.
const key = new URLSearchParams(location.search).get("key") || "";
const at = id => document.getElementById(id);
const lines = ["#3b4cc0", "#b40426", "#228833", "#aa7700"];
let tables, shown = 0;

function ask(path, more) {
  return fetch(path, { ...more, headers: { "X-Trireme-Key": key } });
}

function order(text) {
  return ask("/order", { method: "POST", body: text });
}

function colour(map, level) {
  if (level === 255) return [128, 128, 128];
  if (level === 254) return [255, 0, 255];
  if (level === 253) return [240, 240, 240];
  const i = 3 * (256 * map + Math.round(level * 255 / 252));
  return [tables[i], tables[i + 1], tables[i + 2]];
}

function paint(canvas, width, height, map, level) {
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d"), image = context.createImageData(width, height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const rgb = colour(map, level(x, height - 1 - y)), i = 4 * (y * width + x);
      image.data.set([rgb[0], rgb[1], rgb[2], 255], i);
    }
  context.putImageData(image, 0, 0);
}

// The level at a part of the bar: the middle one lies at `middle`.
function bar(part, middle) {
  if (part === middle) return 126;
  const at = part < middle ? part / middle : 1 + (part - middle) / (1 - middle);
  return Math.min(252, Math.floor(at * 126.5));
}

function number(value) {
  return value === null ? "?" : Number(value).toPrecision(4).replace(/\.?0+($|e)/, "$1");
}

function plot(series) {
  const canvas = at("series"), c = canvas.getContext("2d");
  c.clearRect(0, 0, canvas.width, canvas.height);
  at("names").textContent = "";
  series.forEach((one, n) => {
    const values = one.values.filter(v => v !== null);
    const low = Math.min(...values), high = Math.max(...values);
    c.strokeStyle = lines[n];
    c.lineWidth = 1.5;
    c.beginPath();
    one.values.forEach((v, i) => {
      const x = i * canvas.width / (one.values.length - 1);
      const y = high > low ? canvas.height - 4 - (v - low) / (high - low) * (canvas.height - 8)
                           : canvas.height / 2;
      if (i) c.lineTo(x, y); else c.moveTo(x, y);
    });
    c.stroke();
    const label = document.createElement("span");
    label.style.color = lines[n];
    label.textContent = `${one.name}: ${number(low)} to ${number(high)}, now ` +
      `${number(one.values[one.values.length - 1])}. `;
    at("names").append(label);
  });
}

function tell(state) {
  const end = state.end === null ? "" : ` of ${state.end}`;
  at("name").textContent = `${state.name}: ${state.field}`;
  at("status").textContent = `step ${state.step}${end}, t = ${number(state.time)}` +
    (state.time_unit && " " + state.time_unit) +
    `, ${number(state.rate / 1e6)} million ${state.counted} a second` +
    (state.paused ? ", paused" : "");
  if (at("field").length !== state.fields.length)
    at("field").replaceChildren(...state.fields.map(name => new Option(name)));
  if (document.activeElement !== at("field")) at("field").value = state.field;
  at("least").textContent = number(state.low);
  at("most").textContent = number(state.high);
  at("what").textContent = state.unit === "1" ? state.field : `${state.field} [${state.unit}]`;
}

async function look() {
  const state = await (await ask("/state")).json();
  if (state.frame && state.frame !== shown) {
    const levels = new Uint8Array(await (await ask("/frame")).arrayBuffer());
    tell(state);
    if (levels.length === state.width * state.height) {
      paint(at("cells"), state.width, state.height, state.colours,
            (x, y) => levels[y * state.width + x]);
      paint(at("bar"), 253, 1, state.colours, x => bar(x / 252, state.middle));
    }
    plot(state.series);
    shown = state.frame;
    document.title = `${state.step} ${state.name}`;
  }
}

async function run() {
  tables = new Uint8Array(await (await ask("/colours")).arrayBuffer());
  for (;;) {
    try {
      await look();
    } catch (error) {
      at("status").textContent += " - the run has ended, or does not answer";
      return;
    }
    await new Promise(done => setTimeout(done, document.hidden ? 500 : 100));
  }
}

for (const button of document.querySelectorAll("[data-order]"))
  button.onclick = () => order(button.dataset.order);
at("field").onchange = () => { order("field " + at("field").value); at("field").blur(); };
at("range").onclick = () => order(`range ${at("low").value} ${at("high").value}`);
run();
