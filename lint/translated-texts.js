// ESLint rule: a text that people read goes through t() or tRich() with a literal message, so that
// it is found for translation. It refuses raw JSX text, and literals in the properties and
// attributes that are shown.

const SHOWN = new Set(
  `accessibilityLabel alt aria-label content description emptyState error heading help helpText
   label noun placeholder prefix subtitle suffix text title tooltip what`.split(/\s+/),
)
/** The product's name, and units and signs that every language writes alike. */
const NAMES = /\b(Stevedore|https?:\S+)\b/g
const hasWords = (text) => /\p{L}/u.test(text.replaceAll(NAMES, ''))

const nameOf = ({ type, name, value }) =>
  type === 'JSXIdentifier' || type === 'Identifier' ? name : value

export default {
  meta: {
    type: 'problem',
    docs: { description: 'require t() around texts that people read' },
    messages: {
      raw: 'Wrap “{{text}}” in t() of web/shell/messages/t.ts.',
      literal: 'The message must be a literal, so that `npm run messages` finds it.',
    },
    schema: [],
  },
  create(context) {
    const report = (node, text) =>
      hasWords(text) &&
      context.report({ node, messageId: 'raw', data: { text: text.trim().slice(0, 40) } })
    /** The literals that an expression may give: the branches of a choice too. */
    const check = (node) => {
      if (!node) return
      if (node.type === 'Literal' && typeof node.value === 'string') report(node, node.value)
      if (node.type === 'TemplateLiteral')
        report(node, node.quasis.map(({ value }) => value.cooked ?? '').join(''))
      if (node.type === 'JSXExpressionContainer') check(node.expression)
      if (node.type === 'ConditionalExpression') [node.consequent, node.alternate].forEach(check)
      if (node.type === 'LogicalExpression') check(node.right)
    }
    return {
      JSXText: (node) => report(node, node.value),
      'JSXElement > JSXExpressionContainer': check,
      JSXAttribute: (node) => SHOWN.has(nameOf(node.name)) && check(node.value),
      Property: (node) => !node.computed && SHOWN.has(nameOf(node.key)) && check(node.value),
      CallExpression({ callee, arguments: [message] }) {
        if (callee.type !== 'Identifier' || !/^(t|tRich)$/.test(callee.name) || !message) return
        const plain =
          (message.type === 'Literal' && typeof message.value === 'string') ||
          (message.type === 'TemplateLiteral' && message.expressions.length === 0)
        if (!plain) context.report({ node: message, messageId: 'literal' })
      },
    }
  },
}
