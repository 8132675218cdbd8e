// One link in a list: its recipient, its status, and its actions.
import { agentText } from '../../shell/labels/agent.ts'
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import type { DownloadLink, Schemas } from '../../shell/client/types.ts'
import { Copy } from '../../shell/components/copy.tsx'
import {
  ActionList,
  Badge,
  Button,
  InlineStack,
  LockIcon,
  Popover,
  Text,
  Hint,
} from '../../shell/ui/index.ts'
import { linkStatus } from '../../shell/files/labels.ts'
import { t } from '../../shell/messages/t.ts'
import { Question } from '../../shell/components/question.tsx'
import { capitalized } from '../../shell/labels/size.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { AttemptRow } from '../../shell/files/attempt-row.tsx'
import { useEmailLinks } from './calls.ts'
import { useResetLink, useRevokeLinks, useLinkOpenings } from './list-calls.ts'
import { notSentText } from './labels.ts'
import { askText } from './ask-form.ts'
import { ChangeAsk } from './change-ask.tsx'
import { ExtendLink } from './extend-link.tsx'
import { ViewsBadge } from './views-badge.tsx'
import './link-openings.css'

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

// Asks before a link is revoked: it cannot be brought back.

interface Props {
  link: Pick<DownloadLink, 'id'>
  /** `link of ann@example.com` */
  whose: string
  onClose: () => void
}

function RevokeLink({ link, whose, onClose }: Props) {
  const revoke = useRevokeLinks()
  const run = () =>
    revoke.mutate([link.id], {
      onSuccess: () => {
        toast(t('The link was revoked'))
        onClose()
      },
    })
  return (
    <Question
      title={t('Revoke this link?')}
      onClose={onClose}
      action={{
        content: t('Revoke'),
        destructive: true,
        loading: revoke.isPending,
        onAction: run,
      }}
      back={t('Cancel')}
      error={revoke.error}
      problem={t('The link could not be revoked')}
    >
      <Text as="p" breakWord>
        {capitalized(whose)}
      </Text>
      <Text as="p">
        {t('It stops working immediately, and can’t be restored: create another one.')}
      </Text>
    </Question>
  )
}

// Who opened a link that asks before a download, and the attempts that were refused.

type Openings = Schemas['LinkOpenings']
type Row = Pick<Openings['refusals'][number], 'at' | 'filename' | 'address' | 'agent'> & {
  email?: string | null
  refused?: Openings['refusals'][number]
}

function LinkOpeningsDialog({ link, onClose }: { link: DownloadLink; onClose: () => void }) {
  const openings = useLinkOpenings(link.id)
  const rows = openings.data && rowsOf(openings.data)
  return (
    <Dialog
      title={t('Who opened the link')}
      onClose={onClose}
      primaryAction={{ content: t('Done'), onAction: onClose }}
    >
      {openings.isPending && <LoadingRows rows={3} what={t('openings')} />}
      <LoadProblem query={openings} what={t('The openings could not be loaded')} />
      {rows?.length === 0 && <Hint>{t('Nobody has answered what the link asks for.')}</Hint>}
      {rows && rows.length > 0 && (
        <ul className="link-openings" aria-label={t('Who opened the link')}>
          {rows.map((row, place) => (
            <OpeningRow key={`${row.at} ${place}`} row={row} />
          ))}
        </ul>
      )}
    </Dialog>
  )
}

const OpeningRow = ({ row: { at, email, refused, filename, address, agent } }: { row: Row }) => (
  <AttemptRow
    what={refused ? (filename ?? t('The page with all files')) : (email ?? t('With the password'))}
    about={[refused ? '' : filename, agentText(agent), address]}
    at={at}
    refused={refused}
    result={{ text: t('Opened'), tone: 'success' }}
  />
)

const rowsOf = ({ openings, refusals }: Openings): Row[] =>
  [...openings, ...refusals.map((refused): Row => ({ ...refused, refused }))].toSorted(
    (a: Row, b: Row) => b.at.localeCompare(a.at),
  )
