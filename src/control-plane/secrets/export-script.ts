/** Variables as shell lines; the last line says that nothing is missing. */
export const exportScript = (environment: Record<string, string>): string =>
  [
    ...Object.entries(environment).map(
      ([name, value]) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`,
    ),
    'whole=yes\n',
  ].join('\n');

/** Shell that reads such lines from standard input, then becomes the command it is given. */
export const READ_ENVIRONMENT = `eval "$(cat)"
[ "$whole" = yes ] || exit 125
unset whole`;
