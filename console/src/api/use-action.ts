import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from 'sonner'
import { reportError } from './problem.ts'

interface Options<Result> {
  /** The lists and resources to load again afterwards, by the beginning of their keys. */
  changes?: QueryKey[]
  /** A toast for the success. */
  done?: string
  onSuccess?: (result: Result) => void
  /** Called in place of the toast that shows the error. */
  onError?: (error: unknown) => void
}

/** A change by the user: `run(input)` carries it out, errors are shown as a toast, and `pending` is true meanwhile. */
export function useAction<Input, Result>(
  carryOut: (input: Input) => Promise<Result>,
  { changes = [], done, onSuccess, onError = reportError }: Options<Result> = {},
) {
  const client = useQueryClient()
  const mutation = useMutation({
    mutationFn: carryOut,
    onError,
    onSuccess: async (result) => {
      await Promise.all(changes.map((queryKey) => client.invalidateQueries({ queryKey })))
      if (done) toast.success(done)
      onSuccess?.(result)
    },
  })
  return { run: mutation.mutate, pending: mutation.isPending }
}
