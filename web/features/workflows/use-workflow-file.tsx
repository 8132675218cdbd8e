// The download of a workflow as a file.
import { useState } from 'react'
import { saveWorkflowFile, type Workflow } from '../../shell/client/workflows.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { t } from '../../shell/messages/t.ts'

export function useWorkflowFile(workflow: Pick<Workflow, 'id' | 'name'> | undefined) {
  const [error, setError] = useState<Error | null>(null)
  const save = () => {
    setError(null)
    if (workflow) saveWorkflowFile(workflow).catch((reason: unknown) => setError(reason as Error))
  }
  const problem = error && <Problem error={error} what={t('The file could not be made')} />
  return { save, problem }
}
