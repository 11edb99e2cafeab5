/** The client of the field's SDK; of loopback addresses, it knows the pages only when it is told where they are. */
export const sdkClient = (): string => `new Client({ webUrl: "${location.origin}" })`;

/** What to paste so that it comes here. Elsewhere, it prints addresses of our pages where the endpoint ends so. */
export const sdkSettings = (): string[] => [
  `export LANGSMITH_ENDPOINT=${location.origin}/api/v1`,
  'export LANGSMITH_API_KEY=$SLIPWAY_API_KEY',
];
