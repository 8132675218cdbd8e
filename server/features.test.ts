import { expect, it } from 'vitest'
import { type Plugin } from '../plugins/contract/index.ts'
import { allEnds, checkFeatures, FEATURES } from './features.ts'
import { filesFeature } from './features/files/feature.ts'
import { QUESTION_MAIL } from './features/triggers/question-mail.ts'
import { DOCUMENT_MAIL } from './features/documents/mail.ts'
import { BUYER_TEMPLATES_SQL } from './features/mail/buyer-mail.ts'
import { createSecrets } from './core/secrets.ts'

it('refuses what two features state: a name, a table, a kind of message …', () => {
  const withOne = (more: object) => () => checkFeatures([...FEATURES, { name: 'more', ...more }])
  expect(withOne({ name: 'csv' })).toThrow('The feature csv is listed twice')
  expect(withOne({ tables: { packs: 'names' } })).toThrow('The table packs is listed twice')
  expect(withOne({ ports: { drop: () => {} } })).toThrow('The port drop is listed twice')
  expect(withOne({ sends: { sms: () => {} } })).toThrow('The kind of message sms is listed twice')
  expect(withOne({ mails: { 'moved-links': {} } })).toThrow('The mail moved-links is listed twice')
  expect(withOne({ changes: { 'shop-redact': () => {} } })).toThrow(
    'The change shop-redact is listed twice',
  )
  expect(withOne({ moves: { confirmSync: () => {} } })).toThrow(
    'The move confirmSync is listed twice',
  )
  expect(withOne({ operationMessages: { sms: () => {} } })).toThrow(
    'The message about operations sms is listed twice',
  )
  expect(withOne({ listings: () => {} })).toThrow(
    'The maker of documents of operations is listed twice',
  )
  expect(withOne({ events: filesFeature.events })).toThrow('The event file.changed is listed twice')
  expect(withOne({})()).toHaveLength(FEATURES.length + 1)
})

it('has a writer for each mail to buyers, to those who are asked and with a document, and for no others', () => {
  const written = FEATURES.flatMap(({ mails = {} }) => Object.keys(mails))
  expect(written.map((name) => `'${name}'`).toSorted()).toEqual(
    [...BUYER_TEMPLATES_SQL.split(', '), `'${QUESTION_MAIL}'`, `'${DOCUMENT_MAIL}'`].toSorted(),
  )
})

it('refuses a plugin that announces an event that no feature declares', () => {
  const secrets = createSecrets('the secret of the tests, long enough')
  const ends = (announces: string) => () =>
    allEnds({
      secrets,
      plugins: [{ id: 'fold-files', announces: [announces] } as Partial<Plugin> as Plugin],
    })
  expect(ends('file.folded')).toThrow('The plugin fold-files announces file.folded')
  expect(ends('file.deleted')()).not.toHaveLength(0)
})
