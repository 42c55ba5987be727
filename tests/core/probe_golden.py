#!/usr/bin/env python3
"""The table of core/probe.c: what IEEE 754 says that the strict probe's operations give.

Every value is computed in exact rational arithmetic and rounded once an operation, to nearest even,
with gradual underflow. Prints one hash an operation and precision, as probe.c carries them; a test
compares the two."""
from fractions import Fraction
from math import isqrt

CELLS = 512
FORMATS = {"f32": (23, 127), "f64": (52, 1023)}
INF = "inf"


class Real:
    """A finite value of a format, or an infinity; zeros have a sign."""

    def __init__(self, value, negative):
        self.value, self.negative = value, negative


def rounded(value, negative_zero, form):
    """The nearest value of the format; overflow does not occur in the table."""
    m, bias = form
    if value == 0:
        return Real(Fraction(0), negative_zero)
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    assert exponent <= bias
    unit = Fraction(2) ** (max(exponent, 1 - bias) - m)
    return Real(nearest(size / unit) * unit * (-1 if value < 0 else 1), value < 0)


def nearest(ratio):
    low = ratio.numerator // ratio.denominator
    rest = ratio - low
    return low + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1))


def from_bits(bits, form):
    m, bias = form
    width = 32 if m == 23 else 64
    exponent = bits >> m & (1 << width - 1 - m) - 1
    mantissa = bits & (1 << m) - 1
    if exponent:
        mantissa |= 1 << m
    value = Fraction(mantissa) * Fraction(2) ** (max(exponent, 1) - bias - m)
    negative = bool(bits >> width - 1)
    return Real(-value if negative else value, negative)


def to_bits(real, form):
    m, bias = form
    sign = int(real.negative) << (31 if m == 23 else 63)
    if real.value == INF:
        return sign | (2 * bias + 1) << m
    if real.value == 0:
        return sign
    count = abs(real.value) * 2 ** (bias + m - 1)
    assert count.denominator == 1
    count = count.numerator
    shift = max(count.bit_length() - 1 - m, 0)
    return sign | (shift << m) + (count >> shift)


def add(a, b, form):
    return rounded(a.value + b.value, a.negative and b.negative, form)


def minus(a):
    return Real(-a.value, not a.negative)


def multiply(a, b, form):
    return rounded(a.value * b.value, a.negative != b.negative, form)


def divide(a, b, form):
    sign = a.negative != b.negative
    if b.value == 0:
        assert a.value != 0
        return Real(INF, sign)
    return rounded(a.value / b.value, sign, form)


def root(a, form):
    """Of |a|, scaled by 4^s to twice the format's digits; a sticky digit decides the rounding."""
    size = abs(a.value)
    if size == 0:
        return Real(Fraction(0), False)
    s = form[0] + 4 - (size.numerator.bit_length() - size.denominator.bit_length()) // 2
    scaled = size * Fraction(4) ** s
    low = isqrt(scaled.numerator // scaled.denominator)
    sticky = Fraction(1, 2) if low * low != scaled else 0
    return rounded((low + sticky) / Fraction(2) ** s, False, form)


def fma(a, b, c, form):
    product = a.value * b.value
    return rounded(product + c.value, (a.negative != b.negative) and c.negative, form)


def rint(a, form):
    return rounded(Fraction(nearest(abs(a.value))) * (-1 if a.negative else 1), a.negative, form)


def floor(a, form):
    return rounded(Fraction(a.value.numerator // a.value.denominator), a.negative, form)


def operations(a, b, c, form):
    def exact(n):
        return Real(Fraction(n), False)
    bc = multiply(b, c, form)
    ab = multiply(a, b, form)
    return [
        add(a, b, form), add(a, minus(b), form), ab, divide(a, b, form), root(a, form),
        fma(a, b, c, form), rint(a, form), floor(a, form), add(ab, c, form),
        add(ab, minus(bc), form), divide(a, exact(3), form), divide(a, exact(7), form),
        divide(exact(1), root(a, form), form), add(add(a, b, form), minus(a), form),
        a if a.value < b.value else b,
    ]


def words():
    state = 0
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        yield z ^ z >> 31


def operand(kind, which, word, form):
    """operand() of probe.c."""
    m, bias = form
    sign = (word >> 63) << (31 if m == 23 else 63)
    mantissa = word & (1 << m) - 1
    pick = word >> 52 & 0x7FF
    if kind == 0:                                   # of one size: sums that cancel
        exponent = bias + pick % 3 - 1
    elif kind == 1:                                 # next to a power of two: hard divisions
        mantissa = (1 << m) - 1 - (mantissa & 15) if pick & 1 else mantissa & 15
        exponent = bias
    elif kind == 2:                                 # products that underflow by degrees
        exponent = (bias - pick % 8) // 2 if which < 2 else pick % 4
    elif kind == 3:                                 # subnormal, beside an ordinary b
        exponent = bias + pick % 5 - 2 if which == 1 else 0
    elif kind == 4 and which == 0:                  # halves
        number = (word & (1 << m + 1) - 1) >> pick % (m + 1) | 1
        top = number.bit_length() - 1
        mantissa = number << m - top & (1 << m) - 1
        exponent = bias + top - 1
    else:                                           # anything ordinary
        exponent = bias + pick % 21 - 10
    return sign | exponent << m | mantissa


def main():
    for name, form in FORMATS.items():
        stream = words()
        table = [[operand(i % 6, which, next(stream), form) for which in range(3)]
                 for i in range(CELLS)]
        table[0][0], table[6][0] = 0, 1 << (31 if form[0] == 23 else 63)    # both zeros
        hashes = None
        for bits in table:
            a, b, c = (from_bits(word, form) for word in bits)
            results = [to_bits(real, form) for real in operations(a, b, c, form)]
            hashes = hashes or [0xCBF29CE484222325] * len(results)
            hashes = [(h ^ r) * 0x100000001B3 % 2**64 for h, r in zip(hashes, results)]
        print(name, *(f"{h:016x}" for h in hashes), sep="\n")


main()
