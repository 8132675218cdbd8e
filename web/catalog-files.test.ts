import { expect, test } from 'vitest'
import { parseAst } from 'vite'
import { statedIn } from './catalog-files.ts'

test('the messages of a module are those of its calls of t() and tRich()', () => {
  const code = `
    const a = t('Save')
    const b = [t('Order', {}, 'purchase'), tRich('Open <link>it</link>', { link })]
    const c = () => ({ label: t(\`No “file”\`), other: said('Not this'), dynamic: t(name) })`
  expect(statedIn(parseAst(code))).toEqual([
    'Save',
    'Order || purchase',
    'Open <link>it</link>',
    'No “file”',
  ])
})
