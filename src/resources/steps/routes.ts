import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { OrNull, Ref } from '../../lib/wire.ts'
import { Message } from '../messages/schema.ts'
import {
  ListStepMessages,
  ListSteps,
  ProviderTrace,
  Step,
  StepFeedback,
  StepMetrics,
  StepParams,
  steps,
} from './schema.ts'
import { listStepMessages, listSteps, rateStep, stepMetrics, stepTrace } from './steps.ts'

const params = StepParams

const operations = operationsOf('steps', {
  list_steps: ['List steps, newest first', { querystring: ListSteps, response: { 200: Type.Array(Ref(Step)) } }],
  retrieve_step: ['Retrieve a step', { params, response: { 200: Ref(Step) } }],
  retrieve_metrics_for_step: ['Retrieve the times of a step', { params, response: { 200: Ref(StepMetrics) } }],
  retrieve_trace_for_step: [
    'Retrieve the request of a step to its provider, and the response',
    { params, response: { 200: OrNull(Ref(ProviderTrace)) } },
  ],
  retrieve_provider_trace: [
    'Retrieve the request of a step to its provider, and the response',
    { params, response: { 200: OrNull(Ref(ProviderTrace)) }, deprecated: true },
  ],
  list_messages_for_step: [
    'List the messages of a step, oldest first',
    { params, querystring: ListStepMessages, response: { 200: Type.Array(Ref(Message)) } },
  ],
  modify_feedback_for_step: ['Rate a step', { params, body: StepFeedback, response: { 200: Ref(Step) } }],
})

/** `/v1/steps` */
export const stepRoutes = async (app: App) => {
  app.get('/', operations.list_steps, ({ scope, query }) => listSteps(scope, query))

  app.get('/:step_id', operations.retrieve_step, ({ scope, params }) => scope.retrieve(steps, params.step_id))

  app.get('/:step_id/metrics', operations.retrieve_metrics_for_step, ({ scope, params }) =>
    stepMetrics(scope, params.step_id),
  )

  app.get('/:step_id/trace', operations.retrieve_trace_for_step, ({ scope, params }) =>
    stepTrace(scope, params.step_id),
  )

  app.get('/:step_id/messages', operations.list_messages_for_step, ({ scope, params, query }) =>
    listStepMessages(scope, params.step_id, query),
  )

  app.patch('/:step_id/feedback', operations.modify_feedback_for_step, ({ scope, params, body }) =>
    rateStep(scope, params.step_id, body),
  )
}

/** `/v1/telemetry` */
export const telemetryRoutes = async (app: App) => {
  app.get('/:step_id', operations.retrieve_provider_trace, ({ scope, params }) => stepTrace(scope, params.step_id))
}
