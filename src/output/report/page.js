'use strict';
// Draws the page from the figures in it. Text only ever becomes text nodes and attributes, never markup.
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const SVG = 'http://www.w3.org/2000/svg';
  const PAGE = 100;
  const at = (id) => document.getElementById(id);
  const number = (n) => n === null ? '?' : n.toLocaleString('en-US');
  const time = (s) => {
    const date = new Date(s * 1000);
    return Number.isNaN(date.getTime()) ? String(s) : date.toISOString().replace('.000', '');
  };
  const share = (part, whole) => whole === 0 ? '0 %' : part > 0 && part / whole < 0.001 ? '<0.1 %' : (part * 100 / whole).toFixed(1) + ' %';
  const seconds = (s) => s < 120 ? s + ' s' : s < 7200 ? +(s / 60).toFixed(1) + ' min' : s < 172800 ? +(s / 3600).toFixed(1) + ' h' : +(s / 86400).toFixed(1) + ' d';

  function make(tag, attributes, ...children) {
    const svg = ['svg', 'rect', 'text', 'line', 'title', 'g'].includes(tag);
    const element = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    for (const child of children) element.append(child);
    return element;
  }

  function figuresTable(headings, rows) {
    return make('details', {}, make('summary', {}, 'Figures'), make('table', {},
      make('thead', {}, make('tr', {}, ...headings.map((h, i) => make('th', {scope: 'col', class: i ? 'number' : ''}, h)))),
      make('tbody', {}, ...rows.map((row) => make('tr', {}, make('th', {scope: 'row'}, row[0]),
        ...row.slice(1).map((cell) => make('td', {class: 'number'}, cell)))))));
  }

  function figure(id, title, about, svg, headings, rows) {
    at('charts').append(make('figure', {id}, make('figcaption', {}, title, make('small', {}, about)), svg,
      figuresTable(headings, rows)));
  }

  function short(name, most) {
    const letters = [...name];
    if (letters.length <= most) return name;
    const half = (most - 1) >> 1;
    return letters.slice(0, half).join('') + '\u2026' + letters.slice(letters.length - half).join('');
  }

  // A row a bar: [name, count, tone].
  function bars(label, rows, whole) {
    const high = 22;
    const most = Math.max(1, ...rows.map((row) => row[1]));
    const svg = make('svg', {viewBox: `0 0 560 ${rows.length * high + 4}`, role: 'img', 'aria-label': label});
    rows.forEach(([name, count, tone], i) => {
      const y = i * high;
      const width = count === 0 ? 0 : Math.max(1, count / most * 260);
      svg.append(make('text', {x: 150, y: y + 16, 'text-anchor': 'end'}, short(name, 22)),
        make('rect', {x: 158, y: y + 4, width, height: high - 7, class: tone || 'bar'}, make('title', {}, `${name}: ${number(count)}`)),
        make('text', {x: 164 + width, y: y + 16}, `${number(count)} (${share(count, whole)})`));
    });
    return svg;
  }

  // A column a slice of time.
  function columns(label, rows, axis) {
    const most = Math.max(1, ...rows.map((row) => row[1]));
    const wide = 540 / Math.max(rows.length, 1);
    const svg = make('svg', {viewBox: '0 0 560 220', role: 'img', 'aria-label': label});
    svg.append(make('text', {x: 10, y: 12}, number(most)), make('line', {x1: 10, x2: 550, y1: 190, y2: 190, class: 'axis'}));
    rows.forEach(([name, count], i) => {
      const height = count === 0 ? 0 : Math.max(1, count / most * 170);
      svg.append(make('rect', {x: 10 + i * wide, y: 190 - height, width: Math.max(wide - 1, 0.5), height, class: 'bar'},
        make('title', {}, `${name}: ${number(count)}`)));
    });
    axis.forEach((text, i) => svg.append(make('text', {x: 10 + i * 540 / (axis.length - 1), y: 208,
      'text-anchor': i === 0 ? 'start' : i === axis.length - 1 ? 'end' : 'middle'}, text)));
    return svg;
  }

  function drawHead() {
    const of = data.deployment ? ' of ' + data.deployment : '';
    document.title = 'Rate-limit windows' + of;
    at('title').textContent = document.title;
    at('taken').textContent = `As of ${time(data.now)}: ${number(data.windows)} windows, ${number(data.live)} of them live, on ` +
      `${number(data.shards.length)} shard${data.shards.length === 1 ? '' : 's'}.`;
    if (data.complete) return;
    const box = at('missing');
    box.hidden = false;
    const stale = data.shards.every((shard) => shard.complete || shard.stale);
    box.append(make('strong', {}, stale ? 'Stale: nothing is missing, but replicas were read that may be behind.'
      : 'Incomplete: some of the windows are missing.'));
    for (const failure of data.failures) box.append(make('p', {}, failure.message));
  }

  function drawTiles() {
    const busiest = data.resets_busiest[0];
    const tiles = [
      [number(data.live), 'live windows'],
      [number(data.exhausted), `exhausted (${share(data.exhausted, data.live)})`, data.exhausted > 0 ? 'bad' : ''],
      [number(data.used_sum), 'requests in live windows'],
      [number(data.used_p99), 'used at p99; the median is ' + number(data.used_p50)],
    ];
    if (busiest) tiles.push([number(busiest.windows), `reset at ${time(busiest.at)}` +
      (data.reset_resolution_s > 1 ? ` within ${seconds(data.reset_resolution_s)}` : '') + `, ${share(busiest.windows, data.live)} of all`]);
    if (data.shards.length > 1) tiles.push([data.shard_ratio === null ? '?' : data.shard_ratio.toFixed(2),
      'largest shard over smallest: ' + data.shard_balance.replace('-', ' ')]);
    for (const [figure, about, tone] of tiles)
      at('tiles').append(make('li', {class: tone || ''}, make('b', {}, figure), make('span', {}, about)));
  }

  function drawCharts() {
    const live = data.live;
    const counts = (rows) => rows.map((row) => [row[0], number(row[1]), share(row[1], live)]);
    const headings = (name) => [name, 'live windows', 'share'];
    const binName = (bin) => bin.from === null ? 'below 0' : bin.from === bin.to ? number(bin.to) : `${number(bin.from)} to ${number(bin.to)}`;
    const used = data.used_bins.map((bin) => [binName(bin), bin.windows]);
    figure('chart-used', 'Requests used', `median ${number(data.used_p50)}, p90 ${number(data.used_p90)}, p99 ${number(data.used_p99)}, max ${number(data.used_max)}`,
      bars('Live windows by requests used', used, live), headings('used'), counts(used));

    const words = {0: 'nothing used', '<25': 'below 25 %', '<50': '25 to 50 %', '<80': '50 to 80 %', '<100': '80 to 100 %', exhausted: 'exhausted', unknown: 'limit unknown', exempt: 'never limited'};
    const tones = {exhausted: 'bad', '<100': 'warn'};
    const bands = data.bands.filter((band) => band.percent_of_limit !== 'exempt' || band.windows > 0).map((band) => [words[band.percent_of_limit], band.windows, tones[band.percent_of_limit]]);
    figure('chart-bands', 'Used of the limit', 'how near windows are to their limits', bars('Live windows by share of the limit', bands, live),
      headings('share of the limit'), counts(bands));

    const step = data.resets_step_s;
    const ahead = data.resets_ahead.map((slice) => [`in ${seconds(slice.from_s)} to ${seconds(slice.from_s + step)}`, slice.windows]);
    const end = step * data.resets_ahead.length;
    const later = data.resets_later > 0 ? `; ${number(data.resets_later)} later` : '';
    figure('chart-resets', 'Resets ahead', `windows in steps of ${seconds(step)}${later}`,
      columns('Live windows by time until they reset', ahead, ['now', seconds(end / 2), seconds(end)]),
      ['when', 'live windows', 'share'], counts(ahead.filter((row) => row[1] > 0)));

    const shards = data.shards.map((shard) => [shard.shard + (shard.complete ? '' : shard.stale ? ' (stale)' : ' (incomplete)'), shard.live, shard.complete ? '' : 'bad']);
    figure('chart-shards', 'Shards', 'live windows on each', bars('Live windows by shard', shards, live), ['shard', 'live windows', 'share', 'used', 'exhausted'],
      data.shards.map((shard, i) => [shards[i][0], number(shard.live), share(shard.live, live), number(shard.used_sum), number(shard.exhausted)]));

    const name = (policy) => policy.policy === null ? '(no policy)' : policy.policy;
    figure('chart-policies', 'Policies', 'live windows of each', bars('Live windows by policy', data.policies.map((policy) => [name(policy), policy.live]), live),
      ['policy', 'live windows', 'used', 'median', 'p99', 'exhausted'],
      data.policies.map((policy) => [name(policy), number(policy.live), number(policy.used_sum), number(policy.used_p50), number(policy.used_p99),
        policy.live > 0 && policy.limit_unknown === policy.live ? '?' : number(policy.exhausted)]));

    if (!data.at_limit.some((row) => row.limit !== 'today')) return;
    const trials = data.at_limit.filter((row) => row.all_policies);
    figure('chart-limits', 'At other limits', 'live windows that would be limited', bars('Live windows limited at each limit', trials.map((row) => [row.limit, row.limited]), live),
      ['limit', 'policy', 'limited', 'share', 'requests over'],
      data.at_limit.map((row) => [row.limit, row.all_policies ? 'all' : name(row), number(row.limited), share(row.limited, row.windows), number(row.requests_over)]));
  }

  // The windows: keys are front-coded in the order of the keys; what several windows share is in groups.
  const windows = data.table;
  const keys = new Array(windows.count);
  const text = new Array(windows.count);
  function unpack() {
    let before = '';
    for (let i = 0; i < windows.count; ++i) {
      before = before.slice(0, windows.shared[i]) + windows.rest[i];
      keys[i] = before;
      const group = windows.groups[windows.group[i]];
      text[i] = `${before}\n${group.policy || ''}\n${group.shard}\n${group.state}`.toLowerCase();
    }
  }
  const group = (i) => windows.groups[windows.group[i]];
  const percent = (i) => group(i).limit > 0 ? windows.used[i] * 100 / group(i).limit : null;
  const titles = [
    ['Key', (i) => keys[i], 'key'], ['Used', (i) => windows.used[i], 'number'], ['Limit', (i) => group(i).limit, 'number'],
    ['%', percent, 'number'], ['State', (i) => group(i).state, ''], ['Resets at', (i) => windows.reset[i], ''],
    ['Shard', (i) => group(i).shard, ''], ['Policy', (i) => group(i).policy, ''],
  ];
  let order = [];
  let sorted = {column: 1, down: true};
  let page = 0;

  function compare(a, b) {
    if (a === b) return 0;
    if (a === null) return 1;
    if (b === null) return -1;
    return (a < b ? -1 : 1) * (sorted.down ? -1 : 1);
  }
  function arrange() {
    const wanted = at('search').value.toLowerCase();
    order = [];
    for (let i = 0; i < windows.count; ++i) if (wanted === '' || text[i].includes(wanted)) order.push(i);
    const value = titles[sorted.column][1];
    const values = new Array(windows.count);
    for (const i of order) values[i] = value(i);
    order.sort((a, b) => compare(values[a], values[b]) || a - b);
    page = 0;
    show();
  }
  function show() {
    const pages = Math.max(1, Math.ceil(order.length / PAGE));
    const body = make('tbody', {id: 'rows'});
    for (const i of order.slice(page * PAGE, page * PAGE + PAGE)) {
      const full = percent(i);
      body.append(make('tr', {}, make('td', {class: 'key'}, keys[i]), make('td', {class: 'number'}, number(windows.used[i])),
        make('td', {class: 'number'}, number(group(i).limit)), make('td', {class: 'number'}, full === null ? '?' : (Math.floor(full * 10) / 10).toFixed(1)),
        make('td', {class: group(i).state === 'exhausted' ? 'bad' : ''}, group(i).state), make('td', {}, windows.reset[i] === null ? 'never' : time(windows.reset[i])),
        make('td', {}, group(i).shard), make('td', {}, group(i).policy || '')));
    }
    at('rows').replaceWith(body);
    const of = windows.count < data.live ? `the ${number(windows.count)} heaviest of ${number(data.live)} live windows` : `${number(windows.count)} live windows`;
    at('found').textContent = `${number(order.length)} of ${of}`;
    at('page').textContent = `Page ${number(page + 1)} of ${number(pages)}`;
    at('previous').disabled = page === 0;
    at('next').disabled = page + 1 >= pages;
    titles.forEach((title, i) => at('head').children[i].setAttribute('aria-sort',
      i !== sorted.column ? 'none' : sorted.down ? 'descending' : 'ascending'));
    titles.forEach((title, i) => at('head').children[i].firstChild.textContent =
      title[0] + (i !== sorted.column ? '' : sorted.down ? ' \u2193' : ' \u2191'));
  }
  function drawTable() {
    titles.forEach((title, i) => {
      const button = make('button', {type: 'button'}, title[0]);
      button.addEventListener('click', () => {
        sorted = {column: i, down: sorted.column === i ? !sorted.down : title[2] === 'number'};
        arrange();
      });
      at('head').append(make('th', {scope: 'col', class: title[2] === 'number' ? 'number' : '', id: 'sort-' + i}, button));
    });
    let waiting = 0;
    at('search').addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = setTimeout(arrange, 120);
    });
    at('previous').addEventListener('click', () => { --page; show(); });
    at('next').addEventListener('click', () => { ++page; show(); });
    unpack();
    arrange();
  }

  drawHead();
  drawTiles();
  drawCharts();
  drawTable();
  document.documentElement.dataset.ready = 'yes';
})();
