// The password of a drop account, shown once.
import { type DropAccountWithPassword } from '../../../client/drop.ts'
import { Code } from '../../../components/copy.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { t } from '../../../messages/t.ts'
import { Banner, Text } from '../../../ui/index.ts'

interface Props {
  account: DropAccountWithPassword
  onClose: () => void
}

export function PasswordDialog({ account: { name, username, password }, onClose }: Props) {
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
          <Code what={t('username')} text={username} />
          <Code what={t('password')} text={password} wrap />
          <Text as="p" tone="subdued">
            {t(
              'An earlier password of this account no longer works, and its open connections end within a second.',
            )}
          </Text>
        </>
      )}
    </Dialog>
  )
}
