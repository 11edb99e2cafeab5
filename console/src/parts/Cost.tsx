const LARGE = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const SMALL = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumSignificantDigits: 2,
  maximumSignificantDigits: 2,
});

/** US dollars; amounts below a cent keep two significant digits. */
export function Cost({ usd }: { usd: number | string | null | undefined }) {
  const value = usd === null || usd === undefined ? Number.NaN : Number(usd);
  if (Number.isNaN(value)) return <span className="numeric">–</span>;
  const text = value !== 0 && Math.abs(value) < 0.01 ? SMALL.format(value) : LARGE.format(value);
  return (
    <span className="numeric" title={`$${value}`}>
      {text}
    </span>
  );
}
