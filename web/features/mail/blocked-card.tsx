// Addresses that nothing or no news is sent to: a mail to them came back, or was reported as spam.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import { momentText } from '../../shell/labels/time.ts'
import { reasonText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { Badge, BlockStack, Button, InlineStack, Text } from '../../shell/ui/index.ts'
import { useAllow, useBlocked } from './calls.ts'

/** The addresses that get no mail; nothing is shown if there are none. */
export function BlockedCard() {
  const [cursor, setCursor] = useState('')
  const blocked = useBlocked(cursor)
  const allow = useAllow()
  const list = blocked.data?.data ?? []
  const next = blocked.data?.next_cursor ?? null
  if (!blocked.error && list.length === 0 && cursor === '') return null
  return (
    <Titled
      title={t('Blocked addresses')}
      help={t(
        'A mail to them came back, so nothing more is sent to them: correct the address in the delivery, or allow it here if it works again. Addresses that reported a mail as spam get no mails about new versions and added files.',
      )}
    >
      <LoadProblem query={blocked} what={t('The addresses could not be loaded')} />
      {allow.error && <Problem error={allow.error} what={t('The address could not be allowed')} />}
      <BlockStack gap="300">
        {list.map(({ email, reason, reason_text, created_at, complaint }) => (
          <InlineStack key={email} align="space-between" blockAlign="center" gap="200">
            <BlockStack>
              <Text as="span" breakWord>
                {email}
              </Text>
              <Text as="span" variant="bodySm" tone="subdued" breakWord>
                {t('{at}: {reason}', {
                  at: momentText(created_at),
                  reason: reasonText({ reason, reason_text }),
                })}
              </Text>
            </BlockStack>
            {complaint && <Badge tone="warning">{t('No news')}</Badge>}
            <Button
              accessibilityLabel={actionName(t('Allow again'), email)}
              loading={allow.isPending && allow.variables === email}
              onClick={() =>
                allow.mutate(email, {
                  onSuccess: () => toast(t('Mails are sent to {email} again', { email })),
                })
              }
            >
              {t('Allow again')}
            </Button>
          </InlineStack>
        ))}
      </BlockStack>
      {(next !== null || cursor !== '') && (
        <InlineStack gap="200">
          {cursor !== '' && <Button onClick={() => setCursor('')}>{t('First page')}</Button>}
          {next !== null && <Button onClick={() => setCursor(next)}>{t('Next page')}</Button>}
        </InlineStack>
      )}
    </Titled>
  )
}
