import { expect, test } from '@jest/globals';
import { decodeLocation, encodeLocation } from '../../src/tracing/bodies/body-location.ts';

test('locations of different weeks, with minimum and maximum values, survive a round trip', () => {
  const places = [
    { week: '1970-01-05', block: 0, offset: 0 },
    { week: '2026-11-16', block: 2 ** 26 - 1, offset: 2 ** 24 - 1 },
    { week: '2026-11-23', block: 1, offset: 2 ** 24 - 1 },
    { week: '2026-11-16', block: 2 ** 26 - 1, offset: 0 },
  ];
  expect(places.map(encodeLocation).map(decodeLocation)).toEqual(places);
});
