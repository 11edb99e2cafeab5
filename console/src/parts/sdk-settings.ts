/** Creates an SDK client in code. Loopback addresses need an explicit web URL. */
export const sdkClient = (): string => `new Client({ webUrl: "${location.origin}" })`;

/** Environment variables for the SDK. It derives the URLs of our pages from an endpoint that ends like this. */
export const sdkSettings = (): string[] => [
  `export LANGSMITH_ENDPOINT=${location.origin}/api/v1`,
  'export LANGSMITH_API_KEY=$SLIPWAY_API_KEY',
];
