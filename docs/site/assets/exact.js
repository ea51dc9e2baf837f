// Exact sums of float64 as docs/exact describes them: bins, one integer of 34 limbs, one rounding.
const exact = (() => {
  const limbs = 34;
  const lowest = -1074;  // the unit of the integer is 2^-1074
  const headroom = 10;
  const depth = 4;
  const highest = 1000;  // bins take numbers below 2^1000
  const view = new DataView(new ArrayBuffer(8));

  const bitsOf = (x) => {
    view.setFloat64(0, x);
    return view.getBigUint64(0);
  };
  const fromBits = (bits) => {
    view.setBigUint64(0, bits);
    return view.getFloat64(0);
  };
  const power = (e) => (e >= -1022 ? fromBits(BigInt(e + 1023) << 52n) : fromBits(1n << BigInt(e + 1074)));

  // A finite number as an integer in units of 2^-1074.
  const unitsOf = (x) => {
    const bits = bitsOf(x);
    const exponent = Number(bits >> 52n & 0x7ffn);
    const fraction = bits & (1n << 52n) - 1n;
    const size = exponent === 0 ? fraction : (fraction | 1n << 52n) << BigInt(exponent - 1);
    return bits >> 63n ? -size : size;
  };

  // The least e with |x| <= 2^e, or one more.
  const exponentOf = (x) => Math.max(Number(bitsOf(Math.abs(x)) >> 52n) - 1022, lowest + 1);

  // The highest and the lowest binary place of a number's bits; null: it has none.
  const placesOf = (x) => {
    if (x === 0 || !Number.isFinite(x)) return null;
    const bits = unitsOf(Math.abs(x)).toString(2);
    return [bits.length - 1 + lowest, bits.length - 1 - bits.lastIndexOf("1") + lowest];
  };

  // Rounds once, ties to even.
  const rounded = (units) => {
    const size = units < 0n ? -units : units;
    const drop = Math.max(size.toString(2).length - 53, 0);
    const shift = BigInt(drop);
    let kept = size >> shift;
    const rest = (size - (kept << shift)) * 2n;
    const tie = 1n << shift;
    if (drop > 0 && (rest > tie || (rest === tie && (kept & 1n)))) kept += 1n;
    const scaled = drop + lowest > 1023 ? Infinity : Number(kept) * power(drop + lowest);
    return units < 0n ? -scaled : scaled;
  };

  const binExponent = (top, k) => Math.max(top + headroom - k * (53 - headroom), -1022);

  // Empty bins for numbers below 2^top.
  const emptyBins = (top) => Array.from({length: depth}, (_, k) => {
    const e = binExponent(top, k);
    const anchor = 1.5 * power(e);
    return {e, anchor, value: anchor, units: 0n};
  });

  // Deposits x and says what entered each bin; what is left is 0 where the bins held all of it.
  const deposit = (bins, x) => {
    let left = x;
    const entered = bins.map((bin) => {
      const t = bin.value + left;
      const q = t - bin.value;
      bin.value = t;
      bin.units = bitsOf(t) - bitsOf(bin.anchor);
      left -= q;
      return q;
    });
    return {entered, left};
  };

  // All bins as an integer in units of 2^-1074.
  const total = (bins) => bins.reduce((sum, bin) => {
    const place = bin.e - 52 - lowest;
    return sum + (bin.units << BigInt(place));
  }, 0n);

  const limbsOf = (units) => Array.from({length: limbs}, (_, i) => BigInt.asUintN(64, units >> BigInt(64 * i)));

  // The steps of a sum: after each number the bins, the integer, and what was rounded one by one.
  const sum = (numbers) => {
    const finite = numbers.filter(Number.isFinite);
    const inBins = (x) => Math.abs(x) < power(highest);
    const top = Math.max(...finite.filter(inBins).map(exponentOf), lowest + 1);
    const bins = emptyBins(top);
    const counts = {nan: 0, plus: 0, minus: 0, zeros: 0};
    let digits = 0n;
    let naive = -0;
    const steps = numbers.map((x) => {
      naive += x;
      let entered = bins.map(() => 0);
      let left = 0;
      let way = "bins";
      if (!Number.isFinite(x)) {
        way = "count";
        counts[Number.isNaN(x) ? "nan" : x > 0 ? "plus" : "minus"] += 1;
      } else if (inBins(x)) {
        ({entered, left} = deposit(bins, x));
        digits += unitsOf(left);
        if (left !== 0) way = entered.some((part) => part !== 0) ? "both" : "below";
      } else {
        way = "digits";
        digits += unitsOf(x);
        left = x;
      }
      if (Object.is(x, -0)) counts.zeros += 1;
      return {x, way, entered, left, naive, units: total(bins) + digits,
        bins: bins.map(({e, anchor, value, units}) => ({e, anchor, value, units}))};
    });
    const units = total(bins) + digits;
    let result = rounded(units);
    if (units === 0n) result = numbers.length > 0 && counts.zeros === numbers.length ? -0 : 0;
    if (counts.plus) result = Infinity;
    if (counts.minus) result = -Infinity;
    if (counts.nan || (counts.plus && counts.minus)) result = NaN;
    return {steps, empty: emptyBins(top), units, result, counts};
  };

  return {sum, limbsOf, placesOf};
})();
