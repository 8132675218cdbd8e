// Asks before a link is revoked: it cannot be brought back.
import { toast } from '../../shell/client/bridge.ts'
import { type DownloadLink } from '../../shell/client/types.ts'
import { Question } from '../../shell/components/question.tsx'
import { capitalized } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'
import { Text } from '../../shell/ui/index.ts'
import { useRevokeLinks } from './list-calls.ts'

interface Props {
  link: Pick<DownloadLink, 'id'>
  /** `link of ann@example.com` */
  whose: string
  onClose: () => void
}

export function RevokeLink({ link, whose, onClose }: Props) {
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
