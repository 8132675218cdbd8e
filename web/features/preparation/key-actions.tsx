// The menu of a key, the questions before its actions, and the list of its activations.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { copyText } from '../../shell/components/clipboard.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Question } from '../../shell/components/question.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import {
  ActionList,
  BlockStack,
  Button,
  Hint,
  InlineStack,
  Popover,
  Text,
} from '../../shell/ui/index.ts'
import { type KeyAction, type LicenceKey, useKeyAction } from './calls.ts'
import { keyName } from './labels.ts'

/** What is open about a key. */
export interface KeyDialog {
  kind: KeyAction | 'instances'
  licence: LicenceKey
}

interface Props {
  licence: LicenceKey
  onOpen: (dialog: KeyDialog) => void
}

export function KeyActions({ licence, onOpen }: Props) {
  const [open, setOpen] = useState(false)
  const { key, status, activations, revoked_by } = licence
  if (status === 'replaced') return null
  const copy = async (text: string) => {
    if (await copyText(text)) toast(t('Key copied'))
  }
  const entry = (kind: KeyDialog['kind'], content: string, destructive = false) => ({
    content,
    destructive,
    onAction: () => onOpen({ kind, licence }),
  })
  return (
    <InlineStack align="end">
      <Popover
        active={open}
        onClose={() => setOpen(false)}
        activator={
          <Button
            size="slim"
            disclosure
            accessibilityLabel={t('More for {key}', { key: keyName(licence) })}
            onClick={() => setOpen(!open)}
          >
            {t('More')}
          </Button>
        }
      >
        <ActionList
          actionRole="menuitem"
          onActionAnyItem={() => setOpen(false)}
          items={[
            ...(key === null ? [] : [{ content: t('Copy'), onAction: () => void copy(key) }]),
            ...(activations > 0
              ? [entry('instances', t('See activations')), entry('reset', t('End all activations'))]
              : []),
            ...(revoked_by === 'refund' ? [] : [entry('rotate', t('Replace'))]),
            status === 'revoked'
              ? entry('restore', t('Restore'))
              : entry('revoke', t('Revoke'), true),
          ]}
        />
      </Popover>
    </InlineStack>
  )
}

interface Texts {
  title: (key: string) => string
  about: string
  action: string
  destructive?: boolean
  done: string
  problem: string
}

const TEXTS: Record<KeyAction, Texts> = {
  revoke: {
    title: (key) => t('Revoke {key}?', { key }),
    about: t(
      'Software that verifies the key stops accepting it. The buyer still sees it. You can restore it later.',
    ),
    action: t('Revoke'),
    destructive: true,
    done: t('The key was revoked'),
    problem: t('The key could not be revoked'),
  },
  restore: {
    title: (key) => t('Restore {key}?', { key }),
    about: t(
      'Software that verifies the key accepts it again. Refunds of its order do not revoke it any more.',
    ),
    action: t('Restore'),
    done: t('The key was restored'),
    problem: t('The key could not be restored'),
  },
  rotate: {
    title: (key) => t('Replace {key}?', { key }),
    about: t(
      'The buyer’s page shows another key of this list instead, which expires at the same time. This key is revoked for good. Tell the buyer: no email is sent.',
    ),
    action: t('Replace'),
    destructive: true,
    done: t('The key was replaced'),
    problem: t('The key could not be replaced'),
  },
  reset: {
    title: (key) => t('End all activations of {key}?', { key }),
    about: t(
      'Each device and site must be activated again. Use it when a buyer has lost a device and has no activations left.',
    ),
    action: t('End all activations'),
    done: t('The activations were ended'),
    problem: t('The activations could not be ended'),
  },
}

/** The dialog that is open. */
export function KeyDialogs({ dialog, onClose }: { dialog: KeyDialog; onClose: () => void }) {
  const { kind, licence } = dialog
  if (kind === 'instances') return <Instances licence={licence} onClose={onClose} />
  return <Ask action={kind} licence={licence} onClose={onClose} />
}

interface AskProps {
  action: KeyAction
  licence: LicenceKey
  onClose: () => void
}

function Ask({ action, licence, onClose }: AskProps) {
  const act = useKeyAction(licence.id)
  const { title, about, action: content, destructive = false, done, problem } = TEXTS[action]
  return (
    <Question
      title={title(keyName(licence))}
      onClose={onClose}
      action={{
        content,
        destructive,
        loading: act.isPending,
        onAction: () =>
          act.mutate(action, {
            onSuccess: () => {
              toast(done)
              onClose()
            },
          }),
      }}
      back={t('Cancel')}
      error={act.error}
      problem={problem}
    >
      <Text as="p">{about}</Text>
    </Question>
  )
}

function Instances({ licence, onClose }: Omit<AskProps, 'action'>) {
  const { instances, activations } = licence
  const more = activations - instances.length
  return (
    <Dialog
      title={t('Activations of {key}', { key: keyName(licence) })}
      onClose={onClose}
      primaryAction={{ content: t('Close'), onAction: onClose }}
    >
      <ul className="entries" aria-label={t('Activations')}>
        {instances.map(({ instance, address, activated_at, seen_at }) => (
          <li key={instance}>
            <BlockStack gap="050">
              <Text as="span" fontWeight="medium" breakWord>
                {instance}
              </Text>
              <Text as="span" variant="bodySm" tone="subdued" breakWord>
                {t('Activated {when} from {address} · last seen {seen}', {
                  when: momentText(activated_at),
                  address,
                  seen: momentText(seen_at),
                })}
              </Text>
            </BlockStack>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Hint>
          {t('{more, plural, one {And # earlier one.} other {And # earlier ones.}}', { more })}
        </Hint>
      )}
    </Dialog>
  )
}
