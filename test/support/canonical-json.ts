const NUMBER = /[-+.\deE]+/y;

/**
 * Parses JSON, with each number as `#` and a canonical text of its value: integers, and numbers beyond a
 * 64-bit float, with all their digits.
 */
export function canonical(json: string): unknown {
  let text = '';
  let kept = 0;
  for (let at = 0; at < json.length;) {
    if (json[at] === '"') at = endOfString(json, at);
    else if (json[at] === '-' || (json[at]! >= '0' && json[at]! <= '9')) {
      NUMBER.lastIndex = at;
      const [number] = NUMBER.exec(json)!;
      text += `${json.slice(kept, at)}"#${canonicalNumber(number)}"`;
      kept = at += number.length;
    } else at++;
  }
  return JSON.parse(text + json.slice(kept)) as unknown;
}

function endOfString(json: string, at: number): number {
  for (let index = at + 1; ; index++)
    if (json[index] === '"') return index + 1;
    else if (json[index] === '\\') index++;
}

/** Digits without zeros at either end, and the power of ten; small integers as they are. */
function canonicalNumber(text: string): string {
  if (/^(?:[1-9]\d*|0)$/.test(text)) return text;
  const float = Number(text);
  const isFloat = /[.eE]/.test(text) && Number.isFinite(float);
  const number = isFloat ? `${Object.is(float, -0) ? '-' : ''}${float}` : text;
  if (/^-?(?:[1-9]\d*|0)$/.test(number)) return number;
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(
    number,
  )!;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + digits.length - short.length;
  if (short === '') return `${sign}0`;
  return power >= 0 && power < 400 ? `${sign}${short}${'0'.repeat(power)}` : `${sign}${short}e${power}`;
}
