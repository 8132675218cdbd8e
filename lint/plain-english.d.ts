import type { Rule } from 'eslint'

export const BANNED: readonly (readonly [words: string, instead: string])[]
declare const rule: Rule.RuleModule
export default rule
