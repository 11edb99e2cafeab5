import ts from 'typescript-5';
import { MESSAGE, MESSAGES_SCHEMA } from './message-schema.ts';
import type { JsonSchema } from '../../graph-protocol/messages.ts';

// Beyond these limits a schema stays open, because types can be infinite.
const MAX_DEPTH = 8;
const MAX_TYPES = 3_000;

/** Converts TypeScript types to JSON schemas. Types that JSON Schema can't express become open schemas. */
export class TypeSchemas {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #ancestors: ts.Type[] = [];
  #count = 0;

  constructor(program: ts.Program) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
  }

  /** Schema of each property. None is required, because channels without a value are absent. */
  ofChannels(type: ts.Type): Record<string, JsonSchema> {
    this.#count = 0;
    const properties = this.#checker.getPropertiesOfType(type).filter(isPublic);
    return Object.fromEntries(properties.map((property) => [property.name, this.#ofProperty(property)]));
  }

  #ofProperty(property: ts.Symbol): JsonSchema {
    const type = this.#checker.getTypeOfSymbol(property);
    const description = ts.displayPartsToString(property.getDocumentationComment(this.#checker));
    const schema = this.#ofType(type);
    return description ? { ...schema, description } : schema;
  }

  #ofType(type: ts.Type): JsonSchema {
    this.#count += 1;
    const isTooMuch = this.#count > MAX_TYPES || this.#ancestors.length >= MAX_DEPTH;
    if (isTooMuch || this.#ancestors.includes(type)) return {};
    this.#ancestors.push(type);
    try {
      if (type.isUnion()) return this.#ofUnion(type);
      return this.#ofLiteral(type) ?? this.#ofPrimitive(type) ?? this.#ofObject(type);
    } finally {
      this.#ancestors.pop();
    }
  }

  #ofPrimitive({ flags }: ts.Type): JsonSchema | undefined {
    if (flags & ts.TypeFlags.StringLike) return { type: 'string' };
    if (flags & ts.TypeFlags.NumberLike) return { type: 'number' };
    if (flags & ts.TypeFlags.BooleanLike) return { type: 'boolean' };
    if (flags & ts.TypeFlags.Null) return { type: 'null' };
    return flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection) ? undefined : {};
  }

  #ofLiteral(type: ts.Type): JsonSchema | undefined {
    if (type.isStringLiteral()) return { type: 'string', enum: [type.value] };
    if (type.isNumberLiteral()) return { type: 'number', enum: [type.value] };
    if (!(type.flags & ts.TypeFlags.BooleanLiteral)) return undefined;
    return { type: 'boolean', enum: [this.#checker.typeToString(type) === 'true'] };
  }

  #ofUnion({ types }: ts.UnionType): JsonSchema {
    const members = types.filter((type) => !(type.flags & ts.TypeFlags.Undefined) && !isOverwrite(type));
    if (members.length > 0 && members.every((type) => this.#isMessage(type))) return MESSAGE;
    if (members.some((type) => this.#isMessageList(type))) return MESSAGES_SCHEMA;
    return combine(members.map((member) => this.#ofType(member)));
  }

  #ofObject(type: ts.Type): JsonSchema {
    const checker = this.#checker;
    if (checker.isArrayType(type) || checker.isTupleType(type)) return this.#ofArray(type);
    if (this.#isMessage(type)) return MESSAGE;
    if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) return {};
    if (type.symbol?.name === 'Date') return { type: 'string', format: 'date-time' };
    if (this.#isOfLanguage(type.symbol)) return {};
    return this.#ofFields(type);
  }

  #ofFields(type: ts.Type): JsonSchema {
    const fields = this.#checker.getPropertiesOfType(type).filter((field) => this.#isData(field));
    const properties = Object.fromEntries(fields.map((field) => [field.name, this.#ofProperty(field)]));
    const required = fields.filter(({ flags }) => !(flags & ts.SymbolFlags.Optional)).map(({ name }) => name);
    const others = type.getStringIndexType();
    return {
      type: 'object',
      ...(fields.length > 0 && { properties }),
      ...(required.length > 0 && { required }),
      ...(others && { additionalProperties: this.#ofType(others) }),
    };
  }

  #ofArray(type: ts.Type): JsonSchema {
    if (this.#isMessageList(type)) return MESSAGES_SCHEMA;
    const items = this.#checker.getTypeArguments(type as ts.TypeReference);
    const item = combine(items.map((each) => this.#ofType(each)));
    return { type: 'array', ...(Object.keys(item).length > 0 && { items: item }) };
  }

  /** True for an array whose items may be messages, as the update type of a message list also allows other items. */
  #isMessageList(type: ts.Type): boolean {
    if (!this.#checker.isArrayType(type)) return false;
    const [item] = this.#checker.getTypeArguments(type as ts.TypeReference);
    const members = item?.isUnion() ? item.types : [item];
    return members.some((member) => member !== undefined && this.#isMessage(member));
  }

  #isMessage(type: ts.Type): boolean {
    const declared = (type as ts.TypeReference).target ?? type;
    if (!declared.isClassOrInterface()) return false;
    if (declared.symbol.name === 'BaseMessage') return true;
    return this.#checker.getBaseTypes(declared).some((base) => this.#isMessage(base));
  }

  #isOfLanguage(symbol: ts.Symbol | undefined): boolean {
    if (!symbol || !(symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class))) return false;
    const files = (symbol.declarations ?? []).map((declaration) => declaration.getSourceFile());
    return files.some((file) => this.#program.isSourceFileDefaultLibrary(file));
  }

  #isData(field: ts.Symbol): boolean {
    return isPublic(field) && this.#checker.getTypeOfSymbol(field).getCallSignatures().length === 0;
  }
}

/** `Overwrite` replaces a channel's value, bypassing its reducer. The engine's update types include it. */
const isOverwrite = (type: ts.Type): boolean =>
  /^Overwrite(?:Value)?$/.test(type.aliasSymbol?.name ?? type.symbol?.name ?? '');

function isPublic({ name, declarations = [] }: ts.Symbol): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return (
    !name.startsWith('__@') &&
    !name.startsWith('#') &&
    !declarations.some((declaration) => ts.getCombinedModifierFlags(declaration) & hidden)
  );
}

/** A schema that allows any of these; literals of one type become one `enum`. */
function combine(schemas: JsonSchema[]): JsonSchema {
  const byText = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const merged = mergeLiterals([...byText.values()]);
  if (merged.some((schema) => Object.keys(schema).length === 0)) return {};
  return merged.length > 1 ? { anyOf: merged } : (merged[0] ?? {});
}

function mergeLiterals(schemas: JsonSchema[]): JsonSchema[] {
  const merged: JsonSchema[] = [];
  for (const schema of schemas) {
    const same = merged.find((other) => other['enum'] && schema['enum'] && other['type'] === schema['type']);
    if (same) same['enum'] = [...(same['enum'] as unknown[]), ...(schema['enum'] as unknown[])];
    else merged.push(schema['enum'] ? { ...schema } : schema);
  }
  return merged.map((schema) =>
    schema['type'] === 'boolean' && (schema['enum'] as unknown[])?.length === 2
      ? { type: 'boolean' }
      : schema,
  );
}
