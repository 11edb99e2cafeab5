import { Link } from 'react-router';
import type { Branch } from './namespace-tree.ts';
import classes from './NamespaceTree.module.css';

/** Tree of namespaces with links. */
export const NamespaceTree = ({
  branches,
  chosen,
  toNamespace,
}: {
  branches: Branch[];
  chosen: string;
  toNamespace: (path: string[]) => string;
}) => (
  <ul className={classes.list}>
    {branches.map(({ label, path, children }) => (
      <li key={label}>
        <Link
          to={toNamespace(path)}
          className={classes.place}
          aria-current={path.join('.') === chosen ? 'true' : undefined}
        >
          {label}
        </Link>
        {children.length > 0 && (
          <NamespaceTree branches={children} chosen={chosen} toNamespace={toNamespace} />
        )}
      </li>
    ))}
  </ul>
);
