// An email to a buyer as it will be, with examples for its values, before a dialog sends it.
import { useState } from 'react'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { t } from '../../shell/messages/t.ts'
import { Select, Text } from '../../shell/ui/index.ts'
import { LANGUAGES } from '../buyer-page/languages.ts'
import { type BuyerMail, type MailLocale, useMailPreview } from './calls.ts'
import '../../shell/components/form-and-preview.css'

const localeOf = (language: string): MailLocale =>
  LANGUAGES.find(({ value }) => value === language)?.value ?? 'en'

interface Props {
  mail: BuyerMail
  /** The language of its buyer; absent: that of the page. */
  language?: string
}

export function MailPreview({ mail, language = document.documentElement.lang }: Props) {
  const [locale, setLocale] = useState(() => localeOf(language))
  const preview = useMailPreview({ mail, locale }, {})
  return (
    <>
      <LoadProblem query={preview} what={t('The preview could not be loaded')} />
      {preview.data && (
        <>
          <Select
            label={t('Preview in')}
            labelInline
            options={LANGUAGES}
            value={locale}
            onChange={(value) => setLocale(localeOf(value))}
          />
          <Text as="p" fontWeight="semibold" breakWord>
            {preview.data.subject}
          </Text>
          <iframe
            className="preview-frame"
            title={t('Preview of the email')}
            sandbox=""
            srcDoc={preview.data.html}
          />
        </>
      )}
    </>
  )
}
