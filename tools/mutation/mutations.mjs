import ts from 'typescript'

/**
 * A change of a source text: `text` replaces what is between `start` and `end`.
 * @typedef {{ readonly start: number, readonly end: number, readonly text: string }} Mutation
 */

/** Operators and method names with what replaces them. */
const SWAPPED = new Map(
  [
    ...['< <=', '<= <', '> >=', '>= >', '=== !==', '!== ===', '&& ||', '|| &&', '?? &&', '?. .'],
    ...['+ -', '- +', '* /', '/ *', '% *', '+= -=', '-= +=', '++ --', '-- ++', '<< >>', '>> <<', '& |', '| &'],
    ...['true false', 'false true', 'min max', 'max min', 'floor ceil', 'ceil floor', 'some every', 'every some'],
  ].map((pair) => /** @type {[string, string]} */ (pair.split(' '))),
)

/**
 * All mutations of a TypeScript source: operators, booleans, numbers, conditions, and statements that are left out. Types stay.
 * @param {string} code
 * @returns {Mutation[]}
 */
export function mutationsOf(code) {
  const source = ts.createSourceFile('source.ts', code, ts.ScriptTarget.Latest, true)
  /** @type {Mutation[]} */
  const found = []
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return
    const texts = isCondition(node) ? ['true', 'false', ...replacements(node)] : replacements(node)
    for (const text of texts) found.push({ start: node.getStart(), end: node.getEnd(), text })
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(source, visit)
  return found
}

/**
 * @param {ts.Node} node
 * @returns {string[]}
 */
function replacements(node) {
  const text = node.getText()
  const { parent } = node
  if (ts.isNumericLiteral(node)) return [`${Number(text.replaceAll('_', '')) + 1}`]
  if (ts.isBinaryExpression(node) || ts.isPostfixUnaryExpression(node) || ts.isPrefixUnaryExpression(node)) return changed(node)
  if (ts.isExpressionStatement(node)) return /^(super\(|'use )/.test(text) ? [] : [';']
  if (ts.isIdentifier(node)) return ts.isPropertyAccessExpression(parent) && parent.name === node ? swapped(text) : []
  return [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword, ts.SyntaxKind.QuestionDotToken].includes(node.kind)
    ? swapped(text)
    : []
}

/**
 * An expression with another operator, or without its `!`.
 * @param {ts.BinaryExpression | ts.PostfixUnaryExpression | ts.PrefixUnaryExpression} node
 */
function changed(node) {
  if (ts.isBinaryExpression(node)) {
    const { left, operatorToken, right } = node
    const isText =
      operatorToken.getText() === '+' &&
      [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side))
    const others = isText ? [] : swapped(operatorToken.getText())
    return others.map((other) => `${left.getText()} ${other} ${right.getText()}`)
  }
  const operator = ts.tokenToString(node.operator) ?? ''
  const operand = node.operand.getText()
  if (operator === '!') return [operand]
  return swapped(operator).map((other) => (ts.isPrefixUnaryExpression(node) ? other + operand : operand + other))
}

/** @param {ts.Node} node */
function isCondition(node) {
  const { parent } = node
  return (
    (ts.isIfStatement(parent) && parent.expression === node) || (ts.isConditionalExpression(parent) && parent.condition === node)
  )
}

/** @param {string} text */
function swapped(text) {
  const other = SWAPPED.get(text)
  return other === undefined ? [] : [other]
}
