import { QueryClient } from '@tanstack/react-query'
import { problemOf } from './problem.ts'

/** The cache of what pages have read. Only requests without a response, or with a 503, are repeated. */
export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => failures < 2 && [0, 503].includes(problemOf(error).status),
      },
    },
  })
