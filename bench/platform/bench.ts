import { PlatformApi } from '../../src/deploy-client/platform-api.ts';
import { benchPlatform, type Part } from '../parts.ts';
import type { Measured } from '../scenario.ts';
import { measureConsole } from './console.ts';
import {
  GOALS,
  measureGateway,
  measureList,
  measureRollouts,
  measureWake,
  type Platform,
  type Values,
} from './figures.ts';

const part = (
  goals: (keyof typeof GOALS)[],
  measure: (platform: Platform) => Promise<Values>,
): Part<Platform> => ({
  goals: goals.map((goal) => GOALS[goal]),
  measure: async (platform): Promise<Measured> => {
    const values = await measure(platform);
    return { figures: Object.fromEntries(goals.map((goal) => [GOALS[goal].name, { value: values[goal]! }])) };
  },
});

/** `npm run bench:platform -- [part…]` */
await benchPlatform<Platform>({
  parts: {
    console: part(['interactive', 'firstPage'], measureConsole),
    list: part(['list'], measureList),
    rollouts: part(['deploy', 'cutOver', 'rollback'], measureRollouts),
    gateway: part(['overhead', 'throughput', 'runs'], measureGateway),
    wake: part(['wake'], measureWake),
  },
  settings: {
    SLIPWAY_SCALE_SECONDS: '1',
    SLIPWAY_SLEEP_SECONDS: '3',
    SLIPWAY_DRAIN_SECONDS: '5',
    SLIPWAY_ANSWER_SECONDS: '0',
    // Don't wait long for work that a failed part has started.
    SLIPWAY_GRACE_SECONDS: '2',
  },
  open: ({ url, dataDir }, key) => Promise.resolve({ api: new PlatformApi({ url, key }), url, key, dataDir }),
});
