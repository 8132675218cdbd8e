// ESLint rule: a folder may only import what the layout of the code allows. Each zone forbids the
// files below `target` to import from below `from`, except from the files and folders in `except`.
import path from 'node:path'

const below = (folder, file) => file === folder || file.startsWith(`${folder}/`)

export default {
  meta: {
    type: 'problem',
    docs: { description: 'keep the imports between folders as the layout of the code allows' },
    messages: { forbidden: '{{reason}}' },
    schema: [
      {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            target: { type: 'string' },
            from: { type: 'string' },
            reason: { type: 'string' },
            /** Paths relative to `from`. */
            except: { type: 'array', items: { type: 'string' } },
          },
          required: ['target', 'from', 'reason', 'except'],
          additionalProperties: false,
        },
      },
    ],
  },
  create(context) {
    const file = path.relative(context.cwd, context.filename).replaceAll(path.sep, '/')
    const zones = context.options[0].filter(({ target }) => below(target, file))
    if (zones.length === 0) return {}
    const check = ({ source }) => {
      if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return
      const imported = path.posix.join(path.posix.dirname(file), source.value)
      for (const { from, except, reason } of zones)
        if (below(from, imported) && !except.some((each) => below(`${from}/${each}`, imported)))
          context.report({ node: source, messageId: 'forbidden', data: { reason } })
    }
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      TSImportType: check,
    }
  },
}
