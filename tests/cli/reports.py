"""reports.py FOLDER - the numbers of the published reports (cli/retrace/reports) are those of the reports: every number
that is derived from others is computed again, and each number of a derived one is changed to see that it is noticed."""
import copy, json, math, re, sys

problems = []
LIMITED = ('row', 'kernel', 'share', 'best', 'few')  # kinds of claims with limits of one number each


def apart(stated, computed):
    """Whether a number is not the rounding of another."""
    digits = len(repr(float(stated)).split('.')[1].rstrip('0')) if float(stated) % 1 else 0
    return not abs(stated - computed) <= 0.551 * 10.0 ** -digits


def rows(report, table):
    return {row['row']: row for t in report['tables'] if t['id'] == table for row in t['rows']}


def listed(report, kind, name):
    return next(one['values'] for one in report[kind] if one['id'] == name)


def check_rows(report, say):
    """A derived number of a row: the ratio of the row before to it; of shallow's groups, how much slower it is."""
    for table in report['tables']:
        of = {row['row']: row for row in table['rows']}
        before = None
        for row in table['rows']:
            base = of.get(row.get('against'), before)
            if 'derived' in row:
                ratio = base['published'] / row['published']
                is_slower = report['report'] == 'shallow' and table['id'] == 'groups'
                if apart(row['derived'], 1 / ratio if is_slower else ratio):
                    say('%s %s %s' % (report['report'], table['id'], row['row']))
            before = row


def expect(report, name, values, say):
    stated = listed(report, 'derived', name)
    if len(stated) != len(values) or any(apart(a, b) for a, b in zip(stated, values)):
        say('%s %s: %s, and not %s' % (report['report'], name, values, stated))


def check_limits(report, say):
    """The limits of a claim are those that its rule tells to the reader."""
    words = {'above': r'above (\d[.\d]*)( %)?', 'most': r'(?:at most|takes below) (\d[.\d]*)( %)?', 'within': r'within (\d[.\d]*)( %)',
             'least': r'not below (\d[.\d]*)', 'under': r'under (\d[.\d]*)'}
    for claim in report['claims']:
        if claim['kind'] in ('none', 'devices') and 'rule' in claim:
            say('%s %s: a rule that judges nothing' % (report['report'], claim['claim']))
        for key, pattern in words.items():
            told = re.search(pattern, claim.get('rule', '')) if claim['kind'] in LIMITED else None
            value = float(told[1]) / (100 if told[0].endswith('%') else 1) if told else None
            if value is None and key not in claim or value is not None and abs(value - claim.get(key, -1)) < 1e-9:
                continue
            say('%s %s: the rule "%s", and %s %s' % (report['report'], claim['claim'], claim.get('rule'), key,
                                                     claim.get(key)))
        rule, parts = claim.get('rule', ''), claim.get('parts', [])
        if bool(parts) != ('up to a factor of 1.5' in rule) or bool(claim.get('is_most')) != ('no more than' in rule):
            say('%s %s: the rule "%s", and parts %s' % (report['report'], claim['claim'], rule, parts))
        if 'count' in claim and '%d longest' % claim['count'] not in rule or 'bound' in claim and claim['bound'] not in rule:
            say('%s %s: the rule "%s", and other numbers' % (report['report'], claim['claim'], rule))
        if claim['kind'] in ('roof', 'growth'):
            low, high = [claim.get(key) for key in ('low', 'high')] if claim['kind'] == 'roof' else \
                [claim['power'] * part for part in (0.9, 1.1)]
            told = re.search(r'(\d[.\d]*) to (\d[.\d]*)', claim.get('rule', ''))
            if not told or abs(float(told[1]) - low) > 1e-9 or abs(float(told[2]) - high) > 1e-9:
                say('%s %s: the rule "%s", and %s to %s' % (report['report'], claim['claim'], claim.get('rule'), low, high))


def check_bristol(report, say):
    cells = {'128x128': 128 * 128, '128x256': 128 * 256, '256x256': 256 * 256, '1024x1024': 1024 * 1024}
    of = {grid: rows(report, 'stages-' + grid) for grid in cells}
    steps = {t['family']: t['steps'] for t in report['tables'] if t['id'].startswith('stages-')}
    lattices = 2 * 9 * 4  # bytes a cell: in and out
    expect(report, 'transfer-rate', [1e-9 * lattices * cells[grid] * steps[grid] /
                                     (of[grid]['B1']['published'] - of[grid]['B2']['published']) for grid in cells], say)
    three = [of[grid] for grid in ('128x128', '256x256', '1024x1024')]
    expect(report, 'gpu-over-openmp', [one['openmp']['published'] / one['B7']['published'] for one in three], say)
    expect(report, 'openmp-over-serial', [one['serial']['published'] / one['openmp']['published'] for one in three], say)
    operations, size = listed(report, 'numbers', 'operations')
    expect(report, 'intensity', [operations / size], say)
    rate, stream = listed(report, 'numbers', 'stream')
    expect(report, 'roof-part', [100 * rate / stream], say)
    shapes = [1.934, 1.819, 1.758, 1.837, 1.766, 1.816, 1.756, 1.793, 1.899, 1.818, 1.885]
    if [row['published'] for row in rows(report, 'groups').values()] != shapes:
        say('bristol groups')


def check_cylinder(report, say):
    cells = 2048 * 6912
    of = {one['kernel']: one for one in report['published']}
    four = ['macroscopic', 'equilibrium', 'streaming_step', 'collision']
    if abs(cells - 14.156e6) > 1e-3 * cells:
        say('cylinder cells')
    expect(report, 'bandwidths', [1e-6 * of[k]['bytes'] * cells / of[k]['numba_ms'] for k in four], say)
    good = of['macroscopic, optimised']['numba_ms']
    expect(report, 'macroscopic', [of['macroscopic']['numba_ms'] / good], say)
    whole = sum(one['numba_ms'] for one in report['published'] if one['kernel'] != 'macroscopic, optimised')
    after = whole - of['macroscopic']['numba_ms'] + good
    expect(report, 'pass', [whole, 1e-3 * cells / whole, 1e-3 * cells / after], say)
    expect(report, 'true-bandwidth', [1e-6 * 96 * cells / good, 1e-6 * 96 * cells / good / 15], say)
    for claim in report['claims']:
        if claim['kind'] != 'shares':
            continue
        times = {k: of[k]['numba_ms'] for k in four}
        if claim['claim'] == 'C1 today':
            times['macroscopic'] = good
        for kernel in claim['kernels']:
            if apart(kernel['published'], times[kernel['name']] / sum(times.values())):
                say('cylinder share of ' + kernel['name'])


def check_shallow(report, say):
    seconds = listed(report, 'numbers', 'serial-seconds')
    expect(report, 'serial-shares', [100 * one / sum(seconds) for one in seconds[:2]], say)
    serial, gpu = rows(report, 'flags'), rows(report, 'kernels')
    expect(report, 'gpu-over-serial', [serial[base]['published'] / gpu[row]['published'] for base in ('Od', 'O2')
                                       for row in ('tile', 'tile, bed global')], say)
    expect(report, 'idle-lanes', [32 * math.ceil(n * n / 32) / (n * n) for n in (10, 13)], say)
    expect(report, 'halo', [((n + 2) / n) ** 2 for n in (10, 13, 16, 32)], say)


def check_zfs(report, say):
    groups, items, most = listed(report, 'numbers', 'groups')
    expect(report, 'residency', [100 * groups * items / most], say)
    pressure, speed, cfl, stages, faces = 500 / 7, 1, 0.9, 5, 6  # of case cube (docs/compressible.md)
    a_stage = cfl / (math.sqrt(1.4 * pressure) + speed) * faces * 2.0 ** -53 * pressure / speed
    for row in rows(report, 'push').values():
        worst = row['near_steps'] * stages * a_stage  # if all roundings have one sign
        if not worst < row['tolerance'] < 10 * worst:
            say('zfs %s: a bound of %g, where roundings add up to %g' % (row['row'], row['tolerance'], worst))


def check(report, say):
    check_rows(report, say)
    check_limits(report, say)
    own = globals().get('check_' + report['report'])
    if own:
        own(report, say)


def places(report):
    """The published numbers from which another number is derived: (container, key)."""
    for table in report['tables']:
        of = {row['row']: row for row in table['rows']}
        before = None
        for row in table['rows']:
            if 'derived' in row:
                yield table, row, 'published'
                yield table, of.get(row.get('against'), before), 'published'
                yield table, row, 'derived'
            before = row


def noticed(report):
    """Each such number is changed by 5 %, one at a time."""
    for at, (_, row, key) in enumerate(list(places(report))):
        changed, found = copy.deepcopy(report), []
        _, row, key = list(places(changed))[at]
        row[key] *= 1.05
        check(changed, found.append)
        if not found:
            problems.append('%s: a changed %s of row %s is not noticed' % (report['report'], key, row['row']))
    for i, claim in enumerate(report['claims']):
        for key in ('above', 'most', 'least', 'within', 'under', 'low', 'high', 'power'):
            changed, found = copy.deepcopy(report), []
            if key in claim and claim['kind'] in LIMITED + ('roof', 'growth'):
                changed['claims'][i][key] *= 1.05
                check(changed, found.append)
                if not found:
                    problems.append('%s: a changed %s of %s is not noticed' % (report['report'], key, claim['claim']))
    for kind in ('derived', 'numbers'):
        for i, one in enumerate(report.get(kind, [])):
            for k in range(len(one['values'])):
                changed, found = copy.deepcopy(report), []
                changed[kind][i]['values'][k] *= 3
                check(changed, found.append)
                if not found and one['id'] not in ('serial-rate', 'cpi', 'devices', 'structs'):
                    problems.append('%s: a changed number of %s is not noticed' % (report['report'], one['id']))


for name in ('bristol', 'cylinder', 'nbody', 'shallow', 'zfs'):
    with open('%s/%s.json' % (sys.argv[1], name)) as file:
        text = file.read()
    read = json.loads(text)
    if not text.isascii():
        problems.append('%s: the program has a report as bytes of char; write ASCII' % name)
    check(read, problems.append)
    noticed(read)
    ids = [table['id'] for table in read['tables']]
    for claim in read['claims']:
        for table in claim.get('tables', [claim['table']] if 'table' in claim else []):
            if table not in ids:
                problems.append('%s: claim %s names no table %s' % (name, claim['claim'], table))
            for row in [claim[key] for key in ('row', 'base', 'host', 'gpu') if key in claim] + claim.get(
                    'rows', []) + claim.get('others', []):
                if row not in rows(read, table):
                    problems.append('%s: claim %s names no row %s of %s' % (name, claim['claim'], row, table))
    before = set()  # rows with bits of their own have a bound, from a row that stands before them
    for table in read['tables']:
        for row in table['rows']:
            saves = row.get('saves', '').split(',')
            is_own = 'bits' in row or set(saves) & {'other-method', 'fewer-bits', 'varying-bits'}
            near = row.get('near', '')
            near = near if ':' in near else table['id'] + ':' + near
            # 65536 bodies in a cube, theta 0.3: 0.008 of the largest acceleration after 10 steps; 0.4: 0.015, 0.6: 0.040
            most = 0.02 if 'nbody.force=tree' in row.get('set', '') else 1e-3
            if bool(is_own) != (near in before and row.get('near_steps', 0) >= 10 and 0 < row.get('tolerance', 0) <= most):
                problems.append('%s: row %s of %s has bits of its own and no bound, or a bound without need'
                                % (name, row['row'], table['id']))
            before.add(table['id'] + ':' + row['row'])
    for table in read['tables']:
        for row in table['rows']:
            if row.get('against') and row['against'] not in rows(read, table['id']):
                problems.append('%s: row %s of %s is held against no row' % (name, row['row'], table['id']))
print('\n'.join(problems), end='')
sys.exit(1 if problems else 0)
