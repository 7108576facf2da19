'use strict';
const figures = JSON.parse(document.getElementById('figures').textContent);
const style = getComputedStyle(document.documentElement);
const color = name => style.getPropertyValue('--' + name).trim();
const number = (value, digits) => value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const millis = value => number(value, value < 10 ? 3 : 1);
const shares = [['between', 'between steps'], ['compute', 'computing'], ['communication', 'exposed communication'], ['waiting', 'waiting for other ranks']];
const charts = [];

document.getElementById('verdict').textContent = figures.verdict;

function table(id, columns, rows) {
  const at = typeof id === 'string' ? document.getElementById(id) : id;
  const row = (cells, kind) => {
    const line = at.insertRow();
    for (const cell of cells) {
      const place = document.createElement(kind);
      place.textContent = cell;
      line.append(place);
    }
  };
  row(columns.map(column => column[0]), 'th');
  for (const each of rows) row(columns.map(column => column[1](each)), 'td');
}

table('late', [
  ['rank', each => each.rank],
  ['late in', each => each.of ? number(100 * each.lateIn / each.of, 0) + ' % of ' + each.of : '–'],
  ['late by (median) ms', each => each.lateIn ? millis(each.late) : '–'],
  ['waiting in calls ms', each => millis(each.waiting)],
  ['straggler time ms', each => millis(each.excess)],
  ['sent on the wire GB/s', each => number(each.sentGBps, 3)],
], figures.late);

table('kinds', [
  ['operation', each => each.operation],
  ['bytes', each => number(each.bytes, 0)],
  ['ranks', each => each.ranks],
  ['engine', each => each.engine],
  ['calls', each => number(each.count, 0)],
  ['total ms', each => millis(each.total)],
  ['one call', each => millis(each.mean)],
  ['queued', each => millis(each.queued)],
  ['waiting for ranks', each => millis(each.matching)],
  ['bus GB/s', each => each.busGBps ? number(each.busGBps, 3) : '–'],
], figures.kinds ?? []);

table('slowest', [
  ['call', each => each.operation + ' ' + each.call],
  ['slowest on rank', each => each.rank],
  ['at ms', each => millis(each.at)],
  ['took ms', each => millis(each.took)],
  ['of that waiting', each => millis(each.matching)],
  ['late rank', each => each.lateRank ?? '–'],
  ['late by ms', each => each.late === undefined ? '–' : millis(each.late)],
], figures.slowest);

table('clocks', [
  ['rank', each => each.rank],
  ['clock by', each => each.basis],
  ['wrong by at most ms', each => each.within === undefined ? 'unknown' : millis(each.within)],
], figures.clocks);

document.getElementById('links').hidden = figures.links.length === 0;
table(document.querySelector('#links table'), [
  ['from → to', each => each.from + ' → ' + each.to],
  ['bytes', each => number(each.bytes, 0)],
  ['GB/s', each => number(each.GBps, 3)],
], figures.links);

function width() {
  return document.querySelector('main').clientWidth - 40;
}

function drawSteps(rank) {
  const section = document.getElementById('steps');
  const place = section.querySelector('.chart');
  const columns = figures.steps[rank];
  place.replaceChildren();
  // Bars are stacked by drawing sums, the largest first.
  const sums = columns.number.map(() => 0);
  const stacked = shares.map(([key]) => columns[key].map((value, step) => sums[step] += value));
  // The first steps of a job may take many times as long as all others, which would then be flat.
  const ordered = [...sums].sort((one, other) => one - other);
  const usual = ordered[Math.floor(0.95 * (ordered.length - 1))], most = ordered.at(-1);
  const top = (most > 3 * usual ? 2 * usual : most) * 1.05 || 1;
  const bars = uPlot.paths.bars({ size: [0.9, 60] });
  const series = [{ label: 'step', value: (u, at) => at == null ? '–' : '' + at }];
  const data = [columns.number];
  for (let i = shares.length - 1; i >= 0; i--) {
    const [key, label] = shares[i];
    series.push({
      label, fill: color(key), stroke: color(key), width: 0, paths: bars, points: { show: false },
      value: (u, sum, index, at) => at == null ? '–' : millis(columns[key][at]) + ' ms',
    });
    data.push(stacked[i]);
  }
  const chart = new uPlot({
    width: width(), height: 260, series,
    scales: { x: { time: false, range: (u, min, max) => [min - 0.6, max + 0.6] }, y: { range: [0, top] } },
    axes: [{ label: 'step', incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] }, { label: 'ms', size: 64 }],
  }, data, place);
  charts[0] = chart;
  const whom = {};
  for (const step of columns.waitedFor) for (const late in step) whom[late] = (whom[late] ?? 0) + step[late];
  const words = Object.entries(whom).sort((one, other) => other[1] - one[1])
    .map(([late, value]) => millis(value) + ' ms for ' + (late === '-1' ? 'no rank that can be named' : 'rank ' + late));
  section.querySelector('.whom').textContent = (words.length ? 'Rank ' + rank + ' waited, exposed: ' + words.join(', ') + '. ' : '')
    + (most > top ? 'Bars above ' + millis(top) + ' ms are cut; the longest is ' + millis(most) + ' ms.' : '');
}

function chooseRank() {
  const ranks = Object.keys(figures.steps);
  const section = document.getElementById('steps');
  section.hidden = ranks.length === 0;
  if (!ranks.length) return;
  const sum = rank => figures.steps[rank].waiting.reduce((all, each) => all + each, 0);
  const choice = section.querySelector('.choice');
  for (const rank of ranks) {
    const button = document.createElement('button');
    button.textContent = 'rank ' + rank;
    button.onclick = () => {
      for (const each of choice.children) each.setAttribute('aria-pressed', each === button);
      drawSteps(rank);
    };
    choice.append(button);
  }
  const most = ranks.reduce((best, rank) => sum(rank) > sum(best) ? rank : best);
  choice.children[ranks.indexOf(most)].click();
}

function drawBandwidth() {
  const lines = Object.entries(figures.bandwidth).map(([label, points]) => ({ label, points, dash: [] }));
  // Only limits of operations that the job used.
  for (const [label, points] of Object.entries(figures.limit)) {
    if (figures.bandwidth[label]) lines.push({ label: 'limit of ' + label, points, dash: [6, 4], of: label });
  }
  const section = document.getElementById('bandwidth');
  section.hidden = lines.length === 0;
  if (!lines.length) return;
  const sizes = [...new Set(lines.flatMap(line => line.points.map(point => point[0])))].sort((one, other) => one - other);
  const palette = ['#4c78a8', '#e4803b', '#54a24b', '#b279a2', '#9d755d', '#72b7b2', '#c8443c'];
  const colors = {};
  const series = [{ label: 'bytes', value: (u, size) => size == null ? '–' : number(size, 0) }];
  const data = [sizes];
  for (const line of lines) {
    const name = line.of ?? line.label;
    colors[name] ??= palette[Object.keys(colors).length % palette.length];
    const known = new Map(line.points);
    series.push({
      label: line.label, stroke: colors[name], width: 2, dash: line.dash, spanGaps: true,
      points: { show: !line.of, size: 7 }, value: (u, value) => value == null ? '–' : number(value, 3) + ' GB/s',
    });
    data.push(sizes.map(size => known.get(size) ?? null));
  }
  charts[1] = new uPlot({
    width: width(), height: 260, series,
    scales: { x: { time: false, distr: 3, log: 2, range: (u, min, max) => [2 ** (Math.ceil(Math.log2(min)) - 1), max * 1.5] }, y: { range: (u, min, max) => [0, max * 1.1 || 1] } },
    axes: [{ label: 'bytes', values: (u, ticks) => ticks.map(bytes) }, { label: 'GB/s', size: 64 }],
  }, data, section.querySelector('.chart'));
}

function bytes(value) {
  if (value == null) return '';
  const unit = [[2 ** 30, ' GiB'], [2 ** 20, ' MiB'], [2 ** 10, ' KiB']].find(each => value >= each[0]);
  return unit ? +(value / unit[0]).toFixed(1) + unit[1] : '' + +value.toFixed(1);
}

function timeline() {
  const canvas = document.querySelector('#timeline canvas');
  const under = document.querySelector('#timeline .under');
  const ranks = Object.entries(figures.spans.ranks);
  const all = ranks.flatMap(([, rows]) => rows);
  if (!all.length) return () => {};
  // Calls of a rank that overlap lie in lanes below each other.
  const lanes = ranks.map(([rank, rows]) => {
    const ends = [];
    const placed = rows.map(row => {
      let lane = ends.findIndex(end => end <= row[0]);
      if (lane < 0) lane = ends.length < 6 ? ends.length : 5;
      ends[lane] = row[0] + row[1];
      return { row, lane };
    });
    return { rank, placed, height: Math.max(1, ends.length) };
  });
  const first = Math.min(...all.map(row => row[0]));
  const last = Math.max(...all.map(row => row[0] + row[1]));
  let from = first, to = last;
  const lane = 13, gap = 12, left = 64, top = 22;
  const height = top + lanes.reduce((sum, each) => sum + each.height * lane + gap, 0);
  let boxes = [];
  function draw() {
    const wide = canvas.clientWidth, scale = devicePixelRatio || 1;
    canvas.style.height = height + 'px';
    canvas.width = wide * scale;
    canvas.height = height * scale;
    const pen = canvas.getContext('2d');
    pen.scale(scale, scale);
    pen.font = '12px system-ui, sans-serif';
    const x = at => left + (at - from) / (to - from) * (wide - left - 8);
    pen.fillStyle = color('soft');
    const ticks = Math.max(2, Math.floor((wide - left) / 130));
    for (let i = 0; i <= ticks; i++) {
      const at = from + (to - from) * i / ticks;
      pen.textAlign = i === 0 ? 'left' : i === ticks ? 'right' : 'center';
      pen.fillText(millis(at) + ' ms', x(at), 14);
    }
    pen.textAlign = 'left';
    boxes = [];
    let y = top;
    for (const { rank, placed, height } of lanes) {
      pen.fillStyle = color('ink');
      pen.fillText('rank ' + rank, 8, y + 11);
      for (const { row: [begin, took, queued, matching, isComposite, label], lane: row } of placed) {
        if (begin + took < from || begin > to) continue;
        const a = Math.max(left, x(begin)), b = Math.min(wide - 8, Math.max(x(begin + took), x(begin) + 1));
        const at = y + row * lane;
        if (isComposite) {
          pen.strokeStyle = color('soft');
          pen.strokeRect(a + 0.5, at + 0.5, Math.max(1, b - a - 1), lane - 3);
        } else {
          pen.fillStyle = color('communication');
          pen.fillRect(a, at, b - a, lane - 2);
          const m = Math.max(left, x(begin + queued)), n = Math.min(wide - 8, x(begin + queued + matching));
          pen.fillStyle = color('waiting');
          if (n > m) pen.fillRect(m, at, n - m, lane - 2);
        }
        boxes.push([a, at, b, at + lane - 2, rank, label, took, matching]);
      }
      y += height * lane + gap;
    }
  }
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    const part = Math.min(1, Math.max(0, (event.offsetX - left) / (canvas.clientWidth - left - 8)));
    const pivot = from + part * (to - from);
    const zoom = Math.exp(event.deltaY / 400);
    from = Math.max(first, pivot - (pivot - from) * zoom);
    to = Math.min(last, pivot + (to - pivot) * zoom);
    draw();
  }, { passive: false });
  canvas.addEventListener('mousemove', event => {
    if (event.buttons === 1) {
      const moved = -event.movementX / (canvas.clientWidth - left - 8) * (to - from);
      const by = Math.max(first - from, Math.min(last - to, moved));
      from += by;
      to += by;
      draw();
    }
    const box = boxes.findLast(each => event.offsetX >= each[0] - 2 && event.offsetX <= each[2] + 2 && event.offsetY >= each[1] && event.offsetY <= each[3]);
    under.textContent = box ? 'rank ' + box[4] + ': ' + figures.spans.labels[box[5]] + ', ' + millis(box[6]) + ' ms, of which ' + millis(box[7]) + ' ms waiting for other ranks' : '';
  });
  canvas.addEventListener('dblclick', () => {
    from = first;
    to = last;
    draw();
  });
  draw();
  return draw;
}

chooseRank();
drawBandwidth();
const drawTimeline = timeline();
addEventListener('resize', () => {
  for (const chart of charts) chart?.setSize({ width: width(), height: 260 });
  drawTimeline();
});
