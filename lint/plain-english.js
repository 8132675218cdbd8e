// ESLint rule: comments and texts use plain technical English. It bans the words of this project's
// old style, because they hide the mechanism and its danger.
// Comments are checked everywhere, SQL comments in templates too, and with `texts: true` also the
// strings and JSX texts that people read.

/** Each with what to write instead. */
export const BANNED = [
  ['whoever', 'name the caller, the process or the person'],
  ['whatever', 'name the thing, or "any"'],
  ['no matter', 'say "ignored", or what does not change'],
  ['anew', '"again", or the verb: reopen, rebuild'],
  ['put down', 'interrupt, release'],
  ['put right', 'correct, repair'],
  ['stands? (?:in|on)', '"is in", "is on"; "replaces"'],
  ['lies beside', '"is next to", "is in the same folder as"'],
  ['goes on', 'continues, resumes'],
  ['by themselves', 'automatically, alone'],
  ['of its own', '"its own …", "separate"'],
  ['is meant', 'say what it refers to'],
  ['that there (?:is|are|was|were)', 'leave it out'],
  ['takes it for', 'treats it as'],
  ['in hand', 'holds, has claimed'],
  ['besides', '"also", "in addition to"'],
  ['at once', '"immediately" or "concurrently"'],
]

const PATTERNS = BANNED.map(([words, instead]) => ({
  pattern: new RegExp(`\\b${words.replaceAll(' ', '\\s+')}\\b`, 'gi'),
  instead,
}))

/** The banned words of a text. */
export const bannedIn = (text) =>
  PATTERNS.flatMap(({ pattern }) => [...text.matchAll(pattern)].map(([found]) => found))

/**
 * Replaces the marks at the beginning of comment lines with spaces, so that words are found across
 * lines.
 */
const unmarked = (text) =>
  text.replace(/\n[ \t]*(?:\*|\/\/|--)/g, (mark) => '\n' + ' '.repeat(mark.length - 1))

export default {
  meta: {
    type: 'suggestion',
    docs: { description: 'ban the words of the old style in comments and texts' },
    messages: { banned: '"{{found}}" is not plain English here: {{instead}} (docs/glossary.md).' },
    schema: [
      { type: 'object', properties: { texts: { type: 'boolean' } }, additionalProperties: false },
    ],
  },
  create(context) {
    const source = context.sourceCode
    const check = (start, raw) => {
      const text = unmarked(raw)
      for (const { pattern, instead } of PATTERNS)
        for (const { index, 0: found } of text.matchAll(pattern))
          context.report({
            loc: {
              start: source.getLocFromIndex(start + index),
              end: source.getLocFromIndex(start + index + found.length),
            },
            messageId: 'banned',
            data: { found: found.replace(/\s+/g, ' '), instead },
          })
    }
    /** Runs of comment lines are one text: a sentence continues from line to line. */
    const comments = () => {
      let from = null
      let to = null
      for (const comment of source.getAllComments()) {
        const [start, end] = comment.range
        const joins = to !== null && /^\s*$/.test(source.text.slice(to, start))
        if (from !== null && !joins) check(from, source.text.slice(from, to))
        if (!joins) from = start
        to = end
      }
      if (from !== null) check(from, source.text.slice(from, to))
    }
    const text = (node) => check(node.range[0], source.getText(node))
    const sqlComments = (node) => {
      const whole = source.getText(node)
      for (const { index, 0: run } of whole.matchAll(/--[^\n]*(?:\n[ \t]*--[^\n]*)*/g))
        check(node.range[0] + index, run)
    }
    if (!context.options[0]?.texts) return { Program: comments, TemplateElement: sqlComments }
    return {
      Program: comments,
      TemplateElement: text,
      JSXText: text,
      Literal: (node) => typeof node.value === 'string' && text(node),
    }
  },
}
