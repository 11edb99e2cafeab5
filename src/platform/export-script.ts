const NAME = /^[A-Za-z_]\w*$/;

/** Variables as shell exports, without names a shell cannot use. The last line marks the script as complete. */
export const exportScript = (environment: Record<string, string>): string =>
  [
    ...Object.entries(environment)
      .filter(([name]) => NAME.test(name))
      .map(([name, value]) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`),
    'whole=yes\n',
  ].join('\n');

/** Shell code that reads such exports from standard input, then executes its command. */
export const READ_ENVIRONMENT = `eval "$(cat)"
[ "$whole" = yes ] || exit 125
unset whole`;

/** The same with standard input closed for the command. */
export const BECOME = `${READ_ENVIRONMENT}
exec "$@" </dev/null`;
