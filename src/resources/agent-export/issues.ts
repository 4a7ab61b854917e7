import { invalid, issuesOf, type ValidationIssue } from '../../lib/errors.ts'
import { joinPlaces } from './fit.ts'

/** The issues of a file, collected from its parts. */
export interface Issues {
  add(issue: ValidationIssue): void
  /** The result of `work`; undefined if it fails with a 422, whose issues are collected at their places within `place`. */
  at<T>(place: string, work: () => T): T | undefined
  /** 422 with every issue, if there is one. */
  check(): void
}

/** A list of issues, empty at first. */
export function collectIssues(): Issues {
  const issues: ValidationIssue[] = []
  return {
    add: (issue) => issues.push(issue),
    at(place, work) {
      try {
        return work()
      } catch (error) {
        for (const issue of issuesOf(error)) issues.push({ ...issue, field: joinPlaces(place, issue.field) })
        return undefined
      }
    },
    check() {
      if (issues.length > 0) throw invalid(...issues)
    },
  }
}
