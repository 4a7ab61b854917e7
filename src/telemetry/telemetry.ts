import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { createInstruments, type Gauges, type Instruments } from './instruments.ts'
import { ATTRIBUTES, SCOPE } from './names.ts'

/** What a server reports of its work. */
export interface Telemetry extends Instruments {
  /**
   * Does work within a span of its own, a child of the span around it. An error of the work is the span's status, and is
   * thrown. Without a receiver there are no spans, and the work is just done.
   */
  span<T>(name: string, kind: SpanKind, attributes: Attributes, work: (span: Span | undefined) => T): T
  /** Begins a span as a child of the one around it; undefined without a receiver. Its maker ends it. */
  begin(name: string, kind: SpanKind, attributes: Attributes): Span | undefined
  /** Does work within a span that has begun, or within the trace that a caller's headers name. */
  within<T>(parent: Span | Readonly<Record<string, unknown>> | undefined, work: () => T): T
  /** The id of the trace around; undefined without a receiver. */
  traceId(): string | undefined
  /** All metrics in the text format of Prometheus. */
  prometheus(): Promise<string>
  /** Sends the rest. */
  close(): Promise<void>
}

const isSpan = (parent: object): parent is Span => 'spanContext' in parent

/** Marks a span as failed, by the class of the error: messages may hold what users wrote. */
export function fail(span: Span | undefined, error: unknown): void {
  const type = (error as { type?: string; code?: string }).type ?? (error as { code?: string }).code
  span?.setAttribute(ATTRIBUTES.errorType, type ?? (error as Error)?.name ?? 'error')
  span?.setStatus({ code: SpanStatusCode.ERROR })
}

/** The spans of a server: none without a tracer. */
function createSpans(tracer: Tracer | undefined) {
  const contexts = new AsyncLocalStorage<Context>()
  const propagator = new W3CTraceContextPropagator()
  const current = () => contexts.getStore() ?? ROOT_CONTEXT
  const begin = (name: string, kind: SpanKind, attributes: Attributes) =>
    tracer?.startSpan(name, { kind, attributes }, current())
  const within: Telemetry['within'] = (parent, work) => {
    if (!tracer || !parent) return work()
    const context = isSpan(parent)
      ? trace.setSpan(current(), parent)
      : propagator.extract(current(), parent, defaultTextMapGetter)
    return contexts.run(context, work)
  }
  const span: Telemetry['span'] = (name, kind, attributes, work) => {
    const own = begin(name, kind, attributes)
    if (!own) return work(undefined)
    const failed = (error: unknown): never => {
      fail(own, error)
      own.end()
      throw error
    }
    try {
      const result = within(own, () => work(own))
      if (result instanceof Promise) {
        const ended = (value: unknown) => {
          own.end()
          return value
        }
        return result.then(ended, failed) as typeof result
      }
      own.end()
      return result
    } catch (error) {
      return failed(error)
    }
  }
  return { begin, within, span, traceId: () => trace.getSpan(current())?.spanContext().traceId }
}

/**
 * Creates the telemetry of a server. `endpoint`: the OTLP receiver of its spans and metrics; without one, metrics can be read as
 * text, and nothing is sent.
 */
export async function createTelemetry(
  endpoint: string | undefined,
  version: string,
  gauges: Gauges,
): Promise<Telemetry> {
  const resource = resourceFromAttributes({ 'service.name': SCOPE, 'service.version': version })
  const exporters = endpoint ? (await import('./exporters.ts')).createExporters(endpoint, resource) : undefined
  const reader = new PrometheusExporter({ preventServerStart: true })
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true)
  const meters = new MeterProvider({ resource, readers: [reader, ...(exporters ? [exporters.reader] : [])] })
  return {
    ...createInstruments(meters.getMeter(SCOPE, version), gauges),
    ...createSpans(exporters?.tracers.getTracer(SCOPE, version)),
    prometheus: async () => serializer.serialize((await reader.collect()).resourceMetrics),
    async close() {
      await exporters?.tracers.shutdown()
      await meters.shutdown()
    },
  }
}
