import ts from 'typescript-5';

/** A variable that the source of a graph adds as a node; it may be a subgraph, or used by one. */
export interface SubgraphSource {
  /** Names of the nodes that lead to it: `child`, `child|grandchild`. */
  namespace: string;
  variable: string;
}

const MAX_DEPTH = 8;
const MAX_FOUND = 200;

/** Finds the calls of `addNode` that make a graph, without types: only variables of the module are followed. */
export function findSubgraphs(file: ts.SourceFile, exported: string): SubgraphSource[] {
  const { variables, names } = moduleOf(file);
  const added = addedTo(file);
  const found: SubgraphSource[] = [];

  const nodesOf = (name: string, seen: Set<string>): ts.CallExpression[] => {
    if (seen.has(name)) return [];
    seen.add(name);
    const calls = [...(added.get(name) ?? [])];
    const visit = (node: ts.Node): void => {
      if (isAddNode(node)) {
        calls.push(node);
        return visit(node.expression);
      }
      if (ts.isIdentifier(node) && variables.get(node.text)) calls.push(...nodesOf(node.text, seen));
      ts.forEachChild(node, visit);
    };
    const made = variables.get(name);
    if (made) visit(made);
    return calls;
  };

  const collect = (name: string, path: string[]): void => {
    for (const { arguments: args } of nodesOf(name, new Set())) {
      const [node, value] = args;
      if (!node || !value || !ts.isStringLiteralLike(node)) continue;
      for (const variable of identifiersIn(value).filter((each) => variables.has(each))) {
        if (found.length >= MAX_FOUND) return;
        found.push({ namespace: [...path, node.text].join('|'), variable });
        if (path.length < MAX_DEPTH) collect(variable, [...path, node.text]);
      }
    }
  };
  collect(names.get(exported) ?? exported, []);
  return found;
}

/** Variables of the module with what makes them (undefined for imported ones), and the variables behind its exports. */
function moduleOf(file: ts.SourceFile) {
  const variables = new Map<string, ts.Node | undefined>();
  const names = new Map<string, string>();
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement)) {
      for (const { name, initializer } of statement.declarationList.declarations)
        if (ts.isIdentifier(name)) variables.set(name.text, initializer);
    } else if (ts.isFunctionDeclaration(statement) && statement.name) {
      variables.set(statement.name.text, statement.body);
    } else if (ts.isImportDeclaration(statement)) {
      const { name, namedBindings } = statement.importClause ?? {};
      if (name) variables.set(name.text, undefined);
      if (namedBindings && ts.isNamedImports(namedBindings))
        for (const each of namedBindings.elements) variables.set(each.name.text, undefined);
    } else if (ts.isExportAssignment(statement)) {
      if (ts.isIdentifier(statement.expression)) names.set('default', statement.expression.text);
      else variables.set('default', statement.expression);
    } else if (ts.isExportDeclaration(statement) && statement.exportClause) {
      if (ts.isNamedExports(statement.exportClause))
        for (const { name, propertyName } of statement.exportClause.elements)
          names.set(name.text, (propertyName ?? name).text);
    }
  }
  return { variables, names };
}

/** Calls of `addNode` by the variable they are made on: `builder.addNode(…)`. */
function addedTo(file: ts.SourceFile): Map<string, ts.CallExpression[]> {
  const added = new Map<string, ts.CallExpression[]>();
  const visit = (node: ts.Node): void => {
    if (isAddNode(node)) {
      const root = rootOf(node);
      if (ts.isIdentifier(root)) added.set(root.text, [...(added.get(root.text) ?? []), node]);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return added;
}

const isAddNode = (node: ts.Node): node is ts.CallExpression =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  node.expression.name.text === 'addNode';

function rootOf(node: ts.Node): ts.Node {
  let root = node;
  while (ts.isCallExpression(root) || ts.isPropertyAccessExpression(root)) root = root.expression;
  return root;
}

function identifiersIn(node: ts.Node): string[] {
  if (ts.isIdentifier(node)) return [node.text];
  const found: string[] = [];
  ts.forEachChild(node, (child) => void found.push(...identifiersIn(child)));
  return found;
}
