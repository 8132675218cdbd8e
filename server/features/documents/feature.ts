// Documents of operations by email.
import { defineFeature } from '../feature.ts'
import { DOCUMENT_MAIL, documentMails } from './mail.ts'

export const documentsFeature = defineFeature({
  name: 'documents',
  mails: { [DOCUMENT_MAIL]: documentMails },
})
