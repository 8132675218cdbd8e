// One link in a list: its recipient, its status, and its actions.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { useEmailLinks } from './calls.ts'
import { useResetLink } from './list-calls.ts'
import { type DownloadLink } from '../../shell/client/types.ts'
import { Copy } from '../../shell/components/copy.tsx'
import {
  ActionList,
  Badge,
  Button,
  InlineStack,
  LockIcon,
  Popover,
  Text,
} from '../../shell/ui/index.ts'
import { linkStatus } from '../../shell/files/labels.ts'
import { notSentText } from './labels.ts'
import { askText } from './ask-form.ts'
import { ChangeAsk } from './change-ask.tsx'
import { ExtendLink } from './extend-link.tsx'
import { LinkOpeningsDialog } from './link-openings.tsx'
import { RevokeLink } from './revoke-link.tsx'
import { t } from '../../shell/messages/t.ts'
import { ViewsBadge } from './views-badge.tsx'

export function Customer({ link }: { link: DownloadLink }) {
  return (
    link.email ?? (
      <Text as="span" tone="subdued">
        {t('Anyone with the link')}
      </Text>
    )
  )
}

export function LinkBadge({ link }: { link: DownloadLink }) {
  const status = linkStatus(link.status)
  return (
    <InlineStack gap="100">
      <Badge tone={status.tone}>{status.text}</Badge>
      <ViewsBadge file={link} />
      {link.ask_for !== null && <Badge icon={LockIcon}>{askText(link.ask_for)}</Badge>}
    </InlineStack>
  )
}

const recipientOf = (link: DownloadLink) =>
  link.email
    ? t('link of {email}', { email: link.email })
    : t('link to {filename}', { filename: link.filename })

type LinkDialog = 'extend' | 'ask' | 'openings' | 'revoke'

interface MenuParts {
  onOpen: (dialog: LinkDialog) => void
  onError: (error: Error | null) => void
}

/** What can be done with the link, in the order of the menu. */
function useLinkMenu(link: DownloadLink, { onOpen, onError }: MenuParts) {
  const reset = useResetLink()
  const mail = useEmailLinks()
  const tell = (text: string) => {
    onError(null)
    toast(text)
  }
  const done = (text: string) => ({ onSuccess: () => tell(text), onError })
  /** A link that does not work is not sent: the answer gives the reason. */
  const send = () =>
    mail.mutate([link.id], {
      onSuccess: ({ queued, skipped }) =>
        queued > 0 ? tell(t('The link is being sent')) : onError(new Error(notSentText(skipped))),
      onError,
    })
  const ended = link.status === 'revoked'
  const items = [
    ...(link.email && !ended
      ? [{ content: t('Email to {email}', { email: link.email }), onAction: send }]
      : []),
    ...(ended
      ? []
      : [
          { content: t('Change expiry'), onAction: () => onOpen('extend') },
          { content: t('Ask before a download'), onAction: () => onOpen('ask') },
        ]),
    // The files of a pack may ask on their own.
    ...(link.ask_for === null && link.pack_id === null
      ? []
      : [{ content: t('Who opened it'), onAction: () => onOpen('openings') }]),
    ...(link.downloads + link.views > 0 && !ended
      ? [
          {
            content:
              link.views > 0 ? t('Reset counts of downloads and views') : t('Reset download count'),
            onAction: () =>
              reset.mutate(
                link.id,
                done(link.views > 0 ? t('Counts reset') : t('Download count reset')),
              ),
          },
        ]
      : []),
    ...(ended
      ? []
      : [{ content: t('Revoke'), destructive: true, onAction: () => onOpen('revoke') }]),
  ]
  return { items, busy: reset.isPending || mail.isPending }
}

/** A button to copy, and a menu with the other actions. Errors are passed to `onError`. */
export function LinkActions({
  link,
  onError,
}: {
  link: DownloadLink
  onError: (error: Error | null) => void
}) {
  const [open, setOpen] = useState(false)
  const [dialog, setDialog] = useState<LinkDialog | null>(null)
  const ended = link.status === 'revoked'
  const { items, busy } = useLinkMenu(link, { onOpen: setDialog, onError })
  const onClose = () => setDialog(null)
  return (
    <InlineStack gap="200" align="end" wrap={false}>
      {link.copy_url !== null && !ended && (
        <Copy text={link.copy_url} what={recipientOf(link)} label={t('Copy link')} />
      )}
      {items.length > 0 && (
        <Popover
          active={open}
          onClose={() => setOpen(false)}
          activator={
            <Button
              size="slim"
              disclosure
              loading={busy}
              accessibilityLabel={t('More for the {whose}', { whose: recipientOf(link) })}
              onClick={() => setOpen(!open)}
            >
              {t('More')}
            </Button>
          }
        >
          <ActionList actionRole="menuitem" items={items} onActionAnyItem={() => setOpen(false)} />
        </Popover>
      )}
      {dialog === 'extend' && <ExtendLink link={link} onClose={onClose} />}
      {dialog === 'ask' && <ChangeAsk link={link} onClose={onClose} />}
      {dialog === 'openings' && <LinkOpeningsDialog link={link} onClose={onClose} />}
      {dialog === 'revoke' && (
        <RevokeLink link={link} whose={recipientOf(link)} onClose={onClose} />
      )}
    </InlineStack>
  )
}
