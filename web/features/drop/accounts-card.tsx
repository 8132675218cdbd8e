// The drop accounts: created, switched off, given a new password, edited and deleted.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import {
  type DropAccount,
  type DropAccountWithPassword,
  useChangeDropAccount,
  useDeleteDropAccount,
  useNewDropPassword,
} from './calls.ts'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { Nothing } from '../../shell/components/lists.tsx'
import { Question } from '../../shell/components/question.tsx'
import { SmallError } from '../../shell/components/small-error.tsx'
import { Switch } from '../../shell/components/switch.tsx'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import { passwordAge } from './labels.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import {
  Badge,
  BlockStack,
  Box,
  Button,
  Card,
  Heading,
  InlineStack,
  SmallPrint,
  Text,
} from '../../shell/ui/index.ts'
import { AccountDialog, EditAccountDialog } from './account-dialog.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import './drop.css'

/** The drop accounts; if there are none, an explanation and a button to create the first. */
export function AccountsCard({ accounts }: { accounts: readonly DropAccount[] }) {
  const [editing, setEditing] = useState<DropAccount | 'new' | null>(null)
  const [deleting, setDeleting] = useState<DropAccount | null>(null)
  const [made, setMade] = useState<DropAccountWithPassword | null>(null)
  const [renewing, setRenewing] = useState<DropAccount | null>(null)
  const create = () => setEditing('new')
  return (
    <Card padding="0">
      {accounts.length === 0 ? (
        <Nothing
          why="new"
          heading={t('No account yet')}
          action={{ content: t('Create account'), onAction: create }}
        >
          {t('Each computer or partner that sends files signs in with its own account.')}
        </Nothing>
      ) : (
        <Box padding="400">
          <InlineStack align="space-between" blockAlign="center" gap="200">
            <Heading>{t('Accounts')}</Heading>
            <Button onClick={create}>{t('Create account')}</Button>
          </InlineStack>
        </Box>
      )}
      <ul className="drop-list" aria-label={t('Accounts')}>
        {accounts.map((account) => (
          <AccountRow
            key={account.id}
            account={account}
            onRenew={() => setRenewing(account)}
            onEdit={() => setEditing(account)}
            onDelete={() => setDeleting(account)}
          />
        ))}
      </ul>
      {editing !== null && editing !== 'new' && (
        <EditAccountDialog account={editing} onClose={() => setEditing(null)} />
      )}
      {editing === 'new' && (
        <AccountDialog
          account={null}
          onClose={() => setEditing(null)}
          onMade={(account) => {
            setEditing(null)
            setMade(account)
          }}
        />
      )}
      {renewing && (
        <RenewPassword account={renewing} onClose={() => setRenewing(null)} onMade={setMade} />
      )}
      {made && <PasswordDialog account={made} onClose={() => setMade(null)} />}
      <DeleteAccount account={deleting} onClose={() => setDeleting(null)} />
    </Card>
  )
}

interface RowProps {
  account: DropAccount
  onRenew: () => void
  onEdit: () => void
  onDelete: () => void
}

function AccountRow({ account, onRenew, onEdit, onDelete }: RowProps) {
  const { name, username } = account
  return (
    <li>
      <div className="drop-name">
        <BlockStack gap="050">
          <Text as="span" fontWeight="semibold" breakWord>
            {name}
          </Text>
          <Text as="span" variant="bodySm" tone="subdued" breakWord>
            {`${username} · ${lastUsed(account)}`}
          </Text>
          <AccountFacts account={account} />
        </BlockStack>
      </div>
      <div className="drop-state">
        <OnOff account={account} />
        <Button
          variant="plain"
          accessibilityLabel={actionName(t('Change password'), name)}
          onClick={onRenew}
        >
          {t('Change password')}
        </Button>
        <Button variant="plain" accessibilityLabel={t('Edit {name}', { name })} onClick={onEdit}>
          {t('Edit')}
        </Button>
        <CriticalButton
          label={t('Delete {name}', { name })}
          onClick={onDelete}
          text={t('Delete')}
        />
      </div>
    </li>
  )
}

const lastUsed = ({ last_used_at }: DropAccount): string =>
  last_used_at === null ? t('never used') : t('last used {at}', { at: momentText(last_used_at) })

function AccountFacts({ account }: { account: DropAccount }) {
  const { allowed_addresses, public_keys, password_changed_at } = account
  const age = passwordAge(account)
  const texts = [
    age.text,
    t('{count, plural, =0 {Any address} one {# allowed address} other {# allowed addresses}}', {
      count: allowed_addresses.length,
    }),
    ...(public_keys.length === 0
      ? []
      : [
          t('{count, plural, one {# public key} other {# public keys}}', {
            count: public_keys.length,
          }),
        ]),
  ]
  return (
    <InlineStack gap="200" blockAlign="center">
      <SmallPrint>
        <span title={momentText(password_changed_at)}>{texts.join(' · ')}</span>
      </SmallPrint>
      {age.old && <Badge tone="warning">{t('Change it regularly')}</Badge>}
    </InlineStack>
  )
}

function OnOff({ account: { id, name, enabled } }: { account: DropAccount }) {
  const change = useChangeDropAccount()
  return (
    <InlineStack gap="200" blockAlign="center">
      <Switch
        label={t('{name} is on', { name })}
        on={change.isPending ? change.variables.change.enabled === true : enabled}
        busy={change.isPending}
        onChange={(on) =>
          change.mutate(
            { id, change: { enabled: on } },
            {
              onSuccess: () =>
                toast(on ? t('{name} is on', { name }) : t('{name} is off', { name })),
            },
          )
        }
      />
      {!enabled && <Badge>{t('Off')}</Badge>}
      <SmallError error={change.error} />
    </InlineStack>
  )
}

interface RenewProps {
  account: DropAccount
  onClose: () => void
  onMade: (account: DropAccountWithPassword) => void
}

function RenewPassword({ account: { id, name }, onClose, onMade }: RenewProps) {
  const renew = useNewDropPassword()
  const run = () =>
    renew.mutate(id, {
      onSuccess: (account) => {
        onClose()
        onMade(account)
      },
    })
  return (
    <Question
      title={t('Change the password of {name}?', { name })}
      onClose={onClose}
      action={{
        content: t('Change password'),
        destructive: true,
        loading: renew.isPending,
        onAction: run,
      }}
      back={t('Cancel')}
      error={renew.error}
      problem={t('The password could not be changed')}
    >
      <Text as="p">
        {t(
          'The present password stops working immediately. Programs that use it send nothing until they have the new one, which you see once.',
        )}
      </Text>
    </Question>
  )
}

function DeleteAccount({ account, onClose }: { account: DropAccount | null; onClose: () => void }) {
  const remove = useDeleteDropAccount()
  const close = () => {
    onClose()
    remove.reset()
  }
  return (
    <DeleteDialog
      open={account !== null}
      title={t('Delete “{name}”?', { name: account?.name ?? '' })}
      deleting={remove.isPending}
      error={remove.error}
      onClose={close}
      onDelete={() =>
        account &&
        remove.mutate(account.id, {
          onSuccess: () => {
            close()
            toast(t('Account deleted'))
          },
        })
      }
    >
      <Text as="p">
        {t(
          'Its open connections end within a second, and nobody signs in with it again. Files that it sent stay. To stop it for a while, switch it off instead.',
        )}
      </Text>
    </DeleteDialog>
  )
}
