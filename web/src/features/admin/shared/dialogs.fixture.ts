import ts from 'typescript'

/** A component: its module and its name. */
type Place = `${string}#${string}`

interface Module {
  path: string
  components: Map<string, ts.Node>
  /** What a name of another module stands for. */
  imported: Map<string, Place>
}

/** A dialog in which a text area is drawn. */
export interface Found {
  /** Who draws it. */
  owner: string
  /** Which frame it is in: the dialog itself, or a component around it that takes children. */
  frame: string
}

const DIALOG = 'components/ui/dialog#DialogContent'

function pathOf(from: string, to: string): string {
  if (to.startsWith('@/')) return to.slice(2)
  const parts = from.split('/').slice(0, -1)
  for (const part of to.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}

/** What a component stands for that is loaded when it is first drawn. */
function lazily(from: string, text: string): Place | undefined {
  const at = /import\('([^']+)'\)/.exec(text)?.[1]
  if (!at) return undefined
  const name = /await import\([^)]*\)\)\.(\w+)|default: \w+\.(\w+)/.exec(text)
  return `${pathOf(from, at)}#${name?.[1] ?? name?.[2] ?? 'default'}`
}

function read(path: string, text: string): Module {
  const module: Module = { path, components: new Map(), imported: new Map() }
  const source = ts.createSourceFile('x.tsx', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement) && ts.isStringLiteral(statement.moduleSpecifier)) {
      const from = pathOf(path, statement.moduleSpecifier.text)
      const clause = statement.importClause
      if (clause?.name) module.imported.set(clause.name.text, `${from}#default`)
      if (clause?.namedBindings && ts.isNamedImports(clause.namedBindings))
        for (const one of clause.namedBindings.elements)
          module.imported.set(one.name.text, `${from}#${(one.propertyName ?? one.name).text}`)
    }
    if (ts.isFunctionDeclaration(statement) && statement.name) {
      module.components.set(statement.name.text, statement)
      if (statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword))
        module.components.set('default', statement)
    }
    if (!ts.isVariableStatement(statement)) continue
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (!ts.isIdentifier(name) || !initializer) continue
      const lazy = ts.isCallExpression(initializer) ? lazily(path, initializer.getText()) : undefined
      if (lazy) module.imported.set(name.text, lazy)
      else module.components.set(name.text, initializer)
    }
  }
  return module
}

type Tag = ts.JsxOpeningElement | ts.JsxSelfClosingElement

interface Drawn {
  tag: Tag
  /** The element with what is in it. */
  whole: ts.Node
}

/** The elements at and below a node, without what is in those that `closed` names. */
function elements(node: ts.Node, closed: (tag: Tag) => boolean = () => false): Drawn[] {
  const found: Drawn[] = []
  const walk = (one: ts.Node): void => {
    const tag = ts.isJsxElement(one) ? one.openingElement : ts.isJsxSelfClosingElement(one) ? one : undefined
    if (tag) found.push({ tag, whole: one })
    if (!tag || !closed(tag)) ts.forEachChild(one, walk)
  }
  walk(node)
  return found
}

/** The dialogs of the app in which a text area is drawn, by what the sources draw. */
export function dialogsWithTextArea(sources: Record<string, string>): Found[] {
  const modules = new Map(
    Object.entries(sources).map(([file, text]) => {
      const path = file.replace(/^.*?src\//, '').replace(/\.tsx$/, '')
      return [path, read(path, text)]
    }),
  )
  const placeOf = (module: Module, tag: Tag): Place => {
    const name = tag.tagName.getText()
    return module.imported.get(name) ?? `${module.path}#${name}`
  }
  /** The frames: the dialog itself, and what draws its own children in one. */
  const frames = new Set<Place>([DIALOG])
  const each = (use: (module: Module, name: string, body: ts.Node) => void) => {
    for (const module of modules.values())
      for (const [name, body] of module.components) if (name !== 'default') use(module, name, body)
  }
  for (let before = 0; before !== frames.size; ) {
    before = frames.size
    each((module, name, body) => {
      for (const { tag, whole } of elements(body))
        if (frames.has(placeOf(module, tag)) && /\bchildren\b/.test(whole.getText()))
          frames.add(`${module.path}#${name}`)
    })
  }
  const known = new Map<Place, boolean>()
  /** Whether a text area is drawn below a node; one in a dialog of its own is not meant. */
  const writes = (module: Module, node: ts.Node): boolean =>
    elements(node, (tag) => frames.has(placeOf(module, tag))).some(
      ({ tag }) => tag.tagName.getText() === 'textarea' || takesText(placeOf(module, tag)),
    )
  const takesText = (place: Place): boolean => {
    const before = known.get(place)
    if (before !== undefined) return before
    known.set(place, false) // while it is looked at: a component may draw itself
    const [path = '', name = ''] = place.split('#')
    const module = modules.get(path)
    const body = module?.components.get(name)
    const takes = !frames.has(place) && module !== undefined && body !== undefined && writes(module, body)
    known.set(place, takes)
    return takes
  }
  const found: Found[] = []
  each((module, name, body) => {
    for (const { tag, whole } of elements(body)) {
      const frame = placeOf(module, tag)
      if (!frames.has(frame)) continue
      const inside: ts.Node[] = []
      ts.forEachChild(whole, (part) => void inside.push(part))
      if (inside.some((part) => writes(module, part))) found.push({ owner: `${module.path}#${name}`, frame })
    }
  })
  return found
}
