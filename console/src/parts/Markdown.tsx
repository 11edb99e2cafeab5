import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { Fragment, type ReactNode, useMemo } from 'react';
import { CopyButton } from './CopyButton.tsx';
import classes from './Markdown.module.css';

/** Renders Markdown. HTML stays text, and links open in a new tab. */
export default function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => lexer(text), [text]);
  return <div className={classes.markdown}>{shownAll(tokens)}</div>;
}

const shownAll = (tokens: Token[] = []): ReactNode =>
  tokens.map((token, index) => <Fragment key={index}>{shown(token as MarkedToken)}</Fragment>);

function shown(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return <p>{shownAll(token.tokens)}</p>;
    case 'heading':
      // Not a heading element, so that messages do not affect the page outline.
      return (
        <p className={classes.heading} data-depth={token.depth}>
          {shownAll(token.tokens)}
        </p>
      );
    case 'blockquote':
      return <blockquote>{shownAll(token.tokens)}</blockquote>;
    case 'list':
      return shownList(token);
    case 'code':
      return shownCode(token);
    case 'table':
      return shownTable(token);
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'strong':
      return <strong>{shownAll(token.tokens)}</strong>;
    case 'em':
      return <em>{shownAll(token.tokens)}</em>;
    case 'del':
      return <del>{shownAll(token.tokens)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'link':
      return shownLink(token.href, shownAll(token.tokens));
    case 'image':
      // The content security policy blocks images from other hosts.
      return shownLink(token.href, token.text || 'image');
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'text':
      return token.tokens ? shownAll(token.tokens) : plain(token.text);
    case 'escape':
      return token.text;
    default:
      return token.raw;
  }
}

function shownList({ ordered, start, items }: Tokens.List): ReactNode {
  const rows = items.map((item, index) => <li key={index}>{shownAll(item.tokens)}</li>);
  return ordered ? <ol start={start === '' ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>;
}

const shownCode = ({ text, lang }: Tokens.Code): ReactNode => (
  <div className={classes.block}>
    <div className={classes.blockHead}>
      <span>{lang || 'code'}</span>
      <CopyButton text={text} label="Copy code" />
    </div>
    <pre role="group" aria-label={lang ? `Code in ${lang}` : 'Code'} tabIndex={0}>
      <code>{text}</code>
    </pre>
  </div>
);

const shownTable = ({ header, rows }: Tokens.Table): ReactNode => (
  <div className={classes.table} role="group" aria-label="Table" tabIndex={0}>
    <table>
      <thead>
        <tr>
          {header.map(({ tokens, align }, index) => (
            <th key={index} scope="col" style={{ textAlign: align ?? 'left' }}>
              {shownAll(tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map(({ tokens, align }, index) => (
              <td key={index} style={{ textAlign: align ?? 'left' }}>
                {shownAll(tokens)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const SAFE = /^(?:https?|mailto):/i;

/** Unsafe URLs are shown as text. */
const shownLink = (href: string, name: ReactNode): ReactNode =>
  SAFE.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {name}
    </a>
  ) : (
    <>
      {name} ({href})
    </>
  );

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: '\u00a0',
};
const plain = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name]!);
