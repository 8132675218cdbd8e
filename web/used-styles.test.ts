import { expect, test } from 'vitest'
import { keepRules, keepVariables, toLogical } from './used-styles.ts'

const USED = new Set(['Polaris-Button', 'Polaris-Button--large'])

test.each([
  ['.Polaris-Button{color:red}', '.Polaris-Button{color:red}'],
  ['.Polaris-DataTable{color:red}', ''],
  ['.Polaris-Button,.Polaris-DataTable{color:red}', '.Polaris-Button{color:red}'],
  ['.Polaris-Button .Polaris-DataTable{color:red}', ''],
  [
    '.Polaris-Button:not(.Polaris-DataTable, a){color:red}',
    '.Polaris-Button:not(.Polaris-DataTable, a){color:red}',
  ],
  ['@media (min-width:1px){.Polaris-DataTable{a:b}}', ''],
  [
    '@media (min-width:1px){.Polaris-DataTable{a:b}.Polaris-Button{a:b}}',
    '@media (min-width:1px){.Polaris-Button{a:b}}',
  ],
  ['@keyframes spin{to{a:b}}', '@keyframes spin{to{a:b}}'],
  ['@charset "utf-8";body{content:"}"}', '@charset "utf-8";body{content:"}"}'],
  ['html.p-theme-dark-experimental{a:b}html.p-theme-light{a:b}', 'html.p-theme-light{a:b}'],
])('%s', (css, kept) => expect(keepRules(css, USED)).toBe(kept))

test('a colour is kept if a rule or a component names it', () => {
  const css = ':root{--p-color-a:red;--p-color-b-c:red;--p-color-d:red;--p-space-1:1px}'
  expect(keepVariables(`${css}a{color:var(--p-color-a)}`, '<Box background="b-c">')).toBe(
    ':root{--p-color-a:red;--p-color-b-c:red;--p-space-1:1px}a{color:var(--p-color-a)}',
  )
})

test.each([
  ['a{margin-left:1px;padding-right:2px}', 'a{margin-inline-start:1px;padding-inline-end:2px}'],
  ['a{ left: 0;\n right : 1px }', 'a{ inset-inline-start: 0;\n inset-inline-end : 1px }'],
  ['a{border-left-color:red}', 'a{border-inline-start-color:red}'],
  ['a{border-top-left-radius:0}', 'a{border-start-start-radius:0}'],
  ['a{border-bottom-right-radius:0}', 'a{border-end-end-radius:0}'],
  ['a{text-align:left}', 'a{text-align:start}'],
  ['a{left:50%;transition:left 1s}', 'a{left:50%;transition:left 1s}'],
  ['.left{background:right}', '.left{background:right}'],
])('%s names the sides of the text', (css, logical) => expect(toLogical(css)).toBe(logical))
