// Lint rules for what people read: words in docs, comments, help and messages, and titles of tests. CONTRIBUTING, "How to write".

/**
 * Words to replace, each with the better one. Extend it when a review finds a habit.
 * @type {readonly (readonly [RegExp, string])[]}
 */
const TERMS = [
  [/\b(whoever|whomever|nobody|somebody)\b/i, 'name the person or thing: the user, the client, another process'],
  [/\bunless told otherwise\b/i, 'by default'],
  [/\banew\b/i, 'again'],
  [/\b(tells|told|shall tell)\b/i, 'reports, notifies, prints, logs'],
  [/\b(mend|mends|mended|mending)\b/i, 'fix'],
  [/\b(taken back|takes? back)\b/i, 'removed, undone'],
  [/\bwhat is wanted\b/i, 'requirements'],
  [/\bdoes (it|this|that|one) \w+,/i, 'if it …'],
  [/\b(is|are|be) none\b/i, 'say what it is instead'],
  [/\bshall\b/i, 'must, should'],
  [/\b(stands|stand) (in|on|at|below|above|there|here|beside|under)\b/i, 'is'],
  [/\bharms? (nobody|nothing|no)\b/i, 'does not affect others'],
  [/\bof which\b/i, 'two sentences'],
  [/\bhave it \w+/i, 'use the verb'],
  [/\bknows (of|nothing|no)\b/i, 'has, sees'],
  [/\b(anybody|everybody)\b/i, 'every user, all clients'],
  [/\b(goes|go|trying) on\b/i, 'continues, tries again'],
  [/\b(for ever|for good|at last|in peace)\b/i, 'permanently, finally'],
  [/\blikewise\b/i, 'in the same way'],
  [/\b(hangs? on|stays? away|lets? go of)\b/i, 'is connected to, is absent, releases'],
  [/\bmakes? no sense\b/i, 'is invalid'],
]

/** First words of a title that is not a sentence of its own in a list of failures. */
const NO_TITLE =
  /^(of|that|from|to|in|with|on|for|by|as|at|and|but|what|who|whoever|which|whose|than|because|nobody|whether|is none|are none)\b/i

/** Data: a user of the system, and a value in the JSON output of commands. */
const DATA = new Set(['nobody', 'told'])

/**
 * @param {import('eslint').Rule.RuleContext} context
 * @param {string} text
 * @param {object} node
 */
function report(context, text, node) {
  for (const [pattern, better] of TERMS) {
    const found = pattern.exec(text)
    if (found !== null) context.report({ node, message: `Plain words: "${found[0]}". Better: ${better}.` })
  }
}

/** @type {import('eslint').Rule.RuleModule} */
const words = {
  create(context) {
    const check = (/** @type {{ value?: unknown }} */ node) => {
      if (typeof node.value === 'string' && !DATA.has(node.value)) report(context, node.value, node)
    }
    return {
      Program: () => {
        for (const comment of context.sourceCode.getAllComments?.() ?? []) report(context, comment.value, comment)
      },
      Literal: check,
      TemplateElement: (node) => report(context, node.value.raw, node),
      // Markdown: prose, without code.
      text: check,
    }
  },
}

/** @type {import('eslint').Rule.RuleModule} */
const titles = {
  create(context) {
    return {
      CallExpression(node) {
        // `it('…')`, `it.each(table)('…')`
        const callee = node.callee.type === 'CallExpression' ? node.callee.callee : node.callee
        const name = callee.type === 'MemberExpression' ? callee.object : callee
        if (name.type !== 'Identifier' || (name.name !== 'it' && name.name !== 'test')) return
        const [title] = node.arguments
        const text =
          title?.type === 'Literal' ? title.value : title?.type === 'TemplateLiteral' ? title.quasis[0]?.value.raw : undefined
        if (typeof text === 'string' && NO_TITLE.test(text))
          context.report({ node, message: `A title is a sentence about what should be so: not "${text.split(' ', 1)[0]} …".` })
      },
    }
  },
}

export const plainWords = { rules: { words, titles } }
