import type { Rule } from 'eslint'

export const BANNED: readonly (readonly [words: string, instead: string])[]
/** The banned words of a text. */
export function bannedIn(text: string): string[]
declare const rule: Rule.RuleModule
export default rule
