const NAME = /^[A-Za-z_]\w*$/;

/** Variables as shell lines, but those that no shell can name; the last line says that nothing is missing. */
export const exportScript = (environment: Record<string, string>): string =>
  [
    ...Object.entries(environment)
      .filter(([name]) => NAME.test(name))
      .map(([name, value]) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`),
    'whole=yes\n',
  ].join('\n');

/** Shell that reads such lines from standard input, then becomes the command it is given. */
export const READ_ENVIRONMENT = `eval "$(cat)"
[ "$whole" = yes ] || exit 125
unset whole`;

/** Shell that does so and gives the command nothing more to read. */
export const BECOME = `${READ_ENVIRONMENT}
exec "$@" </dev/null`;
