// New links: copied, saved as a list or sent, one by one or all together.
import { useEffect } from 'react'
import { useEmailLinks } from '../../links/calls.ts'
import { saveBytes } from '../../../shell/client/save.ts'
import { type DownloadLink } from '../../../shell/client/types.ts'
import { Code, Copy } from '../../../shell/components/copy.tsx'
import { Dialog } from '../../../shell/components/dialog.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { Banner, Button, InlineStack, SmallPrint, Text } from '../../../shell/ui/index.ts'
import { linkTerms, notSentText } from '../../links/labels.ts'
import { linksCsv } from '../../links/list-labels.ts'
import { t } from '../../../shell/messages/t.ts'

interface Props {
  links: readonly DownloadLink[]
  /** Sends them immediately. */
  send: boolean
  onClose: () => void
}

export function MadeLinks({ links, send, onClose }: Props) {
  const mail = useEmailLinks()
  const addressed = links.filter(({ email }) => email !== null)
  const { mutate } = mail
  useEffect(() => {
    if (send) mutate(links.map(({ id }) => id))
  }, [send, links, mutate])
  const save = () =>
    saveBytes(new Blob([linksCsv(links)], { type: 'text/csv' }), 'download-links.csv')
  return (
    <Dialog
      title={t('{count, plural, one {# download link} other {# download links}} created', {
        count: links.length,
      })}
      onClose={onClose}
      primaryAction={{ content: t('Done'), onAction: onClose }}
    >
      {mail.error && <Problem error={mail.error} what={t('The links could not be sent')} />}
      {mail.data && <Sent mailed={mail.data} />}
      <InlineStack gap="200">
        <Copy
          text={links.map(({ url }) => url).join('\n')}
          what={t('all links')}
          label={t('Copy all')}
        />
        <Button size="slim" onClick={save}>
          {t('Save as CSV')}
        </Button>
        {addressed.length > 0 && (
          <Button
            size="slim"
            loading={mail.isPending && mail.variables.length > 1}
            onClick={() => mutate(addressed.map(({ id }) => id))}
          >
            {t('Email all')}
          </Button>
        )}
      </InlineStack>
      <ul className="made-links">
        {links.map((link) => (
          <MadeLinkRow key={link.id} link={link} onMail={() => mutate([link.id])} />
        ))}
      </ul>
    </Dialog>
  )
}

function Sent({
  mailed: { queued, skipped },
}: {
  mailed: { queued: number; skipped: { reason: string }[] }
}) {
  return (
    <Banner tone={skipped.length > 0 ? 'warning' : 'success'}>
      <p>
        {[
          queued > 0 &&
            t('{queued, plural, one {# link is} other {# links are}} being sent by email.', {
              queued,
            }),
          skipped.length > 0 && notSentText(skipped),
        ]
          .filter(Boolean)
          .join(' ')}
      </p>
    </Banner>
  )
}

function MadeLinkRow({ link, onMail }: { link: DownloadLink; onMail: () => void }) {
  const { url, filename, email, ...terms } = link
  return (
    <li>
      <InlineStack align="space-between" blockAlign="center" gap="200">
        <Text as="span" fontWeight="medium" breakWord>
          {filename}
        </Text>
        {email !== null && (
          <Button
            variant="plain"
            accessibilityLabel={t('Email the link to {filename}', { filename })}
            onClick={onMail}
          >
            {t('Send to {email}', { email })}
          </Button>
        )}
      </InlineStack>
      {url !== null && <Code text={url} what={t('link to {filename}', { filename })} wrap />}
      <SmallPrint>{linkTerms(terms)}</SmallPrint>
    </li>
  )
}
