/** A namespace and its children. */
export interface Branch {
  label: string;
  path: string[];
  children: Branch[];
}

/** Builds the tree of namespaces, sorted by label. */
export function treeOf(namespaces: string[][]): Branch[] {
  const root: Branch = { label: '', path: [], children: [] };
  for (const namespace of namespaces) {
    let at = root;
    for (const label of namespace) {
      let child = at.children.find((known) => known.label === label);
      if (!child) {
        child = { label, path: [...at.path, label], children: [] };
        at.children.push(child);
      }
      at = child;
    }
  }
  return sorted(root.children);
}

const sorted = (branches: Branch[]): Branch[] =>
  branches
    .map((branch) => ({ ...branch, children: sorted(branch.children) }))
    .toSorted((one, other) => one.label.localeCompare(other.label));
