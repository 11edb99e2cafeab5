import type * as prices from '@pydantic/genai-prices';
import { LRUCache } from 'lru-cache';
import { type Decimal, readDecimal, shifted } from './decimal.ts';
import type { ModelOfRun } from './model-of-run.ts';
import type { Price } from './price.ts';

type Library = Pick<typeof prices, 'calcPrice'>;
type TieredRate = { base: number; tiers: { start: number; price: number }[] };
interface Found {
  name: string;
  prices: Record<string, number | TieredRate | undefined>;
  /** Whether prices depend on time. */
  isDated: boolean;
  /** Prices by the number of input-token limits exceeded. */
  byTier: Map<number, Price>;
}

// Prices are per million tokens.
const MILLION = 6;
// Some prices change at quarter hours.
const PERIOD_MS = 900_000;
const KNOWN = 5_000;

// Maps our detail names to the library's rates; the first available rate wins.
const PROMPT_DETAILS: Record<string, string[]> = {
  cache_read: ['cache_read_mtok'],
  cache_creation: ['cache_write_mtok'],
  ephemeral_5m_input_tokens: ['cache_write_5m_mtok', 'cache_write_mtok'],
  ephemeral_1h_input_tokens: ['cache_write_1h_mtok', 'cache_write_mtok'],
  audio: ['input_audio_mtok'],
  image: ['input_image_mtok'],
  video: ['input_video_mtok'],
};
const COMPLETION_DETAILS: Record<string, string[]> = {
  reasoning: ['output_reasoning_mtok'],
  audio: ['output_audio_mtok'],
  image: ['output_image_mtok'],
  video: ['output_video_mtok'],
};
// Provider names that differ in the library.
const PROVIDERS: Record<string, string> = { x_ai: 'xai', google_ai: 'google', together_ai: 'together' };
const OPENAI = /^(?:text-embedding-|davinci|babbage|tts-|whisper)/;

/** Public model prices from a bundled library, without network access. */
export class LibraryPrices {
  readonly #library: Library;
  readonly #found = new LRUCache<string, { it: Found | undefined }>({ max: KNOWN });

  private constructor(library: Library) {
    this.#library = library;
  }

  static #opened: Promise<LibraryPrices> | undefined;

  /** Loads the prices on first use, because they are large. */
  static open(): Promise<LibraryPrices> {
    this.#opened ??= import('@pydantic/genai-prices').then((library) => new LibraryPrices(library));
    return this.#opened;
  }

  /** Price of a model at a time. Rates above an input-token limit apply to all tokens of the call. */
  find({ names, provider }: ModelOfRun, time: Date, inputTokens: number): Price | undefined {
    for (const { name } of names) {
      const found = this.#lookUp(name, provider, time);
      if (found) return priceAt(found, inputTokens);
    }
    return undefined;
  }

  #lookUp(model: string, provider: string | undefined, time: Date): Found | undefined {
    const always = `${provider ?? ''} ${model}`;
    const period = Math.floor(time.getTime() / PERIOD_MS) * PERIOD_MS;
    const known = this.#found.get(always) ?? this.#found.get(`${always} ${period}`);
    if (known) return known.it;
    const it = this.#ask(model, provider, new Date(period));
    this.#found.set(it?.isDated ? `${always} ${period}` : always, { it });
    return it;
  }

  #ask(model: string, provider: string | undefined, timestamp: Date): Found | undefined {
    const [, vendor, rest] = /^([\w.-]+)\/(.+)$/.exec(model) ?? [];
    const named = provider && [{ model, provider: providerName(provider) }];
    const guessed = [
      { model, provider: OPENAI.test(model) ? 'openai' : undefined },
      ...(vendor && rest ? [{ model: rest, provider: providerName(vendor) }] : []),
    ];
    for (const { model: modelId, provider: providerId } of named || guessed) {
      try {
        const price = this.#library.calcPrice({}, modelId, { timestamp, ...(providerId && { providerId }) });
        if (price)
          return {
            name: `${price.provider.id}:${price.model.id}`,
            prices: price.model_price,
            isDated: Array.isArray(price.model.prices),
            byTier: new Map(),
          };
      } catch {
        // Models unknown to the library have no price.
      }
    }
    return undefined;
  }
}

const providerName = (provider: string): string => {
  const name = provider.toLowerCase();
  return PROVIDERS[name] ?? name;
};

/** Cached per tier. */
function priceAt(found: Found, inputTokens: number): Price {
  let over = 0;
  for (const rate of Object.values(found.prices))
    if (typeof rate === 'object') over += rate.tiers.filter(({ start }) => inputTokens > start).length;
  let price = found.byTier.get(over);
  if (!price) found.byTier.set(over, (price = priceOf(found, inputTokens)));
  return price;
}

function priceOf({ name, prices }: Found, inputTokens: number): Price {
  const rate = (keys: string[]): Decimal | undefined => {
    const listed = keys.map((key) => prices[key]).find((price) => price !== undefined);
    const dollars = typeof listed === 'object' ? tierOf(listed, inputTokens) : listed;
    const decimal = readDecimal(dollars);
    return decimal && shifted(decimal, MILLION);
  };
  const details = (names: Record<string, string[]>) =>
    Object.fromEntries(
      Object.entries(names).flatMap(([detail, keys]) => {
        const found = rate(keys);
        return found ? [[detail, found]] : [];
      }),
    );
  return {
    id: undefined,
    name,
    rates: {
      prompt: rate(['input_mtok']),
      completion: rate(['output_mtok']),
      prompt_details: details(PROMPT_DETAILS),
      completion_details: details(COMPLETION_DETAILS),
    },
  };
}

const tierOf = ({ base, tiers }: TieredRate, inputTokens: number): number =>
  tiers.reduce((price, tier) => (inputTokens > tier.start ? tier.price : price), base);
