/** Shell commands that log a trace: SDK settings and one call. */
export const sendTrace = (project = 'default'): string =>
  [
    'export LANGSMITH_TRACING=true',
    `export LANGSMITH_ENDPOINT=${location.origin}`,
    'export LANGSMITH_API_KEY=$SLIPWAY_API_KEY',
    `export LANGSMITH_PROJECT='${project.replaceAll("'", String.raw`'\''`)}'`,
    `npm install langsmith && node -e "`,
    `  const { traceable } = require('langsmith/traceable');`,
    `  traceable(async (name) => 'Hello ' + name, { name: 'greet' })('Ada').then(console.log)"`,
  ].join('\n');
