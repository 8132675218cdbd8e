// Confirms the shop's own mail server: sends a test mail through it, and takes the code of the mail.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { clearing, fieldId, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, Button, FormLayout, TextField } from '../../shell/ui/index.ts'
import { useConfirmServer, useTestServer, type SavedServer } from './calls.ts'

export const ServerConfirmation = ({ server }: { server: SavedServer }) => (
  <FormLayout>
    <Banner tone="info">
      {t(
        'Until it is confirmed, mails are sent through the app. Send yourself a test mail and enter its code.',
      )}
    </Banner>
    <TestMail server={server} />
    {server.test && <TestCode to={server.test.to} />}
  </FormLayout>
)

function TestMail({ server }: { server: SavedServer }) {
  const test = useTestServer()
  const [email, setEmail] = useState(server.test?.to ?? server.from)
  const problems = problemsOf(objectionsIn(test.error))
  return (
    <>
      {test.error && problems.all.length === 0 && (
        <Banner tone="critical" title={t('The test mail was not accepted')}>
          {test.error.message}
        </Banner>
      )}
      <TextField
        id={fieldId('email')}
        label={t('Send the test mail to')}
        type="email"
        maxLength={254}
        value={email}
        error={problems.at('email')}
        onChange={clearing(test, setEmail)}
        connectedRight={
          <Button
            loading={test.isPending}
            onClick={() =>
              test.mutate(email.trim(), { onSuccess: () => toast(t('The test mail was accepted')) })
            }
          >
            {t('Send')}
          </Button>
        }
      />
    </>
  )
}

/** @param to the address that the test mail was sent to */
function TestCode({ to }: { to: string }) {
  const confirm = useConfirmServer()
  const [code, setCode] = useState('')
  const problems = problemsOf(objectionsIn(confirm.error))
  return (
    <>
      <TextField
        id={fieldId('code')}
        label={t('Code from the test mail')}
        helpText={t('Sent to {to}.', { to })}
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={10}
        value={code}
        error={problems.at('code')}
        onChange={clearing(confirm, setCode)}
        connectedRight={
          <Button
            variant="primary"
            loading={confirm.isPending}
            onClick={() =>
              confirm.mutate(code, {
                onSuccess: () => toast(t('Mails are now sent through your server')),
              })
            }
          >
            {t('Confirm')}
          </Button>
        }
      />
      {confirm.error && problems.all.length === 0 && (
        <Problem error={confirm.error} what={t('The server could not be confirmed')} />
      )}
    </>
  )
}
