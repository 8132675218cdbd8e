import { expect, it } from 'vitest'
import { draftFrom } from '../../files/drafts.ts'
import { shopSettingsSchema } from '../../files/shop-settings.ts'
import { applyToDraft } from './apply.ts'

it('removes a tag that is stored in another form of Unicode', () => {
  const draft = draftFrom({ filename: 'a.pdf' }, shopSettingsSchema.parse({}))
  draft.tags = ['café'.normalize('NFD'), 'new']
  applyToDraft(draft, { tags: { remove: ['café'] } })
  expect(draft.tags).toEqual(['new'])
})
