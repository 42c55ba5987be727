"""verdicts.py GRADE.SH - synthetic results go into `trireme report` and `trireme compare --brief`. Each verdict, ratio,
interval, crossover and line of fairness is computed again here, from the inputs alone. PART.problems has the problems of a part."""
import json, math, os, random, re, statistics, subprocess, sys

problems = []
made = 0
BACKENDS = os.environ.get('TRIREME_BACKEND_PATH', '')
ENOUGH = 0.9  # the confidence of a verdict (docs/report.md)


def problem(text):
    problems.append(text)


# ---- statistics, from their definitions ------------------------------------------------------------------


def sign_test(ratios):
    """The narrowest symmetric interval of order statistics with at least 95 %, else all: (low, high, confidence)."""
    order, n = sorted(ratios), len(ratios)

    def confidence(k):
        return 1 - 2 * sum(math.comb(n, i) for i in range(k)) / 2 ** n
    k = max([k for k in range(1, n // 2 + 1) if confidence(k) >= 0.95], default=1)
    return order[k - 1], order[n - k], confidence(k)


def separated(a, b):
    """Worst against best, with the confidence of Mann and Whitney's test for samples that do not overlap."""
    return min(a) / max(b), max(a) / min(b), max(0, 1 - 2 / math.comb(len(a) + len(b), len(a)))


def related(one, base, is_paired=True):
    """(ratio, low, high, confidence); the last three are None where one of them has a single run."""
    if min(len(one), len(base)) < 2:
        return statistics.median(one) / statistics.median(base), None, None, None
    if is_paired and len(one) == len(base):
        ratios = [a / b for a, b in zip(one, base)]
        return (statistics.median(ratios), *sign_test(ratios))
    return (statistics.median(one) / statistics.median(base), *separated(one, base))


def is_shown(found):
    return found[3] is not None and found[3] >= ENOUGH - 1e-12 and not found[1] <= 1 <= found[2]


def g(value, digits=3):
    return '%.*g' % (digits, value)


def percent(confidence):
    return 'more than 99' if confidence >= 0.995 else '%.0f' % (100 * confidence)


def span(found, is_paired=True):
    return '' if found[1] is None else ' (%s to %s%s with %s %% confidence)' % (
        g(found[1]), g(found[2]), '' if is_paired else ', worst against best,', percent(found[3]))


def verdict(label, base, found, is_paired=True):
    """The sentence of a row."""
    ratio, around = g(found[0]), span(found, is_paired)
    if found[3] is None or found[3] < ENOUGH - 1e-12:
        cure = '--runs=5 gives 94 % confidence' if is_paired else \
            "'trireme compare --runs=5', which takes turns, gives 94 % confidence"
        return '**unknown:** %s ran at %s of the speed of %s%s: too few runs to show a difference; %s.' % (
            label, ratio, base, around, cure)
    if not is_shown(found):
        return '%s and %s: no difference could be shown, %s%s.' % (label, base, ratio, around)
    return ('%s is %s times as fast as %s%s.' if found[1] > 1 else '%s is slower than %s: %s of its speed%s.') % (
        (label, ratio, base, around) if found[1] > 1 else (label, base, ratio, around))


# ---- documents -------------------------------------------------------------------------------------------

HOST = {'name': 'here', 'processor': 'Some CPU', 'cores': 8, 'cores_allowed': 8, 'cores_granted': None,
        'others_busy_cores': 0.01, 'governor': 'performance', 'clock_hz': {'least': 3e9, 'most': 3e9}, 'stolen_part': 0,
        'machine': {'virtual': False, 'sockets': 1, 'threads_per_core': 1, 'memory_nodes': 1,
                    'last_cache': {'bytes': 32 * 1048576, 'processors': 8}}}
GPU = {'clock_hz': 1.9e9, 'clock_max_hz': 1.98e9, 'slowed_by': '', 'ecc': True, 'processes': 1}
NAMES = {'openmp': ('Some CPU', 'libgomp'), 'cuda': ('Some GPU', 'driver 1'),
         'opencl': ('pthread-Some CPU', 'PoCL HSTR: pthread, Portable Computing Language')}


def device(on, threads=8):
    backend = on.split(':')[0]
    one = {'id': on, 'backend': backend, 'name': NAMES[backend][0], 'driver': NAMES[backend][1], 'host': backend == 'openmp'}
    if backend == 'openmp':
        one.update(threads=threads, pinning='cores')
    return one


def side(on, rates, n=256, shape=None, threads=8, **more):
    """A candidate that made runs of these updates a second on a grid of n x n cells (or of a shape: '8 x 8 x 8 cells')."""
    shape = shape or '%d x %d cells' % (n, n)
    numbers = [int(word) for word in re.findall(r'\d+', shape)]
    cells = math.prod(numbers) if 'cells' in shape else numbers[0] ** 2
    good = [rate for rate in rates if rate]
    one = {'on': on, 'device': device(on, threads), 'cells': cells, 'shape': shape, 'precision': 'f32', 'math': 'strict',
           'fingerprint': 'a' * 32, 'runs': rates, 'steps': 1000, 'values': {}, 'config': {'grid.nx': numbers[0]},
           'seconds_per_step': cells / statistics.median(good) if good else None, 'repeats': True, 'reference': 0,
           'must_agree': True, 'agrees': True, 'differences': []}
    if on.startswith('cuda'):
        one['gpu'] = dict(GPU)
    one.update(more)
    return one


def document(sides, kind='compare', host=HOST, **more):
    one = {'schema': 4, 'trireme': '0.1.0', 'kind': kind, 'case': 'box', 'solver': 'lbm', 'precision': 'f32', 'math': 'strict',
           'conditions': {'host': host}, 'config': {'lbm.omega': 1.7}, 'roles': {'grid.nx': 'size', 'grid.ny': 'size'},
           'varied': [], 'contenders': sides, 'build': {'flags': '-O2', 'compiler': 'gcc'}}
    one.update(more)
    return one


def run_of(on, rate, seed, **more):
    """A run.json of its own."""
    one = document(None, 'run', device=device(on), cells=65536, shape='256 x 256 cells', status='finished', steps=1000,
                   fingerprint='a' * 32, program={'precision': 'f32', 'math': 'strict'}, written=str(seed),
                   speed={'updates_per_second': rate, 'seconds_per_step': 65536 / rate})
    del one['contenders']
    one.update(more)
    return one


def write(one):
    global made
    made += 1
    with open('%d.json' % made, 'w', encoding='utf-8') as stream:
        json.dump(one, stream)
    return '%d.json' % made


def report(*documents):
    """Lines of each section of the report of these documents."""
    files = [write(one) if isinstance(one, dict) else one for one in documents]
    done = subprocess.run([os.environ['TRIREME'], 'report', '--again', *files, '-o', 'page.html'], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        problem('a report ends with %d: %s' % (done.returncode, done.stderr))
        return {}
    sections, name = {}, ''
    with open('page.md', encoding='utf-8') as stream:
        for line in stream:
            line = re.sub(r'\\([\\`*_{}<>#|\[\]])', r'\1', line.strip())
            if line.startswith('## '):
                name = line[3:]
            sections.setdefault(name, []).append(line)
    return sections


def items(page, section, words=''):
    return [line[2:] for line in page.get(section, []) if line.startswith('- ') and words in line]


def expect(what, page, section, wanted, words=''):
    """These items, and no others, of those with these words."""
    found = items(page, section, words)
    if found != wanted:
        problem('%s:\n  wanted %s\n  found  %s' % (what, '\n         '.join(wanted), '\n         '.join(found)))


def says(what, page, section, words):
    if not any(words in line for line in page.get(section, [])):
        problem('%s: no "%s" in %s' % (what, words, page.get(section)))


def lacks(what, page, section, words):
    if any(words in line for line in page.get(section, [])):
        problem('%s: "%s" in %s' % (what, words, [line for line in page[section] if words in line]))


# ---- ratios ----------------------------------------------------------------------------------------------


def table(name):
    with open('page-%s.csv' % name, encoding='utf-8') as stream:
        lines = [line.rstrip('\n').split(',') for line in stream]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def near(found, wanted):
    return not found if wanted is None else bool(found) and abs(float(found) - wanted) <= 1e-8 * abs(wanted)


def ratios():
    """Runs in turns: of 1 to 20, with differences from none to large; one of the base's rounds is slow."""
    draw = random.Random(7)
    for count in (1, 2, 3, 4, 5, 6, 8, 9, 12, 20):
        slow = [1 if draw.random() < 0.7 else 0.5 for _ in range(count)]
        base = [1e9 * s * draw.uniform(0.98, 1.02) for s in slow]
        rows = [[b * factor * draw.uniform(1 - noise, 1 + noise) for b in base]
                for factor, noise in ((1, 0), (1, 0.2), (1.03, 0.05), (1.5, 0.02), (0.6, 0.05), (0.97, 0.02), (1.01, 0.01))]
        sides = [side('openmp:0', base)] + [side('cuda:%d' % i, rates) for i, rates in enumerate(rows)]
        page = report(document(sides))
        found = [related(rates, base) for rates in rows]
        names = ['cuda:%d' % i for i in range(len(rows))]
        expect('%d runs in turns' % count, page, 'Verdict',
               [verdict(name, 'openmp:0', one) for name, one in zip(names, found)], 'openmp:0')
        for row, one, rates in zip(table('speeds')[1:], found, rows):
            if not (near(row['ratio'], one[0]) and near(row['from'], one[1]) and near(row['to'], one[2]) and
                    near(row['M_updates_s'], statistics.median(rates) / 1e6) and near(row['least'], min(rates) / 1e6)
                    and near(row['us_a_step'], 65536e6 / statistics.median(rates))):
                problem('the table of %d runs: %s for %s' % (count, row, one))
        marked = [bool(re.search(r'\d ~ \|', line)) for line in page['Speed'] if line.startswith('| cuda:')]
        if marked != [not is_shown(one) for one in found]:
            problem('of %d runs ~ marks %s' % (count, marked))


def apart():
    """Runs by commands of their own: the shift of two samples, by Mann and Whitney."""
    draw = random.Random(11)
    for count, other, factor in ((1, 1, 2), (1, 5, 2), (2, 2, 2), (2, 4, 1.5), (3, 3, 1.5), (3, 3, 1), (2, 6, 0.5), (4, 5, 1.02),
                                 (5, 5, 0.7), (7, 7, 1.3)):
        base = [1e9 * draw.uniform(0.95, 1.05) for _ in range(count)]
        rates = [1e9 * factor * draw.uniform(0.95, 1.05) for _ in range(other)]
        files = [run_of('openmp:0', rate, i) for i, rate in enumerate(base)] + \
            [run_of('cuda:0', rate, i) for i, rate in enumerate(rates)]
        page = report(*files)
        expect('%d and %d runs apart' % (count, other), page, 'Verdict',
               [verdict('cuda:0', 'openmp:0', related(rates, base, False), False)], 'openmp:0')
    page = report(*[write(run_of('openmp:0', 1e9, 1))] * 6, *[write(run_of('cuda:0', 2e9, 1))] * 6)
    expect('one file six times is one run', page, 'Verdict', [verdict('cuda:0', 'openmp:0', related([2e9], [1e9]), False)],
           'openmp:0')
    sides = [side('openmp:0', [1e9, 1.1e9, 1.2e9, 1e9, 1e9]), side('cuda:0', [2e9, 2e9, 2e9, 2.1e9, 2.2e9])]
    page = report(document(sides), document(sides))
    if len(items(page, 'Verdict', 'openmp:0')) != 1:
        problem('the same comparison twice: %s' % page['Verdict'])
    for broken in (None, 0, -1e9):  # a round without a speed is no round of another
        page = report(document([side('openmp:0', [broken, 1e9, 2e9, 1e9, 2e9, 1e9, 2e9]),
                                side('cuda:0', [2e9, 4e9, 2e9, 4e9, 2e9, 4e9, broken])]))
        expect('a round of %s' % broken, page, 'Verdict',
               [verdict('cuda:0', 'openmp:0', related([2e9, 4e9] * 3, [1e9, 2e9] * 3, False), False)], 'openmp:0')


def several():
    """More than eight: the fastest of each size, by its median."""
    rows = [[1e9 * (1 + i / 10) * (1 + k / 100) for k in range(5)] for i in range(5)]
    sides = [side('openmp:%d' % i, rates, n) for n in (64, 128) for i, rates in enumerate(rows if n == 64 else rows[::-1])]
    page = report(document(sides, varied=[{'key': 'grid.nx', 'same_result': False, 'values': ['64', '128']}]))
    expect('ten rows', page, 'Verdict', [verdict('openmp:4 64 x 64', 'openmp:0 64 x 64', related(rows[4], rows[0])),
                                         'Of its size openmp:0 128 x 128 has the fastest median.'], ' x ')
    sides = [side('openmp:%d' % i, rates) for i, rates in enumerate(rows * 2)]
    sides[0]['runs'], sides[0]['seconds_per_step'] = [], None
    page = report(document(sides))
    expect('a first row without runs', page, 'Verdict', [verdict('openmp:4', 'openmp:1', related(rows[4], rows[1]))], 'openmp:1')
    # what an older file does not tell is computed, and is a whole number
    sides = [side('openmp:0', [0.7e9 * 1.1] * 5), side('cuda:0', [1.3e9 * 1.7] * 5)]
    for one in sides:
        one['updates_per_second'] = statistics.median(one['runs'])
        one['cells'] = None
        one['seconds_per_step'] = 1000003 / one['updates_per_second']
    expect('cells that are not told', report(document(sides)), 'Verdict',
           [verdict('cuda:0', 'openmp:0', related(sides[1]['runs'], sides[0]['runs']))], 'openmp:0')
    # a candidate whose values were not finite has no size
    sides = [side('openmp:0', [1e9] * 5), side('cuda:0', [2e9] * 5), side('cuda:1', [None] * 5, cells=None,
                                                                            diverged='on cuda:1: speed is not finite')]
    page = report(document(sides))
    lacks('a diverged candidate is of no other size', page, 'Fairness', 'different sizes')
    expect('nor named by it', page, 'Verdict', [verdict('cuda:0', 'openmp:0', related([2e9] * 5, [1e9] * 5))], 'openmp:0')


def lacking():
    """Members that a file lacks, and rows that have not run yet."""
    five = [1e9] * 5
    page = report(document([side('openmp:0', [])]))
    expect('one without a speed', page, 'Verdict', ['**unknown:** openmp:0 has no speed; there is nothing to compare it with.'], 'openmp')
    page = report(document([side('openmp:0', five, precision=None, math=None)], precision=None, math=None))
    says('no precision', page, 'Fairness', '**unknown:** Precision: not known.')
    says('no arithmetic', page, 'Fairness', '**unknown:** Arithmetic: not known.')
    still = side('cuda:1', [], cells=0, shape='', status='open', fingerprint='', agrees=None)
    page = report(document([side('openmp:0', five), side('cuda:0', five), still], 'study', rows=[
        {'status': 'finished'}, {'status': 'finished'}, {'status': 'open'}]))
    lacks('a row that has not run is of no other size', page, 'Fairness', 'different sizes')
    says('and is said', page, 'Verdict', '**unknown:** 1 row of the study has not run yet; the same command with its folder as --output '
         'goes on.')
    both = [side('openmp:0', five), side('cuda:0', [2e9] * 5)]
    for n, one in zip((50, 200), both):
        one['device'] = {key: value for key, value in one['device'].items() if key != 'host'}
    page = swept(('openmp:0', flat({50: 4, 200: 5}), {}), ('cuda:0', flat({50: 4, 200: 6}), {'device': both[1]['device']}))
    lacks('a device of no known kind is no GPU', page, 'Size sweep', 'PPR')
    runs = [run_of('openmp:0', 1e9, i, build={'flags': flags, 'compiler': 'gcc'}) for i, flags in enumerate(('-O2', '-O0'))]
    page = report(*runs)
    says('two builds are not one sample', page, 'Fairness', 'Build: different compilers or flags')
    says('but one each', page, 'Fairness', 'at least 1 of each')


def wrong():
    """A row whose result differs where it must not is no winner."""
    base = [1e9 * (1 + i / 100) for i in range(5)]
    bad = {'agrees': False, 'fingerprint': 'b' * 32}
    rates = [[b * factor for b in base] for factor in (2, 5, 3)]
    page = report(document([side('openmp:0', base), side('cuda:0', rates[0]), side('cuda:1', rates[1], **bad)]))
    expect('a fast row with a wrong result', page, 'Verdict', [
        verdict('cuda:0', 'openmp:0', related(rates[0], base)),
        verdict('cuda:1', 'openmp:0', related(rates[1], base)) + ' Its result differs where it must not.'], 'openmp:0')
    page = report(document([side('openmp:0', base), side('cuda:1', rates[1], **bad)] + [
        side('cuda:%d' % (2 + i), rates[2 if i == 6 else 0]) for i in range(8)]))
    expect('it is not the fastest of many', page, 'Verdict', [verdict('cuda:8', 'openmp:0', related(rates[2], base))], 'openmp:0')
    host, gpu = flat({50: 400, 100: 300, 200: 250}), flat({50: 100, 100: 200, 200: 900})
    sides = [side('openmp:0', r, n) for n, r in host.items()] + [side('cuda:0', r, n) for n, r in gpu.items()]
    sides[-1].update(bad)
    page = report(document(sides, varied=SWEPT))
    right = {n: gpu[n] for n in (50, 100)}
    expect('nor at a size', page, 'Size sweep', [
        'openmp:0 is ahead of cuda:0 at every size measured for both: no crossover between 2500 and 10000 cells.', peaks(right, host)])


def scaling():
    """Strong scaling against the fewest threads."""
    draw = random.Random(17)
    for few, many in ((1, 8), (2, 16), (3, 4)):
        sides = [side('openmp:0', [1e9 * draw.uniform(1, 1.1) * factor for _ in range(5)], threads=n, values={'run.threads': str(n)})
                 for n, factor in ((few, 1), (many, draw.uniform(0.5, 6)))]
        page = report(document(sides, varied=[{'key': 'run.threads', 'same_result': True, 'values': []}]))
        first, last = (statistics.median(one['runs']) for one in sides)
        expect('%d and %d threads' % (few, many), page, 'Scaling', ['openmp:0: %d threads run at %s %s the speed of %d thread%s (%.0f %% '
               'parallel efficiency).' % (many, g(last / first), 'of' if last < first else 'times', few, '' if few == 1 else 's',
                                          100 * last / first * few / many)], 'threads run')


def agreement():
    five = [1e9] * 5
    differ = '**warning:** 1 of the results differ where they must not: see Agreement.'
    page = report(document([side('openmp:0', five, repeats=False, agrees=False), side('cuda:0', five)], agrees=False))
    expect('a first that does not repeat itself', page, 'Verdict', [differ], 'results')
    page = report(document([side('openmp:0', five, repeats=False, agrees=False)], agrees=False))
    expect('nor one alone', page, 'Verdict', [differ], 'results')
    ended = {'fingerprint': None, 'diverged': 'it diverged', 'cells': None}
    page = report(document([side('openmp:0', [None] * 5, **ended), side('cuda:0', [None] * 5, **ended), side('cuda:1', five)]))
    lacks('two that diverged', page, 'Verdict', 'tolerance')
    page = report(document([side('openmp:0', five), side('cuda:0', five, fingerprint='b' * 32, agrees=False)]))
    expect('one bit', page, 'Verdict', [differ], 'results')
    page = report(document([side('openmp:0', five, math='fast'), side('cuda:0', five, math='fast', fingerprint='b' * 32)]))
    says('fast arithmetic', page, 'Verdict', 'agree to the tolerance')
    page = report(document([side('openmp:0', five), side('cuda:0', five, fingerprint=None)]))
    lacks('no fingerprint in a strict run', page, 'Verdict', 'tolerance')


# ---- sizes -----------------------------------------------------------------------------------------------

SWEPT = [{'key': 'grid.nx', 'same_result': False, 'values': []}]
READING = ('PPR and PRC by our reading of their abstract. A processor reaches its peak on one large grid only if the grid can be '
           'cut into many independent cases.')


def swept(*curves, study=True, varied=(), **more):
    """A sweep: (device, {side or shape: rates}, more of its rows)."""
    sides = []
    for on, points, own in curves:
        for n, rates in points.items():
            sides.append(side(on, rates, shape=n, **own) if isinstance(n, str) else side(on, rates, n, **own))
    return report(document(sides, 'study' if study else 'compare', varied=SWEPT + list(varied), **more))


def flat(points):
    return {n: [1e6 * rate] * 5 for n, rate in points.items()}


def size(cells, power=2):
    n = '%.0f' % cells ** (1 / power)
    return '%.0f cells (%s)' % (cells, ' x '.join([n] * power))


def crossing(x, ratios):
    """Where the ratio of two neighbours passes 1, on logarithmic scales."""
    part = math.log(ratios[0]) / math.log(ratios[0] / ratios[1])
    return math.exp(math.log(x[0]) * (1 - part) + math.log(x[1]) * part)


def peaks(gpu, host, names=('cuda:0', 'openmp:0'), power=2):
    """The line of PPR and PRC of two curves {n: rates}."""
    def best(of):
        return max(of, key=lambda n: statistics.median(of[n]))

    def end(of):
        return ', the largest size measured' if best(of) == max(of) else ''
    a, b = best(gpu), best(host)
    top = statistics.median(host[b])
    found = related(gpu[a], host[b])
    around = '' if found[1] is None else '; %s to %s with %s %% confidence' % (g(found[1]), g(found[2]), percent(found[3]))
    text = '%s and %s: PPR %s (peaks at %.0f cells%s, and %.0f cells%s%s); ' % (
        *names, g(found[0]), a ** power, end(gpu), b ** power, end(host), around)
    at = sorted(gpu)
    over = [statistics.median(gpu[n]) >= top for n in at]
    if not is_shown(found):
        return '**unknown:** %sPRC is not known: the difference of the peaks could not be shown. %s' % (text, READING)
    if not any(over):
        return text + 'no PRC: at no size measured %s reaches that. %s' % (names[0], READING)
    i = over.index(True)
    reached = at[0] ** power if i == 0 else crossing(
        [at[i - 1] ** power, at[i] ** power], [statistics.median(gpu[n]) / top for n in (at[i - 1], at[i])])
    below = over[i:].count(False)
    where = 'there the median of %s reaches the best median of %s at any size measured' if below else \
        'from there on the median of %s is at least the best median of %s at any size measured'
    return text + 'PRC %s%s: %s%s. %s' % ('below ' if i == 0 else '', size(reached, power), where % names,
                                          '; at %d larger size%s it is lower again' % (below, 's' if below > 1 else '')
                                          if below else '', READING)


def sizes():
    host = flat({50: 400, 100: 300, 200: 250})
    gpu = flat({50: 100, 100: 300 * 1.0001, 200: 900})
    page = swept(('openmp:0', host, {}), ('cuda:0', gpu, {}))
    x = [50 ** 2, 100 ** 2]
    expect('a crossover', page, 'Size sweep', ['cuda:0 wins over openmp:0 above about %s.' % size(crossing(x, [0.25, 1.0001])),
                                               peaks(gpu, host)])
    draw = random.Random(3)
    for turn in range(6):
        at = sorted(draw.sample(range(20, 900), 5))
        a = {n: [1e6 * r * draw.uniform(0.97, 1.03) for _ in range(5)] for n, r in
             zip(at, [draw.uniform(50, 400) for _ in at])}
        b = {n: [1e6 * r * draw.uniform(0.97, 1.03) for _ in range(5)] for n, r in
             zip(at, [draw.uniform(50, 400) for _ in at])}
        found = [related(b[n], a[n]) for n in at]
        signs = [(1 if one[1] > 1 else -1) if is_shown(one) else 0 for one in found]
        shown = [i for i, sign in enumerate(signs) if sign]
        turns = [(i, k) for i, k in zip(shown, shown[1:]) if signs[i] != signs[k]]
        page = swept(('openmp:0', a, {}), ('cuda:0', b, {}))
        first, second = ('cuda:0', 'openmp:0') if 1 in signs else ('openmp:0', 'cuda:0')
        if not turns and len(shown) < len(at):
            wanted = '%s is ahead of %s at %d of %d sizes; at the others no difference could be shown.' % (
                first, second, len(shown), len(at))
        elif not turns:
            wanted = '%s is ahead of %s at every size measured: no crossover between %d and %d cells.' % (
                first, second, at[0] ** 2, at[-1] ** 2)
        else:
            i, k = turns[-1]
            # between the two the last pair of neighbours whose ratios lie on both sides of 1
            j = max(j for j in range(i, k) if (found[j][0] < 1) != (found[j + 1][0] < 1))
            where = crossing([at[j] ** 2, at[j + 1] ** 2], [found[j][0], found[j + 1][0]])
            winner = ('cuda:0', 'openmp:0') if signs[k] > 0 else ('openmp:0', 'cuda:0')
            open_ends = len(at) - 1 - shown[-1]
            wanted = '%s wins over %s above about %s%s%s.' % (
                *winner, size(where),
                '; the curves cross %d times, and this is the last' % len(turns) if len(turns) > 1 else '',
                '; at the %d largest size%s no difference could be shown' % (open_ends, 's' if open_ends > 1 else '')
                if open_ends else '')
        expect('random curves %d' % turn, page, 'Size sweep', [wanted, peaks(b, a)])
    # two curves of noise
    a, b = ({n: [1e6 * draw.uniform(90, 110) for _ in range(5)] for n in (50, 100, 200)} for _ in range(2))
    for n in a:
        b[n][0], b[n][1] = a[n][0] * 0.9, a[n][1] * 1.1
    page = swept(('openmp:0', a, {}), ('cuda:0', b, {}))
    says('noise is no crossover', page, 'Size sweep', 'no difference could be shown with 90 % confidence at any size')
    expect('nor a ratio of peaks', page, 'Size sweep', [peaks(b, a)], 'PPR')
    # one run of each
    a, b = ({n: [rate] for n, (rate, *_) in of.items()} for of in (host, gpu))
    expect('single runs', swept(('openmp:0', a, {}), ('cuda:0', b, {})), 'Size sweep', [peaks(b, a)], 'PPR')
    # the ratio of the rounds shows one ahead, the medians the other
    a = {50: [1e8 * r for r in (1, 2, 3, 4, 5, 6, 7, 8, 9)], 100: [1e8] * 9}
    b = {50: [1e8 * r for r in (1.01, 2.01, 3.01, 4.01, 4.9, 6.01, 7.01, 8.01, 9.01)], 100: [0.5e8] * 9}
    found = related(b[50], a[50])
    if not is_shown(found) or not statistics.median(b[50]) < statistics.median(a[50]):
        problem('the example of rounds and medians is none')
    says('rounds and medians that disagree', swept(('openmp:0', a, {}), ('cuda:0', b, {})), 'Size sweep',
         'openmp:0 wins over cuda:0 above about %s' % size(crossing([2500, 10000], [found[0], 0.5])))
    overlaps()
    shapes()
    works()


def overlaps():
    """Sizes of one device alone."""
    host, gpu = flat({50: 400, 100: 300, 200: 250}), flat({100: 900, 200: 900, 800: 950})
    page = swept(('openmp:0', host, {}), ('cuda:0', gpu, {}))
    expect('sizes of one alone are not noise', page, 'Size sweep',
           ['cuda:0 is ahead of openmp:0 at every size measured for both: no crossover between 10000 and 40000 cells.',
            peaks(gpu, host)])
    gpu = flat({60: 900, 150: 900, 180: 950})
    page = swept(('openmp:0', host, {}), ('cuda:0', gpu, {}))
    expect('no common size', page, 'Size sweep',
           ['**unknown:** cuda:0 and openmp:0 were measured at no common size, so that no crossover is known; give both the '
            'same sizes (trireme study --sizes).', peaks(gpu, host)])
    gpu = flat({1000: 900, 2000: 950})
    page = swept(('openmp:0', host, {}), ('cuda:0', gpu, {}))
    expect('sizes that do not overlap', page, 'Size sweep',
           ['**unknown:** cuda:0 and openmp:0: PPR and PRC are not known: cuda:0 was measured from 1000000 to 4000000 cells, and '
            'openmp:0 from 2500 to 40000; give both the same sizes (trireme study --sizes).'], 'PPR')


def shapes():
    """Sides of a cube; pairs of bodies have no side."""
    cubes = ['%d x %d x %d cells' % (n, n, n) for n in (16, 64)]
    page = swept(('openmp:0', dict(zip(cubes, ([4e8] * 5, [2e8] * 5))), {}), ('cuda:0', dict(zip(cubes, ([1e8] * 5, [8e8] * 5))), {}))
    where = crossing([16 ** 3, 64 ** 3], [0.25, 4])
    says('cubes', page, 'Size sweep', 'above about %s.' % size(where, 3))
    says('the peaks of cubes', page, 'Size sweep', 'PRC %s:' % size(crossing([16 ** 3, 64 ** 3], [0.25, 2]), 3))
    page = swept(('openmp:0', {'1024 elements': [4e8] * 5, '4096 elements': [2e8] * 5}, {}),
                 ('cuda:0', {'1024 elements': [1e8] * 5, '4096 elements': [8e8] * 5}, {}))
    says('pairs', page, 'Size sweep', 'above about %.0f updates a step.' % crossing([1024 ** 2, 4096 ** 2], [0.25, 4]))
    lacks('pairs are no cells', page, 'Size sweep', ' cells')


def works():
    """Only the same work is compared: of one precision, on a GPU and a processor, each at its best."""
    host, gpu = flat({50: 400, 200: 250}), flat({50: 100, 200: 900})
    double = {'precision': 'f64', 'values': {'run.precision': 'f64'}}
    single = {'precision': 'f32', 'values': {'run.precision': 'f32'}}
    axis = {'key': 'run.precision', 'same_result': False, 'values': ['f32', 'f64']}
    page = swept(('openmp:0', host, single), ('openmp:0', flat({50: 200, 200: 125}), double), ('cuda:0', gpu, single),
                 ('cuda:0', flat({50: 50, 200: 450}), double), varied=[axis])
    names = ('cuda:0 f32', 'openmp:0 f32'), ('cuda:0 f64', 'openmp:0 f64')
    expect('two precisions', page, 'Size sweep', [peaks(gpu, host, names[0]), peaks(
        flat({50: 50, 200: 450}), flat({50: 200, 200: 125}), names[1])], 'PPR')
    if len(items(page, 'Size sweep', 'wins over')) != 2:
        problem('crossovers of two precisions: %s' % items(page, 'Size sweep'))
    half = {'values': {'lbm.storage': 'half'}}, {'values': {'lbm.storage': 'full'}}
    page = swept(('openmp:0', host, half[1]), ('cuda:0', gpu, half[0]),
                 varied=[{'key': 'lbm.storage', 'same_result': False, 'values': ['full', 'half']}])
    expect('numbers of half as many bits are other work', page, 'Size sweep', [])
    axis = {'key': 'run.threads', 'same_result': True, 'values': ['1', '8']}
    few = {'values': {'run.threads': '1'}, 'threads': 1}, {'values': {'run.threads': '8'}, 'threads': 8}
    page = swept(('openmp:0', flat({50: 300, 200: 60}), few[0]), ('openmp:0', host, few[1]), ('cuda:0', gpu, {}), varied=[axis])
    expect('the peak of a processor is that of its best threads', page, 'Size sweep', [peaks(gpu, host)], 'PPR')
    page = swept(('openmp:0', host, {}), ('opencl:0', flat({50: 40, 200: 50}), {}))
    lacks('PoCL is no GPU', page, 'Size sweep', 'PPR')
    dip = flat({50: 100, 100: 900, 200: 300})
    expect('a curve that falls again', swept(('openmp:0', flat({50: 400, 100: 300, 200: 250}), {}), ('cuda:0', dip, {})),
           'Size sweep', [peaks(dip, flat({50: 400, 100: 300, 200: 250}))], 'PPR')
    low = flat({50: 100, 200: 200})
    expect('a GPU that never reaches it', swept(('openmp:0', host, {}), ('cuda:0', low, {})), 'Size sweep', [peaks(low, host)],
           'PPR')
    high = flat({50: 500, 200: 900})
    expect('one that always does', swept(('openmp:0', host, {}), ('cuda:0', high, {})), 'Size sweep', [peaks(high, host)], 'PPR')
    groups = [('cuda:0', flat({50: 100 + i, 200: 200 + i}), {'values': {'run.group': '%dx1' % i}}) for i in range(1, 20)]
    page = swept(*groups, varied=[{'key': 'run.group', 'same_result': True, 'values': []}])
    says('more settings than a figure holds', page, 'Size sweep', '3 of the 19 settings are left out: a figure holds 16')


# ---- fairness --------------------------------------------------------------------------------------------


def of_host(runs=5, sides=2, **host):
    """A comparison on a machine with these conditions."""
    machine = dict(HOST['machine'], **host.pop('machine', {}))
    both = [side('openmp:0', [1e9] * runs), side('cuda:0', [2e9] * runs)]
    return report(document(both[:sides], host=dict(HOST, machine=machine, **host)))


def fairness():
    page = of_host()
    expect('nothing is unfair', page, 'Verdict', ['**ok:** Nothing was found that makes the comparison unfair.'], 'fair')
    lacks('nor unknown', page, 'Fairness', 'unknown')
    for runs, words in ((1, '**warning:** Repetitions: at least 1 of each; one run tells nothing of the noise.'),
                        (2, '2 of each; too few'), (4, '4 of each; too few'), (5, '**ok:** Repetitions: at least 5 of each.'),
                        (8, '**ok:** Repetitions: at least 8 of each.')):
        says('%d runs' % runs, of_host(runs), 'Fairness', words)
    says('the rule of the confidence', of_host(4), 'Fairness', '**unknown:** Repetitions: at least 4 of each; too few for a verdict: '
         'an interval has 90 % confidence from 5 runs in turns on.')
    page = report(*[run_of(on, rate * (1 + i / 100), i) for on, rate in (('openmp:0', 1e9), ('cuda:0', 2e9)) for i in range(3)])
    says('three and three apart', page, 'Fairness', '**ok:** Repetitions: at least 3 of each.')
    page = report(document([side('openmp:0', []), side('cuda:0', [])]))
    says('no runs', page, 'Fairness', '**unknown:** Repetitions: no run has a speed.')
    lacks('no runs are not infinitely many', page, 'Fairness', 'inf')
    machine()
    threads()
    other_code()
    rows()


def machine():
    mib = 1048576
    for bytes_, sharing, cores, is_part, kinds in (
            (32 * mib, 8, 8, False, (True, False, None)), (300 * mib, 2, 2, True, (True, False, None)), (96 * mib, 8, 8, False, (False,)),
            (97 * mib, 8, 8, True, (False,)), (32 * mib, None, 2, True, (True,)), (32 * mib, None, None, None, (True,)),
            (32 * mib, 2, 64, True, (True,)), (None, 2, 2, False, (True,))):
        cache = {'bytes': bytes_, 'processors': sharing}
        for virtual in kinds:
            page = of_host(cores=cores, cores_allowed=cores, machine={'virtual': virtual, 'last_cache': cache, 'vendor': None})
            line = items(page, 'Fairness', 'Machine:')[0]
            begin = {True: '**warning:** Machine: a virtual machine.', None: '**unknown:** Machine: whether it is a virtual machine '
                     'is not known.', False: 'Machine: no virtual machine.'}[virtual]
            part = ' Its %s processors share a last cache of %.0f MiB, so that they may be a part of a larger chip. If so, the ratio ' \
                'is not one to the chip.' % (sharing or cores, (bytes_ or 0) / mib)
            if begin not in line or is_part != (part in line) and is_part is not None or 'nan' in line or \
               (is_part is None and 'share' in line) or (is_part and virtual is False and 'warning' not in line):
                problem('a cache of %s for %s of %s processors, virtual %s: %s' % (bytes_, sharing, cores, virtual, line))
    page = of_host(cores=None, cores_allowed=None, others_busy_cores=3, machine={'sockets': 2, 'threads_per_core': 2, 'memory_nodes': 4})
    says('sockets', page, 'Fairness', 'Processors: number not known, 2 sockets, 2 threads a core, 4 memory nodes.')
    says('load beside an unknown number', page, 'Fairness', '**warning:** Other load: other processes kept 3.00 processors busy')
    says('a part of the processors', of_host(cores_allowed=3), 'Fairness', 'Processors: 8, 3 of them for this program, 1 socket, ')
    page = of_host(machine={'virtual': True, 'sockets': None, 'memory_nodes': None})
    says('the layout of a virtual machine', page, 'Fairness', 'Processors: 8, sockets not known, 1 thread a core, memory nodes not '
         'known; as shown by the virtual machine, which may not be the real layout.')
    for part, mark in ((0.0101, '**warning:** Steal: the host took 1 %'), (0.0099, '**ok:** Steal: the host took 0.99 %'),
                       (0, '**ok:** Steal: the host took 0 %'), (None, '**unknown:** Steal: whether')):
        says('%s stolen' % part, of_host(stolen_part=part), 'Fairness', mark)
    page = of_host(others_busy_cores=None, governor=None, clock_hz=None)
    says('no reason why', page, 'Fairness', '.json: the file does not tell.')
    lacks('an empty reason', page, 'Fairness', ': .')
    page = report(document([side('openmp:0', [1e9] * 5), side('cuda:0', [2e9] * 5)], host={}))
    for words in ('nan', 'inf', ': .'):
        lacks('a machine that tells nothing', page, 'Fairness', words)


def threads():
    for used, allowed, granted, words in (
            (8, 8, None, '**ok:** Threads: openmp:0 used 8 of the 8 processors that it might use.'),
            (4, 8, None, '**warning:** Threads: openmp:0 used 4 of the 8 processors that it might use.'),
            (2, 8, 1.5, '**ok:** Threads: openmp:0 used 2 of the 1.5 processors that it might use.'),
            (16, 8, None, '**warning:** Threads: openmp:0 used 16 on 8 processors, so that they waited for each other.'),
            (8, None, None, '**unknown:** Threads: openmp:0 used 8; how many processors there were is not known.')):
        page = report(document([side('openmp:0', [1e9] * 5, threads=used), side('cuda:0', [2e9] * 5)],
                               host=dict(HOST, cores_allowed=allowed, cores_granted=granted)))
        says('%d threads on %s' % (used, allowed), page, 'Fairness', words)
    both = [side('openmp:0', [1e9] * 5), side('openmp:0', [2e9] * 5)]
    both[1].update(on='(openmp,openmp)', device=dict(device('openmp:0', 4), id='devices:2', name='openmp:0, openmp:0'))
    lacks('devices that share a run are of this machine', report(document(both)), 'Fairness', 'different machines')
    there = dict(HOST, name='there')
    page = report(run_of('openmp:0', 1e9, 1), run_of('openmp:0', 2e9, 2, conditions={'host': there}))
    says('two machines', page, 'Fairness', 'Machines: the results are of different machines, at different times.')


def other_code():
    """The processor's side beside other code; its figures are those of docs/measurements.md."""
    with open(os.environ['MEASUREMENTS'], encoding='utf-8') as stream:
        text = stream.read()
    for words in ('1.12 times hand-written C', '1.82 times hand-written C', '2.38 times hand-written C', '1.34 times C for the vectoriser',
                  '0.83 times AVX-512 intrinsics', '0.89; 1.14 times hand-written C', '0.90; 0.84',
                  '61.5 s in all | | | AthenaK: `wenoz` 468 s, `ppmx` 1 118 s'):
        if words not in text:
            problem('docs/measurements.md has no "%s"' % words)
    for solver, precision, math_, config, words in (
            ('lbm', 'f32', 'strict', {}, '1.12 times (128 x 128 cells), 1.82 times (1024 x 1024) and 2.38 times (4096 x 4096) the speed'),
            ('lbm', 'f32', 'strict', {'lbm.flow': 'channel'}, None), ('lbm', 'f64', 'strict', {}, None),
            ('lbm', 'f32', 'strict', {'lbm.implementation': 'bristol-tree'}, None),
            ('nbody', 'f32', 'strict', {'nbody.force': 'pairs'}, '1.34 times the speed of C that the compiler vectorises'),
            ('nbody', 'f32', 'fast', {'nbody.force': 'pairs'}, '0.83 of the speed of hand-written AVX-512'),
            ('nbody', 'f32', 'fast', {'nbody.force': 'tree'}, None),
            ('shallow', 'f32', 'strict', {'shallow.scheme': 'lax-friedrichs'}, '0.89 (2001 x 2001 cells) and 0.90 (8192 x 4096) of the'),
            ('shallow', 'f64', 'strict', {'shallow.scheme': 'lax-friedrichs'}, '1.14 times (2001 x 2001 cells) and 0.84 (8192 x 4096) of'),
            ('shallow', 'f32', 'strict', {'shallow.scheme': 'hllc'}, None), ('lbm3d', 'f32', 'strict', {}, None),
            ('compressible', 'f64', 'strict', {}, '%.1f times (wenoz) and %.0f times (ppmx) the speed of AthenaK' % (468 / 61.5, 1118 / 61.5))):
        both = [side(on, [rate] * 5, precision=precision, math=math_) for on, rate in (('openmp:0', 1e9), ('cuda:0', 2e9))]
        page = report(document(both, solver=solver, precision=precision, math=math_, config=dict(config)))
        says('other code for %s %s' % (solver, config), page, 'Fairness', 'Processor\'s code: this solver once had ' + words if words else
             '**unknown:** Processor\'s code: no other code for this work was measured')
    page = report(document([side('openmp:0', [1e9] * 5), side('opencl:0', [1e9] * 5)]))
    lacks('PoCL is no GPU', page, 'Fairness', "Processor's code")


def rows():
    five = [1e9] * 5
    told = (({'ecc': None}, '**unknown:** ECC: cuda:0 does not tell.'),
            ({'ecc': False}, '**warning:** ECC: the memory of cuda:1 is not checked, and so faster'),
            ({'clock_hz': None}, '**unknown:** GPU clocks: cuda:2 does not tell.'),
            ({'clock_hz': 1.79e9, 'clock_max_hz': 1.98e9}, '**ok:** GPU clocks: cuda:3'),
            ({'clock_hz': 1.78e9, 'clock_max_hz': 1.98e9}, '**warning:** GPU clocks: cuda:4'),
            ({'processes': 2}, '**warning:** Other load: 2 processes computed on cuda:5.'))
    page = report(document([side('cuda:%d' % i, five, gpu=dict(GPU, **gpu)) for i, (gpu, _) in enumerate(told)]))
    for gpu, words in told:
        says('a GPU with %s' % gpu, page, 'Fairness', words)
    page = report(document([side('openmp:0', five), side('cuda:0', five, precision='f64', values={'run.precision': 'f64'})]))
    says('two precisions', page, 'Fairness', '**warning:** Precision: single and double precision stand side by side; f64 moves '
         'twice the bytes.')
    page = report(document([side('openmp:0', five, values={'lbm.storage': 'full'}), side('cuda:0', five, values={'lbm.storage': 'half'})],
                           varied=[{'key': 'lbm.storage', 'same_result': False, 'values': ['full', 'half']}]))
    says('numbers of half as many bits', page, 'Fairness', '**warning:** Work: 1 of the ratios is to another value of a key that '
         'changes the result (storage=half beside storage=full): they are not of the same work.')
    page = report(run_of('openmp:0', 1e9, 1), run_of('cuda:0', 2e9, 2, steps=500, config={'lbm.omega': 1.7, 'run.steps': 500}))
    says('unequal steps', page, 'Fairness', '**warning:** Steps: cuda:0 ran 500 steps and openmp:0 1000')
    wide = [1e9, 1.21e9, 1e9, 1e9, 1e9]
    page = report(document([side('openmp:0', wide), side('cuda:0', five)]))
    says('a wide spread', page, 'Fairness', '**warning:** Noise: the runs of openmp:0 are spread over 21 % of their median')
    same = [dict(side('cuda:0', five), tuned={'kept': kept, 'values': values, 'used': used}) for kept, values, used in
            ((True, 'run.group=256x1', True), (True, 'run.group=256x1', False), (False, '', False))]
    plain = [dict(side('openmp:0', five), tuned={'kept': kept, 'values': values, 'used': used}) for kept, values, used in
             ((True, 'run.wavefront=8', True), (True, 'run.wavefront=8', False), (False, '', False))]
    words = ['yes (%s, used)', 'yes (%s, not used)', 'no']
    for i, k in ((0, 0), (0, 1), (1, 2), (2, 0), (2, 2)):  # used, kept alone, neither
        gpu, host = same[i], plain[k]
        line = 'Tuned by \'trireme tune\': openmp:0 %s, cuda:0 %s.' % (
            words[k].replace('%s', 'run.wavefront=8'), words[i].replace('%s', 'run.group=256x1'))
        alone = ' Only one side ran with tuned values.' if (i == 0) != (k == 0) else ''
        expect('tuned %d and %d' % (k, i), report(document([host, gpu])), 'Fairness',
               [('**warning:** ' if alone else '') + line + alone], 'Tuned')


def energy():
    """Watts are joules an update times updates a second; a whole machine's parts are told with their sum."""
    five = [1e9, 1.1e9, 1.2e9, 1.3e9, 1.4e9]
    one = {'joules_per_update': 2.5e-8, 'runs': {'least': 2e-8, 'median': 2.5e-8, 'most': 3e-8, 'count': 5}, 'source': 'a counter'}
    node = {'packages': 1.5e-9, 'memory': None, 'boards': 2.5e-9, 'joules_per_update': 4e-9, 'idle_seconds': 2.0,
            'missing': {'memory': 'no counter'}, 'sampling': 'Seldom'}
    sides = [side('openmp:0', five, energy={'missing': 'none here'}, node_energy=dict(node, idle_part=0.25)),
             side('cuda:0', five, energy=one, node_energy=dict(node, idle_part=1.1))]
    page = report(document(sides))
    row = table('energies')[1]
    if not (near(row['nJ_an_update'], 25) and near(row['watts'], 2.5e-8 * 1.2e9)):
        problem('energy: %s' % row)
    parts = ': 4 nJ an update (packages 1.5, memory not known (no counter), boards 2.5)'
    expect('a machine', page, 'Fairness', [
        'Energy of the node with openmp:0%s; idle parts 25 %% (measured for 2 s before the runs). Power supply and fans are not '
        'counted. Seldom.' % parts,
        'Energy of the node with cuda:0%s; idle for 2 s before the runs it took more power than in them, so that the idle part is not '
        'known. Power supply and fans are not counted. Seldom.' % parts], 'Energy of the node')


# ---- whole runs ------------------------------------------------------------------------------------------


def whole_line(gpu, host, names=('cuda:0', 'openmp:0')):
    """The loop by its median, and the start beside it: cold with kernels built anew, warm from the cache."""
    def loop(of):
        return of['cells'] / statistics.median(of['runs']) * of['steps']
    times = gpu['seconds']
    warm_host = host['seconds']['create'] + loop(host)
    cold = None if gpu.get('from_cache') else times['create'] + loop(gpu)
    start = times['create'] if gpu.get('from_cache') else times['create'] - times['build']
    parts = [] if cold is None else ['%s with its kernels built anew' % g(warm_host / cold)]
    parts += ['%s with kernels from the cache; in the loop alone %s' % (g(warm_host / (start + loop(gpu))), g(loop(host) / loop(gpu)))]
    late = times['create'] - host['seconds']['create']
    step, other = loop(gpu) / gpu['steps'], loop(host) / host['steps']
    ahead = '. With kernels built anew it is ahead from %s steps on' % g(late / (other - step)) \
        if cold is not None and late > 0 and step < other and is_shown(related(gpu['runs'], host['runs'])) else ''
    return 'Whole run: %d steps with setting up, without files. Speed of %s over %s: %s%s.' % (
        gpu['steps'], *names, ', '.join(parts), ahead)


def whole():
    draw = random.Random(5)
    for turn in range(5):
        host, gpu = (side(on, [1e9 * speed * draw.uniform(1, 1.3) for _ in range(5)], steps=draw.choice((10, 1000, 100000)))
                     for on, speed in (('openmp:0', 1), ('cuda:0', draw.uniform(0.5, 4))))
        gpu['steps'] = host['steps']
        host['seconds'] = {'create': draw.uniform(0.01, 0.2), 'build': 0}
        gpu['seconds'] = {'create': draw.uniform(0.5, 2), 'build': draw.uniform(0.1, 0.4)}
        gpu['from_cache'] = turn == 4
        for one in (host, gpu):
            one['seconds_per_step'] = one['cells'] / statistics.median(one['runs'])
        expect('whole runs %d' % turn, report(document([host, gpu])), 'Fairness', [whole_line(gpu, host)], 'Whole run')
    def timed(on, rate, create, build, **more):
        return side(on, [rate] * 5, seconds={'create': create, 'build': build}, **more)
    double = {'precision': 'f64', 'values': {'run.precision': 'f64'}}
    single = {'values': {'run.precision': 'f32'}}
    rows_ = [timed('openmp:0', 1e9, 0.1, 0, **single), timed('openmp:0', 5e8, 0.1, 0, **double), timed('cuda:0', 9e9, 1, 0.5, **single),
             timed('cuda:0', 4e9, 1, 0.5, **double)]
    page = report(document(rows_, varied=[{'key': 'run.precision', 'same_result': False, 'values': ['f32', 'f64']}]))
    expect('whole runs of the same work', page, 'Fairness', [whole_line(rows_[2], rows_[0], ('cuda:0 f32', 'openmp:0 f32')),
                                                            whole_line(rows_[3], rows_[1], ('cuda:0 f64', 'openmp:0 f64'))], 'Whole run')
    page = report(document([timed('openmp:0', 1e9, 0.1, 0), timed('opencl:0', 5e8, 1, 0.5)]))
    lacks('PoCL is no GPU', page, 'Fairness', 'Whole run')
    noisy = timed('cuda:0', 0, 1, 0.5, seconds_per_step=65536 / 1.01e9)
    noisy['runs'] = [0.9e9, 1.2e9, 1.01e9, 0.95e9, 1.05e9]
    page = report(document([timed('openmp:0', 1e9, 0.1, 0), noisy]))
    lacks('noise is not ahead from some step on', page, 'Fairness', 'it is ahead from')
    page = report(document([timed('openmp:0', 1e9, None, 0), timed('cuda:0', 5e9, 1, 0.5)]))
    lacks('no start is known', page, 'Fairness', 'Whole run')


# ---- ladders ---------------------------------------------------------------------------------------------


def step_of(name, rates, base, **more):
    low, high, confidence = sign_test([a / b for a, b in zip(rates, base)])
    one = {'name': name, 'seconds_per_step': 65536 / statistics.median(rates), 'status': 'finished', 'agrees': True, 'must_agree': True,
           'updates_per_second': {'median': statistics.median(rates), 'least': min(rates), 'most': max(rates)}, 'changes': 'it ' + name}
    if rates is not base:
        one.update(total_ratio=statistics.median([a / b for a, b in zip(rates, base)]), total_ratio_interval=[low, high],
                   total_ratio_confidence=confidence)
    return dict(one, **more)


def ladder(*steps):
    return report(document(None, 'study', contenders=[], ladders=[{'on': 'cuda:0', 'device': device('cuda:0'), 'size': '256 x 256 cells',
                                                                   'rungs': list(steps)}]))


def ladders():
    base = [1e9 * (1 + i / 50) for i in range(6)]
    twice, thrice = [2.2 * b for b in base], [3.3 * b for b in base]
    noise = [b * factor for b, factor in zip(base, (0.9, 1.1, 0.95, 1.2, 1.05, 1.01))]
    foot = step_of('naive', base, base)
    begin = "On cuda:0, 256 x 256 cells: the fastest implementation, '%s', is %s times as fast as the first (%s to %s with 97 %% " \
        "confidence)%s."
    page = ladder(foot, step_of('tiled', twice, base), step_of('last', noise, base))
    found = related(noise, base)
    expect('a last one that noise explains', page, 'Verdict', [begin % (
        'tiled', '2.2', '2.2', '2.2', "; the last implementation, 'last', %s times, which noise can explain" % g(found[0]))], 'On ')
    page = ladder(foot, step_of('tiled', twice, base), step_of('wrong', thrice, base, agrees=False), step_of('last', twice, base))
    says('a wrong result is not the fastest', page, 'Verdict', "the fastest implementation, '")
    lacks('though it is fast', page, 'Verdict', "implementation, 'wrong'")
    expect('and is said', page, 'Verdict', ["**warning:** On cuda:0, 256 x 256 cells: the result of implementation 'wrong' differs where "
                                            "it must not."], 'differs')
    page = ladder(foot, dict(step_of('tiled', twice, base), status='failed', error='no memory', total_ratio=None, agrees=None,
                             updates_per_second=None))
    expect('one that failed', page, 'Verdict', ["**warning:** On cuda:0, 256 x 256 cells: implementation 'tiled' did not run: no memory"],
           'On ')
    lacks('a ladder is a comparison of runs', page, 'Verdict', 'no comparison')
    three = [b * 2 for b in base[:3]]
    page = ladder(foot, step_of('tiled', three, base[:3]))
    says('three runs', page, 'Verdict', '**unknown:** On cuda:0, 256 x 256 cells: no implementation could be shown to be faster than the '
         "first; 'tiled' ran at 2 of its speed (2 to 2 with 75 % confidence).")
    says('the conditions of a ladder', report(document(None, 'study', contenders=[], host=dict(HOST, stolen_part=0.5), ladders=[
        {'on': 'cuda:0', 'size': '256 x 256 cells', 'rungs': [foot, step_of('tiled', twice, base)]}])), 'Verdict',
        '**warning:** The conditions were not good in 1 respect')


# ---- in brief --------------------------------------------------------------------------------------------


def brief():
    """A comparison is made once; then its file gets other numbers, and the same command prints it."""
    command = [os.environ['TRIREME'], 'compare', 'lbm', '--set', 'grid.nx=16', '--set', 'grid.ny=16', '--steps=8', '--on=openmp',
               '--runs=3', '--vary=threads=1,2', '--output=brief']
    kept = dict(os.environ, TRIREME_BACKEND_PATH=BACKENDS, TRIREME_ROOF='false')
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=kept)
    if done.returncode != 0:
        problem('no comparison to begin with: ' + done.stderr)
        return
    with open('brief/compare.json', encoding='utf-8') as stream:
        whole_ = json.load(stream)
    first, second = whole_['contenders']
    wanted = related(second['runs'], first['runs'])
    rate = statistics.median(second['runs'])
    for key, value, own in (('ratio', second['ratio'], wanted[0]), ('low', second['ratio_interval'][0], wanted[1]),
                            ('high', second['ratio_interval'][1], wanted[2]), ('confidence', second['ratio_confidence'], wanted[3]),
                            ('step', second['seconds_per_step'], second['cells'] / rate),
                            ('median', second['updates_per_second']['median'], rate),
                            ('least', second['updates_per_second']['least'], min(second['runs']))):
        if abs(value - own) > 1e-12 * abs(own):
            problem('compare.json: %s is %s, and not %s' % (key, value, own))

    def printed(sides, **more):
        with open('brief/compare.json', 'w', encoding='utf-8') as stream:
            json.dump(dict(whole_, contenders=sides, conditions={'host': HOST}, build={'flags': '-O2'}, **more), stream)
        out = subprocess.run(command + ['--brief'], capture_output=True, text=True, check=False, env=dict(kept, COLUMNS='300'))
        return [line[2:] for line in out.stdout.splitlines() if line.startswith('- ')]

    def line(name, rates, base=None, first='the first'):
        text = '%s: %s M updates/s' % (name, '%.4g' % (statistics.median(rates) / 1e6))
        if base is None:
            return text
        found = related(rates, base)
        word = 'too few runs' if found[3] is None or found[3] < ENOUGH else 'no difference shown' if not is_shown(found) else \
            'faster' if found[1] > 1 else 'slower'
        around = '' if found[1] is None else ' (%s to %s)' % (g(found[1]), g(found[2]))
        return '%s, %s of %s%s: %s' % (text, g(found[0]), first, around, word)
    base = [1.234e9, 1.1e9, 1.3e9, 1.2e9, 1.25e9]
    good = ['ok: identical, bit for bit', 'ok: nothing unfair was found']
    for rates in ([2 * b for b in base], [0.7 * b for b in base], [1e9, 2e9, 1e9, 1.2e9, 1.3e9]):
        found = printed([side('openmp:0', base), side('cuda:0', rates)])
        spread = max((max(r) - min(r)) / statistics.median(r) for r in (base, rates)) > 0.2
        wanted = [line('openmp:0', base), line('cuda:0', rates, base), good[0],
                  'warning: not fair in 1 respect: see without --brief' if spread else good[1]]
        if found != wanted:
            problem('in brief: %s for %s' % (found, wanted))
    found = printed([side('openmp:0', base[:1]), side('cuda:0', [5e9])])
    wanted = [line('openmp:0', base[:1]), line('cuda:0', [5e9], base[:1]), good[0], 'warning: not fair in 1 respect: see without --brief']
    if found != wanted:
        problem('one run in brief: %s for %s' % (found, wanted))
    found = printed([side('openmp:0', base, repeats=False, agrees=False), side('cuda:0', base)], agrees=False)
    if 'warning: 1 results differ where they must not' not in found and 'warning: 1 result differs where it must not' not in found:
        problem('one that does not repeat itself, in brief: %s' % found)
    rates = {'cuda:0': [3 * b for b in base], 'cuda:1': [1.01 * b if i else 0.9 * b for i, b in enumerate(base)], 'cuda:2': base}
    found = printed([side('openmp:0', base)] + [side(on, all_) for on, all_ in rates.items()])
    wanted = [line('openmp:0', base), line('cuda:0', rates['cuda:0'], base), 'cuda:1 %s ~, cuda:2 1 ~' % g(
        related(rates['cuda:1'], base)[0]), good[0] + '; ' + good[1][4:]]
    if found != wanted:
        problem('four in brief: %s for %s' % (found, wanted))


# ---- predictions -----------------------------------------------------------------------------------------


def predictions():
    """Random devices and steps, by the formula of docs/predict.md; predict.py has the known answers."""
    draw = random.Random(13)
    case = ['lbm', '--set=grid.nx=1000', '--set=grid.ny=1000', '--steps=10']

    def ask(*files):
        done = subprocess.run([os.environ['TRIREME'], 'predict', *case, '--from=' + ','.join(files), '--on=B', '--json'],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            problem('a prediction ends with %d: %s' % (done.returncode, done.stderr))
            return {'config': {}, 'predictions': [{}]}
        return json.loads(done.stdout)

    def sample(value):
        return {'least': value, 'median': value, 'most': value, 'count': 1}

    def study(seconds, moved, config, cost, n):
        cells = n * n
        one = {'on': 'cuda:0', 'device': {'name': 'A', 'backend': 'cuda', 'host': False}, 'cells': cells, 'shape': '%d x %d cells' % (n, n),
               'precision': 'f32', 'math': 'strict', 'seconds_per_step': seconds, 'bytes_per_second': moved / seconds,
               'flops_per_second': 71 * cells / seconds, 'runs': [cells / seconds]}
        return write({'schema': 3, 'trireme': '0.1.0', 'kind': 'study', 'solver': 'lbm', 'case': 'box', 'config': config,
                      'contenders': [one], 'rows': [{'cost': cost}]})
    config = None
    for turn in range(6):
        roofs = []
        for name in 'AB':
            one = {'copy': draw.uniform(5e11, 4e12), 'fma': draw.uniform(5e12, 6e13), 'plain': draw.uniform(2e-6, 6e-6),
                   'recorded': draw.uniform(5e-7, 2e-6), 'to': draw.uniform(1e10, 5e10)}
            roofs.append(one)
        bench = write({'schema': 3, 'trireme': '0.1.0', 'kind': 'bench', 'devices': [dict(dict.fromkeys((
            'copy_kernel', 'triad', 'read', 'nine_stream', 'fma_f64', 'from_device', 'transfer_seconds')), device={
                'name': name, 'backend': 'cuda', 'host': False}, copy_command=sample(one['copy']), fma_f32=sample(one['fma']),
            launch_plain_seconds=sample(one['plain']), launch_recorded_seconds=sample(one['recorded']), to_device=sample(one['to']))
            for name, one in zip('AB', roofs)]})
        a, b = roofs
        scale = draw.choice((0.5, 1, 2))  # of the side
        launches, replayed = draw.choice(((0, 0), (3, 1), (2, 2))), None
        launches, replayed = launches
        moved = 1e9 / scale ** 2 * draw.uniform(0.2, 1)
        transferred = draw.choice((0, 1e5))
        beside = transferred / a['to']

        def price(of, work):
            plain = min(of['recorded'], of['plain']) if launches and work > 2 * launches * of['plain'] else of['plain']
            return (launches - replayed) * plain + replayed * of['recorded']
        work = moved / a['copy'] * draw.uniform(1.01, 2.5)
        seconds = work + beside
        seconds += price(a, seconds)  # kernels are far longer than launches here
        n = int(1000 / scale)
        times = scale ** 2
        if config is None:
            config = ask(bench, study(1e-3, 1e9, {}, {}, 1000))['config']
        own = dict(config, **{'grid.nx': n, 'grid.ny': n})
        work = seconds - price(a, seconds) - beside
        arithmetic = (work ** 1.5 - (moved / a['copy']) ** 1.5) ** (2 / 3)
        ratio = a['fma'] / b['fma']
        memory = times * moved / b['copy']
        new = (memory ** 1.5 + (times * ratio * arithmetic) ** 1.5) ** (2 / 3)
        ends = [memory + times * ratio * (work - moved / a['copy']), max(memory, times * ratio * work)]
        more = price(b, new) + times * transferred / b['to']
        wanted = {'predicted_seconds_per_step': new + more, 'low': min(new, *ends) + more, 'high': max(new, *ends) + more,
                  'loop_seconds': 10 * (new + more)}
        found = ask(bench, study(seconds, moved, own, {'launches': launches, 'replayed': replayed, 'written': transferred, 'read': 0},
                                 n))['predictions'][0]
        for key, value in wanted.items():
            if found.get(key) is None or abs(found[key] / value - 1) > 1e-6:
                problem('prediction %d: %s is %s, and not %s' % (turn, key, found.get(key), value))


# ---- grades ----------------------------------------------------------------------------------------------


def grades(script):
    """The sentence of a grade, from compare.json: grade.sh's own functions."""
    with open(script, encoding='utf-8') as stream:
        text = stream.read().replace('@exercise@', 'nbody-1').replace('@name@', 'nbody_1')
    functions = text[:text.index('\ncase $limit in')].replace('worst=0\n', 'worst=0\nset -- .\n')
    base = [1e9, 1.1e9, 1.05e9, 1e9, 1.2e9, 1.1e9, 1e9, 1.1e9, 1.15e9]
    os.makedirs('grade/speed', exist_ok=True)
    for count, factors in ((1, [2]), (3, [2, 2.1, 2.2]), (9, [1.5 + i / 50 for i in range(9)]), (9, [0.9 + i / 40 for i in range(9)])):
        rates = [b * f for b, f in zip(base, factors)]
        found = related(rates, base[:count])
        low, high, confidence = sign_test(factors[:count])
        pair = [dict(side('openmp:0', base[:count]), ratio=1.0, ratio_interval=[1.0, 1.0], ratio_confidence=confidence),
                dict(side('openmp:0', rates), ratio=statistics.median(factors[:count]), ratio_interval=[low, high],
                     ratio_confidence=confidence)]
        with open('grade/speed/compare.json', 'w', encoding='utf-8') as stream:
            json.dump(document(pair), stream, indent=1)
        run = 'compare_bits() { return 0; }\ncompare_speed() { results=grade/speed; }\n'
        out = subprocess.run(['sh', '-c', functions + '\n' + run + 'grade one openmp'], capture_output=True, text=True, check=False)
        word = 'one run tells nothing of the noise' if count == 1 else 'too few runs for a verdict' if confidence < ENOUGH else \
            'no difference could be shown' if not is_shown(found) else None
        around = '' if count == 1 else '%.3f to %.3f with %s %% confidence' % (low, high, percent(confidence))
        wanted = 'one: right on openmp, %.3f of the reference\'s speed (%s)\n' % (
            statistics.median(factors[:count]), '; '.join(part for part in (around, word) if part))
        if out.stdout != wanted:
            problem('a grade of %d runs: %r for %r, %s' % (count, out.stdout, wanted, out.stderr))


PARTS = {'ratios': ratios, 'apart': apart, 'several': several, 'lacking': lacking, 'wrong': wrong, 'scaling': scaling,
         'agreement': agreement, 'sizes': sizes, 'fairness': fairness, 'energy': energy, 'whole': whole,
         'ladders': ladders, 'brief': brief, 'predictions': predictions, 'grades': lambda: grades(sys.argv[1])}
if __name__ == '__main__':
    os.environ['TRIREME_BACKEND_PATH'] = '/nonexistent'  # but for one comparison nothing may run
    for name, part in PARTS.items():
        del problems[:]
        part()
        with open(name + '.problems', 'w', encoding='utf-8') as stream:
            stream.write('\n'.join(problems))
