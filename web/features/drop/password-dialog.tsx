// The password of a drop account, shown once.
import type { ReactNode } from 'react'
import { type DropAccountWithPassword } from './calls.ts'
import { Code } from '../../shell/components/copy.tsx'
import { Dialog } from '../../shell/components/dialog.tsx'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Hint, SmallPrint } from '../../shell/ui/index.ts'

interface Props {
  account: DropAccountWithPassword
  onClose: () => void
}

export function PasswordDialog({ account, onClose }: Props) {
  const { name, username, password, created_at, password_changed_at } = account
  const isChanged = password_changed_at !== created_at
  return (
    <Dialog
      title={t('Password of {name}', { name })}
      onClose={onClose}
      primaryAction={{ content: t('Done'), onAction: onClose }}
    >
      {password === null ? (
        <Banner tone="warning">
          {t('The password was shown before and is kept nowhere. Change it to get a new one.')}
        </Banner>
      ) : (
        <>
          <Banner tone="warning">{t('Copy the password now: it is not shown again.')}</Banner>
          <Labelled label={t('Username')}>
            <Code what={t('username')} text={username} />
          </Labelled>
          <Labelled label={t('Password')}>
            <Code what={t('password')} text={password} wrap />
          </Labelled>
          {isChanged && (
            <Hint>
              {t(
                'An earlier password of this account no longer works, and its open connections end within a second.',
              )}
            </Hint>
          )}
        </>
      )}
    </Dialog>
  )
}

const Labelled = ({ label, children }: { label: string; children: ReactNode }) => (
  <BlockStack gap="100">
    <SmallPrint>{label}</SmallPrint>
    {children}
  </BlockStack>
)
